"""Symbolic shapes at the sizes of ONNX's own node tests: those of the outputs that the tests expect."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

import onnx
import pytest

OPERATORS = {
    "ReduceMax": "sonnx.ReduceMax-20",
    "ReduceMin": "sonnx.ReduceMin-20",
    "ReduceSum": "sonnx.ReduceSum-13",
    "Max": "sonnx.Max-13",
    "Min": "sonnx.Min-13",
}
WRITTEN = {"keepdims": 1, "noop_with_empty_axes": 0}
"""Attributes that the profile wants to be written, with their defaults."""


@cache
def node_tests(operator: str) -> dict[str, Any]:
    """The node tests of an operator, by name."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # Each module adds its tests to those of the package; all of them would take half a minute.
        import_module(f"onnx.backend.test.case.node.{operator.lower()}")
    collected = vars(import_module("onnx.backend.test.case.node"))["_NodeTestCases"]
    # Some tests are there a second time, with the function body of the operator in its place.
    alone = [t for t in collected if [node.op_type for node in t.model.graph.node] == [operator]]
    return {test.name: test for test in alone}


@pytest.mark.parametrize("operator", OPERATORS)
def test_the_shapes_are_those_of_the_node_tests(operator: str, ask: Callable[..., Any]) -> None:
    tests = node_tests(operator)
    assert len(tests) >= 8

    for name, test in tests.items():
        node = test.model.graph.node[0]
        ((inputs, outputs),) = test.data_sets
        shapes, values = [], []
        sizes: dict[str, int] = {}
        for n, (given, array) in enumerate(zip(node.input, inputs, strict=True)):
            if given == "axes":
                values.append(f"axes={array.tolist()}")
                continue
            symbols = [f"{'abcdefgh'[n]}{k}" for k in range(array.ndim)]
            sizes |= {f"size {s}": size for s, size in zip(symbols, array.shape, strict=True)}
            shapes.append(f"{given if given == 'data' else f'X{n}'}={','.join(symbols)}")
        attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
        if "data" in node.input:
            attributes = WRITTEN | attributes
        outcomes = ask((OPERATORS[operator], shapes, values, [f"{k}={v}" for k, v in attributes.items()]))

        assert outcomes.answer.confirmed
        assert outcomes.at(sizes) == [{size} for size in outputs[0].shape], name
