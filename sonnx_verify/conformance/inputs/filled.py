"""Special values at each place of small valid inputs, and in pairs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, product

from sonnx_verify.conformance.inputs.points import Input, Points
from sonnx_verify.conformance.inputs.special_values import ordinary, special_pairs, special_values
from sonnx_verify.logic.sorts import Sort
from sonnx_verify.results.concrete import Concrete, ConcreteTensor, numel
from sonnx_verify.solving.inputs.inputs import interpretation

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
    for assignment in _meeting(points, valid):
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


def _meeting(points: Points, valid: Sequence[Input]) -> list[Input]:
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
