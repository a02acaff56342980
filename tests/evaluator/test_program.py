"""Steps of a program that nobody needs are not computed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sonnx_verify.arrays.evaluator import rounding
from tests.language.test_arithmetic import assert_same, loaded


@pytest.mark.parametrize(("x", "y", "asked"), [
    ([np.nan, np.nan], [np.nan, np.nan], 0),
    ([-np.inf, np.inf], [0, np.inf], 0),
    ([np.nan, np.inf, 0.0], [np.nan, np.inf, 1], 1),
    ([0.0, 1.0], [1, np.float32(np.e)], 1),
])  # fmt: skip
def test_a_branch_that_no_element_takes_is_not_computed(
    x: list[float], y: list[float], asked: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The exponential function of an array of NaN alone, or of infinities, has no exponential."""
    calls: list[int] = []
    by_ends = rounding.Rounding.by_ends

    def counted(self: Any, flat: Any, asked: Any) -> Any:
        calls.append(len(flat))
        return by_ends(self, flat, asked)

    monkeypatch.setattr(rounding.Rounding, "by_ends", counted)
    assert_same(loaded("exp").evaluate(np.array(x, np.float32)), np.array(y, np.float32))
    assert len(calls) == asked


def test_a_condition_that_is_settled_asks_for_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """A power of positive numbers does not look at whether exponents are integers."""
    compared: list[int] = []
    by_ends = rounding.Comparison.by_ends

    def counted(self: Any, flat: Any, asked: Any) -> Any:
        compared.append(len(flat))
        return by_ends(self, flat, asked)

    monkeypatch.setattr(rounding.Comparison, "by_ends", counted)
    x = np.array([2, 4, 0.25], np.float32)
    y = np.array([3, 0.5, -1.5], np.float32)

    assert loaded("pow").evaluate(x, y).tolist() == [8, 2, 8]
    assert compared == []
    assert_same(loaded("pow").evaluate(-x, y), np.array([-8, np.nan, np.nan], np.float32))
    assert compared != []
