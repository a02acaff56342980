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


@pytest.mark.parametrize("number", [64, 65, 200])
@pytest.mark.parametrize("axis", [0, 1])
def test_members_without_end_are_concatenated(number: int, axis: int) -> None:
    """Each is copied as a whole: more than one in so many boxes as there are members would be a pass over all."""
    members = [
        np.arange(6 * (n % 3), dtype=np.float32).reshape((-1, 2) if axis == 0 else (2, -1)) for n in range(number)
    ]

    made = sonnx_verify.load("sonnx.Concat-13").evaluate(*members, axis=axis)

    assert np.array_equal(made, np.concatenate(members, axis))


CHOSEN = """\
operator Chosen version 1 user
types int = int32

input  X[0 .. 99] : tensor of T
input  K          : tensor of int64
output Y          : tensor of T

[C1] constraint "of one shape" : for all m in 0 .. 99 : X[m].shape = K.shape
[C2] constraint "members"      : for all j in indices(K) : 0 <= int(K[j]) < 100

shape Y    = K.shape
value Y[i] = X[int(K[i])][i]
"""


def test_the_member_is_chosen_by_an_element(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At each index another one of many."""
    (tmp_path / "text.sonnx").write_text(CHOSEN, "utf-8")
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    members, chosen = rng.integers(0, 1000, (100, 40), np.int32), rng.integers(0, 100, 40)

    made = sonnx_verify.load("user.Chosen-1").evaluate(*members, chosen)

    assert np.array_equal(made, members[chosen, np.arange(40)])
