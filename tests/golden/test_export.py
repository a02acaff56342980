"""Exported counterexamples are the arrays of the counterexample, bit for bit."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import pytest
from click.testing import CliRunner
from onnx import numpy_helper

from sonnx_verify.cli import main

ROOT = Path(__file__).parents[2]
INT = "drafts.Max-13.int/C1/exclusive"
FLOAT = "drafts.Max-13.float/C1/exclusive"
WITNESS = "sonnx.Max-13.float/E1/satisfiable"
RESULT = "sonnx.Max-13.float/spec/satisfiable"
DTYPES: dict[str, Any] = {
    "bfloat16": ml_dtypes.bfloat16,
    "float": np.float32,
    "double": np.float64,
}


def contents(folder: Path) -> dict[Path, bytes]:
    """All below a folder, with the bytes of files."""
    found: dict[Path, bytes] = {}
    for path in folder.rglob("*"):
        found[path] = b""
        if path.is_file():
            found[path] = path.read_bytes()
    return found


def ask(*arguments: str) -> str:
    """The output of a command."""
    done = CliRunner().invoke(main, list(arguments))
    assert done.exit_code == 0, (done.output, done.exc_info)
    return done.stdout


@cache
def tensors(identity: str) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """The inputs and outputs of the counterexample, or witness, in JSON, as arrays."""
    made = json.loads(ask("explain", "--counterexample", identity, "--format", "json"))
    shown = made["counterexample"] or made["witness"]
    return tuple({n: array(v) for n, v in shown[part].items()} for part in ("inputs", "outputs"))  # type: ignore[return-value]  # the two parts, in this order


def array(value: dict[str, Any]) -> np.ndarray:
    """A value of the JSON as an array, by its bits where it has some."""
    dtype = np.dtype(DTYPES.get(value["dtype"], value["dtype"]))
    if "bits" not in value:
        return np.array(value["data"], dtype=dtype).reshape(value["shape"])
    flat = [int(b, 16) for b in np.array(value["bits"], dtype=object).reshape(-1).tolist()]
    result: np.ndarray = np.array(flat, dtype=f"u{dtype.itemsize}").view(dtype).reshape(value["shape"])
    return result


def same(a: np.ndarray, b: np.ndarray) -> bool:
    """Type, shape and every bit."""
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


@pytest.mark.parametrize("identity", [INT, FLOAT])
def test_numpy(identity: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The numpy snippet runs by itself, prints, and makes the arrays of the JSON."""
    monkeypatch.chdir(ROOT)
    snippet = ask("explain", "--counterexample", identity, "--export", "numpy")
    inputs, outputs = tensors(identity)
    names = {**inputs, **outputs}
    ran = subprocess.run([sys.executable, "-c", snippet], capture_output=True, text=True, timeout=60, check=False)

    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.strip()
    scope: dict[str, Any] = {}
    exec(compile(snippet, "snippet", "exec"), scope)
    assert all(same(scope[name], wanted) for name, wanted in names.items())


@pytest.mark.parametrize("identity", [FLOAT, WITNESS])
def test_onnx(identity: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The exported model loads and is valid; its data sets hold the inputs of the JSON; the paths are printed."""
    monkeypatch.chdir(ROOT)
    folder = tmp_path / "new" / "test_max"
    printed = ask("explain", "--counterexample", identity, "--export", "onnx", "--out", str(folder)).split()
    inputs, _ = tensors(identity)
    model = onnx.load(str(folder / "model.onnx"))
    # ONNX infers no shape for inputs that are an error.
    valid = any("output_" in p.name for p in folder.rglob("*"))
    onnx.checker.check_model(model, full_check=valid)
    graph = model.graph

    assert sorted(printed) == sorted(str(p) for p in folder.rglob("*") if p.is_file())
    assert [i.name for i in graph.input] == list(inputs)
    assert [n.op_type for n in graph.node] == ["Max"]
    assert list(graph.node[0].input) == list(inputs)
    for n, (name, wanted) in enumerate(inputs.items()):
        tensor = onnx.load_tensor(str(folder / f"test_data_set_0/input_{n}.pb"))
        assert tensor.name == name
        assert same(numpy_helper.to_array(tensor), wanted)
        kind = graph.input[n].type.tensor_type
        assert kind.elem_type == onnx.helper.np_dtype_to_tensor_dtype(wanted.dtype)
        assert [d.dim_value for d in kind.shape.dim] == list(wanted.shape)


@pytest.mark.parametrize("change", [
    lambda f: (f / "model.onnx").write_bytes(b"mine"),
    lambda f: (f / "test_data_set_0" / "input_0.pb").write_bytes(b"mine"),
    lambda f: (f / "test_data_set_0" / "input_7.pb").write_bytes(b"mine"),
    lambda f: (f / "test_data_set_0" / "notes").mkdir(),
    lambda f: (f / "test_data_set_1").mkdir(),
    lambda f: (f / "index.json").write_bytes(b"{}"),
    lambda f: (f / "index.json").unlink(),
])  # fmt: skip  # a table
def test_onnx_keeps_what_is_a_user_s(
    change: Callable[[Path], object], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A folder with anything else in it than an earlier export is refused and left as it was."""
    monkeypatch.chdir(ROOT)
    folder = tmp_path / "test_max"
    ask("explain", "--counterexample", INT, "--export", "onnx", "--out", str(folder))
    change(folder)
    before = contents(tmp_path)
    done = CliRunner().invoke(main, ["explain", "--counterexample", WITNESS, "--export", "onnx", "--out", str(folder)])

    assert (done.exit_code, "name a folder that is new or empty" in done.stderr) == (2, True)
    assert contents(tmp_path) == before


def test_onnx_replaces_an_earlier_test(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As a whole: nothing of it is left in the new one."""
    monkeypatch.chdir(ROOT)
    ask("explain", "--counterexample", RESULT, "--export", "onnx", "--out", str(tmp_path / "one"))
    ask("explain", "--counterexample", WITNESS, "--export", "onnx", "--out", str(tmp_path / "two"))
    ask("explain", "--counterexample", WITNESS, "--export", "onnx", "--out", str(tmp_path / "one"))
    made = [{p.relative_to(f): p.read_bytes() for p in f.rglob("*") if p.is_file()} for f in sorted(tmp_path.iterdir())]

    assert len(made) == 2
    assert made[0] == made[1]


def test_onnx_result(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The result of the specification is exported as the expected output: that of the operator's maximum."""
    monkeypatch.chdir(ROOT)
    ask("explain", "--counterexample", RESULT, "--export", "onnx", "--out", str(tmp_path))
    inputs, _ = tensors(RESULT)
    made = numpy_helper.to_array(onnx.load_tensor(str(tmp_path / "test_data_set_0/output_0.pb")))
    first, *others = inputs.values()
    for other in others:
        first = np.maximum(first, other)

    assert same(made, first)


@pytest.mark.parametrize(("version", "opset"), [(6, 7), (8, 11), (12, 12), (13, 13)])
def test_exported_opset_has_the_version(version: int, opset: int, tmp_path: Path) -> None:
    """The model's set of operators is one in which ONNX means the version that the witness is about."""
    identity = f"onnx.Max-{version}.float/spec/satisfiable"
    ask("explain", "--counterexample", identity, "--export", "onnx", "--out", str(tmp_path))
    model = onnx.load(tmp_path / "model.onnx")
    meant = onnx.defs.get_schema("Max", model.opset_import[0].version).since_version

    assert (opset, version) == (model.opset_import[0].version, meant)
