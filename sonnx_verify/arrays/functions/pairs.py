"""Real numbers as balls around sums of two doubles, on whole arrays.

The ball (high, low, radius) has the numbers that differ from high + low by at most the radius, with |low| <= 2^-52
|high|. Below u is 2^-53, and every operation is IEEE's, rounded to nearest: so the results are the same everywhere.

Sources: Knuth, The Art of Computer Programming, 4.2.2 (two_sum); Dekker, A floating-point technique for extending the
available precision, 1971 (split, two_product); Joldes, Muller, Popescu, Tight and rigorous error bounds for basic
building blocks of double-word arithmetic, 2017, whose bounds are 3 to 15 u^2, where 2^-100 is taken here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

Array = Any
_SPLITTER = 134217729.0
"""2^27 + 1: Dekker's constant, which cuts 53 bits into 26 and 26 with a sign."""
SHARE = 2.0**-100
"""More than what rounding takes from a sum (of its operands), a product or a quotient, as a share."""
SLACK = 1 + 2.0**-20
"""Makes up for the rounding of a radius, and for the products of errors that are left out."""
LEAST = 2.0**-900
"""Products below it may have lost low bits to underflow: Dekker's product is exact from 2^-969 on."""
_MOST = 2.0**1020
SMALL_RADIUS = 2.0**-24
"""A ball is small if its radius is at most this share of its middle."""


def two_sum(a: Array, b: Array) -> tuple[Array, Array]:
    """The rounded sum, and what is missing from it, exactly."""
    total = a + b
    of_b = total - a
    return total, (a - (total - of_b)) + (b - of_b)


def fast_two_sum(a: Array, b: Array) -> tuple[Array, Array]:
    """As two_sum, for |a| >= |b| or a = 0."""
    total = a + b
    return total, b - (total - a)


def _split(a: Array) -> tuple[Array, Array]:
    scaled = a * _SPLITTER
    high = scaled - (scaled - a)
    return high, a - high


def two_product(a: Array, b: Array) -> tuple[Array, Array]:
    """The rounded product, and what is missing from it, exactly for products from 2^-969 on and factors below 2^996; of
    greater factors it is NaN."""
    product = a * b
    high_a, low_a = _split(a)
    high_b, low_b = _split(b)
    return product, ((high_a * high_b - product) + high_a * low_b + low_a * high_b) + low_a * low_b


def two_square(a: Array) -> tuple[Array, Array]:
    """two_product(a, a)."""
    square = a * a
    high, low = _split(a)
    return square, ((high * high - square) + (high + high) * low) + low * low


def two_product_with_short(a: Array, short: Array) -> tuple[Array, Array]:
    """As two_product, for a factor of at most 26 bits."""
    product = a * short
    high, low = _split(a)
    return product, (high * short - product) + low * short


@dataclass(frozen=True, slots=True)
class Ball:
    """Numbers around sums of two doubles.

    A high of infinity stands for a number beyond 2^1025. Where `vanishing` is true, the number has the sign of the zero
    `high`, and is nearer to 0 than any float: half of 2^-1074. Both may be rounded, and nothing is known of what is
    computed from them.
    """

    high: Array
    low: Array
    radius: Array
    vanishing: Array = None

    def known(self) -> Ball:
        """The same, with an infinite radius where the numbers can only be rounded."""
        if self.vanishing is None:
            return self
        return Ball(self.high, self.low, np.where(self.vanishing, np.inf, self.radius))

    @property
    def is_exact(self) -> bool:
        """Whether these are doubles as they are, such as elements of an array."""
        return isinstance(self.radius, float)

    def ends(self) -> tuple[Array, Array]:
        """The doubles nearest to the least and to the greatest number; NaN where nothing is known.

        The radius covers the rounding of low - radius: it is 0 for an exact double, whose low is 0, and else at least
        SHARE of high, 2^5 times u |low|.
        """
        below, above = self.high + (self.low - self.radius), self.high + (self.low + self.radius)
        if self.vanishing is None:
            # The real number 0 is rounded to +0.
            return below + 0.0, above
        return np.where(self.vanishing, self.high, below + 0.0), np.where(self.vanishing, self.high, above)


def exact(numbers: Array) -> Ball:
    """Doubles as they are: their low part and radius are the number 0.0."""
    return Ball(numbers, 0.0, 0.0)


def added(a: Ball, b: Ball) -> Ball:
    """Sums.

    Rounded are only al + bl, and its sum with the error of the first: together below 3 u * 2u (|ah| + |bh|).
    """
    a, b = a.known(), b.known()
    high, error = two_sum(a.high, b.high)
    high, low = two_sum(high, error + (a.low + b.low))
    return Ball(high, low, (a.radius + b.radius + (np.abs(a.high) + np.abs(b.high)) * SHARE) * SLACK)


def negative(a: Ball) -> Ball:
    """The same with the other sign."""
    return Ball(-a.high, -a.low, a.radius, a.vanishing)


def multiplied(a: Ball, b: Ball) -> Ball:
    """Products.

    Left out is al bl <= 4 u^2 |ah bh|; rounded are the two cross products and their sums, each below 8 u^2 |ah bh|.
    """
    a, b = a.known(), b.known()
    high, error = two_product(a.high, b.high)
    high, low = fast_two_sum(high, error + (a.high * b.low + a.low * b.high))
    size_a, size_b, size = np.abs(a.high), np.abs(b.high), np.abs(high)
    radius = (size_a * b.radius + size_b * a.radius + a.radius * b.radius + size * SHARE) * SLACK
    may = ((size_a != 0) | (a.radius != 0)) & ((size_b != 0) | (b.radius != 0))
    return Ball(high, low, _without_underflow(size, radius, may))


def _without_underflow(size: Array, radius: Array, may: Array) -> Array:
    """The radius, infinite where a number that may be another one than 0 is so small that its radius may be cut."""
    lost = (size < LEAST) & may
    if lost.any():
        radius = np.where(lost, np.inf, radius)
    return radius


def divided(a: Ball, b: Ball) -> Ball:
    """Quotients, for divisors that are small balls.

    With q = RN(ah / bh) the rest a - q b = (ah - q bh) + al - q bl is computed with three roundings, of numbers below 8
    u |ah|: ah - RN(q bh) is exact. It is divided by bh instead of b, which differ by a share of 2u.
    """
    a, b = a.known(), b.known()
    quotient = a.high / b.high
    product, error = two_product(quotient, b.high)
    rest = ((a.high - product) - error) + (a.low - quotient * b.low)
    high, low = fast_two_sum(quotient, rest / b.high)
    size, size_b = np.abs(high), np.abs(b.high)
    radius = ((a.radius + size * b.radius) / size_b + size * SHARE) * SLACK * SLACK
    radius = np.where(b.radius <= size_b * SMALL_RADIUS, radius, np.inf)
    return Ball(
        high, low, _without_underflow(np.minimum(size, np.abs(a.high)), radius, (a.high != 0) | (a.radius != 0))
    )


def rooted(a: Ball) -> Ball:
    """Square roots of small balls above 0.

    With s = RN(sqrt(ah)) the root is s + (a - s^2) / (2s) up to (a - s^2)^2 / (8 s^3) <= 2 u^2 s; ah - RN(s^2) is
    exact.
    """
    a = a.known()
    root = np.sqrt(a.high)
    product, error = two_product(root, root)
    high, low = fast_two_sum(root, (((a.high - product) - error) + a.low) / (2 * root))
    radius = (a.radius / high + high * SHARE) * SLACK
    # The square of the root of the greatest double overflows.
    known = (a.high >= LEAST) & (a.high <= _MOST) & (a.radius <= a.high * SMALL_RADIUS)
    return Ball(high, low, np.where(known, radius, np.inf))
