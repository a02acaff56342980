"""Inputs for what real code does and a specification does not see: several lengths, since vector instructions take some
elements at once and leave a rest; each special value at each place; other places and forms in memory; other NaNs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from sonnx_verify.conformance.calls import FORMS, PAYLOADS, Presentation
from sonnx_verify.conformance.trial import (
    Trial,
    beyond_floats,
    counted,
    family_items,
    instead,
    own_slots,
    simplest,
    slots,
)
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.variables import VariableRole
from sonnx_verify.logic import floats
from sonnx_verify.logic.sorts import BOOL, FloatSort, IntegerSort, Sort
from sonnx_verify.results.concrete import Assignment, Concrete, ConcreteTensor, tensors_in
from sonnx_verify.solving.inputs.values import alphabet, infinities

WIDE = 33
"""One more than the 32 bytes of a 256-bit register: every length up to here is tried."""
LENGTHS = (*range(1, WIDE + 1), 64, 100, 1025)
LONGEST_OPEN = 64
FEW_LENGTHS = {0: (3, 8, 9, 17, 33), 1: (3, 8, 9, 17, 33), 2: (3, 9, 17)}
"""By rank, the lengths of a template that is not tried thoroughly; FEWEST for all other ranks."""
FEWEST = (3, 9)
SHAPES = ((2,), (2, 2), (2, 1, 2))
OFFSETS = (1, 2, 4, 8)
PLACES = (*(Presentation(offset) for offset in OFFSETS), *(Presentation(form=form) for form in FORMS))
UNALIGNED = (1, 3, 7, 8, 9, 17, 33)
MEMBERS = (3, 4, 5, 8, 9, 16, 17, 33)
TEMPLATES = 30
"""The number of inputs that are made longer. Those of rank 1, of one input, of two, of three, are run at every length,
and at other places in memory."""
LARGE = 2200
"""The most elements of an input whose result has several."""

Fill = Callable[[int, int], object]
"""The element of a tensor, by its number, at a coordinate."""


@dataclass(frozen=True, slots=True)
class Template:
    """A valid input, one of whose axes, counted from the right, can be made longer."""

    assignment: Assignment
    axis: int


def candidates(meaning: Meaning, valid: Sequence[Assignment]) -> Iterator[Assignment]:
    """The inputs with all tensors of T of one shape, whatever else is given, then as they are: some are not valid."""
    # In a line first: those are the templates that are tried at every length.
    for shape, assignment in product(SHAPES, valid):
        made: dict[str, Concrete] = dict(assignment)
        for slot, tensor in own_slots(meaning, assignment):
            made = instead(made, slot, simplest(tensor.sort, shape))
        yield made
    yield from valid


def templates(meaning: Meaning, valid: Sequence[Assignment], is_valid: Callable[[Assignment], bool]) -> list[Template]:
    """Valid inputs that differ in ranks, in which sizes are 1, in what is beside the tensors of T; each first with one
    of its axes, then with the next."""
    found: dict[object, tuple[Assignment, int]] = {}
    for assignment in candidates(meaning, valid):
        own = [t for _, t in own_slots(meaning, assignment)]
        rest = tuple(t for slot, t in slots(meaning, assignment) if not slot[0].type_variable)
        # An axis of size 0 cannot be made longer together with the others: nothing says what stands there.
        if not 1 <= len(own) <= 3 or any(0 in t.shape for t in own):
            continue
        key = (tuple(tuple(size > 1 for size in t.shape) for t in own), rest)
        # The clauses are asked last, and once for each kind: that is what takes time.
        if key not in found and is_valid(assignment):
            found[key] = assignment, max(len(t.shape) for t in own)
    made = []
    for turn in range(max((axes for _, axes in found.values()), default=0)):
        made += [Template(assignment, turn) for assignment, axes in found.values() if turn < axes]
    return made


def in_line(meaning: Meaning, template: Template) -> int:
    """The number of tensors of T of a template, where all are of rank 1 and alike; else 0."""
    own = own_slots(meaning, template.assignment)
    if any(tensor.shape != SHAPES[0] for _, tensor in own):
        return 0
    return len(own)


def trials(
    meaning: Meaning, valid: Sequence[Assignment], is_valid: Callable[[Assignment], bool], *, places: bool
) -> Iterator[Trial]:
    """All of them, in one order. `places`: the target takes arrays where they lie."""
    sort = meaning.context.element
    chosen = templates(meaning, valid, is_valid)[:TEMPLATES]
    lines: dict[int, Template] = {}
    for template in chosen:
        if count := in_line(meaning, template):
            lines.setdefault(count, template)
    for template in chosen:
        thorough = template in lines.values()
        for length in _lengths(meaning, template, thorough=thorough):
            for fill in fills(sort, length, thorough=thorough):
                yield from _long(meaning, template, length, fill, Presentation())
    if places:
        for template in lines.values():
            for length, shown in product(UNALIGNED, PLACES):
                for fill in fills(sort, length, thorough=False):
                    yield from _long(meaning, template, length, fill, shown)
        yield from _nans(valid, sort)
    yield from _many_members(meaning, list(lines.values())[:2], sort)


def _lengths(meaning: Meaning, template: Template, *, thorough: bool) -> Sequence[int]:
    """The lengths that are tried: of a template that is not tried thoroughly the fewer the more axes it has."""
    if not thorough:
        rank = max(len(tensor.shape) for _, tensor in slots(meaning, template.assignment))
        return FEW_LENGTHS.get(rank, FEWEST)
    # Whether an element is left open is asked of each of them, and may take as long as the input is squared.
    if any(meaning.unspecified_values.values()):
        return [n for n in LENGTHS if n <= LONGEST_OPEN]
    return LENGTHS


def _nans(valid: Sequence[Assignment], sort: Sort) -> Iterator[Trial]:
    """The small inputs that have a NaN, with the other ones."""
    if not isinstance(sort, FloatSort):
        return
    nan = floats.nan(sort)
    for assignment in valid:
        if any(tensor.sort == sort and nan in tensor.elements for tensor in tensors_in(assignment)):
            yield from (Trial(assignment, Presentation(nans=nans)) for nans in PAYLOADS)


def _long(meaning: Meaning, template: Template, length: int, fill: Fill, shown: Presentation) -> Iterator[Trial]:
    """The template with that length on its axis, and with such elements; nothing where that is too large."""
    own = own_slots(meaning, template.assignment)
    # Tensors with a smaller size there are broadcast along the axis: they stay as they are.
    wide = max(t.shape[-1 - template.axis] for _, t in own if len(t.shape) > template.axis)
    made: dict[str, Concrete] = dict(template.assignment)
    total = 0
    for m, (slot, tensor) in enumerate(own):
        shape = list(tensor.shape)
        if len(shape) > template.axis and shape[-1 - template.axis] == wide:
            shape[-1 - template.axis] = length
        total = max(total, prod(shape))
        made = instead(made, slot, _filled(tensor.sort, tuple(shape), template.axis, m, fill))
    # The longest lengths are tried in a line only: on other axes they say the same and take much longer.
    if total <= LARGE and (length <= WIDE or total == length):
        yield Trial(made, shown)


def _filled(sort: Sort, shape: tuple[int, ...], axis: int, m: int, fill: Fill) -> ConcreteTensor:
    """A tensor whose elements follow from their coordinate on the axis; one without that axis has the first."""
    inner, size = prod(shape), 1
    if len(shape) > axis:
        inner, size = prod(shape[len(shape) - axis :]), shape[-1 - axis]
    return ConcreteTensor(sort, shape, tuple(fill(m, n // inner % size) for n in range(prod(shape))))


def _many_members(meaning: Meaning, chosen: Sequence[Template], sort: Sort) -> Iterator[Trial]:
    """Families of many: every pair of special values, the second of them in the first, a middle, the last member."""
    families = [
        v for v in meaning.variables if v.count is not None and v.role is VariableRole.INPUT and v.type_variable
    ]
    for family, template in product(families, chosen):
        items = family_items(template.assignment[family.name])
        if not items:
            continue
        for count, (one, other) in product(MEMBERS, pairs(sort)):
            plain = [_constant(items[min(n, len(items) - 1)], one) for n in range(count)]
            for place in sorted({0, 1, count // 2, count - 1}):
                grown = (*plain[:place], _constant(plain[place], other), *plain[place + 1 :])
                yield Trial(counted(meaning, {**template.assignment, family.name: grown}))


def _constant(tensor: ConcreteTensor, value: object) -> ConcreteTensor:
    return ConcreteTensor(tensor.sort, tensor.shape, (value,) * len(tensor.elements))


# ------------------------------------------------------------------------------------------------------------- elements


def pairs(sort: Sort) -> list[tuple[object, object]]:
    """Elements all around, and one that stands out: what may be lost among them."""
    match sort:
        case FloatSort():
            return _pairs_of_floats(sort)
        case IntegerSort():
            ends: list[tuple[object, object]] = [
                (sort.lowest, sort.greatest),
                (sort.greatest, sort.lowest),
                (sort.lowest, sort.lowest),
                (sort.greatest - 1, sort.greatest),
                (0, 1),
                (sort.lowest + 1, sort.lowest),
            ]
            # Neighbours that are one number to a float of another width.
            return ends + [(n - 1, n) for n in beyond_floats(sort)]
        case _ if sort == BOOL:
            return [(False, True), (True, False)]
        case _:
            plain = alphabet(sort)[:3]
            return list(product(plain, plain))


def _pairs_of_floats(sort: FloatSort) -> list[tuple[object, object]]:
    zero, minus, nan = floats.zero(sort), floats.negate(sort, floats.zero(sort)), floats.nan(sort)
    one, big = floats.from_float(sort, 1.0), floats.greatest(sort)
    up, down = infinities(sort) or (big, floats.negate(sort, big))
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


def fills(sort: Sort, length: int, *, thorough: bool) -> Iterator[Fill]:
    """Elements for that many coordinates."""
    chosen, lanes = pairs(sort)[:5], sorted({0, length - 1})
    if thorough:
        chosen = pairs(sort)
        # One length is enough to have the odd element in each lane of a register, and in the rest behind it.
        if length == WIDE:
            lanes = list(range(length))
    for (one, other), lane in product(chosen, lanes):
        yield _one_odd(one, other, lane)
    if length <= WIDE:
        values = alphabet(sort)
        for turn in range(0, len(values) ** 2, max(1, length)):
            yield _in_turn(values, turn)
    if isinstance(sort, FloatSort):
        kinds = list(_of_floats(sort))
        if not thorough:
            kinds = kinds[1:3]
        yield from kinds
    elif isinstance(sort, IntegerSort):
        yield lambda m, n: sort.lowest + (sort.greatest - sort.lowest) * ((n * 7 + m * 3) % 10) // 9


def _one_odd(one: object, other: object, lane: int) -> Fill:
    """One value everywhere but in a lane of the first tensor."""

    def fill(m: int, n: int) -> object:
        if (m, n) == (0, lane):
            return other
        return one

    return fill


def _in_turn(values: Sequence[object], turn: int) -> Fill:
    """All values one after the other, the second tensor at another pace: in all turns each meets each."""
    return lambda m, n: values[(n + turn) // len(values) ** m % len(values)]


def _of_floats(sort: FloatSort) -> Iterator[Fill]:
    """Floats whose sums are rounded: tenths, numbers of all sizes, the greatest with both signs."""
    tenth, big = floats.from_float(sort, 0.1), floats.greatest(sort)
    # 1 is lost when it is added to a number of one more digit than the type has: the order of a sum shows.
    unit, absorbing = floats.from_float(sort, 1.0), floats.from_float(sort, 2.0 ** (sort.significand + 1))
    yield lambda m, n: tenth
    yield lambda m, n: floats.from_float(sort, (-1.0) ** n * (1.1 + n + m))
    yield lambda m, n: floats.from_float(sort, 2.0 ** (n % 13 - 6) * (1 - 2 * (n % 3 == 1)))
    yield lambda m, n: (absorbing, unit)[n % 2]
    yield lambda m, n: (floats.negate(sort, big), big)[(n + m) % 2]
    yield lambda m, n: floats.smallest_subnormal(sort) + n % floats.greatest(sort)
