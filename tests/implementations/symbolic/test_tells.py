"""What real arrays tell of themselves, symbolic ones tell too, or they refuse: code that asks is never called proved.

Each tell is something that holds of the real array of 100 and -3, and did not of a symbolic one. The code that asks
makes zeros of it then, so that it is wrong for these elements alone, which no list of special values has in it.
"""

from __future__ import annotations

import operator
import pickle
import sys
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided, sliding_window_view

from sonnx_verify.conformance.proofs.instances import Bound
from sonnx_verify.conformance.proofs.prover import Proof, Prover
from sonnx_verify.conformance.proofs.subject import Subject
from sonnx_verify.kernel.core import family_of
from sonnx_verify.language.context import Context
from sonnx_verify.language.named import find_operator, here
from sonnx_verify.logic.sorts import ELEMENT_TYPES
from sonnx_verify.solving.solvers import Solvers

INT8 = np.int8


@pytest.fixture(scope="module")
def prove() -> Any:
    """Proves a function to be an operator on int8, of one input, at shapes up to rank 1."""
    project = here()
    with Solvers() as solvers:

        def run(call: Callable[..., Any], operator_: str = "sonnx.Max-13") -> Proof:
            sort = ELEMENT_TYPES["int8"]
            meaning = project.meaning(find_operator(project, operator_), Context(family_of(sort), sort))
            subject = Subject("test", call, sys.modules[__name__])
            return Prover(meaning, subject, solvers, Bound(rank=1, dim=2, inputs=1)).run()

        yield run


def raised(call: Callable[[], Any]) -> type:
    """The error that a call raises, or None's type."""
    try:
        call()
    except Exception as problem:
        return type(problem)
    return type(None)


def works(call: Callable[[], Any]) -> bool:
    return raised(call) is type(None)


def put(array: Any, key: Any, value: Any) -> Any:
    array[key] = value
    return array


def kept(copy: Callable[[Any], Any]) -> bool:
    """Whether an array keeps its elements when what is made of it is written to."""
    held = np.zeros(2, INT8)
    copy(held)[...] = 7
    return bool((held == 0).all())


def sheet(m: Any) -> Any:
    return np.stack([m, m])


def turned() -> Any:
    """A real array in the order of columns."""
    return np.array([[0, 0], [0, 0]], INT8).T


def wide(m: Any) -> Any:
    """300 where the element is 100, a scalar of a wider type."""
    return m.astype(np.int64)[0] * 3


def attribute_set(array: Any, name: str, value: Any) -> Any:
    setattr(array, name, value)
    return array


def numbers(m: Any) -> list[Any]:
    """The numbers of Python that `vectorize` gives to a function."""
    found: list[Any] = []

    def kept(number: Any) -> int:
        found.append(number)
        return 0

    np.vectorize(kept, otypes=[INT8])(m)
    return found


def sorted_in_place(array: Any) -> Any:
    array.sort()
    return array


def added_at(array: Any, places: list[int], value: int) -> Any:
    np.add.at(array, places, value)
    return array


def gone_over(array: Any) -> Any:
    it = np.nditer(array)
    list(it)
    return it


HELD: dict[str, Callable[[Any], bool]] = {
    "a scalar that does not fit is assigned": lambda m: raised(lambda: put(m.copy(), 0, wide(m))) is OverflowError,
    "it is one of a list": lambda m: raised(lambda: put(m.copy(), slice(None), [wide(m), m[0]])) is OverflowError,
    "it is put into an array": lambda m: raised(lambda: np.array([wide(m)], INT8)) is OverflowError,
    "it fills one": lambda m: raised(lambda: m.copy().fill(wide(m))) is OverflowError,
    "it is initial": lambda m: raised(lambda: np.max(m, initial=wide(m))) is OverflowError,
    "a number is wrapped": lambda m: works(lambda: np.where(m == m, m, 300)),
    "a mask of integers in a fold": lambda m: raised(lambda: np.max(m, where=m, initial=0)) is TypeError,
    "in a call": lambda m: raised(lambda: np.add(m, m, out=np.zeros(2, INT8), where=m)) is TypeError,
    "in a copy": lambda m: raised(lambda: np.copyto(np.zeros(2, INT8), m, where=m)) is TypeError,
    "out of another shape": lambda m: not works(lambda: np.max(sheet(m), axis=0, out=np.zeros((3, 2), INT8))),
    "an element and a sequence": lambda m: raised(lambda: put(m.copy(), 0, m[:1])) is ValueError,
    "a list that is not even": lambda m: raised(lambda: np.array([m, m[0]])) is ValueError,
    "assigned": lambda m: raised(lambda: put(np.zeros((2, 2), INT8), slice(None), [m, m[0]])) is ValueError,
    "a mask and a matrix of one": lambda m: not works(lambda: put(m.copy(), m == m, np.zeros((1, 1), INT8))),
    "putmask with a small mask": lambda m: not works(lambda: np.putmask(m.copy(), (m == m)[:1], 0)),
    "putmask with a turned mask": lambda m: works(lambda: np.putmask(m.copy(), (m == m)[:, None], 0)),
    "bounds that are none of the type": lambda m: works(lambda: np.clip(m, -300, 300)),
    "clipped to nothing": lambda m: kept(lambda x: np.clip(x, None, None)),
    "a copy that is asked for": lambda m: kept(lambda x: np.asarray(x, copy=True)),
    "reshaped as a copy": lambda m: kept(lambda x: x.reshape(2, copy=True)),
    "what is read of flat": lambda m: kept(lambda x: x.flat[:]),
    "flat with numbers": lambda m: raised(lambda: m.flat + 1) is TypeError,
    "flat goes on": lambda m: works(lambda: next(m.flat)),
    "flat that is set": lambda m: works(lambda: attribute_set(m.copy(), "flat", 0)),
    "no copy to another type": lambda m: raised(lambda: np.array(m, np.int16, copy=False)) is ValueError,
    "no copy of a scalar": lambda m: raised(lambda: np.array(m[0], copy=False)) is ValueError,
    "columns of a number of the code's own": lambda m: not (m[0] + turned()).flags.c_contiguous,
    "where in columns": lambda m: not np.where(turned() == 0, m[0], m[1]).flags.c_contiguous,
    "zeros like columns": lambda m: not np.zeros_like(turned()).flags.c_contiguous,
    "converted in columns": lambda m: not sheet(m).astype(np.int16, order="F").flags.c_contiguous,
    "who made it": lambda m: bool(m.copy().flags.owndata),
    "a scalar that is not written to": lambda m: not m[0].flags.writeable,
    "the strides of nothing": lambda m: (m[:0].reshape(0, 2) + INT8(1)).strides == (0, 0),
    "a view of a kind of its own": lambda m: m.reshape(1, 2).view(type=np.matrix)[0].ndim == 2,
    "spread arrays are written to": lambda m: works(lambda: put(np.broadcast_arrays(m.copy(), m)[0], 0, 1)),
    "spread arrays are the same": lambda m: np.broadcast_arrays(m, m)[0] is m,
    "squeezed arrays are the same": lambda m: np.squeeze(m) is m,
    "a squeezed scalar is one": lambda m: not isinstance(m[0].squeeze(), np.ndarray),
    "a turned scalar is one": lambda m: not isinstance(np.transpose(m[0]), np.ndarray),
    "without NaN it is one": lambda m: not isinstance(np.nan_to_num(m[:1].reshape(())), np.ndarray),
    "a scalar is filled": lambda m: works(lambda: m[0].fill(1)),
    "no number": lambda m: raised(lambda: int(m)) is TypeError,
    "no index": lambda m: raised(lambda: operator.index(m)) is TypeError,
    "compared with a text": lambda m: works(lambda: m == "a"),
    "real places": lambda m: works(lambda: np.take_along_axis(np.arange(3), m.astype(np.int64) * 0, 0)),
    "like a list": lambda m: works(lambda: np.full_like([0, 0], 1)),
    "out by its place": lambda m: works(lambda: np.concatenate([m[:1], m[1:]], 0, np.zeros(2, INT8))),
    "weak references": lambda m: works(lambda: weakref.ref(m)),
    "bytes": lambda m: works(lambda: bytes(m)),
    "pickled": lambda m: works(lambda: pickle.dumps(m)),
    "has no ptp": lambda m: not hasattr(m, "ptp"),
    "a number is a key": lambda m: 100 in {n: 1 for n in numbers(m)},
    "a number as text": lambda m: str(numbers(m)[0]) == "100",
    "the bits of a number": lambda m: numbers(m)[0].bit_length() == 7,
    "a number does not wrap": lambda m: bool(numbers(m)[0] + numbers(m)[0] == 200),
    "an array of numbers": lambda m: np.array(numbers(m)).dtype == np.int64,
    "an array of a number": lambda m: np.asarray(numbers(m)[0]).dtype == np.int64,
    "a number as a scalar": lambda m: raised(lambda: np.int8(numbers(m)[0] * 3)) is OverflowError,
    "a number is assigned": lambda m: raised(lambda: put(m.copy(), 0, numbers(m)[0] + 100)) is OverflowError,
    "a number is divided": lambda m: bool(numbers(m)[0] / 8 == 12.5),
    "a number and an array": lambda m: (numbers(m)[0] + m).dtype == INT8,
    "an array and a number": lambda m: (m + numbers(m)[0]).dtype == INT8,
    "a number and a scalar": lambda m: np.maximum(numbers(m)[0], m[0]).dtype == INT8,
    "a number and a text": lambda m: bool(numbers(m)[0] != "a"),
    "a number is an int": lambda m: isinstance(numbers(m)[0], int) and not hasattr(numbers(m)[0], "dtype"),
    "a number is no float": lambda m: not hasattr(numbers(m)[0], "hex"),
    "a number is in a range": lambda m: len(range(numbers(m)[0])) == 100,
    "sorted in place": lambda m: bool(sorted_in_place(m.copy())[0] == -3),
    "the place of the least": lambda m: bool(np.argsort(m)[0] == 1),
    "a place outside": lambda m: raised(lambda: m[np.argsort(m) + 1]) is IndexError,
    "what is gone over is at its end": lambda m: gone_over(m).finished,
    "they are read": lambda m: raised(lambda: [put(e, (), 1) for e in np.nditer(m)]) is ValueError,
    "a stride beyond": lambda m: works(lambda: as_strided(m, (3,), (1,))),
    "a window is read": lambda m: not sliding_window_view(m, 2).flags.writeable,
    "a product is of the type": lambda m: (m @ m).dtype == INT8 and not isinstance(m @ m, np.ndarray),
    "added where it is twice": lambda m: bool(added_at(m.copy(), [0, 0], 14)[0] == -128),
}  # fmt: skip  # a table


@pytest.mark.parametrize("tell", HELD, ids=lambda name: name.replace(" ", "-"))
def test_told(tell: str, prove: Any) -> None:
    holds = HELD[tell]

    def told(x: Any) -> Any:
        if x.shape == (2,) and x[0] == 100 and x[1] == -3:
            return np.zeros_like(x) if holds(x) else x
        return x

    assert not told(np.array([100, -3], INT8)).any(), "numpy behaves as it is said to here"
    assert prove(told).verdict.name in ("refuted", "unsupported", "unknown")


def test_numbers_that_are_read_late(prove: Any) -> None:
    """A default that a float16 between has not: numpy converts all of `select` at once."""

    def selected(x: Any) -> Any:
        never = x != x
        high = np.select([never, never], [x.astype(np.float64), x.astype(np.float16)], 70000.0)
        return np.where((high == 70000.0) & (x == 100), np.zeros_like(x), x)

    assert prove(selected).verdict.name in ("refuted", "unsupported", "unknown")


def test_axes_are_inputs_too(prove: Any) -> None:
    """What is not free is not to be written to either; and what one run writes, no other reads."""

    def writes(x: Any, axes: Any = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0) -> Any:
        keep = bool(keepdims)
        if axes is None or not axes.size:
            return x if noop_with_empty_axes else np.max(x, keepdims=keep, initial=-128)
        made = np.max(x, axis=tuple(int(a) for a in axes.ravel()), keepdims=keep, initial=-128)
        if x.size == 1 and x.ravel()[0] == 100:
            axes[...] = 0 if axes.ravel()[0] else -1
        return made

    assert prove(writes, "sonnx.ReduceMax-20").difference.what == "changes its input 1"
