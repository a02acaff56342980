"""Operators that give the same elements another shape, Reshape, Flatten, Squeeze and Unsqueeze, and Expand: on small
inputs they say what numpy does, and a text with one thing wrong in it is refuted or says something else than numpy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sonnx_verify.results.example import example_lines
from sonnx_verify.solving.check.telling import example_of

HERE = Path(__file__).parent
Shape = tuple[int, ...]
Case = tuple[dict[str, Any], np.ndarray | None]
Computed = Callable[..., np.ndarray | None]

SHAPES = [sizes for rank in range(4) for sizes in product(range(3), repeat=rank)]
# Element types to run: T is only moved, but for its size.
TYPES = {"reshape": "int8", "flatten": "float", "squeeze": "bool", "unsqueeze": "int64", "expand": "float16"}


def numbered(shape: Shape) -> np.ndarray:
    """An array of different numbers."""
    return np.arange(prod(shape)).reshape(shape)


def reshape_cases(computed: Computed) -> Iterator[Case]:
    """Lists of sizes, with those of ONNX: 0 copies a size unless allowzero is 1, -1 is inferred where the others allow
    it, nothing else is negative. numpy has -1, and takes 0 as it is."""
    lists = [sizes for n in range(3) for sizes in product((0, -1, 1, 2, 4, -2), repeat=n)]
    lists += [(2, 0, 1), (0, 0, -1), (-1, 0, -1), (1, 2, 2), (2, -1, 2), (0, 1, 0), (0, 0, 0)]
    for shape, sizes, allowzero in product(((), (0,), (4,), (2, 2), (2, 0), (1, 2, 2)), lists, (None, 1)):
        x = numbered(shape)
        wanted = [
            (shape[k] if k < len(shape) else None) if size == 0 and allowzero is None else size
            for k, size in enumerate(sizes)
        ]
        allowed = None not in wanted and min(sizes, default=0) >= -1
        expected = computed(np.reshape, x, wanted) if allowed else None
        yield {"X": x, "sizes": np.array(sizes, int), "allowzero": allowzero}, expected
    yield {"X": numbered((2,)), "sizes": np.array(2), "allowzero": 0}, None
    yield {"X": numbered((2,)), "sizes": np.array([[2]]), "allowzero": 0}, None


def flatten_cases(computed: Computed) -> Iterator[Case]:
    """Every axis and the end, from the front and from the back, and one beyond; left out it is 1. What numpy reshapes
    to is the product of the sizes before the axis, and of the others."""
    for shape in SHAPES:
        rank = len(shape)
        for axis in (None, *range(-rank - 1, rank + 2)):
            meant = 1 if axis is None else axis
            sizes = (prod(shape[:meant]), prod(shape[meant:]))
            valid = -rank <= meant <= rank
            yield {"X": numbered(shape), "axis": axis}, computed(np.reshape, numbered(shape), sizes) if valid else None


def squeeze_cases(computed: Computed) -> Iterator[Case]:
    """No list, and lists of axes: of those that may go and others, of one twice, of one beyond."""
    for shape in SHAPES:
        x, rank = np.asarray(numbered(shape) % 2 == 1), len(shape)
        yield {"X": x, "axes": None}, computed(np.squeeze, x)
        axes = range(-rank - 1, rank + 1) if rank < 3 else (-4, -2, 0, 2)
        for listed in [(), *((a,) for a in axes), *product(axes, repeat=2)]:
            yield {"X": x, "axes": np.array(listed, int)}, computed(np.squeeze, x, axis=listed)
    yield {"X": numbered((1,)), "axes": np.array(0)}, None


def unsqueeze_cases(computed: Computed) -> Iterator[Case]:
    """Lists of axes of the result, from the front and from the back, of one twice, of one beyond."""
    for shape in ((), (0,), (2,), (1, 2), (2, 3), (2, 0, 1)):
        x, rank = numbered(shape), len(shape)
        lists: Iterable[Sequence[int]] = [(), *((a,) for a in range(-rank - 2, rank + 2))]
        for listed in [*lists, *product(range(-rank - 3, rank + 3), repeat=2), (0, 1, 2), (-1, 1, 0), (0, 2, -1)]:
            yield {"X": x, "axes": np.array(listed, int)}, computed(np.expand_dims, x, tuple(listed))
    yield {"X": numbered((2,)), "axes": np.array(0)}, None


def expand_cases(computed: Computed) -> Iterator[Case]:
    """Sizes of every rank, negative ones too: numpy expands both to the shape that they broadcast to."""
    lists = [sizes for n in range(3) for sizes in product((-1, 0, 1, 2, 3), repeat=n)]
    lists += [(2, 1, 1), (1, 1, 3), (2, 0, 1), (1, 2, 3)]
    for shape, sizes in product(((), (0,), (1,), (2,), (1, 3), (2, 1), (0, 1), (2, 1, 3)), lists):
        x = numbered(shape)
        common = computed(np.broadcast_shapes, shape, sizes) if min(sizes, default=0) >= 0 else None
        yield {"X": x, "sizes": np.array(sizes, int)}, None if common is None else np.broadcast_to(x, tuple(common))
    yield {"X": numbered((2,)), "sizes": np.array(2)}, None


CASES: dict[str, Callable[[Computed], Iterator[Case]]] = {
    "reshape": reshape_cases,
    "flatten": flatten_cases,
    "squeeze": squeeze_cases,
    "unsqueeze": unsqueeze_cases,
    "expand": expand_cases,
}


@pytest.mark.parametrize("name", CASES)
def test_says_what_numpy_does(name: str, operator: Any, numpy_or_none: Computed) -> None:
    """Valid exactly where numpy computes a result, or ONNX's rule gives one, with its shape and all its elements."""
    cases = list(CASES[name](numpy_or_none))

    assert {expected is None for _, expected in cases} == {True, False}
    assert list(operator(HERE / f"{name}.sonnx", T=TYPES[name]).differing(cases))[:3] == []


# --------------------------------------------------------------------------------------------------------- wrong texts

READ = "Y.value/in-bounds"
REFUTED: list[tuple[str, str, str, str, list[str]]] = [
    # -1 is inferred where the other sizes have the product 0.
    (
        "reshape",
        "known != 0 and mod",
        "mod",
        "C5/in-bounds",
        ["X         = int8 () 0", "sizes     = int64 (2) [0, -1]", "allowzero = 1"],
    ),
    # allowzero is not looked at where a size is copied.
    (
        "reshape",
        "if int(sizes[[k]]) = 0 and allowzero = 0 then",
        "if int(sizes[[k]]) = 0 then",
        "copied/in-bounds",
        ["X         = int8 () 0", "sizes     = int64 (1) [0]", "allowzero = 1"],
    ),
    # Axes are counted in X, not in the result.
    (
        "unsqueeze",
        "let r = rank(X) + count(A)",
        "let r = rank(X)",
        READ,
        ["X    = int8 (0) []", "axes = int64 (1) [0]"],
    ),
    # An axis of any size goes.
    (
        "squeeze",
        "where k in D : X.shape[k] = 1",
        "where k in D : X.shape[k] >= 0",
        READ,
        ["X    = int8 (0) []", "axes = int64 (1) [0]"],
    ),
    # The axis is one further.
    (
        "flatten",
        "let a = axis_of(axis, r)",
        "let a = axis_of(axis, r) + 1",
        "Y.shape/in-bounds",
        ["X    = int8 () 0", "axis = 0"],
    ),
    # Only X is broadcast.
    (
        "expand",
        "let U = common_shape([X.shape, S])",
        "let U = S",
        READ,
        ["X     = int8 (0) []", "sizes = int64 (0) []"],
    ),
]
VALUE = "value Y[i] = X[index_at(X.shape, offset(S, i))]"
DIFFERENT: list[tuple[str, str, str, str]] = [
    # The elements come in column-major order.
    (
        "reshape",
        VALUE,
        """define backward(S : shape, i : index, n : int) : int
  "the column-major place of the last n coordinates of i"
  by recursion on n from 0
  = if n = 0 then 0 else backward(S, i, n - 1) * S[rank(S) - n] + i[rank(S) - n]
value Y[i] = X[index_at(X.shape, backward(S, i, n))]""",
        "X = (4,) [0, 1, 2, 3], sizes = (2,) [-1, 2]: (2, 2) [0, 2, 1, 3]",
    ),
    # allowzero copies as well.
    (
        "reshape",
        "= 0 and allowzero = 0 => k < rank(X)",
        "= 0 => k < rank(X)",
        "X = (0,) [], sizes = (2,) [0, 0], allowzero = 1: error",
    ),
    # -1 takes all elements.
    (
        "reshape",
        "div(numel(X.shape), known) else copied[k])",
        "numel(X.shape) else copied[k])",
        "X = (4,) [0, 1, 2, 3], sizes = (2,) [0, -1]: (4, 4) [0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3]",
    ),
    # The axis is one before where it is counted from the back.
    (
        "flatten",
        "let a = axis_of(axis, r)",
        "let a = if axis < 0 then axis + r - 1 else axis",
        "X = (0,) [], axis = -1: nothing",
    ),
    # The end is no axis.
    ("flatten", "-r <= axis <= r", "-r <= axis < r", "X = () [0], axis = 0: error"),
    # Without a list nothing goes.
    ("squeeze", "else X.shape[k] = 1", "else X.shape[k] < 0", "X = (1,) [False]: (1,) [False]"),
    # The axes are counted from the front only.
    ("unsqueeze", ": axes_in_range(A, r)", ": for all m in A : 0 <= A[m] < r", "X = () [0], axes = (1,) [-1]: error"),
    # X has to have the sizes.
    (
        "expand",
        ": broadcastable([X.shape, S])",
        ": common_shape([X.shape, S]) = S",
        "X = (0,) [], sizes = (0,) []: error",
    ),
]


@pytest.mark.thinned(2)
@pytest.mark.parametrize(("name", "old", "new", "killer", "counterexample"), REFUTED)
def test_wrong_text_is_refuted(
    name: str, old: str, new: str, killer: str, counterexample: list[str], edited: Any, records: Any
) -> None:
    """The obligation that the mistake breaks has this smallest counterexample, which the evaluator has replayed."""
    (record,) = records(edited(name, old, new), lambda identity: identity.endswith(f".int/{killer}"))

    assert record.verdict.name == "refuted", record.verdict.reason
    assert example_lines(example_of(record.counterexample)) == counterexample
    assert record.counterexample.found.minimal


@pytest.mark.parametrize(("name", "old", "new", "first"), DIFFERENT)
def test_wrong_text_differs_from_numpy(
    name: str, old: str, new: str, first: str, edited: Any, operator: Any, numpy_or_none: Computed
) -> None:
    """The first of the inputs above on which the text says something else than numpy, and what it says there."""
    differing = operator(edited(name, old, new), T=TYPES[name]).differing(CASES[name](numpy_or_none))

    assert next(differing) == first
