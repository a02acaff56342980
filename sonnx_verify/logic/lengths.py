"""Lengths of ranges of which a formula says that they are not negative. Trusted.

    1 <= rank(X)  and  ... (if 1 <= rank(X) then rank(X) - 1 else 0) ...

says the same with `rank(X) - 1`, the number of numbers in `0 .. rank(X) - 2`, in place of the choice. What ranges over
these is compared by its terms, so that a length is better without a choice that is made.
"""

from __future__ import annotations

from collections.abc import Iterable

from sonnx_verify.logic import operators as ops
from sonnx_verify.logic.builders import conjuncts, le
from sonnx_verify.logic.nodes import TRUE, ZERO, Term, subterms
from sonnx_verify.logic.polynomials import sub
from sonnx_verify.logic.sorts import INT


def settled(formulas: Iterable[Term]) -> dict[Term, Term]:
    """The lengths in formulas that all hold for which one of these says how long they are, each with what it is."""
    choices = [node for node in subterms(*formulas) if _is_length(node)]
    if not choices:
        return {}
    facts = [part for formula in formulas for part in conjuncts(formula) if part.op is ops.AT_MOST]
    # Free of the choice, so that the fact is said after it is replaced as well.
    return {c: c.args[1] for c in choices if any(_follows(c.args[1], f) and c not in set(subterms(f)) for f in facts)}


def _is_length(term: Term) -> bool:
    """Return whether a term is `if 0 <= n then n else 0`, of no variable that is bound around it."""
    if term.op is not ops.ITE or term.sort != INT or term.free:
        return False
    condition, count, nothing = term.args
    return nothing is ZERO and condition is le(ZERO, count)


def _follows(count: Term, fact: Term) -> bool:
    """Return whether a count is no less than what a fact a <= b says is not negative, which is b - a."""
    low, high = fact.args
    return low.sort == INT and le(ZERO, sub(count, sub(high, low))) is TRUE
