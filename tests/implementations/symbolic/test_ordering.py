"""numpy's sorts held against their meaning: `sort`, `argsort`, and the places they lead to."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

from sonnx_verify.conformance.symbolic import indexing, ordering
from sonnx_verify.conformance.symbolic.table import less
from sonnx_verify.conformance.symbolic.trace import running
from sonnx_verify.logic.terms import FALSE
from tests.implementations.symbolic.concrete import Known, compared, each_dtype, meanings, special

BOGUS: Any = "bogus"
KINDS: list[dict[str, Any]] = [
    {}, {"kind": "stable"}, {"kind": "heapsort"}, {"kind": "mergesort"}, {"stable": True}, {"stable": False},
]  # fmt: skip  # a table


def fibres(dtype: np.dtype[Any], number: int, step: int) -> Any:
    """Rows of some of the special values."""
    values = special(dtype)
    rows = np.array(list(product(range(len(values)), repeat=number))[::step])
    return values[rows]


def is_foreign_float(dtype: np.dtype[Any]) -> bool:
    """Whether numpy has no order of the NaNs of the type."""
    return "float" in dtype.name and dtype.char not in "efd"


@each_dtype
def test_special_values(dtype: np.dtype[Any]) -> None:
    """NaN comes last; where a sort is not stable, numpy's answer is one of those that are allowed."""
    for number, step in ((1, 1), (2, 3), (3, 331)):
        rows = fibres(dtype, number, step)
        for kind in KINDS:
            for function in (np.sort, np.argsort):
                refused = compared(lambda x, f=function, k=kind: f(x, **k), rows)
                assert ("in which NaN has no place" in refused) == is_foreign_float(dtype), refused


CALLS: dict[str, Callable[[Any], Any]] = {
    "last axis": lambda x: np.sort(x, kind="stable"),
    "axis 0": lambda x: np.sort(x, 0),
    "flattened": lambda x: np.sort(x, axis=None),
    "no axis": lambda x: np.sort(x, 5),
    "no kind": lambda x: np.sort(x, kind=BOGUS),
    "both": lambda x: np.sort(x, kind="stable", stable=True),
    "a field": lambda x: np.sort(x, order="f"),
    "places": lambda x: np.argsort(x, 0, kind="stable"),
    "places of all": lambda x: np.argsort(x, axis=None, stable=True),
    "method": lambda x: x.sort(),
    "method on axis 0": lambda x: x.sort(axis=0, kind="stable"),
    "method on a view": lambda x: x.T.sort(0),
    "method on every other": lambda x: x[..., ::2].sort(),
    "method of a read-only one": lambda x: np.broadcast_to(x, x.shape).sort(),
    "method that gives places": lambda x: x.argsort(kind="stable"),
    "of a scalar": lambda x: np.sort(x.reshape(-1)[0]),
    "gathered": lambda x: np.take_along_axis(x, np.argsort(x, axis=-1, stable=True), axis=-1),
    "second best": lambda x: x[np.argsort(x[:, 0], stable=True)[-1:]],
    "ranks": lambda x: np.argsort(np.argsort(x, kind="stable"), kind="stable"),
    "largest by place": lambda x: x[0][np.argmax(x[0])],
    "row of the largest": lambda x: x[np.argmax(x[:, 0])],
    "a row that is known": lambda x: _zeroed(x[np.argmax(x.reshape(-1)[:1])]),
    "a row that is known by an array": lambda x: _zeroed(x[np.argmax(x.reshape(-1)[:1]).reshape(())]),
    "taken": lambda x: np.take(x, np.argsort(x[0], stable=True), axis=1),
    "behind a slice": lambda x: x[:, np.argmin(x[0])],
    "behind a new axis": lambda x: x[None, :, np.argsort(x[0], stable=True)],
}


def _zeroed(array: Any) -> Any:
    array[...] = 0
    return array


@pytest.mark.parametrize("name", CALLS)
def test_calls(name: str) -> None:
    """Shapes, axes, errors, and what is written where."""
    shapes = [(2, 3), (3, 1), (0, 2), (2, 0), (4,), (), (2, 1, 2)]
    for number, shape in enumerate(shapes):
        values = np.array([3, -1, 2, 3, 0, -1, 7, 2], np.int8)
        array = np.roll(values, number)[: int(np.prod(shape))].reshape(shape)
        # Scalars that are to be sorted in place are refused; of everything else there is an answer.
        assert compared(CALLS[name], array) in ("", "sorting a scalar")


CHOSEN = {
    "take": lambda x, k: np.take(x, k, axis=0),
    "take of all": lambda x, k: np.take(x, k),
    "take on no axis": lambda x, k: np.take(x, k, axis=4),
    "along": lambda x, k: np.take_along_axis(x, k, 0),
    "along all": lambda x, k: np.take_along_axis(x, k, None),
    "index": lambda x, k: x[k],
    "index and number": lambda x, k: x[k, 0],
    "number and index": lambda x, k: x[1, k],
    "slice and index": lambda x, k: x[:1, k],
    "row": lambda x, k: x[k.reshape(-1)[0]],
    "element": lambda x, k: x[0][k.reshape(-1)[0]],
    "rank 0": lambda x, k: x[k.reshape(-1)[:1].reshape(())],
    "real array": lambda x, k: np.take_along_axis(np.arange(9).reshape(3, 3), k, axis=1),
}


FORBIDDEN = (np.bool_, np.float32)
REFUSED = (("row", np.uint64), ("element", np.uint64), ("rank 0", np.uint64))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.uint64, np.float32, np.bool_])
@pytest.mark.parametrize("name", CHOSEN)
def test_places_that_are_elements(name: str, dtype: Any) -> None:
    """From the left and from the right; an index outside is numpy's error. One of truth values is a mask, and one of
    floats is none at all: both are refused."""
    arrays = [np.arange(6, dtype=np.int16).reshape(2, 3), np.arange(4, dtype=np.int16).reshape(2, 2)]
    indices = [np.array(i).astype(dtype) for i in ([0, 1], [1, 1], [-2, 0], [2, 0], [0, -3], [127, 0])]
    for array, index in product(arrays, indices):
        for shaped in (index, index[:, None], index[None], index[:0]):
            refused = compared(CHOSEN[name], array, shaped)
            assert refused == "" or (name, dtype) in REFUSED or dtype in FORBIDDEN


def test_a_chosen_row_is_not_written_to() -> None:
    """It is a view of a row that is not known."""

    def written(x: Any) -> Any:
        row = x[np.argmax(x[:, 0])]
        row[...] = 0
        return x

    assert "views are not known" in compared(written, np.array([[1, 2], [3, 4]], np.int8))


def test_an_order_that_is_not_promised_is_open() -> None:
    """Of equal elements either may be first, unless the sort is stable; so may the signs of zeros be."""
    with running(Known()) as trace, np.errstate(all="ignore"):
        assert isinstance(trace, Known)
        ones, zeros = trace.opaque(np.ones(2, np.int8)), trace.opaque(np.array([0.0, -0.0], np.float32))

        def first(array: Any) -> set[Any]:
            return meanings(trace, array.terms()[0])

        assert first(np.argsort(ones)) == first(np.argsort(zeros)) == {0, 1}
        assert first(np.argsort(ones, kind="stable")) == first(np.argsort(zeros, stable=True)) == {0}
        assert len(first(np.sort(zeros))) == 2
        assert len(first(np.sort(zeros, kind="stable"))) == 1


TWINS = {
    "NaN is no number's equal": (ordering, "before", less, lambda x: np.sort(x)),
    "the other way": (ordering, "before", lambda a, b: less(b, a), lambda x: np.sort(x)),
    "not to the end": (ordering, "_network", lambda n: [(k, k + 1) for k in range(n - 1)], lambda x: np.sort(x)),
    "of places too": (ordering, "before", less, lambda x: np.argsort(x, stable=True)),
    "never outside": (indexing, "_outside", lambda at, n: FALSE, lambda x: x[np.argmax(x) + 2]),
    "only from the left": (indexing, "_is", lambda at, k, n: FALSE, lambda x: x[np.argmax(x) - 1]),
}  # fmt: skip  # a table


@pytest.mark.parametrize("name", TWINS)
def test_twins(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong meaning is noticed by such a comparison."""
    module, attribute, wrong, call = TWINS[name]
    rows = list(fibres(np.dtype(np.float32), 3, 61))

    assert {compared(call, row) for row in rows} == {""}
    monkeypatch.setattr(module, attribute, wrong)
    with pytest.raises(AssertionError):
        assert {compared(call, row) for row in rows} == {""}
