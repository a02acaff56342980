"""Two specifications of one operator: what one of them alone accepts, and what one of them alone allows as a result."""

from __future__ import annotations

import json
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
