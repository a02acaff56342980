"""`true` and `false`: conditions, and elements of bool."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import sonnx_verify
from sonnx_verify.arrays.evaluator.operator import Operator
from sonnx_verify.errors import SpecificationError
from sonnx_verify.language.project import Project
from tests.language.stated import statements

ROOT = Path(__file__).parents[2]
TEXT = Path(__file__).with_name("truths.sonnx")


def test_verdicts() -> None:
    """All is proved."""
    assert {str(r.verdict) for r in sonnx_verify.check(str(TEXT), cached=False)} == {"proved", "holds"}


def test_values() -> None:
    """The results on arrays."""
    project = Project.of_files(ROOT, [TEXT])
    operator = Operator(project, project.units[0])
    x, mask = np.array([True, True, False, False]), np.array([True, False, True, False])
    found = operator.evaluate(X=x, mask=mask, strict=0)

    assert [list(y) for y in found] == [[True, False, False, False], [True, True, True, True]]


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ("if p then true else Q[i]", "p or Q[i]"),
        ("Q[i] or false", "Q[i]"),
        ("Q[i] = true", "Q[i]"),
        ("Q[i] != true", "not Q[i]"),
        ("p and true", "p"),
        ("p or true", "0 = 0"),
        ("false", "0 != 0"),
    ],
)
def test_meaning(short: str, long: str, tmp_path: Path) -> None:
    """They are the conditions that always and never hold."""
    path, made = tmp_path / "laws.sonnx", []
    for said in (short, long, f"not ({long})"):
        path.write_text(f"""\
theory laws "Laws"

define f(p : bool, Q : tensor of bool, i : index) : bool = {said}

theorem t "t"
  for Q : tensor of bool; n : int
  : for all i in Q : f(n = 0, Q, i) iff f(n = 1, Q, i)
""")
        made.append(statements(path)["user.laws/t/theorem"])

    assert made[0] == made[1]


@pytest.mark.parametrize(
    ("written", "message", "cure"),
    [
        ("let a = True", "undefined symbol `True`", "write `true`"),
        ("let a = 1 + true", "arithmetic takes numbers, not a bool", ""),
        ("let a = true = 1", "a bool never equals an int", ""),
        ("let true = 1", "`true` cannot be a name", ""),
        ("define false(k : int) : int = k", "`false` cannot be a name", ""),
        ("let a = X = true", "never equals", ""),
    ],
)
def test_refused(written: str, message: str, cure: str, tmp_path: Path) -> None:
    """They are no numbers and no names."""
    path = tmp_path / "op.sonnx"
    text = "operator Op version 1 user\n\ntypes int = int8\n\ninput X : tensor of T\noutput Y : tensor of T\n\n"
    path.write_text(f"{text}{written}\n\nshape Y = X.shape\nvalue Y[i] = X[i]\n", "utf-8")
    with pytest.raises(SpecificationError) as refused:
        statements(path)
    assert message in str(refused.value)
    assert cure in refused.value.cure


def test_a_statement_needs_no_declaration() -> None:
    """`prove` takes undeclared names for tensors, and these are none."""
    proved, not_so = (sonnx_verify.prove(said) for said in ("true or rank(A) = 1", "false or rank(A) = 1"))

    assert {str(result.verdict) for result in proved.results} == {"proved"}
    assert {str(result.verdict) for result in not_so.results} == {"refuted"}
