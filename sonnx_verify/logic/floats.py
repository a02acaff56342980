"""Exact IEEE 754 arithmetic on bit patterns, as SMT-LIB's theory FloatingPoint has it.

A value is a bit pattern: sign, exponent field, fraction field, from the top. Arguments may hold any NaN, results hold
only `nan(sort)`. Rounding is RNE: to nearest, ties to even. ValueError for an argument that is no pattern of its sort.
A format without infinities (MinifloatSort) has NaN in their place, also where a number is too great; of it there is no
arithmetic.

Trusted: the evaluator computes with it, and the literals that solvers are sent come from it. Each operation works on
exact fractions and rounds once, as the standard defines it; tests/logic/test_floats.py holds it against numpy,
test_terms_agree.py against both solvers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from enum import Enum, auto
from fractions import Fraction
from functools import cache

from sonnx_verify.logic.sorts import FloatSort, MinifloatSort

# Exponents have at most five digits: more is beyond every format, and would cost unbounded memory.
_DECIMAL = re.compile(r"([+-]?)([0-9]*)\.?([0-9]*)(?:e([+-]?[0-9]{1,5}))?")
_HEXADECIMAL = re.compile(r"([+-]?)0x([0-9a-f]*)\.?([0-9a-f]*)(?:p([+-]?[0-9]{1,5}))?")


def _split(sort: FloatSort, bits: int) -> tuple[bool, int]:
    """The sign (true when set) and the other bits. ValueError when `bits` is no pattern of `sort`."""
    if bits >> sort.width != 0:
        raise ValueError(f"{bits:#x} is not a bit pattern of {sort}, which has {sort.width} bits")
    return bool(bits >> (sort.width - 1)), bits & ((1 << (sort.width - 1)) - 1)


@cache
def _least(sort: FloatSort) -> Fraction:
    """The least value above zero, of which every finite value is a multiple."""
    return Fraction(2) ** _least_exponent(sort)


@cache
def _least_exponent(sort: FloatSort) -> int:
    """The exponent of 2 in the least value above zero."""
    field = sort.width - sort.significand
    return 3 - (1 << (field - 1)) - sort.significand  # 1 - bias, less the fraction's bits.


def nan(sort: FloatSort) -> int:
    """The canonical NaN: quiet, positive, with only the quiet bit in its payload; without infinities the last
    pattern."""
    if isinstance(sort, MinifloatSort):
        return (1 << (sort.width - 1)) - 1
    return infinity(sort) | (1 << (sort.significand - 2))


def infinity(sort: FloatSort, *, negative: bool = False) -> int:
    """Positive infinity, or negative infinity when `negative`. ValueError for a format that has none."""
    if isinstance(sort, MinifloatSort):
        raise ValueError(f"{sort} has no infinity")
    return zero(sort, negative=negative) | ((1 << sort.exponent) - 1) << (sort.significand - 1)


def zero(sort: FloatSort, *, negative: bool = False) -> int:
    """Positive zero, or negative zero when `negative`."""
    return int(negative) << (sort.width - 1)


def greatest(sort: FloatSort) -> int:
    """The greatest finite value."""
    return _beyond(sort) - 1


def _beyond(sort: FloatSort) -> int:
    """The pattern that stands for a number that is too great: the one after that of the greatest finite value."""
    if isinstance(sort, MinifloatSort):
        return nan(sort)
    return infinity(sort)


def lowest(sort: FloatSort) -> int:
    """The most negative finite value."""
    return zero(sort, negative=True) | greatest(sort)


def smallest_subnormal(sort: FloatSort) -> int:
    """The least value above zero."""
    return 1  # The pattern is the same in every format.


@cache
def overflow_threshold(sort: FloatSort) -> Fraction:
    """The least number that rounds to infinity: half a step above the greatest float. ValueError for a format without
    infinities."""
    if isinstance(sort, MinifloatSort):
        raise ValueError(f"{sort} has no infinity")
    greatest = Fraction(2) ** (1 << (sort.exponent - 1))
    return greatest * (1 - Fraction(1, 2 ** (sort.significand + 1)))


def canonical(sort: FloatSort, bits: int) -> int:
    """`bits` itself, or the canonical NaN when it is any NaN."""
    if is_nan(sort, bits):
        return nan(sort)
    return bits


def is_nan(sort: FloatSort, bits: int) -> bool:
    """Return whether `bits` is a NaN, of any sign and payload (fp.isNaN)."""
    magnitude = _split(sort, bits)[1]
    if isinstance(sort, MinifloatSort):
        return magnitude == nan(sort)
    return magnitude > infinity(sort)


def is_infinite(sort: FloatSort, bits: int) -> bool:
    """Return whether `bits` is one of the two infinities (fp.isInfinite)."""
    magnitude = _split(sort, bits)[1]
    return not isinstance(sort, MinifloatSort) and magnitude == infinity(sort)


def is_finite(sort: FloatSort, bits: int) -> bool:
    """Return whether it is a number: neither NaN nor an infinity."""
    return _split(sort, bits)[1] < _beyond(sort)


def is_zero(sort: FloatSort, bits: int) -> bool:
    """Return whether `bits` is one of the two zeros (fp.isZero)."""
    return _split(sort, bits)[1] == 0


def is_negative(sort: FloatSort, bits: int) -> bool:
    """Return whether the sign is set: true for -0, false for every NaN (fp.isNegative)."""
    return _split(sort, bits)[0] and not is_nan(sort, bits)


def is_positive(sort: FloatSort, bits: int) -> bool:
    """Return whether the sign is clear: true for +0, false for every NaN (fp.isPositive)."""
    return not _split(sort, bits)[0] and not is_nan(sort, bits)


def ordinal(sort: FloatSort, bits: int) -> int:
    """The number of floats from zero to a value, negative below zero; both zeros have 0, and the infinities are the
    neighbours of the greatest and the lowest float. ValueError for NaN, which has no place."""
    if is_nan(sort, bits):
        raise ValueError("NaN has no place among the floats")
    return _rank(sort, bits)


def _rank(sort: FloatSort, bits: int) -> int:
    """An integer that orders all values but NaN: magnitudes are ordered as their bits are, and both zeros give 0."""
    negative, magnitude = _split(sort, bits)
    if negative:
        return -magnitude
    return magnitude


def _without_nan(sort: FloatSort, a: int, b: int) -> bool:
    """Return whether neither is NaN: with one every comparison of IEEE 754 is false, and every result NaN."""
    return not is_nan(sort, a) and not is_nan(sort, b)


def less(sort: FloatSort, a: int, b: int) -> bool:
    """a < b (fp.lt): false with a NaN, and between zeros."""
    return _without_nan(sort, a, b) and _rank(sort, a) < _rank(sort, b)


def less_equal(sort: FloatSort, a: int, b: int) -> bool:
    """a <= b (fp.leq): false with a NaN, true between zeros."""
    return _without_nan(sort, a, b) and _rank(sort, a) <= _rank(sort, b)


def ieee_equal(sort: FloatSort, a: int, b: int) -> bool:
    """a == b (fp.eq): false with a NaN, true between zeros. Equality of canonical patterns is SMT-LIB's `=` instead."""
    return _without_nan(sort, a, b) and _rank(sort, a) == _rank(sort, b)


def to_fraction(sort: FloatSort, bits: int) -> Fraction:
    """The exact value; both zeros give 0. ValueError for NaN and infinities."""
    negative, magnitude = _split(sort, bits)
    if magnitude >= _beyond(sort):
        raise ValueError(f"{bits:#x} of {sort} is not finite")
    field, units = divmod(magnitude, 1 << (sort.significand - 1))
    if field > 0:  # Field 0 has no hidden bit, but the exponent of field 1.
        field, units = field - 1, units | 1 << (sort.significand - 1)
    value = units * (1 << field) * _least(sort)
    if negative:
        return -value
    return value


def round_to_nearest(sort: FloatSort, value: Fraction, *, negative_zero: bool = False) -> int:
    """The value of `sort` nearest to `value`, ties to even, too great magnitudes to infinity (IEEE 754, 4.3.1).

    What rounds to zero from a nonzero value keeps its sign; `negative_zero` is the sign of the result for `value` 0.
    """
    if value == 0:
        return zero(sort, negative=negative_zero)
    magnitude = abs(value) / _least(sort)
    # Each bit beyond the significand raises the exponent field. Subnormals have none to spare.
    field = max(math.floor(magnitude).bit_length() - sort.significand, 0)
    units = round(magnitude / (1 << field))  # Exact on a Fraction, ties to even.
    # Adding, not joining: the hidden bit of `units` raises the exponent field by one (subnormals have none), and a
    # carry out of the significand raises it once more. Whatever passes the greatest finite value is infinity.
    nearest = zero(sort, negative=value < 0) | min((field << (sort.significand - 1)) + units, _beyond(sort))
    # What is too great for a format without infinities is its NaN, which has no sign.
    if isinstance(sort, MinifloatSort):
        return canonical(sort, nearest)
    return nearest


def round_scaled(sort: FloatSort, mantissa: int, exponent: int) -> int:
    """The value nearest to mantissa * 2^exponent, as `round_to_nearest` has it, by integers alone; +0 for 0."""
    if mantissa == 0:
        return zero(sort)
    size = abs(mantissa)
    places = exponent - _least_exponent(sort)
    if places > 0:
        size, places = size << places, 0
    field = max(size.bit_length() + places - sort.significand, 0)
    # The bits behind the last unit.
    spare = field - places
    units = size >> spare
    rest, half = size - (units << spare), (1 << spare) >> 1
    if spare and (rest > half or (rest == half and units & 1)):
        units += 1
    # Added, not joined, as in `round_to_nearest`.
    magnitude = min(units + (field << (sort.significand - 1)), _beyond(sort))
    nearest = zero(sort, negative=mantissa < 0) | magnitude
    if isinstance(sort, MinifloatSort):
        return canonical(sort, nearest)
    return nearest


def negate(sort: FloatSort, a: int) -> int:
    """-a (fp.neg): the other sign, also of zeros; NaN stays NaN."""
    return canonical(sort, a ^ zero(sort, negative=True))


def absolute(sort: FloatSort, a: int) -> int:
    """|a| (fp.abs): the sign cleared, also of zeros; NaN stays NaN."""
    return canonical(sort, _split(sort, a)[1])


def add(sort: FloatSort, a: int, b: int) -> int:
    """a + b (fp.add RNE): NaN for opposite infinities. A zero sum is -0 only for (-0) + (-0)."""
    if not _without_nan(sort, a, b) or (is_infinite(sort, a) and b == negate(sort, a)):
        return nan(sort)
    for addend in (a, b):
        if is_infinite(sort, addend):
            return addend
    # The sum of numbers of opposite sign that are equal is +0 to nearest (IEEE 754, 6.3), and so is 0 + -0.
    exact = to_fraction(sort, a) + to_fraction(sort, b)
    return round_to_nearest(sort, exact, negative_zero=a == b == zero(sort, negative=True))


def sub(sort: FloatSort, a: int, b: int) -> int:
    """a - b (fp.sub RNE), which IEEE 754 has as a + (-b)."""
    return add(sort, a, negate(sort, b))


def mul(sort: FloatSort, a: int, b: int) -> int:
    """a * b (fp.mul RNE): NaN for zero times infinity. Signs that differ give a negative result."""
    if not _without_nan(sort, a, b):
        return nan(sort)
    negative = is_negative(sort, a) != is_negative(sort, b)
    if is_infinite(sort, a) or is_infinite(sort, b):
        if is_zero(sort, a) or is_zero(sort, b):
            return nan(sort)
        return infinity(sort, negative=negative)
    return round_to_nearest(sort, to_fraction(sort, a) * to_fraction(sort, b), negative_zero=negative)


def divide(sort: FloatSort, a: int, b: int) -> int:
    """a / b (fp.div RNE): NaN for zero by zero and infinity by infinity, infinity for a number by zero."""
    if not _without_nan(sort, a, b):
        return nan(sort)
    if is_zero(sort, a) and is_zero(sort, b):
        return nan(sort)
    if is_infinite(sort, a) and is_infinite(sort, b):
        return nan(sort)
    negative = is_negative(sort, a) != is_negative(sort, b)
    if is_infinite(sort, a) or is_zero(sort, b):
        return infinity(sort, negative=negative)
    if is_infinite(sort, b):
        return zero(sort, negative=negative)
    return round_to_nearest(sort, to_fraction(sort, a) / to_fraction(sort, b), negative_zero=negative)


def square_root(sort: FloatSort, a: int) -> int:
    """The square root (fp.sqrt RNE): NaN below zero, and -0 of -0 (IEEE 754, 5.4.1)."""
    if is_nan(sort, a) or is_zero(sort, a):
        return canonical(sort, a)
    if is_negative(sort, a):
        return nan(sort)
    if is_infinite(sort, a):
        return a
    exact = to_fraction(sort, a)
    # Scaled by a power of 4 the root is a whole number of more bits than the significand has. A root that is not whole
    # gets one more bit that is set: no float, and no half between two, lies between it and the exact root.
    bits = exact.denominator.bit_length() + 2 * sort.significand + 4
    scaled = exact * 4**bits
    assert scaled.denominator == 1
    whole = math.isqrt(scaled.numerator)
    inexact = int(whole * whole != scaled.numerator)
    return round_to_nearest(sort, Fraction(2 * whole + inexact, 2 ** (bits + 1)))


def fused(sort: FloatSort, a: int, b: int, c: int) -> int:
    """a * b + c, rounded once (fp.fma RNE). Infinity times zero is NaN, whatever c is."""
    if not _without_nan(sort, a, b) or is_nan(sort, c):
        return nan(sort)
    infinite = is_infinite(sort, a) or is_infinite(sort, b)
    if infinite and (is_zero(sort, a) or is_zero(sort, b)):
        return nan(sort)
    negative = is_negative(sort, a) != is_negative(sort, b)
    if infinite:
        # The product is infinite, and is added as an infinity is.
        return add(sort, infinity(sort, negative=negative), c)
    if is_infinite(sort, c):
        return c
    product = to_fraction(sort, a) * to_fraction(sort, b)
    # A zero is -0 only where two zeros that are negative are added: the exact product is none where it only underflows.
    both_negative = product == 0 and negative and c == zero(sort, negative=True)
    return round_to_nearest(sort, product + to_fraction(sort, c), negative_zero=both_negative)


def remainder(sort: FloatSort, a: int, b: int) -> int:
    """a - n * b with n the integer nearest to a / b, ties to even (fp.rem; IEEE 754, 5.3.1). A zero has a's sign."""
    return _less_multiple(sort, a, b, round)


def truncated_remainder(sort: FloatSort, a: int, b: int) -> int:
    """a - n * b with n the integer part of a / b, as `fmod` of C has it. A zero has a's sign."""
    return _less_multiple(sort, a, b, math.trunc)


def _less_multiple(sort: FloatSort, a: int, b: int, whole: Callable[[Fraction], int]) -> int:
    if not _without_nan(sort, a, b) or is_infinite(sort, a) or is_zero(sort, b):
        return nan(sort)
    if is_infinite(sort, b):
        return a
    x, y = to_fraction(sort, a), to_fraction(sort, b)
    # The result is a multiple of the least of the two units, and not greater than either: it is a float, exactly.
    return round_to_nearest(sort, x - whole(x / y) * y, negative_zero=is_negative(sort, a))


class Rounding(Enum):
    """A direction in which a number is rounded to an integer (IEEE 754, 4.3)."""

    NEAREST_EVEN = auto()
    NEAREST_AWAY = auto()
    UP = auto()
    DOWN = auto()
    TO_ZERO = auto()


def _integral(value: Fraction, rounding: Rounding) -> int:
    match rounding:
        case Rounding.NEAREST_EVEN:
            return round(value)
        case Rounding.NEAREST_AWAY:
            magnitude = math.floor(abs(value) + Fraction(1, 2))
            if value < 0:
                return -magnitude
            return magnitude
        case Rounding.UP:
            return math.ceil(value)
        case Rounding.DOWN:
            return math.floor(value)
        case Rounding.TO_ZERO:
            return math.trunc(value)


def round_to_integral(sort: FloatSort, a: int, rounding: Rounding) -> int:
    """The integer next to a float, as a float (fp.roundToIntegral). A zero has the sign of the argument: -0.3 gives -0.
    Infinities stay."""
    if is_nan(sort, a) or is_infinite(sort, a):
        return canonical(sort, a)
    whole = Fraction(_integral(to_fraction(sort, a), rounding))
    # Below 2 to the number of significant bits all integers are floats, and from there on all floats are integers. In a
    # format whose greatest float is less than the integer next to it, the result is rounded once more.
    return round_to_nearest(sort, whole, negative_zero=is_negative(sort, a))


def convert(source: FloatSort, a: int, sort: FloatSort) -> int:
    """The float of another format that is nearest to a float (to_fp RNE). Zeros keep their signs."""
    if is_nan(source, a):
        return nan(sort)
    negative = is_negative(source, a)
    if is_infinite(source, a):
        return _infinite(sort, negative=negative)
    return round_to_nearest(sort, to_fraction(source, a), negative_zero=negative)


def _infinite(sort: FloatSort, *, negative: bool) -> int:
    """An infinity of another format in this one: NaN where it has none."""
    if isinstance(sort, MinifloatSort):
        return nan(sort)
    return infinity(sort, negative=negative)


def from_float(sort: FloatSort, x: float) -> int:
    """The value of `sort` nearest to a Python float, rounded once."""
    if math.isnan(x):
        return nan(sort)
    negative = math.copysign(1.0, x) < 0
    if math.isinf(x):
        return _infinite(sort, negative=negative)
    # A double is a fraction, so there is no second rounding on the way.
    return round_to_nearest(sort, Fraction(x), negative_zero=negative)


def to_float(sort: FloatSort, bits: int) -> float:
    """The same value as a Python float, exactly. ValueError when `sort` does not embed in double."""
    if sort.exponent > 11 or sort.significand > 53:
        raise ValueError(f"{sort} does not embed in double")
    if is_nan(sort, bits):
        return math.nan
    # The sign is put on last: the fraction of -0 has none.
    sign = -1.0 if is_negative(sort, bits) else 1.0
    if is_infinite(sort, bits):
        return sign * math.inf
    return sign * float(abs(to_fraction(sort, bits)))


def parse(sort: FloatSort, text: str) -> int:
    """The value nearest to a decimal or hexadecimal (0x1.8p-3) literal, infinity for too great ones; or nan, inf, -inf.

    Case and outer spaces do not matter. ValueError for other text, for what a format without infinities lacks, and for
    exponents of more than five digits.
    """
    word = text.strip().lower()
    if word in ("nan", "inf", "+inf", "-inf"):
        if word != "nan":
            infinity(sort)
        return from_float(sort, float(word))
    match = _DECIMAL.fullmatch(word) or _HEXADECIMAL.fullmatch(word)
    if match is None or not (match[2] or match[3]):
        raise ValueError(f"{text!r} is not a floating-point literal; write for example 1, -0.5, 1e-3, 0x1p-3, inf, nan")
    # The exponent of a hexadecimal literal counts powers of 2, as C has it: 0x1p-3 is 1/8.
    base, radix = (16, 2) if match.re is _HEXADECIMAL else (10, 10)
    magnitude = int(match[2] + match[3], base) * Fraction(radix) ** int(match[4] or 0) / base ** len(match[3])
    nearest = round_to_nearest(sort, magnitude)
    if is_nan(sort, nearest):
        raise ValueError(f"{text!r} is beyond the greatest {sort}, which is {to_float(sort, greatest(sort)):g}")
    if match[1] == "-":
        return negate(sort, nearest)  # Ties to even are the same on both sides of zero.
    return nearest
