"""An operator on one screen: what is left open stands beside what is decided, what runtimes do, and what is proved."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sonnx_verify.conformance.records.ledger import Ledger
from sonnx_verify.language.project import Project
from sonnx_verify.outputs.overview import Overview, overviews
from sonnx_verify.pages.render.opened import page_of

ROOT = Path(__file__).parents[2]
STANDARD = """\
operator Half version 1 standard

types float = float16 float

input  X : tensor of T
output Y : tensor of T

shape Y    = X.shape
value Y[i] = X[i] / 2

[U_NAN] unspecified value Y[i] "no half of NaN is named" when is_nan(X[i])
[U_ZERO] unspecified value Y[i] "no half of a zero is named" when is_zero(X[i])
"""
PROFILE = """\
operator Half version 1 profile
  refines onnx Half version 1 with X = X, Y = Y
  page "half.md"

types float = float16 float

input  X : tensor of T
output Y : tensor of T

shape Y    = X.shape
value Y[i] = X[i] / 2
"""
PAGE = """\
# **Half** (float, float)

## Function

**Half** halves each element.

# Decisions

| Topic | Here | Why |
|---|---|---|
| NaN (`U_NAN`) | NaN | it absorbs |
| Subnormal numbers | are rounded | to even |

| Topic | In an earlier draft | Here |
|---|---|---|
| Names | A and B | X and Y |
"""
THEORY = """\
theory halves "Halves"

types float = float16 float

theorem twice "half of a half" for A : tensor of T : Half(Half(A)) = Half(Half(A))
theorem other "of something else" for A : tensor of T : A = A
"""


@pytest.fixture
def half(tmp_path: Path) -> Overview:
    for name, text in {
        "pyproject.toml": "[project]\nname = 'halves'\n",
        "spec/onnx/half.sonnx": STANDARD,
        "spec/sonnx/half/half.sonnx": PROFILE,
        "spec/sonnx/half/half.md": PAGE,
        "proofs/halves.sonnx": THEORY,
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    project = Project.open(tmp_path)
    pages = {unit.operator: page for unit in project.units if (page := page_of(unit)) is not None}
    differs = {"title": "missing NaN"}
    ledger = Ledger(
        "runtime",
        "1.0",
        {
            "sonnx.Half-1": {"verdict": "diverges", "scope": {}, "divergences": {"a": differs, "b": differs}},
            "onnx.Half-1": {"verdict": "agrees", "scope": {}, "unsupported": {"float16": "no"}, "divergences": {}},
            "onnx.Halves-1": {"verdict": "agrees", "scope": {}, "divergences": {}},
        },
    )
    verdicts = {"sonnx.Half-1": {"proved": 3, "holds": 2}, "onnx.Half-1": {"proved": 1, "candidate": 1}}
    (one,) = [x for x in overviews(project.units, pages, [ledger], verdicts) if x.name == "Half"]
    return one


def test_each_case_stands_beside_its_decision(half: Overview) -> None:
    """What nothing decides is shown as such; what no reason stands beside is no case of a user."""
    assert half.intent == "Half halves each element."
    assert [(c.case, c.tag, c.here, c.why) for c in half.cases] == [
        ("no half of NaN is named", "U_NAN", "NaN", "it absorbs"),
        ("no half of a zero is named", "U_ZERO", "", ""),
        ("Subnormal numbers", "", "are rounded", "to even"),
    ]
    assert half.open == 2


def test_runtimes_and_theorems_are_those_of_the_operator(half: Overview) -> None:
    """A name that begins alike is another operator."""
    assert [(b.operator, b.words) for b in half.behaviours] == [
        ("sonnx.Half-1", "missing NaN (2 findings)"),
        ("onnx.Half-1", "agrees; does not take float16"),
    ]
    assert half.runtimes == ["runtime differs"]
    open_there = replace(half.behaviours[1], verdict="unknown")
    assert replace(half, behaviours=[half.behaviours[1], open_there]).runtimes == ["runtime agrees, unknown"]
    assert [t.name for t in half.theorems] == ["proofs.halves/twice"]


def test_the_state_names_what_is_not_shown(half: Overview) -> None:
    assert half.state == "1 candidate"
