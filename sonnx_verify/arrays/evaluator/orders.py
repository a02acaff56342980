"""Kernels for the greatest by an order: fast ones for orders that are recognised as terms, and one for any other.

An order is recognised by being the very term that is built here, never by its name: a text may call any order
`nan_greatest`. Terms that say the same in other words are not recognised, and are computed as they stand.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sonnx_verify.arrays.evaluator.known import DTYPES, bits_type
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.sorts import FloatSort, IntegerSort
from sonnx_verify.logic.terms import Term, and_, element, eq, le, lt, or_

Pair = Callable[[Any, Any, Any], Any]
"""The greater of two arrays at each place, in the array `out` where one is given: `pair(a, b, out)`."""
Along = Callable[[Any, tuple[int, ...]], Any]
"""The greatest along some axes, which are taken away."""
State = tuple[Any, ...]
"""Arrays of one shape that go together: values, and where there are conditions whether there is one."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """The computation of a greatest: of two arrays, and along axes."""

    pair: Pair
    along: Along


def kernel_of(x: Term, y: Term, order: Term) -> Kernel | None:
    """The fast kernel of the order `x before y`, if it is one that there is a kernel for: told by its term."""
    sort = x.sort
    if isinstance(sort, IntegerSort):
        if order is le(x, y):
            return _plain(np.maximum, sort)
        # The least by an order is the greatest by its converse.
        if order is le(y, x):
            return _plain(np.minimum, sort)
    if isinstance(sort, FloatSort):
        if order is _nan_last(x, y):
            return _GREATEST[sort]
        if order is _nan_first(y, x):
            return _LEAST[sort]
    return None


def _ascending(x: Term, y: Term) -> tuple[Term, ...]:
    """x < y, x = y, or -0 and +0: the order of what is no NaN."""
    # IEEE 754 calls -0 and +0 equal. An order that is total, as one for a greatest has to be, puts one of them first.
    zeros = and_(element(Op.IS_ZERO, x), element(Op.IS_ZERO, y), element(Op.IS_NEGATIVE, x))
    return lt(x, y), eq(x, y), zeros


def _nan_last(x: Term, y: Term) -> Term:
    return or_(element(Op.IS_NAN, y), *_ascending(x, y))


def _nan_first(x: Term, y: Term) -> Term:
    return or_(element(Op.IS_NAN, x), *_ascending(x, y))


def _plain(function: Any, sort: IntegerSort) -> Kernel:
    if sort.width >= 8:
        return Kernel(lambda a, b, out: function(a, b, out=out), lambda v, axes: function.reduce(v, axis=axes))
    # Of integers of less than a byte numpy computes the greatest in another type.
    dtype = DTYPES[sort]

    def pair(a: Any, b: Any, out: Any) -> Any:
        made = function(a, b).astype(dtype)
        if out is None:
            return made
        out[...] = made
        return out

    return Kernel(pair, lambda v, axes: function.reduce(v, axis=axes).astype(dtype))


@dataclass(frozen=True, slots=True)
class _Zeros:
    """The rule for zeros among results, by bits. `settle` changes the bits of results of two arrays, given where these
    are zeros and the bits of both arrays. Along axes, the sign of a zero follows from the least pattern of what was
    compared, read as `pattern`: if that is `mark` the zero is negative (`mark_is_negative`), or positive."""

    settle: Callable[[Any, Any, Any, Any], None]
    pattern: np.dtype[Any]
    mark: Any
    mark_is_negative: bool


def _with_zeros(sort: FloatSort, extreme: Any, zeros: _Zeros) -> Kernel:
    """numpy's maximum or minimum, which passes a NaN on and leaves open which of two zeros it gives; with that settled.

    Which zero maximum(-0, +0) is numpy does not say; the order says +0."""
    dtype, bits = DTYPES[sort], bits_type(sort)
    zero, negative = dtype.type(0), np.negative(dtype.type(0))
    marked, other = zero, negative
    if zeros.mark_is_negative:
        marked, other = negative, zero
    is_zero_at = _zero_test(sort)

    def pair(a: Any, b: Any, out: Any) -> Any:
        made = extreme(a, b, out=out)
        is_zero = is_zero_at(made)
        # Most blocks of real tensors have no zero, and are done here.
        if _any(is_zero):
            zeros.settle(made.view(bits), is_zero, a.view(bits), b.view(bits))
        return made

    def along(v: Any, axes: tuple[int, ...]) -> Any:
        made = extreme.reduce(v, axis=axes)
        is_zero = is_zero_at(made)
        if _any(is_zero):
            least = np.minimum.reduce(v.view(zeros.pattern), axis=axes)
            made = np.where(is_zero, np.where(np.equal(least, zeros.mark), marked, other), made)
        return made

    return Kernel(pair, along)


def _any(conditions: Any) -> Any:
    """Return whether one of the truth values is true."""
    # Of few elements, as of many, it is faster to count them.
    if type(conditions) is np.ndarray:
        return np.count_nonzero(conditions)
    return conditions.any()


def _zero_test(sort: FloatSort) -> Callable[[Any], Any]:
    """Return whether each element is a zero."""
    dtype, bits = DTYPES[sort], bits_type(sort)
    if sort.width > 16:
        zero = dtype.type(0)
        return lambda v: np.equal(v, zero)
    # Floats of fewer bits are compared one by one, integers many at once.
    no_bits, magnitude = bits.type(0), bits.type((1 << (sort.width - 1)) - 1)
    return lambda v: np.equal(np.bitwise_and(v.view(bits), magnitude), no_bits)


def _greatest(sort: FloatSort) -> Kernel:
    """NaN above all, and +0 above -0."""
    bits = bits_type(sort)
    one = bits.type(1)

    def settle(made: Any, is_zero: Any, a: Any, b: Any) -> None:
        # Of two that are not above zero, where one is a zero, the greater is -0 if both have the sign.
        keep = is_zero.astype(bits)
        np.subtract(keep, one, out=keep)
        np.bitwise_or(keep, np.bitwise_and(a, b), out=keep)
        np.bitwise_and(made, keep, out=made)

    # +0 is the pattern 0: it is among them if that is the least pattern.
    return _with_zeros(sort, np.maximum, _Zeros(settle, bits, bits.type(0), mark_is_negative=False))


def _least(sort: FloatSort) -> Kernel:
    """NaN below all, and -0 below +0."""
    bits, signed = bits_type(sort), np.dtype(f"i{sort.width // 8}")
    sign, lowest = bits.type(1 << (sort.width - 1)), signed.type(-(1 << (sort.width - 1)))

    def settle(made: Any, is_zero: Any, a: Any, b: Any) -> None:
        # Of two that are not below zero, where one is a zero, the less is -0 if one of them has the sign.
        signs = np.multiply(is_zero.astype(bits), sign)
        np.bitwise_and(signs, np.bitwise_or(a, b), out=signs)
        np.bitwise_or(made, signs, out=made)

    # -0 is the least pattern of all, read as a signed integer.
    return _with_zeros(sort, np.minimum, _Zeros(settle, signed, lowest, mark_is_negative=True))


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
        return halved((v,), axes, lambda a, b: (pair(a[0], b[0], None),))[0]

    return Kernel(pair, along)


def halved(state: State, axes: tuple[int, ...], join: Callable[[State, State], State]) -> State:
    """A balanced tree of joins of the two halves of each axis in turn, of arrays of one shape that go together; the
    axes are taken away."""
    for axis in sorted(axes, reverse=True):
        before = (slice(None),) * axis
        # Halves make log2(n) calls of numpy on long arrays, one member after the other n calls on short ones. Each half
        # is read in place; an odd member waits for the next round.
        while (size := state[0].shape[axis]) > 1:
            half = size // 2
            low = tuple([v[(*before, slice(0, half))] for v in state])
            high = tuple([v[(*before, slice(half, 2 * half))] for v in state])
            made = join(low, high)
            if size % 2:
                rest = [v[(*before, slice(2 * half, size))] for v in state]
                made = tuple([np.concatenate(two, axis=axis) for two in zip(made, rest, strict=True)])
            state = made
        state = tuple([v[(*before, 0)] for v in state])
    return state
