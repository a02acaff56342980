"""Members by how many stand before them. Trusted.

    some k in 0 .. n - 1 has p(k) and count { q | q in 0 .. k - 1 where p(q) } = m

exactly if 0 <= m < count { q | q in 0 .. n - 1 where p(q) }: a count grows by one at most from number to number, so it
takes each value below the last. Theorem `onto` of proofs/counting.sonnx, whose proof has the recurrence alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from sonnx_verify.logic import operators as ops
from sonnx_verify.logic.builders import and_, conjuncts, le, lt, not_
from sonnx_verify.logic.folds import Fold
from sonnx_verify.logic.nodes import ONE, ZERO, FoldName, Term
from sonnx_verify.logic.polynomials import linear, scale, sub
from sonnx_verify.logic.sorts import INT


def reached_somewhere(quantifier: Term) -> Term | None:
    """The condition under which some number of a range is a member with so many before it, where a quantifier over the
    range says that none is; None of any other quantifier."""
    if quantifier.op is not ops.FORALL:
        return None
    variable, low, high, body = quantifier.args
    parts = conjuncts(not_(body))
    for part in parts:
        rest = and_(*(other for other in parts if other is not part))
        for fold, ordinal in _counts_in(part):
            is_before = fold.low is low and fold.high is sub(variable, ONE)
            if is_before and variable not in fold.condition.free | ordinal.free and fold.chosen(variable) is rest:
                return and_(le(ZERO, ordinal), lt(ordinal, fold.up_to(high)))
    return None


def _counts_in(part: Term) -> Iterator[tuple[Fold, Term]]:
    """The counts in an equation of integers, each with what it says that it is."""
    if part.op is not ops.EQUAL or part.args[0].sort != INT:
        return
    difference = sub(*part.args)
    for atom, factor in linear(difference)[0].items():
        if atom.op is ops.FOLD and abs(factor) == 1 and Fold.of(atom).kind.name == FoldName.COUNT:
            yield Fold.of(atom), sub(atom, scale(int(factor), difference))
