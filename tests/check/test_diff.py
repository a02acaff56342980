"""Two specifications of one operator: what one of them alone accepts, and what one of them alone allows as a result."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sonnx_verify.cli import main

TEXT = """\
operator Turn version 1 user

types int  = int8 int16
types bool = bool

input              X    : tensor of T
optional attribute axes : ints
output             Y    : tensor of T

let L = list (m in 0 .. (if given(axes) then count(axes) else 0) - 1 -> axes[m])
[C1] constraint "axes" : for all m in L : 0 <= L[m] < rank(X)
[E1] error "no axis"   : when C1 fails

shape Y    = X.shape
value Y[i] = X[i]

version 2
move attribute axes to optional input : tensor of int64
add attribute mode : int default 0
replace let L = list (m in 0 .. (if given(axes) and rank(axes) = 1 then axes.shape[0] else 0) - 1 -> int(axes[[m]]))
CHANGES
"""


def differences(folder: Path, monkeypatch: pytest.MonkeyPatch, changes: str) -> dict[str, Any]:
    """The answers of `diff` about the two versions of the text, by section and question."""
    (folder / "turn.sonnx").write_text(TEXT.replace("CHANGES", changes), "utf-8")
    monkeypatch.chdir(folder)
    done = CliRunner().invoke(main, ["diff", "user.Turn-1", "user.Turn-2", "--format", "json"])
    assert done.exit_code == 0, done.output
    made = json.loads(done.stdout)
    assert (made["base"], made["moved"], made["alone"]) == ("user.Turn-2", ["axes"], ["mode"])
    return {f"{d['section']} {d['what']}": d for d in made["differences"]}


def differing(found: dict[str, Any]) -> set[str]:
    """The questions whose answer is a difference."""
    return {name for name, d in found.items() if d["differs"]}


def test_a_moved_attribute_is_no_difference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same list, given as an attribute or as an input: proved to be accepted alike, with the same results."""
    found = differences(tmp_path, monkeypatch, "")

    assert len(found) == 6
    assert differing(found) == set()
    assert {d["verdict"] for d in found.values()} == {"violated", "proved"}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        # Stricter, looser, and without the clause: then no list of axes is refused.
        ('replace [C1] constraint "axes" : for all m in L : 1 <= L[m] < rank(X)', "accepted by other alone"),
        ('replace [C1] constraint "axes" : for all m in L : 0 <= L[m] <= rank(X)', "accepted by base alone"),
        ("remove clause C1 remove clause E1", "accepted by base alone"),
        # A scalar in place of a tensor; R1 sees to it that there is an element to read.
        (
            "replace shape Y = shape (k in 1 .. 0 -> 0) replace value Y[i] = X[index (k in axes(X) -> 0)]\n"
            'add [R1] restriction "no size is 0" : for all k in axes(X) : X.shape[k] > 0',
            "results",
        ),
        ("add unspecified value Y[i] when given(axes)", "results"),
    ],
)
def test_a_difference_has_its_witness(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changes: str, expected: str
) -> None:
    """Each slip is seen where it matters, with an input, and for results with one that only one of them allows."""
    found = differences(tmp_path, monkeypatch, changes)

    assert f"int {expected}" in differing(found)
    for name in differing(found):
        witness = found[name]["witness"]
        assert witness["replayed"]
        assert "X" in witness["inputs"]
        # An input alone shows that one accepts it; that results differ takes a result too.
        assert bool(witness["outputs"]) is name.endswith("results")


@pytest.mark.parametrize("name", ["onnx.Where-16", "user.Turn-3"])
def test_what_cannot_be_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """An operator that does not exist is named, as it is where the two are about different operators."""
    (tmp_path / "turn.sonnx").write_text(TEXT.replace("CHANGES", ""), "utf-8")
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["diff", "user.Turn-1", name])

    assert done.exit_code == 2
    assert name in done.stderr


def said(folder: Path, monkeypatch: pytest.MonkeyPatch, texts: dict[str, str], *words: str) -> str:
    """The output of a command on some texts."""
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    monkeypatch.chdir(folder)
    done = CliRunner().invoke(main, list(words))
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.output


PLAIN = """operator R version 1 user
types int = int8 int32
input X : tensor of T
optional input K : tensor of T
attribute a : int default 0
output Y : tensor of T
shape Y    = X.shape
value Y[i] = X[i]
version 2
CHANGES
"""


@pytest.mark.parametrize(
    ("changes", "lines"),
    [
        ("replace input K : tensor of T", ["only user.R-1 lets `K` be left out; below it is given"]),
        ("replace attribute a : int", ["only user.R-1 lets `a` be left out; below it is given"]),
        (
            "replace input K : tensor of T replace attribute a : int",
            [
                "only user.R-1 lets `K` be left out; below it is given",
                "only user.R-1 lets `a` be left out; below it is given",
            ],
        ),
    ],
)
def test_what_one_alone_lets_be_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changes: str, lines: list[str]
) -> None:
    """Such input was never asked about, and "no input is accepted by user.R-1 only" read as if it had been."""
    texts = {"r.sonnx": PLAIN.replace("CHANGES", changes)}
    for names in (("user.R-1", "user.R-2"), ("user.R-2", "user.R-1")):
        told = said(tmp_path, monkeypatch, texts, "diff", *names)
        assert told.splitlines()[1 : 1 + len(lines)] == [f"  {line}" for line in lines]
        assert "no input is accepted by user.R-1 only: proved" in told
    found = json.loads(said(tmp_path, monkeypatch, texts, "diff", "user.R-1", "user.R-2", "--format", "json"))
    assert [row["reason"] for row in found["differences"] if row["what"] == "declarations"] == lines


@pytest.mark.parametrize("of", ["bool", "float16", "int64"])
def test_outputs_of_other_elements(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, of: str) -> None:
    """They cannot be compared, which is an error of the pair, and ended with a traceback."""
    value = "true" if of == "bool" else f"{of}(1)"
    text = PLAIN.replace("CHANGES", f"replace output Y : tensor of {of}\nreplace value Y[i] = {value}")
    told = said(tmp_path, monkeypatch, {"r.sonnx": text}, "diff", "user.R-1", "user.R-2")

    assert f"`Y` has elements of type T in user.R-1 and of type {of} in user.R-2" in told


def test_two_types_that_became_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are compared where the two are the same, and the answer says of which the others are, either way."""
    text = PLAIN.replace("K : tensor of T", "K : tensor of U").replace(
        "input X", "types int of U = int8 int32\ninput X", 1
    )
    text = text.replace("CHANGES", "remove types int of U = int8 int32\nreplace optional input K : tensor of T")
    told = said(tmp_path, monkeypatch, {"r.sonnx": text}, "diff", "user.R-1", "user.R-2")

    assert "  types of user.R-1 only: U = any but T\n" in told
    assert told.count(": proved") == 3


def test_a_version_that_the_table_describes_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of Split-1 without an axis the table says nothing: that only Split-2 accepts such input is not known."""
    monkeypatch.chdir(Path(__file__).parents[2])
    done = CliRunner().invoke(main, ["diff", "onnx.Split-1", "onnx.Split-2"])

    assert "speaks only of inputs where given(axis)" in done.output
    assert "float: no input is accepted by onnx.Split-2 only: proved\n" in done.output


AXIOMATIC = """use holes
operator Bar version 1 standard
types int = int32 int64
input  X : tensor of T
output Y : tensor of bool
[C1] constraint "a scalar" : rank(X) = 0
using for all i in X : hole(real(int(X[i])))
shape Y    = X.shape
value Y[i] = true
version 2
replace value Y[i] = real(int(X[i])) * real(int(X[i])) != 152415765279684.0
"""
HOLES = """library holes "Holes"

axiom hole "no such square" from "nobody"
  for x : real
  : x * x != 152415765279684.0
"""


def test_a_difference_names_its_axioms(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, git: Callable[..., None]
) -> None:
    """The axiom is false at 12345678: of two texts that differ there, all that was proved rests on it."""
    texts = {"spec/onnx/bar.sonnx": AXIOMATIC, "spec/common/holes.sonnx": HOLES}
    told = said(tmp_path, monkeypatch, texts, "diff", "onnx.Bar-1", "onnx.Bar-2")
    on_it = "proved, assuming axiom common.holes/hole"
    assert f"where both accept, they allow the same results: {on_it}" in told
    assert told.count(": proved") == told.count(on_it) == 3
    found = json.loads(said(tmp_path, monkeypatch, texts, "diff", "onnx.Bar-1", "onnx.Bar-2", "--format", "json"))
    assert {tuple(row["axioms"]) for row in found["differences"]} == {("common.holes/hole/axiom",)}
    # A record keeps them.
    said(tmp_path, monkeypatch, {}, "diff", "--update-records")
    assert told in said(tmp_path, monkeypatch, {}, "diff", "onnx.Bar-1", "onnx.Bar-2")

    git(Path(), "init", "-q")
    git(Path(), "add", "-A")
    git(Path(), "commit", "-q", "-m", "one")
    edited = {
        "spec/onnx/bar.sonnx": AXIOMATIC.replace("= true", "= real(int(X[i])) * real(int(X[i])) != 152415765279684.0")
    }
    told = said(tmp_path, monkeypatch, edited, "diff", "HEAD")
    assert f"onnx.Bar-1: its text, or one that it uses, changed; it means the same, {on_it}\n" in told
