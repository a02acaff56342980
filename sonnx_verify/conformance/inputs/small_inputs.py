"""Small inputs: those chosen for clauses, branches and shapes, and special values at each place of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, combinations, islice, product, zip_longest
from typing import Any

from sonnx_verify.conformance.inputs.points import Input, Judged, Points
from sonnx_verify.conformance.inputs.special_values import ordinary, special_pairs, special_values
from sonnx_verify.logic.sorts import Sort
from sonnx_verify.results.concrete import LEFT_OUT, Concrete, ConcreteTensor, numel, tensors_in
from sonnx_verify.solving.inputs.inputs import interpretation

LOOKED_AT = 3000
"""The number of small inputs that are looked at."""
_NEAR = 250
"""The number of them around which a boundary is looked for."""
_PAIRS = 60
"""The number of further inputs for two kinds together."""
_WAYS = 500
"""The number of valid inputs whose ways through the branches are looked at."""
_MEETINGS = 20
"""The number of further inputs, for each number of tensors, for the ways in which their sizes meet."""
_SHAPES = 60
"""The number of further inputs for a way through the branches that no other goes."""


@dataclass(slots=True)
class Chosen:
    """The inputs that are taken, each once."""

    points: Points
    taken: dict[object, Input] = field(default_factory=dict)

    def has(self, assignment: Input) -> bool:
        return key_of(assignment) in self.taken

    def take(self, assignment: Input) -> None:
        self.taken.setdefault(key_of(assignment), assignment)

    def take_new(self, pool: Iterable[tuple[Input, set[Any]]]) -> None:
        """Take each input that has something that none before it has."""
        met: set[Any] = set()
        for assignment, names in pool:
            if not names <= met:
                met |= names
                self.take(assignment)


def structures(points: Points) -> list[Input]:
    """Small inputs, valid and not: on both sides of each boundary, failing each clause alone, reaching each branch, of
    each kind and each two kinds."""
    # Smallest first: of the inputs that show the same thing the first is taken.
    pool = sorted(points.choices.inputs(LOOKED_AT), key=size_of)
    judged = [(assignment, points.judge(assignment)) for assignment in pool]
    sound = [(assignment, told) for assignment, told in judged if told.valid]
    valid = [assignment for assignment, _ in sound]
    chosen = Chosen(points)
    chosen.take_new((assignment, _failing(told)) for assignment, told in judged)
    _boundaries(chosen, sound[:_NEAR])
    _kinds(chosen, valid)
    _meetings(chosen, valid)
    _branches(chosen, valid[:_WAYS])
    return list(chosen.taken.values())


def _failing(told: Judged) -> set[str]:
    """The clauses that fail, alone or two together, and the errors that apply; or that the input is valid."""
    if told.valid:
        return {"valid"}
    names = {f"{tag} fails" for tag in told.broken} | {f"{tag} applies" for tag in told.errors}
    # Where several fail, code may find any of them first; where one fails alone, it has to find that one.
    if len(told.broken) == 1:
        names.add(f"{told.broken[0]} alone")
    return names | {f"{a} and {b} together" for a, b in combinations(told.broken, 2)}


def _boundaries(chosen: Chosen, valid: list[tuple[Input, Judged]]) -> None:
    """For each clause, and each change that makes it fail, the smallest pair of inputs on its two sides."""
    points = chosen.points
    met: set[object] = set()
    for assignment, told in valid:
        # Another rank has another boundary: which axes there are, which sizes meet.
        rank = max((len(t.shape) for t in tensors_in(assignment)), default=0)
        for what, beside in points.around(assignment):
            new = {(name, what, rank) for name in points.crossed(told, points.judge(beside))} - met
            if new:
                met |= new
                chosen.take(assignment)
                chosen.take(beside)


def _kinds(chosen: Chosen, valid: list[Input]) -> None:
    """Each rank, size and value of an attribute, then each two of them together."""
    kinds = [(assignment, set(chosen.points.kinds(assignment))) for assignment in valid]
    chosen.take_new(kinds)
    pairs: set[frozenset[str]] = set()
    left = _PAIRS
    for assignment, kind in kinds:
        mine = {frozenset(pair) for pair in combinations(sorted(kind), 2)}
        # What is taken for another reason costs nothing.
        if chosen.has(assignment):
            pairs |= mine
        elif left and not mine <= pairs:
            pairs |= mine
            left -= 1
            chosen.take(assignment)


Meeting = dict[tuple[int, int], list[tuple[int | None, int | None]]]
"""The sizes on each axis of two tensors, by their numbers, counted from the right; None where one has no axis."""


def _meetings(chosen: Chosen, valid: list[Input]) -> None:
    """Each way in which all axes of two tensors meet, counted from the right: sizes are the same, or one of them is 1,
    with elements and without; then each two sizes that meet."""
    shapes = [[t.shape[::-1] for _, _, t in chosen.points.elements(assignment)] for assignment in valid]
    axes = [_meeting(mine) for mine in shapes]
    for what in (_ways, _sizes):
        met: set[object] = set()
        left: dict[int, int] = {}
        for assignment, mine, meeting in zip(valid, shapes, axes, strict=True):
            here = what(meeting)
            more = left.setdefault(len(mine), _MEETINGS)
            # The number is bounded for each number of tensors: three tensors meet in very many ways.
            if here <= met or not more:
                continue
            met |= here
            left[len(mine)] = more - (not chosen.has(assignment))
            chosen.take(assignment)


def _meeting(shapes: list[tuple[int, ...]]) -> Meeting:
    pairs = combinations(enumerate(shapes), 2)
    return {(n, m): list(zip_longest(one, other)) for (n, one), (m, other) in pairs}


def _ways(meeting: Meeting) -> set[object]:
    """The relations of two tensors over all their axes, and whether one of them is empty."""
    return {(k, frozenset(map(_relation, p)), 0 in chain(*p)) for k, p in meeting.items()}


def _sizes(meeting: Meeting) -> set[object]:
    """The sizes that meet, with the numbers of the two tensors."""
    found: set[object] = set()
    for key, pairs in meeting.items():
        found |= {(key, pair) for pair in pairs}
    return found


def _relation(sizes: tuple[int | None, int | None]) -> str:
    """The relation of two sizes that meet; an axis that is not there is like one of size 1, as broadcasting has it."""
    one, other = (1 if size is None else size for size in sizes)
    if one == other:
        return "same"
    if one == 1:
        return "left is 1"
    if other == 1:
        return "right is 1"
    return "other"


def _branches(chosen: Chosen, valid: list[Input]) -> None:
    """Each way through the branches, and what is left open."""
    points, left = chosen.points, _SHAPES
    ways = [(assignment, (*points.branches(assignment), *points.left_open(assignment))) for assignment in valid]
    chosen.take_new((assignment, set(way)) for assignment, way in ways)
    met: set[tuple[str, ...]] = set()
    for assignment, way in ways:
        # All of the way, not each branch by itself: two branches may be right alone and wrong together.
        if way not in met and left:
            met.add(way)
            left -= not chosen.has(assignment)
            chosen.take(assignment)


# ------------------------------------------------------------------------------------------------------------ smallness


def key_of(assignment: Input) -> object:
    """The same for two inputs that are the same."""
    return tuple(assignment.items())


def size_of(assignment: Input) -> tuple[int, ...]:
    """Numbers of tensors, axes and coordinates, of facts that fail, of other values that are given."""
    tensors = list(tensors_in(assignment))
    plain = [v for v in assignment.values() if not isinstance(v, ConcreteTensor)]
    return (
        len(tensors),
        sum(len(t.shape) for t in tensors),
        sum(sum(t.shape) for t in tensors),
        sum(len(t.lacks) for t in tensors),
        sum(v is not LEFT_OUT for v in plain),
    )


def lacking(assignment: Input) -> bool:
    """Return whether some fact fails of some tensor."""
    return any(t.lacks for t in tensors_in(assignment))


# --------------------------------------------------------------------------------------- special values in their places


_BASES = 7
"""The number of inputs in which each special value stands at each place."""


def filled(points: Points, valid: Sequence[Input]) -> Iterator[Input]:
    """The smallest inputs with one, two and three elements: each special value at each place; the pairs where two
    elements may meet in one."""
    for assignment in _bases(points, valid):
        sorts = _sorts(points, assignment)
        plain = [ordinary(sort) for sort in sorts]
        for place, sort in enumerate(sorts):
            for value in special_values(sort).values():
                yield with_elements(points, assignment, [*plain[:place], value, *plain[place + 1 :]])
    for assignment in _meeting_inputs(points, valid):
        for pair in _pairs(*_sorts(points, assignment)):
            yield with_elements(points, assignment, pair)


def _sorts(points: Points, assignment: Input) -> list[Sort]:
    """The type of each element, in the order of the tensors: not all tensors hold elements of T."""
    sorts: list[Sort] = []
    for _, _, tensor in points.elements(assignment):
        sorts += [tensor.sort] * len(tensor.elements)
    return sorts


def _pairs(first: Sort, second: Sort) -> Iterator[tuple[object, object]]:
    """The pairs of one type that are tried; of two types, each value that is tried of the one with each of the
    other."""
    one, other = special_values(first), special_values(second)
    pairs: Iterable[tuple[str, str]] = special_pairs(first)
    if first != second:
        pairs = product(_alone(first), _alone(second))
    return ((one[a], other[b]) for a, b in pairs)


def _alone(sort: Sort) -> list[str]:
    """The names of the values that pairs are made of."""
    return list(dict.fromkeys(name for name, _ in special_pairs(sort)))


def count_of(points: Points, assignment: Input) -> int:
    """The number of elements of the tensors that values are made of."""
    return sum(len(t.elements) for _, _, t in points.elements(assignment))


def results(points: Points, assignment: Input) -> int:
    """The number of elements of the outputs."""
    facts = interpretation(points.meaning.given, assignment)
    sizes = points.result_sizes(assignment, facts)
    # An output without a shape has no elements that could be wrong.
    return sum(numel(s) for s in sizes if s is not None)


def _bases(points: Points, valid: Sequence[Input]) -> list[Input]:
    """The smallest valid input for each number of elements and of results, up to three."""
    found: dict[tuple[int, int, int], Input] = {}
    for assignment in valid:
        count, made = count_of(points, assignment), results(points, assignment)
        # Three elements have a first, a middle and a last place.
        if 1 <= count <= 3 and made:
            key = (count, min(made, 3), len(points.elements(assignment)))
            found.setdefault(key, assignment)
    return list(found.values())[:_BASES]


def _meeting_inputs(points: Points, valid: Sequence[Input]) -> list[Input]:
    """The smallest valid inputs with two elements of which one result may come, one for each number of tensors."""
    found: dict[int, Input] = {}
    for assignment in valid:
        if count_of(points, assignment) == 2 and results(points, assignment) == 1:
            found.setdefault(len(points.elements(assignment)), assignment)
    return list(found.values())


def with_elements(points: Points, assignment: Input, elements: Sequence[object]) -> Input:
    """The input with these elements, in the order of its tensors."""
    made, rest = dict(assignment), iter(elements)

    def of(tensor: Concrete) -> Concrete:
        if not isinstance(tensor, ConcreteTensor):
            return tensor
        return replace(tensor, elements=tuple(islice(rest, len(tensor.elements))))

    # In the order of `points.elements`, from which the elements were counted.
    for variable in points.data:
        value = assignment[variable.name]
        if isinstance(value, tuple):
            made[variable.name] = tuple(map(of, value))
        else:
            made[variable.name] = of(value)
    return made
