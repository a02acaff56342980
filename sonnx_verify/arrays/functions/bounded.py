"""tanh and erf, by their values at the nearest multiples of a power of two. Below u is 2^-53, and [..] says by how much
a step is off."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from sonnx_verify.arrays.functions.pairs import LEAST, SLACK, Ball, two_product, two_sum
from sonnx_verify.arrays.functions.tables import table

Array = Any
TINY = 2.0**-1000
"""More than what underflow takes away."""


class Grid:
    """The multiples of 2^-`bits` from -`most` to `most`, most < 32."""

    def __init__(self, bits: int, most: int) -> None:
        self.most = float(most)
        self._shift = 1.5 * 2.0 ** (52 - bits) + most
        self._mask = (1 << (bits + 6)) - 1
        self.centres = [j / 2**bits for j in range(-(most << bits), (most << bits) + 1)]

    def reduced(self, x: Array) -> tuple[Array, Array, Array]:
        """x = c + d, with c on the grid and |d| at most half a step: c, d, and the place of c. All of it is exact: x +
        shift is c + shift, with the place in its last bits, and d, a multiple of the last bit of x, is no greater."""
        shifted = x + self._shift
        place = shifted.view(np.int64) & self._mask
        shifted -= self._shift
        return shifted, x - shifted, place

    def values(self, value: Callable[[Any], Any]) -> tuple[Array, Array]:
        """The values of a function on the grid, as pairs of doubles."""
        from flint import arb

        return table(lambda: (value(arb(c)) for c in self.centres))


def _inside(x: Ball, most: float) -> tuple[Array, Array]:
    """The numbers, moved inside where they are beyond the greatest, and where they were not."""
    middle = np.minimum(np.maximum(x.high, -most), most)
    return middle, middle == x.high


def _ball(middle: Array, inside: Array, x: Ball, made: Array, rest: Array, share: float, steepest: float) -> Ball:
    """The ball of a function that is odd, grows at most `steepest`, and is beyond what `_inside` leaves within 2^-55 of
    where it is cut."""
    radius = (np.abs(made) * share + x.radius * steepest) * SLACK
    if not inside.all():
        radius = radius + np.where(inside, 0.0, 2.0**-55)
    small = (np.abs(middle) < LEAST) & (middle != 0)
    if small.any():
        radius = np.where(small, np.inf, radius)
    return Ball(made, rest, radius)


# ----------------------------------------------------------------------------------------------------------------- tanh

_TANH = Grid(9, 20)
TANH_MOST = _TANH.most
TANH_SHARE = 2.0**-42


@cache
def _tanhs() -> tuple[Array, Array]:
    return _TANH.values(lambda c: c.tanh())


@cache
def _slopes() -> tuple[Array, Array]:
    """1 - tanh^2."""
    return _TANH.values(lambda c: 1 - c.tanh() ** 2)


def tanh(x: Array) -> Array:
    """tanh x for |x| <= TANH_MOST, off by less than TANH_SHARE of it.

    tanh(c + d) = (T + t) / (1 + T t) with T = tanh c and t = tanh d, |d| <= 2^-10. For t stands d - d^3/3: left out is
    at most 2/15 d^4 of it [2^-42.9]; roundings take 3 u. Where c is not 0, |T| >= 2^-9.01 and |t| <= 2^-10, so |T + t|
    is at least |T| / 2.01 and |t| / 1.01: it is off by 1.01 2^-42.9, and by 2.01 2u + 1.01 3u + u. The divisor is off
    by 2^-10 of all that, and u; the quotient by u. Together below 2^-42.8.
    """
    _, d, place = _TANH.reduced(x)
    at = _tanhs()[0].take(place)
    t = d * d
    t *= -1 / 3
    t *= d
    t += d
    made = at + t
    at *= t
    at += 1.0
    made /= at
    return made


TANH_PAIR_SHARE = 2.0**-66


def tanh_of_ball(x: Ball) -> Ball:
    """tanh x, off by less than TANH_PAIR_SHARE of it, and by what x is off.

    tanh(c + d) = T + U t / (1 + T t) with U = 1 - T^2, which is T + U d + U (t - d - T t d) / (1 + T t). The sums and
    products are exact but for: t - d, of the size of d^3/3, without the terms from 62/2835 d^9 on [2^-95.5, against |d|
    or |T| >= 2^-9.01: a share of 2^-76 for d alone]; its roundings and those of T t d [a few u of 2^-20 |T| and 2^-31.6
    |d|]; the sums of what is missing [below 2^-19 |T| u, 2^-52 |T| u]. Each is below 2^-70 of |tanh x|, which is at
    least |T| / 2.01 or, where T is 0, |d| / 1.01; there are fewer than 12. That the low part of x is added to d in the
    terms of higher order takes u |d| of it, times 2 T d.

    Beyond 20 tanh is within 2^-56 of 1.
    """
    x = x.known()
    middle, inside = _inside(x, TANH_MOST)
    high, low = _tanhs()
    slope, low_slope = _slopes()
    _, d, place = _TANH.reduced(middle)
    at, by = high.take(place), slope.take(place)
    tail = 0.0 if x.is_exact else np.where(inside, x.low, 0.0)
    near = d + tail
    square = near * near
    beyond = near * square * (-1 / 3 + square * (2 / 15 + square * (-17 / 315)))
    t = near + beyond
    bent = (beyond - at * t * near) / (1.0 + at * t)
    product, missing = two_product(by, d)
    made, more = two_sum(at, product)
    rest = more + (low.take(place) + (missing + (low_slope.take(place) * d + by * (bent + tail))))
    made, rest = two_sum(made, rest)
    return _ball(middle, inside, x, made, rest, TANH_PAIR_SHARE, 1.0)


# ------------------------------------------------------------------------------------------------------------------ erf

_ERF = Grid(10, 6)
ERF_MOST = _ERF.most
ERF_SHARE = 2.0**-43
_TERMS = 5


@cache
def _erfs() -> tuple[Array, Array]:
    return _ERF.values(lambda c: c.erf())


@cache
def _bells() -> tuple[Array, Array]:
    """2 / sqrt(pi) e^(-c^2), the slope of erf."""
    from flint import arb

    return _ERF.values(lambda c: 2 / arb.pi().sqrt() * (-c * c).exp())


@cache
def _bends() -> list[Array]:
    """The coefficients of erf(c + d) - erf(c) over its slope at c and d: of d, d^2, ...

    That of d^n is (-1)^n H_n(c) / (n + 1)!, H_(n+1) = 2 c H_n - 2 n H_(n-1). Rounding takes less than 2^-47 of the sum
    of the magnitudes in it, which is below 4 max(1, 2|c|)^n / (n + 1)!: far less than counts in the bent part.
    """
    c = np.array(_ERF.centres)
    made: list[Array] = []
    before, hermite, factor = np.ones_like(c), 2 * c, -1 / 2
    for n in range(1, _TERMS):
        made.append(hermite * factor)
        before, hermite = hermite, 2 * c * hermite - 2 * n * before
        factor /= -(n + 2)
    return made


def erf(x: Array) -> Array:
    """erf x for |x| <= ERF_MOST, off by less than ERF_SHARE of it, and by less than TINY.

    erf(c + d) = erf c + G d (1 - c d + (2c^2 - 1)/3 d^2 + b3 d^3 + b4 d^4 + ...), G the slope, |d| <= 2^-11, of which
    the terms from b3 = (3c - 2c^3)/6 on are left out. Where 0 < |c| <= 1, |b3| <= |c|/2, and |erf x| >= erf |c/2| >=
    0.916 G(0) |c|/2: the term is a share of 1.1 d^4 [2^-43.86]. b4 = (4c^4 - 12c^2 + 3)/30 is at most 1/6: a share of
    d^4/5 [2^-46.3]. Beyond 1, G |b3| <= 0.08 and |erf x| > 0.84. Where c is 0, it is d^4/10. The terms from d^6 on are
    below 2.66 d^6, by Cauchy's estimate on a circle of radius 1, on which |erf| <= 2.66: a share of 2^-53. So left out
    are 2^-43.5. Roundings: of erf c [2 u], G [2 u] and the products [4 u], of which the first is at most 2.01 |erf x|
    and the other 1.01; and of the sum [u]: 12 u = 2^-49.4.
    """
    c, d, place = _ERF.reduced(x)
    slope = _bells()[0].take(place)
    slope *= d
    part = c * c
    part *= 2 / 3
    part -= 1 / 3
    part *= d
    part -= c
    part *= d
    part *= slope
    part += slope
    part += _erfs()[0].take(place)
    return part


ERF_PAIR_SHARE = 2.0**-65


def erf_of_ball(x: Ball) -> Ball:
    """erf x, off by less than ERF_PAIR_SHARE of it, and by what x is off.

    As in `erf`, with the terms up to b4 d^4. |b5| is at most |c|/6 for |c| <= 1, so that b5 d^5 is a share of 0.37 d^6
    [2^-67.4]; beyond, G |b5| is below 0.03 [2^-70.8 of |erf x|]; b6 d^6 is below 1.1/42 d^6 [2^-71.2], and more is less
    by factors of d. So left out are 2^-67.2. erf c + G d is exact but for the sum of what is missing. The bent
    part is G d (-c d + ...), below 2^-11 |c| G |d|, where roundings take a few u: |c| G |d| <= 2^-11.9 |erf x| for c
    other than 0 and 1.2 |c| G <= |erf x|; and for c = 0 it is below d^2/3 |erf x|: a share of 2^-73 a rounding, of
    which there are fewer than 30, and those of the sums of what is missing are smaller. That the low part of x counts
    in the bent part only by its sum with d takes u |d| of it, times 2 |c d| G.

    Beyond 6 erf is within 2^-55 of 1.
    """
    x = x.known()
    middle, inside = _inside(x, ERF_MOST)
    high, low = _erfs()
    bell, low_bell = _bells()
    _, d, place = _ERF.reduced(middle)
    tail = 0.0 if x.is_exact else np.where(inside, x.low, 0.0)
    near = d + tail
    bent: Array = 0.0
    for row in reversed(_bends()):
        bent = (bent + row.take(place)) * near
    slope = bell.take(place)
    product, missing = two_product(slope, d)
    made, more = two_sum(high.take(place), product)
    rest = more + (low.take(place) + (missing + (low_bell.take(place) * d + slope * (bent * near + tail))))
    made, rest = two_sum(made, rest)
    return _ball(middle, inside, x, made, rest, ERF_PAIR_SHARE, 1.25)
