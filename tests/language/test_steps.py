"""`within k steps of e` and `within b of e`, cut to a range, beside numpy's list of all floats."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

import sonnx_verify
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


BOUND = """\
operator Near version 1 user
types {family}
input  X : tensor of T
output Y : tensor of T
shape Y    = X.shape
value Y[i] = within 0.5 of {exact}{cut}
"""


def allowed(folder: Path, cut: str, *results: float) -> list[bool]:
    """Whether each is allowed as a result of 1 in float16."""
    path = folder / "near.sonnx"
    path.write_text(BOUND.format(family="float = float16", exact="real(X[i])", cut=cut), "utf-8")
    text, given = Operator(path, T="float16"), {"X": np.array(1, np.float16)}
    return [text.allows(given, np.array(y, np.float16)) for y in results]


def test_bounds_end_with_the_range(tmp_path: Path) -> None:
    """A set within a bound is cut as one in steps is, with both of its ends."""
    around = (0.4, 0.5, 0.75, 1.0, 1.25, 1.5, 1.6)

    assert allowed(tmp_path, "", *around) == [False, True, True, True, True, True, False]
    assert allowed(tmp_path, " in T(0.75) .. T(1.25)", *around) == [False, False, True, True, True, False, False]


def test_a_range_without_the_nearest_is_refuted(tmp_path: Path) -> None:
    """What is computed is the nearest: where the range leaves it out, the set has no representative. Of reals too."""
    for family, exact in (("float = float16", "1.0"), ("real = real", "1.0")):
        for cut, verdict in ((" in T(0) .. T(1)", "proved"), (" in T(0) .. T(0.75)", "refuted")):
            path = tmp_path / "near.sonnx"
            path.write_text(BOUND.format(family=family, exact=exact, cut=cut), "utf-8")
            found = {one.id.split("/", 1)[1]: str(one.verdict) for one in sonnx_verify.check(str(path), cached=False)}
            assert found["Y/determined"] == verdict, (family, cut, found)
