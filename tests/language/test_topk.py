"""TopK as a text: two outputs, in order, with ties by their places, beside numpy's stable sorting."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sonnx_verify
from sonnx_verify.arrays.evaluator.operator import Operator
from sonnx_verify.errors import ClauseViolated
from sonnx_verify.language.project import Project

PATH = Path(__file__).with_name("topk.sonnx")
DTYPES = (np.int8, np.uint8, np.int64, np.float16, np.float32, np.float64)
Array = np.ndarray[Any, np.dtype[Any]]


@cache
def operator() -> Operator:
    """The operator of the text, on arrays."""
    project = Project.of_files(PATH.parents[2], [PATH])
    return Operator(project, next(unit for unit in project.units if unit.path == PATH))


def expected(x: Array, k: int, axis: int, *, largest: bool) -> tuple[Array, Array]:
    """The first k of a stable order: of floats, NaN is the greatest and both zeros are equal, as numpy has it."""
    rank = np.unique(x, return_inverse=True)[1].reshape(x.shape)
    places = np.argsort(-rank if largest else rank, axis=axis, kind="stable")
    taken = np.take(places, range(k), axis=axis).astype(np.int64)
    return np.take_along_axis(x, taken, axis), taken


def compare(count: int, seed: int) -> None:
    """Arrays with many equal elements, of every type, on every axis; of floats with NaN, infinities and both zeros."""
    rng = np.random.default_rng(seed)
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.5, -2.0]
    for n in range(count):
        dtype = np.dtype(DTYPES[n % len(DTYPES)])
        shape = [(4,), (1,), (2, 3), (3, 0), (0, 2), (2, 5, 2)][n // len(DTYPES) % 6]
        x = rng.integers(0, 4, shape).astype(dtype)
        if dtype.kind == "f":
            x = rng.choice(np.array(special, dtype), shape)
        axis = int(rng.integers(-x.ndim, x.ndim))
        k, largest = int(rng.integers(0, x.shape[axis] + 1)), bool(rng.integers(0, 2))

        values, places = operator().evaluate(x, np.array([k]), axis=axis, largest=int(largest))

        wanted = expected(x, k, axis, largest=largest)
        assert (places.dtype, values.dtype) == (np.int64, dtype)
        np.testing.assert_array_equal(places, wanted[1])
        np.testing.assert_array_equal(values, wanted[0])
        if dtype.kind == "f":
            np.testing.assert_array_equal(np.signbit(values), np.signbit(wanted[0]))


def test_order_and_places() -> None:
    """Elements and places are those of a stable sort."""
    compare(108, seed=1)


@pytest.mark.soak
def test_order_and_places_soak() -> None:
    """The same of thousands of arrays."""
    compare(6000, seed=2)


def test_more_than_there_are_is_refused() -> None:
    """Nobody can take five of four elements."""
    with pytest.raises(ClauseViolated):
        operator().evaluate(np.zeros(4, np.float32), np.array([5]))


@pytest.mark.soak
def test_text_is_proved() -> None:
    """Nothing is unknown of it."""
    found = sonnx_verify.check(str(PATH), cached=False)

    assert [f"{one.id} {one.verdict}" for one in found if str(one.verdict) not in ("proved", "holds")] == []
    assert any(str(one.verdict) == "proved" for one in found)
