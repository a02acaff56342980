"""Special values at each place of small valid inputs, and in pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sonnx_verify.cases.points import Input, Points
from sonnx_verify.cases.special import ordinary, special_pairs, special_values
from sonnx_verify.counterexample.inputs import ConcreteTensor, interpretation, numel
from sonnx_verify.logic.sorts import Sort

_BASES = 7
"""In how many inputs each special value stands at each place."""


def filled(points: Points, valid: Sequence[Input]) -> Iterator[Input]:
    """Of the smallest inputs with one, two and three elements: each special value at each place; the pairs where two
    elements may meet in one."""
    sort = _sort(points)
    if sort is None:
        return
    for assignment in _bases(points, valid):
        for place in range(_count(points, assignment)):
            for value in special_values(sort).values():
                elements = [ordinary(sort)] * _count(points, assignment)
                elements[place] = value
                yield with_elements(points, assignment, elements)
    known = special_values(sort)
    for assignment in _meeting(points, valid):
        for pair in special_pairs(sort):
            yield with_elements(points, assignment, [known[name] for name in pair])


def _sort(points: Points) -> Sort | None:
    """The type of the elements that vary."""
    return next(
        (v.sort for v in points.meaning.given if v.kind == "tensor" and v.type_variable),
        next((v.sort for v in points.meaning.given if v.kind == "tensor" and points.is_data(v)), None),
    )


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
