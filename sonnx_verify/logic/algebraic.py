"""Quotients of reals, and values of named functions, as constants.

Solvers decide polynomials over the reals, and lose themselves where a function is applied beside them. Here each
quotient and each value of a function is a constant, with what defines it: q * b = a, r * r = a; of all other functions
only that equal arguments have equal values. More is known of these by axioms alone, which a proof names.

Trusted: for each model of the assertions there has to be one of what is made here. It is the same one, with the value
of the quotient, or of the function, as that of the constant.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from sonnx_verify.logic import operators as ops
from sonnx_verify.logic.binders import rebuild
from sonnx_verify.logic.builders import and_, eq, implies, le, or_
from sonnx_verify.logic.functions import RealFunction, in_domain, rational_value
from sonnx_verify.logic.nodes import TRUE, Symbol, Term, apply, literal, subterms
from sonnx_verify.logic.polynomials import times
from sonnx_verify.logic.sorts import REAL

_ZERO = literal(Fraction(0), REAL)
_ALGEBRAIC = (ops.QUOTIENT, ops.REAL_FUNCTION)


_POINTS = (Fraction(0), Fraction(1))
"""The rational values of functions: exp(0) = 1, log(1) = 0."""
_FACTORS = 16
"""The greatest exponent whose powers are said to be products. Evaluation multiplies more of them (enclosed.FACTORS): to
solvers a polynomial of a high degree is no help."""


def _known(function: RealFunction, point: Fraction) -> Fraction | None:
    if not in_domain(function, point):
        return None
    return rational_value(function, point)


def _of_power(base: Term, exponent: Term, made: Term) -> Iterator[Term]:
    """Facts about a power, by its exponent: 0 and 1, one that is written out as a whole number, and 1/2."""
    one = literal(Fraction(1), REAL)
    yield implies(eq(base, one), eq(made, one))
    yield implies(eq(exponent, _ZERO), eq(made, one))
    yield implies(eq(exponent, one), eq(made, base))
    if not isinstance(exponent.payload, Fraction):
        return
    number = exponent.payload
    if number == Fraction(1, 2):
        yield implies(le(_ZERO, base), and_(le(_ZERO, made), eq(times(made, made), base)))
    if number.denominator == 1 and abs(number) <= _FACTORS:
        product = one
        for _ in range(abs(number.numerator)):
            product = times(product, base)
        if number >= 0:
            yield eq(made, product)
        else:
            # A power of 0 with a negative exponent is outside the domain, where it is some real.
            yield or_(eq(base, _ZERO), eq(times(made, product), one))


class Algebra:
    """Makes the constants, each once, and collects what is known of them."""

    def __init__(self) -> None:
        self.quotients: dict[tuple[Term, Term], Term] = {}
        self.values: dict[tuple[RealFunction, *tuple[Term, ...]], Term] = {}
        self._facts: dict[Term, None] = {}

    def quotient(self, a: Term, b: Term) -> Term:
        """The real q with q * b = a; of a divisor 0 it is some real."""
        if (a, b) not in self.quotients:
            # Names have a space, as no name of a text has.
            made = self.quotients[a, b] = apply(Symbol(f"quotient {len(self.quotients)}", (), REAL))
            self._tell(or_(eq(b, _ZERO), eq(times(made, b), a)))
        return self.quotients[a, b]

    def value(self, function: RealFunction, *args: Term) -> Term:
        """The value of a function; outside its domain it is some real, the same of equal arguments."""
        if (function, *args) not in self.values:
            made = apply(Symbol(f"{function} {len(self.values)}", (), REAL))
            for (other, *others), value in self.values.items():
                if other is function:
                    same = and_(*(eq(a, b) for a, b in zip(args, others, strict=True)))
                    self._tell(implies(same, eq(made, value)))
            if function is RealFunction.POW:
                base, exponent = args
                for fact in _of_power(base, exponent, made):
                    self._tell(fact)
            else:
                (a,) = args
                self._of_one(function, a, made)
            self.values[(function, *args)] = made
        return self.values[(function, *args)]

    def _of_one(self, function: RealFunction, a: Term, made: Term) -> None:
        """Assert what defines the value of a function of one number."""
        if function is RealFunction.SQRT:
            self._tell(implies(le(_ZERO, a), and_(le(_ZERO, made), eq(times(made, made), a))))
        for point in _POINTS:
            known = _known(function, point)
            if known is not None:
                self._tell(implies(eq(a, literal(point, REAL)), eq(made, literal(known, REAL))))

    def facts(self) -> list[Term]:
        """The facts about the constants."""
        return list(self._facts)

    def _tell(self, fact: Term) -> None:
        if fact is not TRUE:
            self._facts[fact] = None


def algebraic(assertions: Sequence[Term]) -> list[Term]:
    """The assertions without quotients of reals and named functions, and what is known of the constants in their
    place."""
    if not any(node.op in _ALGEBRAIC for node in subterms(*assertions)):
        return list(assertions)
    algebra = Algebra()
    made: dict[Term, Term] = {}
    for node in subterms(*assertions):
        args = tuple(made[arg] for arg in node.args)
        if node.op is ops.QUOTIENT:
            made[node] = algebra.quotient(*args)
        elif node.op is ops.REAL_FUNCTION:
            made[node] = algebra.value(function_of(node), *args)
        elif args == node.args:
            made[node] = node
        else:
            made[node] = rebuild(node, args)
    return [*(made[assertion] for assertion in assertions), *algebra.facts()]


def function_of(term: Term) -> RealFunction:
    """The function that is applied."""
    return RealFunction(str(term.payload))
