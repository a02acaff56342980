"""Ranges of real numbers whose ends may be left out, and which of them a named function never leaves.

An enclosure of tanh(10^30) contains 1 at any precision that is affordable; that tanh stays below 1 is known without
one. So a range has ends that are fractions, or none, and says of each whether it belongs to the range:

    tanh(x) in (-1, 1), so 1 - tanh(x) in (0, 2) and 1 / (1 - tanh(x)) in (1/2, inf)

Trusted: the reference evaluator decides signs by it where enclosures do not (logic/enclosed.py). Each function below
returns a range that holds every result of operands in their ranges.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from sonnx_verify.logic.functions import RealFunction


@dataclass(frozen=True, slots=True)
class Range:
    """All numbers from `low` to `high`, without those of the two that are open. None is no end."""

    low: Fraction | None = None
    high: Fraction | None = None
    low_open: bool = False
    high_open: bool = False

    def __neg__(self) -> Range:
        return Range(_negated(self.high), _negated(self.low), self.high_open, self.low_open)

    def __add__(self, other: Range) -> Range:
        low = None if self.low is None or other.low is None else self.low + other.low
        high = None if self.high is None or other.high is None else self.high + other.high
        # The sum is an end only if both numbers are ends.
        return Range(low, high, self.low_open or other.low_open, self.high_open or other.high_open)

    def __mul__(self, other: Range) -> Range:
        first, second = self._upwards(), other._upwards()
        if first is None or second is None:
            return Range()
        product = first._times(second)
        return product if (first is self) == (second is other) else -product

    def _upwards(self) -> Range | None:
        """This range, or its negative, of numbers that are not negative; None if 0 is inside."""
        if self.low is not None and self.low >= 0:
            return self
        if self.high is not None and self.high <= 0:
            return -self
        return None

    def _times(self, other: Range) -> Range:
        """The product of two ranges of numbers that are not negative."""
        assert self.low is not None
        assert other.low is not None
        low = self.low * other.low
        # A product is 0 if one number is: of (2, 3) and [0, 1] it is. Any other end takes both.
        low_open = self.low_open or other.low_open
        if low == 0:
            low_open = not (self._holds_zero() or other._holds_zero())
        if self.high is None or other.high is None:
            return Range(low, None, low_open)
        return Range(low, self.high * other.high, low_open, self._high_is_missed(other))

    def _holds_zero(self) -> bool:
        return self.low == 0 and not self.low_open

    def _high_is_missed(self, other: Range) -> bool:
        # By 0 as an end everything is 0, whatever the other number is.
        if self.high == 0 or other.high == 0:
            return False
        return self.high_open or other.high_open

    def inverse(self) -> Range:
        """The inverses of numbers that are all above 0, or all below; else all numbers."""
        if self.sign() == -1:
            return -(-self).inverse()
        if self.sign() != 1:
            return Range()
        assert self.low is not None
        # The inverse of what has no end comes close to 0 and never there.
        low, low_open = (Fraction(0), True) if self.high is None else (1 / self.high, self.high_open)
        if self.low == 0:
            return Range(low, None, low_open)
        return Range(low, 1 / self.low, low_open, self.low_open)

    def within(self, other: Range) -> Range:
        """The numbers in both."""
        low, low_open = _greater((self.low, self.low_open), (other.low, other.low_open))
        high, high_open = _greater((_negated(self.high), self.high_open), (_negated(other.high), other.high_open))
        return Range(low, _negated(high), low_open, high_open)

    def sign(self) -> int | None:
        """The sign of all numbers of the range, if they have one."""
        if self.low is not None and (self.low > 0 or (self.low == 0 and self.low_open)):
            return 1
        if self.high is not None and (self.high < 0 or (self.high == 0 and self.high_open)):
            return -1
        return 0 if self.low == self.high == 0 else None


def _negated(end: Fraction | None) -> Fraction | None:
    return None if end is None else -end


def _greater(a: tuple[Fraction | None, bool], b: tuple[Fraction | None, bool]) -> tuple[Fraction | None, bool]:
    """The one of two lower ends that leaves out more."""
    if a[0] is None:
        return b
    if b[0] is None or a[0] > b[0]:
        return a
    if a[0] < b[0]:
        return b
    return a[0], a[1] or b[1]


_ZERO, _ONE = Fraction(0), Fraction(1)
_WHOLE = {
    RealFunction.SQRT: Range(low=_ZERO),
    RealFunction.EXP: Range(_ZERO, None, low_open=True),
    RealFunction.LOG: Range(),
    RealFunction.SIN: Range(-_ONE, _ONE),
    RealFunction.COS: Range(-_ONE, _ONE),
    RealFunction.TANH: Range(-_ONE, _ONE, low_open=True, high_open=True),
    RealFunction.ERF: Range(-_ONE, _ONE, low_open=True, high_open=True),
}
"""The values of each function."""
_GROWING = {
    RealFunction.SQRT: (_ZERO, _ZERO),
    RealFunction.EXP: (_ZERO, _ONE),
    RealFunction.LOG: (_ONE, _ZERO),
    RealFunction.TANH: (_ZERO, _ZERO),
    RealFunction.ERF: (_ZERO, _ZERO),
}
"""A number, and the value at it, of each function that is strictly increasing."""


def of_function(function: RealFunction, x: Range, *others: Range) -> Range:
    """A range of the values of a function on arguments in their ranges."""
    if function is RealFunction.POW:
        # A power of a positive number is positive.
        return Range(_ZERO, None, low_open=True) if x.sign() == 1 else Range()
    whole = _WHOLE[function]
    if function is RealFunction.EXP and x.low is not None:
        # exp(x) >= 1 + x, so exp(exp(10000)) is beyond every float.
        whole = whole.within(Range(x.low + 1, None, x.low_open))
    if function not in _GROWING:
        return whole
    point, value = _GROWING[function]
    beside = (x + Range(-point, -point)).sign()
    if beside == 1:
        return whole.within(Range(value, None, low_open=True))
    if beside == -1:
        return whole.within(Range(None, value, high_open=True))
    return whole
