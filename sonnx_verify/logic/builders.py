"""Terms without binders, built through total functions that check sorts and simplify.

Integers and reals are kept in linear normal form, comparisons of integers in one form for a condition and its negation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cache

from sonnx_verify.logic.nodes import FALSE, TRUE, Term, boolean, integer, literal, make, need
from sonnx_verify.logic.operators import GROUPS
from sonnx_verify.logic.sorts import BOOL, ELEMENT, INT, REAL, FloatSort, IntegerSort, Sort


@cache
def not_(a: Term) -> Term:
    """Negation."""
    need(a.sort == BOOL, "not of a term that is no bool")
    if a.op == "literal":
        return boolean(not a.payload)
    return a.args[0] if a.op == "not" else make("not", (a,), BOOL)


def _junction(op: str, unit: Term, args: Iterable[Term]) -> Term:
    kept: dict[Term, None] = {}
    for arg in args:
        need(arg.sort == BOOL, f"{op} of a term that is no bool")
        for part in arg.args if arg.op == op else (arg,):
            if part is not unit:
                kept[part] = None
    absorbing = not_(unit)
    if absorbing in kept or any(part.op == "not" and part.args[0] in kept for part in kept):
        return absorbing
    if not kept:
        return unit
    # The order is kept: a reader of the terms, and the evaluator, meet a guard before what it guards.
    return next(iter(kept)) if len(kept) == 1 else make(op, tuple(kept), BOOL)


def and_(*args: Term) -> Term:
    """Conjunction, evaluated from the left."""
    return _junction("and", TRUE, args)


def or_(*args: Term) -> Term:
    """Disjunction, evaluated from the left."""
    return _junction("or", FALSE, args)


def implies(a: Term, b: Term) -> Term:
    """Implication."""
    return or_(not_(a), b)


def ite(condition: Term, then: Term, otherwise: Term) -> Term:
    """`then` where the condition holds, else `otherwise`."""
    need(condition.sort == BOOL and then.sort == otherwise.sort, "ite of unequal sorts")
    if condition.op == "literal":
        return then if condition.payload else otherwise
    if then is otherwise:
        return then
    if then.sort == BOOL:
        return and_(or_(not_(condition), then), or_(condition, otherwise))
    return make("ite", (condition, then, otherwise), then.sort)


@cache
def eq(a: Term, b: Term) -> Term:
    """Sameness. For floats: one NaN, two zeros."""
    need(a.sort == b.sort, f"= of {a.sort} and {b.sort}")
    if a is b:
        return TRUE
    if a.sort == BOOL:
        for x, y in ((a, b), (b, a)):
            if x.op == "literal":
                return y if x.payload else not_(y)
    if a.op == "literal" and b.op == "literal":
        return FALSE
    if a.sort in (INT, REAL):
        difference = sub(a, b)
        if difference.op == "literal":
            return boolean(difference.payload == 0)
    first, second = sorted((a, b), key=lambda t: t.digest)
    return make("=", (first, second), BOOL)


# -------------------------------------------------------------------------------------------- mathematical arithmetic


def linear(term: Term) -> tuple[dict[Term, int | Fraction], int | Fraction]:
    """The coefficients of the term's atoms, and its constant."""
    if term.op == "literal":
        return {}, term.payload  # type: ignore[return-value]  # literals of INT and REAL hold numbers
    if term.op == "+":
        atoms: dict[Term, int | Fraction] = {}
        constant: int | Fraction = 0
        for part in term.args:
            inner, more = linear(part)
            constant += more
            for atom, coefficient in inner.items():
                atoms[atom] = atoms.get(atom, 0) + coefficient
        return atoms, constant
    if term.op == "*" and term.args[0].op == "literal":
        return {term.args[1]: term.args[0].payload}, 0  # type: ignore[dict-item]  # as above
    return {term: 1}, 0


def _from_linear(atoms: Mapping[Term, int | Fraction], constant: int | Fraction, sort: Sort) -> Term:
    def number(value: int | Fraction) -> Term:
        return literal(Fraction(value), REAL) if sort == REAL else integer(int(value))

    if len(atoms) == 1 and not constant:
        ((atom, coefficient),) = atoms.items()
        if coefficient == 1:
            return atom
    parts = []
    for atom in sorted(atoms, key=lambda t: t.digest):
        coefficient = atoms[atom]
        if coefficient:
            parts.append(atom if coefficient == 1 else make("*", (number(coefficient), atom), sort))
    if constant or not parts:
        parts.append(number(constant))
    return parts[0] if len(parts) == 1 else make("+", tuple(parts), sort)


def add(*args: Term) -> Term:
    """The sum of integers, or of reals, in linear normal form."""
    sort = args[0].sort
    need(sort in (INT, REAL) and all(a.sort == sort for a in args), "+ of terms that are no numbers")
    atoms: dict[Term, int | Fraction] = {}
    constant: int | Fraction = 0
    for arg in args:
        inner, more = linear(arg)
        constant += more
        for atom, coefficient in inner.items():
            atoms[atom] = atoms.get(atom, 0) + coefficient
    return _from_linear(atoms, constant, sort)


@cache
def scale(factor: int, a: Term) -> Term:
    """A constant times a number."""
    need(a.sort in (INT, REAL), f"* of {a.sort}")
    atoms, constant = linear(a)
    return _from_linear({atom: factor * c for atom, c in atoms.items()}, factor * constant, a.sort)


@cache
def sub(a: Term, b: Term) -> Term:
    """The difference of two numbers."""
    need(a.sort == b.sort, f"- of {a.sort} and {b.sort}")
    return add(a, scale(-1, b))


def times(a: Term, b: Term) -> Term:
    """The product of two numbers; linear where one of them is a value."""
    need(a.sort == b.sort and a.sort in (INT, REAL), "* of terms that are no numbers")
    for x, y in ((a, b), (b, a)):
        if x.op == "literal":
            atoms, constant = linear(y)
            factor: int | Fraction = x.payload  # type: ignore[assignment]  # a number, by its sort
            return _from_linear({atom: factor * c for atom, c in atoms.items()}, factor * constant, a.sort)
    first, second = sorted((a, b), key=lambda t: t.digest)
    return make("*", (first, second), a.sort)


def div(a: Term, b: Term) -> Term:
    """Euclidean quotient, as SMT-LIB's div. The divisor must not be 0."""
    return divide("div", a, b)


def mod(a: Term, b: Term) -> Term:
    """Euclidean remainder, as SMT-LIB's mod, never negative. The divisor must not be 0."""
    return divide("mod", a, b)


def euclid(a: int, b: int) -> tuple[int, int]:
    """Quotient and non-negative remainder; ZeroDivisionError when `b` is 0."""
    remainder = a % abs(b)
    return (a - remainder) // b, remainder


def divide(op: str, a: Term, b: Term) -> Term:
    """`div` or `mod`."""
    need(a.sort == INT and b.sort == INT, f"{op} of terms that are no integers")
    if a.op == b.op == "literal" and b.payload != 0:
        quotient, remainder = euclid(a.payload, b.payload)  # type: ignore[arg-type]  # integers, by their sort
        return integer(quotient if op == "div" else remainder)
    return make(op, (a, b), INT)


# --------------------------------------------------------------------------------------------------------- comparisons

_COMPARED = (INT, REAL, ELEMENT)


def le(a: Term, b: Term) -> Term:
    """At most. For floats IEEE's (false with NaN, equal zeros); for abstract elements the total order."""
    return compare("<=", a, b)


def lt(a: Term, b: Term) -> Term:
    """Less than, in the same sense."""
    return compare("<", a, b)


@cache
def compare(op: str, a: Term, b: Term) -> Term:
    """`<=` or `<`."""
    known = a.sort in _COMPARED or isinstance(a.sort, IntegerSort | FloatSort)
    need(a.sort == b.sort and known, f"{op} of {a.sort} and {b.sort}")
    if a.sort in (INT, REAL):
        # One comparison, in one form, keeps equal conditions equal: what is added stands right, what is taken left.
        return _at_most(a, b) if op == "<=" else not_(_at_most(b, a))
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
    low = _from_linear(left, -constant if constant < 0 else 0, sort)
    high = _from_linear(right, constant if constant > 0 else 0, sort)
    return make("<=", (low, high), BOOL)


# ------------------------------------------------------------------------------------------------------------- elements


def element(op: str, *args: Term) -> Term:
    """An operation on machine integers or floats: those of the groups `element` and `float`."""
    sort = args[0].sort
    need(all(a.sort == sort for a in args), f"{op} of unequal sorts")
    if op in GROUPS["float"]:
        need(isinstance(sort, FloatSort) and len(args) == (2 if op == "ieee_equal" else 1), f"{op} of {sort}")
        return make(op, args, BOOL)
    need(op in GROUPS["element"] and isinstance(sort, IntegerSort | FloatSort), f"{op} of {sort}")
    need(len(args) == (1 if op == "neg" else 2), f"{op} of {len(args)} terms")
    return make(op, args, sort)
