"""Sums, dot products and means of floats: recognised by the term that says which results conform, computed by a tree of
rounded operations.

A set of results is that of such a chain where its condition is, term for term, the one that is built here from the
floats that it folds: whatever tree of additions, each rounded to nearest, takes each of them once, its result is in the
set, also where each is a rounded product, where an addend follows, or a division by their number. That is a rule on
trust, see docs/trust.md. A text that says anything else is not recognised, and its own representative is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import prod

from sonnx_verify.arrays.evaluator.loops import FoldNode, Loop, Nodes
from sonnx_verify.arrays.partial.binders import Kind
from sonnx_verify.logic import floats
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.sorts import BOOL, REAL, FloatSort
from sonnx_verify.logic.terms import (
    FALSE,
    TRUE,
    Term,
    add,
    and_,
    boolean,
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
    """The tree of operations that gives a candidate of which `member` is true, where that is the set of a sum, a dot
    product or a mean."""
    if not isinstance(candidate.sort, FloatSort):
        return None
    # Terms that say the same are one object, so this compares the whole condition.
    return next((value for condition, value in _known(nodes, member, candidate) if condition is member), None)


def _known(nodes: Nodes, member: Term, y: Term) -> Iterator[tuple[Term, Term]]:
    """The sets that the condition may be, with a computation of a member of each."""
    yield from _written(nodes, member, y)
    for part in subterms(member):
        node = nodes.folds.get(part)
        if node is None or node.kind is not Kind.SUM:
            continue
        match node.value:
            case Term(op=Op.TO_REAL, args=(x,)) if x.sort == y.sort:
                found = _Folded(nodes, node.loops)
                yield found.sum(x, y)
                yield found.mean(x, y)
            case Term(op=Op.TIMES, args=(Term(op=Op.TO_REAL, args=(a,)), Term(op=Op.TO_REAL, args=(b,)))):
                # A product of reals has its factors in an order of its own.
                for left, right in ((a, b), (b, a)):
                    if left.sort == right.sort == y.sort:
                        yield from _products(_Folded(nodes, node.loops), member, left, right, y)


def _written(nodes: Nodes, member: Term, y: Term) -> Iterator[tuple[Term, Term]]:
    """The set of a sum of single floats, as those of the arrays of a family are, and a chain of additions."""
    reals = (part.args[0] for part in subterms(member) if part.op is Op.TO_REAL)
    read = dict.fromkeys(x for x in reals if x.sort == y.sort and x.payload in nodes.reads)
    # In the order of their arrays, whatever order a sum of reals has them in.
    xs = sorted(read, key=lambda x: nodes.argument(x))
    if len(xs) < 2 or len({nodes.argument(x) for x in xs}) < len(xs):
        return
    exact = add(*(ite(_finite(x), to_real(x), _real(0)) for x in xs))
    size = add(*(ite(_finite(x), _size(to_real(x)), _real(0)) for x in xs))
    bound = times(times(_real(len(xs) - 1), _real(_roundoff(y))), size)

    def some(condition: Callable[[Term], Term]) -> Term:
        return not_(and_(*(not_(condition(x)) for x in xs)))

    above, below = _infinities(y)
    infinite = (some(lambda x: eq(x, above)), some(lambda x: eq(x, below)))
    undefined = some(lambda x: element(Op.IS_NAN, x))
    overflow = le(_threshold(y), add(size, bound))
    condition = _conforms(y, undefined, infinite, overflow, (bound, exact))
    yield condition, reduce(lambda a, b: element(Op.ADD, a, b), xs)


def _products(found: _Folded, member: Term, a: Term, b: Term, y: Term) -> Iterator[tuple[Term, Term]]:
    yield found.dot(a, b, y)
    # An addend is a float of which the condition says something beside the candidate.
    for part in subterms(member):
        if part.op is Op.IS_NAN and part.args[0] not in (a, b, y):
            yield found.dot_and(a, b, part.args[0], y)


@dataclass(frozen=True, slots=True)
class _Folded:
    """The floats of some loops, in conditions as the texts of the library have them."""

    nodes: Nodes
    loops: tuple[Loop, ...]

    @property
    def count(self) -> int:
        return prod(loop.size for loop in self.loops)

    def sum(self, x: Term, y: Term) -> tuple[Term, Term]:
        """The set that `float_sum` of spec/common/sums.sonnx says, of two floats or more, and the tree of additions."""
        exact, size = self._total(to_real(x), _finite(x)), self._total(_size(to_real(x)), _finite(x))
        # n - 1 additions, each rounded to nearest: (n - 1) * u * the sum of |x| bounds the error of every order, where
        # u is 2 ** -24 for float32 (Jeannerod and Rump 2013, see docs/trust.md).
        bound = times(times(_real(self.count - 1), _real(_roundoff(y))), size)
        # A partial sum may overflow in one order and not in another, as of 3e38, 3e38, -3e38: then anything conforms.
        overflow = le(_threshold(y), add(size, bound))
        return self._chain(x, y, overflow, bound, exact), self._tree(x)

    def mean(self, x: Term, y: Term) -> tuple[Term, Term]:
        """The set that `float_mean` of proofs/dots.sonnx says, of two floats or more by their number."""
        exact, size = self._total(to_real(x), _finite(x)), self._total(_size(to_real(x)), _finite(x))
        d = self.count
        roundings = (d + 3) * _roundoff(y)
        growth = roundings + roundings * roundings
        off = add(
            times(_real(growth), scale(Fraction(1, d), size)),
            _real((d + 1) * (1 + growth) * _least(y) / 2),
        )
        bound = ite(eq(size, _real(0)), _real(0), off)
        above = add(times(_real(1 + growth), size), _real((d + 1) * _least(y)))
        overflow = or_(boolean(roundings > 1), le(_threshold(y), above))
        sort = y.sort
        assert isinstance(sort, FloatSort)
        divisor = literal(floats.round_to_nearest(sort, Fraction(d)), sort)
        value = element(Op.DIVIDE, self._tree(x), divisor)
        return self._chain(x, y, overflow, bound, scale(Fraction(1, d), exact)), value

    def _chain(self, x: Term, y: Term, overflow: Term, bound: Term, exact: Term) -> Term:
        above, below = _infinities(y)
        rising, falling = self._some(eq(x, above)), self._some(eq(x, below))
        return _conforms(y, self._some(element(Op.IS_NAN, x)), (rising, falling), overflow, (bound, exact))

    def dot(self, a: Term, b: Term, y: Term) -> tuple[Term, Term]:
        """The set that `float_dot` of proofs/dots.sonnx says, of two pairs or more."""
        exact, size = self._of_products(a, b)
        bound, overflow = _of_dot(self.count, size, y)
        infinite = (self._some(_infinite(a, b, negative=False)), self._some(_infinite(a, b, negative=True)))
        condition = _conforms(y, self._some(_undefined(a, b)), infinite, overflow, (bound, exact))
        return condition, self._tree(element(Op.MUL, a, b))

    def dot_and(self, a: Term, b: Term, c: Term, y: Term) -> tuple[Term, Term]:
        """The set that `float_dot_and` says, of a pair or more and an addend."""
        exact, size = self._of_products(a, b)
        value = ite(_finite(c), to_real(c), _real(0))
        bound, overflow = _of_dot(self.count + 1, add(size, _size(value)), y)
        above, below = _infinities(y)
        undefined = or_(element(Op.IS_NAN, c), self._some(_undefined(a, b)))
        rising = or_(eq(c, above), self._some(_infinite(a, b, negative=False)))
        falling = or_(eq(c, below), self._some(_infinite(a, b, negative=True)))
        condition = _conforms(y, undefined, (rising, falling), overflow, (bound, add(exact, value)))
        return condition, element(Op.ADD, self._tree(element(Op.MUL, a, b)), c)

    def _of_products(self, a: Term, b: Term) -> tuple[Term, Term]:
        both, product = and_(_finite(a), _finite(b)), times(to_real(a), to_real(b))
        return self._total(product, both), self._total(_size(product), both)

    def _tree(self, x: Term) -> Term:
        return self.nodes.fold(FoldNode(Kind.TREE, x.sort, self.loops, TRUE, x))

    def _some(self, condition: Term) -> Term:
        return not_(self.nodes.fold(FoldNode(Kind.ALL, BOOL, self.loops, TRUE, not_(condition))))

    def _total(self, value: Term, finite: Term) -> Term:
        # Of NaN and infinities there is no real number: they are left out here, and decided on otherwise.
        return self.nodes.fold(FoldNode(Kind.SUM, REAL, self.loops, finite, value))


def _conforms(y: Term, undefined: Term, infinite: tuple[Term, Term], overflow: Term, within: tuple[Term, Term]) -> Term:
    """The condition that y is a result of a chain of rounded operations."""
    (rising, falling), (bound, exact) = infinite, within
    above, below = _infinities(y)
    off = sub(to_real(y), exact)
    near = and_(_finite(y), le(off, bound), le(scale(-1, off), bound))
    decided = ite(rising, eq(y, above), ite(falling, eq(y, below), near))
    return ite(or_(undefined, and_(rising, falling)), element(Op.IS_NAN, y), ite(overflow, TRUE, decided))


def _of_dot(n: int, size: Term, y: Term) -> tuple[Term, Term]:
    """The bound of n rounded products and their sum, and the condition that some order may overflow."""
    u, least = n * _roundoff(y), _least(y)
    off = add(times(_real(u), size), _real((1 + u) * n * least / 2))
    bound = ite(eq(size, _real(0)), _real(0), off)
    return bound, le(_threshold(y), add(add(size, times(_real(u), size)), _real(n * least)))


def _undefined(a: Term, b: Term) -> Term:
    nan = element(Op.IS_NAN, a), element(Op.IS_NAN, b)
    infinite = element(Op.IS_INFINITE, a), element(Op.IS_INFINITE, b)
    zero = element(Op.IS_ZERO, a), element(Op.IS_ZERO, b)
    return or_(*nan, and_(infinite[0], zero[1]), and_(zero[0], infinite[1]))


def _infinite(a: Term, b: Term, *, negative: bool) -> Term:
    some = or_(element(Op.IS_INFINITE, a), element(Op.IS_INFINITE, b))
    same = eq(element(Op.IS_NEGATIVE, a), element(Op.IS_NEGATIVE, b))
    return and_(some, not_(_undefined(a, b)), eq(same, not_(TRUE if negative else FALSE)))


def _finite(x: Term) -> Term:
    return and_(not_(element(Op.IS_NAN, x)), not_(element(Op.IS_INFINITE, x)))


def _size(real: Term) -> Term:
    return ite(lt(real, _real(0)), scale(-1, real), real)


def _real(value: Fraction | int) -> Term:
    return literal(Fraction(value), REAL)


def _infinities(y: Term) -> tuple[Term, Term]:
    sort = _sort(y)
    return literal(floats.infinity(sort), sort), literal(floats.infinity(sort, negative=True), sort)


def _threshold(y: Term) -> Term:
    return _real(floats.overflow_threshold(_sort(y)))


def _roundoff(y: Term) -> Fraction:
    return Fraction(1, 1 << _sort(y).significand)


def _least(y: Term) -> Fraction:
    return floats.to_fraction(_sort(y), 1)


def _sort(y: Term) -> FloatSort:
    assert isinstance(y.sort, FloatSort)
    return y.sort
