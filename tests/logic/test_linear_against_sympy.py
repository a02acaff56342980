"""The linear normal form of integer terms, held against sympy."""

from __future__ import annotations

import random

import sympy

from sonnx_verify.logic.sorts import INT
from sonnx_verify.logic.terms import Symbol, Term, add, eq, integer, le, linear, scale, sub, times

NAMES = "abc"


def random_pair(chance: random.Random, depth: int) -> tuple[Term, sympy.Expr]:
    """A term and the sympy expression that is built the same way."""
    if depth == 0:
        if chance.random() < 0.3:
            value = chance.randint(-3, 3)
            return integer(value), sympy.Integer(value)
        name = chance.choice(NAMES)
        return Symbol(name, (), INT)(), sympy.Symbol(name, integer=True)
    one, two = (random_pair(chance, depth - 1) for _ in range(2))
    match chance.randint(0, 3):
        case 0:
            return add(one[0], two[0]), one[1] + two[1]
        case 1:
            return sub(one[0], two[0]), one[1] - two[1]
        case 2:
            factor = chance.randint(-3, 3)
            return scale(factor, one[0]), factor * one[1]
        case _:
            factor = chance.randint(-2, 2)
            return times(integer(factor), one[0]), factor * one[1]


def test_linear_forms_are_those_of_sympy() -> None:
    """The coefficients and the constant of a linear term are sympy's, and equal terms are one object."""
    chance = random.Random(7)
    for _ in range(400):
        term, expression = random_pair(chance, 4)
        atoms, constant = linear(term)
        polynomial = sympy.Poly(sympy.expand(expression), *sympy.symbols("a b c", integer=True))

        for n, name in enumerate(NAMES):
            powers = [0, 0, 0]
            powers[n] = 1
            assert atoms.get(Symbol(name, (), INT)(), 0) == polynomial.coeff_monomial(tuple(powers))
        assert constant == polynomial.coeff_monomial((0, 0, 0))


def test_comparisons_are_decided_where_sympy_decides_them() -> None:
    """Equations and inequalities between terms whose difference is a number are true or false, as sympy says."""
    chance = random.Random(8)
    for _ in range(400):
        term, expression = random_pair(chance, 3)
        shift = chance.randint(-2, 2)
        other = add(term, integer(shift))

        assert eq(term, other).payload is (shift == 0)
        assert le(term, other).payload is bool(sympy.expand(expression + shift - expression) >= 0)
