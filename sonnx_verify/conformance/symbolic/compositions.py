"""Functions of numpy that are said by other functions of numpy, as numpy's own code says them or in the same meaning.

What goes in and comes out are arrays; the functions that are called here have their meaning elsewhere. Trusted for what
`conform` calls proved; `tests/implementations` holds each of them against numpy.
"""

from __future__ import annotations

# numpy calls these functions in place of its own: names, order and kinds of their arguments are numpy's, and its
# booleans may be given by position.
# ruff: noqa: FBT001, FBT002
from collections.abc import Callable
from typing import Any

import numpy as np

from sonnx_verify.conformance.symbolic import real
from sonnx_verify.conformance.symbolic.arguments import held_or_refused, stand_in
from sonnx_verify.conformance.symbolic.memory import held
from sonnx_verify.conformance.symbolic.trace import refuse


def into(out: Any, made: Any) -> Any:
    """The result, written into `out` where that is given."""
    if out is None:
        return made
    return np.positive(made, out=out)


def clip(a: Any, a_min: Any = None, a_max: Any = None, out: Any = None, *, min: Any = None, max: Any = None) -> Any:
    if (a_min is not None or a_max is not None) and (min is not None or max is not None):
        refuse("numpy.clip with bounds under two names")
    low, high = (a_min if min is None else min), (a_max if max is None else max)
    held_or_refused("clip", stand_in(a).dtype, low, high)
    made = a
    if low is None and high is None:
        made = np.positive(a)
    # In this order numpy clips, too: where the bounds are crossed, the upper one holds.
    if low is not None:
        made = np.maximum(made, low)
    if high is not None:
        made = np.minimum(made, high)
    example = np.clip(stand_in(a), stand_in(low), stand_in(high))
    if (example.dtype, example.shape) != (made.dtype, made.shape):
        refuse(f"numpy.clip of {stand_in(a).dtype} to {example.dtype}")
    return into(out, made)


def nan_to_num(x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    if not copy:
        refuse("numpy.nan_to_num in place")
    result: Any = x
    if not np.issubdtype(x.dtype, np.inexact):
        result = x.copy("K")  # bfloat16 too, of which numpy does not know that it has NaNs
    else:
        info = np.finfo(x.dtype)
        high = info.max if posinf is None else posinf
        low = info.min if neginf is None else neginf
        result = np.where(np.isnan(x), real.asarray(nan, x.dtype), x)
        result = np.where(x == np.inf, real.asarray(high, x.dtype), result)
        result = np.where(x == -np.inf, real.asarray(low, x.dtype), result)
    held(result).scalar = not x.ndim
    return result


def count_nonzero(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    if axis is None and not keepdims:
        refuse("numpy.count_nonzero over all axes, which is a number of Python")
    return np.sum(a.astype(bool), axis=axis, keepdims=keepdims, dtype=np.int64)


def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> Any:
    if np.shape(stand_in(a1)) != np.shape(stand_in(a2)):
        return False
    made = np.equal(a1, a2)
    if equal_nan:
        made = np.logical_or(made, np.logical_and(np.isnan(a1), np.isnan(a2)))
    return bool(np.all(made))


def nansum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Any:
    zeroed = a
    if a.dtype.kind not in "iub":
        zeroed = np.where(np.isnan(a), real.zeros((), a.dtype), a)
    return np.sum(zeroed, axis=axis, dtype=dtype, out=out, keepdims=keepdims)


def isposinf(x: Any, out: Any = None) -> Any:
    return into(out, np.logical_and(np.isinf(x), np.greater(x, 0)))


def isneginf(x: Any, out: Any = None) -> Any:
    return into(out, np.logical_and(np.isinf(x), np.less(x, 0)))


def isclose(a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: bool = False) -> Any:
    # numpy's own steps, in their order: each is rounded.
    y = b
    if hasattr(b, "dtype"):
        wanted = np.result_type(b, 1.0)
        if wanted != b.dtype:
            y = b.astype(wanted)
    elif isinstance(b, int):
        y = float(b)
    near = np.less_equal(np.abs(np.subtract(a, y)), _tolerance(y, rtol, atol))
    made = np.logical_or(np.logical_and(near, np.isfinite(y)), np.equal(a, y))
    if equal_nan:
        made = np.logical_or(made, np.logical_and(np.isnan(a), np.isnan(y)))
    return made[()]


def _tolerance(y: Any, rtol: Any, atol: Any) -> Any:
    """The allowed difference from `y`."""
    return np.add(atol, np.multiply(rtol, np.abs(y)))


def allclose(a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: bool = False) -> Any:
    return bool(np.all(isclose(a, b, rtol, atol, equal_nan)))


def outer(a: Any, b: Any, out: Any = None) -> Any:
    return np.multiply(np.ravel(a)[:, None], np.ravel(b)[None, :], out=out)


def trace(a: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1, dtype: Any = None, out: Any = None) -> Any:
    return np.sum(np.diagonal(a, offset, axis1, axis2), axis=-1, dtype=dtype, out=out)


def accumulated(name: str, ufunc: Any) -> Callable[..., Any]:
    """`cumsum` and `cumprod`."""

    def made(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        example = getattr(np, name)(stand_in(a), axis=axis, dtype=dtype)
        if out is not None:
            refuse(f"numpy.{name} with out")
        if axis is None or not np.ndim(stand_in(a)):
            a, axis = np.ravel(a), 0
        return ufunc.accumulate(a, axis=axis, dtype=example.dtype)

    return made
