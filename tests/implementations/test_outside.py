"""Sets of results `within k steps of` and `within b of`: what a target is off by, and what `eval` and `explain` show of
them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
from click.testing import CliRunner

import sonnx_verify.outputs
from sonnx_verify.cli import main
from sonnx_verify.conformance.judgement.conformance import Outside
from sonnx_verify.outputs.conformance import outside_words

TEXT = """\
operator Shift version 1 user

types float = float16

input  X : tensor of T
output Y : tensor of T

shape Y    = X.shape
value Y[i] = if is_nan(X[i]) or is_infinite(X[i]) then any T
  else SET
"""
STEPS = "within 2 steps of real(X[i])"
DISTANCE = "within 0.25 of real(X[i])"
TARGETS = """\
import numpy as np

def up(X, steps):
    made = X
    for _ in range(steps):
        made = np.nextafter(made, np.float16(np.inf))
    return made

def five(X):
    return up(X, 5)

def nothing(X):
    return np.full_like(X, np.nan)

def one_more(X):
    return X + np.float16(1)

def one(X):
    return up(X, 1)
"""
SCHEMA = json.loads(Path(sonnx_verify.outputs.__file__).with_name("conform.schema.json").read_text("utf-8"))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with some targets."""
    (tmp_path / "shifts.py").write_text(TARGETS, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(folder: Path, members: str) -> None:
    """Write the operator with these members."""
    (folder / "shift.sonnx").write_text(TEXT.replace("SET", members), "utf-8")


def run(*words: str) -> str:
    """What a command prints."""
    return CliRunner().invoke(main, words).output


@pytest.mark.parametrize(
    ("members", "target", "kind", "outside", "words"),
    [
        (STEPS, "five", "value", ("steps", 5, 2), "5 steps off, 2 allowed"),
        (STEPS, "nothing", "nan-made", ("steps", None, 2), "NaN; at most 2 steps allowed"),
        (DISTANCE, "one_more", "value", ("distance", "1", "1/4"), "1 off, 0.25 allowed"),
        # Zero is the greatest member.
        (
            f"{STEPS} in T.lowest .. T(0)",
            "one",
            "value",
            ("steps", 1, 2),
            "1 step off, 2 allowed, but out of the set's range",
        ),
    ],
)
def test_a_divergence_says_how_far_off(
    folder: Path, members: str, target: str, kind: str, outside: tuple[Any, Any, Any], words: str
) -> None:
    """The first element outside of its set is told, with its distance in steps or as a number, and what is allowed."""
    write(folder, members)
    command = (
        "conform",
        "user.Shift-1",
        "--against",
        f"python:shifts:{target}",
        "--test-only",
        "--short",
        "--random=0",
    )
    answer = json.loads(run(*command, "--format", "json"))

    jsonschema.validate(answer, SCHEMA)
    found = next(d for d in answer["divergences"] if d["kind"] == kind)
    assert (found["outside"]["output"], found["outside"]["index"]) == ("Y", [])
    assert (found["outside"]["measure"], found["outside"]["off"], found["outside"]["allowed"]) == outside
    assert outside_words(msgspec.convert(found["outside"], Outside), several=False).startswith(words)
    if target == "five":
        assert f"    outside  = {words}\n" in run(*command)


@pytest.mark.parametrize(
    ("target", "place"),
    [
        ("ninth", "at [8]: 0 expected, 1 given"),
        ("from_ninth", "at [8]: 0 expected, 1 given (the first of 3 such elements)"),
    ],
)
def test_where_a_long_result_differs(folder: Path, target: str, place: str) -> None:
    """A row says it for results that are too long to compare at a glance."""
    (folder / "same.sonnx").write_text(
        """\
operator Same version 1 user
types int = int8
input X : tensor of T
output Y : tensor of T
shape Y = X.shape
value Y[i] = X[i]
""",
        "utf-8",
    )
    (folder / "long.py").write_text(
        """\
def ninth(X):
    made = X.copy()
    if X.ndim == 1 and len(X) > 8:
        made[8] ^= 1
    return made

def from_ninth(X):
    made = X.copy()
    if X.ndim == 1 and len(X) > 10:
        made[8:] ^= 1
    return made
""",
        "utf-8",
    )
    made = run("conform", "user.Same-1", "--against", f"python:long:{target}", "--test-only", "--random=0")

    assert f"    differs  = {place}\n" in made


def test_sets_of_steps_are_shown(folder: Path) -> None:
    """`eval` does not show one member of a set of steps as if it were the only one; nor do the terms of `explain`."""
    write(folder, STEPS)
    command = ("eval", "user.Shift-1", "--input", "X=float16:[0.5, inf, 1]")

    assert run(*command).splitlines() == [
        "Y = float16 (3) [0.5, 0, 1]",
        "  at [0]: within 2 steps of 0.5 (one of 2 such indices)",
        "  at [1]: any element conforms",
    ]
    assert json.loads(run(*command, "--format", "json"))["sets"]["Y"] == [
        {"index": [0], "says_nothing": False, "steps": 2},
        {"index": [1], "says_nothing": True},
        {"index": [2], "says_nothing": False, "steps": 2},
    ]
    assert "\nY at index i may be y if\n" in run("explain", "--terms", "user.Shift-1")


def test_steps_that_differ(folder: Path) -> None:
    """The widest set is shown, and a set of no steps is one element."""
    write(folder, "if X[i] > 1 then within 4 steps of real(X[i]) else within (if X[i] > 0 then 1 else 0) steps of 0.5")
    made = run("eval", "user.Shift-1", "--input", "X=float16:[2, 1, 0]")

    assert made.splitlines()[1:] == ["  at [0]: within 4 steps of 2, the widest of 2 sets"]


@pytest.mark.parametrize(
    ("members", "words"),
    [(STEPS, ["Y"]), ("X[i]", None), ("within 0.0 of 1.0", None)],
)
def test_a_set_of_one_has_no_other_member(folder: Path, members: str, words: list[str] | None) -> None:
    write(folder, members)
    made = json.loads(
        run(
            "conform",
            "user.Shift-1",
            "--against",
            "python:shifts:five",
            "--test-only",
            "--short",
            "--random=0",
            "--format",
            "json",
        )
    )
    found = next(d for d in made["divergences"] if d["kind"] == "value")

    assert found["expected"].get("representative") == words
