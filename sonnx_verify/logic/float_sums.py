"""The one rule on trust: what is known of the float nearest to an exact sum of floats."""

from __future__ import annotations

from fractions import Fraction

from sonnx_verify.logic import floats
from sonnx_verify.logic.builders import and_, implies, le, lt, not_, or_
from sonnx_verify.logic.elements import element, to_real
from sonnx_verify.logic.folds import Fold
from sonnx_verify.logic.nodes import Term, literal
from sonnx_verify.logic.polynomials import scale, sub, times
from sonnx_verify.logic.sorts import REAL, FloatSort, Sort

SUM_IS_ROUNDED = (
    "the float nearest to an exact sum of floats is off by at most the unit roundoff times its size, below overflow"
)


def is_sum_of_floats(term: Term, sort: Sort) -> bool:
    """Whether a real is a sum of the exact values of floats of that format."""
    if term.op not in ("fold", "fold_index") or Fold.of(term).kind.name != "sum":
        return False
    value = Fold.of(term).value
    return value.op == "to_real" and value.args[0].sort == sort


def nearest_to_sum(rounded: Term) -> Term:
    """What holds of the float nearest to a sum of floats of its format. Such a sum is a multiple of the least of them,
    so rounding it to nearest is exact near zero and errs by at most the unit roundoff elsewhere."""
    sort = rounded.sort
    assert isinstance(sort, FloatSort)
    exact, nearest = rounded.args[0], to_real(rounded)
    zero = literal(Fraction(0), REAL)
    roundoff = literal(Fraction(1, 2**sort.significand), REAL)
    limit = literal(floats.overflow_threshold(sort), REAL)
    finite = and_(*(not_(element(f"is_{what}", rounded)) for what in ("nan", "infinite")))
    error = sub(nearest, exact)
    bounds = []
    for side in (error, scale(-1, error)):
        positive = or_(lt(exact, zero), le(side, times(roundoff, exact)))
        negative = or_(lt(zero, exact), le(side, times(roundoff, scale(-1, exact))))
        bounds += [positive, negative]
    within = and_(lt(exact, limit), lt(scale(-1, exact), limit))
    return implies(within, and_(finite, *bounds))
