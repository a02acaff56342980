"""Ends of real numbers as doubles, or as floats of 80 bits, on whole arrays: operations that keep the value between.

Rests on one thing that is tested and not proved: that numpy's functions of doubles, and erf of Python's math module,
are off by at most 2^-45 of their value (for sin and cos of more than 1, by at most 2^-45); those of 80 bits, and erf
here, by at most 2^-58.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np

from sonnx_verify.arrays.evaluator.known import DTYPES
from sonnx_verify.logic.algebraic import function_of
from sonnx_verify.logic.functions import RealFunction
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.sorts import FloatSort, MinifloatSort
from sonnx_verify.logic.terms import Term
from sonnx_verify.results.dtypes import FOREIGN


@dataclass(frozen=True)
class Carrier:
    """The floats that ends are.

    of_function: how far a function may be off, as a share of its value.
    of_rounding: more than half a unit in the last place, with room for the rounding of the end itself.
    tiny: more than what underflow takes away.
    exact_integers: all integers up to it are floats.
    """

    dtype: Any
    of_function: float
    of_rounding: float
    tiny: Any
    exact_integers: int

    @property
    def most(self) -> Any:
        """The greatest float."""
        return np.finfo(self.dtype).max

    def __str__(self) -> str:
        return str(np.dtype(self.dtype))


DOUBLES = Carrier(np.float64, 2.0**-45, 2.0**-51, 2.0**-1000, 1 << 53)
_LONG = np.finfo(np.longdouble)
EXTENDED = (
    Carrier(np.longdouble, 2.0**-58, 2.0**-62, np.longdouble(2) ** -16000, 1 << 62)
    if _LONG.nmant >= 63 and _LONG.maxexp == 16384
    else None
)
"""Floats of 80 bits, or of 128; some machines have neither."""

Compute = Callable[..., Any]
_LEAST_SPLIT = 2.0**-900
Ends = tuple[Any, Any]
"""The lower and the upper ends of all elements; NaN where nothing is known."""


def nearest(values: Any, sort: FloatSort) -> Any:
    """The float nearest to each end. Of ends with more bits than a double, the float is one of numpy's own."""
    if sort.name not in FOREIGN:
        return values.astype(DTYPES[sort])
    # ml_dtypes makes its floats by way of float32, and rounds twice. To odd first, the last bit says whether anything
    # was cut off, so that the second rounding sees on which side of a tie the value is.
    single = values.astype(np.float32)
    single = np.where(np.abs(single) > np.abs(values), np.nextafter(single, np.float32(0)), single)
    odd = np.where(single == values, single.view(np.uint32), single.view(np.uint32) | np.uint32(1))
    made = odd.view(np.float32).astype(DTYPES[sort])
    if isinstance(sort, MinifloatSort):
        # What is out of range is NaN, with the sign of what it was.
        made = np.where(np.isnan(made), np.array(np.nan, made.dtype), made)
    return made


def _outward(
    carrier: Carrier, low: Any, high: Any, relative: float, least: float = -np.inf, most: float = np.inf
) -> Ends:
    """Ends moved outward by what the computation may be off, but not beyond what the value can be."""
    # No double is as large as the infinity that a computation gives: the value is only above the greatest.
    low, high = np.where(low == np.inf, carrier.most, low), np.where(high == -np.inf, -carrier.most, high)
    low = low - (np.abs(low) * relative + carrier.tiny)
    high = high + (np.abs(high) * relative + carrier.tiny)
    return np.maximum(low, least), np.minimum(high, most)


def _literal(carrier: Carrier, term: Term) -> Ends:
    number = term.payload
    assert isinstance(number, Fraction)
    try:
        near = float(number)
    except OverflowError:
        return carrier.dtype(np.nan), carrier.dtype(np.nan)
    made = carrier.dtype(near)
    if Fraction(near) == number:
        return made, made
    if carrier is DOUBLES:
        return np.nextafter(made, -np.inf), np.nextafter(made, np.inf)
    # What a double leaves of the number is again one, as long as it does not underflow.
    if abs(near) < _LEAST_SPLIT:
        return carrier.dtype(np.nan), carrier.dtype(np.nan)
    made += carrier.dtype(float(number - Fraction(near)))
    return _outward(carrier, made, made, carrier.of_rounding)


def _leaf(carrier: Carrier, term: Term, array: Any) -> Ends:
    (leaf,) = term.args
    if isinstance(leaf.sort, FloatSort):
        # NaN and infinities are no real numbers: a guard keeps their places from being used.
        exact = np.where(np.isfinite(array), array, array.dtype.type(0)).astype(carrier.dtype)
        return exact + 0.0, exact + 0.0  # The real of -0 is 0.
    if array.dtype == object:
        return np.full(array.shape, np.nan, carrier.dtype), np.full(array.shape, np.nan, carrier.dtype)
    exact = np.where(np.abs(array) <= carrier.exact_integers, array.astype(carrier.dtype), np.nan)
    return exact, exact


def _sum(carrier: Carrier, term: Term, *parts: Ends) -> Ends:
    return reduce(lambda a, b: _outward(carrier, a[0] + b[0], a[1] + b[1], carrier.of_rounding), parts)


def _corners(operation: Compute, a: Ends, b: Ends) -> Ends:
    """The least and the greatest of what an operation, monotone in each operand, gives at the ends."""
    found = [operation(x, y) for x in a for y in b]
    return reduce(np.minimum, found), reduce(np.maximum, found)


def _product(carrier: Carrier, term: Term, *parts: Ends) -> Ends:
    return reduce(lambda a, b: _outward(carrier, *_corners(np.multiply, a, b), carrier.of_rounding), parts)


def _quotient(carrier: Carrier, term: Term, a: Ends, b: Ends) -> Ends:
    low, high = _outward(carrier, *_corners(np.divide, a, b), carrier.of_rounding)
    outside = (b[0] > 0) | (b[1] < 0)
    return np.where(outside, low, np.nan), np.where(outside, high, np.nan)


def _chosen(carrier: Carrier, term: Term, condition: Any, a: Ends, b: Ends) -> Ends:
    return np.where(condition, a[0], b[0]), np.where(condition, a[1], b[1])


_erf_of_doubles = np.frompyfunc(math.erf, 1, 1)


_MIDDLE = 2.0
"""Below it erf is a series, above it one minus a continued fraction."""
_OF_SERIES = 60
_OF_FRACTION = 120
"""With so many terms what is left out is below 2^-62 of erf."""


def _erf(x: Any) -> Any:
    """The error function of doubles, or of longer floats.

    Source: NIST Digital Library of Mathematical Functions, 7.6.2 (the series has no negative term, so nothing cancels)
    and 7.9.1.
    """
    if np.asarray(x).dtype == np.float64:
        return np.asarray(_erf_of_doubles(x), dtype=np.float64)
    number = np.asarray(x).dtype.type
    two_by_root_pi = number(1.1283791670955126) + number(1.533545961316588e-17)
    size = np.abs(x)
    near, far = np.minimum(size, _MIDDLE), np.maximum(size, _MIDDLE)
    series = np.ones_like(near)
    for n in range(_OF_SERIES, 0, -1):
        series = 1 + 2 * near * near / (2 * n + 1) * series
    fraction = np.ones_like(far)
    for n in range(_OF_FRACTION, 0, -1):
        fraction = 1 + n / (2 * far * far * fraction)
    of_series = two_by_root_pi * near * np.exp(-near * near) * series
    of_fraction = 1 - two_by_root_pi * np.exp(-far * far) / (2 * far * fraction)
    return np.copysign(np.where(size < _MIDDLE, of_series, of_fraction), x)


GROWING: Mapping[RealFunction, tuple[Compute, float, float]] = {
    RealFunction.SQRT: (np.sqrt, 0.0, np.inf),
    RealFunction.EXP: (np.exp, 0.0, np.inf),
    RealFunction.LOG: (np.log, -np.inf, np.inf),
    RealFunction.TANH: (np.tanh, -1.0, 1.0),
    RealFunction.ERF: (_erf, -1.0, 1.0),
}
"""Functions that grow, and the least and the greatest values."""


def _in_domain(function: RealFunction, x: Any) -> Any:
    """True for numbers in the domain of a function of one; of NaN nothing is known."""
    match function:
        case RealFunction.SQRT:
            return ~(x < 0)
        case RealFunction.LOG:
            return ~(x <= 0)
        case _:
            return np.ones_like(x, bool)


_WAVES: Mapping[RealFunction, Compute] = {RealFunction.SIN: np.sin, RealFunction.COS: np.cos}


def _function(carrier: Carrier, term: Term, *arguments: Ends) -> Ends:
    function = function_of(term)
    if function is RealFunction.POW:
        return _power(carrier, *arguments)
    ((low, high),) = arguments
    if function in GROWING:
        compute, least, most = GROWING[function]
        low, high = _outward(carrier, compute(low), compute(high), carrier.of_function, least, most)
        # Outside the domain a guard keeps the place from being used; it has 0, as where it is computed exactly.
        outside = ~_in_domain(function, arguments[0][1])
        return np.where(outside, 0.0, low), np.where(outside, 0.0, high)
    middle, radius = (low + high) / 2, (high - low) * (1 + carrier.of_rounding)
    value = _WAVES[function](middle)
    # Neither changes faster than its argument. Beyond 1 numpy is not trusted with the digits of what is almost 0.
    error = np.where(np.abs(middle) <= 1, np.abs(value), 1.0) * carrier.of_function + carrier.of_rounding * np.abs(
        middle
    ) * (radius > 0)
    return _outward(carrier, value - radius - error, value + radius + error, carrier.of_rounding, -1.0, 1.0)


def _power(carrier: Carrier, base: Ends, exponent: Ends) -> Ends:
    # Of a positive base it is monotone in each operand. Of any other only single numbers are computed.
    points = (base[0] == base[1]) & (exponent[0] == exponent[1])
    low, high = _corners(np.power, base, exponent)
    positive = base[0] > 0
    known = positive | points
    low, high = np.where(known, low, np.nan), np.where(known, high, np.nan)
    low, high = _outward(carrier, low, high, carrier.of_function)
    return np.where(positive, np.maximum(low, 0.0), low), high


ENCLOSED: Mapping[Op, Callable[..., Ends]] = {
    Op.LITERAL: _literal,
    Op.TO_REAL: _leaf,
    Op.PLUS: _sum,
    Op.TIMES: _product,
    Op.QUOTIENT: _quotient,
    Op.ITE: _chosen,
    Op.REAL_FUNCTION: _function,
}
"""The ends of each operation on reals, from those of its operands."""
