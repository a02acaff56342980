"""Quotients and named functions as constants: what is said of them is true, and it says enough."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import pytest

from sonnx_verify.logic import enclosed
from sonnx_verify.logic.algebraic import Algebra, algebraic
from sonnx_verify.logic.evaluator import evaluate
from sonnx_verify.logic.evaluator_values import Undefined
from sonnx_verify.logic.functions import RealFunction
from sonnx_verify.logic.nodes import SortError, make
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.smtlib import script
from sonnx_verify.logic.sorts import REAL
from sonnx_verify.logic.terms import (
    Symbol,
    Term,
    add,
    apply,
    eq,
    integer,
    le,
    literal,
    lt,
    not_,
    quotient,
    real_function,
    scale,
    times,
)
from sonnx_verify.solving.solvers import Query

X, Y, Z = (Symbol(name, (), REAL) for name in "xyz")
EXPONENTS = [literal(Fraction(text), REAL) for text in (["0", "1", "2", "3", "-1", "-2", "1/2", "-1/2", "1/3", "17"])]
UNSAT = {"z3": "unsat", "cvc5": "unsat"}


def real(value: int | Fraction) -> Term:
    return literal(Fraction(value), REAL)


def test_what_it_says_is_true() -> None:
    """Each fact is true of the quotients and values that the constants stand for; outside a domain of any value."""
    rng = random.Random(1)
    numbers = [Fraction(n, d) for n in range(-4, 5) for d in (1, 2, 9)]
    for _ in range(150):
        algebra = Algebra()
        facts: dict[Symbol, Any] = {s: rng.choice(numbers) for s in (X, Y, Z)}
        arguments = [apply(X), add(apply(Y), real(1)), times(apply(Y), apply(Z)), real(1), real(0)]
        for _ in range(4):
            a, b = rng.choice(arguments), rng.choice(arguments)
            divisor = evaluate(b, facts)
            facts[_symbol(algebra.quotient(a, b))] = evaluate(a, facts) / divisor if divisor else Fraction(11)
            function = rng.choice(list(RealFunction))
            arguments_of = (a, rng.choice((*EXPONENTS, b)))[: function.arity]
            numbers = [evaluate(argument, facts) for argument in arguments_of]
            facts[_symbol(algebra.value(function, *arguments_of))] = _value(function, *numbers)
        for fact in algebra.facts():
            try:
                assert evaluate(fact, facts) is True
            except Undefined:  # exp(1/2) is told from exp(1/2) by no precision.
                continue


def _symbol(term: Term) -> Symbol:
    assert isinstance(term.payload, Symbol)
    return term.payload


def _value(function: RealFunction, *numbers: Fraction) -> Any:
    try:
        return enclosed.apply(function, *numbers)
    except ValueError:
        return Fraction(-13)


x, y = apply(X), apply(Y)
exp_x, exp_y = real_function(RealFunction.EXP, x), real_function(RealFunction.EXP, y)
root = real_function(RealFunction.SQRT, x)


def power(a: Term, b: Term | Fraction | int) -> Term:
    return real_function(RealFunction.POW, a, b if isinstance(b, Term) else real(b))


FALSE_OF_ALL: dict[str, list[Term]] = {
    "a quotient undoes a product": [not_(eq(y, real(0))), not_(eq(times(quotient(x, y), y), x))],
    "quotients of equal numbers": [eq(x, y), lt(real(0), y), not_(eq(quotient(x, y), real(1)))],
    "a root is the one that is not negative": [le(real(0), x), lt(root, real(0))],
    "a root squared": [le(real(0), x), not_(eq(times(root, root), x))],
    "equal arguments": [eq(x, y), not_(eq(exp_x, exp_y))],
    "exp at 0": [eq(x, real(0)), not_(eq(exp_x, real(1)))],
    "log at 1": [eq(x, real(1)), not_(eq(real_function(RealFunction.LOG, x), real(0)))],
    "a power by 0": [eq(y, real(0)), not_(eq(power(x, y), real(1)))],
    "a power by 1": [eq(y, real(1)), not_(eq(power(x, y), x))],
    "a power of 1": [eq(x, real(1)), not_(eq(power(x, y), real(1)))],
    "a square": [not_(eq(power(x, 2), times(x, x)))],
    "an inverse": [lt(x, real(0)), not_(eq(times(power(x, -1), x), real(1)))],
    "a power by 1/2": [le(real(0), x), not_(eq(power(x, Fraction(1, 2)), root))],
    "equal powers": [eq(x, y), not_(eq(power(x, y), power(y, x)))],
    "inside of another": [eq(exp_x, real(1)), not_(eq(real_function(RealFunction.LOG, exp_x), real(0)))],
}
TRUE_OF_SOME: dict[str, list[Term]] = {
    "a divisor may be 0": [eq(y, real(0)), not_(eq(times(quotient(x, y), y), x))],
    "a negative number has no root": [lt(x, real(0)), not_(eq(times(root, root), x))],
    "different arguments": [lt(x, y), eq(exp_x, exp_y)],
    "a power of 0 by -1": [eq(x, real(0)), eq(power(x, -1), real(7))],
    "a negative number by 1/2": [lt(x, real(0)), eq(power(x, Fraction(1, 2)), real(-7))],
    "equal bases alone": [eq(x, real(2)), not_(eq(power(x, y), power(real(2), add(y, real(1)))))],
    "a power may be below 0": [lt(power(x, y), real(0))],
    "two functions": [eq(exp_x, real(5)), not_(eq(real_function(RealFunction.TANH, x), real(5)))],
    "exp is not known to be above 0": [lt(exp_x, real(0))],
}


@pytest.mark.parametrize("which", FALSE_OF_ALL)
def test_it_says_enough(which: str, submit: Callable[[Sequence[Term]], Query]) -> None:
    """Both solvers decide what follows."""
    assert _answers(FALSE_OF_ALL[which], submit) == UNSAT


@pytest.mark.parametrize("which", TRUE_OF_SOME)
def test_it_says_no_more(which: str, submit: Callable[[Sequence[Term]], Query]) -> None:
    """What does not follow without an axiom, or outside a domain, is satisfiable."""
    assert set(_answers(TRUE_OF_SOME[which], submit).values()) == {"sat"}


def _answers(assertions: list[Term], submit: Callable[[Sequence[Term]], Query]) -> dict[str, str]:
    return {name: str(a.status) for name, a in submit(algebraic(assertions)).result().items()}


@pytest.mark.parametrize("function", RealFunction)
def test_what_is_rational_is_computed(function: RealFunction) -> None:
    """A value that is built is that of the evaluator; what is not rational, or has no value, is left as it is."""
    computed = 0
    for number in [Fraction(n, d) for n in range(-5, 10) for d in (1, 4, 9)]:
        arguments = (real(number), real(3 - number))[: function.arity]
        built, node = real_function(function, *arguments), make(Op.REAL_FUNCTION, arguments, REAL, function.value)
        if built is node:
            continue
        computed += 1
        assert evaluate(node, {}) == built.payload
    assert computed


def test_a_function_takes_as_many_reals_as_it_has_arguments() -> None:
    """No more, no fewer, and nothing else."""
    for function, args in ((RealFunction.POW, [x]), (RealFunction.EXP, [x, y]), (RealFunction.POW, [x, integer(1)])):
        with pytest.raises(SortError, match=f"{function} of real"):
            real_function(function, *args)


def test_the_logic_is_the_smallest() -> None:
    """Polynomials of real constants are asked in QF_NRA, with no function left."""
    for assertions in (*FALSE_OF_ALL.values(), *TRUE_OF_SOME.values()):
        text = script(algebraic(assertions))
        assert text.startswith("(set-logic QF_NRA)\n")
        assert "declare-fun real." not in text


def test_other_queries_keep_their_logic() -> None:
    """A quotient that stands as it is, or a function, is asked in ALL."""
    for term in (quotient(x, y), exp_x):
        assert script([le(real(0), scale(2, term))]).startswith("(set-logic ALL)\n")
