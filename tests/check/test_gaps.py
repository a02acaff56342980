"""The gaps of a standard: each item has an input that it alone leaves open, two results that conform, and how
a profile decides."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sonnx_verify.cli import main

STANDARD = """\
operator Pick version 2 standard

types int   = int8 int16
types float = float16 float

input     X    : tensor of T
attribute mode : int default 1
output    Y    : tensor of T

[U_MODE] unspecified outcome "no mode but 0 and 1" when rank(X) > 0 and mode != 0 and mode != 1
[U_SCALAR] unspecified shape "no word on scalars" when rank(X) = 0
[U_NAN] unspecified value Y[i] "no word on NaN" for float when is_nan(X[i])
unspecified value Y[i] when rank(X) = 1 and X.shape[0] = 2

shape Y    = X.shape
value Y[i] = X[i]
"""
PROFILE = """\
operator Pick version 2 profile
  refines onnx Pick version 2 with A = X, mode = mode, B = Y

types int = int8 int16

input     A    : tensor of T
attribute mode : int default 1
output    B    : tensor of T

[R1] restriction "the mode is written" : given(mode)
[C1] constraint "a known mode" : mode = 0 or mode = 1
[R2] restriction "no scalars"  : rank(A) > 0
[E1] error "an unknown mode"   : when C1 fails

shape B    = A.shape
value B[i] = A[i]
"""


@pytest.fixture
def said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The gaps of the text by their tag and section."""
    for folder, text in (("onnx", STANDARD), ("sonnx", PROFILE)):
        (tmp_path / "spec" / folder).mkdir(parents=True)
        (tmp_path / "spec" / folder / "pick.sonnx").write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["explain", "--gaps", "onnx.Pick-2", "--format", "json"])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    (operator,) = json.loads(done.stdout)["operators"]
    return {f"{g['tag']} {g['section']}": g for g in operator["gaps"]}


def test_each_item_has_its_gap(said: dict[str, Any]) -> None:
    """An item that speaks of no value is asked once, the others in each section they are in."""
    assert list(said) == [
        "U_MODE int",
        "U_SCALAR int",
        "unspecified1 int",
        "U_NAN float",
        "unspecified1 float",
    ]
    assert {g["reach"] for g in said.values()} == {"outcome", "shape", "value"}


def test_how_the_profile_decides(said: dict[str, Any]) -> None:
    """By an error, by a restriction, by its value; not at all where it lacks the type. What the input leaves out is
    written there: R1 is not what decides."""
    decided = {name: (g["decided_by"]["kind"], g["decided_by"]["tag"]) for name, g in said.items()}
    assert decided == {
        "U_MODE int": ("error", "E1"),
        "U_SCALAR int": ("restriction", "R2"),
        "unspecified1 int": ("value", None),
        "U_NAN float": ("type", None),
        "unspecified1 float": ("type", None),
    }


def test_results_differ_where_the_text_is_open(said: dict[str, Any]) -> None:
    """An error against the usual result; another shape; another element at the open index only."""
    one, other = said["U_MODE int"]["results"]
    assert (one["Y"]["data"], other) == ([], None)
    one, other = said["U_SCALAR int"]["results"]
    assert (one["Y"]["shape"], other["Y"]["shape"]) == ([], [1])
    one, other = said["unspecified1 float"]["results"]
    # Two elements, of which the text leaves both open: one that differs is enough, and easier to read.
    changed = [a != b for a, b in zip(one["Y"]["data"], other["Y"]["data"], strict=True)]
    assert changed == [True, False]


def test_a_text_without_a_meaning_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A text whose shape and value read outside has no result to show: that is said, and hides no other gap."""
    (tmp_path / "pick.sonnx").write_text(STANDARD.replace("= X[i]", "= X[[1]]"), "utf-8")
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["explain", "--gaps", "user.Pick-2"])

    assert done.exit_code == 3
    assert "  not shown: user.Pick-2." in done.stdout
    assert "shape and value give no result on the input of U_SCALAR" in done.stdout


def test_an_item_that_others_cover_is_a_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two items of which one says no more than the other, the smaller one leaves nothing open by itself."""
    covered = "[U_ALL] unspecified value Y[i] for float when is_nan(X[i]) or is_zero(X[i])\nshape"
    text = STANDARD.replace("\nshape", f"\n{covered}", 1).replace("onnx", "user")
    (tmp_path / "pick.sonnx").write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["check", "user.Pick-2.float/U_NAN/gap", "user.Pick-2.float/U_ALL/gap"])

    assert done.exit_code == 1
    assert "violated user.Pick-2.float/U_NAN/gap" in done.output
    assert "1 holds, 1 violated" in done.output
