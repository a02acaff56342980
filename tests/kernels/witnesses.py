"""Inputs inside the regions of the wrong kernels, one for each operator that a kernel fits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np

from tests.kernels.calls import DTYPES, Array
from tests.kernels.operators import Operator


@dataclass(frozen=True)
class Given:
    """The inputs of an operator, None for what is left out, and its attributes."""

    inputs: tuple[Array | None, ...]
    attributes: Mapping[str, Any] = field(default_factory=dict)


Witness = Callable[[Operator], Given]
Layout = Callable[[Array], Array]
"""Makes an array with the same elements, at other places in memory."""


def given(*inputs: Array | None, **attributes: Any) -> Given:
    """Inputs and attributes as an operator is called with them."""
    return Given(inputs, attributes)


# ------------------------------------------------------------------------------------------------- elements and layouts


def numbers(shape: Sequence[int], dtype: np.dtype) -> Array:
    """Small numbers, neighbours different from each other."""
    return (np.arange(prod(shape)) * 7 % 23 + 1).reshape(shape).astype(dtype)


def ints(*values: int) -> Array:
    """A list of int64."""
    return np.array(values, np.int64)


def plain_type(operator: Operator) -> str:
    """The element type of witnesses that may have any: one of which the standards leave no element open."""
    return "int32" if operator.family == "ReduceSum" else "float"


def flipped(x: Array) -> Array:
    """The last axis runs backward in memory."""
    return np.flip(np.flip(x, -1).copy(), -1)


def column_major(x: Array) -> Array:
    """The first axis is the fastest in memory."""
    return np.asfortranarray(x)


def with_offset(x: Array) -> Array:
    """The array begins one element behind a multiple of 64 bytes."""
    memory = np.zeros(x.nbytes + 64 + x.itemsize, np.uint8)
    begin = -memory.ctypes.data % 64 + x.itemsize
    made = memory[begin : begin + x.nbytes].view(x.dtype).reshape(x.shape)
    made[...] = x
    return made


def as_is(x: Array) -> Array:
    """The array."""
    return x


# ----------------------------------------------------------------------------------------------- data in a plain call


def reduce_call(operator: Operator, data: Array, axes: Sequence[int] | None, keepdims: int = 1, noop: int = 0) -> Given:
    """A call of a reduction, whose axes are an input or an attribute; None to leave them out."""
    if operator.arity == 2:
        listed = None if axes is None else ints(*axes)
        return given(data, listed, keepdims=keepdims, noop_with_empty_axes=noop)
    if axes is None:
        return given(data, keepdims=keepdims)
    return given(data, axes=list(axes), keepdims=keepdims)


def plain_call(operator: Operator, x: Array, axis: int = 0) -> Given:
    """A call with the data: nothing is moved, cut or changed as far as the operator has a way to do so."""
    zero = np.zeros((), x.dtype)
    match operator.family:
        case "Transpose":
            return given(x, perm=list(range(x.ndim)))
        case "Slice":
            return given(x, ints(0), ints(x.shape[0]))
        case "Pad":
            return given(x, np.zeros(2 * x.ndim, np.int64))
        case "Where":
            return given(np.array(True), x, zero)
        case "Expand":
            return given(x, ints(*x.shape))
        case "Add":
            return given(x, zero)
        case "MatMul":
            return given(x, np.eye(x.shape[-1], dtype=x.dtype))
        case "MaxPool":
            return given(x, kernel_shape=[1, 1])
        case "Max" | "Min" | "Clip":
            return given(x)
        case _:
            return call_along(operator, x, axis)


def call_along(operator: Operator, x: Array, axis: int) -> Given:
    """A plain call of an operator that names an axis."""
    size = x.shape[axis]
    match operator.family:
        case "ReduceMax" | "ReduceMin" | "ReduceSum":
            return reduce_call(operator, x, [axis])
        case "Gather":
            return given(x, ints(*range(size)), axis=axis)
        case "Split":
            return given(x, num_outputs=1, axis=axis)
        case "TopK":
            return given(x, ints(size), axis=axis)
        case "CumSum":
            return given(x, np.array(axis, np.int32))
        case "QuantizeLinear":
            return given(x, np.ones(size, np.float32), np.zeros(size, np.uint8), axis=axis)
        case _:
            return given(x, axis=axis)


def holding(
    shape: Sequence[int],
    element_type: str | None = None,
    *,
    layout: Layout = as_is,
    axis: int = 0,
    elements: Mapping[int, Any] | None = None,
) -> Witness:
    """A plain call with data of a shape, with some elements at places in row-major order."""

    def witness(operator: Operator) -> Given:
        x = numbers(shape, DTYPES[element_type or plain_type(operator)])
        for place, element in (elements or {}).items():
            x.reshape(-1)[place] = element
        return plain_call(operator, layout(x), axis)

    return witness


def reducing(
    shape: Sequence[int],
    axes: Sequence[int] | None,
    *,
    keepdims: int = 1,
    noop: int = 0,
) -> Witness:
    """A reduction, or ArgMax along the first of the axes."""

    def witness(operator: Operator) -> Given:
        x = numbers(shape, DTYPES[plain_type(operator)])
        if operator.family == "ArgMax":
            assert axes is not None
            return given(x, axis=axes[0], keepdims=keepdims)
        return reduce_call(operator, x, axes, keepdims, noop)

    return witness


def several(*shapes: Sequence[int], element_type: str | None = None, elements: Sequence[Any] = ()) -> Witness:
    """Inputs of these shapes; the first are filled with these elements."""

    def witness(operator: Operator) -> Given:
        dtype = DTYPES[element_type or plain_type(operator)]
        made = [np.asarray(numbers(shape, dtype) + np.array(n, dtype)) for n, shape in enumerate(shapes)]
        for x, element in zip(made, elements, strict=False):
            x[...] = element
        if operator.family == "Where":
            condition = np.arange(prod(shapes[0])).reshape(shapes[0]) % 2 == 1
            return given(condition, *made[-2:])
        if operator.family == "Concat":
            return given(*made, axis=0)
        return given(*made)

    return witness


def fixed(*inputs: Array | None, **attributes: Any) -> Witness:
    """The same call for every operator."""
    return lambda operator: given(*inputs, **attributes)
