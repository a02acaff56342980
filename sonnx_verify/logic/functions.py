"""Functions of real numbers that have a name: their domains, and their values where these are known to be rational.

Trusted: the reference evaluator takes these values as exact. All other values are enclosed (logic/enclosed.py).
"""

from __future__ import annotations

from enum import StrEnum
from fractions import Fraction
from math import isqrt

LARGEST = 4096
"""The greatest size in bits, of numerator or denominator, of a power that is computed. Every power that is a float, or
halfway between two, is smaller: for a double it has at most 1,129 bits, and the bound on its size is at most twice as
much."""


class RealFunction(StrEnum):
    """A function of real numbers: of one, but for `pow`."""

    SQRT = "sqrt"
    EXP = "exp"
    LOG = "log"
    SIN = "sin"
    COS = "cos"
    TANH = "tanh"
    ERF = "erf"
    POW = "pow"

    @property
    def arity(self) -> int:
        """The number of arguments."""
        return 2 if self is RealFunction.POW else 1


def in_domain(function: RealFunction, x: Fraction, *others: Fraction) -> bool:
    """Return whether the function has a real value at the arguments."""
    match function:
        case RealFunction.POW:
            (y,) = others
            # A power of 0 is a product of zeros, of none for 0^0 = 1, as IEEE 754 has it. A negative number has powers
            # that are products or their inverses, and no others: (-8)^(1/3) is no real here, as in IEEE 754.
            return x > 0 or (x == 0 and y >= 0) or (x < 0 and y.denominator == 1)
        case RealFunction.SQRT:
            return x >= 0
        case RealFunction.LOG:
            return x > 0
        case RealFunction.EXP | RealFunction.SIN | RealFunction.COS | RealFunction.TANH | RealFunction.ERF:
            return True


def rational_value(function: RealFunction, x: Fraction, *others: Fraction) -> Fraction | None:
    """The value at the arguments if it is known to be rational, else None. Raises ValueError outside the domain.

    None does not say that the value is irrational. It is so for all functions but erf and pow:

    - sqrt: a fraction in lowest terms is a square only if its numerator and its denominator are.
    - exp, sin, cos at x != 0 and log at x != 1: transcendental, by Lindemann's theorem that e^a is transcendental for
      each algebraic a != 0 (sin x and cos x are algebraic in e^(ix); if log x = a then e^a = x).
    - tanh at x != 0: if it were t, then e^(2x) = (1 + t) / (1 - t) would be algebraic.
    - erf at x != 0: nobody knows. Siegel's theorem makes erf(x) times the root of pi transcendental, which says nothing
      of erf(x). No rule rests on it: an enclosure that contains a rational decides nothing.
    - pow: x^(p/q) in lowest terms is rational only if x^(1/q) is, since p has an inverse modulo q. But a rational power
      of more than `LARGEST` bits is not computed.
    """
    if not in_domain(function, x, *others):
        raise ValueError(f"{function} has no real value at {', '.join(map(str, (x, *others)))}")
    match function:
        case RealFunction.SQRT:
            return _root(x, 2)
        case RealFunction.POW:
            return _power(x, *others)
        case RealFunction.EXP | RealFunction.COS:
            return Fraction(1) if x == 0 else None
        case RealFunction.LOG:
            return Fraction(0) if x == 1 else None
        case RealFunction.SIN | RealFunction.TANH | RealFunction.ERF:
            return Fraction(0) if x == 0 else None


def _power(x: Fraction, y: Fraction) -> Fraction | None:
    """The power if it is known to be rational, for arguments in the domain."""
    if y == 0 or x == 1:
        return Fraction(1)
    if x == 0:
        return Fraction(0)
    if x == -1:
        return Fraction(-1) if y.numerator % 2 else Fraction(1)
    root = _root(x, y.denominator)
    if root is None:
        return None
    if max(root.numerator.bit_length(), root.denominator.bit_length()) * abs(y.numerator) > LARGEST:
        return None
    return Fraction(root**y.numerator)


def _root(x: Fraction, degree: int) -> Fraction | None:
    """The root of `x` if it is rational. Only of degree 1 is `x` negative."""
    if degree == 1:
        return x
    # A Fraction is in lowest terms, so it is a power only if its numerator and its denominator are.
    numerator, denominator = _whole_root(x.numerator, degree), _whole_root(x.denominator, degree)
    if numerator**degree == x.numerator and denominator**degree == x.denominator:
        return Fraction(numerator, denominator)
    return None


def _whole_root(n: int, degree: int) -> int:
    """The greatest integer whose power is at most `n` >= 0; 0 or 1 of a degree that leaves no other."""
    if degree == 2:
        return isqrt(n)
    # So 2^degree is above n, and nothing has to be raised to a degree of 2^1000.
    if degree >= n.bit_length():
        return min(n, 1)
    low, high = 1, 1 << (n.bit_length() // degree + 1)
    while high - low > 1:
        middle = (low + high) // 2
        if middle**degree <= n:
            low = middle
        else:
            high = middle
    return low
