"""Forms of sets of results: each element in one conforms, and a representative is computed. Trusted."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from sonnx_verify.kernel.conversions import TypeConstant, constant, of_number
from sonnx_verify.kernel.core import Family, Kernel
from sonnx_verify.kernel.notes import Why
from sonnx_verify.kernel.values import Reach, Results, abstraction
from sonnx_verify.logic import floats
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.sorts import BOOL, ELEMENT, INT, REAL, FloatSort, Sort
from sonnx_verify.logic.terms import (
    FALSE,
    TRUE,
    ZERO,
    Term,
    and_,
    le,
    literal,
    not_,
    ordinal,
    scale,
    sub,
    to_real,
)
from sonnx_verify.results.kinds import Kind

Ends = tuple[Term, Term]
"""The least and the greatest element that may conform."""


def any_of_type(k: Kernel, sort: Sort) -> Results:
    """`any T`: each element conforms."""
    return Results(sort, abstraction(lambda y: TRUE, sort), _some(k, sort), Reach(every=TRUE))


def any_nan(k: Kernel) -> Results:
    """`any NaN` of floats: each NaN conforms."""
    sort = k.element
    # All NaNs are one here: what is shown holds up to their payload, which ONNX leaves to the implementation.
    if isinstance(sort, FloatSort):
        some = literal(floats.nan(sort), sort)
    else:
        # -infinity stands for a NaN of abstract floats, of which none has a name. That the representative is in the
        # set is asked, and shown of each type.
        some = k.operation(Op.NEG, constant(k, sort, TypeConstant.INFINITY))
    return Results(sort, abstraction(lambda y: k.operation(Op.IS_NAN, y), sort), some)


def _some(k: Kernel, sort: Sort) -> Term:
    """An element to compute with, where any conforms."""
    if sort == ELEMENT:
        return k.free_operation("some", ELEMENT)
    if sort == BOOL:
        return FALSE
    if sort == REAL:
        return literal(Fraction(0), sort)
    return literal(0, sort)


def within(k: Kernel, bound: Term, centre: Term, ends: Ends | None) -> Results:
    """`within b of e in l .. h`: finite elements, between two elements, whose real value is no further than b from
    e."""
    sort = k.element

    def near(y: Term) -> Term:
        # The real value of a NaN or an infinity is some real of which nothing is known, perhaps near to the centre:
        # so they are kept out by name. `|off| <= bound` is written as two comparisons, since the logic has no |x|.
        off = sub(_exact(k, y), centre)
        finite = TRUE
        if k.family == Family.FLOAT:
            finite = and_(*(not_(k.operation(beyond, y)) for beyond in (Op.IS_NAN, Op.IS_INFINITE)))
        return and_(finite, le(off, bound), le(scale(-1, off), bound), inside(y))

    inside = _between(k, ends)
    nearest = of_number(k, centre, sort)
    return Results(sort, abstraction(near, sort), nearest, Reach(near=TRUE, bound=bound, centre=centre))


def within_steps(k: Kernel, count: Term, centre: Term, ends: Ends | None, why: Why) -> Results:
    """`within n steps of e in l .. h`: floats at most n steps from the one nearest to e, between two floats; asks that
    the number of steps is not negative.

    Both zeros are in one place, and an infinity is the neighbour of the greatest float. NaN is never a member.
    """
    sort = k.element
    nearest = of_number(k, centre, sort)
    inside = _between(k, ends)
    k.require(Kind.TOTAL, le(ZERO, count), why)

    def near(y: Term) -> Term:
        off = sub(_place(k, y), _place(k, nearest))
        steps = and_(le(off, count), le(scale(-1, off), count))
        return and_(not_(k.operation(Op.IS_NAN, y)), steps, inside(y))

    return Results(sort, abstraction(near, sort), nearest, Reach(counted=TRUE, steps=count))


def _between(k: Kernel, ends: Ends | None) -> Callable[[Term], Term]:
    """The condition that an element lies in a range, if there is one."""
    if ends is None:
        return lambda _: TRUE
    low, high = ends
    return lambda y: and_(_at_most(k, low, y), _at_most(k, y, high))


def _at_most(k: Kernel, one: Term, other: Term) -> Term:
    if one.sort == REAL:
        return le(one, other)
    return k.operation(Op.AT_MOST, one, other)


def _place(k: Kernel, element: Term) -> Term:
    """The place of a float among all of its type."""
    if element.sort == ELEMENT:
        return k.free_operation(Op.ORDINAL, INT, element)
    return ordinal(element)


def _exact(k: Kernel, element: Term) -> Term:
    """The real value of an element that is finite."""
    if element.sort == REAL:
        return element
    if element.sort == ELEMENT:
        return k.free_operation(Op.TO_REAL, REAL, element)
    return to_real(element)
