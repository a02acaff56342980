"""ONNX's node tests at every opset whose schema accepts them: the text in force there says the same, or nothing."""

from __future__ import annotations

import importlib.util
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper
from onnx.backend.test.runner import BackendIsNotSupposedToImplementIt

from sonnx_verify import backend
from sonnx_verify.errors import ClauseViolated, LeftUnspecified
from sonnx_verify.language.named import in_force
from sonnx_verify.language.signatures import Option, Schema

pytestmark = pytest.mark.integrations

ROOT = Path(__file__).resolve().parents[2]


def generator() -> ModuleType:
    """tools/node_tests.py, which is no part of the package."""
    spec = importlib.util.spec_from_file_location("node_tests_at_opsets", ROOT / "tools" / "node_tests.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


TABLE = generator()


def onnx_type(array: Any) -> str:
    return str(onnx.TensorProto.DataType.Name(helper.np_dtype_to_tensor_dtype(array.dtype))).lower()


def accepts(schema: Schema, test: Any) -> bool:
    """The schema of a version takes the node, by its attributes, the number of its inputs, and their types."""
    least, most = schema.arity[:2]
    if not least <= len(test.inputs) <= (most or len(test.inputs)):
        return False
    declared = {attribute.name for attribute in schema.attributes}
    required = {attribute.name for attribute in schema.attributes if attribute.required}
    if not required <= test.attributes.keys() <= declared:
        return False
    parameters = list(schema.inputs)
    if parameters and parameters[-1].option is Option.VARIADIC:
        parameters += parameters[-1:] * len(test.inputs)
    pairs = [(p, array) for p, array in zip(parameters, test.inputs, strict=False) if array is not None]
    return all(onnx_type(array) in schema.types.get(p.type, (p.type,)) for p, array in pairs)


def model_of(test: Any, opset: int) -> Any:
    names = ["" if array is None else f"x{n}" for n, array in enumerate(test.inputs)]
    outputs = [f"y{n}" for n in range(len(test.expected))]
    tensors = {k: numpy_helper.from_array(v) for k, v in test.attributes.items() if isinstance(v, np.ndarray)}
    node = helper.make_node(test.operator, names, outputs, **(test.attributes | tensors))

    def info(name: str, array: Any) -> Any:
        return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)

    given = [info(name, array) for name, array in zip(names, test.inputs, strict=True) if name]
    made = [info(name, array) for name, array in zip(outputs, test.expected, strict=True)]
    graph = helper.make_graph([node], "graph", given, made)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)


SILENT = "[R_WHERE] this text describes version 1 only there"
"""Where the row of a version has a condition."""


@cache
def operator(name: str, version: int) -> Any:
    """The operator of a version, which keeps its plans."""
    return TABLE.Operator(TABLE.project(), in_force(TABLE.project(), "onnx", name, version))


REFUSED = {
    "[C1] B has the shape of A, or broadcasts to it if broadcast is 1",
    "[C1] Y has the shape of X, or broadcasts to it if broadcast is 1",
    "[C1] the inputs have one shape",
    "[C1] axis is an axis, or the rank",
    "[C4] either the lengths are given or their number",
    "[mode] ",
}
"""Where a test is of another version: inputs broadcast, an axis counts from the end, outputs say how many there are, an
attribute has another value."""


def test_every_node_test_at_every_opset() -> None:
    """The backend is compatible with each, and what it computes is what ONNX expects; else the text of that version
    leaves it open, or refuses it as that version does."""
    project = TABLE.project()
    said: Counter[tuple[str, str]] = Counter()
    others = []
    for test in TABLE.tests():
        arrays = [a for a in (*test.inputs, *test.expected) if a is not None]
        if not all(isinstance(a, np.ndarray | np.generic) and a.dtype != object for a in arrays):
            # Sequences and strings are outside of the model.
            continue
        for version in project.table().operators()[test.operator]:
            schema = project.table().schema(test.operator, version)
            assert schema is not None
            if not accepts(schema, test):
                continue
            unit = operator(test.operator, version).unit
            assert unit.file is not None
            assert unit.file.version == version
            answer = TABLE.says(operator(test.operator, version), test, test.attributes)
            kind = answer.partition(":")[0] if answer.startswith("left open") else answer
            said["own text" if unit.same_as is None else "row", kind] += 1
            if kind not in {"same", "in the set", "left open", SILENT, *REFUSED}:
                others.append(f"{test.name} at {version}: {answer}")

            model = model_of(test, version)
            assert backend.is_compatible(model)
            inputs = [array for array in test.inputs if array is not None]
            if kind == SILENT:
                with pytest.raises(BackendIsNotSupposedToImplementIt):
                    backend.prepare(model).run(inputs)
            elif kind in REFUSED:
                with pytest.raises(ClauseViolated):
                    backend.prepare(model).run(inputs)
            elif kind in ("same", "in the set"):
                results = backend.prepare(model).run(inputs)
                assert [r.dtype for r in results] == [e.dtype for e in test.expected]
                if kind == "same":
                    for result, expected in zip(results, test.expected, strict=True):
                        np.testing.assert_array_equal(result, expected)

    assert "\n".join(others) == ""
    assert sum(said.values()) > 900
    assert sum(count for (what, _), count in said.items() if what == "row") > 400


def test_no_version_without_a_text() -> None:
    """A version that no text and no row covers is not compatible, and says so."""
    known = TABLE.project().table()
    for name, versions in known.operators().items():
        covered = bool(TABLE.versions("onnx", name))
        for version in versions:
            schema = known.schema(name, version)
            assert schema is not None
            node = helper.make_node(name, ["x"] * max(1, schema.arity[0]), ["y"])
            graph = helper.make_graph([node], "graph", [], [])
            model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", version)])
            assert backend.is_compatible(model) == covered, f"{name}-{version}"


def test_left_open_is_told() -> None:
    """Gather at opset 1 says nothing of negative indices."""
    with pytest.raises(LeftUnspecified):
        operator("Gather", 1).results(np.array([1.0, 2.0], np.float32), np.array([-1]))
