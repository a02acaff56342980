"""In bulk, a million elements of each type, the evaluator says what the reference evaluator says of sampled parts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sonnx_verify.logic.sorts import ELEMENT_TYPES

pytestmark = pytest.mark.soak
ROWS, COLUMNS = 1024, 1000


def bulk(kit: Any, type_: str, seed: int) -> np.ndarray:
    """A large array in which special values are rare enough for others to come out, and blocks differ."""
    rng = np.random.default_rng(seed)
    sort = ELEMENT_TYPES[type_]
    values = kit.special_values(sort)
    made = np.asarray(values[rng.integers(len(values), size=(ROWS, COLUMNS))])
    if type_ in ("bfloat16", "float16", "float", "double"):
        usual = rng.standard_normal((ROWS, COLUMNS)).astype(made.dtype)
        zeros = rng.random((ROWS, 1)) < 0.5
        usual = np.where(zeros, np.where(usual > 0, made.dtype.type(0), -made.dtype.type(0)), usual)
        made = np.where(rng.random((ROWS, COLUMNS)) < 0.001, made, usual)
    return made


@pytest.mark.parametrize("name", ["Max-13", "Min-13", "ReduceMax-20", "ReduceMin-20", "ReduceSum-13"])
def test_sampled_parts_of_a_million(name: str, kit: Any) -> None:
    """Rows, columns and blocks."""
    operator = kit.operators()[f"sonnx.{name}"]
    rng = np.random.default_rng(11)
    for n, type_ in enumerate(kit.types_of(operator)):
        array, other = bulk(kit, type_, n), bulk(kit, type_, n + 50)
        if kit.is_family(operator):
            whole = operator.evaluate(array, other)
            for row, column in rng.integers((ROWS - 4, COLUMNS - 4), size=(12, 2)):
                place = (slice(row, row + 3), slice(column, column + 3))
                case = kit.Case(operator, {"X0": array[place], "X1": other[place]})
                assert list(case.differences()) == []
                assert np.array_equal(operator.evaluate(array[place], other[place]), whole[place], equal_nan=True)
            continue
        explicit = {"keepdims": 1, "noop_with_empty_axes": 0}
        for axis in (0, 1):
            axes = np.array([axis])
            whole = operator.evaluate(array, axes, **explicit)
            for k in rng.integers(min(ROWS, COLUMNS), size=4):
                part = array.take([k], 1 - axis)
                case = kit.Case(operator, {"data": part, "axes": axes, **explicit})
                assert list(case.differences()) == []
                assert case.accepts(whole.take([k], 1 - axis))
