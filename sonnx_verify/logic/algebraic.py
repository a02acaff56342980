"""Quotients of reals, and values of named functions, as constants.

Solvers decide polynomials over the reals, and lose themselves where a function is applied beside them. Here each
quotient and each value of a function is a constant, with what defines it: q * b = a, r * r = a; of all other functions
only that equal arguments have equal values. More is known of these by axioms alone, which a proof names.

Trusted: for each model of the assertions there has to be one of what is made here. It is the same one, with the value
of the quotient, or of the function, as that of the constant.
"""

from __future__ import annotations

from collections.abc import Sequence
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
"""Where functions have values that are rational: exp(0) = 1, log(1) = 0."""


def _known(function: RealFunction, point: Fraction) -> Fraction | None:
    if not in_domain(function, point):
        return None
    return rational_value(function, point)


class Algebra:
    """Makes the constants, each once, and collects what is known of them."""

    def __init__(self) -> None:
        self.quotients: dict[tuple[Term, Term], Term] = {}
        self.values: dict[tuple[RealFunction, Term], Term] = {}
        self._facts: dict[Term, None] = {}

    def quotient(self, a: Term, b: Term) -> Term:
        """The real q with q * b = a; of a divisor 0 it is some real."""
        if (a, b) not in self.quotients:
            # Names have a space, as no name of a text has.
            made = self.quotients[a, b] = apply(Symbol(f"quotient {len(self.quotients)}", (), REAL))
            self._tell(or_(eq(b, _ZERO), eq(times(made, b), a)))
        return self.quotients[a, b]

    def value(self, function: RealFunction, a: Term) -> Term:
        """The value of a function; outside its domain it is some real, the same of equal arguments."""
        if (function, a) not in self.values:
            made = apply(Symbol(f"{function} {len(self.values)}", (), REAL))
            for (other, b), value in self.values.items():
                if other is function:
                    self._tell(implies(eq(a, b), eq(made, value)))
            if function is RealFunction.SQRT:
                self._tell(implies(le(_ZERO, a), and_(le(_ZERO, made), eq(times(made, made), a))))
            for point in _POINTS:
                known = _known(function, point)
                if known is not None:
                    self._tell(implies(eq(a, literal(point, REAL)), eq(made, literal(known, REAL))))
            self.values[function, a] = made
        return self.values[function, a]

    def facts(self) -> list[Term]:
        """What is known of the constants."""
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
