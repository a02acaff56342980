"""Special values at each place of small valid inputs, and in pairs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product

from sonnx_verify.conformance.cases.points import Input, Points
from sonnx_verify.conformance.cases.special import ordinary, special_pairs, special_values
from sonnx_verify.logic.sorts import Sort
from sonnx_verify.results.concrete import ConcreteTensor, numel
from sonnx_verify.solving.inputs.inputs import interpretation

_BASES = 7
"""In how many inputs each special value stands at each place."""


def filled(points: Points, valid: Sequence[Input]) -> Iterator[Input]:
    """Of the smallest inputs with one, two and three elements: each special value at each place; the pairs where two
    elements may meet in one."""
    for assignment in _bases(points, valid):
        sorts = _sorts(points, assignment)
        for place, sort in enumerate(sorts):
            for value in special_values(sort).values():
                elements = [ordinary(s) for s in sorts]
                elements[place] = value
                yield with_elements(points, assignment, elements)
    for assignment in _meeting(points, valid):
        for pair in _pairs(*_sorts(points, assignment)):
            yield with_elements(points, assignment, pair)


def _sorts(points: Points, assignment: Input) -> list[Sort]:
    """The type of each element, in the order of the tensors: not all tensors hold elements of T."""
    return [t.sort for _, _, t in points.elements(assignment) for _ in t.elements]


def _pairs(first: Sort, second: Sort) -> Iterator[tuple[object, object]]:
    """Those that are tried of one type; of two, each that is tried of the one with each of the other."""
    one, other = special_values(first), special_values(second)
    pairs: Iterable[tuple[str, str]] = special_pairs(first)
    if first != second:
        pairs = product(_alone(first), _alone(second))
    return ((one[a], other[b]) for a, b in pairs)


def _alone(sort: Sort) -> list[str]:
    """The names of the values that pairs are made of."""
    return list(dict.fromkeys(name for name, _ in special_pairs(sort)))


def _count(points: Points, assignment: Input) -> int:
    return sum(len(t.elements) for _, _, t in points.elements(assignment))


def results(points: Points, assignment: Input) -> int:
    """How many elements the outputs have."""
    facts = interpretation(points.meaning.given, assignment)
    sizes = [points.sizes(v.name, facts) for v in points.meaning.outputs]
    return sum(numel(s) for s in sizes if s is not None)


def _bases(points: Points, valid: Sequence[Input]) -> list[Input]:
    """The smallest valid input for each number of elements and of results, up to three."""
    found: dict[tuple[int, int, int], Input] = {}
    for assignment in valid:
        count, made = _count(points, assignment), results(points, assignment)
        if 1 <= count <= 3 and made:
            key = (count, min(made, 3), len(points.elements(assignment)))
            found.setdefault(key, assignment)
    return list(found.values())[:_BASES]


def _meeting(points: Points, valid: Sequence[Input]) -> list[Input]:
    """The smallest valid inputs with two elements of which one result may come, one for each number of tensors."""
    found: dict[int, Input] = {}
    for assignment in valid:
        if _count(points, assignment) == 2 and results(points, assignment) == 1:
            found.setdefault(len(points.elements(assignment)), assignment)
    return list(found.values())


def with_elements(points: Points, assignment: Input, elements: Sequence[object]) -> Input:
    """The input with these elements, in the order of its tensors."""
    made, rest = dict(assignment), list(elements)

    def of(tensor: ConcreteTensor) -> ConcreteTensor:
        mine = tuple(rest[: len(tensor.elements)])
        del rest[: len(tensor.elements)]
        return replace(tensor, elements=mine)

    for variable in points.meaning.given:
        value = assignment[variable.name]
        if variable.kind == "tensor" and points.is_data(variable):
            if isinstance(value, tuple):
                made[variable.name] = tuple(of(item) for item in value if isinstance(item, ConcreteTensor))
            elif isinstance(value, ConcreteTensor):
                made[variable.name] = of(value)
    return made
