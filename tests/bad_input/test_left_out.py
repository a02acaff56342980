"""Texts that are not checked because of an error, in them or in what they need: the answer names them, and why."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from sonnx_verify.cli import main

PLUS = """operator Plus version 1 user

types float = float16 float

input  A : tensor of T
input  B : tensor of T
output Y : tensor of T
shape Y    = A.shape
value Y[i] = A[i] + B[i]
"""
LAWS = """theory laws "Laws of Plus"

types float = float16 float

theorem commutes "Plus commutes"
  for A, B : tensor of T
  : Plus(A, B) = Plus(B, A)
"""
LIBRARY = """library halves "Halves"

define half(n : int) : int
  "half of a number"
  = div(n, 2)
"""
WITH_HALF = """theory more "Halves of numbers"

theorem small "half is less"
  for n : int
  : half(n) <= n
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "laws.sonnx").write_text(LAWS, "utf-8")
    return tmp_path


def check(*words: str) -> Result:
    done = CliRunner().invoke(main, ["check", *words], catch_exceptions=False)
    assert done.exit_code == 2
    return done


def test_an_operator_in_a_text_that_cannot_be_read(folder: Path) -> None:
    """It is not undefined: the error says where it is, and what is wrong there."""
    (folder / "plus.sonnx").write_text(PLUS.replace("shape Y ", "shpae Y "), "utf-8")

    said = check("laws.sonnx")
    assert "laws.sonnx:7:5: error: `Plus` is in plus.sonnx, which has an error\n" in said.stderr
    assert "  to fix: correct plus.sonnx:8:1 (unexpected `shpae`)\n" in said.stderr
    assert said.stdout.endswith("\n1 error: laws.sonnx was not checked\n")
    assert check().stdout.endswith("\n2 errors: laws.sonnx and plus.sonnx were not checked\n")
    # With attributes it is an operator in any case.
    (folder / "laws.sonnx").write_text(LAWS.replace("Plus(A, B)", "Plus(A, B with k = 1)"), "utf-8")
    assert "`Plus` is in plus.sonnx" in check("laws.sonnx").stderr
    # Another name is as unknown as ever.
    (folder / "laws.sonnx").write_text(LAWS.replace("Plus", "Times"), "utf-8")
    assert "undefined function or operator `Times`" in check("laws.sonnx").stderr


def test_a_definition_in_a_library_that_cannot_be_read(folder: Path) -> None:
    (folder / "halves.sonnx").write_text(LIBRARY.replace("= div", "= = div"), "utf-8")
    (folder / "more.sonnx").write_text(WITH_HALF, "utf-8")

    said = check("more.sonnx").stderr
    assert "more.sonnx:5:5: error: `half` is in halves.sonnx, which has an error\n" in said
    assert "correct halves.sonnx:5:5 (" in said


def test_what_needs_a_text_with_an_error_is_named(folder: Path) -> None:
    """The error is told once, where it is; the texts that it keeps from being checked are not silently missing."""
    (folder / "plus.sonnx").write_text(PLUS.replace("A[i] +", "A[j] +"), "utf-8")

    assert check("laws.sonnx").stdout.endswith("\n1 error: laws.sonnx was not checked: it needs plus.sonnx\n")
    assert check().stdout.endswith("\n1 error: plus.sonnx was not checked, nor was laws.sonnx, which needs it\n")
    answer = json.loads(check("--format", "json").stdout)
    assert (len(answer["errors"]), answer["unchecked"]) == (1, ["laws.sonnx", "plus.sonnx"])
    for n in range(7):
        (folder / f"laws{n}.sonnx").write_text(LAWS.replace("theory laws", f"theory laws{n}"), "utf-8")
    assert (
        "nor were laws.sonnx, laws0.sonnx, laws1.sonnx, laws2.sonnx, laws3.sonnx, laws4.sonnx and 2 more files, "
        "which need it\n" in check().stdout
    )
