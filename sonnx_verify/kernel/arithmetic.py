"""Forms of arithmetic: on integers and reals, which are unbounded and exact, and on elements, which wrap or are rounded
as their type says. Trusted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from sonnx_verify.kernel.conversions import of_number
from sonnx_verify.kernel.core import Family, Kernel
from sonnx_verify.kernel.notes import Why
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.sorts import BOOL, ELEMENT, INT, REAL, STRING, FloatSort
from sonnx_verify.logic.terms import (
    ONE,
    ZERO,
    Term,
    add,
    div,
    eq,
    integer,
    literal,
    mod,
    not_,
    quotient,
    scale,
    sub,
    times,
)
from sonnx_verify.results.kinds import Kind

_UNBOUNDED: Mapping[Op, Callable[[Term, Term], Term]] = {Op.ADD: add, Op.SUB: sub, Op.MUL: times}


def whole_number(number: int) -> Term:
    """`42`."""
    return integer(number)


def real_number(number: Fraction) -> Term:
    """`0.5`: the real number that is written, not a float near to it."""
    return literal(number, REAL)


def text(said: str) -> Term:
    """`"linear"`."""
    return literal(said, STRING)


def truth(*, said: bool) -> Term:
    """`true`, `false`."""
    return literal(said, BOOL)


def arithmetic(k: Kernel, op: Op, a: Term, b: Term) -> Term:
    """`a + b`, `a - b`, `a * b` of two numbers or elements of one sort. Of elements the result is that of their type:
    it wraps, or is rounded once. Twin of the logic: floats_are_a_ring."""
    assert a.sort == b.sort
    if a.sort in (INT, REAL):
        return _UNBOUNDED[op](a, b)
    return k.operation(op, a, b)


def negative(k: Kernel, value: Term) -> Term:
    """`-a`."""
    if value.sort in (INT, REAL):
        return scale(-1, value)
    # Of a float not 0 - x: that of 0 is 0, and -0 is another float.
    return k.operation(Op.NEG, value)


def divided(k: Kernel, a: Term, b: Term, why: Why) -> Term:
    """`a / b` of reals, which asks that b is not 0, or of floats: of these a division by a zero has a value in IEEE
    754."""
    if isinstance(a.sort, FloatSort) or k.abstract_family(a.sort) == Family.FLOAT:
        return k.operation(Op.DIVIDE, a, b)
    assert a.sort == REAL or k.abstract_family(a.sort) == Family.REAL
    # SMT-LIB gives division by 0 some value: a proof that used it would speak about nothing.
    zero = of_number(k, literal(Fraction(0), REAL), b.sort)
    k.require(Kind.IN_BOUNDS, not_(eq(b, zero)), why)
    if a.sort == REAL:
        return quotient(a, b)
    return k.free_operation(Op.QUOTIENT, ELEMENT, a, b)


def euclidean_quotient(k: Kernel, a: Term, b: Term, why: Why) -> Term:
    """`div(a, b)` of integers: that of SMT-LIB, whose remainder is never negative; asks that b is not 0. Twin:
    floor_division."""
    _not_zero(k, b, why)
    return div(a, b)


def remainder(k: Kernel, a: Term, b: Term, why: Why) -> Term:
    """`mod(a, b)` of integers, never negative: mod(-7, 2) = 1, and so is mod(-7, -2); asks that b is not 0."""
    _not_zero(k, b, why)
    return mod(a, b)


def _not_zero(k: Kernel, b: Term, why: Why) -> None:
    # SMT-LIB's division by 0 has some value: whatever is proved with it would be about nothing.
    k.require(Kind.IN_BOUNDS, not_(eq(b, ZERO)), why)


def number_of_integers(low: Term, high: Term) -> Term:
    """The number of integers from low to high, if low is at most high + 1: 3 of `X[1 .. 3]`. That it is not negative is
    a hypothesis of the family, or asked of the list."""
    return add(sub(high, low), ONE)
