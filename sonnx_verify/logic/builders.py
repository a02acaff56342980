"""Connectives, choice, sameness and comparisons, built through total functions that check sorts and simplify. Trusted.

What a function makes is equal to the node of its operator and arguments, whatever these mean: solvers and evaluator
read what was made. tests/logic/test_rewrites.py holds each simplification against that node.

Comparisons of integers have one form for a condition and its negation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cache

from sonnx_verify.logic import operators as ops
from sonnx_verify.logic.nodes import FALSE, TRUE, SortError, Term, boolean, integer, make, need
from sonnx_verify.logic.polynomials import from_linear, linear, sub
from sonnx_verify.logic.sorts import BOOL, ELEMENT, INT, REAL, FloatSort, IntegerSort, Sort


@cache
def not_(a: Term) -> Term:
    """Negation."""
    need(a.sort == BOOL, "not of a term that is no bool")
    if a.op is ops.LITERAL:
        return boolean(not a.payload)
    return a.args[0] if a.op is ops.NOT else make(ops.NOT, (a,), BOOL)


def _junction(op: str, unit: Term, args: Iterable[Term]) -> Term:
    kept: dict[Term, None] = {}
    negated = False
    for arg in args:
        if arg.sort != BOOL:
            raise SortError(f"{op} of a term that is no bool")
        for part in arg.args if arg.op == op else (arg,):
            if part is not unit:
                kept[part] = None
                negated = negated or part.op is ops.NOT
    absorbing = FALSE if unit is TRUE else TRUE
    if absorbing in kept or (negated and any(part.op is ops.NOT and part.args[0] in kept for part in kept)):
        return absorbing
    if not kept:
        return unit
    # The order is kept: a reader of the terms, and the evaluator, meet a guard before what it guards.
    return next(iter(kept)) if len(kept) == 1 else make(op, tuple(kept), BOOL)


@cache
def and_(*args: Term) -> Term:
    """Conjunction, evaluated from the left."""
    return _junction(ops.AND, TRUE, args)


@cache
def or_(*args: Term) -> Term:
    """Disjunction, evaluated from the left."""
    return _junction(ops.OR, FALSE, args)


@cache
def implies(a: Term, b: Term) -> Term:
    """Implication."""
    return or_(not_(a), b)


@cache
def ite(condition: Term, then: Term, otherwise: Term) -> Term:
    """`then` where the condition holds, else `otherwise`."""
    need(condition.sort == BOOL and then.sort == otherwise.sort, "ite of unequal sorts")
    if condition.op is ops.LITERAL:
        return then if condition.payload else otherwise
    if then is otherwise:
        return then
    if then.sort == BOOL:
        return and_(or_(not_(condition), then), or_(condition, otherwise))
    return make(ops.ITE, (condition, then, otherwise), then.sort)


@cache
def eq(a: Term, b: Term) -> Term:
    """Sameness. For floats: one NaN, two zeros."""
    if a.sort != b.sort:
        raise SortError(f"= of {a.sort} and {b.sort}")
    if a is b:
        return TRUE
    if a.sort == BOOL:
        for x, y in ((a, b), (b, a)):
            if x.op is ops.LITERAL:
                return y if x.payload else not_(y)
    if a.op is ops.LITERAL and b.op is ops.LITERAL:
        return FALSE
    if a.sort in (INT, REAL):
        difference = sub(a, b)
        if difference.op is ops.LITERAL:
            return boolean(difference.payload == 0)
    first, second = (a, b) if a.digest <= b.digest else (b, a)
    return make(ops.EQUAL, (first, second), BOOL)


# --------------------------------------------------------------------------------------------------------- comparisons

_COMPARED = (INT, REAL, ELEMENT)


def le(a: Term, b: Term) -> Term:
    """At most. For floats IEEE's (false with NaN, equal zeros); for abstract elements the total order."""
    return compare(ops.AT_MOST, a, b)


def lt(a: Term, b: Term) -> Term:
    """Less than, in the same sense."""
    return compare(ops.LESS, a, b)


@cache
def compare(op: str, a: Term, b: Term) -> Term:
    """`<=` or `<`."""
    known = a.sort in _COMPARED or isinstance(a.sort, IntegerSort | FloatSort)
    if not (a.sort == b.sort and known):
        raise SortError(f"{op} of {a.sort} and {b.sort}")
    if a.sort in (INT, REAL):
        # One comparison, in one form, keeps equal conditions equal: what is added stands right, what is taken left.
        return _at_most(a, b) if op == ops.AT_MOST else not_(_at_most(b, a))
    return make(op, (a, b), BOOL)


def _at_most(a: Term, b: Term) -> Term:
    """Of a comparison of integers and its negation one is written as such and the other as `not`, so that a condition
    and its negation are seen to exclude each other."""
    difference = sub(b, a)
    atoms, constant = linear(difference)
    if not atoms:
        return boolean(constant >= 0)
    if a.sort == INT and atoms[min(atoms, key=lambda t: t.digest)] < 0:
        return not_(_comparison(*linear(sub(integer(-1), difference)), a.sort))
    return _comparison(atoms, constant, a.sort)


def _comparison(atoms: Mapping[Term, int | Fraction], constant: int | Fraction, sort: Sort) -> Term:
    left = {atom: -c for atom, c in atoms.items() if c < 0}
    right = {atom: c for atom, c in atoms.items() if c > 0}
    low = from_linear(left, -constant if constant < 0 else 0, sort)
    high = from_linear(right, constant if constant > 0 else 0, sort)
    return make(ops.AT_MOST, (low, high), BOOL)
