"""Expressions of reals on single elements, as balls of FLINT that contain the value: where no ends decide (ends.py).

Faster than numbers that are kept as expressions (logic/enclosed.py), which can also decide that two of them are equal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import reduce
from math import isfinite
from operator import add, mul
from typing import TYPE_CHECKING, Any

from sonnx_verify.logic import floats
from sonnx_verify.logic.algebraic import function_of
from sonnx_verify.logic.enclosed import ball_of_fraction
from sonnx_verify.logic.functions import RealFunction
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.sorts import FloatSort
from sonnx_verify.logic.terms import Term

if TYPE_CHECKING:
    from flint import arb

PRECISIONS = (128, 4096)
"""Bits: enough for most values, and for those that differ from a float by a share of the least double."""


def ball_of(term: Term, operands: Sequence[Any]) -> Any:
    """A ball that contains the value of an operation, NaN if nothing is known: of balls, or of the element that a leaf
    has."""
    match term.op:
        case Op.LITERAL:
            assert isinstance(term.payload, int | Fraction)
            return ball_of_fraction(Fraction(term.payload))
        case Op.FLOOR:
            return operands[0].floor()
        case Op.TO_REAL if term.args[0].op is Op.FLOOR:
            return operands[0]
        case Op.TO_REAL:
            return _of_element(operands[0], whole=not isinstance(term.args[0].sort, FloatSort))
        case Op.PLUS:
            return reduce(add, operands)
        case Op.TIMES:
            return reduce(mul, operands)
        case Op.QUOTIENT:
            return operands[0] / operands[1]
        case Op.ITE:
            return operands[1] if operands[0] else operands[2]
        case _:
            return _FUNCTIONS[function_of(term)](*operands)


def rounded(sort: FloatSort, ball: arb) -> int | None:
    """The float, as bits, that every number of a ball is rounded to; None where there is no such float."""
    if not ball.is_finite():
        return None
    low, high = (_nearest(sort, end) for end in (ball.lower(), ball.upper()))
    # A zero has the sign of what is rounded to it. A NaN, which a minifloat has in place of an infinity, is left.
    known = ball > 0 or ball < 0 if floats.is_zero(sort, low) else not floats.is_nan(sort, low)
    return low if low == high and known else None


def compared(op: Op, a: arb, b: arb) -> bool | None:
    """Return True if a comparison holds for all numbers of two balls, False if for none, else None."""
    if not (a.is_finite() and b.is_finite()):
        return None
    # A comparison of balls is true only if it is true of all numbers in them.
    if a > b:
        return False
    if op is Op.AT_MOST:
        return True if a <= b else None
    return False if a < b else None


def _of_element(x: Any, *, whole: bool) -> arb:
    from flint import arb

    if whole:
        return arb(int(x))
    # NaN and infinities are no real numbers: a guard keeps their places from being used.
    return arb(float(x) if isfinite(float(x)) else 0)


def _nearest(sort: FloatSort, end: arb) -> int:
    mantissa, exponent = map(int, end.man_exp())
    # The exponent of exp(1e300) is a number of 300 digits.
    size = mantissa.bit_length() + exponent
    limit = (1 << sort.exponent) + sort.significand
    if abs(size) > limit:
        mantissa, exponent = (mantissa > 0) - (mantissa < 0), limit if size > 0 else -limit
    return floats.round_to_nearest(sort, Fraction(mantissa) * Fraction(2) ** exponent)


_FUNCTIONS: dict[RealFunction, Callable[..., arb]] = {
    RealFunction.SQRT: lambda x: x.sqrt(),
    RealFunction.EXP: lambda x: x.exp(),
    RealFunction.LOG: lambda x: x.log(),
    RealFunction.SIN: lambda x: x.sin(),
    RealFunction.COS: lambda x: x.cos(),
    RealFunction.TANH: lambda x: x.tanh(),
    RealFunction.ERF: lambda x: x.erf(),
    RealFunction.POW: lambda x, y: x**y,
}
