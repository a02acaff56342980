"""The function `prove`: what the command of that name prints, as records."""

from __future__ import annotations

from pathlib import Path

import pytest

from sonnx_verify.api.functions import prove
from sonnx_verify.errors import UserError

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def in_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    """Statements are about the operators of this repository."""
    monkeypatch.chdir(ROOT)


def test_a_law() -> None:
    """There is a result for each line of types that the operators of the statement have."""
    checked = prove("for A, B : shape : broadcastable([A, B]) iff broadcastable([B, A])")
    assert [result.verdict for result in checked] == ["proved"]
    assert checked.ok


def test_what_is_no_law() -> None:
    """It is refuted, with an input that shows it."""
    checked = prove("for S : shape; k : int assuming 0 <= k : aligned(S, k) = 1")
    [refuted] = checked
    assert refuted.verdict == "refuted"
    assert refuted.counterexample is not None
    assert not checked.ok


def test_a_mistake() -> None:
    with pytest.raises(UserError):
        prove("Max(A, B =")


MINE = """library mine "Mine"

define common_shape(L : list of shape) : shape
  "the first of them"
  = L[0]
"""
OWN = """library broadcast "Another one of that name"

define same(n : int) : int
  "it"
  = n
"""
OPERATOR = """operator {name} version 1 user

types int = int8

input  X : tensor of T
output Y : tensor of T

shape Y    = X.shape
value Y[i] = X[i]
"""
SWAPPED = "for A, B : shape assuming broadcastable([A, B]) : common_shape([A, B]) = common_shape([B, A])"


def test_the_installed_library_is_known_beside_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A statement has no place for `use`. What the folder defines comes first, and is never mixed with another one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "other.sonnx").write_text(OWN.replace("broadcast", "other"), "utf-8")
    assert [result.verdict for result in prove(SWAPPED)] == ["proved"]
    # Its own `common_shape`, so that the library that has both does not go with it.
    (tmp_path / "mine.sonnx").write_text(MINE, "utf-8")
    assert [r.verdict for r in prove("for A, B : shape : common_shape([A, B]) = A")] == ["proved"]
    with pytest.raises(UserError, match="undefined function or operator `broadcastable`"):
        prove(SWAPPED)
    for name in ("mine.sonnx", "other.sonnx"):
        (tmp_path / name).unlink()
    # A file of the name of the installed one is the one that is meant.
    (tmp_path / "broadcast.sonnx").write_text(OWN, "utf-8")
    with pytest.raises(UserError, match="undefined function or operator `broadcastable`"):
        prove(SWAPPED)
    (tmp_path / "broadcast.sonnx").unlink()
    # Nor does an operator of the folder become a definition of the library that has another name of the statement.
    (tmp_path / "own.sonnx").write_text(OPERATOR.format(name="common_shape"), "utf-8")
    with pytest.raises(UserError, match="undefined function or operator `broadcastable`"):
        prove("for A : tensor of T assuming broadcastable([A.shape]) : common_shape(A) = A")
