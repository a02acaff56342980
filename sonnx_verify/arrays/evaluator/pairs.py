"""Real numbers as balls around pairs of doubles, on whole arrays: where a double is asked for, or compared.

The operations are those of arrays/functions/pairs.py, whose bounds are proved there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache, reduce
from sys import float_info
from typing import Any

import numpy as np

from sonnx_verify.arrays.evaluator import ends
from sonnx_verify.arrays.evaluator.ends import EnclosedFold, elements, outside_of
from sonnx_verify.arrays.evaluator.known import bits_type
from sonnx_verify.arrays.evaluator.orders import State, halved
from sonnx_verify.arrays.functions.exponential import power_of_balls
from sonnx_verify.arrays.functions.pairs import SHARE, Ball, added, divided, exact, multiplied, negative
from sonnx_verify.arrays.functions.rows import ROWS, Ends
from sonnx_verify.arrays.partial.binders import Kind
from sonnx_verify.logic.algebraic import function_of
from sonnx_verify.logic.functions import RealFunction
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.sorts import FloatSort
from sonnx_verify.logic.terms import Term

_LEAST_LITERAL = 2.0**-900
"""The least literal that is taken as it is: the rest that a smaller one leaves of its double may be no double."""
_BEYOND, _AROUND = 1.5 * 2.0**1023, 0.51 * 2.0**1023
"""Between their difference and their sum are the numbers next to the greatest double, at which it overflows."""


@lru_cache(1024)
def _ball_of(number: Fraction) -> Ball:
    size = abs(number)
    if 0 < size < _LEAST_LITERAL:
        return Ball(np.zeros(1), np.zeros(1), np.array([_LEAST_LITERAL]))
    if size > float_info.max:
        radius = _AROUND if size < Fraction(_BEYOND) + Fraction(_AROUND) else np.inf
        return Ball(np.array([_BEYOND if number > 0 else -_BEYOND]), np.zeros(1), np.array([radius]))
    high = float(number)
    rest = number - Fraction(high)
    if not rest:
        return exact(np.array([high]))
    return Ball(np.array([high]), np.array([float(rest)]), np.array([abs(high) * SHARE]))


def _literal(term: Term) -> Ball:
    number = term.payload
    assert isinstance(number, Fraction)
    return _ball_of(number)


def _leaf(term: Term, array: Any) -> Ball:
    # A floor is a ball, all else has elements.
    return array if isinstance(array, Ball) else exact(elements(term, array))


def _floor(term: Term, a: Ball) -> Ball:
    floor = np.floor(a.high)
    if a.is_exact:
        return exact(floor)
    a = a.known()
    # Exact, and so are the signs of these sums.
    above = a.high - floor
    inside = (above + (a.low - a.radius) >= 0) & (above + (a.low + a.radius) < 1)
    return Ball(floor, 0.0, np.where(inside, 0.0, np.inf))


def _sum(term: Term, *parts: Ball) -> Ball:
    return reduce(added, parts)


def _times(a: Ball, b: Ball) -> Ball:
    for factor, other in ((a, b), (b, a)):
        if factor.is_exact and factor.high.size == 1 and abs(factor.high[0]) == 1:
            return other if factor.high[0] > 0 else negative(other)
    return multiplied(a, b)


def _product(term: Term, *parts: Ball) -> Ball:
    return reduce(_times, parts)


def _quotient(term: Term, a: Ball, b: Ball) -> Ball:
    return divided(a, b)


def _chosen(term: Term, condition: Any, a: Ball, b: Ball) -> Ball:
    a, b = a.known(), b.known()
    return Ball(
        np.where(condition, a.high, b.high),
        np.where(condition, a.low, b.low),
        np.where(condition, a.radius, b.radius),
    )


def _function(term: Term, *arguments: Ball) -> Ball:
    function = function_of(term)
    if function is RealFunction.POW:
        return power_of_balls(*arguments)
    # Of a number that vanishes it is not known that it is 0.
    x = arguments[0].known()
    made = ROWS[function].of_ball(x)
    # Outside the domain a guard keeps the place from being used; it has 0, as where it is computed exactly.
    outside = outside_of(function, x.high + (x.low + x.radius))
    if outside is None:
        return made
    made = made.known()
    return Ball(*[np.where(outside, 0.0, part) for part in (made.high, made.low, made.radius)])


ENCLOSED: Mapping[Op, Callable[..., Ball]] = {
    Op.LITERAL: _literal,
    Op.TO_REAL: _leaf,
    Op.FLOOR: _floor,
    Op.PLUS: _sum,
    Op.TIMES: _product,
    Op.QUOTIENT: _quotient,
    Op.ITE: _chosen,
    Op.REAL_FUNCTION: _function,
}
"""The ball of each operation on reals, from those of its operands."""


def parts_of(value: Ball) -> State:
    """The parts of balls, as arrays of one shape."""
    value = value.known()
    return value.high, *[np.broadcast_to(part, np.shape(value.high)) for part in (value.low, value.radius)]


def of_parts(parts: State) -> Ball:
    """The balls of some parts."""
    return Ball(*parts)


def _fold(unit: float, operation: Callable[[Ball, Ball], Ball]) -> EnclosedFold:
    def join(a: State, b: State) -> State:
        return parts_of(operation(Ball(*a), Ball(*b)))

    return EnclosedFold((unit, 0.0, 0.0), lambda parts, axes: halved(parts, axes, join), join)


FOLDED: Mapping[Kind, EnclosedFold] = {Kind.SUM: _fold(0.0, added), Kind.PRODUCT: _fold(1.0, multiplied)}
"""The folds of reals that are enclosed."""


def compared_with_zero(a: Ball, b: Ball) -> tuple[Ends, Ends]:
    """The ends of differences, and those of 0: a sum that is rounded to nearest keeps its sign."""
    return added(a, negative(b)).ends(), (0.0, 0.0)


def rounded(value: Ball, sort: FloatSort) -> tuple[Any, Any]:
    """The bits of the floats nearest to values, and where they are decided."""
    low, high = value.ends()
    if sort.width < 64:  # noqa: PLR2004 - the bits of a double
        # The ends are rounded to doubles, which may be ties of floats.
        return ends.rounded((np.nextafter(low, -np.inf), np.nextafter(high, np.inf)), sort)
    # NaN, where nothing is known, equals nothing.
    return low.view(bits_type(sort)), low == high
