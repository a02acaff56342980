"""Connectives, choice, sameness and comparisons, built through total functions that check sorts and simplify. Trusted.

What a function makes is equal to the node of its operator and arguments, whatever these mean: solvers and evaluator
read what was made. tests/logic/test_rewrites.py holds each simplification against that node.

Comparisons of integers have one form for a condition and its negation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import chain
from operator import attrgetter

from sonnx_verify.logic import operators as ops
from sonnx_verify.logic.nodes import FALSE, TRUE, SortError, Term, boolean, integer, make, need, remembered
from sonnx_verify.logic.polynomials import from_linear, linear, sub
from sonnx_verify.logic.sorts import BOOL, ELEMENT, INT, REAL, FloatSort, IntegerSort, Sort

_DIGEST = attrgetter("digest")
"""The order of arguments where the order means nothing: the same in every process."""


@remembered
def not_(a: Term) -> Term:
    """Negation."""
    need(a.sort == BOOL, "not of a term that is not a bool")
    if a.op is ops.LITERAL:
        return boolean(not a.payload)
    if a.op is ops.NOT:
        return a.args[0]
    return make(ops.NOT, (a,), BOOL)


def _junction(op: str, unit: Term, absorbing: Term, args: Iterable[Term]) -> Term:
    """The conjunction, whose unit is TRUE, or the disjunction, whose unit is FALSE. Both are associative and
    idempotent: a part of a part is a part, and a second occurrence says nothing."""
    kept: dict[Term, None] = {}
    negations: list[Term] = []
    for arg in args:
        if arg.sort != BOOL:
            raise SortError(f"{op} of a term that is not a bool")
        for part in arg.args if arg.op == op else (arg,):
            if part is unit:
                continue
            kept[part] = None
            if part.op is ops.NOT:
                negations.append(part)
    # P and not P is false, P or not P is true, and so with more parts.
    if absorbing in kept or any(negation.args[0] in kept for negation in negations):
        return absorbing
    if not kept:
        return unit
    if len(kept) == 1:
        return next(iter(kept))
    # The order is kept: a reader of the terms, and the evaluator, meet a guard before what it guards.
    return make(op, tuple(kept), BOOL)


@remembered
def and_(*args: Term) -> Term:
    """Conjunction, evaluated from the left."""
    return _junction(ops.AND, TRUE, FALSE, args)


@remembered
def or_(*args: Term) -> Term:
    """Disjunction, evaluated from the left."""
    return _junction(ops.OR, FALSE, TRUE, args)


def conjuncts(term: Term) -> tuple[Term, ...]:
    """The parts of a conjunction, or of a denied disjunction; the term itself where it is neither."""
    parts: tuple[Term, ...] = ()
    if term.op is ops.AND:
        parts = term.args
    elif term.op is ops.NOT and term.args[0].op is ops.OR:
        parts = tuple(not_(part) for part in term.args[0].args)
    if not parts:
        return (term,)
    return tuple(chain.from_iterable(conjuncts(part) for part in parts))


@remembered
def implies(a: Term, b: Term) -> Term:
    """Implication."""
    return or_(not_(a), b)


@remembered
def ite(condition: Term, then: Term, otherwise: Term) -> Term:
    """`then` where the condition holds, else `otherwise`."""
    need(condition.sort == BOOL and then.sort == otherwise.sort, "ite of unequal sorts")
    if condition is TRUE or then is otherwise:
        return then
    if condition is FALSE:
        return otherwise
    if then.sort == BOOL:
        # No solver needs a choice between truth values, and the named-witness rule sees the polarity of the two: in
        # (not C or A) and (C or B) a quantifier in A is only positive.
        return and_(or_(not_(condition), then), or_(condition, otherwise))
    return make(ops.ITE, (condition, then, otherwise), then.sort)


@remembered
def eq(a: Term, b: Term) -> Term:
    """Sameness. For floats: one NaN, two zeros."""
    if a.sort != b.sort:
        raise SortError(f"= of {a.sort} and {b.sort}")
    if a is b:
        return TRUE
    # Two literals that are not one node are two values: each value has one literal, and a NaN one pattern.
    if a.op is b.op is ops.LITERAL:
        return FALSE
    if a.sort == BOOL:
        for known, other in ((a, b), (b, a)):
            if known is TRUE:
                return other
            if known is FALSE:
                return not_(other)
    if a.sort in (INT, REAL):
        # n + 1 = n + 2 is false, (n + 1) * n = n * n + n is true: both sides are in normal form.
        difference = sub(a, b)
        if difference.op is ops.LITERAL:
            return boolean(difference.payload == 0)
    first, second = sorted((a, b), key=_DIGEST)
    return make(ops.EQUAL, (first, second), BOOL)


# --------------------------------------------------------------------------------------------------------- comparisons

_COMPARED = (INT, REAL, ELEMENT)


def le(a: Term, b: Term) -> Term:
    """At most. For floats IEEE's (false with NaN, equal zeros); for abstract elements the total order."""
    return compare(ops.AT_MOST, a, b)


def lt(a: Term, b: Term) -> Term:
    """Less than, in the same sense."""
    return compare(ops.LESS, a, b)


@remembered
def compare(op: str, a: Term, b: Term) -> Term:
    """`<=` or `<`."""
    known = a.sort in _COMPARED or isinstance(a.sort, IntegerSort | FloatSort)
    if not (a.sort == b.sort and known):
        raise SortError(f"{op} of {a.sort} and {b.sort}")
    if a.sort not in (INT, REAL):
        # Of a NaN neither a < b nor b <= a is true, so a comparison of floats is not the negation of another.
        return make(op, (a, b), BOOL)
    # One comparison, in one form, keeps equal conditions equal: what is added stands right, what is taken left.
    if op == ops.AT_MOST:
        return _at_most(a, b)
    return not_(_at_most(b, a))


def _at_most(a: Term, b: Term) -> Term:
    """A canonical comparison: of a comparison of integers and its negation one is written as such, the other as `not`,
    so that a condition and its negation are seen to exclude each other."""
    difference = sub(b, a)
    atoms, constant = linear(difference)
    if not atoms:
        return boolean(constant >= 0)
    # Of integers 0 <= d is not (0 <= -1 - d): of the two the one is made whose first atom has a positive coefficient.
    # k <= n and n + 1 <= k become P and not P. Of reals there are numbers between -1 and 0.
    if a.sort == INT and atoms[min(atoms, key=_DIGEST)] < 0:
        return not_(_comparison(*linear(sub(integer(-1), difference)), a.sort))
    return _comparison(atoms, constant, a.sort)


def _comparison(atoms: Mapping[Term, int | Fraction], constant: int | Fraction, sort: Sort) -> Term:
    """The comparison that 0 is at most a sum, with every addend on the side where its coefficient is positive: 0 <= 2 *
    n - k - 1 is k + 1 <= 2 * n."""
    left = {atom: -c for atom, c in atoms.items() if c < 0}
    right = {atom: c for atom, c in atoms.items() if c > 0}
    low = from_linear(left, max(-constant, 0), sort)
    high = from_linear(right, max(constant, 0), sort)
    return make(ops.AT_MOST, (low, high), BOOL)
