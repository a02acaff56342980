"""sin and cos. Below u is 2^-53, and [..] says by how much a step is off."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from sonnx_verify.arrays.functions.bounded import TINY
from sonnx_verify.arrays.functions.pairs import LEAST, SLACK, Ball, two_product, two_sum
from sonnx_verify.arrays.functions.tables import cut, table
from sonnx_verify.logic.enclosed import precision

Array = Any
_TURN = 4096
_QUARTER = _TURN // 4
_ROUND = 1.5 * 2.0**52
MOST = 2.0**20
SHARE = 2.0**-44
OF_STEPS = 2.0**-105
_MOST_STEPS = MOST * 650
_FAR_STEPS = 2.0**33
"""So many steps are off by 2^-72, more than `_far_reduced` is."""
PAIR_SHARE = 2.0**-67
PAIR_OF_STEPS = 2.0**-127


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


@cache
def _multiples() -> list[Array]:
    """For exponents k up to 1024: 2^(k - 26) 4096 / 2 pi and 2^(k - 53) 4096 / 2 pi without whole turns, in four parts
    each: multiples of 2^-14, 2^-40 and 2^-66, and a rest."""
    from flint import arb

    parts: list[Array] = [np.zeros(1025) for _ in range(8)]
    # 1024 bits before the point, and 200 behind it.
    with precision(1300):
        per_one = _TURN / (2 * arb.pi())
        for exponent in range(1, 1025):
            for first, scale in ((0, 26), (4, 53)):
                left = per_one * arb(2) ** (exponent - scale)
                left -= (left / _TURN).floor() * _TURN
                for n, bits in enumerate((14, 40, 66)):
                    parts[first + n][exponent] = float((left * 2**bits).mid().floor()) / 2**bits
                    left -= float(parts[first + n][exponent])
                parts[first + 3][exponent] = float(left)
    return parts


def _far_reduced(x: Array) -> tuple[Array, Array]:
    """The place in a turn, and r up to 2^-73, of finite numbers beyond MOST, or nearly so.

    x = (mh 2^27 + ml) 2^(k - 53) with integers |mh|, |ml| <= 2^26, so x 4096 / 2 pi is mh H + ml L up to whole turns.
    The products with the first three parts are exact: of 26 bits each. Those with the first are below 2^38, with the
    second 2^13, and lose their integers, whose sum is the place; what is left has 42 bits. The third are multiples of
    2^-66 below 2^-13 [u of their sum: 2^-65], the rests are below 2^-39 [2^-91]. r is 2^-9.3 of that, with roundings
    that are a share of it.
    """
    fraction, exponent = np.frexp(x)
    whole = fraction * 2.0**53
    high = np.rint(whole * 2.0**-27)
    low = whole - high * 2.0**27
    products = [factor * part.take(exponent) for part, factor in zip(_multiples(), [high] * 4 + [low] * 4, strict=True)]
    place, left = np.zeros_like(x), np.zeros_like(x)
    for product in (products[0], products[4], products[1], products[5]):
        integer = np.rint(product)
        place += integer - _TURN * np.rint(integer / _TURN)
        left += product - integer
    integer = np.rint(left)
    r = (left - integer) + ((products[2] + products[6]) + (products[3] + products[7]))
    return (place + integer).astype(np.int64) & (_TURN - 1), r * (1 / _steps()[0])


def wave(x: Array, quarters: int) -> tuple[Array, Array]:
    """sin(x + quarters pi/2) for finite numbers, and how far it may be off.

    sin(a + r) = S + C sin r - S (1 - cos r) for S = sin a, C = cos a. r is off by u of itself, and by n times the rest
    of the step, as a double below 2^-55: by its rounding and that of the product [2^-55 u |n| each]. For sin r stands
    r - r^3/6 [r^5/120 = 2.3e-18], for cos r 1 - r^2/2 [r^4/24 = 1.45e-14]. Where S is not 0, |S| >= 1.53e-3 and the
    value is at least |S| / 2.01 and |r| / 1.01: off by 2.01 1.45e-14 and 3e-15, by 2.01 2u for S, 1.01 6u for C sin r,
    and by u: below 3.4e-14 < 2^-44 = 5.7e-14. Where S is 0, C is +-1, and left out is r^4/120 of it.
    """
    _, _, _, third, last = _steps()
    n, place, r = _reduced(x)
    r -= n * (third + last)
    np.abs(n, out=n)
    if n.max(initial=0.0) > _MOST_STEPS:
        beyond = np.flatnonzero(n > _MOST_STEPS)
        place[beyond], r[beyond] = _far_reduced(x[beyond])
        n[beyond] = _FAR_STEPS
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
    n *= OF_STEPS
    error += n
    error += TINY
    return part, error


def wave_of_ball(x: Ball, quarters: int) -> Ball:
    """sin(x + quarters pi/2), off by less than PAIR_SHARE of it and PAIR_OF_STEPS n, and by what x is off.

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
    radius = (np.abs(made) * PAIR_SHARE + np.abs(n) * PAIR_OF_STEPS + x.radius) * SLACK
    small = (np.abs(r) < LEAST) & (x.high != 0)
    return Ball(made, rest, np.where(small, np.inf, radius) if small.any() else radius)
