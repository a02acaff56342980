"""Sums of floats: recognised by the term that says which results conform, computed by a tree of rounded additions.

A set of results is that of a sum of n floats, n at least 2, where its condition is, term for term, the one that
`_conforms` builds: whatever tree of additions, each rounded to nearest, takes each of the n elements once, its result
is in it. That is a rule on trust, see docs/trust.md. A text that says anything else is not recognised, and its own
representative is computed.
"""

from __future__ import annotations

from fractions import Fraction
from math import prod

from sonnx_verify.arrays.evaluator.loops import FoldNode, Nodes
from sonnx_verify.arrays.partial.binders import Kind
from sonnx_verify.logic import floats
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.sorts import BOOL, REAL, FloatSort
from sonnx_verify.logic.terms import (
    TRUE,
    Term,
    add,
    and_,
    element,
    eq,
    ite,
    le,
    literal,
    lt,
    not_,
    or_,
    scale,
    sub,
    subterms,
    times,
    to_real,
)


def tree_of(nodes: Nodes, member: Term, candidate: Term) -> Term | None:
    """The tree of additions that gives a candidate of which `member` is true, where that is the set of a sum."""
    for part in subterms(member):
        node = nodes.folds.get(part)
        if node is None or node.kind is not Kind.SUM or node.value.op != Op.TO_REAL:
            continue
        x = node.value.args[0]
        # Terms that say the same are one object, so this compares the whole condition.
        if x.sort == candidate.sort and member is _conforms(nodes, node, x, candidate):
            return nodes.fold(FoldNode(Kind.TREE, x.sort, node.loops, TRUE, x))
    return None


def _conforms(nodes: Nodes, node: FoldNode, x: Term, y: Term) -> Term:
    """The condition that y is a result of adding the floats x of the loops of `node` in some order."""
    sort = x.sort
    assert isinstance(sort, FloatSort)
    real, zero = to_real(x), literal(Fraction(0), REAL)

    def some(condition: Term) -> Term:
        return not_(nodes.fold(FoldNode(Kind.ALL, BOOL, node.loops, TRUE, not_(condition))))

    def total(value: Term) -> Term:
        # Of NaN and infinities there is no real number: they are left out here, and decided on below.
        finite = and_(not_(element(Op.IS_NAN, x)), not_(element(Op.IS_INFINITE, x)))
        return nodes.fold(FoldNode(Kind.SUM, REAL, node.loops, finite, value))

    above, below = (literal(floats.infinity(sort, negative=negative), sort) for negative in (False, True))
    size = total(ite(lt(real, zero), scale(-1, real), real))
    # n - 1 additions, each rounded to nearest: (n - 1) * u * the sum of |x| bounds the error of every order, where u is
    # 2 ** -24 for float32 (Jeannerod and Rump 2013, see docs/trust.md).
    others = literal(Fraction(prod(loop.size for loop in node.loops) - 1), REAL)
    bound = times(times(others, literal(Fraction(1, 1 << sort.significand), REAL)), size)
    off = sub(to_real(y), total(real))
    finite = and_(not_(element(Op.IS_NAN, y)), not_(element(Op.IS_INFINITE, y)))
    near = and_(finite, le(off, bound), le(scale(-1, off), bound))
    rising, falling = some(eq(x, above)), some(eq(x, below))
    infinite = ite(rising, eq(y, above), ite(falling, eq(y, below), near))
    # A partial sum may overflow in one order and not in another, as of 3e38, 3e38, -3e38: then anything conforms.
    overflow = le(literal(floats.overflow_threshold(sort), REAL), add(size, bound))
    return ite(
        or_(some(element(Op.IS_NAN, x)), and_(rising, falling)),
        element(Op.IS_NAN, y),
        ite(overflow, TRUE, infinite),
    )
