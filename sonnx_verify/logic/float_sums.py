"""Error bounds of rounded floats: the float nearest to a real, that nearest to an exact sum of floats, and sums of
floats by rounded additions. Trusted.

The first is what rounding to nearest means (IEEE 754, 4.3.1). The other two are rules on trust: a proof that may rest
on one of them says so among its assumptions (`on_trust`, and `conform`). tests/logic/test_float_sums.py tries all three
on floats of each format.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from sonnx_verify.logic import floats
from sonnx_verify.logic.builders import and_, eq, implies, ite, le, lt, not_, or_
from sonnx_verify.logic.elements import element, to_real
from sonnx_verify.logic.folds import Fold
from sonnx_verify.logic.nodes import FoldName, Term, literal
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.polynomials import add, scale, sub, times
from sonnx_verify.logic.sorts import REAL, FloatSort, MinifloatSort, Sort

SUM_IS_ROUNDED = (
    "the float nearest to an exact sum of floats is off by at most the unit roundoff times its size, below overflow"
)


SUM_BY_ADDITIONS = (
    "additions of n floats, each rounded to nearest, in any order, are off by at most (n - 1) times the unit roundoff "
    "times the sum of their sizes, below overflow"
)


def is_sum_of_floats(term: Term, sort: Sort) -> bool:
    """Return whether a real is a sum of the exact values of floats of that format, which has infinities."""
    if isinstance(sort, MinifloatSort):
        return False
    if term.op not in (Op.FOLD, Op.FOLD_INDEX) or Fold.of(term).kind.name != FoldName.SUM:
        return False
    value = Fold.of(term).value
    return value.op == Op.TO_REAL and value.args[0].sort == sort


def nearest_to_real(rounded: Term) -> Term:
    """The law of the float nearest to a real: it is not NaN, and below overflow it is finite, and off by at most the
    unit roundoff times the real, or half the least float above 0, whichever is more; and by no more than the real, as 0
    is a float.

    Raises ValueError for a format without infinities, where what is too great becomes NaN.

    A real x of which the float has its full p bits lies between two floats that are at most 2^(1-p) |x| apart, any
    smaller one between two multiples of the least float: 0.3 of the least is rounded to 0, and off by itself.
    """
    sort = rounded.sort
    assert isinstance(sort, FloatSort)
    exact, nearest = rounded.args[0], to_real(rounded)
    zero = literal(Fraction(0), REAL)
    roundoff = literal(Fraction(1, 2**sort.significand), REAL)
    half = literal(floats.to_fraction(sort, 1) / 2, REAL)
    limit = literal(floats.overflow_threshold(sort), REAL)
    finite = and_(not_(element(Op.IS_NAN, rounded)), not_(element(Op.IS_INFINITE, rounded)))
    error = sub(nearest, exact)
    bounds = []
    for side in (error, scale(-1, error)):
        for unlike, size in ((lt(exact, zero), exact), (lt(zero, exact), scale(-1, exact))):
            bounds += [or_(unlike, le(side, size)), or_(unlike, le(side, half), le(side, times(roundoff, size)))]
    within = and_(lt(exact, limit), lt(scale(-1, exact), limit))
    return and_(not_(element(Op.IS_NAN, rounded)), implies(within, and_(finite, *bounds)))


def nearest_to_sum(rounded: Term) -> Term:
    """The law of the float nearest to a sum of floats of its format. Such a sum is a multiple of the least of them, so
    rounding it to nearest is exact near zero and errs by at most the unit roundoff elsewhere."""
    sort = rounded.sort
    assert isinstance(sort, FloatSort)
    exact, nearest = rounded.args[0], to_real(rounded)
    zero = literal(Fraction(0), REAL)
    roundoff = literal(Fraction(1, 2**sort.significand), REAL)
    limit = literal(floats.overflow_threshold(sort), REAL)
    finite = and_(not_(element(Op.IS_NAN, rounded)), not_(element(Op.IS_INFINITE, rounded)))
    # |error| <= u * |exact| as four implications without absolute values. With 24 bits the step between 1 and 2 is
    # 2^-23, so a number there is off by half of it, 2^-24, at most.
    error = sub(nearest, exact)
    bounds = []
    for side in (error, scale(-1, error)):
        positive = or_(lt(exact, zero), le(side, times(roundoff, exact)))
        negative = or_(lt(zero, exact), le(side, times(roundoff, scale(-1, exact))))
        bounds += [positive, negative]
    within = and_(lt(exact, limit), lt(scale(-1, exact), limit))
    return implies(within, and_(finite, *bounds))


def sum_by_additions(result: Term, members: Sequence[Term]) -> Term:
    """The law of the result of a tree of additions, each rounded to nearest, in which each of two or more floats of
    its format stands once (Jeannerod and Rump). Below overflow of the sum of sizes, rounded up, no partial sum
    overflows: then NaN and infinities decide, else the result is within the bound."""
    sort = result.sort
    assert isinstance(sort, FloatSort)
    assert len(members) > 1
    zero = literal(Fraction(0), REAL)
    # Of n members n - 1 additions are rounded, in a chain or in a tree, and the bound is (n - 1) * u for either.
    unit = Fraction(len(members) - 1, 2**sort.significand)
    missing = or_(*(element(Op.IS_NAN, m) for m in members))
    infinities = literal(floats.infinity(sort), sort), literal(floats.infinity(sort, negative=True), sort)
    plus, minus = (or_(*(eq(m, infinite) for m in members)) for infinite in infinities)
    # Members that are not finite count 0: where one is there, the infinities and NaNs decide what the result is.
    exact, size = zero, zero
    for member in members:
        finite = and_(not_(element(Op.IS_NAN, member)), not_(element(Op.IS_INFINITE, member)))
        value = to_real(member)
        exact = add(exact, ite(finite, value, zero))
        size = add(size, ite(finite, ite(lt(value, zero), scale(-1, value), value), zero))
    below = lt(scale(1 + unit, size), literal(floats.overflow_threshold(sort), REAL))
    error = sub(to_real(result), exact)
    bounds = [le(side, scale(unit, size)) for side in (error, scale(-1, error))]
    proper = and_(not_(element(Op.IS_NAN, result)), not_(element(Op.IS_INFINITE, result)))
    # inf + -inf is NaN, and a NaN stays one: in every order of the additions the two meet.
    undefined = or_(missing, and_(plus, minus))
    return and_(
        implies(undefined, element(Op.IS_NAN, result)),
        implies(and_(below, plus, not_(undefined)), eq(result, infinities[0])),
        implies(and_(below, minus, not_(undefined)), eq(result, infinities[1])),
        implies(and_(below, not_(or_(missing, plus, minus))), and_(proper, *bounds)),
    )
