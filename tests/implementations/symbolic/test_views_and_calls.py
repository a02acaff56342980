"""Views with strides of the code's own, padding, `ufunc.at`, `isclose`, and what calls a function of the code: each
held against numpy."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view

from sonnx_verify.conformance.symbolic import (
    callbacks,
    compositions,
    indexing,
    iteration,
    numbers,
    padding,
    replacement,
    views,
)
from sonnx_verify.conformance.symbolic.cells import cast, reinterpreted, sort_of
from sonnx_verify.conformance.symbolic.memory import held
from sonnx_verify.conformance.symbolic.replacement import views_replaced
from sonnx_verify.conformance.symbolic.trace import OutsideOfMemory, memory_watched
from sonnx_verify.logic.terms import TRUE
from tests.implementations.symbolic.concrete import compared, each_dtype, special

STRIDED = np.lib.stride_tricks
BOGUS: Any = "bogus"


def two(dtype: Any, turn: int = 0) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Two arrays of shape (2, 3) of special values."""
    values = special(np.dtype(dtype))
    first, second = (np.resize(np.roll(values, n), (2, 3)).copy() for n in (turn, 2 * turn + 1))
    return first, second


def written(array: Any, value: Any = 1) -> Any:
    array[...] = value
    return array


# ---------------------------------------------------------------------------------------------------------------- views

VIEWS = {
    "a window": lambda x, y: sliding_window_view(x, 2, axis=1),
    "windows of both": lambda x, y: sliding_window_view(x, (2, 2)),
    "windows of one axis twice": lambda x, y: sliding_window_view(x, (2, 2), axis=(1, 1)),
    "too long": lambda x, y: sliding_window_view(x, 4, axis=1),
    "no axis": lambda x, y: sliding_window_view(x, 2, axis=3),
    "summed windows": lambda x, y: sliding_window_view(x, 2, axis=1).max(axis=-1),
    "a window that is not written to": lambda x, y: written(sliding_window_view(x, 2, axis=1)),
    "a window that may be": lambda x, y: written(sliding_window_view(x, 1, axis=1, writeable=True)),
    "strided": lambda x, y: STRIDED.as_strided(x, (2, 2), x.strides),
    "a diagonal": lambda x, y: written(STRIDED.as_strided(x, (2,), (x.strides[0] + x.strides[1],))),
    "shape alone": lambda x, y: STRIDED.as_strided(x, (1, 2)),
    "strides alone": lambda x, y: STRIDED.as_strided(x, strides=(0, x.strides[1])),
    "read only": lambda x, y: written(STRIDED.as_strided(x, (1, 2), writeable=False)),
    "backwards from inside": lambda x, y: STRIDED.as_strided(x[1:, 1:], (2, 2), (-x.strides[0], -x.strides[1])),
    "beyond a slice": lambda x, y: STRIDED.as_strided(x[:1, :1], (2, 2), x.strides),
    "of turned rows": lambda x, y: STRIDED.as_strided(x.T, (3,), (x.strides[1],)),
    "no elements": lambda x, y: STRIDED.as_strided(x, (0, 5)),
    "shape and strides that do not fit": lambda x, y: STRIDED.as_strided(x, (2,), x.strides),
    "a negative size": lambda x, y: STRIDED.as_strided(x, (-1, 2)),
    "of a real array": lambda x, y: STRIDED.as_strided(np.arange(4), (2, 2), (8, 8)),
}  # fmt: skip  # a table


@pytest.mark.parametrize("name", VIEWS)
def test_views(name: str) -> None:
    """What is written to a view is written to the array; errors are numpy's."""
    assert compared(VIEWS[name], *two(np.int16)) == ""
    assert compared(VIEWS[name], *two(np.float32, 3)) == ""


def test_elements_that_stand_twice_are_not_written_to() -> None:
    """Which of two values stays is numpy's order of writing."""
    x, y = two(np.int8)

    assert compared(lambda x, y: written(STRIDED.as_strided(x, (2, 2), (1, 1)), y[:, :2]), x, y) != ""
    assert compared(lambda x, y: written(sliding_window_view(x, 2, axis=1, writeable=True)), x, y) != ""


OUTSIDE: dict[str, Any] = {
    "behind": lambda x: STRIDED.as_strided(x, (2, 4)),
    "before": lambda x: STRIDED.as_strided(x, (2,), (-2,)),
    "far": lambda x: STRIDED.as_strided(x, (2,), (1 << 40,)),
    "behind a slice": lambda x: STRIDED.as_strided(x[1:, 2:], (2,), (2,)),
    "of a copy": lambda x: STRIDED.as_strided(x[:, :1].copy(), (3,), (2,)),
    "of a real one": lambda x: STRIDED.as_strided(np.zeros(2, np.int16), (3,), (2,)),
}


@pytest.mark.parametrize("name", OUTSIDE)
def test_a_view_stays_in_memory(name: str) -> None:
    """Beyond it there is an error, of symbolic and of real arrays, that no `except Exception` catches."""
    call, (x, _) = OUTSIDE[name], two(np.int16)

    with views_replaced(None), memory_watched() as noted, pytest.raises(OutsideOfMemory, match="outside of the memory"):
        call(x)
    assert noted
    with memory_watched() as noted, pytest.raises(OutsideOfMemory):
        compared(lambda x: call(x) if not isinstance(x, np.ndarray) or type(x) is not np.ndarray else x, x)
    assert noted


# -------------------------------------------------------------------------------------------------------------- padding

PADS = {
    "zeros": lambda x, y: np.pad(x, 1),
    "pairs": lambda x, y: np.pad(x, ((0, 1), (2, 0)), constant_values=1),
    "many values": lambda x, y: np.pad(x, 1, constant_values=((0, 1), (1, 0))),
    "an element": lambda x, y: np.pad(x, (1, 2), constant_values=y[1, 2]),
    "a value that does not fit": lambda x, y: np.pad(x, 1, constant_values=300),
    "edge": lambda x, y: np.pad(x, 2, "edge"),
    "reflect": lambda x, y: np.pad(x, ((1, 1), (2, 3)), mode="reflect"),
    "symmetric": lambda x, y: np.pad(x, 3, mode="symmetric"),
    "wrap": lambda x, y: np.pad(x, ((2, 1), (0, 4)), mode="wrap"),
    "by axes": lambda x, y: np.pad(x, {-1: (1, 2)}),
    "a negative width": lambda x, y: np.pad(x, -1),
    "no mode": lambda x, y: np.pad(x, 1, BOGUS),
    "a word of another mode": lambda x, y: np.pad(x, 1, "edge", constant_values=1),
    "of turned rows": lambda x, y: np.pad(x.T, 1, "edge"),
    "of nothing": lambda x, y: np.pad(x[:0], 1, constant_values=1),
    "an edge of nothing": lambda x, y: np.pad(x[:0], 1, "edge"),
}


@each_dtype
@pytest.mark.parametrize("name", PADS)
def test_pads(name: str, dtype: Any) -> None:
    assert compared(PADS[name], *two(dtype, 4)) == ""


def test_what_is_padded_with_nothing_is_open() -> None:
    """Twice it is not the same."""

    def same(x: Any) -> Any:
        return np.pad(x, 1, "empty")[0] == np.pad(x, 1, "empty")[0]

    with pytest.raises(AssertionError, match="only facts determine"):
        compared(same, two(np.int8)[0])


def test_pads_that_compute_are_refused() -> None:
    for call in (
        lambda x: np.pad(x, 1, "mean"), lambda x: np.pad(x, 1, "reflect", reflect_type="odd"),
        lambda x: np.pad(x, 1, "linear_ramp"), lambda x: np.pad(x, 1, lambda *args: None),
    ):  # fmt: skip  # a table
        assert compared(call, two(np.int8)[0]) != ""


# ------------------------------------------------------------------------------------------------------------ ufunc.at


def at(name: str, x: Any, key: Any, *values: Any) -> Any:
    made = x.copy()
    getattr(np, name).at(made, key, *values)
    return made


ATS = {
    "add": lambda x, y: at("add", x, (0, [0, 1, 2]), y[0]),
    "subtract": lambda x, y: at("subtract", x, 1, y[0, 0]),
    "maximum": lambda x, y: at("maximum", x, [0, 0, 1], np.stack([y[0], y[1], y[0]])),
    "multiply twice": lambda x, y: at("multiply", x.astype(np.int32), ([0, 0], [1, 1]), y[0, :2]),
    "add twice": lambda x, y: at("add", x[0].view(f"u{x.itemsize}"), [0, 0, 2, -1], np.uint8(200)),
    "and twice": lambda x, y: at("logical_and", x == y, (0, [0, 0]), y[0, :2] == 0),
    "or of bits": lambda x, y: at("bitwise_or", x.view(f"u{x.itemsize}"), [1, 1], y.view(f"u{x.itemsize}")),
    "negative twice": lambda x, y: at("negative", x, [0, 0, 1]),
    "a number": lambda x, y: at("add", x, (slice(None), 1), 1),
    "a mask": lambda x, y: at("minimum", x, np.array([True, False]), y[0]),
    "outside": lambda x, y: at("add", x, 5, 1),
    "another shape": lambda x, y: at("add", x, [0, 1], np.zeros((5, 2), x.dtype)),
    "another type": lambda x, y: at("add", x.astype(np.int8), 0, y.astype(np.float32)[0]),
    "a wider type": lambda x, y: at("add", (x == x).astype(np.int8), [0, 0], np.array([[300] * 3, [7] * 3])),
    "read only": lambda x, y: np.add.at(np.broadcast_to(x, x.shape), 0, 1),
}  # fmt: skip  # a table


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int64, np.float32, ml_dtypes.bfloat16], ids=str)
@pytest.mark.parametrize("name", ATS)
def test_at(name: str, dtype: Any) -> None:
    """As often as a place is named; the steps of one place are in no order, so what would need one is refused."""
    refused = compared(ATS[name], *two(dtype, 2))
    assert refused == "" or name in REFUSED_ATS


REFUSED_ATS = ("multiply twice", "another type", "a number")


def test_an_order_that_is_not_promised_is_refused() -> None:
    x, y = two(np.float32)
    for call in (
        lambda x, y: at("add", x, [0, 0], y),
        lambda x, y: at("copysign", x, [0, 0], y),
        lambda x, y: at("left_shift", x.astype(bool).astype(np.int8), [0, 0], 1),
        lambda x, y: at("maximum", x.astype(bool).astype(np.int8), [0, 0], np.array([[300] * 3, [100] * 3])),
    ):  # fmt: skip  # a table
        assert compared(call, x, y) != ""


# ------------------------------------------------------------------------------------------------------------- isclose


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.uint8, np.int64, np.float16, np.float32, np.float64])
def test_isclose(dtype: Any) -> None:
    """In numpy's own steps, each rounded."""
    values = special(np.dtype(dtype))
    pairs = np.array([(a, b) for a in values for b in values], dtype)
    near = np.nextafter(pairs[:, 1], 0) if np.dtype(dtype).kind == "f" else pairs[:, 1]
    for y in (pairs[:, 1], near):
        assert compared(np.isclose, pairs[:, 0], y) == ""
        assert compared(lambda x, y: np.isclose(x, y, rtol=0.5, atol=0, equal_nan=True), pairs[:, 0], y) == ""
    assert compared(lambda x: np.isclose(x, 1), values) == ""
    assert compared(lambda x: np.isclose(x[0], x[1]), values) == ""
    assert compared(lambda x: np.isclose(1, x, atol=2), values) == ""
    assert compared(lambda x: np.allclose(x, x, equal_nan=True), values) == ""
    assert compared(lambda x: np.allclose(x, np.flip(x)), values) == ""


# ----------------------------------------------------------------------------------------------- functions of the code

APPLIED = {
    "a number each": lambda x, y: np.apply_along_axis(lambda row: row[0], 1, x),
    "a row each": lambda x, y: np.apply_along_axis(lambda row: row[::-1], 0, x),
    "negative axis": lambda x, y: np.apply_along_axis(lambda row, k: row.max() if k else row, -1, x, 1),
    "longer rows": lambda x, y: np.apply_along_axis(lambda row: np.concatenate([row, row]), 1, x),
    "a matrix each": lambda x, y: np.apply_along_axis(lambda row: row[:, None] == row, 1, x),
    "a number of the code": lambda x, y: np.apply_along_axis(lambda row: 1 if row[0] == row[1] else 0, 1, x),
    "by the first": lambda x, y: np.apply_along_axis(lambda row: 1 if row[0] == 0 else row[0], 1, x),
    "sorted": lambda x, y: np.apply_along_axis(np.sort, 1, x == y),
    "no axis": lambda x, y: np.apply_along_axis(np.max, 2, x),
    "no rows": lambda x, y: np.apply_along_axis(np.max, 1, x[:0]),
    "empty rows": lambda x, y: np.apply_along_axis(lambda row: 1, 1, x[:, :0]),
    "a turned matrix": lambda x, y: np.apply_along_axis(lambda row: (row[:, None] == row[:2]).T, 0, x[0]),
    "written to": lambda x, y: np.apply_along_axis(written, 1, x),
}


@pytest.mark.parametrize("dtype", [np.int8, np.float32, ml_dtypes.bfloat16, np.bool_], ids=str)
@pytest.mark.parametrize("name", APPLIED)
def test_apply_along_axis(name: str, dtype: Any) -> None:
    assert compared(APPLIED[name], *two(dtype, 3)) == ""


def larger(a: Any, b: Any) -> Any:
    return a if a > b else b


VECTORIZED = {
    "the larger": lambda x, y: np.vectorize(larger)(x, y),
    "the larger of a type": lambda x, y: np.vectorize(larger, otypes=[x.dtype])(x, y),
    "broadcast": lambda x, y: np.vectorize(larger, otypes=[x.dtype])(x[:, :1], y[0]),
    "a scalar": lambda x, y: np.vectorize(larger, otypes=[x.dtype])(x, y[0, 0]),
    "turned": lambda x, y: np.vectorize(larger, otypes=[x.dtype])(x.T, y[0, 0]),
    "two results": lambda x, y: np.vectorize(lambda a, b: (a, a == b))(x, y),
    "by keyword": lambda x, y: np.vectorize(larger, otypes=[x.dtype])(x, b=y),
    "excluded": lambda x, y: np.vectorize(lambda a, n: a if n else 0, excluded=["n"], otypes=[x.dtype])(x, n=True),
    "a number of Python": lambda x, y: np.vectorize(lambda a: 0 if a == a else 1)(x),
    "by the first": lambda x, y: np.vectorize(lambda a: a if a > 0 else 0)(x),
    "they do not wrap": lambda x, y: np.vectorize(lambda a, b: a + b > 200, otypes=[bool])(x, y),
    "they do not fit": lambda x, y: np.vectorize(lambda a: a + 100, otypes=[x.dtype])(x),
    "sums": lambda x, y: np.vectorize(lambda a, b: 2 * a - b, otypes="l" if x.dtype.kind in "iu" else "d")(x, y),
    "negated": lambda x, y: np.vectorize(lambda a: -a if a < 0 else +a, otypes=[np.float64])(x),
    "absolute": lambda x, y: np.vectorize(abs, otypes=[np.float64])(x),
    "least": lambda x, y: np.vectorize(lambda a, b: min(a, b, 3), otypes=[np.float64])(x, y),
    "truth": lambda x, y: np.vectorize(lambda a: not a, otypes=[bool])(x),
    "numpy inside": lambda x, y: np.vectorize(lambda a, b: np.maximum(a, b) == a, otypes=[bool])(x, y),
    "is it NaN": lambda x, y: np.vectorize(lambda a: np.isnan(a), otypes=[bool])(x),
    "kinds": lambda x, y: np.vectorize(lambda a: isinstance(a, float), otypes=[bool])(x),
    "nothing": lambda x, y: np.vectorize(larger)(x[:0], y[0]),
    "nothing of a type": lambda x, y: np.vectorize(larger, otypes=[x.dtype])(x[:0], y[0]),
    "shapes that do not fit": lambda x, y: np.vectorize(larger)(x, y[:, :2]),
    "one and numbers": lambda x, y: np.vectorize(larger, otypes=[np.float64])(x, 1),
}


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.bool_, np.float16, np.float32, np.float64], ids=str)
@pytest.mark.parametrize("name", VECTORIZED)
def test_vectorize(name: str, dtype: Any) -> None:
    """The first elements as scalars of numpy, all elements as numbers of Python."""
    for turn in range(5):
        refused = compared(VECTORIZED[name], *two(dtype, turn))
        assert refused == "" or np.dtype(dtype).name in REFUSED_NUMBERS.get(name, "")


REFUSED_NUMBERS = {
    # A float among results that are integers by the first of them.
    "by the first": "float16 float32 float64",
    # More than 64 bits, or more than 53 where it becomes a float.
    "they do not wrap": "int64", "they do not fit": "int64", "sums": "int64", "negated": "int64", "absolute": "int64",
    "least": "int64", "one and numbers": "int64",
}  # fmt: skip  # a table


@pytest.mark.parametrize("move", [lambda x: x, lambda x: x.T, lambda x: x[::-1], lambda x: x[:, ::-1].T])
def test_a_function_that_remembers_is_called_in_numpys_order(move: Any) -> None:
    def numbered(x: Any, y: Any) -> Any:
        calls: list[Any] = []

        def call(a: Any, b: Any = 0) -> Any:
            calls.append(a)
            return len(calls)

        return np.vectorize(call, otypes="l")(move(x)), np.vectorize(call, otypes="l")(move(x), move(y)[:, :1])

    assert compared(numbered, *two(np.int8)) == ""


def test_a_vectorized_function_of_a_module() -> None:
    """Whether it was made in the run or before."""
    made = np.vectorize(larger)

    assert compared(made, *two(np.int8)) == ""
    assert compared(np.vectorize(larger, signature="(),()->()"), *two(np.int8)) != ""


def iterated(x: Any, *more: Any, **kwargs: Any) -> list[Any]:
    elements: Any = np.nditer(x, *more, **kwargs)
    return [e + 0 for e in elements]


def doubled(x: Any) -> Any:
    made = x.copy()
    with np.nditer(made, op_flags=["readwrite"]) as it:
        elements: Any = it
        for e in elements:
            e[...] = e if e == 1 else 7
    return made


def indexed(x: Any) -> list[Any]:
    it, found = np.nditer(x, flags=["multi_index"]), []
    while not it.finished:
        found.append(it[0] + 0 * sum(it.multi_index))
        it.iternext()
    return found


def allocated(x: Any, y: Any) -> Any:
    it = np.nditer([x, y, None])
    with it:
        for a, b, c in it:
            c[...] = np.maximum(a, b)
        return it.operands[2]


def output(x: Any, y: Any) -> Any:
    made = np.zeros(x.shape, x.dtype)
    it = np.nditer([x, y, made], [], [["readonly"], ["readonly"], ["writeonly"]])
    while not it.finished:
        it[2] = it[0] if it[0] > it[1] else it[1]
        it.iternext()
    return made


ITERATED = {
    "elements": lambda x, y: iterated(x),
    "turned": lambda x, y: iterated(x.T),
    "flipped": lambda x, y: iterated(x[::-1, ::-1]),
    "in columns": lambda x, y: iterated(x, order="F"),
    "turned in rows": lambda x, y: iterated(x.T, order="C"),
    "indexed": lambda x, y: indexed(x.T),
    "indexed and flipped": lambda x, y: indexed(x[:, ::-1]),
    "two": lambda x, y: [a + b for a, b in np.nditer([x, y[0]])],
    "two of two layouts": lambda x, y: [a + b for a, b in np.nditer([x.T, y[:1].T])],
    "a real one": lambda x, y: [a * int(b) for a, b in np.nditer([x, np.arange(3)])],
    "written": lambda x, y: doubled(x),
    "not to be written": lambda x, y: [written(e) for e in np.nditer(x)],
    "allocated": allocated,
    "output": output,
    "of nothing": lambda x, y: iterated(x[:0]),
    "of nothing, allowed": lambda x, y: iterated(x[:0], ["zerosize_ok"]),
    "shapes that do not fit": lambda x, y: [a for a, _ in np.nditer([x, y[:, :2]])],
    "no index": lambda x, y: np.nditer(x).multi_index,
    "twice": lambda x, y: [e + 0 for it in [np.nditer(x)] for e in [next(it), *it]],
    "of a scalar": lambda x, y: iterated(x[0, 0]),
    "an iterator has": lambda x, y: [np.nditer(x).itersize, np.nditer([x, y]).nop, len(np.nditer([x, y]))],
    "too far": lambda x, y: [it[0] for it in [np.nditer(x[:1, :1])] for _ in (it.iternext(), 0)],
}


@pytest.mark.parametrize("dtype", [np.int8, np.float32], ids=str)
@pytest.mark.parametrize("name", ITERATED)
def test_nditer(name: str, dtype: Any) -> None:
    """In the order of memory unless another one is asked for; errors are numpy's."""
    assert compared(ITERATED[name], *two(dtype, 1)) == ""


def test_iterations_of_another_kind_are_refused() -> None:
    assert "a scalar" in compared(lambda x: np.nditer(x[0, 0], op_flags=["readwrite"]), two(np.int8)[0])
    for flags in (["external_loop"], ["buffered"], ["c_index"]):
        assert compared(lambda x, f=flags: iterated(x, f), two(np.int8)[0]) != ""
    assert (
        compared(lambda x: np.nditer(x, op_dtypes=["int16"], casting="unsafe", flags=["buffered"]), two(np.int8)[0])
        != ""
    )


def near(x: Any, y: Any) -> Any:
    return np.isclose(x, y, rtol=0.5, atol=0)


def _copied(x: Any, *args: Any, **kwargs: Any) -> Any:
    return views.as_strided(x, *args, **kwargs).copy()


def _by_rows(arrays: Any, order: Any) -> Any:
    return [*np.ndindex(*np.broadcast_shapes(*(a.shape for a in arrays)))]


def _once(changed: Any, array: Any, place: int) -> Any:
    return reinterpreted(held(array).memory[place], sort_of(array.dtype))


TWINS: dict[str, tuple[Any, str, Any, Any]] = {
    "a strided copy": (replacement, "STRIDED", replace(replacement.STRIDED, function=_copied), VIEWS["a diagonal"]),
    "one value everywhere": (padding, "_added", lambda a, e, m, v: np.full(e.shape, TRUE), PADS["many values"]),
    "once for each place": (indexing, "_now", _once, ATS["and twice"]),
    "numbers that wrap": (callbacks, "number_of", lambda element: element, VECTORIZED["they do not wrap"]),
    "numbers that always fit": (numbers, "_converted", lambda h, s: cast(h.term, s), VECTORIZED["they do not fit"]),
    "rows first": (iteration, "turns", _by_rows, ITERATED["turned"]),
    "elements that are only read": (iteration, "_writes", lambda flags, operands: [False], ITERATED["written"]),
    "the first row for all": (callbacks, "_row", lambda rows, place: rows[0], APPLIED["a number each"]),
    "near the first": (compositions, "_tolerance", lambda a, y, r, t: t + r * np.abs(a), near),
}


@pytest.mark.parametrize("name", TWINS)
def test_twins(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong meaning is noticed by such a comparison."""
    owner, attribute, wrong, call = TWINS[name]
    dtype = np.bool_ if name in ("one value everywhere", "once for each place") else np.uint8

    assert {compared(call, *two(dtype, turn)) for turn in range(4)} == {""}
    monkeypatch.setattr(owner, attribute, wrong)
    with pytest.raises(AssertionError):
        assert {compared(call, *two(dtype, turn)) for turn in range(4)} == {""}


def test_the_twin_of_a_view_that_stays_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the question nothing is raised, and nothing is read here."""
    monkeypatch.setattr(views, "_within", lambda *_: None)

    with views_replaced(None), memory_watched() as noted:
        OUTSIDE["behind a slice"](two(np.int16)[0])
    assert not noted


COPIES: dict[str, Any] = {
    "turned": lambda x: x.transpose(2, 0, 1),
    "flipped": lambda x: x[::-1, :, ::-1].T,
    "spread in front": lambda x: np.broadcast_to(x[:, :, 0], (2, 2, 3)),
    "spread behind": lambda x: np.broadcast_to(x[..., :1], (2, 3, 4)),
    "a column": lambda x: x[:, 0, :].T[:, :1],
    "a part": lambda x: x[:, ::2, 1].T,
    "nothing": lambda x: x[:0].T,
}


@pytest.mark.parametrize("name", COPIES)
def test_copies_lie_as_numpy_lays_them(name: str) -> None:
    """What is written in the order of memory is written to the same elements."""

    def copied(x: Any) -> Any:
        made = np.array(COPIES[name](x))
        turned = COPIES[name](x).copy("F")
        made.ravel(order="K")[: made.size // 2] = 9
        turned.T.reshape(-1)[:1] = 7
        return made, turned, np.array(made.flags.c_contiguous)

    assert compared(copied, np.arange(12, dtype=np.int8).reshape(2, 3, 2)) == ""
