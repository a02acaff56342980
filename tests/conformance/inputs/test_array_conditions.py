"""Conditions on arrays have the truth that the reference evaluator gives them."""

from __future__ import annotations

import random

import pytest

from sonnx_verify.conformance.inputs import array_conditions
from sonnx_verify.conformance.inputs.array_conditions import ArrayConditions
from sonnx_verify.conformance.inputs.contexts import every_context
from sonnx_verify.conformance.inputs.points import Input, Points
from sonnx_verify.language.named import find_operator, here
from sonnx_verify.results.concrete import ConcreteTensor

FEW = [("sonnx.Div-14", "int32"), ("onnx.Div-14", "int64"), ("sonnx.Pow-15", "int32"), ("onnx.Div-6", "uint64")]


def points_of(name: str, element: str) -> Points:
    """The points of an operator for a type of T, and for the first of each other type variable."""
    project = here()
    unit = find_operator(project, name)
    return Points(project, unit, next(c for c in every_context(unit) if c.element.name == element))


def large(points: Points, draws: random.Random, values: tuple[int, ...]) -> Input:
    """An input of 2 by 151 elements, drawn from some values."""
    made = dict(next(iter(points.choices.inputs(1))))
    for variable in points.data:
        elements = tuple(draws.choice(values) for _ in range(302))
        made[variable.name] = ConcreteTensor(variable.sort, (2, 151), elements)
    return made


@pytest.mark.parametrize(("name", "element"), FEW)
def test_they_are_those_of_the_reference_evaluator(name: str, element: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Valid inputs, ones that a clause rejects, and ones whose outcome is left open, of more elements than it is asked
    about."""
    points, draws = points_of(name, element), random.Random(7)
    conditions = ArrayConditions(points.meaning, [statement.known for statement in points.statements])
    every = [large(points, draws, values) for values in ((1, 2, 3), (0, 1), (1, 2, 3, 0)) for _ in range(3)]

    on_arrays = [(points.judge(one), points.decided(one)) for one in every]
    assert all(conditions.takes(one) and conditions.truths(one) is not None for one in every)
    monkeypatch.setattr(array_conditions, "FEW", 10**6)
    assert not any(map(conditions.takes, every))
    reference = points_of(name, element)
    assert on_arrays == [(reference.judge(one), reference.decided(one)) for one in every]
    assert len(set(on_arrays)) > 1 or name == "sonnx.Pow-15"
