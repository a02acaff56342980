"""Ten right kernels that compute in other ways than right.py does: none of them may be accused of anything."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from math import prod
from typing import Any

import numpy as np

from tests.kernels.calls import Array, Implementation, Result, is_float
from tests.kernels.operators import NAMED, Operator, of_families
from tests.kernels.right import (
    Fold,
    axis_among,
    elementwise,
    expect,
    expect_types,
    greater,
    highest,
    less,
    lowest,
    reduction_by_attribute,
    reduction_by_input,
    sum_of,
)


@dataclass(frozen=True)
class OtherKernel:
    """A right kernel, of one or several operators."""

    name: str
    how: str
    """The way in which it computes, in words."""
    operators: tuple[str, ...]
    make: Callable[[Operator], Implementation]

    def of(self, operator: Operator) -> Implementation:
        """The implementation of an operator."""
        implementation = self.make(operator)

        def run(*inputs: Array | None, **attributes: Any) -> Result:
            with np.errstate(all="ignore"):
                return implementation(*inputs, **attributes)

        return run


def reduction(fold: Fold) -> Callable[[Operator], Implementation]:
    """A reduction in any version, by its fold of rows."""

    def make(operator: Operator) -> Implementation:
        if operator.arity == 2:
            return reduction_by_input(fold, operator.types)
        return reduction_by_attribute(fold, operator.types)

    return make


# --------------------------------------------------------------------------------------------------------- reductions


LANES = 64


def in_lanes(fold: Fold) -> Fold:
    """The fold of rows, of long ones first of every 64th element: numpy takes a step for all lanes at once."""

    def folded(rows: Array) -> Array:
        count = rows.shape[-1] // LANES
        if count < 2:
            return fold(rows)
        blocks = rows[..., : count * LANES].reshape(*rows.shape[:-1], count, LANES)
        lanes = fold(np.moveaxis(blocks, -2, -1))
        return fold(np.concatenate([lanes, rows[..., count * LANES :]], axis=-1))

    return folded


@in_lanes
def maximum_in_blocks(rows: Array) -> Array:
    """One element after the other."""
    result = np.full(rows.shape[:-1], lowest(rows.dtype), rows.dtype)
    for n in range(rows.shape[-1]):
        result = greater(result, rows[..., n])
    return result


@in_lanes
def minimum_from_the_back(rows: Array) -> Array:
    """One element after the other, the last first."""
    result = np.full(rows.shape[:-1], highest(rows.dtype), rows.dtype)
    for n in reversed(range(rows.shape[-1])):
        result = less(rows[..., n], result)
    return result


def compensated_sum(rows: Array) -> Array:
    """Floats are added in double, with the error of each addition kept aside, and rounded once."""
    if not is_float(rows) or rows.shape[-1] < 2:
        return sum_of(rows)
    return compensated(rows.astype(np.float64)).astype(rows.dtype)


@in_lanes
def compensated(wide: Array) -> Array:
    """The sum of doubles, corrected by the error of each addition."""
    total, error = wide[..., 0], np.zeros(wide.shape[:-1])
    for n in range(1, wide.shape[-1]):
        addend = wide[..., n]
        added = total + addend
        larger = np.where(np.abs(total) >= np.abs(addend), total, addend)
        smaller = np.where(np.abs(total) >= np.abs(addend), addend, total)
        error = error + ((larger - added) + smaller)
        total = added
    # The error of what is no number is no number either.
    return np.asarray(np.where(np.isfinite(total), total + error, total))


def sum_through_double(rows: Array) -> Array:
    """Integers that are small enough are added as doubles, which is exact, and wrapped; floats from the back."""
    if is_float(rows):
        return reduce(np.add, np.moveaxis(rows, -1, 0)[::-1]) if rows.shape[-1] else sum_of(rows)
    wide = rows.astype(np.float64)
    if wide.size and np.max(np.abs(wide)) * wide.size >= 2.0**53:
        return sum_of(rows)
    return np.asarray(np.sum(wide, -1)).astype(np.int64).astype(rows.dtype)


# --------------------------------------------------------------------------------------------------------- extrema


def _greater_value(x: Any, y: Any) -> Any:
    """The greater of two numbers of Python; NaN is above all, and 0 above -0."""
    if x != x or y != y:
        return x if x != x else y
    if x == y:
        return y if str(x).startswith("-") else x
    return max(x, y)


def greater_of_values(x: Array, y: Array) -> Array:
    """The greater of two, by a function of Python on numbers of Python."""
    wide = np.float64 if is_float(x) else object
    chosen = np.frompyfunc(_greater_value, 2, 1)(x.astype(wide).astype(object), y.astype(wide).astype(object))
    shape = np.broadcast_shapes(x.shape, y.shape)
    return np.asarray(chosen, object).reshape(shape).astype(wide).astype(x.dtype)


def sort_keys(x: Array) -> Array:
    """Integers in the order of the elements, NaN below all, and -0 below 0."""
    if not is_float(x):
        return x
    bits = x.view(f"i{x.itemsize}")
    ends = np.iinfo(bits.dtype)
    keys = np.where(bits < 0, bits ^ ends.max, bits)
    keys[np.isnan(x)] = ends.min
    return keys


def min_by_sorting(operator: Operator) -> Implementation:
    """Min: at each place the elements of all inputs are sorted."""
    check = elementwise(less, operator.types, broadcasts=operator.name != "onnx.Min-6")

    def run(*inputs: Array) -> Array:
        check(*(np.empty_like(x) for x in inputs))
        stacked = np.stack(np.broadcast_arrays(*inputs))
        first = np.argsort(sort_keys(np.ascontiguousarray(stacked)), axis=0)[:1]
        return np.array(np.take_along_axis(stacked, first, 0)[0])

    return run


# -------------------------------------------------------------------------------------------------------------- others


def row_major_strides(shape: Sequence[int]) -> list[int]:
    """How far apart the elements of each axis are in row-major order."""
    return [prod(shape[k + 1 :]) for k in range(len(shape))]


def transpose_by_places(operator: Operator) -> Implementation:
    """Transpose: the row-major place of each element is computed, and read from the flat input."""

    def run(x: Array, *, perm: Sequence[int]) -> Array:
        expect_types(operator.types, x)
        expect(sorted(perm) == list(range(x.ndim)), "perm is an order of the axes")
        strides = row_major_strides(x.shape)
        shape = [x.shape[k] for k in perm]
        places = np.zeros(shape, np.int64)
        for n, k in enumerate(perm):
            along = [-1 if m == n else 1 for m in range(x.ndim)]
            places += np.arange(shape[n]).reshape(along) * strides[k]
        return np.array(x.reshape(-1)[places])

    return run


def concat_into_a_buffer(operator: Operator) -> Implementation:
    """Concat: the inputs are written into the result from the last one on."""

    def run(*inputs: Array, axis: int) -> Array:
        expect_types(operator.types, *inputs)
        rank = inputs[0].ndim
        place = axis_among(axis, rank)
        others = {(*x.shape[:place], -1, *x.shape[place + 1 :]) for x in inputs}
        expect(len(others) == 1 and all(x.ndim == rank for x in inputs), "the inputs differ on the axis only")
        end = sum(x.shape[place] for x in inputs)
        shape = [end if k == place else n for k, n in enumerate(inputs[0].shape)]
        result = np.empty(shape, inputs[0].dtype)
        for x in reversed(inputs):
            begin = end - x.shape[place]
            result[(slice(None),) * place + (slice(begin, end),)] = x
            end = begin
        return result

    return run


def clip_in_place(operator: Operator) -> Implementation:
    """Clip: a copy is changed in place, where an element is out of bounds."""

    def run(x: Array, low: Array | None = None, high: Array | None = None) -> Array:
        expect_types(operator.types, x, low, high)
        expect(all(b is None or b.ndim == 0 for b in (low, high)), "the bounds are scalars")
        result = x.copy()
        if low is not None:
            np.copyto(result, low, where=result < low)
        if high is not None:
            np.copyto(result, high, where=result > high)
        return result

    return run


def matmul_by_outer_products(operator: Operator) -> Implementation:
    """MatMul: products of a column and a row are added up, the last first."""

    def run(a: Array, b: Array) -> Array:
        expect_types(operator.types, a, b)
        expect(min(a.ndim, b.ndim) >= 1, "no scalars")
        left = a.reshape(1, -1) if a.ndim == 1 else a
        right = b.reshape(-1, 1) if b.ndim == 1 else b
        expect(left.shape[-1] == right.shape[-2], "the inner sizes agree")
        batch = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
        products = [left[..., :, k, None] * right[..., None, k, :] for k in reversed(range(left.shape[-1]))]
        rows, columns = left.shape[-2], right.shape[-1]
        result = reduce(np.add, products) if products else np.zeros((*batch, rows, columns), a.dtype)
        kept_rows = [] if a.ndim == 1 else [rows]
        kept_columns = [] if b.ndim == 1 else [columns]
        return np.array(result).reshape([*batch, *kept_rows, *kept_columns])

    return run


OTHERS = [
    OtherKernel(
        "in_blocks", "eight lanes at a time, then the rest", of_families("ReduceMax"), reduction(maximum_in_blocks)
    ),
    OtherKernel(
        "from_the_back",
        "one after the other, the last first",
        of_families("ReduceMin"),
        reduction(minimum_from_the_back),
    ),
    OtherKernel(
        "compensated", "the error of each addition is kept aside", of_families("ReduceSum"), reduction(compensated_sum)
    ),
    OtherKernel(
        "through_double", "small integers are added as doubles", of_families("ReduceSum"), reduction(sum_through_double)
    ),
    OtherKernel(
        "of_python_values",
        "a function of Python on each two numbers",
        of_families("Max"),
        lambda operator: elementwise(greater_of_values, operator.types, broadcasts=operator.name != "onnx.Max-6"),
    ),
    OtherKernel("by_sorting", "the elements of all inputs are sorted", of_families("Min"), min_by_sorting),
    OtherKernel("by_places", "from the flat input, by computed places", of_families("Transpose"), transpose_by_places),
    OtherKernel("into_a_buffer", "into the result, the last first", of_families("Concat"), concat_into_a_buffer),
    OtherKernel("in_place", "a copy is changed in place", of_families("Clip"), clip_in_place),
    OtherKernel("by_outer_products", "columns times rows", of_families("MatMul"), matmul_by_outer_products),
]
"""The ten right kernels."""


def others() -> Iterator[tuple[Operator, OtherKernel]]:
    """Each of them with each operator that it is a kernel of."""
    for kernel in OTHERS:
        for name in kernel.operators:
            yield NAMED[name], kernel
