"""Real numbers as doubles that are off by at most a share of themselves, on whole arrays.

The cheapest way to enclose them: one double for each number, and one share for all. It is open to products, to
quotients, to functions that have a bound of this kind, and to sums of positive numbers. All else needs ends (ends.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import frexp, isfinite
from typing import Any

import numpy as np

from sonnx_verify.arrays.functions.rows import ROWS, Ends
from sonnx_verify.logic.algebraic import function_of
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.sorts import FloatSort
from sonnx_verify.logic.terms import Term

OF_ROUNDING = 2.0**-52
"""More than half a unit in the last place, with room for products of shares."""
_LEAST, _MOST = 2.0**-1020, 2.0**1020
"""Sizes of normal numbers, which are rounded by a share of themselves."""
_SMALL = 2.0**-20


@dataclass(frozen=True, slots=True)
class Near:
    """Numbers near doubles.

    share: each number differs from its double by at most this share of it; a double 0 stands for 0.
    low, high: the doubles are between.
    least: other than 0 they have at least this size.
    """

    values: Any
    share: float
    low: float
    high: float
    least: float

    @property
    def size(self) -> float:
        """The greatest size that the doubles can have."""
        return max(-self.low, self.high)

    def ends(self) -> Ends:
        """Their least and greatest numbers; one array if they are exact."""
        if not self.share:
            return self.values, self.values
        error = np.abs(self.values)
        error *= self.share + OF_ROUNDING
        return self.values - error, self.values + error

    def last_ends(self) -> Ends:
        """The same, where the first may be the greatest; the doubles are used up."""
        if not self.share:
            return self.values, self.values
        share = self.share + OF_ROUNDING
        first = self.values * (1 - share)
        # A literal is no array of its own.
        second = np.multiply(self.values, 1 + share, out=self.values if np.ndim(self.values) else None)
        return first, second


def elements(term: Term, array: Any) -> Near | None:
    """The elements of an array of finite floats, as doubles; None of those that may be subnormal doubles."""
    sort = term.args[0].sort
    if not isinstance(sort, FloatSort) or not array.size:
        return None
    # The least number has `significand` - 1 bits below the least exponent.
    least = 2.0 ** (3 - (1 << (sort.exponent - 1)) - sort.significand)
    numbers = array if array.dtype == np.float32 else array.astype(np.float64)
    low, high = float(numbers.min()), float(numbers.max())
    if least < _LEAST or not (isfinite(low) and isfinite(high)):
        return None
    exact = numbers.astype(np.float64)
    if low <= 0 <= high:
        exact += 0.0  # The real of -0 is 0.
    return Near(exact, 0.0, low, high, least)


def literal(number: Fraction, near: Any) -> Near | None:
    """A literal, with the double nearest to it."""
    value = float(near)
    if not number:
        return Near(near, 0.0, 0.0, 0.0, _MOST)
    share = 0.0 if Fraction(value) == number else OF_ROUNDING
    return Near(near, share, value, value, abs(value)) if _LEAST <= abs(value) <= _MOST else None


def chosen(condition: Any, a: Near, b: Near) -> Near:
    """The first numbers where a condition holds, and the others where it fails."""
    values = np.where(condition, a.values, b.values)
    return Near(values, max(a.share, b.share), min(a.low, b.low), max(a.high, b.high), min(a.least, b.least))


def _rounded(share: float, ends: tuple[float, ...], least: float, values: Callable[[], Any]) -> Near | None:
    """The results of an operation rounded once, if it is by a share: without underflow or overflow. The ends are moved
    outward, as they are rounded themselves."""
    low, high = min(ends), max(ends)
    low, high = low - abs(low) * _SMALL, high + abs(high) * _SMALL
    if share > _SMALL or least < _LEAST or max(-low, high) > _MOST:
        return None
    return Near(values(), share + OF_ROUNDING, low, high, least / 2)


def _sum(term: Term, a: Near, b: Near) -> Near | None:
    if a.low <= 0 or b.low <= 0:
        return None
    ends = a.low + b.low, a.high + b.high
    return _rounded(max(a.share, b.share), ends, min(ends), lambda: a.values + b.values)


def _product(term: Term, a: Near, b: Near) -> Near | None:
    for factor, other in ((a, b), (b, a)):
        if factor.low == factor.high == 1 and not factor.share:
            return other
        if factor.low == factor.high == -1 and not factor.share:
            return replace(other, values=0.0 - other.values, low=-other.high, high=-other.low)
        scale, least = factor.low, other.least * factor.low
        is_power = scale == factor.high and not factor.share and frexp(scale)[0] == 0.5  # noqa: PLR2004 - of two
        # Exact, as long as the numbers stay normal.
        if is_power and least >= _LEAST and other.size * scale <= _MOST:
            return Near(other.values * scale, other.share, other.low * scale, other.high * scale, least)
    ends = tuple(x * y for x in (a.low, a.high) for y in (b.low, b.high))
    # The real number 0 has no sign.
    return _rounded(a.share + b.share, ends, a.least * b.least, lambda: a.values * b.values + 0.0)


def _quotient(term: Term, a: Near, b: Near) -> Near | None:
    if b.low <= 0:
        return None
    ends = tuple(x / y for x in (a.low, a.high) for y in (b.low, b.high))
    # 1 / (1 - s) is below 1 + 2s.
    return _rounded(a.share + 2 * b.share, ends, a.least / b.high, lambda: a.values / b.values + 0.0)


def _function(term: Term, x: Near, *more: Near) -> Near | None:
    row = None if more else ROWS[function_of(term)].near
    if row is None or x.share > _SMALL:
        return None
    values = np.atleast_1d(x.values)
    if not row.least_argument <= x.low <= x.high <= row.most_argument:
        if not row.saturates:
            return None
        values = np.minimum(np.maximum(values, row.least_argument), row.most_argument)
    share = row.share + 2 * row.steepest * x.share if x.share else row.share
    if share > _SMALL:
        return None
    # What a saturated value is off counts as a rounding.
    return Near(row.values(values), share + OF_ROUNDING, row.least_value, row.most_value, row.least_size(x.least))


ENCLOSED: Mapping[Op, Callable[..., Near | None]] = {
    Op.PLUS: _sum,
    Op.TIMES: _product,
    Op.QUOTIENT: _quotient,
    Op.REAL_FUNCTION: _function,
}
"""Gives numbers near the result of an operation, from those near its operands; None where it has no known share."""
