"""`explain` of a definition: its text, and the theorems that speak of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from sonnx_verify.cli import main

ROOT = Path(__file__).parents[2]
OWN = """\
library strides "Steps of one's own"

define halved(n : int) : int
  "half of it"
  = div(n, 2)
"""
LAWS = """\
theory halves "Laws of halves"
use strides

theorem below "half of a number is no more than it"
  for n : int assuming n >= 0
  : halved(n) <= n
theorem above_0 "a number above another is above 0 where that is not below 0"
  for n, m : int assuming m >= 0 and n > m
  : n > 0
"""


def explained(name: str, *more: str, status: int = 0) -> str:
    """What `explain` prints."""
    done = CliRunner().invoke(main, ["explain", name, *more], catch_exceptions=False)
    assert done.exit_code == status, done.output
    return done.output


def test_of_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its text, and each theorem that calls it, with what brings them into a text."""
    monkeypatch.chdir(ROOT)
    told = explained("windows_along")

    assert "windows_along, spec/common/windows.sonnx:" in told
    assert "`use windows`\n  define windows_along(" in told
    assert "  proofs.windowing/windows_fit  each place of each window is on the padded axis\n" in told
    assert "padding_is_shared" not in told


def test_of_a_function_of_the_language(monkeypatch: pytest.MonkeyPatch) -> None:
    """Axioms, with their sources."""
    monkeypatch.chdir(ROOT)

    assert "common.functions/exp_positive  exp is above 0 (axiom, DLMF 4.2)" in explained("exp")


def test_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A library of one's own stands for the installed one of its name."""
    folder = tmp_path / "spec" / "common"
    folder.mkdir(parents=True)
    (folder / "strides.sonnx").write_text(OWN, "utf-8")
    (folder / "halves.sonnx").write_text(LAWS, "utf-8")
    (folder / "broken.sonnx").write_text("library broken", "utf-8")
    monkeypatch.chdir(tmp_path)

    made = json.loads(explained("halved", "--format", "json"))
    assert [one["library"] for one in made["definitions"]] == ["strides"]
    assert [(one["id"], one["theory"]) for one in made["theorems"]] == [("common.halves/below", "halves")]
    assert "ceil_div" not in explained("halved")
    assert "define ceil_div" not in CliRunner().invoke(main, ["explain", "ceil_div"]).output


def test_of_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that nothing has is told as before."""
    monkeypatch.chdir(ROOT)

    assert "unknown operator" in explained("halved", status=2)
