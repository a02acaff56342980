"""Operations on machine integers and floats, and their conversions to and from integers and reals.

Trusted. Machine integers are kept in polynomial normal form too, modulo 2 to their width: of int8, 100 * x + 28 * x is
-128 * x (twin integers_saturate). Floats are left as they are: their addition is not associative (twin
floats_are_a_ring).
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache

from sonnx_verify.logic import floats
from sonnx_verify.logic import operators as ops
from sonnx_verify.logic.nodes import SortError, Term, integer, literal, make
from sonnx_verify.logic.operators import GROUPS, Group
from sonnx_verify.logic.polynomials import Polynomial, multiplied, too_many
from sonnx_verify.logic.sorts import BOOL, INT, REAL, FloatSort, IntegerSort, Sort


def element(op: str, *args: Term) -> Term:
    """An operation on machine integers or floats: those of the groups `element` and `float`."""
    sort = args[0].sort
    if any(a.sort != sort for a in args):
        raise SortError(f"{op} of unequal sorts")
    if op in GROUPS[Group.FLOAT]:
        if not (isinstance(sort, FloatSort) and len(args) == (2 if op == ops.IEEE_EQUAL else 1)):
            raise SortError(f"{op} of {sort}")
        return make(op, args, BOOL)
    if op not in GROUPS[Group.ELEMENT] or not isinstance(sort, IntegerSort | FloatSort):
        raise SortError(f"{op} of {sort}")
    if len(args) != (1 if op == ops.NEG else 2):
        raise SortError(f"{op} of {len(args)} terms")
    if isinstance(sort, IntegerSort):
        return _ring(op, args, sort)
    return make(op, args, sort)


def _ring(op: str, args: tuple[Term, ...], sort: IntegerSort) -> Term:
    """Machine integers are a commutative ring: sums of products, with coefficients modulo 2 to the width."""
    parts = [_machine_polynomial(a) for a in args]
    if op == ops.MUL:
        if too_many(*parts):
            first, second = sorted(args, key=lambda t: t.digest)
            return make(ops.MUL, (first, second), sort)
        return _from_machine(multiplied(*parts), sort)
    made = dict(parts[0]) if op != ops.NEG else {}
    for monomial, coefficient in parts[-1].items() if op != ops.ADD else ():
        made[monomial] = made.get(monomial, 0) - coefficient
    for monomial, coefficient in parts[-1].items() if op == ops.ADD else ():
        made[monomial] = made.get(monomial, 0) + coefficient
    return _from_machine(made, sort)


@cache
def _machine_polynomial(term: Term) -> Polynomial:
    """As `_polynomial`, of the form that `_from_machine` gives."""
    match term.op:
        case ops.LITERAL:
            assert isinstance(term.payload, int)
            return {(): term.payload}
        case ops.ADD:
            # A sum is nested to the left, as deep as it has addends: that is no reason to recurse.
            made: Polynomial = {}
            while term.op is ops.ADD:
                term, last = term.args
                _accumulate(made, last)
            _accumulate(made, term)
            return made
        case ops.NEG:
            return {m: -c for m, c in _machine_polynomial(term.args[0]).items()}
        case ops.MUL:
            first, second = (_machine_polynomial(a) for a in term.args)
            # What was too large to be multiplied out stays a factor.
            return {(term,): 1} if too_many(first, second) else multiplied(first, second)
        case _:
            return {(term,): 1}


def _accumulate(made: Polynomial, term: Term) -> None:
    for monomial, coefficient in _machine_polynomial(term).items():
        made[monomial] = made.get(monomial, 0) + coefficient


def _modulo(value: int, sort: IntegerSort) -> int:
    """The value of a sort that is equal to an integer modulo 2 to the width."""
    return (value - sort.lowest) % (1 << sort.width) + sort.lowest


def _from_machine(polynomial: Polynomial, sort: IntegerSort) -> Term:
    made: Term | None = None
    for monomial in sorted(polynomial, key=lambda m: [t.digest for t in m]):
        coefficient = _modulo(int(polynomial[monomial]), sort)
        if not coefficient:
            continue
        part: Term | None = None
        for factor in monomial:
            part = factor if part is None else make(ops.MUL, (part, factor), sort)
        if part is None:
            part = literal(coefficient, sort)
        elif (coefficient + 1) % (1 << sort.width) == 0:
            part = make(ops.NEG, (part,), sort)
        elif coefficient != 1:
            part = make(ops.MUL, (literal(coefficient, sort), part), sort)
        made = part if made is None else make(ops.ADD, (made, part), sort)
    return literal(0, sort) if made is None else made


# --------------------------------------------------------------------------------------------------------- conversions


def to_int(a: Term) -> Term:
    """The integer that a machine integer stands for."""
    if not isinstance(a.sort, IntegerSort):
        raise SortError(f"to_int of {a.sort}")
    if a.op is ops.LITERAL:
        assert isinstance(a.payload, int)
        return integer(a.payload)
    return make(ops.TO_INT, (a,), INT)


def wrapped(a: Term, sort: Sort) -> Term:
    """The machine integer that is equal to an integer modulo 2 to the width."""
    if not (a.sort == INT and isinstance(sort, IntegerSort)):
        raise SortError(f"wrapped of {a.sort} to {sort}")
    assert isinstance(sort, IntegerSort)
    if a.op is ops.LITERAL:
        assert isinstance(a.payload, int)
        return literal(_modulo(a.payload, sort), sort)
    if a.op is ops.TO_INT and a.args[0].sort == sort:
        return a.args[0]
    return make(ops.WRAPPED, (a,), sort)


def to_real(a: Term) -> Term:
    """An integer as a real, or the exact value of a float, which must be finite."""
    if not (a.sort == INT or isinstance(a.sort, FloatSort)):
        raise SortError(f"to_real of {a.sort}")
    if a.op is ops.LITERAL and a.sort == INT:
        assert isinstance(a.payload, int)
        return literal(Fraction(a.payload), REAL)
    return make(ops.TO_REAL, (a,), REAL)


def floor(a: Term) -> Term:
    """The greatest integer that is not above a real."""
    if a.sort != REAL:
        raise SortError(f"floor of {a.sort}")
    if a.op is ops.LITERAL:
        assert isinstance(a.payload, Fraction)
        return integer(math.floor(a.payload))
    return a.args[0] if a.op is ops.TO_REAL and a.args[0].sort == INT else make(ops.FLOOR, (a,), INT)


def rounded(a: Term, sort: Sort) -> Term:
    """The float nearest to a real, ties to even; infinity where IEEE 754 has it."""
    if not (a.sort == REAL and isinstance(sort, FloatSort)):
        raise SortError(f"rounded of {a.sort} to {sort}")
    if a.op is ops.LITERAL and isinstance(sort, FloatSort):
        assert isinstance(a.payload, Fraction)
        return literal(floats.round_to_nearest(sort, a.payload), sort)
    return make(ops.ROUNDED, (a,), sort)
