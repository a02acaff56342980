"""Inputs for clauses, branches and shapes: which of the small ones are taken."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain, combinations, zip_longest

from sonnx_verify.conformance.cases.points import Input, Judged, Points
from sonnx_verify.results.concrete import LEFT_OUT, ConcreteTensor, tensors_in

LOOKED_AT = 3000
"""How many small inputs are looked at."""
_NEAR = 250
"""Around how many of them a boundary is looked for."""
_PAIRS = 60
"""How many more inputs are taken for two kinds together."""
_WAYS = 500
"""Of how many valid inputs the ways through the branches are looked at."""
_MEETINGS = 20
"""How many more, for each number of tensors, for how their sizes meet."""
_SHAPES = 60
"""How many more for a way through the branches that no other goes."""


@dataclass(slots=True)
class Chosen:
    """The inputs that are taken, each once."""

    points: Points
    taken: dict[object, Input] = field(default_factory=dict)

    def take(self, assignment: Input) -> None:
        self.taken.setdefault(key_of(assignment), assignment)


def structures(points: Points) -> list[Input]:
    """Small inputs, valid and not: on both sides of each boundary, failing each clause alone, reaching each branch, of
    each kind and each two kinds."""
    pool = sorted(points.choices.inputs(LOOKED_AT), key=size_of)
    judged = [(assignment, points.judge(assignment)) for assignment in pool]
    valid = [assignment for assignment, told in judged if told.valid]
    chosen = Chosen(points)
    _failing(chosen, judged)
    _boundaries(chosen, [(a, j) for a, j in judged if j.valid][:_NEAR])
    _kinds(chosen, valid)
    _meetings(chosen, valid)
    _branches(chosen, valid[:_WAYS])
    return list(chosen.taken.values())


def _failing(chosen: Chosen, judged: list[tuple[Input, Judged]]) -> None:
    """The smallest input for each clause that fails alone, or fails, and each error; and a valid one."""
    met: set[str] = set()
    for assignment, told in judged:
        names = {f"{tag} fails" for tag in told.broken} | {f"{tag} applies" for tag in told.errors}
        names |= {f"{tag} alone" for tag in told.broken if len(told.broken) == 1} | ({"valid"} if told.valid else set())
        names |= {f"{a} and {b} together" for a, b in combinations(told.broken, 2)}
        if names - met:
            met |= names
            chosen.take(assignment)


def _boundaries(chosen: Chosen, valid: list[tuple[Input, Judged]]) -> None:
    """For each clause, and each change that makes it fail, the smallest pair of inputs on its two sides."""
    points, met = chosen.points, set()
    for assignment, told in valid:
        for what, beside in points.around(assignment):
            for name in points.crossed(told, points.judge(beside)):
                # Another rank has another boundary: which axes there are, which sizes meet.
                new = (name, what, max((len(t.shape) for t in tensors_in(assignment)), default=0))
                if new not in met:
                    met.add(new)
                    chosen.take(assignment)
                    chosen.take(beside)


def _kinds(chosen: Chosen, valid: list[Input]) -> None:
    """Each rank, size and value of an attribute, then each two of them together."""
    kinds = [frozenset(chosen.points.kinds(assignment)) for assignment in valid]
    met: set[object] = set()
    for assignment, kind in zip(valid, kinds, strict=True):
        if not kind <= met:
            met |= kind
            chosen.take(assignment)
    pairs: set[frozenset[str]] = set()
    left = _PAIRS
    for assignment, kind in zip(valid, kinds, strict=True):
        mine = {frozenset(pair) for pair in combinations(sorted(kind), 2)}
        new = mine - pairs
        if key_of(assignment) in chosen.taken:
            pairs |= mine
        elif new and left:
            pairs |= mine
            left -= 1
            chosen.take(assignment)


def _meetings(chosen: Chosen, valid: list[Input]) -> None:
    """Each way in which all axes of two tensors meet, counted from the right: sizes are the same, or one of them is 1,
    with elements and without; then each two sizes that meet."""
    points = chosen.points
    shapes = [[tensor.shape[::-1] for _, _, tensor in points.elements(assignment)] for assignment in valid]
    axes = [{(n, m): [*zip_longest(a, b)] for (n, a), (m, b) in combinations(enumerate(x), 2)} for x in shapes]
    ways: list[set[object]] = [{(k, frozenset(map(_relation, p)), 0 in chain(*p)) for k, p in x.items()} for x in axes]
    sizes: list[set[object]] = [{(k, pair) for k, pairs in x.items() for pair in pairs} for x in axes]
    for told in (ways, sizes):
        met: set[object] = set()
        left: dict[int, int] = {}
        for assignment, mine, here in zip(valid, shapes, told, strict=True):
            more = left.setdefault(len(mine), _MEETINGS)
            if here <= met or not more:
                continue
            met |= here
            left[len(mine)] = more - (key_of(assignment) not in chosen.taken)
            chosen.take(assignment)


def _relation(sizes: tuple[int | None, int | None]) -> str:
    """How two sizes that meet are to each other, where none is like 1."""
    a, b = (1 if size is None else size for size in sizes)
    if a == b:
        return "same"
    if a == 1:
        return "left is 1"
    if b == 1:
        return "right is 1"
    return "other"


def _branches(chosen: Chosen, valid: list[Input]) -> None:
    """Each way through the branches, and what is left open."""
    points, left = chosen.points, _SHAPES
    met: set[object] = set()
    ways = [(*points.branches(assignment), *points.left_open(assignment)) for assignment in valid]
    for assignment, way in zip(valid, ways, strict=True):
        if not met.issuperset(way):
            met.update(way)
            chosen.take(assignment)
    for assignment, way in zip(valid, ways, strict=True):
        if way not in met and left:
            met.add(way)
            left -= key_of(assignment) not in chosen.taken
            chosen.take(assignment)


# ------------------------------------------------------------------------------------------------------------ smallness


def key_of(assignment: Input) -> object:
    """What tells two inputs apart."""
    return tuple(assignment.items())


def size_of(assignment: Input) -> tuple[int, ...]:
    """Number of tensors, sum of ranks, sum of sizes, how many things fail or are given beside that."""
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
    """Whether some fact fails of some tensor."""
    return any(t.lacks for t in tensors_in(assignment))
