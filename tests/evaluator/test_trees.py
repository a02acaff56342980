"""Sums of floats are trees of additions in their type, of each element once, whatever the layout of the array."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sonnx_verify.arrays.evaluator.known import DTYPES
from sonnx_verify.arrays.evaluator.orders import halved
from sonnx_verify.arrays.evaluator.trees import _in_halves, tree_along
from sonnx_verify.logic.sorts import ELEMENT_TYPES


def _laid_out(array: np.ndarray, layout: str) -> np.ndarray:
    """The same elements in another layout."""
    match layout:
        case "column-major":
            return np.asfortranarray(array)
        case "every other":
            wide = np.zeros((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)
            wide[..., ::2] = array
            return wide[..., ::2]
        case "backwards":
            return np.flip(np.flip(array).copy())
        case "last axis first":
            return np.moveaxis(np.ascontiguousarray(np.moveaxis(array, -1, 0)), 0, -1)
    return array


LAYOUTS = st.sampled_from(["in rows", "column-major", "every other", "backwards", "last axis first"])
SHAPES = st.lists(st.sampled_from([1, 2, 3, 5, 8, 9, 21]), min_size=1, max_size=3)


@pytest.mark.parametrize("name", ["bfloat16", "float16", "float", "double"])
def test_each_element_is_added_once(name: str) -> None:
    """Sums of small integers are exact in every order, so they are those of the integers."""
    sort = ELEMENT_TYPES[name]
    along = tree_along(sort)

    # The row in memory is that of the first axis, and one behind it is left.
    @example([9, 2, 3], "column-major", 0b101, 0)
    @settings(max_examples=60)
    @given(SHAPES, LAYOUTS, st.integers(0, 7), st.integers(0, 2**32 - 1))
    def holds(shape: list[int], layout: str, chosen: int, seed: int) -> None:
        axes = tuple(axis for axis in range(len(shape)) if chosen >> axis & 1)
        # Few of them are not 0: bfloat16 has the integers up to 256.
        numbers = np.random.default_rng(seed).choice([0] * 50 + [1, -1], shape)
        array = _laid_out(numbers.astype(DTYPES[sort]), layout)
        made = along(array, axes)
        assert made.dtype == array.dtype
        assert np.array_equal(made.astype(int), numbers.sum(axis=axes))

    holds()


@given(SHAPES, LAYOUTS, st.integers(0, 7), st.integers(0, 2**32 - 1))
def test_halves_are_those_of_every_fold(shape: list[int], layout: str, chosen: int, seed: int) -> None:
    """The balanced tree in one array is that of arrays of their own, bit for bit."""
    axes = tuple(axis for axis in range(len(shape)) if chosen >> axis & 1)
    array = _laid_out(np.random.default_rng(seed).standard_normal(shape).astype(np.float32), layout)
    (expected,) = halved((array,), axes, lambda a, b: (a[0] + b[0],))
    assert _in_halves(array, axes).tobytes() == expected.tobytes()


def test_a_sum_of_float16_is_rounded_at_each_addition() -> None:
    """numpy's own sum adds in float32, and is another number."""
    numbers = np.array([2048] + [1] * 15, np.float16)
    made = tree_along(ELEMENT_TYPES["float16"])(numbers, (0,))
    assert made == numbers.reshape(2, 8).sum(0).reshape(2, 4).sum(0).reshape(2, 2).sum(0).sum()
    assert made != numbers.sum()


def test_sums_share_no_memory() -> None:
    """What was summed stays as it was, and what is summed next leaves it alone."""
    array = np.arange(400, dtype=np.float32).reshape(20, 20)
    along = tree_along(ELEMENT_TYPES["float"])
    first = along(array, (0,))
    along(-array, (0,))
    assert np.array_equal(first, np.arange(20) * 20 + 20 * 190)
    assert np.array_equal(array.reshape(-1), np.arange(400))
