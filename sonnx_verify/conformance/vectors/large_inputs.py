"""Valid inputs made large: small ones of which each axis gets a prime length of its own, or all grow by one factor."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from math import prod

from sonnx_verify.conformance.inputs.points import Input, Points
from sonnx_verify.conformance.inputs.trial import family_items, instead, own_slots, simplest, slots
from sonnx_verify.conformance.targets.models import attributes_of, given_inputs
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.logic.sorts import BOOL, IntegerSort, Sort
from sonnx_verify.results.concrete import ConcreteTensor, numel

MOST, MOST_OF_SETS = 1 << 16, 1 << 12
"""The elements of the largest input about; fewer where each element of an output has a set, whose exact value takes a
fraction for each element that is folded."""
PRIMES = {1: (65521, 4093), 2: (257, 67), 3: (43, 17), 4: (17, 11)}
"""The greatest length of an axis, by the number of axes that grow: for outputs of one value, and of sets."""
TEMPLATES = 6
"""The number of inputs that are made large, for each type."""
_SHAPES = ((2,), (2, 2), (2, 1, 2))
"""The shapes that all tensors of T are tried with: of one and two axes, and with an axis of size 1 inside."""


def large_inputs(points: Points) -> list[Input]:
    """Large valid inputs, each with something that those before it have not."""
    valid = [*filter(points.is_sound, points.choices.inputs(400))]
    found = _templates(points.meaning, valid, points.is_sound)
    pool = [assignment for assignment in found if _can_be_large(points, assignment)]
    chosen: list[Input] = []
    met: set[object] = set()
    for assignment in sorted(pool, key=lambda a: -len(_traits(points, a))):
        traits = _traits(points, assignment)
        if len(chosen) == TEMPLATES or traits <= met:
            continue
        large = _enlarged(points, assignment)
        if large is not None:
            met |= traits
            chosen.append(large)
    return chosen


def _can_be_large(points: Points, assignment: Input) -> bool:
    """Return whether an input has an axis to grow, and nothing that a file of numbers and texts cannot say."""
    data = {name for _, name, _ in points.elements(assignment)}
    given = given_inputs(points.meaning, assignment)
    plain = all(name in data or isinstance(t.sort, IntegerSort) or t.sort == BOOL for name, t in given)
    attributes = not any(isinstance(value, ConcreteTensor) for _, value in attributes_of(points.meaning, assignment))
    slots = own_slots(points.meaning, assignment)
    return plain and attributes and any(size > 1 for _, tensor in slots for size in tensor.shape)


def _traits(points: Points, assignment: Input) -> set[object]:
    """The things that make an input another one than a larger one of the same kind: its shapes, and what is given."""
    shapes = tuple(tensor.shape for _, _, tensor in points.elements(assignment))
    return {("shapes", shapes), *points.kinds(assignment)}


def _enlarged(points: Points, assignment: Input) -> Input | None:
    """A large input of the same kind; None where neither way is valid."""
    shapes = [tensor.shape for _, _, tensor in points.elements(assignment)]
    rank = max(map(len, shapes))
    of_sets = int(bool(points.meaning.members))
    most = (MOST, MOST_OF_SETS)[of_sets]
    # All sizes above 1 meet in the largest of them: an axis that is 1 everywhere stays so.
    largest = max(shapes, key=lambda shape: sum(size > 1 for size in shape))
    growing = [size for size in largest if size > 1]
    primes = _primes_from(PRIMES.get(len(growing), PRIMES[4])[of_sets], rank)
    factor = max(1, int((most / prod(growing)) ** (1 / max(1, len(growing)))))

    def by_axis(shape: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(primes[len(shape) - axis - 1] if size > 1 else size for axis, size in enumerate(shape))

    def by_factor(shape: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(size * factor if size > 1 else size for size in shape)

    for grown in (by_axis, by_factor):
        made = dict(assignment)
        for variable in points.data:
            value = assignment[variable.name]
            if isinstance(value, ConcreteTensor):
                made[variable.name] = _blank(value.sort, grown(value.shape))
            elif family := family_items(value):
                made[variable.name] = tuple(_blank(item.sort, grown(item.shape)) for item in family)
        if points.is_sound(made):
            return made
    return None


def _blank(sort: Sort, shape: tuple[int, ...]) -> ConcreteTensor:
    return ConcreteTensor(sort, shape, (False if sort == BOOL else 0,) * numel(shape))


def _primes_from(greatest: int, count: int) -> list[int]:
    """The primes from one of them downward."""
    found: list[int] = []
    n = greatest
    while len(found) < count and n > 1:
        if all(n % d for d in range(2, int(n**0.5) + 1)):
            found.append(n)
        n -= 1
    # Of a rank that nobody has: the least one again.
    return found + found[-1:] * (count - len(found))


def _templates(meaning: Meaning, valid: Sequence[Input], is_valid: Callable[[Input], bool]) -> list[Input]:
    """Valid inputs with an axis that differ in ranks, in which sizes are 1, in what is beside the tensors of T."""
    found: dict[object, Input] = {}
    for assignment in _candidates(meaning, valid):
        own = [t for _, t in own_slots(meaning, assignment)]
        rest = tuple(t for slot, t in slots(meaning, assignment) if not slot[0].type_variable)
        # An axis of size 0 cannot be made longer together with the others: nothing says what stands there.
        if not 1 <= len(own) <= 3 or any(0 in t.shape for t in own) or not any(t.shape for t in own):
            continue
        key = (tuple(tuple(size > 1 for size in t.shape) for t in own), rest)
        # The clauses are asked last, and once for each kind: that is what takes time.
        if key not in found and is_valid(assignment):
            found[key] = assignment
    return list(found.values())


def _candidates(meaning: Meaning, valid: Sequence[Input]) -> Iterator[Input]:
    """The inputs with all tensors of T of one shape, whatever else is given, then as they are: some are not valid."""
    for shape, assignment in product(_SHAPES, valid):
        made = dict(assignment)
        for slot, tensor in own_slots(meaning, assignment):
            made = instead(made, slot, simplest(tensor.sort, shape))
        yield made
    yield from valid
