"""Right implementations of operators on numpy arrays: of every valid input the result, and an exception for others.

They are plain rather than fast. What differs among versions of an operator are the element types, whether inputs
broadcast, and whether the axes of a reduction are an input or an attribute.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import reduce
from math import prod
from typing import Any

import numpy as np

from tests.kernels.calls import DTYPES, Array, Implementation, is_float

Combine = Callable[[Array, Array], Array]
"""Combines two arrays element by element, with broadcasting."""
Fold = Callable[[Array], Array]
"""Folds the last axis of an array."""


# ------------------------------------------------------------------------------------------------------------- checks


def expect(holds: bool | np.bool_, rule: str) -> None:
    """Refuse the input if a rule does not hold."""
    if not holds:
        raise ValueError(rule)


def expect_types(types: Collection[str], *arrays: Array | None) -> None:
    """Refuse arrays that differ in type, or have none of these types."""
    found = {x.dtype for x in arrays if x is not None}
    expect(len(found) == 1, "the inputs have one element type")
    expect(found <= {DTYPES[name] for name in types}, "the operator has the element type")


def expect_flag(value: object) -> None:
    """Refuse what is neither 0 nor 1."""
    expect(type(value) is int and value in (0, 1), "a flag is 0 or 1")


def axis_among(axis: int, rank: int) -> int:
    """The axis, counted from the front. Refuses what is none of so many."""
    expect(-rank <= axis < rank, "the axis is one of the input")
    return axis + rank if axis < 0 else axis


def axes_among(axes: Sequence[int], rank: int) -> list[int]:
    """The axes, counted from the front. Refuses one that is none of so many, or is named twice."""
    found = [axis_among(axis, rank) for axis in axes]
    expect(len(set(found)) == len(found), "no axis is named twice")
    return found


def integers(x: Array, *types: str) -> list[int]:
    """The elements of a list of integers. Refuses other ranks and types."""
    expect_types(types, x)
    expect(x.ndim == 1, "the input is a list")
    return [int(v) for v in x]


# ------------------------------------------------------------------------------------------------ maximum, minimum, sum


def greater(x: Array, y: Array) -> Array:
    """The greater of two: NaN is above all, and 0 above -0."""
    first = x > y
    if is_float(x):
        first = first | np.isnan(x) | ((x == y) & ~np.signbit(x))
    return np.where(first, x, y)


def less(x: Array, y: Array) -> Array:
    """The less of two: NaN is below all, and -0 below 0."""
    first = x < y
    if is_float(x):
        first = first | np.isnan(x) | ((x == y) & np.signbit(x))
    return np.where(first, x, y)


def lowest(dtype: np.dtype) -> Any:
    """What the maximum of nothing is."""
    x = np.zeros((), dtype)
    if is_float(x):
        return -np.inf
    return False if dtype.kind == "b" else np.iinfo(dtype).min


def highest(dtype: np.dtype) -> Any:
    """What the minimum of nothing is."""
    x = np.zeros((), dtype)
    if is_float(x):
        return np.inf
    return True if dtype.kind == "b" else np.iinfo(dtype).max


def by_halves(combine: Combine, nothing: Callable[[np.dtype], Any]) -> Fold:
    """A fold that combines one half of the axis with the other, until one element is left."""

    def fold(rows: Array) -> Array:
        if rows.shape[-1] == 0:
            return np.full(rows.shape[:-1], nothing(rows.dtype), rows.dtype)
        while (count := rows.shape[-1]) > 1:
            half = count // 2
            joined = combine(rows[..., :half], rows[..., half : 2 * half])
            rows = joined if count == 2 * half else np.concatenate([joined, rows[..., 2 * half :]], axis=-1)
        return rows[..., 0]

    return fold


greatest_of = by_halves(greater, lowest)
least_of = by_halves(less, highest)
sum_of = by_halves(np.add, lambda _: 0)


def elementwise(combine: Combine, types: Collection[str], *, broadcasts: bool = True) -> Implementation:
    """Max and Min: any number of inputs above 0."""

    def run(*inputs: Array) -> Array:
        expect_types(types, *inputs)
        expect(broadcasts or len({x.shape for x in inputs}) == 1, "the inputs have one shape")
        return np.array(reduce(combine, inputs))

    return run


def fold_axes(fold: Fold, data: Array, axes: Sequence[int], *, keepdims: int, noop: int) -> Array:
    """Fold the axes; without any all of them, or none if that is the wish."""
    expect_flag(keepdims)
    expect_flag(noop)
    folded = axes_among(axes, data.ndim)
    if not folded and not noop:
        folded = list(range(data.ndim))
    kept = [k for k in range(data.ndim) if k not in folded]
    sizes = [data.shape[k] for k in kept]
    rows = np.transpose(data, kept + folded).reshape([*sizes, prod(data.shape[k] for k in folded)])
    shape = [1 if k in folded else n for k, n in enumerate(data.shape)] if keepdims else sizes
    return np.array(fold(rows)).reshape(shape)


def reduction_by_input(fold: Fold, types: Collection[str]) -> Implementation:
    """A reduction whose axes are an input."""

    def run(data: Array, axes: Array | None = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0) -> Array:
        expect_types(types, data)
        listed = [] if axes is None else integers(axes, "int64")
        return fold_axes(fold, data, listed, keepdims=keepdims, noop=noop_with_empty_axes)

    return run


def reduction_by_attribute(fold: Fold, types: Collection[str]) -> Implementation:
    """A reduction whose axes are an attribute."""

    def run(data: Array, *, axes: Sequence[int] | None = None, keepdims: int = 1) -> Array:
        expect_types(types, data)
        return fold_axes(fold, data, axes or [], keepdims=keepdims, noop=0)

    return run


# ------------------------------------------------------------------------------------- elements are moved, or chosen


def transpose(types: Collection[str]) -> Implementation:
    """Transpose."""

    def run(x: Array, *, perm: Sequence[int]) -> Array:
        expect_types(types, x)
        expect(sorted(perm) == list(range(x.ndim)), "perm is an order of the axes")
        return np.transpose(x, perm).copy()

    return run


def concat(types: Collection[str]) -> Implementation:
    """Concat."""

    def run(*inputs: Array, axis: int) -> Array:
        expect_types(types, *inputs)
        return np.concatenate(inputs, axis=axis_among(axis, inputs[0].ndim))

    return run


def slices(types: Collection[str]) -> Implementation:
    """Slice: what Python's slices take, along some axes."""

    def run(x: Array, starts: Array, ends: Array, axes: Array | None = None, steps: Array | None = None) -> Array:
        expect_types(types, x)
        expect_types(("int32", "int64"), starts, ends, axes, steps)
        begin, end = integers(starts, "int32", "int64"), integers(ends, "int32", "int64")
        named = list(range(len(begin))) if axes is None else integers(axes, "int32", "int64")
        step = [1] * len(begin) if steps is None else integers(steps, "int32", "int64")
        expect(len(begin) == len(end) == len(named) == len(step), "the lists have one length")
        for n, axis in enumerate(axes_among(named, x.ndim)):
            places = range(*slice(begin[n], end[n], step[n]).indices(x.shape[axis]))
            x = np.take(x, np.array(places, np.int64), axis)
        return x.copy()

    return run


def gather(types: Collection[str]) -> Implementation:
    """Gather."""

    def run(x: Array, places: Array, *, axis: int = 0) -> Array:
        expect_types(types, x)
        expect_types(("int32", "int64"), places)
        axis = axis_among(axis, x.ndim)
        size = x.shape[axis]
        expect(np.all((places >= -size) & (places < size)), "every place is one of the axis")
        return np.array(np.take(x, places, axis))

    return run


def pad(types: Collection[str]) -> Implementation:
    """Pad with a constant; a negative pad cuts off."""

    def run(x: Array, pads: Array, constant: Array | None = None, axes: Array | None = None) -> Array:
        expect_types(types, x, constant)
        expect(constant is None or constant.ndim == 0, "the constant is a scalar")
        named = list(range(x.ndim)) if axes is None else integers(axes, "int32", "int64")
        numbers = integers(pads, "int64")
        expect(len(numbers) == 2 * len(named), "there are two pads for each axis")
        front, back = [0] * x.ndim, [0] * x.ndim
        for n, axis in enumerate(axes_among(named, x.ndim)):
            front[axis], back[axis] = numbers[n], numbers[n + len(named)]
        shape = [f + n + b for f, n, b in zip(front, x.shape, back, strict=True)]
        expect(min(shape, default=0) >= 0, "no size becomes negative")
        result = np.full(shape, 0 if constant is None else constant, x.dtype)
        source, target = [], []
        for before, size, new in zip(front, x.shape, shape, strict=True):
            begin, end = max(0, -before), max(0, -before, min(size, new - before))
            source.append(slice(begin, end))
            target.append(slice(begin + before, end + before))
        result[tuple(target)] = x[tuple(source)]
        return result

    return run


def where(types: Collection[str]) -> Implementation:
    """Where."""

    def run(condition: Array, x: Array, y: Array) -> Array:
        expect_types(("bool",), condition)
        expect_types(types, x, y)
        return np.where(condition, x, y)

    return run


def expand(types: Collection[str]) -> Implementation:
    """Expand."""

    def run(x: Array, sizes: Array) -> Array:
        expect_types(types, x)
        wanted = integers(sizes, "int64")
        expect(min(wanted, default=0) >= 0, "no size is negative")
        return np.broadcast_to(x, np.broadcast_shapes(x.shape, tuple(wanted))).copy()

    return run


def clip(types: Collection[str]) -> Implementation:
    """Clip: the upper bound is taken last, and NaN stays."""

    def run(x: Array, low: Array | None = None, high: Array | None = None) -> Array:
        expect_types(types, x, low, high)
        expect(low is None or low.ndim == 0, "the lower bound is a scalar")
        expect(high is None or high.ndim == 0, "the upper bound is a scalar")
        if low is not None:
            x = np.where(x < low, low, x)
        if high is not None:
            x = np.where(high < x, high, x)
        return np.array(x)

    return run


def split(types: Collection[str]) -> Implementation:
    """Split by sizes, or into a number of parts of which the last may be smaller."""

    def run(
        x: Array, sizes: Array | None = None, *, num_outputs: int | None = None, axis: int = 0
    ) -> tuple[Array, ...]:
        expect_types(types, x)
        expect((sizes is None) != (num_outputs is None), "either the sizes or their number is given")
        axis = axis_among(axis, x.ndim)
        if sizes is not None:
            parts = integers(sizes, "int64")
        else:
            assert num_outputs is not None
            expect(num_outputs >= 1, "there is at least one part")
            whole = -(-x.shape[axis] // num_outputs)
            parts = [whole] * (num_outputs - 1)
            parts.append(x.shape[axis] - sum(parts))
        expect(len(parts) >= 1, "there is at least one part")
        expect(min(parts) >= 0, "no size is negative")
        expect(sum(parts) == x.shape[axis], "the sizes add up to the axis")
        ends = np.cumsum(parts)[:-1].tolist()
        return tuple(part.copy() for part in np.split(x, ends, axis))

    return run


def flatten(types: Collection[str]) -> Implementation:
    """Flatten."""

    def run(x: Array, *, axis: int = 1) -> Array:
        expect_types(types, x)
        expect(-x.ndim <= axis <= x.ndim, "the axis is one, or the end")
        axis = axis + x.ndim if axis < 0 else axis
        return x.reshape(prod(x.shape[:axis]), prod(x.shape[axis:])).copy()

    return run


def places_in_order(x: Array, axis: int, *, descending: bool) -> Array:
    """The places along the axis in the order of their elements, NaN above all; of equal ones the first comes first."""
    if is_float(x):
        # numpy sorts NaN to the end, but not that of bfloat16.
        x = x.astype(np.float64)
    if not descending:
        return np.argsort(x, axis, kind="stable")
    backward = np.argsort(np.flip(x, axis), axis, kind="stable")
    return np.asarray(x.shape[axis] - 1 - np.flip(backward, axis))


def topk(types: Collection[str]) -> Implementation:
    """TopK, sorted."""

    def run(x: Array, number: Array, *, axis: int = -1, largest: int = 1, sorted: int = 1) -> tuple[Array, ...]:
        expect_types(types, x)
        expect(sorted == 1, "the results are sorted")
        axis = axis_among(axis, x.ndim)
        numbers = integers(number, "int64")
        expect(len(numbers) == 1, "K is one number")
        expect(0 <= numbers[0] <= x.shape[axis], "there are as many elements")
        order = places_in_order(x, axis, descending=largest == 1)
        places = np.take(order, np.arange(numbers[0]), axis).astype(np.int64)
        return np.take_along_axis(x, places, axis), places

    return run


def argmax(types: Collection[str]) -> Implementation:
    """ArgMax: NaN is above all, and zeros are equal."""

    def run(x: Array, *, axis: int = 0, keepdims: int = 1, select_last_index: int = 0) -> Array:
        expect_types(types, x)
        expect_flag(keepdims)
        expect_flag(select_last_index)
        axis = axis_among(axis, x.ndim)
        expect(x.shape[axis] > 0, "the axis is not empty")
        if select_last_index:
            order = places_in_order(x, axis, descending=False)
            found = np.take(order, [-1], axis)
        else:
            order = places_in_order(x, axis, descending=True)
            found = np.take(order, [0], axis)
        return found.astype(np.int64) if keepdims else np.squeeze(found, axis).astype(np.int64)

    return run


# --------------------------------------------------------------------------------------------------------- arithmetic


def add(types: Collection[str]) -> Implementation:
    """Add."""

    def run(a: Array, b: Array) -> Array:
        expect_types(types, a, b)
        return np.array(a + b)

    return run


def matmul(types: Collection[str]) -> Implementation:
    """MatMul: each product is rounded, then the sum."""

    def run(a: Array, b: Array) -> Array:
        expect_types(types, a, b)
        expect(a.ndim >= 1, "the left factor is no scalar")
        expect(b.ndim >= 1, "the right factor is no scalar")
        left = a[np.newaxis, :] if a.ndim == 1 else a
        right = b[:, np.newaxis] if b.ndim == 1 else b
        expect(left.shape[-1] == right.shape[-2], "the inner sizes agree")
        result = sum_of(left[..., :, np.newaxis, :] * np.swapaxes(right, -1, -2)[..., np.newaxis, :, :])
        if b.ndim == 1:
            result = result[..., 0]
        return np.array(result[..., 0, :] if a.ndim == 1 and b.ndim > 1 else result[..., 0] if a.ndim == 1 else result)

    return run


def cumsum(types: Collection[str]) -> Implementation:
    """CumSum, one addition after the other."""

    def run(x: Array, axis: Array, *, exclusive: int = 0, reverse: int = 0) -> Array:
        expect_types(types, x)
        expect_types(("int32", "int64"), axis)
        expect(axis.ndim == 0, "one axis is named")
        expect_flag(exclusive)
        expect_flag(reverse)
        place = axis_among(int(axis), x.ndim)
        rows = np.moveaxis(np.flip(x, place) if reverse else x, place, 0)
        sums = rows.copy()
        for n in range(1, len(rows)):
            sums[n] = sums[n - 1] + rows[n]
        if exclusive:
            sums = np.concatenate([np.zeros_like(sums[:1]), sums[:-1]])
        result = np.moveaxis(sums, 0, place)
        return np.array(np.flip(result, place) if reverse else result)

    return run


def softmax(types: Collection[str]) -> Implementation:
    """Softmax, computed in double and rounded once."""

    def run(x: Array, *, axis: int = -1) -> Array:
        expect_types(types, x)
        axis = axis_among(axis, x.ndim)
        if x.size == 0:
            return x.copy()
        wide = x.astype(np.float64)
        powers = np.exp(wide - np.max(wide, axis, keepdims=True))
        return np.asarray(powers / np.sum(powers, axis, keepdims=True)).astype(x.dtype)

    return run


def quantizelinear(types: Collection[str]) -> Implementation:
    """QuantizeLinear: the quotient is rounded to a float, then to an integer, ties to even, and saturates."""

    def run(x: Array, scale: Array, zero: Array, *, axis: int = 1) -> Array:
        expect_types(types, x, scale)
        expect_types(("int8", "uint8"), zero)
        expect(zero.shape == scale.shape, "there is a zero point for each scale")
        expect(np.all(np.isfinite(scale) & (scale > 0)), "scales are positive numbers")
        if scale.ndim > 0:
            expect(scale.ndim == 1, "the scales are a list")
            place = axis_among(axis, x.ndim)
            expect(len(scale) == x.shape[place], "there is a scale for each place on the axis")
            along = [-1 if k == place else 1 for k in range(x.ndim)]
            scale, zero = scale.reshape(along), zero.reshape(along)
        quotient = np.rint(x / scale).astype(np.float64)
        ends = np.iinfo(zero.dtype)
        kept = np.clip(np.where(np.isnan(quotient), 0, quotient) + zero.astype(np.float64), ends.min, ends.max)
        return np.array(kept.astype(zero.dtype))

    return run


def windows(length: int, size: int, stride: int, dilation: int, auto: str, pads: tuple[int, int], *, up: bool) -> Any:
    """The places within the axis that each window has. Refuses windows that do not fit, or lie outside."""
    span = dilation * (size - 1) + 1
    before, after = pads
    if auto.startswith("SAME"):
        lack = max(0, stride * (-(-length // stride) - 1) + span - length)
        before, after = (lack // 2, lack - lack // 2) if auto == "SAME_UPPER" else (lack - lack // 2, lack // 2)
    rest = before + length + after - span
    expect(rest >= 0, "a window fits into the padded image")
    last = -(-rest // stride) if up and auto == "NOTSET" else rest // stride
    if last * stride >= before + length:
        last -= 1
    found = []
    for n in range(last + 1):
        reached = [n * stride + k * dilation - before for k in range(size)]
        found.append([p for p in reached if 0 <= p < length])
    expect(all(found), "every window has a place in the image")
    return found


def maxpool(types: Collection[str]) -> Implementation:
    """MaxPool of images."""

    def run(
        x: Array,
        *,
        kernel_shape: Sequence[int],
        auto_pad: str = "NOTSET",
        strides: Sequence[int] = (1, 1),
        pads: Sequence[int] = (0, 0, 0, 0),
        dilations: Sequence[int] = (1, 1),
        ceil_mode: int = 0,
    ) -> Array:
        expect_types(types, x)
        expect(x.ndim == 4, "images have four axes")
        expect(auto_pad in ("NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"), "a name of a padding")
        for pair in (kernel_shape, strides, dilations):
            expect(len(pair) == 2 and min(pair) >= 1, "two numbers above 0")
        expect(len(pads) == 4 and min(pads) >= 0, "four pads")
        expect(auto_pad == "NOTSET" or not any(pads), "pads are left to auto_pad")
        expect_flag(ceil_mode)
        rows, columns = (
            windows(
                x.shape[k + 2],
                kernel_shape[k],
                strides[k],
                dilations[k],
                auto_pad,
                (pads[k], pads[k + 2]),
                up=bool(ceil_mode),
            )
            for k in range(2)
        )
        result = np.empty([*x.shape[:2], len(rows), len(columns)], x.dtype)
        for n, down in enumerate(rows):
            for m, across in enumerate(columns):
                window = x[:, :, down][:, :, :, across]
                result[:, :, n, m] = greatest_of(window.reshape(*x.shape[:2], len(down) * len(across)))
        return result

    return run
