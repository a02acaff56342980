"""Products of one factor again and again: on arrays they are powers, of any exponent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sonnx_verify

TEXT = """\
operator Factors version 1 user
types int = int8 uint8 int32 int64 uint64

input  X : tensor of T
input  N : tensor of int64
output Y : tensor of T

[C1] constraint "the shapes are equal" : X.shape = N.shape
[E1] error      "the shapes differ"    : when C1 fails

shape Y    = X.shape
value Y[i] = product {{ X[i] | k in {low} .. int(N[i]) {where}}}
"""


def wrapped(value: int, type_: Any) -> int:
    """The number of the type that differs from the value by a multiple of 2 to its width."""
    info = np.iinfo(type_)
    return (value - int(info.min)) % (1 << info.bits) + int(info.min)


@pytest.mark.parametrize(
    ("low", "where"), [("1", ""), ("-2", ""), ("rank(X) - 1", ""), ("1", "where X[i] > 0 "), ("int(X[i])", "")]
)
@pytest.mark.parametrize("type_", [np.int8, np.uint8, np.int32, np.int64, np.uint64])
def test_powers_are_those_of_python(
    low: str, where: str, type_: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exponents of all sizes: of none and of less the power is 1."""
    (tmp_path / "factors.sonnx").write_text(TEXT.format(low=low, where=where), "utf-8")
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    ends = np.iinfo(type_)
    least, most = int(ends.min), int(ends.max)
    factors = np.array([*range(7), most, most - 3, least // 2, least], type_)
    exponents = np.array([0, 1, 2, 3, 8, 63, 64, 1 << 40, (1 << 63) - 8, -1, -(1 << 63) + 9, *rng.integers(0, 99, 9)])
    x, n = (a.reshape(-1, len(exponents)) for a in np.broadcast_arrays(factors[:, None], exponents))

    found = sonnx_verify.load("user.Factors-1").evaluate(x, n)

    starts = {"1": 1, "-2": -2, "rank(X) - 1": 1}
    for got, factor, last in zip(found.flat, x.flat, n.flat, strict=True):
        count = int(last) - starts.get(low, int(factor)) + 1
        if count < 0 or (where and factor <= 0):
            count = 0
        assert got == wrapped(pow(int(factor), count, 1 << 64), type_), (factor, last)
