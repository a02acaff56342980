"""The number of members of a family of inputs, where no name of its own says it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import sonnx_verify
from sonnx_verify.errors import ClauseViolated

THREE = """\
operator Three version 1 user
types int = int8

input  X[0 .. 2] : tensor of T
output Y         : tensor of T

shape Y    = X[0].shape
value Y[i] = X[0][i]
"""
ALIKE = """\
operator Alike version 1 user
types int = int8

input  A[0 .. L] : tensor of T where L >= 0
input  B[0 .. L] : tensor of T
output Y         : tensor of T

shape Y    = A[0].shape
value Y[i] = A[0][i]
"""
ONE = np.array([1], np.int8)


@pytest.mark.parametrize(
    ("text", "right", "wrong"),
    [
        (THREE, ("X0", "X1", "X2"), ("X0",)),
        (THREE, ("X0", "X1", "X2"), ("X0", "X1", "X2", "X3")),
        (ALIKE, ("A0", "A1", "B0", "B1"), ("A0", "A1", "B0")),
    ],
)
def test_another_number_is_refused(
    text: str, right: tuple[str, ...], wrong: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By both evaluators: with two members of three there is no result."""
    (tmp_path / "text.sonnx").write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    operator = sonnx_verify.load(f"user.{text.split()[1]}-1")

    assert np.array_equal(operator.evaluate(**dict.fromkeys(right, ONE)), ONE)
    with pytest.raises(ClauseViolated, match="does not match its declaration"):
        operator.evaluate(**dict.fromkeys(wrong, ONE))
    with pytest.raises(ClauseViolated, match="does not match its declaration"):
        operator.results(**dict.fromkeys(wrong, ONE))
