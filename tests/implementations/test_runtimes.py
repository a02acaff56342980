"""Two runtimes, held against what the ledgers say of them."""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path

import pytest
from click.testing import CliRunner
from onnx import TensorProto, helper

from sonnx_verify.cli import main
from sonnx_verify.conformance.records.ledger import LEDGERS, Ledger
from sonnx_verify.conformance.targets.calls import FORMS, Array, Call, Form, Presentation
from sonnx_verify.conformance.targets.models import opset_of
from sonnx_verify.conformance.targets.runners import runtime
from sonnx_verify.conformance.targets.runtimes import onnxruntime
from sonnx_verify.language.project import Project

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("target", "package", "operator", "types"),
    [
        ("onnx.reference", "onnx", "sonnx.ReduceMax-20", "int8"),
        ("onnxruntime", "onnxruntime", "sonnx.ReduceMax-20", "int8,uint32"),
    ],
)
def test_a_runtime_is_as_its_ledger_says(
    target: str, package: str, operator: str, types: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A short run finds what the ledger has and nothing else; of a version without a ledger, that there is none."""
    monkeypatch.chdir(ROOT)
    words = ["conform", operator, "--against", target, "--types", types, "--short", "--frozen", "--format", "json"]
    done = CliRunner().invoke(main, words)
    made = json.loads(done.output)

    assert made["target_version"] == version(package)
    assert made["divergences"]
    if LEDGERS.find([ROOT], operator, target, version(package)) is not None:
        assert (made["changes"], done.exit_code) == ([], 0)
    else:
        assert "there is no ledger" in made["changes"][0]


@pytest.mark.parametrize("ledger", LEDGERS.all([ROOT]), ids=lambda ledger: f"{ledger.target}-{ledger.version}")
def test_a_ledger_names_each_divergence_once(ledger: Ledger) -> None:
    """Identities begin with target and operator, and no ledger has a path of a machine."""
    text = LEDGERS.written(ledger)
    found = [(operator, i) for operator, entry in ledger.operators.items() for i in entry["divergences"]]

    assert all(i.startswith(f"{ledger.target}/{operator}/") for operator, i in found)
    assert len({i for _, i in found}) == len(found)
    assert not any(foul in text for foul in ("/tmp/", "/home/", "/root/"))


NOT = """operator Not version 1 {status}

types bool = bool

input  X : tensor of T
output Y : tensor of T

shape Y    = X.shape
value Y[i] = not X[i]
"""


def test_a_text_of_the_standard_is_onnx_s_operator_in_any_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its status says so. An operator of one's own of that name is another one."""
    monkeypatch.chdir(tmp_path)
    words = ["conform", "user.Not-1", "--against", "onnx.reference", "--short", "--random", "0"]
    (tmp_path / "not.sonnx").write_text(NOT.format(status="standard"), "utf-8")
    done = CliRunner().invoke(main, words)
    assert done.output.startswith("user.Not-1 against onnx.reference")
    assert ": agrees" in done.output.splitlines()[0]

    (tmp_path / "not.sonnx").write_text(NOT.format(status="user"), "utf-8")
    done = CliRunner().invoke(main, [*words, "--update-ledger"])
    assert done.exit_code == 2
    assert "not.sonnx:1:1: error: onnx.reference runs ONNX's operators, and user.Not-1 is your own" in done.stderr
    assert not (tmp_path / "proofs").exists()


@pytest.mark.parametrize(
    ("status", "version", "opset"), [("standard", 6, 12), ("standard", 1, 5), ("standard", 14, 14), ("user", 6, 13)]
)
def test_the_opset_of_a_model_has_that_version(status: str, version: int, opset: int, tmp_path: Path) -> None:
    """Though the folder has no text of the next one: Relu has the versions 1, 6, 13 and 14."""
    text = NOT.replace("Not version 1", f"Relu version {version}").format(status=status)
    (tmp_path / "relu.sonnx").write_text(text, "utf-8")
    project = Project.open(tmp_path)

    assert opset_of(project, project.units[0]) == opset


@pytest.mark.parametrize("form", FORMS)
def test_arrays_with_strides_reach_a_runtime_as_they_are(form: Form) -> None:
    """Elements of types that numpy lacks go to onnxruntime by an address, from which it reads without strides."""
    node = helper.make_node("Identity", ["X"], ["Y"])
    shown = [helper.make_tensor_value_info(name, TensorProto.BFLOAT16, [2, 3]) for name in "XY"]
    graph = helper.make_graph([node], "g", shown[:1], shown[1:])
    model = helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 13)])
    array = Array("bfloat16", (2, 3), bytes(range(0x30, 0x3C)))
    call = Call((("X", array),), (), Presentation(form=form), model.SerializeToString())

    assert runtime(onnxruntime())(call).outputs == (array,)
