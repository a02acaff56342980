"""`within k steps of e`: floats that are counted, beside numpy's list of all of them."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from tests.language.conftest import Operator

TEXT = """\
operator Near version 1 user
types float = float16
input  X : tensor of T
output Y : tensor of T
shape Y    = X.shape
value Y[i] = if is_nan(X[i]) or is_infinite(X[i]) then X[i] else within 2 steps of real(X[i]){cut}
"""


def near(cut: str) -> Operator:
    """The operator, with its ends."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "near.sonnx"
        path.write_text(TEXT.format(cut=cut), "utf-8")
        return Operator(path, T="float16")


def wrong(cut: str, low: float, high: float) -> list[tuple[float, float]]:
    """The numbers and results on which the text says something else than a list of all float16."""
    patterns = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    # Both zeros are one number here, as they are one place.
    numbers = np.unique(patterns[~np.isnan(patterns)].astype(np.float64))
    found, text = [], near(cut)
    for x in (0.0, -0.0, 2.0**-24, -(2.0**-23), 1.0, 1.0 - 2.0**-11, -1.0, 65504.0, -65472.0):
        at = int(np.searchsorted(numbers, x))
        around = range(max(at - 4, 0), min(at + 5, len(numbers)))
        results = [(float(numbers[n]), abs(n - at) <= 2 and low <= float(numbers[n]) <= high) for n in around]
        results += [(-y, member) for y, member in results if y == 0]
        results.append((float("nan"), False))
        for y, member in results:
            given = {"X": np.array(x, np.float16)}
            if text.allows(given, np.array(y, np.float16)) is not member:
                found.append((x, y))
    return found


def test_steps_are_counted() -> None:
    """Two on each side, through zero and up to infinity."""
    assert wrong("", -np.inf, np.inf) == []


def test_steps_end_with_the_range() -> None:
    """Where a range is given both of its ends belong to it, and what is beyond does not."""
    assert wrong(" in -T(1) .. T(1)", -1.0, 1.0) == []
