"""Terms without binders, built through total functions that check sorts and simplify.

Integers, reals and machine integers are kept in polynomial normal form, the last modulo 2 to their width; comparisons
of integers in one form for a condition and its negation.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cache
from operator import attrgetter

from sonnx_verify.logic import floats
from sonnx_verify.logic.nodes import FALSE, TRUE, SortError, Term, boolean, integer, literal, make, need
from sonnx_verify.logic.operators import GROUPS
from sonnx_verify.logic.sorts import BOOL, ELEMENT, INT, REAL, FloatSort, IntegerSort, Sort

_DIGEST = attrgetter("digest")


@cache
def not_(a: Term) -> Term:
    """Negation."""
    need(a.sort == BOOL, "not of a term that is no bool")
    if a.op == "literal":
        return boolean(not a.payload)
    return a.args[0] if a.op == "not" else make("not", (a,), BOOL)


def _junction(op: str, unit: Term, args: Iterable[Term]) -> Term:
    kept: dict[Term, None] = {}
    negated = False
    for arg in args:
        if arg.sort != BOOL:
            raise SortError(f"{op} of a term that is no bool")
        for part in arg.args if arg.op == op else (arg,):
            if part is not unit:
                kept[part] = None
                negated = negated or part.op == "not"
    absorbing = FALSE if unit is TRUE else TRUE
    if absorbing in kept or (negated and any(part.op == "not" and part.args[0] in kept for part in kept)):
        return absorbing
    if not kept:
        return unit
    # The order is kept: a reader of the terms, and the evaluator, meet a guard before what it guards.
    return next(iter(kept)) if len(kept) == 1 else make(op, tuple(kept), BOOL)


@cache
def and_(*args: Term) -> Term:
    """Conjunction, evaluated from the left."""
    return _junction("and", TRUE, args)


@cache
def or_(*args: Term) -> Term:
    """Disjunction, evaluated from the left."""
    return _junction("or", FALSE, args)


@cache
def implies(a: Term, b: Term) -> Term:
    """Implication."""
    return or_(not_(a), b)


@cache
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
    if a.sort != b.sort:
        raise SortError(f"= of {a.sort} and {b.sort}")
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
    first, second = (a, b) if a.digest <= b.digest else (b, a)
    return make("=", (first, second), BOOL)


# -------------------------------------------------------------------------------------------- mathematical arithmetic


@cache
def linear(term: Term) -> tuple[Mapping[Term, int | Fraction], int | Fraction]:
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
    if len(atoms) == 1 and not constant:
        ((atom, coefficient),) = atoms.items()
        if coefficient == 1:
            return atom
    parts = []
    for atom in sorted(atoms, key=_DIGEST) if len(atoms) > 1 else atoms:
        coefficient = atoms[atom]
        if coefficient:
            parts.append(atom if coefficient == 1 else make("*", (_number(coefficient, sort), atom), sort))
    if constant or not parts:
        parts.append(_number(constant, sort))
    return parts[0] if len(parts) == 1 else make("+", tuple(parts), sort)


def _number(value: int | Fraction, sort: Sort) -> Term:
    return literal(Fraction(value), REAL) if sort is REAL else integer(int(value))


@cache
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
    if a.sort not in (INT, REAL):
        raise SortError(f"* of {a.sort}")
    atoms, constant = linear(a)
    return _from_linear({atom: factor * c for atom, c in atoms.items()}, factor * constant, a.sort)


@cache
def sub(a: Term, b: Term) -> Term:
    """The difference of two numbers."""
    if a.sort != b.sort:
        raise SortError(f"- of {a.sort} and {b.sort}")
    return add(a, scale(-1, b))


def times(*args: Term) -> Term:
    """The product of numbers, multiplied out."""
    first, *others = args
    need(first.sort in (INT, REAL) and all(b.sort == first.sort for b in others), "* of terms that are no numbers")
    made = first
    for other in others:
        made = _product(made, other)
    return made


@cache
def _product(a: Term, b: Term) -> Term:
    ours, theirs = _polynomial(a), _polynomial(b)
    if _too_many(ours, theirs):
        ours, theirs = {(a,): 1}, {(b,): 1}
    return _from_polynomial(multiplied(ours, theirs), a.sort)


_MANY = 64
"""Two sums whose product would have more addends than this are left as factors."""

Monomial = tuple[Term, ...]
Polynomial = dict[Monomial, int | Fraction]


def _too_many(a: Polynomial, b: Polynomial) -> bool:
    """What has one addend is always multiplied out: a number is never a factor of a monomial."""
    return min(len(a), len(b)) > 1 and len(a) * len(b) > _MANY


def _polynomial(term: Term) -> Polynomial:
    """The coefficients of the monomials, each the product of its factors; of the constant under ()."""
    atoms, constant = linear(term)
    made: Polynomial = {}
    for atom, coefficient in atoms.items():
        made[atom.args if atom.op == "*" else (atom,)] = coefficient
    if constant or not made:
        made[()] = constant
    return made


def multiplied(a: Polynomial, b: Polynomial) -> Polynomial:
    """The product, with its like monomials added up."""
    made: Polynomial = {}
    for ours, n in a.items():
        for theirs, m in b.items():
            monomial = tuple(sorted((*ours, *theirs), key=lambda t: t.digest))
            made[monomial] = made.get(monomial, 0) + n * m
    return made


def _from_polynomial(polynomial: Polynomial, sort: Sort) -> Term:
    atoms: dict[Term, int | Fraction] = {}
    constant: int | Fraction = 0
    for monomial, coefficient in polynomial.items():
        if monomial:
            atoms[monomial[0] if len(monomial) == 1 else make("*", monomial, sort)] = coefficient
        else:
            constant = coefficient
    return _from_linear(atoms, constant, sort)


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
    if not (a.sort == INT and b.sort == INT):
        raise SortError(f"{op} of terms that are no integers")
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
    if not (a.sort == b.sort and known):
        raise SortError(f"{op} of {a.sort} and {b.sort}")
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
    if a.sort == INT and atoms[min(atoms, key=_DIGEST)] < 0:
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
    if any(a.sort != sort for a in args):
        raise SortError(f"{op} of unequal sorts")
    if op in GROUPS["float"]:
        if not (isinstance(sort, FloatSort) and len(args) == (2 if op == "ieee_equal" else 1)):
            raise SortError(f"{op} of {sort}")
        return make(op, args, BOOL)
    if op not in GROUPS["element"] or not isinstance(sort, IntegerSort | FloatSort):
        raise SortError(f"{op} of {sort}")
    if len(args) != (1 if op == "neg" else 2):
        raise SortError(f"{op} of {len(args)} terms")
    if isinstance(sort, IntegerSort):
        return _ring(op, args, sort)
    return make(op, args, sort)


def _ring(op: str, args: tuple[Term, ...], sort: IntegerSort) -> Term:
    """Machine integers are a commutative ring: sums of products, with coefficients modulo 2 to the width."""
    parts = [_machine_polynomial(a) for a in args]
    if op == "mul":
        if _too_many(*parts):
            first, second = sorted(args, key=lambda t: t.digest)
            return make("mul", (first, second), sort)
        return _from_machine(multiplied(*parts), sort)
    made = dict(parts[0]) if op != "neg" else {}
    for monomial, coefficient in parts[-1].items() if op != "add" else ():
        made[monomial] = made.get(monomial, 0) - coefficient
    for monomial, coefficient in parts[-1].items() if op == "add" else ():
        made[monomial] = made.get(monomial, 0) + coefficient
    return _from_machine(made, sort)


@cache
def _machine_polynomial(term: Term) -> Polynomial:
    """As `_polynomial`, of the form that `_from_machine` gives."""
    match term.op:
        case "literal":
            assert isinstance(term.payload, int)
            return {(): term.payload}
        case "add":
            # A sum is nested to the left, as deep as it has addends: that is no reason to recurse.
            made: Polynomial = {}
            while term.op == "add":
                term, last = term.args
                _accumulate(made, last)
            _accumulate(made, term)
            return made
        case "neg":
            return {m: -c for m, c in _machine_polynomial(term.args[0]).items()}
        case "mul":
            first, second = (_machine_polynomial(a) for a in term.args)
            # What was too large to be multiplied out stays a factor.
            return {(term,): 1} if _too_many(first, second) else multiplied(first, second)
        case _:
            return {(term,): 1}


def _accumulate(made: Polynomial, term: Term) -> None:
    for monomial, coefficient in _machine_polynomial(term).items():
        made[monomial] = made.get(monomial, 0) + coefficient


def _from_machine(polynomial: Polynomial, sort: IntegerSort) -> Term:
    made: Term | None = None
    for monomial in sorted(polynomial, key=lambda m: [t.digest for t in m]):
        coefficient = (int(polynomial[monomial]) - sort.lowest) % (1 << sort.width) + sort.lowest
        if not coefficient:
            continue
        part: Term | None = None
        for factor in monomial:
            part = factor if part is None else make("mul", (part, factor), sort)
        if part is None:
            part = literal(coefficient, sort)
        elif (coefficient + 1) % (1 << sort.width) == 0:
            part = make("neg", (part,), sort)
        elif coefficient != 1:
            part = make("mul", (literal(coefficient, sort), part), sort)
        made = part if made is None else make("add", (made, part), sort)
    return literal(0, sort) if made is None else made


# --------------------------------------------------------------------------------------------------------- conversions


def to_int(a: Term) -> Term:
    """The integer that a machine integer stands for."""
    if not isinstance(a.sort, IntegerSort):
        raise SortError(f"to_int of {a.sort}")
    if a.op == "literal":
        assert isinstance(a.payload, int)
        return integer(a.payload)
    return make("to_int", (a,), INT)


def wrapped(a: Term, sort: Sort) -> Term:
    """The machine integer that is equal to an integer modulo 2 to the width."""
    if not (a.sort == INT and isinstance(sort, IntegerSort)):
        raise SortError(f"wrapped of {a.sort} to {sort}")
    assert isinstance(sort, IntegerSort)
    if a.op == "literal":
        assert isinstance(a.payload, int)
        return literal((a.payload - sort.lowest) % (1 << sort.width) + sort.lowest, sort)
    if a.op == "to_int" and a.args[0].sort == sort:
        return a.args[0]
    return make("wrapped", (a,), sort)


def to_real(a: Term) -> Term:
    """An integer as a real, or the exact value of a float, which must be finite."""
    if not (a.sort == INT or isinstance(a.sort, FloatSort)):
        raise SortError(f"to_real of {a.sort}")
    if a.op == "literal" and a.sort == INT:
        assert isinstance(a.payload, int)
        return literal(Fraction(a.payload), REAL)
    return make("to_real", (a,), REAL)


def floor(a: Term) -> Term:
    """The greatest integer that is not above a real."""
    if a.sort != REAL:
        raise SortError(f"floor of {a.sort}")
    if a.op == "literal":
        assert isinstance(a.payload, Fraction)
        return integer(math.floor(a.payload))
    return a.args[0] if a.op == "to_real" and a.args[0].sort == INT else make("floor", (a,), INT)


def rounded(a: Term, sort: Sort) -> Term:
    """The float nearest to a real, ties to even; infinity where IEEE 754 has it."""
    if not (a.sort == REAL and isinstance(sort, FloatSort)):
        raise SortError(f"rounded of {a.sort} to {sort}")
    if a.op == "literal" and isinstance(sort, FloatSort):
        assert isinstance(a.payload, Fraction)
        return literal(floats.round_to_nearest(sort, a.payload), sort)
    return make("rounded", (a,), sort)
