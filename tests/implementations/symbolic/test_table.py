"""The table of what numpy's functions mean, held against numpy on values at which they behave in a way of their own.

Elements are written out, so that a meaning is a value, or one of several where numpy leaves it open: numpy's own answer
has to be among them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from sonnx_verify.arrays.evaluator.known import DTYPES, SORTS
from sonnx_verify.conformance.symbolic import real
from sonnx_verify.conformance.symbolic.arguments import terms_of
from sonnx_verify.conformance.symbolic.array import MOVES, array_of
from sonnx_verify.conformance.symbolic.memory import held
from sonnx_verify.conformance.symbolic.replacement import numpy_replaced
from sonnx_verify.conformance.symbolic.table import ROWS, Reduction
from sonnx_verify.conformance.symbolic.trace import Trace, Unsupported, running
from sonnx_verify.logic.sorts import ELEMENT_TYPES
from sonnx_verify.logic.terms import Symbol, subterms
from tests.implementations.symbolic.concrete import agrees, called, each_dtype, special, symbolic


@each_dtype
@pytest.mark.parametrize("name", ROWS)
def test_elementwise(name: str, dtype: np.dtype[Any]) -> None:
    """Each function, on each type, on each choice of special values."""
    function = getattr(np, name)
    values = special(dtype)
    rows = np.array(list(product(range(len(values)), repeat=function.nin)))
    args = [values[rows[:, n]] for n in range(function.nin)]
    if name in ("left_shift", "right_shift"):
        args[1] = np.abs(args[1]) % 70 if dtype.kind == "i" else args[1]
        args[1] = args[1].astype(dtype)
    expected = called(function, *args)
    with running(Trace([])) as trace:
        made = called(function, *(symbolic(a) for a in args))
        if isinstance(expected, type):
            assert made is expected
        else:
            agrees(trace, made, expected)


@each_dtype
@pytest.mark.parametrize("name", [n for n, row in ROWS.items() if row.reduces is not Reduction.NONE])
def test_reduce(name: str, dtype: np.dtype[Any]) -> None:
    """Fibres of none to three special values, with and without an initial value."""
    function = getattr(np, name).reduce
    values = special(dtype)[:9]
    for number in range(4):
        fibres = np.array(list(product(values, repeat=number)), dtype).reshape(len(values) ** number, number)[::7]
        for more in ({}, {"initial": values[1]}):
            if name in ("add", "multiply") and dtype.kind not in "iub":
                continue  # the order of numpy's additions is open: test_trees.py
            expected = called(function, fibres, axis=1, **more)
            with running(Trace([])) as trace:
                made = called(function, symbolic(fibres), axis=1, **more)
                if isinstance(expected, type):
                    assert made is expected
                else:
                    agrees(trace, made, expected)


def arrays() -> Iterator[np.ndarray[Any, Any]]:
    yield np.arange(6, dtype=np.int8).reshape(2, 3)
    yield np.array(7, np.int16)
    yield np.zeros((0, 2), np.float32)


CALLS: dict[str, list[tuple[Any, ...]]] = {
    "reshape": [(-1,)], "ravel": [()], "transpose": [()], "permute_dims": [()], "matrix_transpose": [()],
    "swapaxes": [(0, 1)], "moveaxis": [(0, -1)], "rollaxis": [(1,)], "squeeze": [()], "expand_dims": [(0,)],
    "flip": [()], "fliplr": [()], "flipud": [()], "rot90": [()], "roll": [(1,)], "repeat": [(2,)], "tile": [((2, 1),)],
    "broadcast_to": [((4, 2, 3),)], "diagonal": [()], "atleast_1d": [()], "atleast_2d": [()], "atleast_3d": [()],
    "split": [(2,)], "array_split": [(2,)], "hsplit": [(1,)], "vsplit": [(2,)], "dsplit": [(1,)],
    "delete": [(0, 0)], "sliding_window_view": [(1,), (2, 1), ((1, 2),)],
}  # fmt: skip  # a table


@pytest.mark.parametrize("name", MOVES)
def test_moves(name: str) -> None:
    """What only moves elements gives views where numpy does, and the same elements."""
    for array, args in product(arrays(), CALLS[name]):
        function = getattr(np, name, None) or getattr(np.lib.stride_tricks, name)
        expected = called(function, array, *args)
        with running(Trace([])) as trace:
            given = symbolic(array)
            made = called(function, given, *args)
            if isinstance(expected, type):
                assert made is expected
                continue
            both = zip(made, expected, strict=True) if isinstance(expected, list) else [(made, expected)]
            for one, other in both:
                agrees(trace, one, other)
                if other.size:
                    assert (held(one).memory is held(given).memory) == np.shares_memory(other, array)


FUNCTIONS = {
    "where": lambda x, y: np.where(x > y, x, y),
    "where with a number": lambda x, y: np.where(x == 0, 1, y),
    "clip": lambda x, y: np.clip(x, 0, 2),
    "nan_to_num": lambda x, y: np.nan_to_num(x),
    "max": lambda x, y: np.max(x, axis=0),
    "min": lambda x, y: x.min(axis=-1, keepdims=True),
    "any": lambda x, y: np.any(x > y, axis=1),
    "all": lambda x, y: (x == y).all(),
    "nanmax": lambda x, y: np.nanmax(np.where(x == y, x, 1), axis=0),
    "argmax": lambda x, y: np.argmax(x, axis=1),
    "argmin": lambda x, y: x.argmin(),
    "count_nonzero": lambda x, y: np.count_nonzero(x, axis=0),
    "concatenate": lambda x, y: np.concatenate([x, y], axis=1),
    "stack": lambda x, y: np.stack([x, y]),
    "full_like": lambda x, y: np.full_like(x, 1),
    "zeros_like": lambda x, y: np.zeros_like(x) + y,
    "take": lambda x, y: np.take(x, [0, 0], axis=1),
    "gather": lambda x, y: x[np.array([1, 0]), np.array([0, 1])],
    "mask": lambda x, y: _masked(x, y),
    "copyto": lambda x, y: _copied(x, y),
    "in place": lambda x, y: _added_in_place(x, y),
    "select": lambda x, y: np.select([x < y, x > y], [x, y], 0),
    "to int8": lambda x, y: (x > y).astype(np.int8),
    "to float": lambda x, y: np.add(x, y).astype(np.float32) if x.dtype.kind in "iub" else x,
    "to double": lambda x, y: x.astype(np.float64),
    "bits": lambda x, y: x if x.dtype == bool or x.dtype.name in ("int4", "uint4") else x.view(f"u{x.itemsize}"),
    "scalars": lambda x, y: x[0, 1] + y[1, 0] if x.dtype != bool else x[0, 1] | y[1, 0],
    "reflected": lambda x, y: 2 * y if x.dtype != bool else y,
    "out": lambda x, y: np.maximum(x, y, out=np.empty_like(x)),
    "sum": lambda x, y: x.sum(axis=1) if x.dtype.kind in "iub" else x,
    "prod": lambda x, y: np.prod(x) if x.dtype.kind in "iub" else x,
    "nansum": lambda x, y: np.nansum(x, axis=0) if x.dtype.kind in "iub" else x,
    "nanmin": lambda x, y: np.nanmin(np.where(x == y, x, 1), axis=1, keepdims=True),
    "putmask": lambda x, y: _put(x, y),
    "isposinf": lambda x, y: np.isposinf(x) if x.dtype.kind == "f" else x,
    "isneginf": lambda x, y: np.isneginf(x) if x.dtype.kind == "f" else x,
    "broadcast_arrays": lambda x, y: np.broadcast_arrays(x[0], y)[0],
    "vstack": lambda x, y: np.vstack([x, y]),
    "hstack": lambda x, y: np.hstack([x, y]),
    "dstack": lambda x, y: np.dstack([x, y]),
    "column_stack": lambda x, y: np.column_stack([x[0], y[0]]),
    "take_along_axis": lambda x, y: np.take_along_axis(x, np.array([[1, 0], [0, 0]]), 1),
    "ones_like": lambda x, y: np.ones_like(x, shape=(3,)),
    "copy": lambda x, y: np.copy(x.T),
    "astype": lambda x, y: np.astype(x, np.float64),
    "asarray": lambda x, y: np.asarray([x[0, 0], y[1, 1]]),
    "negated mask": lambda x, y: x[~(x == x)] if x.dtype.kind in "iub" else x,
    "newaxis": lambda x, y: x[:, None] + y[None] if x.dtype != bool else x[:, None] & y[None],
    "transposed view": lambda x, y: x.T.copy().view(x.dtype).T,
    "fill": lambda x, y: _filled(x),
    "outer": lambda x, y: np.minimum.outer(x[0], y[1]),
    "accumulate": lambda x, y: np.maximum.accumulate(np.where(x == 0, 1, x), axis=1),
}


def _masked(x: Any, y: Any) -> Any:
    made = x.copy()
    made[x > y] = 1
    return made


def _copied(x: Any, y: Any) -> Any:
    made = np.empty_like(x)
    made[...] = y
    np.copyto(made, x, where=x < y)
    return made


def _put(x: Any, y: Any) -> Any:
    made = x.copy()
    np.putmask(made, x > y, y)
    return made


def _filled(x: Any) -> Any:
    made = x.copy()
    made[1:].fill(1)
    return made


def _added_in_place(x: Any, y: Any) -> Any:
    made = x.copy()
    made[0] = y[1]
    if x.dtype != bool:
        made -= y
    return made


@each_dtype
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name: str, dtype: np.dtype[Any]) -> None:
    """Functions, methods, indices and assignments on a few arrays of special values."""
    values = special(dtype)
    for turn in range(4):
        x, y = (np.array([values[(s * k + turn) % len(values)] for k in range(4)], dtype).reshape(2, 2) for s in (1, 3))
        expected = called(FUNCTIONS[name], x, y)
        with running(Trace([])) as trace:
            given = symbolic(x), symbolic(y)
            try:
                with numpy_replaced(None):
                    made = called(FUNCTIONS[name], *given)
            except Unsupported:
                # numpy's `clip` of types that are not its own gives float, and its maximum does not.
                assert (name, dtype.name) in [("clip", "bfloat16"), ("clip", "float8_e5m2")]
                continue
            if isinstance(expected, type):
                assert made is expected
            else:
                agrees(trace, made, expected)


def test_bits_of_less_than_a_byte_are_refused() -> None:
    """How numpy keeps an int4 in a byte is no part of its value: of -1 it may be 15 or 255."""
    with running(Trace([])), pytest.raises(Unsupported, match="bits of int4 as uint8"):
        symbolic(np.array([1, -1], DTYPES[ELEMENT_TYPES["int4"]])).view(np.uint8).terms()


MINIFLOAT = DTYPES[ELEMENT_TYPES["float8e4m3fn"]]


@pytest.mark.parametrize(
    "function",
    [
        np.maximum, np.minimum, np.less, np.equal, np.not_equal, np.isnan, np.isinf, np.negative, np.positive,
        lambda *xs: xs[0].astype(np.float32), lambda *xs: xs[0].astype(bool), lambda *xs: np.where(xs[0] < 1, *xs),
    ],
)  # fmt: skip  # a table
def test_minifloats_are_compared_and_converted(function: Any) -> None:
    """Each function, on all pairs of some values."""
    plain = [0.0, -0.0, 1.0, -1.5, 448.0, -448.0, 2.0**-9, np.nan]
    pairs = np.array(list(product(plain, plain)), MINIFLOAT)
    args = [pairs[:, n].copy() for n in range(getattr(function, "nin", 2))]
    with running(Trace([])) as trace, numpy_replaced(None):
        given = [array_of(terms_of(a, a.dtype), a.dtype) for a in args]
        agrees(trace, called(function, *given), called(function, *args))


@pytest.mark.parametrize("source", [np.int8, np.uint16, np.float16, np.float32, ml_dtypes.bfloat16])
def test_numbers_become_minifloats(source: Any) -> None:
    """As numpy converts them, once; what float does not have exactly is refused."""
    values = np.array([0, 1, 17, 100, 127], source)
    with running(Trace([])) as trace:
        agrees(trace, symbolic(values).astype(MINIFLOAT), values.astype(MINIFLOAT))
    with running(Trace([])), pytest.raises(Unsupported, match="float64 to|double to"):
        symbolic(np.array([1.0])).astype(MINIFLOAT).terms()


@pytest.mark.parametrize("function", [np.add, np.multiply, np.signbit, np.add.reduce, lambda x, *_: x.view(np.uint8)])
def test_minifloats_have_no_arithmetic(function: Any) -> None:
    """What is computed with them, or with their bits, is refused by name."""
    values = np.array([1.0, 2.0], MINIFLOAT)
    with np.errstate(all="ignore"), running(Trace([])), pytest.raises(Unsupported, match="float8e4m3fn"):
        function(*[array_of(terms_of(values, MINIFLOAT), MINIFLOAT)] * getattr(function, "nin", 1)).terms()


def test_every_type_has_a_sort() -> None:
    assert {DTYPES[s] for s in SORTS.values()} == set(DTYPES.values())
    assert real.empty is np.empty


def test_what_is_not_in_the_table_is_named() -> None:
    """A function without a meaning is refused with its name and the line that called it."""
    with running(Trace([])), pytest.raises(Unsupported, match=r"numpy\.tril, test_table\.py:\d+"):
        np.tril(symbolic(np.array([1.0, 2.0])))


@pytest.mark.parametrize("name", ["trace", "outer", "tensordot"])
def test_functions_of_one_name_are_not_taken_for_each_other(name: str) -> None:
    """`numpy.linalg.trace` is along the last two axes, `numpy.trace` along the first."""
    with running(Trace([])):
        cubes = [symbolic(np.arange(8).reshape(2, 2, 2))] * (1 if name == "trace" else 2)
        with pytest.raises(Unsupported, match=rf"numpy\.{name}, test_table\.py:\d+"):
            getattr(np.linalg, name)(*cubes)


def test_open_values_are_apart() -> None:
    """Two choices that numpy leaves open are two symbols."""
    zeros: Any = symbolic(np.array([0.0, -0.0], np.float32))
    with running(Trace([])), np.errstate(all="ignore"):
        first, second = (np.maximum(zeros[0], zeros[1]).terms()[()] for _ in range(2))

    assert first is not second
    assert len({n.payload for n in subterms(first, second) if isinstance(n.payload, Symbol)}) == 2


def test_types_that_no_row_thinks_of_are_refused() -> None:
    """numpy compares uint64 with int64 exactly; that has no meaning here, which is no error of the code's own."""
    with running(Trace([])) as trace, np.errstate(all="ignore"):
        a: Any = symbolic(np.array([1, 2], np.uint64))
        b: Any = symbolic(np.array([1, 2], np.int64))
        with pytest.raises(Unsupported, match=r"numpy\.less of these types: .*, test_table\.py:\d+"):
            _ = a < b
        assert trace.unsupported is not None
