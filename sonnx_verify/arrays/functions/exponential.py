"""exp, log and powers. Below u is 2^-53, and [..] says by how much a step is off."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from sonnx_verify.arrays.functions.pairs import (
    Ball,
    fast_two_sum,
    multiplied,
    two_product_with_short,
    two_square,
    two_sum,
)
from sonnx_verify.arrays.functions.tables import cut, table

Array = Any
_ROUND = 1.5 * 2.0**52
"""x + _ROUND has the integer nearest to x in its last bits, for |x| < 2^51."""
_PARTS = 4096
_LOG_OF_PARTS = 12


@cache
def _steps() -> tuple[float, float, float, float]:
    """4096 / ln 2 and ln 2 / 4096 as doubles, and the latter in two parts, of which the first has 30 bits."""
    from flint import arb

    (per_one, step), _ = table(lambda: [_PARTS / arb.const_log2(), arb.const_log2() / _PARTS])
    # ln 2 / 4096 begins at 2^-13.
    (high,), (low,) = cut(lambda: [arb.const_log2() / _PARTS], 42)
    return float(per_one), float(step), float(high), float(low)


@cache
def _powers() -> tuple[Array, Array]:
    """2^(j / 4096)."""
    from flint import arb

    return table(lambda: [(arb.const_log2() * j / _PARTS).exp() for j in range(_PARTS)])


@cache
def _halves() -> Array:
    """The bits of half of 2^(j / 4096), without those that j has where it is shifted beside the exponent."""
    halves = _powers()[0] * 0.5
    return halves.view(np.int64) - (np.arange(_PARTS) << (52 - _LOG_OF_PARTS))


EXP_MOST = 700.0
EXP_SHARE = 2.0**-42


def exp(x: Array) -> Array:
    """e^x for |x| <= EXP_MOST, off by less than EXP_SHARE of it.

    n = x 4096 / ln 2 rounded, |n| < 2^22, and x = n ln 2 / 4096 + r with |r| <= 8.47e-5. r is off by half a unit of
    n step, which is below 1024 [2^-44], by the error of step times n [2^-66 2^22 = 2^-44], and by the rounding of the
    difference [2^-67]. Of e^r the terms from r^3/6 on are left out [1.02e-13]; the rest is ((1 + r)^2 + 1) / 2, with
    three roundings, of 1 + r [u], of its square [u] and of the sum [u of it], and an entry of the table and a product
    [2 u]. Together 2.17e-13 < 2^-42 = 2.27e-13.
    """
    per_one, step, _, _ = _steps()
    scaled = x * per_one
    scaled += _ROUND
    r = scaled - _ROUND
    r *= step
    np.subtract(x, r, out=r)
    # Shifted, n is an exponent, with its place in the table behind it; what _ROUND has beside n is shifted out.
    n = scaled.view(np.int64)
    value = _halves().take(n & (_PARTS - 1))
    n <<= 52 - _LOG_OF_PARTS
    n += value
    r += 1.0
    r *= r
    r += 1.0
    r *= scaled
    return r


def _scaled(value: Array, n: Array, place: Array) -> Array:
    """Numbers near 1 to 2, times 2 to the integer part of n / 4096, in the exponent of their bits. What _ROUND has
    besides n in its bits is shifted out."""
    n = n - place
    n <<= 52 - _LOG_OF_PARTS
    value.view(np.int64)[...] += n
    return value


_PAIR_LEAST, _PAIR_MOST = -690.0, 709.0
_VANISHES, _OVERFLOWS = -746.0, 710.5
EXP_PAIR_SHARE = 2.0**-64


def exp_of_ball(x: Ball) -> Ball:
    """e^x, off by less than EXP_PAIR_SHARE of it where -690 <= x <= 709.

    r as in `exp`, but n high is exact, and so is its difference with x: both are multiples of the unit of x or of
    2^-42, and it is at most 2^-13. Off is n low [2^-74, twice] and the sum of r [2^-67]. |r| <= 2^-13.5, so the terms
    from r^5/120 on are below 2^-74, and the roundings of r + r^2 (..) [2^-67, 2^-80], of its product with the table
    [2^-66.5 of that], and of the sum with the low part of the table [2^-66] are below 2^-64.3 together. 2^-1074 of a
    low part that is no normal number is below 2^-78 of e^-690.

    e^-746 < 2^-1076 vanishes; e^710.5 > 2^1025 is beyond all. In between nothing is known.
    """
    x = x.known()
    per_one, _, high_step, low_step = _steps()
    high, low = _powers()
    middle = np.minimum(np.maximum(x.high, _PAIR_LEAST), _PAIR_MOST)
    scaled = middle * per_one + _ROUND
    n = scaled - _ROUND
    r = (middle - n * high_step) - (n * low_step - x.low)
    bits = scaled.view(np.int64)
    place = bits & (_PARTS - 1)
    power = high.take(place)
    rest = low.take(place) + power * (r + r * r * (0.5 + r * (1 / 6 + r * (1 / 24))))
    made, rest = fast_two_sum(power, rest)
    # Each part has its own exponent: the scale is a power of two.
    scale = _scaled(np.ones_like(middle), bits, place)
    made, rest = made * scale, rest * scale
    radius = made * EXP_PAIR_SHARE
    if not x.is_exact:
        radius += made * np.where(x.radius <= 2.0**-10, x.radius, np.inf) * (1 + 2.0**-9)
    if (middle == x.high).all():
        return Ball(made, rest, radius)
    below, above = x.high + x.radius < _VANISHES, x.high - x.radius > _OVERFLOWS
    radius = np.where(middle == x.high, radius, np.inf)
    made = np.where(above, np.inf, np.where(below, 0.0, made))
    far = above | below
    return Ball(made, np.where(far, 0.0, rest), np.where(far, 0.0, radius), below)


# ------------------------------------------------------------------------------------------------------------------ log

_CELLS = 12
_CELL_ROUND = 1.5 * 2.0 ** (52 - _CELLS)
"""m + _CELL_ROUND is m rounded to a multiple of 2^-12, which is in its last bits."""
_FROM = int(np.float64(0.75).view(np.int64))
_EXPONENT = -(1 << 52)
_CUT = 41
LOG_SHARE = 2.0**-48
LOG_LEAST = 2.0**-1022


@cache
def _logarithms() -> tuple[Array, Array, Array, Array]:
    """For multiples c of 2^-12 up to 3/2: 1 / c, ln c, and the latter in a multiple of 2^-41 and a rest."""
    from flint import arb

    # Below 3/4 they are not asked for.
    centres = [max(j, 1) / 2**_CELLS for j in range(3 * 2 ** (_CELLS - 1) + 1)]
    inverse, _ = table(lambda: [1 / arb(c) for c in centres])
    logarithm, _ = table(lambda: [arb(c).log() for c in centres])
    return inverse, logarithm, *cut(lambda: [arb(c).log() for c in centres], _CUT)


@cache
def _log_of_two() -> tuple[float, float, float]:
    from flint import arb

    (near,), _ = table(lambda: [arb.const_log2()])
    (high,), (low,) = cut(lambda: [arb.const_log2()], _CUT)
    return float(near), float(high), float(low)


def _reduced(x: Array) -> tuple[Array, Array, Array, Array, Array]:
    """x = 2^e (c + d) with c + d from 3/4 to 3/2, c a multiple of 2^-12 and |d| <= 2^-13: e, c, d, the place of c, and
    the bits of 2^e above those of 1. All of it is exact."""
    bits = x.view(np.int64)
    exponent = bits - _FROM
    exponent &= _EXPONENT
    fraction = (bits - exponent).view(np.float64)
    rounded = fraction + _CELL_ROUND
    place = rounded.view(np.int64) & 0x1FFF
    rounded -= _CELL_ROUND
    fraction -= rounded
    return (exponent >> 52).astype(np.float64), rounded, fraction, place, exponent


def log(x: Array) -> Array:
    """ln x for normal numbers x > 0, off by less than LOG_SHARE of it.

    ln x = e ln 2 + ln c + ln(1 + r), r = d / c, |r| <= 2^-12.58. Left out are the terms of r from r^5/5 on [2^-65].
    Where e = 0 and c = 1, r is exact and |ln x| is about |r|: that is a share of 2^-52. Where e = 0, |ln c| >= 2^-12.01
    and |r| <= 2^-12.58, below 1.01 |ln x|, since c is next to 1 where ln c is small; so |ln c| <= 2.01 |ln x|, and off
    are ln c [2 u, of it], r [4 u] and two sums [u each]: below 12 u. Where e is not 0, |ln x| >= 0.28 and 0.41 |e|: off
    are e ln 2 [2 u], ln c [2 u of 0.41], r and the sums: below 16 u = 2^-49.
    """
    near, _, _ = _log_of_two()
    inverse, logarithm, _, _ = _logarithms()
    e, _, d, place, _ = _reduced(x)
    d *= inverse.take(place)
    e *= near
    e += logarithm.take(place)
    part = d * -0.25
    part += 1 / 3
    part *= d
    part -= 0.5
    part *= d
    part *= d
    part += d
    part += e
    return part


LOG_PAIR_SHARE = 2.0**-74


def log_of_ball(x: Ball) -> Ball:
    """ln x for small balls x of normal numbers, off by less than LOG_PAIR_SHARE of it, and by what x is off.

    r = d / c is a quotient and its rest over c: d - RN(rh c) is exact; off by a share of 2^-103. A = e high + ln c cut
    is exact: a multiple of 2^-41 below 2^10. ln x = A + rh - rh^2/2, with what each sum and product misses, and the
    rest: e low + ln c low [2^-32 u, 2^-42 u], rl - rh rl, and r^3/3 - ... + r^6/6 without the terms from r^7/7 on
    [2^-90]; |r^3/3| < 2^-39, so its roundings are below 2^-91, and those of the sum of all that is missing, which is
    below 2^-53 |ln x| + 2^-38, below 2^-89. Where c = 1 and e = 0, each of these is a share of r or more: r^6/7 is
    below 2^-80, u r^2 below 2^-79. Where not, |ln x| >= 2^-13.1. So all are below 2^-75 of it.
    """
    x = x.known()
    _, high_two, low_two = _log_of_two()
    inverse, _, high, low = _logarithms()
    known = (x.high >= LOG_LEAST) & (x.high < np.inf) & (x.radius <= x.high * 2.0**-10)
    middle = x.high if known.all() else np.where(known, x.high, 1.0)
    e, c, d, place, exponent = _reduced(middle)
    over = inverse.take(place)
    r = d * over
    product, error = two_product_with_short(r, c)
    rest_r = (d - product) - error
    if not x.is_exact:
        # The low part of x, with the exponent of c: exact, or below 2^-1000.
        rest_r += x.low * (int(np.float64(1).view(np.int64)) - exponent).view(np.float64)
    rest_r *= over
    square, of_square = two_square(r)
    cube = r * square * (1 / 3 + r * (-1 / 4 + r * (1 / 5 + r * (-1 / 6))))
    total, missing = two_sum(e * high_two + high.take(place), r)
    total, more = two_sum(total, square * -0.5)
    rest = missing + more + (of_square * -0.5 + (cube + (rest_r - r * rest_r + (e * low_two + low.take(place)))))
    total, rest = two_sum(total, rest)
    radius = np.abs(total) * LOG_PAIR_SHARE
    if not x.is_exact:
        # The low part is divided by c as if by c + d: off by 2^-12.5 of |low| / x.
        radius = (radius + (x.radius + np.abs(x.low) * 2.0**-12) / middle) * (1 + 2.0**-9)
    return Ball(total, rest, radius if known.all() else np.where(known, radius, np.inf))


# --------------------------------------------------------------------------------------------------------------- powers


def _of_sign(x: Array, y: Array) -> Array | None:
    """The signs of powers where some base is negative: NaN where the exponent is no integer."""
    below = x < 0
    if not below.any():
        return None
    odd = np.rint(y * 0.5) * 2.0 != y
    return np.where(below, np.where(np.rint(y) == y, np.where(odd, -1.0, 1.0), np.nan), 1.0)


def power(x: Array, y: Array) -> tuple[Array, Array]:
    """x^y and how far it may be off, for normal numbers x other than 0, and |y ln x| <= EXP_MOST; NaN for others.

    ln x is off by 2^-48 of itself, its product with y by u more: so the exponent by 2^-47.9 of itself, below 2^-38, and
    the power by as large a share, and by EXP_SHARE.
    """
    size = np.abs(x)
    known = (size >= LOG_LEAST) & (size < np.inf)
    exponent = log(size if known.all() else np.where(known, size, 1.0))
    exponent *= y
    known &= np.abs(exponent) <= EXP_MOST
    if not known.all():
        exponent = np.where(known, exponent, np.nan)
    made = exp(np.where(known, exponent, 0.0) if not known.all() else exponent)
    error = np.abs(exponent) * 2.0**-47
    error += EXP_SHARE
    error *= made
    sign = _of_sign(x, y)
    if sign is not None:
        made *= sign
    return made, error


def power_of_balls(x: Ball, y: Ball) -> Ball:
    """x^y = +-e^(y ln |x|): the sign needs an exact x and y, or x above 0."""
    positive = x.high - np.abs(x.low) - x.radius > 0
    points = (x.radius == 0) & (y.radius == 0) & (x.low == 0) & (y.low == 0)
    sized = Ball(np.abs(x.high), np.where(x.high < 0, -x.low, x.low), x.radius)
    made = exp_of_ball(multiplied(y, log_of_ball(sized)))
    known = positive | points
    radius = made.radius if known.all() else np.where(known, made.radius, np.inf)
    vanishing = None if made.vanishing is None else made.vanishing & known
    sign = _of_sign(x.high, y.high)
    if sign is None:
        return Ball(made.high, made.low, radius, vanishing)
    return Ball(made.high * sign, made.low * sign, radius, vanishing)
