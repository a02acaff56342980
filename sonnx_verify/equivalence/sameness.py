"""Conditions and claims that two parts of texts are the same thing, to be proved of all arguments.

In: values, as elaboration makes them, with what they need to mean anything. Out: terms and claims, of which nothing is
decided here. Two parts are the same where their values are, and the second needs no more than the first: a read outside
has an arbitrary value, so that equal values alone would compare nothing. None, where it is not known how to say that
two values are the same, is for whoever asks to take for "not known".
"""

from __future__ import annotations

from collections.abc import Sequence

from sonnx_verify.kernel.values import (
    Items,
    Members,
    Position,
    Results,
    SetOf,
    Shape,
    Tensor,
    Value,
    instantiate,
    last,
    same_shape,
    same_tensor,
)
from sonnx_verify.logic.sorts import INT
from sonnx_verify.logic.terms import (
    ZERO,
    Symbol,
    Term,
    and_,
    eq,
    forall,
    forall_index,
    implies,
    le,
    placeholder,
    substitute,
)
from sonnx_verify.obligations.obligation import Claim


def needs_no_more(
    hypotheses: Sequence[Term], first: Sequence[Term], second: Sequence[Term], what: str = ""
) -> list[Claim]:
    """Claim that the needs of the second part, without which it means nothing, follow where the first means something.

    Of `X[0]` and `if true then X[0] else X[1]` the second asks that `true => false` or that 1 is inside, which follows;
    of `X[0]` and `X[0] + 0 * X[1]` it asks that 1 is inside, which does not follow from 0 being inside.
    """
    # Only one way is asked. Where the second needs less, it means something on more input, and means the same on the
    # input on which the first does: that is no difference to anybody who relied on the first.
    further = [formula for formula in second if formula not in first]
    return [Claim((*hypotheses, *first), formula, what, side=True) for formula in further]


def same(a: Value, b: Value) -> Term | None:
    """The condition under which they are the same, None where it is not known how to say that."""
    match a, b:
        case Term(), Term() if a.sort == b.sort:
            return eq(a, b)
        case Shape(), Shape():
            return same_shape(a, b)
        case Position(), Position():
            return and_(eq(a.rank, b.rank), eq(a.term, b.term))
        case Tensor(), Tensor() if a.sort == b.sort and a.facts is None and b.facts is None:
            return same_tensor(a, b)
        case Items(), Items() if (a.kind, a.base) == (b.kind, b.base):
            return _same_items(a, b)
        case SetOf(), SetOf():
            return _same_sets(a, b)
        # The term is claimed of all arguments, so a free integer stands for each of them.
        case Members(), Members():
            k = Symbol("any..integer", (), INT)()
            return eq(a.contains(k), b.contains(k))
        case Results(), Results() if a.sort == b.sort:
            y = Symbol("any..element", (), a.sort)()
            return and_(eq(a.conforms(y), b.conforms(y)), eq(a.representative, b.representative))
        case _:
            return None


def _same_items(a: Items, b: Items) -> Term | None:
    # On some member, to see whether it is known at all: a body of a `for all` cannot say that it is not.
    trial = same(a.item(placeholder(INT)), b.item(placeholder(INT)))
    if trial is None:
        return None

    def at(m: Term) -> Term:
        found = same(a.item(m), b.item(m))
        assert found is not None
        return found

    return and_(eq(a.count, b.count), forall(ZERO, last(a.count), at))


def _same_sets(a: SetOf, b: SetOf) -> Term | None:
    """The same members of the same domain, each with the same value: a set may be counted and summed."""
    if same(a.body, b.body) is None:
        return None
    first, second = a.domain.shape, b.domain.shape
    if first is None and second is None:
        # Two ranges may differ and have the same members, as 0 .. n - 1 and { j in 0 .. n | j < n }. So each range is
        # run through, and each member of the one has to be a member of the other.

        def here(j: Term) -> Term:
            both = implies(_member(a, j), and_(_member(b, j), _same_bodies(a, b, j)))
            return and_(both, implies(_member(b, j), _member(a, j)))

        return and_(forall(a.domain.low, a.domain.high, here), forall(b.domain.low, b.domain.high, here))
    if first is None or second is None:
        return None

    def inside(i: Term) -> Term:
        mine, theirs = _put(a.condition, a, i), _put(b.condition, b, i)
        return and_(eq(mine, theirs), implies(mine, _same_bodies(a, b, i)))

    return and_(same_shape(first, second), forall_index(first.rank, first.dim, inside))


def _member(a: SetOf, j: Term) -> Term:
    return and_(le(a.domain.low, j), le(j, a.domain.high), _put(a.condition, a, j))


def _put(term: Term, a: SetOf, chosen: Term) -> Term:
    return substitute(term, {a.variable: chosen})


def _same_bodies(a: SetOf, b: SetOf, chosen: Term) -> Term:
    match a.body, b.body:
        case Position() as mine, Position() as theirs:
            ranks = eq(_put(mine.rank, a, chosen), _put(theirs.rank, b, chosen))
            return and_(ranks, eq(_put(mine.term, a, chosen), _put(theirs.term, b, chosen)))
        case Term() as mine, Term() as theirs:
            return eq(_put(mine, a, chosen), _put(theirs, b, chosen))
        case Items() as mine, Items() as theirs:
            found = same(instantiate(mine, {a.variable: chosen}), instantiate(theirs, {b.variable: chosen}))
            assert found is not None
            return found
        case _:
            raise AssertionError("bodies of two kinds")
