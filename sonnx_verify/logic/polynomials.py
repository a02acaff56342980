"""Integers and reals in polynomial normal form, so that what is equal as polynomials is one term; their quotients.

Trusted. (a + b) * (a - b) and a * a - b * b are one node: solvers need not find out. Addends and factors are ordered by
digest, which is the same in every process. What is done here are laws of commutative rings, which hold of integers and
of reals; tests/logic/test_normal_forms.py evaluates both sides. Floats have no such laws: they never come here.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from operator import attrgetter

from sonnx_verify.logic import operators as ops
from sonnx_verify.logic.nodes import Term, integer, literal, make, need, remembered
from sonnx_verify.logic.sorts import INT, REAL, Sort

_DIGEST = attrgetter("digest")


@remembered
def linear(term: Term) -> tuple[Mapping[Term, int | Fraction], int | Fraction]:
    """The coefficients of the term's atoms, and its constant."""
    if term.op is ops.LITERAL:
        return {}, _number(term)
    if term.op is ops.PLUS:
        atoms: dict[Term, int | Fraction] = {}
        constant: int | Fraction = 0
        for part in term.args:
            inner, more = linear(part)
            constant += more
            for atom, coefficient in inner.items():
                atoms[atom] = atoms.get(atom, 0) + coefficient
        return atoms, constant
    if term.op is ops.TIMES and term.args[0].op is ops.LITERAL:
        return {term.args[1]: _number(term.args[0])}, 0
    return {term: 1}, 0


def _number(term: Term) -> int | Fraction:
    """The number that a literal of INT or REAL holds."""
    assert isinstance(term.payload, int | Fraction)
    return term.payload


def from_linear(atoms: Mapping[Term, int | Fraction], constant: int | Fraction, sort: Sort) -> Term:
    """The sum of atoms with coefficients and a constant: the inverse of `linear`."""
    if len(atoms) == 1 and not constant:
        ((atom, coefficient),) = atoms.items()
        if coefficient == 1:
            return atom
    parts = []
    # By digest, so that n + k and k + n are one node whichever was made first. An atom with coefficient 0 is gone.
    for atom in sorted(atoms, key=_DIGEST):
        coefficient = atoms[atom]
        if coefficient == 1:
            parts.append(atom)
        elif coefficient:
            parts.append(make(ops.TIMES, (_literal(coefficient, sort), atom), sort))
    if constant or not parts:
        parts.append(_literal(constant, sort))
    if len(parts) == 1:
        return parts[0]
    return make(ops.PLUS, tuple(parts), sort)


def _literal(value: int | Fraction, sort: Sort) -> Term:
    if sort == REAL:
        return literal(Fraction(value), REAL)
    return integer(int(value))


@remembered
def add(*args: Term) -> Term:
    """The sum of integers, or of reals, in linear normal form."""
    sort = args[0].sort
    need(sort in (INT, REAL) and all(a.sort == sort for a in args), "+ of terms that are not numbers")
    atoms: dict[Term, int | Fraction] = {}
    constant: int | Fraction = 0
    for arg in args:
        inner, more = linear(arg)
        constant += more
        for atom, coefficient in inner.items():
            atoms[atom] = atoms.get(atom, 0) + coefficient
    return from_linear(atoms, constant, sort)


@remembered
def scale(factor: int | Fraction, a: Term) -> Term:
    """A constant times a number."""
    need(a.sort in (INT, REAL), f"* of {a.sort}")
    atoms, constant = linear(a)
    return from_linear({atom: factor * c for atom, c in atoms.items()}, factor * constant, a.sort)


@remembered
def sub(a: Term, b: Term) -> Term:
    """The difference of two numbers."""
    return add(a, scale(-1, b))


def times(*args: Term) -> Term:
    """The product of numbers, multiplied out."""
    first, *others = args
    need(first.sort in (INT, REAL) and all(b.sort == first.sort for b in others), "* of terms that are not numbers")
    made = first
    for other in others:
        made = _product(made, other)
    return made


@remembered
def _product(a: Term, b: Term) -> Term:
    ours, theirs = _polynomial(a), _polynomial(b)
    if too_many(ours, theirs):
        # As factors of one monomial they are still a product; only that two such products are equal may not be seen.
        ours, theirs = {(a,): 1}, {(b,): 1}
    return _from_polynomial(multiplied(ours, theirs), a.sort)


_MANY = 64
"""Two sums whose product would have more addends than this are left as factors."""

Monomial = tuple[Term, ...]
Polynomial = dict[Monomial, int | Fraction]


def too_many(a: Polynomial, b: Polynomial) -> bool:
    """Return whether two sums are left as factors of a product. A sum of one addend is always multiplied out, so that
    a number never equals a factor of a monomial: it would be a second form of a coefficient."""
    return min(len(a), len(b)) > 1 and len(a) * len(b) > _MANY


def _polynomial(term: Term) -> Polynomial:
    """The coefficients of the monomials, each the product of its factors; of the constant under ()."""
    atoms, constant = linear(term)
    made: Polynomial = {}
    for atom, coefficient in atoms.items():
        # An atom of a linear form that is a product has no number in it: `linear` took that as the coefficient.
        monomial: Monomial = (atom,)
        if atom.op is ops.TIMES:
            monomial = atom.args
        made[monomial] = coefficient
    if constant or not made:
        made[()] = constant
    return made


def multiplied(a: Polynomial, b: Polynomial) -> Polynomial:
    """The product, with its like monomials added up."""
    made: Polynomial = {}
    for ours, n in a.items():
        for theirs, m in b.items():
            monomial = tuple(sorted((*ours, *theirs), key=_DIGEST))
            made[monomial] = made.get(monomial, 0) + n * m
    return made


def _from_polynomial(polynomial: Polynomial, sort: Sort) -> Term:
    atoms: dict[Term, int | Fraction] = {}
    constant: int | Fraction = 0
    for monomial, coefficient in polynomial.items():
        match monomial:
            case ():
                constant = coefficient
            case (atom,):
                atoms[atom] = coefficient
            case _:
                atoms[make(ops.TIMES, monomial, sort)] = coefficient
    return from_linear(atoms, constant, sort)


def quotient(a: Term, b: Term) -> Term:
    """The quotient of two reals. The divisor must not be 0."""
    need(a.sort == REAL and b.sort == REAL, "/ of terms that are not reals")
    # By 0 it stays, as an integer quotient does: that there is none, is a side condition of whoever divides.
    if b.op is ops.LITERAL and b.payload != 0:
        assert isinstance(b.payload, Fraction)
        return scale(1 / b.payload, a)
    return make(ops.QUOTIENT, (a, b), REAL)


def div(a: Term, b: Term) -> Term:
    """Euclidean quotient, as SMT-LIB's div. The divisor must not be 0."""
    return divide(ops.DIV, a, b)


def mod(a: Term, b: Term) -> Term:
    """Euclidean remainder, as SMT-LIB's mod, never negative. The divisor must not be 0."""
    return divide(ops.MOD, a, b)


def euclid(a: int, b: int) -> tuple[int, int]:
    """Quotient and non-negative remainder; ZeroDivisionError when `b` is 0."""
    # The remainder is the one in 0 .. |b| - 1, as SMT-LIB has it: -7 div 2 = -4, -7 div -2 = 4, both with remainder 1.
    # Python's divmod(-7, -2) has remainder -1 (twin floor_division).
    remainder = a % abs(b)
    return (a - remainder) // b, remainder


def divide(op: str, a: Term, b: Term) -> Term:
    """`div` or `mod`."""
    need(a.sort == INT and b.sort == INT, f"{op} of terms that are not integers")
    # A division by 0 stays: that there is none, is a side condition of whoever divides. To a solver it is any number.
    if a.op is b.op is ops.LITERAL and b.payload != 0:
        assert isinstance(a.payload, int)
        assert isinstance(b.payload, int)
        quotient, remainder = euclid(a.payload, b.payload)
        if op == ops.DIV:
            return integer(quotient)
        return integer(remainder)
    return make(op, (a, b), INT)
