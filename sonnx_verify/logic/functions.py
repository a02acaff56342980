"""Functions of real numbers that have a name: their domains, and their values where these are known to be rational.

Trusted: the reference evaluator takes these values as exact. All other values are enclosed (logic/enclosed.py).
"""

from __future__ import annotations

from enum import StrEnum
from fractions import Fraction
from math import isqrt


class RealFunction(StrEnum):
    """A function of one real number."""

    SQRT = "sqrt"
    EXP = "exp"
    LOG = "log"
    SIN = "sin"
    COS = "cos"
    TANH = "tanh"
    ERF = "erf"


def in_domain(function: RealFunction, x: Fraction) -> bool:
    """Return whether the function has a real value at `x`."""
    match function:
        case RealFunction.SQRT:
            return x >= 0
        case RealFunction.LOG:
            return x > 0
        case RealFunction.EXP | RealFunction.SIN | RealFunction.COS | RealFunction.TANH | RealFunction.ERF:
            return True


def rational_value(function: RealFunction, x: Fraction) -> Fraction | None:
    """The value at `x` if it is known to be rational, else None. Raises ValueError outside the domain.

    None does not say that the value is irrational. It is so for all functions but erf:

    - sqrt: a fraction in lowest terms is a square only if its numerator and its denominator are.
    - exp, sin, cos at x != 0 and log at x != 1: transcendental, by Lindemann's theorem that e^a is transcendental for
      each algebraic a != 0 (sin x and cos x are algebraic in e^(ix); if log x = a then e^a = x).
    - tanh at x != 0: if it were t, then e^(2x) = (1 + t) / (1 - t) would be algebraic.
    - erf at x != 0: nobody knows. Siegel's theorem makes erf(x) times the root of pi transcendental, which says nothing
      of erf(x). No rule rests on it: an enclosure that contains a rational decides nothing.
    """
    if not in_domain(function, x):
        raise ValueError(f"{function} has no real value at {x}")
    match function:
        case RealFunction.SQRT:
            return _root(x)
        case RealFunction.EXP | RealFunction.COS:
            return Fraction(1) if x == 0 else None
        case RealFunction.LOG:
            return Fraction(0) if x == 1 else None
        case RealFunction.SIN | RealFunction.TANH | RealFunction.ERF:
            return Fraction(0) if x == 0 else None


def _root(x: Fraction) -> Fraction | None:
    """The square root of `x` >= 0 if it is rational."""
    # A Fraction is in lowest terms.
    numerator, denominator = isqrt(x.numerator), isqrt(x.denominator)
    if numerator**2 == x.numerator and denominator**2 == x.denominator:
        return Fraction(numerator, denominator)
    return None
