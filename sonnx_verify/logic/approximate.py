"""Fractions near real numbers, for measurements: they decide nothing. Not trusted."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from sonnx_verify.logic.enclosed import Enclosed, Value, refined

if TYPE_CHECKING:
    from flint import arb

_LEAST_EXPONENT = 20_000
"""Numbers below 2 to the negative of this are shown as that power."""


def approximate(value: Value) -> Fraction:
    """A fraction that is off by less than 2^-100 of the value, or by 2^-19999, and is 0 only where the value is. Raises
    Undecided."""
    if not isinstance(value, Enclosed):
        return value
    return refined(value, _middle, "size")


def _middle(ball: arb) -> Fraction | None:
    if not ball.is_finite():
        return None
    mantissa, exponent = map(int, abs(ball).upper().man_exp())
    # A fraction as small as exp(-10^9) would fill the memory.
    if mantissa.bit_length() + exponent < -_LEAST_EXPONENT and ball != 0:
        return Fraction(1 if ball > 0 else -1, 1 << _LEAST_EXPONENT)
    if ball.rel_accuracy_bits() < 102:
        return None
    mantissa, exponent = map(int, ball.mid().man_exp())
    return Fraction(mantissa) * Fraction(2) ** exponent
