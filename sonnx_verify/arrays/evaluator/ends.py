"""Ends of real numbers as doubles, on whole arrays: operations that keep the value between.

Every operation is IEEE's, rounded to nearest; functions are those of arrays/functions, whose bounds are proved there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, reduce
from math import frexp, prod
from typing import Any

import numpy as np

from sonnx_verify.arrays.evaluator import shares
from sonnx_verify.arrays.evaluator.known import DTYPES, bits_type
from sonnx_verify.arrays.evaluator.orders import State, halved
from sonnx_verify.arrays.evaluator.shares import Near
from sonnx_verify.arrays.functions import exponential
from sonnx_verify.arrays.functions.rows import ROWS, Ends
from sonnx_verify.arrays.partial.binders import Kind
from sonnx_verify.logic.algebraic import function_of
from sonnx_verify.logic.functions import RealFunction
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.sorts import FloatSort, MinifloatSort
from sonnx_verify.logic.terms import Term
from sonnx_verify.results.dtypes import FOREIGN

Compute = Callable[..., Any]
OF_ROUNDING = 2.0**-51
"""More than half a unit in the last place, with room for the rounding of the end itself."""
TINY = 2.0**-1000
"""More than what underflow takes away."""
_EXACT_INTEGERS = 1 << 53
"""All integers up to it are doubles."""


def nearest(values: Any, sort: FloatSort) -> Any:
    """The float nearest to each double."""
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


def elements(term: Term, array: Any) -> Any:
    """The elements of an array as doubles, NaN for integers that are none."""
    (leaf,) = term.args
    if isinstance(leaf.sort, FloatSort):
        exact = array.astype(np.float64)
        # NaN and infinities are no real numbers: a guard keeps their places from being used.
        finite = np.isfinite(array)
        if not finite.all():
            exact = np.where(finite, exact, 0.0)
        exact += 0.0  # The real of -0 is 0.
        return exact
    if array.dtype == object:
        return np.full(array.shape, np.nan)
    return np.where(np.abs(array) <= _EXACT_INTEGERS, array.astype(np.float64), np.nan)


def _outward(low: Any, high: Any, least: float = 0.0) -> Ends:
    """Ends moved outward by what a rounding may take, and by what underflow may; NaN if nothing but an infinity is
    known of an end."""
    return low - _taken(low, least), high + _taken(high, least)


def _taken(end: Any, least: float) -> Any:
    """As much as a rounding may take, and an underflow."""
    error = np.abs(end)
    error *= OF_ROUNDING
    if least:
        error += least
    return error


@lru_cache(1024)
def _literal_of(number: Fraction) -> Near | Ends:
    try:
        near = np.float64(float(number))
    except OverflowError:
        return np.float64(np.nan), np.float64(np.nan)
    made = shares.literal(number, near)
    if made is not None:
        return made
    if Fraction(float(near)) == number:
        return near, near
    return np.nextafter(near, -np.inf), np.nextafter(near, np.inf)


def _literal(term: Term) -> Near | Ends:
    assert isinstance(term.payload, Fraction)
    return _literal_of(term.payload)


def _leaf(term: Term, array: Any) -> Near | Ends:
    # A floor is given by its ends, all else by its elements.
    if isinstance(array, tuple):
        return array
    near = shares.elements(term, array)
    if near is not None:
        return near
    exact = elements(term, array)
    return exact, exact


def _floor(term: Term, a: Ends) -> Ends:
    return np.floor(a[0]), np.floor(a[1])


def _sum(term: Term, a: Ends, b: Ends) -> Ends:
    # Sums do not underflow: below the normal numbers they are exact.
    return _outward(a[0] + b[0], a[1] + b[1])


def _corners(operation: Compute, a: Ends, b: Ends) -> Ends:
    """The least and the greatest of what an operation, monotone in each operand, gives at the ends."""
    found = [operation(x, y) for x in _points(a) for y in _points(b)]
    return reduce(np.minimum, found), reduce(np.maximum, found)


def _product(term: Term, a: Ends, b: Ends) -> Ends:
    return _multiplied(a, b)


def _multiplied(a: Ends, b: Ends) -> Ends:
    for factor, other in ((a, b), (b, a)):
        # A literal: it keeps the order of the ends or turns it round, and a power of two up to 1 is exact but for
        # underflow. A greater one may overflow, and nothing is known of an infinity.
        if factor[0] is factor[1] and np.ndim(factor[0]) == 0 and np.isfinite(factor[0]):
            ends = [factor[0] * end for end in other]
            low, high = ends if factor[0] >= 0 else reversed(ends)
            if abs(factor[0]) <= 1 and abs(frexp(factor[0])[0]) == 0.5:  # noqa: PLR2004 - of a power of two
                return low - TINY, high + TINY
            return _outward(low, high, TINY)
    return _outward(*_corners(np.multiply, a, b), TINY)


def _quotient(term: Term, a: Ends, b: Ends) -> Ends:
    low, high = _outward(*_corners(np.divide, a, b), TINY)
    positive = (a[0] >= 0) & (b[0] > 0)
    if positive.all():
        return np.maximum(low, 0.0), high
    outside = (b[0] > 0) | (b[1] < 0)
    return np.where(outside, np.where(positive, np.maximum(low, 0.0), low), np.nan), np.where(outside, high, np.nan)


def _chosen(term: Term, condition: Any, a: Near | Ends, b: Near | Ends) -> Near | Ends:
    if isinstance(a, Near) and isinstance(b, Near):
        return shares.chosen(condition, a, b)
    a, b = ends_of(a), ends_of(b)
    if a[0] is a[1] and b[0] is b[1]:
        made = np.where(condition, a[0], b[0])
        return made, made
    return np.where(condition, a[0], b[0]), np.where(condition, a[1], b[1])


def outside_of(function: RealFunction, x: Any) -> Any:
    """True for numbers outside the domain of a function of one, all of which end or begin at 0; None if none is."""
    match function:
        case RealFunction.SQRT:
            outside = x < 0
        case RealFunction.LOG:
            outside = x <= 0
        case _:
            return None
    return outside if outside.any() else None


def _function(term: Term, *arguments: Ends) -> Ends:
    function = function_of(term)
    if function is RealFunction.POW:
        return _power(*arguments)
    row = ROWS[function]
    ((low, high),) = arguments
    low, high = np.atleast_1d(low), np.atleast_1d(high)
    if low is high:
        ends = row.ends(low)
    elif row.grows:
        ends = row.ends(low)[0], row.ends(high)[1]
    else:
        middle = (low + high) / 2
        # Neither changes faster than its argument; the middle is rounded.
        radius = (high - low) * (1 + OF_ROUNDING) + np.abs(middle) * OF_ROUNDING
        least, greatest = row.ends(middle)
        ends = least - radius, greatest + radius
        return np.maximum(ends[0] - OF_ROUNDING, -1.0), np.minimum(ends[1] + OF_ROUNDING, 1.0)
    # Outside the domain a guard keeps the place from being used; it has 0, as where it is computed exactly.
    outside = outside_of(function, high)
    if outside is None:
        return ends
    return np.where(outside, 0.0, ends[0]), np.where(outside, 0.0, ends[1])


def _power(base: Ends, exponent: Ends) -> Ends:
    found = [
        exponential.power(*np.broadcast_arrays(*np.atleast_1d(x, y))) for x in _points(base) for y in _points(exponent)
    ]
    low = reduce(np.minimum, [made - error for made, error in found])
    high = reduce(np.maximum, [made + error for made, error in found])
    if len(found) == 1:
        return _of_far(base[0], exponent[0], low, high)
    # Of a positive base it is monotone in each operand. Of any other only single numbers are computed.
    known = (base[0] > 0) | ((base[0] == base[1]) & (exponent[0] == exponent[1]))
    return np.where(known, low, np.nan), np.where(known, high, np.nan)


def _points(ends: Ends) -> Ends | tuple[Any]:
    return ends[:1] if ends[0] is ends[1] else ends


def _of_far(x: Any, y: Any, low: Any, high: Any) -> Ends:
    """The ends of powers, also of those that are too far from 1 to be computed: by ln x, |y ln x| > 699."""
    unknown = np.isnan(low)
    if not unknown.any():
        return low, high
    usable = unknown & (x > 0) & (x >= exponential.LOG_LEAST) & (x < np.inf)
    exponents = exponential.log(np.where(usable, x, 1.0)) * y
    far = usable & (np.abs(exponents) > exponential.EXP_MOST)
    # e^699 > 2^1000.
    least, most = 2.0**-1000, 2.0**1000
    grown = exponents > 0
    return np.where(far, np.where(grown, most, 0.0), low), np.where(far, np.where(grown, np.inf, least), high)


def ends_of(value: Near | Ends) -> Ends:
    """The ends of a value; one array twice if they are equal."""
    return value.ends() if isinstance(value, Near) else value


def of_ends(ends: State) -> Ends:
    """The value of some ends."""
    low, high = ends
    return low, high


def _operation(op: Op, by_ends: Callable[..., Ends]) -> Compute:
    """An operation by a share of its value where that is known, else by ends."""
    by_share = shares.ENCLOSED.get(op)

    def compute(term: Term, *operands: Near | Ends) -> Near | Ends:
        if by_share is not None and all(isinstance(operand, Near) for operand in operands):
            made = by_share(term, *operands)
            if made is not None:
                return made
        return by_ends(term, *map(ends_of, operands))

    return compute


def _chain(op: Op, by_ends: Callable[..., Ends]) -> Compute:
    """An operation on two operands at a time."""
    two = _operation(op, by_ends)
    return lambda term, *parts: reduce(lambda a, b: two(term, a, b), parts)


ENCLOSED: Mapping[Op, Compute] = {
    Op.LITERAL: _literal,
    Op.TO_REAL: _leaf,
    Op.FLOOR: _operation(Op.FLOOR, _floor),
    Op.PLUS: _chain(Op.PLUS, _sum),
    Op.TIMES: _chain(Op.TIMES, _product),
    Op.QUOTIENT: _operation(Op.QUOTIENT, _quotient),
    Op.ITE: _chosen,
    Op.REAL_FUNCTION: _operation(Op.REAL_FUNCTION, _function),
}
"""The function that encloses the result of each operation on reals, from the enclosures of its operands."""


@dataclass(frozen=True, slots=True)
class EnclosedFold:
    """A sum or a product of enclosed reals: the parts of what counts nothing, the fold `along` axes, and two results
    `join`ed."""

    unit: tuple[float, ...]
    along: Callable[[State, tuple[int, ...]], State]
    join: Callable[[State, State], State]


def _total(numbers: Any, axes: tuple[int, ...]) -> tuple[Any, Any]:
    """Sums of doubles along axes, in any order, and how far they may be off.

    n - 1 additions are off by (n - 1) u times the sum of the sizes, u = 2^-53 (Jeannerod and Rump 2013). The latter is
    computed as such a sum itself, so for n < 2^30 it is too low by less than a share of 2^-22, and rounding the product
    takes 2 u of it: n 2u is more. Where that may underflow, nothing is said.
    """
    size = np.add.reduce(np.abs(numbers), axis=axes)
    off = size * (prod(numbers.shape[axis] for axis in axes) * 2.0**-52)
    return np.add.reduce(numbers, axis=axes), np.where((size == 0) | (size > 2.0**-900), off, np.nan)


def _summed(ends: State, axes: tuple[int, ...]) -> Ends:
    low, high = ends
    below, off_below = _total(low, axes)
    above, off_above = (below, off_below) if low is high else _total(high, axes)
    return _outward(below - off_below, above + off_above)


def _joined(operation: Callable[[Ends, Ends], Ends]) -> Callable[[State, State], State]:
    return lambda a, b: operation(of_ends(a), of_ends(b))


_added = _joined(lambda a, b: _outward(a[0] + b[0], a[1] + b[1]))
_times = _joined(_multiplied)
FOLDED: Mapping[Kind, EnclosedFold] = {
    Kind.SUM: EnclosedFold((0.0, 0.0), _summed, _added),
    Kind.PRODUCT: EnclosedFold((1.0, 1.0), lambda ends, axes: halved(ends, axes, _times), _times),
}
"""The folds of reals that are enclosed."""


def compared(a: Near | Ends, b: Near | Ends) -> tuple[Ends, Ends]:
    """The ends of two values."""
    return ends_of(a), ends_of(b)


def rounded(value: Near | Ends, sort: FloatSort) -> tuple[Any, Any]:
    """The bits of the floats nearest to values, and where they are decided."""
    bits = bits_type(sort)
    low, high = value.last_ends() if isinstance(value, Near) else value
    below, above = (nearest(end, sort).view(bits) for end in (low, high))
    # No end is -0. So both are +0 only if the value is not negative, and both -0 only if it is.
    decided = below == above
    if not isinstance(value, Near):
        decided &= low <= high
        if isinstance(sort, MinifloatSort):
            # Out of range is NaN at either end of the range, and says nothing of what is between.
            decided &= ~np.isnan(below.view(DTYPES[sort])) | (low > 0) | (high < 0)
    return below, decided
