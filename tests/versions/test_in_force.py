"""A version without a text of its own: what it lacks is refused, what it says is said to be another text's."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from click.testing import CliRunner

import sonnx_verify as sv
from sonnx_verify.cli import main
from sonnx_verify.errors import UsageError
from sonnx_verify.language.in_force import WHERE, Row, restricted
from sonnx_verify.language.named import find_operator
from sonnx_verify.language.project import Project
from sonnx_verify.logic.verdict import GOOD
from sonnx_verify.obligations.transcription import differences

ROOT = Path(__file__).parents[2]
NOTE = "onnx.Equal-13 uses the text of version 19 (differs in types: without string)"
EQUAL = ["--input", "A=float:[1, 2]", "--input", "B=float:[2]"]


@pytest.fixture(autouse=True)
def _in_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def said(*arguments: str) -> tuple[int, str, str]:
    """The exit status of a command, what it printed, and its errors."""
    done = CliRunner().invoke(main, list(arguments))
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exc_info
    return done.exit_code, done.stdout, done.stderr


@pytest.mark.parametrize(
    "name", [["onnx.Equal-13"], ["onnx.Equal", "--opset", "18"], ["onnx.Equal-13", "--opset", "13"]]
)
def test_the_answer_says_what_differs(name: list[str]) -> None:
    """In a line before the answer, and in a field of JSON."""
    status, printed, _ = said("eval", *name, *EQUAL)
    assert (status, printed) == (0, f"{NOTE}\nC = bool (2) [false, true]\n")
    _, printed, _ = said("eval", *name, *EQUAL, "--format", "json")
    assert json.loads(printed)["in_force"] == [NOTE]
    assert json.loads(printed)["operator"] == "onnx.Equal-13"


def test_a_version_with_a_text_needs_no_note() -> None:
    """Nothing is said of a version whose own text answers."""
    _, printed, _ = said("eval", "onnx.Equal", "--opset", "19", *EQUAL)
    assert printed == "C = bool (2) [false, true]\n"


@pytest.mark.parametrize(
    ("operator", "element"),
    [
        ("onnx.Equal-11", "bfloat16"),
        ("onnx.Equal-7", "float"),
        ("onnx.Relu-13", "int8"),
        ("sonnx.Equal-11", "bfloat16"),
    ],
)
def test_types_that_a_version_lacks(operator: str, element: str) -> None:
    """They are refused with the types that it has, while the text that applies takes them."""
    newest, _, version = operator.partition("-")
    names = ("A", "B") if "Equal" in operator else ("X",)
    given = [part for name in names for part in ("--input", f"{name}={element}:[1, 2]")]

    status, _, error = said("eval", operator, *given)
    assert status == 2
    assert f"{operator} does not support {element}\n  to fix: use one of " in error
    assert said("eval", newest, *given)[0] == 0
    assert version


def test_a_condition() -> None:
    """What the row says nothing of is refused by its restriction, before any other clause."""
    given = ["--input", "input=float:[1, 2]", "--attr", "split=[1, 1]"]
    status, printed, _ = said("eval", "onnx.Split-1", *given)
    assert status == 1
    assert f"[{WHERE}] fails: this text describes version 1 only there" in printed
    assert "speaks only of inputs where given(axis)" in printed
    status, printed, _ = said("eval", "onnx.Split-1", *given, "--attr", "axis=0")
    assert status == 0
    assert "outputs0 = float (1) 1" in printed or "outputs0 = float (1) [1]" in printed


@pytest.mark.parametrize(
    ("arguments", "error", "cure"),
    [
        (["onnx.Equal-14"], "unknown operator onnx.Equal-14", "opset 14 uses version 13: onnx.Equal-13"),
        (["onnx.Equal--3"], "unknown operator onnx.Equal--3", "Equal is in opsets 1 to 28"),
        (["onnx.Equal-0"], "unknown operator onnx.Equal-0", "Equal is in opsets 1 to 28"),
        (["onnx.Equal-29"], "unknown operator onnx.Equal-29", "Equal is in opsets 1 to 28"),
        (["onnx.Gelu-5"], "unknown operator onnx.Gelu-5", "Gelu is in opsets 20 to 28"),
        (["onnx.Equal", "--opset", "0"], "unknown opset 0", "ONNX's opsets are 1 to 28"),
        (["onnx.Equal", "--opset", "-1"], "unknown opset -1", "ONNX's opsets are 1 to 28"),
        (["onnx.Equal", "--opset", "29"], "unknown opset 29", "ONNX's opsets are 1 to 28"),
        (["onnx.Gelu", "--opset", "19"], "onnx.Gelu is not in opset 19", "give one from 20 to 28"),
        (["onnx.Equal-13", "--opset", "19"], "opset 19 uses version 19 of onnx.Equal, not 13", "leave out one"),
        (["com.microsoft.Gelu"], "unknown domain com.microsoft", "opsets 1 to 28: write onnx.Gelu"),
        (["ai.onnx.ml.Scaler-1"], "unknown domain ai.onnx.ml", "opsets 1 to 28: write onnx.Scaler-1"),
        (["Equal-13"], "unknown operator Equal-13", "did you mean onnx.Equal-13 or sonnx.Equal-13?"),
        (["sonnx.Max-12"], "unknown operator sonnx.Max-12", "there are: sonnx.Max-13"),
    ],
    ids=lambda one: one if isinstance(one, str) else " ".join(one),
)
def test_what_there_is_not(arguments: list[str], error: str, cure: str) -> None:
    """An error names the range of opsets, and what to write."""
    status, printed, errors = said("eval", *arguments)
    assert (status, printed) == (2, "")
    assert f"error: {error}\n  to fix: " in errors
    assert cure in errors


def test_every_command_takes_the_name(tmp_path: Path) -> None:
    """The answer of each begins with the note, or has it where it is data."""
    note = "onnx.Not-1"
    assert said("explain", "onnx.Equal-13")[1].startswith(f"{NOTE}\nonnx.Equal-13 (standard)")
    assert said("explain", "onnx.Equal", "--opset", "14")[1] == said("explain", "onnx.Equal-13")[1]
    assert said("explain", "onnx.Equal-13/C1")[1].startswith(f"{NOTE}\nonnx.Equal-13/C1, constraint")
    assert said("explain", "onnx.Equal-13.bool/C/determined")[1].startswith(f"{NOTE}\nproved ")
    assert said("explain", "--gaps", "onnx.Equal-13")[1].startswith(f"{NOTE}\nonnx.Equal-13: ")
    status, printed, _ = said("diff", "onnx.Equal-13", "onnx.Equal-19")
    assert (status, printed.splitlines()[:2]) == (0, [NOTE, "onnx.Equal-13 and onnx.Equal-19"])
    assert ": proved" in printed
    assert "only: A" not in printed
    status, printed, _ = said("vectors", "onnx.Equal-13", "--types", "bool", "--out", str(tmp_path / "made"))
    assert (status, printed.splitlines()[0]) == (0, NOTE)
    made = json.loads(said("export", "onnx.Equal-13")[1])
    assert made["operators"][0]["in_force"] == NOTE
    schema = json.loads((ROOT / "sonnx_verify" / "outputs" / "export.schema.json").read_text("utf-8"))
    jsonschema.validate(made, schema)
    status, printed, _ = said("prove", "Equal(A, B) = Equal(B, A)", "--opset", "13")
    assert (status, printed.splitlines()[0]) == (0, NOTE.replace("onnx", "sonnx"))
    assert said("explain", note)[1].startswith("onnx.Not-1 (standard)")


def test_conform_takes_the_name() -> None:
    """A runtime is run at an opset of the version, on its types alone."""
    arguments = ["conform", "onnx.Relu-6", "--against", "onnx.reference", "--short", "--random", "0"]
    status, printed, _ = said(*arguments, "--format", "json")
    made = json.loads(printed)
    jsonschema.validate(made, json.loads((ROOT / "sonnx_verify/outputs/conform.schema.json").read_text("utf-8")))
    assert status == 0
    assert made["scope"]["types"] == ["float16", "float", "double"]
    assert made["in_force"] == [
        "onnx.Relu-6 uses the text of version 14 (differs in types: only double, float, float16)"
    ]


def test_the_functions() -> None:
    """`in_force` finds the version, and its name is taken by the others."""
    found = sv.in_force("onnx.Equal", 14)
    assert (found.operator, found.text, found.note) == ("onnx.Equal-13", "onnx.Equal-19", NOTE)
    assert sv.in_force("onnx.Equal").note == ""
    one = np.ones(1, np.float32)
    assert sv.load(found.operator).evaluate(one, one).tolist() == [True]
    with pytest.raises(UsageError, match="1 to 28"):
        sv.in_force("onnx.Equal", 1000)
    with pytest.raises(UsageError):
        sv.in_force("onnx.Equal", "13")  # type: ignore[arg-type]  # a text is none


def test_its_obligations_are_decided() -> None:
    """`check` of such a version proves it as a text of its own, the standard and the profile that refines it."""
    for name in ("onnx.Relu-6", "sonnx.Relu-6"):
        checked = sv.check(name)
        assert checked.results
        assert all(result.subject.startswith(name) for result in checked)
        assert all(result.verdict in GOOD for result in checked)


def test_a_wrong_row_is_seen() -> None:
    """Twins: a type too few, a type too many, an attribute that is forgotten: `transcription` says so."""
    project = Project.open(ROOT)
    newest = find_operator(project, "onnx.Abs-13").file
    assert newest is not None
    right = Row(
        13, types={"T": ("double", "float", "float16")}, declares=("optional attribute consumed_inputs : ints",)
    )
    assert differences(project, restricted(newest, 1, right, ())) == []
    wrong = [
        Row(13, types={"T": ("double", "float")}, declares=right.declares),
        Row(13, without={"T": ("bfloat16",)}, declares=right.declares),
        Row(13, types=right.types),
        Row(13, types=right.types, declares=("optional attribute consumed_inputs : int",)),
    ]
    for row in wrong:
        assert differences(project, restricted(newest, 1, row, ())) != []


def test_the_text_that_applies_is_left_alone() -> None:
    """A row makes a text of its own: the one that it is made of has all its types and clauses afterwards."""
    project = Project.open(ROOT)
    newest = find_operator(project, "onnx.Equal-19").file
    assert newest is not None
    before = replace(newest, types={k: list(v) for k, v in newest.types.items()}, clauses=list(newest.clauses))
    find_operator(project, "onnx.Equal-7")
    assert newest == before
