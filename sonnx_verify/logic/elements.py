"""Operations on machine integers and floats, and their conversions to and from integers and reals.

Trusted. Machine integers are kept in polynomial normal form too, modulo 2 to their width: of int8, 100 * x + 28 * x is
-128 * x (twin integers_saturate). Floats are left as they are: their addition is not associative (twin
floats_are_a_ring).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import reduce

from sonnx_verify.logic import floats
from sonnx_verify.logic import operators as ops
from sonnx_verify.logic.functions import RealFunction, in_domain, rational_value
from sonnx_verify.logic.nodes import SortError, Term, integer, literal, make, remembered
from sonnx_verify.logic.operators import GROUPS, Group, Op
from sonnx_verify.logic.polynomials import Monomial, Polynomial, multiplied, too_many
from sonnx_verify.logic.sorts import BOOL, INT, REAL, FloatSort, IntegerSort, MinifloatSort, Sort

_ROUNDINGS = (Op.ROUND_EVEN, Op.ROUND_AWAY, Op.ROUND_UP, Op.ROUND_DOWN, Op.ROUND_TO_ZERO)
ARITY: Mapping[str, int] = {
    **dict.fromkeys((Op.ADD, Op.SUB, Op.MUL, Op.DIVIDE, Op.REMAINDER, Op.FMOD, Op.IEEE_EQUAL), 2),
    **dict.fromkeys((Op.NEG, Op.SQRT, *_ROUNDINGS, *(GROUPS[Group.FLOAT] - {Op.IEEE_EQUAL})), 1),
    Op.FMA: 3,
}
"""The number of arguments of each operation on elements."""


def element(op: str, *args: Term) -> Term:
    """An operation on machine integers or floats, of the groups `element`, `rounded` (floats alone) and `float`."""
    sort = args[0].sort
    if any(a.sort != sort for a in args):
        raise SortError(f"{op} of unequal sorts")
    if len(args) != ARITY.get(op):
        raise SortError(f"{op} of {len(args)} terms")
    if isinstance(sort, MinifloatSort) and op not in GROUPS[Group.FLOAT] | {Op.NEG}:
        raise SortError(f"{op} of {sort}, which has no arithmetic")
    if op in GROUPS[Group.FLOAT] and isinstance(sort, FloatSort):
        return make(op, args, BOOL)
    if op in GROUPS[Group.ROUNDED] and isinstance(sort, FloatSort):
        return make(op, args, sort)
    if op not in GROUPS[Group.ELEMENT] or not isinstance(sort, IntegerSort | FloatSort):
        raise SortError(f"{op} of {sort}")
    # Of machine integers (x + y) + z and x + (y + z) are one term. Of floats they are two: (1 + 2^60) - 2^60 is 0, and
    # 1 + (2^60 - 2^60) is 1. A law of machine integers that is used for floats proves what is false (twin
    # floats_are_a_ring).
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
    if op == ops.ADD:
        return _from_machine(_total(parts), sort)
    # What remains is `-x`, and `x - y`, which is `x + (-y)`.
    parts[-1] = _negative(parts[-1])
    return _from_machine(_total(parts), sort)


@remembered
def _machine_polynomial(term: Term) -> Polynomial:
    """The coefficients of the monomials, as `_polynomial` has them, read from the form that `_from_machine` gives.

    Coefficients are reduced there alone: in between they are plain integers, equal modulo 2 to the width.
    """
    match term.op:
        case ops.LITERAL:
            assert isinstance(term.payload, int)
            return {(): term.payload}
        case ops.ADD:
            # A sum is nested to the left, as deep as it has addends: that is no reason to recurse.
            addends = []
            while term.op is ops.ADD:
                term, last = term.args
                addends.append(last)
            return _total([_machine_polynomial(addend) for addend in (*addends, term)])
        case ops.NEG:
            return _negative(_machine_polynomial(term.args[0]))
        case ops.MUL:
            first, second = (_machine_polynomial(a) for a in term.args)
            if too_many(first, second):
                return {(term,): 1}  # It was too large to be multiplied out, and stays a factor.
            return multiplied(first, second)
        case _:
            return {(term,): 1}


def _total(parts: Iterable[Polynomial]) -> Polynomial:
    made: Polynomial = {}
    for part in parts:
        for monomial, coefficient in part.items():
            made[monomial] = made.get(monomial, 0) + coefficient
    return made


def _negative(part: Polynomial) -> Polynomial:
    return {monomial: -coefficient for monomial, coefficient in part.items()}


def _modulo(value: int, sort: IntegerSort) -> int:
    """The value of a sort that is equal to an integer modulo 2 to the width: of int8, 128 is -128."""
    return (value - sort.lowest) % (1 << sort.width) + sort.lowest


def _from_machine(polynomial: Polynomial, sort: IntegerSort) -> Term:
    """The sum of a polynomial, in the one form that stands for all that are equal to it modulo 2 to the width."""
    parts = []
    for monomial in sorted(polynomial, key=lambda m: [t.digest for t in m]):
        # Reduction is what the sort means: of int8, 100 * x + 28 * x is 128 * x, which is -128 * x. With the greatest
        # in place of what is beyond it would be 127 * x (twin integers_saturate).
        coefficient = _modulo(int(polynomial[monomial]), sort)
        if coefficient:
            parts.append(_addend(coefficient, monomial, sort))
    if not parts:
        return literal(0, sort)
    return reduce(lambda a, b: make(ops.ADD, (a, b), sort), parts)


def _addend(coefficient: int, monomial: Monomial, sort: IntegerSort) -> Term:
    """A coefficient times the factors of a monomial."""
    if not monomial:
        return literal(coefficient, sort)
    product = reduce(lambda a, b: make(ops.MUL, (a, b), sort), monomial)
    if coefficient == 1:
        return product
    # The coefficient of -x is -1, or 255 of an unsigned byte: modulo 2 to the width that is the same.
    if (coefficient + 1) % (1 << sort.width) == 0:
        return make(ops.NEG, (product,), sort)
    return make(ops.MUL, (literal(coefficient, sort), product), sort)


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
    if a.op is ops.LITERAL:
        assert isinstance(a.payload, int)
        return literal(_modulo(a.payload, sort), sort)
    # There and back nothing is lost. The other way round something may be: to_int(wrapped(200)) of int8 is -56.
    if a.op is ops.TO_INT and a.args[0].sort == sort:
        return a.args[0]
    return make(ops.WRAPPED, (a,), sort)


def to_real(a: Term) -> Term:
    """An integer as a real, or the exact value of a float, which must be finite."""
    if not (a.sort == INT or isinstance(a.sort, FloatSort)):
        raise SortError(f"to_real of {a.sort}")
    # A float literal may be NaN or infinite, and has no real then. It is left to the evaluator, which says so.
    if a.op is ops.LITERAL and a.sort == INT:
        assert isinstance(a.payload, int)
        return literal(Fraction(a.payload), REAL)
    return make(ops.TO_REAL, (a,), REAL)


def ordinal(a: Term) -> Term:
    """The number of floats from zero to a float, which must not be NaN; both zeros have 0."""
    if not isinstance(a.sort, FloatSort) or isinstance(a.sort, MinifloatSort):
        raise SortError(f"ordinal of {a.sort}")
    if a.op is ops.LITERAL:
        assert isinstance(a.payload, int)
        if not floats.is_nan(a.sort, a.payload):
            return integer(floats.ordinal(a.sort, a.payload))
    return make(ops.ORDINAL, (a,), INT)


def floor(a: Term) -> Term:
    """The greatest integer that is not above a real."""
    if a.sort != REAL:
        raise SortError(f"floor of {a.sort}")
    if a.op is ops.LITERAL:
        assert isinstance(a.payload, Fraction)
        return integer(math.floor(a.payload))
    # Of a float `to_real` is seldom an integer: only an integer is its own floor.
    if a.op is ops.TO_REAL and a.args[0].sort == INT:
        return a.args[0]
    return make(ops.FLOOR, (a,), INT)


def real_function(function: RealFunction, *args: Term) -> Term:
    """A named function of reals, which have to be in its domain."""
    if len(args) != function.arity or any(a.sort != REAL for a in args):
        raise SortError(f"{function} of {', '.join(str(a.sort) for a in args)}")
    # Outside the domain it stays, as a division by 0 does: that there is none, is a side condition of whoever asks.
    numbers = [a.payload for a in args if isinstance(a.payload, Fraction)]
    if len(numbers) == len(args) and in_domain(function, *numbers):
        value = rational_value(function, *numbers)
        if value is not None:
            return literal(value, REAL)
    return make(ops.REAL_FUNCTION, args, REAL, function.value)


def rounded(a: Term, sort: Sort) -> Term:
    """The float nearest to a real, ties to even; infinity where IEEE 754 has it."""
    if not (a.sort == REAL and isinstance(sort, FloatSort)):
        raise SortError(f"rounded of {a.sort} to {sort}")
    if a.op is ops.LITERAL:
        assert isinstance(a.payload, Fraction)
        return literal(floats.round_to_nearest(sort, a.payload), sort)
    return make(ops.ROUNDED, (a,), sort)
