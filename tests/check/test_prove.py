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
