"""Specifications as a backend of ONNX: its own node tests pass, and models of several nodes are run."""

from __future__ import annotations

import importlib
import io
import re
import sys
import unittest
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx.backend.test.case.node as node_cases
import onnx.backend.test.runner as stock
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.backend.test import BackendTest
from onnx.backend.test.runner import BackendIsNotSupposedToImplementIt

import sonnx_verify
from sonnx_verify import backend
from sonnx_verify.errors import ClauseViolated, UsageError

OPERATORS = ("max", "min", "reducemax", "reducemin", "reducesum")
"""ONNX's modules of tests whose operators have a standard here. All its modules take seven seconds to be imported."""


_OF_THESE = re.compile(r"test_(max|min|reduce_max|reduce_min|reduce_sum)_(?!square)")


def outcomes(tests: unittest.TestSuite) -> Counter[str]:
    """How many of ONNX's tests passed, failed, and are for another device, or not compatible."""
    result = unittest.TextTestRunner(stream=io.StringIO()).run(tests)
    counts = Counter(failed=len(result.failures) + len(result.errors))
    for _, why in result.skipped:
        counts["other device" if "device" in why else "not compatible"] += 1
    counts["passed"] = result.testsRun - sum(counts.values())
    return counts


def suite_of(target: Any, monkeypatch: pytest.MonkeyPatch) -> tuple[unittest.TestSuite, list[str]]:
    """ONNX's runner of the node tests of these operators; and, filled when it runs, why tests were left out."""
    with np.errstate(all="ignore"):
        for name in OPERATORS:
            importlib.import_module(f"onnx.backend.test.case.node.{name}")
    # Another test of this process may have imported all modules.
    cases = [case for case in vars(node_cases)["_NodeTestCases"] if _OF_THESE.match(case.name)]
    monkeypatch.setattr(stock, "load_model_tests", lambda kind: cases if kind == "node" else [])
    left: list[str] = []

    class Told:
        """The backend, with a note of what it does not implement: the runner counts that as passed."""

        supports_device = target.supports_device
        is_compatible = target.is_compatible

        @staticmethod
        def prepare(model: Any, device: str, **kwargs: Any) -> Any:
            try:
                prepared = target.prepare(model, device, **kwargs)
            except BackendIsNotSupposedToImplementIt as problem:
                left.append(str(problem))
                raise
            return _Noted(prepared, left)

    return BackendTest(Told, __name__).test_suite, left  # type: ignore[arg-type]  # it asks for these three alone


class _Noted:
    def __init__(self, prepared: Any, left: list[str]) -> None:
        self.prepared, self.left = prepared, left

    def run(self, inputs: Any) -> Any:
        try:
            return self.prepared.run(inputs)
        except BackendIsNotSupposedToImplementIt as problem:
            self.left.append(str(problem))
            raise


def test_onnx_s_node_tests_on_the_standards(monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them pass, and none is left out."""
    suite, left = suite_of(backend, monkeypatch)
    counts = outcomes(suite)

    assert left == []
    assert counts == {"failed": 0, "passed": 61, "other device": 61}


def test_onnx_s_node_tests_on_the_profile(monkeypatch: pytest.MonkeyPatch) -> None:
    """None fails. Those of reductions that leave an attribute out are outside of the profile, and so are versions that
    it does not refine."""
    suite, left = suite_of(backend.ProfileBackend, monkeypatch)
    counts = outcomes(suite)
    reasons = Counter("explicit" if "attributes are explicit" in why else why for why in left)

    assert counts == {"failed": 0, "passed": 61, "other device": 61}
    assert reasons == {
        "explicit": 15,
        "there is no specification sonnx.ReduceMax-18": 8,
        "there is no specification sonnx.ReduceMin-18": 8,
    }


def test_the_page_shows_how(monkeypatch: pytest.MonkeyPatch) -> None:
    """The file of docs/backend.md has a case for each test of these operators; they pass."""
    suite_of(backend, monkeypatch)
    page = (Path(__file__).resolve().parents[2] / "docs" / "backend.md").read_text("utf-8")
    (code,) = re.findall(r"^```python test_onnx_backend\.py\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    made: dict[str, Any] = {"__name__": "test_onnx_backend"}
    exec(code, made)
    cases = made["OnnxBackendNodeModelTest"]
    names = unittest.defaultTestLoader.getTestCaseNames(cases)
    result = unittest.TextTestRunner(stream=io.StringIO()).run(unittest.TestSuite(map(cases, names)))

    assert result.wasSuccessful()
    assert result.testsRun - len(result.skipped) == 61


@pytest.mark.soak
def test_every_suite_of_onnx(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Node tests, models, converted ones: whatever has a specification for each of its nodes passes."""
    # The runner makes folders there.
    monkeypatch.setenv("ONNX_HOME", str(tmp_path))
    counts = outcomes(BackendTest(backend, __name__).test_suite)  # type: ignore[arg-type]  # as above

    assert counts["failed"] == 0
    assert counts["passed"] > 1800


def model_of(nodes: list[Any], inputs: list[Any], outputs: list[Any], **more: Any) -> Any:
    constants = more.pop("initializer", [])
    graph = helper.make_graph(nodes, "graph", inputs, outputs, constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=8, **more)


def floats(name: str, shape: list[Any]) -> Any:
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


@pytest.fixture
def several() -> Any:
    """The greatest of the sums of rows of two tensors, with the sums: three nodes, a constant and an optional input."""
    nodes = [
        helper.make_node("Max", ["A", "B"], ["M"]),
        helper.make_node("ReduceSum", ["M", "last"], ["S"], keepdims=0),
        helper.make_node("ReduceMax", ["S", ""], ["Y"], keepdims=0),
    ]
    axes = numpy_helper.from_array(np.array([-1]), "last")
    given = [floats("A", [2, 3]), floats("B", [3])]
    return model_of(nodes, given, [floats("Y", []), floats("S", [2])], initializer=[axes])


def test_nodes_are_run_in_their_order(several: Any) -> None:
    """By position, by name, and with the constant replaced: the results of numpy."""
    a, b = np.arange(6, dtype=np.float32).reshape(2, 3), np.array([1, 1, 4], np.float32)
    prepared = backend.prepare(several)

    for given in ([a, b], (a, b), {"B": b, "A": a}):
        made: Any = prepared.run(given)
        assert [array.dtype for array in made] == [np.float32, np.float32]
        assert made[0] == 12
        assert made[1].tolist() == [6, 12]
    assert made.Y == made["Y"] == 12
    assert backend.run_model(several, [a, b])[0] == 12
    assert backend.is_compatible(several)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([np.zeros((2, 3), np.float32)], "the model has 2 inputs, and 1 are given"),
        ({"A": np.zeros((2, 3), np.float32)}, "the input `B` is not given"),
        ({"A": 0, "B": 0, "C": 0}, "the model has no input `C`"),
        ([np.zeros((2, 3)), np.zeros(3)], "A: the model takes float32, and float64 is given"),
    ],
)
def test_other_inputs_are_mistakes(several: Any, given: Any, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        backend.prepare(several).run(given)


def test_a_result_of_another_type_than_declared(several: Any) -> None:
    """A model that declares it is no model of its nodes."""
    several.graph.output[0].type.tensor_type.elem_type = TensorProto.INT64
    with pytest.raises(UsageError, match="Y: the model declares int64, and the result is float32"):
        backend.prepare(several).run([np.zeros((2, 3), np.float32), np.zeros(3, np.float32)])


@pytest.mark.parametrize("place", ["input", "output"])
def test_an_undefined_element_type(place: str, several: Any) -> None:
    getattr(several.graph, place)[0].type.tensor_type.elem_type = TensorProto.UNDEFINED
    with pytest.raises(BackendIsNotSupposedToImplementIt, match="has no element type"):
        backend.prepare(several)


def test_what_no_text_speaks_of() -> None:
    """An operator, a version, a domain, a function of the model, a device, a type: the runner's own exception."""
    a, y = floats("A", [2]), floats("Y", [2])
    unknown = model_of([helper.make_node("Softsign", ["A"], ["Y"])], [a], [y])
    old = model_of([helper.make_node("Max", ["A"], ["Y"])], [a], [y])
    old.opset_import[0].version = 5
    foreign = model_of([helper.make_node("Max", ["A"], ["Y"], domain="else")], [a], [y])
    foreign.opset_import.append(helper.make_opsetid("else", 1))
    identity = [helper.make_node("Identity", ["X"], ["Z"])]
    function = helper.make_function("user", "Own", ["X"], ["Z"], identity, [helper.make_opsetid("", 20)])
    own = model_of([helper.make_node("Own", ["A"], ["Y"], domain="user")], [a], [y], functions=[function])
    own.opset_import.append(helper.make_opsetid("user", 1))
    known = model_of([helper.make_node("Max", ["A"], ["Y"])], [a], [y])

    newest = onnx.defs.onnx_opset_version()
    later = model_of([helper.make_node("Max", ["A"], ["Y"])], [a], [y])
    later.opset_import[0].version = newest + 1

    rows = [
        (later, "CPU", f"unknown opset {newest + 1}"),
        (unknown, "CPU", "there is no specification onnx.Softsign-1"),
        (foreign, "CPU", "no text is of the domain `else`"),
        (own, "CPU", "Own is a function of the model"),
        (known, "CUDA", "on the CPU, not on CUDA"),
    ]
    assert backend.is_compatible(old)
    for model, device, said in rows:
        assert not backend.is_compatible(model, device)
        with pytest.raises(BackendIsNotSupposedToImplementIt, match=said):
            backend.prepare(model, device)
    strings = helper.make_tensor_value_info("A", TensorProto.STRING, [1])
    texts = helper.make_tensor_value_info("Y", TensorProto.STRING, [1])
    model = model_of([helper.make_node("Max", ["A"], ["Y"])], [strings], [texts])
    with pytest.raises(BackendIsNotSupposedToImplementIt, match="no text has elements of object"):
        backend.prepare(model).run([np.array(["a"], object)])
    with pytest.raises(onnx.checker.ValidationError):
        backend.prepare(model_of([helper.make_node("Max", ["B"], ["Y"])], [a], [y]))


def test_a_single_node() -> None:
    """With what is left out, and of an older set."""
    data, axes = np.array([[1, 2], [3, 5]], np.int32), np.array([1])
    node = helper.make_node("ReduceSum", ["data", "axes"], ["reduced"], keepdims=0)
    assert backend.run_node(node, [data, axes])[0].tolist() == [3, 8]
    assert backend.run_node(node, [data, axes], opset_version=13)[0].tolist() == [3, 8]
    left = helper.make_node("ReduceSum", ["data", ""], ["reduced"])
    assert backend.run_node(left, [data])[0].tolist() == [[11]]
    # Not its two rows.
    assert backend.run_node(left, data)[0].tolist() == [[11]]
    with pytest.raises(UsageError, match="the node has 2 inputs, and 1 are given"):
        backend.run_node(node, [data])
    with pytest.raises(ClauseViolated, match="C1"):
        backend.run_node(node, [data, np.array([2])])
    with pytest.raises(BackendIsNotSupposedToImplementIt):
        backend.run_node(node, [data, axes], "CUDA:0")
    # Of the profile: `keepdims` alone is not all that has to be explicit.
    with pytest.raises(BackendIsNotSupposedToImplementIt, match="R3"):
        backend.ProfileBackend.run_node(node, [data, axes])


OWN = """operator Twice version {} user

types int = int8

input  A : tensor of T
output Y : tensor of T

shape Y    = A.shape
value Y[i] = {} * A[i]
"""


def test_an_operator_of_one_s_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the domain `user`, by the version of that domain, of the project of the current folder."""
    (tmp_path / "twice.sonnx").write_text(OWN.format(1, 2), "utf-8")
    (tmp_path / "more.sonnx").write_text(OWN.format(3, 3), "utf-8")
    node = helper.make_node("Twice", ["A"], ["Y"], domain="user")
    a = np.array([1, 2], np.int8)
    with pytest.raises(BackendIsNotSupposedToImplementIt, match=r"no specification user\.Twice"):
        backend.run_node(node, [a], opset_version=1)
    monkeypatch.chdir(tmp_path)

    assert [backend.run_node(node, [a], opset_version=n)[0].tolist() for n in (1, 2, 3, 9)] == [[2, 4]] * 2 + [
        [3, 6]
    ] * 2


def test_without_onnx(monkeypatch: pytest.MonkeyPatch) -> None:
    """The package is imported with the module alone, which says what to install."""
    assert not hasattr(sonnx_verify, "onnx")
    monkeypatch.delitem(sys.modules, "sonnx_verify.backend")
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(UsageError, match="the package onnx is not installed"):
        importlib.import_module("sonnx_verify.backend")
