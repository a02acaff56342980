"""Forms of the functions of reals and of floats. Trusted."""

from __future__ import annotations

from fractions import Fraction

from sonnx_verify.kernel.conversions import of_number, to_real_number
from sonnx_verify.kernel.core import Kernel
from sonnx_verify.kernel.notes import Why
from sonnx_verify.logic.functions import RealFunction
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.sorts import BOOL, ELEMENT, INT, REAL, Sort
from sonnx_verify.logic.terms import (
    TRUE,
    Role,
    Symbol,
    Term,
    and_,
    apply,
    eq,
    floor,
    literal,
    or_,
    real_function,
    to_real,
)
from sonnx_verify.results.kinds import Kind


def of_reals(k: Kernel, function: RealFunction, args: list[Term], why: Why, of_exponent: Why) -> Term:
    """`sqrt(x)` and the like of reals, or of elements that stand for them, of one sort; asks that the arguments are in
    the domain of the function. `of_exponent` says why the exponent of a power is finite."""
    # Outside its domain a function has some value to a solver: what is proved with it would be about nothing.
    k.require(Kind.IN_BOUNDS, _domain(k, function, args, of_exponent), why)
    if args[0].sort == ELEMENT:
        return k.free_operation(function, ELEMENT, *args)
    return real_function(function, *args)


def _domain(k: Kernel, function: RealFunction, args: list[Term], of_exponent: Why) -> Term:
    """The condition that a function has a value."""
    zero = of_number(k, literal(Fraction(0), REAL), args[0].sort)
    match function:
        case RealFunction.SQRT:
            return k.operation(Op.AT_MOST, zero, args[0])
        case RealFunction.LOG:
            return k.operation(Op.LESS, zero, args[0])
        case RealFunction.POW:
            base, exponent = args
            return _has_power(k, base, exponent, zero, of_exponent)
        case _:
            return TRUE


def _has_power(k: Kernel, base: Term, exponent: Term, zero: Term, of_exponent: Why) -> Term:
    """The condition that a real has a power: it is above 0, or 0 with an exponent that is not negative, or negative
    with one that is whole."""
    exact = to_real_number(k, exponent, of_exponent)
    assert exact is not None
    whole = eq(exact, to_real(floor(exact)))
    not_negative = k.operation(Op.AT_MOST, zero, exponent)
    # In this form it is true at once of an exponent such as 2.
    return or_(
        k.operation(Op.LESS, zero, base),
        and_(eq(base, zero), not_negative),
        and_(whole, or_(not_negative, k.operation(Op.LESS, base, zero))),
    )


def of_elements(k: Kernel, op: Op, args: list[Term]) -> Term:
    """A function of floats, such as `is_nan(x)` or `fma(x, y, z)`, which has a value of all of them."""
    return k.operation(op, *args)


def undefined(name: str, args: list[Term], *, gives_condition: bool) -> Term:
    """A function that a draft leaves undefined: a free symbol, so that what is shown holds whatever it is."""
    result: Sort = BOOL if gives_condition else INT
    return apply(Symbol(f"undefined..{name}", tuple(t.sort for t in args), result, Role.UNDEFINED), *args)
