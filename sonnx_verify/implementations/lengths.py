"""Inputs for what real code does and a specification does not see: several lengths, since vector instructions take some
elements at once and leave a rest; each special value at each place; other places and forms in memory; other NaNs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from sonnx_verify.counterexample.inputs import Assignment, Concrete, ConcreteTensor
from sonnx_verify.counterexample.search import alphabet
from sonnx_verify.implementations.calls import FORMS, PAYLOADS, Presentation
from sonnx_verify.implementations.trial import Trial, counted, instead, slots
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.logic import floats
from sonnx_verify.logic.sorts import BOOL, FloatSort, IntegerSort, Sort

WIDE = 33
LENGTHS = (*range(1, WIDE + 1), 64, 100, 1025)
FEW = (3, 5, 8, 9, 17, 33)
OFFSETS = (1, 2, 4, 8)
UNALIGNED = (1, 3, 4, 7, 8, 9, 16, 17, 33)
MEMBERS = (3, 4, 5, 8, 9, 16, 17, 33)
THOROUGH = 3
"""How many of the templates are run at every length, and at other places in memory."""
TEMPLATES = 12
LARGE = 2200
"""How many elements an input has at most, where the result has several."""

Fill = Callable[[int, int], object]
"""The element of a tensor, by its number, at a coordinate."""


@dataclass(frozen=True, slots=True)
class Template:
    """A valid input, one of whose axes, counted from the right, can be made longer."""

    assignment: Assignment
    axis: int


def templates(meaning: Meaning, valid: Sequence[Assignment]) -> list[Template]:
    """Valid inputs that differ in ranks, in which sizes are 1, in what is beside the tensors of T; and their axes."""
    found: dict[object, Template] = {}
    for assignment in valid:
        tensors = [(slot, t) for slot, t in slots(meaning, assignment)]
        own = [t for slot, t in tensors if slot[0].type_variable]
        rest = tuple(t for slot, t in tensors if not slot[0].type_variable)
        if not own or len(own) > 3 or any(0 in t.shape for t in own) or max(prod(t.shape) for t in own) > 8:
            continue
        shapes = tuple(tuple(size > 1 for size in t.shape) for t in own)
        for axis in range(max(len(t.shape) for t in own)):
            found.setdefault((shapes, rest, axis), Template(assignment, axis))
    return list(found.values())


def spread(found: list[Template], meaning: Meaning, count: int) -> list[Template]:
    """Some of the templates: of each number of ranks and inputs the first ones in turn."""
    groups: dict[object, list[Template]] = {}
    for template in found:
        tensors = [t for slot, t in slots(meaning, template.assignment) if slot[0].type_variable]
        groups.setdefault(tuple(len(t.shape) for t in tensors), []).append(template)
    chosen: list[Template] = []
    turn = 0
    while len(chosen) < count and any(turn < len(group) for group in groups.values()):
        chosen += [group[turn] for group in groups.values() if turn < len(group)]
        turn += 1
    return chosen[:count]


def trials(meaning: Meaning, valid: Sequence[Assignment], places: bool) -> Iterator[Trial]:
    """All of them, in one order. `places`: the target takes arrays where they lie."""
    sort = meaning.context.element
    chosen = spread(templates(meaning, valid), meaning, TEMPLATES)
    for number, template in enumerate(chosen):
        thorough = number < THOROUGH
        for length in LENGTHS if thorough else FEW:
            for fill in fills(sort, length, thorough):
                yield from _long(meaning, template, length, fill, Presentation())
    if places:
        for template in chosen[:THOROUGH]:
            for length, shown in product(UNALIGNED, _places()):
                for fill in fills(sort, length, False):
                    yield from _long(meaning, template, length, fill, shown)
        yield from _nans(valid, sort)
    yield from _many_members(meaning, chosen, sort)


def _places() -> Iterator[Presentation]:
    yield from (Presentation(offset) for offset in OFFSETS)
    yield from (Presentation(form=form) for form in FORMS)


def _nans(valid: Sequence[Assignment], sort: Sort) -> Iterator[Trial]:
    """The small inputs that have a NaN, with the other ones."""
    if not isinstance(sort, FloatSort):
        return
    nan = floats.nan(sort)
    for assignment in valid:
        values = [v for value in assignment.values() for v in (value if isinstance(value, tuple) else (value,))]
        if any(isinstance(v, ConcreteTensor) and v.sort == sort and nan in v.elements for v in values):
            yield from (Trial(assignment, Presentation(nans=nans)) for nans in PAYLOADS)


def _long(meaning: Meaning, template: Template, length: int, fill: Fill, shown: Presentation) -> Iterator[Trial]:
    """The template with that length on its axis, and with such elements."""
    own = [(slot, t) for slot, t in slots(meaning, template.assignment) if slot[0].type_variable]
    wide = max(t.shape[-1 - template.axis] for _, t in own if len(t.shape) > template.axis)
    made: dict[str, Concrete] = dict(template.assignment)
    total = 0
    for m, (slot, tensor) in enumerate(own):
        shape = list(tensor.shape)
        if len(shape) > template.axis and shape[-1 - template.axis] == wide:
            shape[-1 - template.axis] = length
        total = max(total, prod(shape))
        made = instead(made, slot, _filled(tensor.sort, tuple(shape), template.axis, m, fill))
    if total <= LARGE and (length <= WIDE or total == length):
        yield Trial(made, shown)


def _filled(sort: Sort, shape: tuple[int, ...], axis: int, m: int, fill: Fill) -> ConcreteTensor:
    if len(shape) <= axis:
        return ConcreteTensor(sort, shape, tuple(fill(m, 0) for _ in range(prod(shape))))
    inner, size = prod(shape[len(shape) - axis :]), shape[-1 - axis]
    return ConcreteTensor(sort, shape, tuple(fill(m, n // inner % size) for n in range(prod(shape))))


def _many_members(meaning: Meaning, chosen: Sequence[Template], sort: Sort) -> Iterator[Trial]:
    """Families of many: every pair of special values, the second of them in the first, a middle, the last member."""
    families = [v for v in meaning.variables if v.count is not None and v.role == "input" and v.type_variable]
    for family, template in product(families, chosen[:2]):
        items = template.assignment[family.name]
        if not isinstance(items, tuple) or not items:
            continue
        for count, (one, other) in product(MEMBERS, pairs(sort)):
            for place in sorted({0, 1, count // 2, count - 1}):
                grown = tuple(
                    _constant(items[min(n, len(items) - 1)], other if n == place else one) for n in range(count)
                )
                yield Trial(counted(meaning, {**template.assignment, family.name: grown}))


def _constant(tensor: Concrete, value: object) -> ConcreteTensor:
    assert isinstance(tensor, ConcreteTensor)
    return ConcreteTensor(tensor.sort, tensor.shape, (value,) * len(tensor.elements))


# ------------------------------------------------------------------------------------------------------------- elements


def pairs(sort: Sort) -> list[tuple[object, object]]:
    """Elements all around, and one that stands out: what may be lost among them."""
    if isinstance(sort, FloatSort):
        zero, minus, nan = floats.zero(sort), floats.zero(sort, True), floats.nan(sort)
        one = floats.from_float(sort, 1.0)
        up, down = floats.infinity(sort), floats.infinity(sort, True)
        big = floats.greatest(sort)
        return [
            (zero, minus),
            (minus, zero),
            (one, nan),
            (down, nan),
            (up, nan),
            (nan, one),
            (up, down),
            (big, big),
            (floats.from_float(sort, -1.0), minus),
        ]
    if isinstance(sort, IntegerSort):
        made: list[tuple[object, object]] = [
            (sort.lowest, sort.greatest),
            (sort.greatest, sort.lowest),
            (sort.lowest, sort.lowest),
            (sort.greatest - 1, sort.greatest),
            (0, 1),
            (sort.lowest + 1, sort.lowest),
        ]
        # Neighbours that are one number to a float of another width.
        return made + [(1 << bits, (1 << bits) + 1) for bits in (11, 24, 53) if bits < sort.width - 1]
    if sort == BOOL:
        return [(False, True), (True, False)]
    return [(a, b) for a, b in product(alphabet(sort)[:3], repeat=2)]


def fills(sort: Sort, length: int, thorough: bool) -> Iterator[Fill]:
    """Elements for that many coordinates."""
    lanes = range(length) if thorough and length == WIDE else sorted({0, length - 1})
    for one, other in pairs(sort)[: None if thorough else 5]:
        for lane in lanes:
            yield lambda m, n, one=one, other=other, lane=lane: other if n == lane and m == 0 else one  # type: ignore[misc]
    values = alphabet(sort)
    for turn in range(0, len(values) ** 2, max(1, length)) if length <= WIDE else ():
        yield lambda m, n, turn=turn: values[(n + turn) // len(values) ** m % len(values)]  # type: ignore[misc]
    if isinstance(sort, FloatSort):
        yield from _of_floats(sort)
    elif isinstance(sort, IntegerSort):
        yield lambda m, n: sort.lowest + (sort.greatest - sort.lowest) * ((n * 7 + m * 3) % 10) // 9


def _of_floats(sort: FloatSort) -> Iterator[Fill]:
    """What rounds: tenths, numbers of all sizes, the greatest with both signs."""
    tenth, big = floats.from_float(sort, 0.1), floats.greatest(sort)
    yield lambda m, n: tenth
    yield lambda m, n: floats.from_float(sort, (-1.0) ** n * (1.1 + n + m))
    yield lambda m, n: floats.from_float(sort, 2.0 ** (n % 13 - 6) * (1 - 2 * (n % 3 == 1)))
    yield lambda m, n: floats.from_float(sort, 1.0) if n % 2 else floats.from_float(sort, 2.0 ** (sort.significand + 1))
    yield lambda m, n: big if (n + m) % 2 else floats.negate(sort, big)
    yield lambda m, n: floats.smallest_subnormal(sort) + n

