"""Floats as people read and write them. Not trusted."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from sonnx_verify.logic.floats import (
    absolute,
    is_infinite,
    is_nan,
    is_negative,
    round_to_nearest,
    to_float,
    to_fraction,
    zero,
)
from sonnx_verify.logic.sorts import FloatSort


def show(sort: FloatSort, bits: int) -> str:
    """Decimal text that `parse` takes back; exact for integers below 10**6, which have no point (but -0 is "-0.0").

    All others are the shortest nearest decimal, which is not always the exact value: float16 has "0.1".
    """
    if is_nan(sort, bits) or is_infinite(sort, bits):
        return str(to_float(sort, bits))
    if bits == zero(sort, negative=True):
        return "-0.0"
    sign = "-" if is_negative(sort, bits) else ""
    value = abs(to_fraction(sort, bits))
    if value.denominator == 1 and value < 10**6:
        return f"{sign}{value}"
    # Ends at the latest with the exact expansion, which is finite because the denominator is a power of two.
    place = len(str(value.numerator)) - len(str(value.denominator)) + 1
    while True:
        units = round(value / Fraction(10) ** place)
        if round_to_nearest(sort, units * Fraction(10) ** place) == absolute(sort, bits):
            return sign + str(Decimal(f"{units}e{place}")).lower()
        place -= 1
