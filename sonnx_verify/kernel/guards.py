"""Forms whose parts are looked at only where others say so: choices, and conditions that guard. Trusted.

A part is a function: it is called under the guard, so that what it asks is asked only there. Terms are total, so the
guard takes nothing from what is claimed: where it fails, the value of the part plays no role.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from sonnx_verify.kernel.core import Kernel
from sonnx_verify.kernel.values import Value, choose
from sonnx_verify.logic.terms import FALSE, TRUE, Term, and_, eq, implies, not_, or_
from sonnx_verify.sources import Span

Part = Callable[[], Term]


def negation(condition: Term) -> Term:
    """`not p`."""
    return not_(condition)


def equivalence(a: Term, b: Term) -> Term:
    """`p iff q`: both are looked at."""
    return eq(a, b)


def implication(k: Kernel, left: Term, right: Part) -> Term:
    """`p => q`: the right is only looked at where the left holds."""
    # `rank(X) > 0 => X.shape[0] = 1`. Not the left where the right fails, though the term is the same: a text is read
    # from the left, and its reader evaluates the condition first. Twin of the evaluator: guards_do_not_guard.
    with k.assuming(left):
        return implies(left, right())


def exclusion(k: Kernel, left: Term, right: Part) -> Term:
    """No case of `exists ... where p : q`: `p => not q`. Twin: where_becomes_implies."""
    # Read as `p => q`, `exists n in 0 .. 9 where n > 20 : n = 3` would be true of any n that misses the condition.
    with k.assuming(left):
        return implies(left, not_(right()))


def conjunction(k: Kernel, parts: Iterable[Part]) -> Term:
    """`p and q`, joined from the left: what stands on the right is only looked at where all before it hold."""
    # `rank(X) > 0 and X.shape[0] = 1` is right, `X.shape[0] = 1 and rank(X) > 0` is reported as a read outside.
    made = TRUE
    for part in parts:
        with k.assuming(made):
            condition = part()
        made = and_(made, condition)
    return made


def disjunction(k: Kernel, parts: Iterable[Part]) -> Term:
    """`p or q`, joined from the left: what stands on the right is only looked at where none before it holds."""
    made = FALSE
    for part in parts:
        with k.assuming(not_(made)):
            condition = part()
        made = or_(made, condition)
    return made


def both(conditions: Sequence[Term]) -> Term:
    """`a <= b < c`: all of some conditions, none of which guards another."""
    return and_(*conditions)


def exactly_one(conditions: Sequence[Term]) -> Term:
    """`exactly_one(p, q, r)`: one of several conditions holds, and no two of them do; none guards another, so each asks
    for what it needs wherever the whole is looked at."""
    apart = [or_(not_(a), not_(b)) for n, b in enumerate(conditions) for a in conditions[:n]]
    return and_(or_(*conditions), *apart)


def choice(
    k: Kernel,
    condition: Term,
    then: Callable[[], Value],
    otherwise: Callable[[], Value],
    adjusted: Callable[[Value, Value], tuple[Value, Value]],
    span: Span,
) -> tuple[Value | None, Value, Value]:
    """`if p then a else b`, and its two values: a branch is only looked at where the condition says so. `adjusted`
    gives them one kind where one is a number that is written out. The choice is None where their kinds differ."""
    with k.assuming(condition):
        first = then()
    with k.assuming(not_(condition)):
        second = otherwise()
    first, second = adjusted(first, second)
    made = choose(condition, first, second)
    if made is not None:
        k.branch(condition, span)
    return made, first, second
