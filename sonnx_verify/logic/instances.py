"""The instance of a binder for one name, and the name that makes one term another. Trusted: an instance is asserted."""

from __future__ import annotations

from sonnx_verify.logic import operators as ops
from sonnx_verify.logic.binders import at, inside, substitute
from sonnx_verify.logic.builders import and_, eq, implies, le, lt, or_
from sonnx_verify.logic.nodes import ZERO, Term, integer, make
from sonnx_verify.logic.polynomials import add, linear, scale, sub
from sonnx_verify.logic.sorts import INDEX, INT


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


def variable_of(term: Term) -> tuple[Term, list[Term], list[Term]]:
    """The variable of a quantifier, the parts it stands in, and the name it is always tried on."""
    match term.op:
        case ops.FORALL:
            variable, low, _, body = term.args
            return variable, [body], range_names(low, term.args[2])
        case ops.FORALL_INDEX:
            return term.args[0], [term.args[4]], []
        case _:
            return term.args[2], [term.args[3]], [ZERO]


def bound_variable(term: Term) -> Term:
    """The variable of a quantifier or a fold."""
    if term.op in (ops.FOLD, ops.FOLD_INDEX):
        return term.args[0]
    return variable_of(term)[0]


def range_names(low: Term, high: Term) -> list[Term]:
    """The least value of a range, and all of them where they are few: in a list that is written out, positions are told
    apart by comparison, so they stand in no argument position. A law of all axes may be needed of axis 0 alone, which
    nothing else mentions (twin zero_unnamed)."""
    return written_out(low, high) or [low]


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


def matched(pattern: Term, term: Term, variable: Term) -> Term | None:
    """The value of the variable that makes the pattern the term; None where there is none.

    `[k, 0]` becomes `[n + 1, 0]` for k = n + 1. That is a guess worth trying, no more: whatever name is tried, the
    instance follows from the quantifier.
    """
    if pattern.op is term.op is ops.INDEX:
        # How deep a term is decides which variable an index literal binds: both are read with that of the pattern.
        axis, (bound, rank, coordinate) = pattern.args[0], term.args
        term = make(ops.INDEX, (axis, rank, substitute(coordinate, {bound: axis})), INDEX)
    found: Term | None = None
    todo = [(pattern, term)]
    while todo:
        one, other = todo.pop()
        if one is variable:
            if found is not None and found is not other:
                return None
            found = other
        elif variable not in one.free:
            if one is not other:
                return None
        elif one.op != other.op or one.payload != other.payload or len(one.args) != len(other.args):
            return None
        else:
            todo.extend(zip(one.args, other.args, strict=True))
    return found


def solve(arg: Term, variable: Term) -> tuple[int, Term] | None:
    """(sign, rest) with arg = sign * variable + rest, where there is such a sign of 1 or -1."""
    if arg is variable:
        return 1, ZERO
    if arg.sort != INT:
        return None
    # With 2 * k the name would have to be half of another, and need not be an integer.
    sign = int(linear(arg)[0].get(variable, 0))
    if abs(sign) != 1:
        return None
    return sign, sub(arg, scale(sign, variable))
