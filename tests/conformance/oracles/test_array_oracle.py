"""The numpy evaluator demands of large inputs what the reference evaluator demands."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sonnx_verify.arrays.evaluator.loops import NoProgram
from sonnx_verify.arrays.evaluator.results import Result
from sonnx_verify.conformance.inputs.contexts import every_context
from sonnx_verify.conformance.inputs.points import Points
from sonnx_verify.conformance.inputs.random_inputs import random_inputs
from sonnx_verify.conformance.oracles.array_oracle import ArrayOracle
from sonnx_verify.conformance.oracles.comparison import place_in
from sonnx_verify.conformance.oracles.expectation import Demand, Expected, Oracle
from sonnx_verify.language.named import find_operator, here
from sonnx_verify.logic import floats
from sonnx_verify.logic.sorts import FloatSort
from sonnx_verify.results.concrete import ConcreteTensor
from sonnx_verify.solving.inputs.replay import assignment_of


@pytest.mark.parametrize(
    ("name", "count"), [("sonnx.ReduceMax-20", 120), ("onnx.Max-13", 120), ("sonnx.ReduceSum-13", 70)]
)
def test_large_results_are_those_of_the_reference_evaluator(name: str, count: int) -> None:
    """The same elements, those of a set too: its representative, and which others are in it."""
    project = here()
    unit = find_operator(project, name)
    context = next(c for c in every_context(unit) if c.element.name == "float16")
    meaning = project.meaning(unit, context)
    reference, large = Oracle(project, unit, meaning), ArrayOracle(project, unit, meaning)
    sparse = ConcreteTensor(context.element, (100,), (0,) * 100, frozenset({"dense"}))
    assert not large.takes({"X": sparse})
    assert large.takes({"X": replace(sparse, lacks=frozenset())})

    asked = 0
    for assignment in random_inputs(Points(project, unit, context), 5, count):
        if large.takes(assignment):
            expected = reference.expected(assignment)
            made = large.expected(assignment)
            if expected.kind is Demand.RESULT:
                assert made is not None
                assert (made.outputs, made.unspecified) == (expected.outputs, expected.unspecified)
                assert _members(made) == _members(expected)
                asked += 1
            else:
                assert made is None
    assert asked > 5


def test_a_set_without_a_program_is_left_to_the_reference_evaluator(monkeypatch: pytest.MonkeyPatch) -> None:
    project = here()
    unit = find_operator(project, "sonnx.ReduceSum-13")
    context = next(c for c in every_context(unit) if c.element.name == "float16")
    meaning = project.meaning(unit, context)
    large = ArrayOracle(project, unit, meaning)
    data = ConcreteTensor(context.element, (100,), (0,) * 100)
    given_ = assignment_of(meaning, {"data": data, "keepdims": 0, "noop_with_empty_axes": 0})
    assert large.expected(given_) is not None

    def planned(*_: object) -> None:
        raise NoProgram("a term of the set")

    monkeypatch.setattr(Result, "_planned", planned)
    assert large.expected(given_) is None


def _members(expected: Expected) -> dict[str, list[list[bool]]]:
    """Which of the elements that are close to those of a result are in its set, and which of special values."""
    found: dict[str, list[list[bool]]] = {}
    for name, member in expected.members.items():
        tensor = expected.outputs[name]
        sort, elements = tensor.sort, tensor.elements[:4]
        assert isinstance(sort, FloatSort)
        places = [place_in(tensor.shape, n) for n in range(len(elements))]
        rows = [[int(str(e)) ^ bit for e in elements] for bit in (0, 1, 2, 4, 8, 32)]
        rows += [[bits] * len(places) for bits in (0, 0x8000, 0x7C00, 0x7E00)]
        found[name] = [member.each(places, [floats.canonical(sort, e) for e in row]) for row in rows]
        if places:
            assert member(places[0], floats.canonical(sort, rows[1][0])) == found[name][1][0]
    return found
