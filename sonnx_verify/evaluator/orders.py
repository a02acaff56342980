"""Kernels for the greatest by an order: fast ones for orders that are recognised as terms, and one for any other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sonnx_verify.evaluator.known import DTYPES, bits_type
from sonnx_verify.logic.sorts import FloatSort, IntegerSort
from sonnx_verify.logic.terms import Term, and_, element, eq, le, lt, or_

Pair = Callable[[Any, Any, Any], Any]
"""The greater of two arrays at each place, in the array `out` where one is given: `pair(a, b, out)`."""
Along = Callable[[Any, tuple[int, ...]], Any]
"""The greatest along some axes, which are taken away."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """How the greatest is computed: of two arrays, and along axes."""

    pair: Pair
    along: Along


def kernel_of(x: Term, y: Term, order: Term) -> Kernel | None:
    """The fast kernel of the order `x before y`, if it is one that there is a kernel for: told by its term."""
    sort = x.sort
    if isinstance(sort, IntegerSort):
        if order is le(x, y):
            return _plain(np.maximum)
        return _plain(np.minimum) if order is le(y, x) else None
    if isinstance(sort, FloatSort):
        if order is _nan_last(x, y):
            return _GREATEST[sort]
        # The least by an order is the greatest by its converse.
        return _LEAST[sort] if order is _nan_first(y, x) else None
    return None


def _ascending(x: Term, y: Term) -> tuple[Term, ...]:
    """x < y, x = y, or -0 and +0: the order of what is no NaN."""
    zeros = and_(element("is_zero", x), element("is_zero", y), element("is_negative", x))
    return lt(x, y), eq(x, y), zeros


def _nan_last(x: Term, y: Term) -> Term:
    return or_(element("is_nan", y), *_ascending(x, y))


def _nan_first(x: Term, y: Term) -> Term:
    return or_(element("is_nan", x), *_ascending(x, y))


def _plain(function: Any) -> Kernel:
    return Kernel(lambda a, b, out: function(a, b, out=out), lambda v, axes: function.reduce(v, axis=axes))


def _greatest(sort: FloatSort) -> Kernel:
    """NaN above all, and +0 above -0. numpy's maximum has the first, and leaves open which of two zeros it gives."""
    dtype, bits = DTYPES[sort], bits_type(sort)
    zero, negative, one = dtype.type(0), np.negative(dtype.type(0)), bits.type(1)

    def pair(a: Any, b: Any, out: Any) -> Any:
        made = np.maximum(a, b, out=out)
        is_zero = np.equal(made, zero)
        if is_zero.any():
            # Of two that are not above zero, where one is a zero, the greater is -0 if both have the sign.
            keep = is_zero.astype(bits)
            np.subtract(keep, one, out=keep)
            np.bitwise_or(keep, np.bitwise_and(a.view(bits), b.view(bits)), out=keep)
            pattern = made.view(bits)
            np.bitwise_and(pattern, keep, out=pattern)
        return made

    def along(v: Any, axes: tuple[int, ...]) -> Any:
        made = np.maximum.reduce(v, axis=axes)
        is_zero = np.equal(made, zero)
        if is_zero.any():
            # +0 is the pattern 0: it is among them if that is the least pattern.
            least = np.minimum.reduce(v.view(bits), axis=axes)
            made = np.where(is_zero, np.where(np.equal(least, bits.type(0)), zero, negative), made)
        return made

    return Kernel(pair, along)


def _least(sort: FloatSort) -> Kernel:
    """NaN below all, and -0 below +0."""
    dtype, bits = DTYPES[sort], bits_type(sort)
    signed = np.dtype(f"i{sort.width // 8}")
    zero, negative = dtype.type(0), np.negative(dtype.type(0))
    sign, lowest = bits.type(1 << (sort.width - 1)), signed.type(-(1 << (sort.width - 1)))

    def pair(a: Any, b: Any, out: Any) -> Any:
        made = np.minimum(a, b, out=out)
        is_zero = np.equal(made, zero)
        if is_zero.any():
            # Of two that are not below zero, where one is a zero, the less is -0 if one of them has the sign.
            signs = np.multiply(is_zero.astype(bits), sign)
            np.bitwise_and(signs, np.bitwise_or(a.view(bits), b.view(bits)), out=signs)
            pattern = made.view(bits)
            np.bitwise_or(pattern, signs, out=pattern)
        return made

    def along(v: Any, axes: tuple[int, ...]) -> Any:
        made = np.minimum.reduce(v, axis=axes)
        is_zero = np.equal(made, zero)
        if is_zero.any():
            # -0 is the least pattern of all, read as a signed integer.
            least = np.minimum.reduce(v.view(signed), axis=axes)
            made = np.where(is_zero, np.where(np.equal(least, lowest), negative, zero), made)
        return made

    return Kernel(pair, along)


_GREATEST = {sort: _greatest(sort) for sort in DTYPES if isinstance(sort, FloatSort)}
_LEAST = {sort: _least(sort) for sort in DTYPES if isinstance(sort, FloatSort)}


def any_order(below: Callable[[Any, Any], Any]) -> Kernel:
    """The kernel of an order that is computed by `below`, of two arrays. Every order is total, so in whichever pairs
    elements meet the result is the same."""

    def pair(a: Any, b: Any, out: Any) -> Any:
        made = np.where(below(a, b), b, a)
        if out is None:
            return made
        out[...] = made
        return out

    def along(v: Any, axes: tuple[int, ...]) -> Any:
        return halved(v, axes, lambda a, b: pair(a, b, None))

    return Kernel(pair, along)


def halved(v: Any, axes: tuple[int, ...], join: Callable[[Any, Any], Any]) -> Any:
    """A balanced tree of joins of the two halves of each axis in turn; the axes are taken away."""
    for axis in sorted(axes, reverse=True):
        before = (slice(None),) * axis
        while (size := v.shape[axis]) > 1:
            half = size // 2
            made = join(v[(*before, slice(0, half))], v[(*before, slice(half, 2 * half))])
            if size % 2:
                made = np.concatenate([made, v[(*before, slice(2 * half, size))]], axis=axis)
            v = made
        v = v[(*before, 0)]
    return v
