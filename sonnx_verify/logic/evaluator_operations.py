"""The reference evaluator of operators without binders. Their arguments are compiled already. Trusted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from math import floor, prod
from operator import lshift, rshift

from sonnx_verify.logic import enclosed, floats
from sonnx_verify.logic.evaluator_values import Code, Environment, Interpretation, Undefined, Value, coordinate, wrap
from sonnx_verify.logic.functions import RealFunction
from sonnx_verify.logic.nodes import number_of
from sonnx_verify.logic.operators import GROUPS, Group, Op
from sonnx_verify.logic.sorts import FloatSort, IntegerSort, Sort
from sonnx_verify.logic.terms import Symbol, Term, euclid

Parts = Sequence[Code]


def _literal(term: Term, parts: Parts) -> Code:
    value = term.payload
    return lambda env, facts: value


def _variable(term: Term, parts: Parts) -> Code:
    number = number_of(term)
    return lambda env, facts: env[number]


def _apply(term: Term, parts: Parts) -> Code:
    symbol = term.payload
    assert isinstance(symbol, Symbol)
    if not parts:
        return lambda env, facts: facts[symbol]
    if len(parts) == 1:
        first = parts[0]
        return lambda env, facts: facts[symbol](first(env, facts))
    return lambda env, facts: facts[symbol](*[p(env, facts) for p in parts])


def _not(term: Term, parts: Parts) -> Code:
    (a,) = parts
    return lambda env, facts: not a(env, facts)


def _and(term: Term, parts: Parts) -> Code:
    # In `k < count and X[k] > 0` the read is defined only where the guard is true: a part behind a false one is not
    # looked at (twin guards_do_not_guard).
    def run(env: Environment, facts: Interpretation) -> Value:
        for part in parts:  # noqa: SIM110 - a loop is twice as quick here as all() with a generator
            if not part(env, facts):
                return False
        return True

    return run


def _or(term: Term, parts: Parts) -> Code:
    def run(env: Environment, facts: Interpretation) -> Value:
        for part in parts:  # noqa: SIM110 - as above
            if part(env, facts):
                return True
        return False

    return run


def _ite(term: Term, parts: Parts) -> Code:
    condition, then, otherwise = parts

    def run(env: Environment, facts: Interpretation) -> Value:
        if condition(env, facts):
            return then(env, facts)
        return otherwise(env, facts)

    return run


def _equal(term: Term, parts: Parts) -> Code:
    a, b = parts
    return lambda env, facts: a(env, facts) == b(env, facts)


def _plus(term: Term, parts: Parts) -> Code:
    return lambda env, facts: sum(p(env, facts) for p in parts)


def _times(term: Term, parts: Parts) -> Code:
    return lambda env, facts: prod(p(env, facts) for p in parts)


def _divide(term: Term, parts: Parts) -> Code:
    a, b = parts
    which = (Op.DIV, Op.MOD).index(term.op)

    def run(env: Environment, facts: Interpretation) -> Value:
        divisor = b(env, facts)
        if divisor == 0:
            raise Undefined("division by 0")
        # Euclid's remainder is never negative: -7 mod -2 is 1, and not -1 as in Python (twin floor_division).
        return euclid(a(env, facts), divisor)[which]

    return run


def _quotient(term: Term, parts: Parts) -> Code:
    a, b = parts

    def run(env: Environment, facts: Interpretation) -> Value:
        divisor = b(env, facts)
        if divisor == 0:
            raise Undefined("division by 0")
        return a(env, facts) / divisor

    return run


def _real_function(term: Term, parts: Parts) -> Code:
    function = RealFunction(str(term.payload))

    def run(env: Environment, facts: Interpretation) -> Value:
        try:
            return enclosed.apply(function, *[part(env, facts) for part in parts])
        except ValueError as problem:
            raise Undefined(str(problem)) from None

    return run


def _compare(term: Term, parts: Parts) -> Code:
    a, b = parts
    sort = term.args[0].sort
    if isinstance(sort, FloatSort):
        relation = {Op.AT_MOST: floats.less_equal, Op.LESS: floats.less}[term.op]
        return lambda env, facts: relation(sort, a(env, facts), b(env, facts))
    if term.op == Op.AT_MOST:
        return lambda env, facts: a(env, facts) <= b(env, facts)
    return lambda env, facts: a(env, facts) < b(env, facts)


_INTEGER_OPERATIONS: dict[Op, Callable[..., int]] = {
    Op.ADD: lambda a, b: a + b,
    Op.SUB: lambda a, b: a - b,
    Op.MUL: lambda a, b: a * b,
    Op.NEG: lambda a: -a,
}
_FLOAT_OPERATIONS: dict[Op, Callable[..., Value]] = {
    Op.ADD: floats.add,
    Op.SUB: floats.sub,
    Op.MUL: floats.mul,
    Op.NEG: floats.negate,
    Op.DIVIDE: floats.divide,
    Op.SQRT: floats.square_root,
    Op.FMA: floats.fused,
    Op.REMAINDER: floats.remainder,
    Op.FMOD: floats.truncated_remainder,
    Op.ROUND_EVEN: partial(floats.round_to_integral, rounding=floats.Rounding.NEAREST_EVEN),
    Op.ROUND_AWAY: partial(floats.round_to_integral, rounding=floats.Rounding.NEAREST_AWAY),
    Op.ROUND_UP: partial(floats.round_to_integral, rounding=floats.Rounding.UP),
    Op.ROUND_DOWN: partial(floats.round_to_integral, rounding=floats.Rounding.DOWN),
    Op.ROUND_TO_ZERO: partial(floats.round_to_integral, rounding=floats.Rounding.TO_ZERO),
    Op.IEEE_EQUAL: floats.ieee_equal,
    Op.IS_NAN: floats.is_nan,
    Op.IS_INFINITE: floats.is_infinite,
    Op.IS_ZERO: floats.is_zero,
    Op.IS_NEGATIVE: floats.is_negative,
    Op.IS_POSITIVE: floats.is_positive,
}


def _element(term: Term, parts: Parts) -> Code:
    sort: Sort = term.args[0].sort
    if isinstance(sort, FloatSort):
        operation = _FLOAT_OPERATIONS[term.op]
        return lambda env, facts: operation(sort, *[p(env, facts) for p in parts])
    assert isinstance(sort, IntegerSort)
    exact = _INTEGER_OPERATIONS[term.op]
    return lambda env, facts: wrap(sort, exact(*[p(env, facts) for p in parts]))


def _same(term: Term, parts: Parts) -> Code:
    (a,) = parts
    return a


def _to_real(term: Term, parts: Parts) -> Code:
    (a,) = parts
    sort = term.args[0].sort
    if not isinstance(sort, FloatSort):
        return lambda env, facts: Fraction(a(env, facts))

    def run(env: Environment, facts: Interpretation) -> Value:
        bits = a(env, facts)
        if not floats.is_finite(sort, bits):
            raise Undefined("the real number of a value that is not finite")  # To a solver it is any number.
        return floats.to_fraction(sort, bits)

    return run


def _ordinal(term: Term, parts: Parts) -> Code:
    (a,) = parts
    sort = term.args[0].sort
    assert isinstance(sort, FloatSort)

    def run(env: Environment, facts: Interpretation) -> Value:
        bits = a(env, facts)
        if floats.is_nan(sort, bits):
            raise Undefined("the place of NaN among the floats")  # To a solver it is any number.
        return floats.ordinal(sort, bits)

    return run


def _floor(term: Term, parts: Parts) -> Code:
    (a,) = parts
    return lambda env, facts: floor(a(env, facts))


def _wrapped(term: Term, parts: Parts) -> Code:
    (a,) = parts
    sort = term.sort
    assert isinstance(sort, IntegerSort)
    return lambda env, facts: wrap(sort, a(env, facts))


def _rounded(term: Term, parts: Parts) -> Code:
    (a,) = parts
    sort = term.sort
    assert isinstance(sort, FloatSort)
    return lambda env, facts: enclosed.round_to_nearest(sort, a(env, facts))


def _at(term: Term, parts: Parts) -> Code:
    position, axis = parts
    return lambda env, facts: coordinate(position(env, facts), axis(env, facts))


_BITWISE: dict[Op, Callable[..., int]] = {
    Op.BIT_AND: lambda a, b: a & b,
    Op.BIT_OR: lambda a, b: a | b,
    Op.BIT_XOR: lambda a, b: a ^ b,
    Op.BIT_NOT: lambda a: ~a,
}


def _bits(term: Term, parts: Parts) -> Code:
    sort = term.sort
    assert isinstance(sort, IntegerSort)
    operation = _BITWISE[term.op]
    return lambda env, facts: wrap(sort, operation(*[p(env, facts) for p in parts]))


def _shift(term: Term, parts: Parts) -> Code:
    a, b = parts
    sort = term.sort
    assert isinstance(sort, IntegerSort)
    shift = {Op.SHIFT_LEFT: lshift, Op.SHIFT_RIGHT: rshift}[term.op]

    def run(env: Environment, facts: Interpretation) -> Value:
        # SMT-LIB reads the amount as unsigned, and shifts everything out from the width on. Of Python's integers, which
        # have signs all the way up, a shift to the right is then the logical or the arithmetic one as the sort has it.
        places = min(b(env, facts) % (1 << sort.width), sort.width)
        return wrap(sort, shift(a(env, facts), places))

    return run


def _of_bits(term: Term, parts: Parts) -> Code:
    (a,) = parts
    sort = term.sort
    assert isinstance(sort, FloatSort)
    return lambda env, facts: floats.canonical(sort, a(env, facts))


def _converted(term: Term, parts: Parts) -> Code:
    (a,) = parts
    source, sort = term.args[0].sort, term.sort
    assert isinstance(sort, FloatSort)

    def run(env: Environment, facts: Interpretation) -> Value:
        value = a(env, facts)
        if not isinstance(source, FloatSort):
            return floats.round_to_nearest(sort, Fraction(value))
        return floats.convert(source, value, sort)

    return run


OPERATIONS: dict[Op, Callable[[Term, Parts], Code]] = {
    Op.LITERAL: _literal,
    Op.VARIABLE: _variable,
    Op.APPLY: _apply,
    Op.NOT: _not,
    Op.AND: _and,
    Op.OR: _or,
    Op.EQUAL: _equal,
    Op.ITE: _ite,
    Op.PLUS: _plus,
    Op.TIMES: _times,
    Op.DIV: _divide,
    Op.MOD: _divide,
    Op.QUOTIENT: _quotient,
    Op.REAL_FUNCTION: _real_function,
    Op.AT_MOST: _compare,
    Op.LESS: _compare,
    **{name: _element for name in sorted(GROUPS[Group.ELEMENT] | GROUPS[Group.ROUNDED] | GROUPS[Group.FLOAT])},
    Op.TO_INT: _same,
    Op.TO_REAL: _to_real,
    Op.WRAPPED: _wrapped,
    Op.FLOOR: _floor,
    Op.ORDINAL: _ordinal,
    Op.ROUNDED: _rounded,
    Op.AT: _at,
    **{name: _bits for name in _BITWISE},
    Op.SHIFT_LEFT: _shift,
    Op.SHIFT_RIGHT: _shift,
    Op.RESIZED: _wrapped,
    Op.OF_BITS: _of_bits,
    Op.CONVERTED: _converted,
}
