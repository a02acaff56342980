"""The instance of a binder for one name. Trusted: an instance is asserted."""

from __future__ import annotations

from sonnx_verify.logic import operators as ops
from sonnx_verify.logic.binders import at, inside, substitute
from sonnx_verify.logic.builders import and_, eq, implies, le, lt, or_
from sonnx_verify.logic.nodes import ZERO, Term, integer
from sonnx_verify.logic.polynomials import add


def others(term: Term, place: int) -> tuple[Term, ...]:
    """The arguments beside one: for the size of a shape in a list, which shape it is."""
    return (*term.args[:place], *term.args[place + 1 :])


def in_range(axis: Term, rank: Term) -> Term:
    """The condition that an axis is one of those of a rank."""
    return and_(le(ZERO, axis), lt(axis, rank))


def instance(term: Term, name: Term) -> Term:
    """The formula that the quantifier says of one name.

    `for all k in low .. high : P(k)` says of t: if low <= t <= high then P(t). Of a t outside it says nothing (twin
    range_forgotten). An index is in a shape if it is 0 <= . < size on each axis below the rank and 0 on any other.
    """
    if term.op is ops.FORALL:
        variable, low, high, body = term.args
        return implies(and_(le(low, name), le(name, high)), substitute(body, {variable: name}))
    if term.op is ops.FORALL_INDEX:
        variable, rank, axis, sizes, body = term.args
        return implies(inside(name, rank, axis, sizes), substitute(body, {variable: name}))
    # Both parts: in range within the rank, and 0 beyond it. Without the second, [3] would be an index of rank 0.
    position, rank, axis, sizes = term.args
    coordinate = at(position, name)
    within = and_(le(ZERO, coordinate), lt(coordinate, substitute(sizes, {axis: name})))
    reached = in_range(name, rank)
    return and_(implies(reached, within), or_(reached, eq(coordinate, ZERO)))


def bound_variable(term: Term) -> Term:
    """The variable of a quantifier or a fold."""
    if term.op is ops.INSIDE:
        return term.args[2]
    return term.args[0]


def written_out(low: Term, high: Term) -> list[Term]:
    """The members of a range of a few numbers, or nothing for any other."""
    # Each member costs an instance: a long list is left to the names that occur.
    if low.op is high.op is ops.LITERAL:
        first, last = low.payload, high.payload
        assert isinstance(first, int)
        assert isinstance(last, int)
        if last - first < 8:
            return [add(low, integer(n)) for n in range(max(last - first + 1, 0))]
    return []


def recursion_template(term: Term) -> object:
    """A key that recursions share which differ only in their number."""
    return (*term.args[:3], term.args[4])
