"""sin and cos. Below u is 2^-53, and [..] says by how much a step is off."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from sonnx_verify.arrays.functions.bounded import TINY
from sonnx_verify.arrays.functions.pairs import LEAST, SLACK, Ball, two_product, two_sum
from sonnx_verify.arrays.functions.tables import cut, table

Array = Any
_TURN = 4096
_QUARTER = _TURN // 4
_ROUND = 1.5 * 2.0**52
MOST = 2.0**20
SHARE = 2.0**-44
OF_TURNS = 2.0**-105
PAIR_SHARE = 2.0**-67
PAIR_OF_TURNS = 2.0**-127


@cache
def _steps() -> tuple[float, ...]:
    """4096 / 2 pi as a double, and 2 pi / 4096 as a multiple of 2^-32, of 2^-55, of 2^-78, and a rest."""
    from flint import arb

    def step() -> arb:
        # Its digits depend on the precision of the caller.
        return 2 * arb.pi() / _TURN

    (per_one,), _ = table(lambda: [1 / step()])
    (first,), _ = cut(lambda: [step()], 32)
    (second,), _ = cut(lambda: [step() - float(first)], 55)
    (third,), (rest,) = cut(lambda: [step() - float(first) - float(second)], 78)
    return float(per_one), float(first), float(second), float(third), float(rest)


@cache
def _sines() -> tuple[Array, Array]:
    """sin(2 pi j / 4096), for a turn and a half: cos is sin a quarter later. Where it is 0, +-1, it is exactly."""
    from flint import arb

    return table(lambda: (arb(2 * j / _TURN).sin_pi() for j in range(_TURN + 2 * _QUARTER)))


def _reduced(x: Array) -> tuple[Array, Array, Array]:
    """x = 2 pi n / 4096 + r with |r| <= 7.671e-4, for |x| <= MOST: n, its place in a turn, and r without the last two
    parts of the step. It is exact: |n| < 2^29.4, n times 2^-32 k and 2^-55 k' have 52 bits; x - n first is a multiple
    of 2^-32 or of the last bit of x and at most 2^-10 + 2^-2.6; the next difference is a multiple of 2^-55, or of the
    last bit of x where x, and so r, is smaller, and at most 2^-10."""
    per_one, first, second, _, _ = _steps()
    scaled = x * per_one
    scaled += _ROUND
    place = scaled.view(np.int64) & (_TURN - 1)
    scaled -= _ROUND
    r = x - scaled * first
    r -= scaled * second
    return scaled, place, r


def wave(x: Array, quarters: int) -> tuple[Array, Array]:
    """sin(x + quarters pi/2) for |x| <= MOST, and how far it may be off.

    sin(a + r) = S + C sin r - S (1 - cos r) for S = sin a, C = cos a. r is off by u of itself, and by n times the rest
    of the step, as a double below 2^-55: by its rounding and that of the product [2^-55 u |n| each]. For sin r stands
    r - r^3/6 [r^5/120 = 2.3e-18], for cos r 1 - r^2/2 [r^4/24 = 1.45e-14]. Where S is not 0, |S| >= 1.53e-3 and the
    value is at least |S| / 2.01 and |r| / 1.01: off by 2.01 1.45e-14 and 3e-15, by 2.01 2u for S, 1.01 6u for C sin r,
    and by u: below 3.4e-14 < 2^-44 = 5.7e-14. Where S is 0, C is +-1, and left out is r^4/120 of it.
    """
    _, _, _, third, last = _steps()
    n, place, r = _reduced(x)
    r -= n * (third + last)
    sines, _ = _sines()
    sine = sines[quarters * _QUARTER :].take(place)
    cosine = sines[(quarters + 1) * _QUARTER :].take(place)
    square = r * r
    part = square * (-1 / 6)
    part *= r
    part += r
    part *= cosine
    square *= -0.5
    square *= sine
    part += square
    part += sine
    error = np.abs(part)
    error *= SHARE
    np.abs(n, out=n)
    n *= OF_TURNS
    error += n
    error += TINY
    return part, error


def wave_of_ball(x: Ball, quarters: int) -> Ball:
    """sin(x + quarters pi/2), off by less than PAIR_SHARE of it and PAIR_OF_TURNS n, and by what x is off.

    r is a pair: n third is exact and so is the sum; off is n last [2^-78 u |n| twice] and the rounding of the low part
    with it and with that of x [2^-78 u |n|, u^2 |r|]. The low part is then below u |r|, so that of its terms beyond C -
    S r there is left u r^2/2 |r|. S + C rh is exact but for
    the sum of what is missing. The bent part is C (sin r - r) - S (1 - cos r), with the terms up to r^5/120 [r^7/5040:
    2^-84.8] and r^4/24 [r^6/720: 2^-71.6 of S]; it is at most 2^-21.7 |S| + 2^-33.6, where roundings take a few u. The
    value is at least |S| / 2.01 and |r| / 1.01: a share of 2^-70.5, and fewer than 8 times 2^-73.
    """
    x = x.known()
    inside = np.abs(x.high) <= MOST
    if not inside.all():
        x = Ball(np.where(inside, x.high, 0.0), x.low, np.where(inside, x.radius, np.inf))
    _, _, _, third, last = _steps()
    n, place, r = _reduced(x.high)
    r, low_r = two_sum(r, -(n * third))
    r, low_r = two_sum(r, low_r + (x.low - n * last))
    high, low = _sines()
    first, second = quarters * _QUARTER, (quarters + 1) * _QUARTER
    sine, low_sine = high[first:].take(place), low[first:].take(place)
    cosine, low_cosine = high[second:].take(place), low[second:].take(place)
    square = r * r
    bent = cosine * (r * square * (-1 / 6 + square * (1 / 120))) + sine * (square * (-1 / 2 + square * (1 / 24)))
    # The low part of r counts by the slope: C - S r.
    bent = bent + (low_cosine * r + (cosine - sine * r) * low_r)
    product, missing = two_product(cosine, r)
    made, more = two_sum(sine, product)
    made, rest = two_sum(made, more + (low_sine + (missing + bent)))
    radius = (np.abs(made) * PAIR_SHARE + np.abs(n) * PAIR_OF_TURNS + x.radius) * SLACK
    small = (np.abs(r) < LEAST) & (x.high != 0)
    return Ball(made, rest, np.where(small, np.inf, radius) if small.any() else radius)
