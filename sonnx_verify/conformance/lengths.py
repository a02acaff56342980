"""Inputs for what real code does and a specification does not see: several lengths, since vector instructions take some
elements at once and leave a rest; each special value at each place; other places and forms in memory; other NaNs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from sonnx_verify.conformance.calls import FORMS, PAYLOADS, Presentation
from sonnx_verify.conformance.trial import Trial, beyond_floats, counted, instead, slots
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.logic import floats
from sonnx_verify.logic.sorts import BOOL, FloatSort, IntegerSort, Sort
from sonnx_verify.results.concrete import Assignment, Concrete, ConcreteTensor, tensors_in
from sonnx_verify.solving.inputs.values import alphabet

WIDE = 33
LENGTHS = (*range(1, WIDE + 1), 64, 100, 1025)
LONGEST_OPEN = 64
FEW = (3, 8, 9, 17, 33)
FEWER = (3, 9, 17)
FEWEST = (3, 9)
SHAPES = ((2,), (2, 2), (2, 1, 2))
OFFSETS = (1, 2, 4, 8)
UNALIGNED = (1, 3, 7, 8, 9, 17, 33)
MEMBERS = (3, 4, 5, 8, 9, 16, 17, 33)
TEMPLATES = 30
"""How many inputs are made longer. Those of rank 1, of one input, of two, of three, are run at every length, and at
other places in memory."""
LARGE = 2200
"""How many elements an input has at most, where the result has several."""

Fill = Callable[[int, int], object]
"""The element of a tensor, by its number, at a coordinate."""


@dataclass(frozen=True, slots=True)
class Template:
    """A valid input, one of whose axes, counted from the right, can be made longer."""

    assignment: Assignment
    axis: int


def candidates(meaning: Meaning, valid: Sequence[Assignment]) -> Iterator[Assignment]:
    """The inputs with all tensors of T of one shape, whatever else is given, then as they are: some are not valid."""
    for shape in SHAPES:
        for assignment in valid:
            made: dict[str, Concrete] = dict(assignment)
            for slot, tensor in slots(meaning, assignment):
                if slot[0].type_variable:
                    plain = (alphabet(tensor.sort)[0],) * prod(shape)
                    made = instead(made, slot, ConcreteTensor(tensor.sort, shape, plain))
            yield made
    yield from valid


def templates(meaning: Meaning, valid: Sequence[Assignment], is_valid: Callable[[Assignment], bool]) -> list[Template]:
    """Valid inputs that differ in ranks, in which sizes are 1, in what is beside the tensors of T; each first with one
    of its axes, then with the next."""
    found: dict[object, tuple[Assignment, int]] = {}
    for assignment in candidates(meaning, valid):
        tensors = list(slots(meaning, assignment))
        own = [t for slot, t in tensors if slot[0].type_variable]
        rest = tuple(t for slot, t in tensors if not slot[0].type_variable)
        if not own or len(own) > 3 or any(0 in t.shape for t in own):
            continue
        key = (tuple(tuple(size > 1 for size in t.shape) for t in own), rest)
        if key not in found and is_valid(assignment):
            found[key] = assignment, max(len(t.shape) for t in own)
    turns = range(max((axes for _, axes in found.values()), default=0))
    return [Template(a, turn) for turn in turns for a, axes in found.values() if turn < axes]


def in_line(meaning: Meaning, template: Template) -> int:
    """How many tensors of T a template has, where all are of rank 1 and alike; else 0."""
    own = [t for slot, t in slots(meaning, template.assignment) if slot[0].type_variable]
    return len(own) if {t.shape for t in own} == {SHAPES[0]} else 0


def trials(
    meaning: Meaning, valid: Sequence[Assignment], is_valid: Callable[[Assignment], bool], places: bool
) -> Iterator[Trial]:
    """All of them, in one order. `places`: the target takes arrays where they lie."""
    sort = meaning.context.element
    chosen = templates(meaning, valid, is_valid)[:TEMPLATES]
    lines: dict[int, Template] = {}
    for template in chosen:
        if count := in_line(meaning, template):
            lines.setdefault(count, template)
    # Whether an element is left open is asked of each of them, and may take as long as the input is squared.
    lengths = [n for n in LENGTHS if n <= LONGEST_OPEN] if any(meaning.unspecified_values.values()) else LENGTHS
    for template in chosen:
        thorough = template in lines.values()
        chosen_lengths = lengths if thorough else _few_lengths(meaning, template)
        for length in chosen_lengths:
            for fill in fills(sort, length, thorough):
                yield from _long(meaning, template, length, fill, Presentation())
    if places:
        for template in lines.values():
            for length, shown in product(UNALIGNED, _places()):
                for fill in fills(sort, length, False):
                    yield from _long(meaning, template, length, fill, shown)
        yield from _nans(valid, sort)
    yield from _many_members(meaning, list(lines.values())[:2], sort)


def _few_lengths(meaning: Meaning, template: Template) -> Sequence[int]:
    """Lengths for a template that is not tried thoroughly: the more axes it has, the fewer."""
    rank = max(len(tensor.shape) for _, tensor in slots(meaning, template.assignment))
    if rank < 2:
        return FEW
    return FEWER if rank == 2 else FEWEST


def _places() -> Iterator[Presentation]:
    yield from (Presentation(offset) for offset in OFFSETS)
    yield from (Presentation(form=form) for form in FORMS)


def _nans(valid: Sequence[Assignment], sort: Sort) -> Iterator[Trial]:
    """The small inputs that have a NaN, with the other ones."""
    if not isinstance(sort, FloatSort):
        return
    nan = floats.nan(sort)
    for assignment in valid:
        if any(tensor.sort == sort and nan in tensor.elements for tensor in tensors_in(assignment)):
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
        return made + [(n - 1, n) for n in beyond_floats(sort)]
    if sort == BOOL:
        return [(False, True), (True, False)]
    return [(a, b) for a, b in product(alphabet(sort)[:3], repeat=2)]


def fills(sort: Sort, length: int, thorough: bool) -> Iterator[Fill]:
    """Elements for that many coordinates."""
    lanes = range(length) if thorough and length == WIDE else sorted({0, length - 1})
    for one, other in pairs(sort)[: None if thorough else 5]:
        for lane in lanes:
            yield lambda m, n, one=one, other=other, lane=lane: other if n == lane and m == 0 else one  # type: ignore[misc]  # defaults bind the names of the loop
    values = alphabet(sort)
    for turn in range(0, len(values) ** 2, max(1, length)) if length <= WIDE else ():
        yield lambda m, n, turn=turn: values[(n + turn) // len(values) ** m % len(values)]  # type: ignore[misc]  # as above
    if isinstance(sort, FloatSort):
        yield from _of_floats(sort) if thorough else list(_of_floats(sort))[1:3]
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
