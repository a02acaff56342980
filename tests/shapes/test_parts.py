"""The parts of the shape engine by themselves: bounds hold, what is built again means the same, sympy agrees."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import pytest
import sympy

from sonnx_verify.api.shapes import sure
from sonnx_verify.arrays.partial.folding import Comparisons, chosen, quotient
from sonnx_verify.arrays.partial.intervals import holds, interval
from sonnx_verify.arrays.shapes.dims import Atom, atom, meant
from sonnx_verify.arrays.shapes.printing import condition_text, expression, size_text
from sonnx_verify.logic.builders import eq, ite, le
from sonnx_verify.logic.evaluator import evaluate
from sonnx_verify.logic.evaluator_values import Undefined
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.polynomials import div, mod
from sonnx_verify.logic.sorts import INT
from sonnx_verify.logic.terms import Role, Symbol, Term, add, and_, integer, not_, or_, scale, sub, times
from sonnx_verify.solving.solvers import Solvers

N, M = (Symbol(f"size {name}", (), INT, Role.SIZE) for name in "NM")
BOUNDS = {"size N": (0, None), "size M": (0, 4)}
VALUES = [{N: n, M: m} for n, m in product(range(5), repeat=2)]


class Twice:
    """Random terms, each built plainly and by the engine."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.compared = Comparisons(BOUNDS)

    def number(self, depth: int) -> tuple[Term, Term]:
        kind = self.random.choice("sslcpmiiq" if depth else "ssl")
        if kind == "s":
            symbol = self.random.choice((N, M))()
            return symbol, symbol
        if kind == "l":
            made = integer(self.random.randint(-2, 4))
            return made, made
        (a, b), (c, d) = self.number(depth - 1), self.number(depth - 1)
        if kind == "c":
            factor = self.random.choice((-1, 2, 3))
            return scale(factor, a), scale(factor, b)
        if kind == "p":
            return add(a, c), add(b, d)
        if kind == "m":
            return times(a, c), times(b, d)
        if kind == "q":
            op = self.random.choice((Op.DIV, Op.MOD))
            # What divides evenly is common enough to be met.
            a, b = (times(a, c), times(b, d)) if self.random.random() < 0.5 else (a, b)
            return (div if op is Op.DIV else mod)(a, c), quotient(op, b, d, {})
        p, q = self.condition(depth - 1)
        return ite(p, a, c), chosen(q, b, d)

    def condition(self, depth: int) -> tuple[Term, Term]:
        kind = self.random.choice("=<&|!?" if depth else "=<")
        if kind in "=<":
            (a, b), (c, d) = self.number(max(depth - 1, 0)), self.number(max(depth - 1, 0))
            if kind == "=":
                return eq(a, c), self.compared(Op.EQUAL, b, d)
            return le(a, c), self.compared(Op.AT_MOST, b, d)
        (p, q), (r, s) = self.condition(depth - 1), self.condition(depth - 1)
        if kind == "!":
            return not_(p), not_(q)
        if kind == "?":
            t, u = self.condition(depth - 1)
            return ite(t, p, r), chosen(u, q, s)
        return (and_(p, r), and_(q, s)) if kind == "&" else (or_(p, r), or_(q, s))


def met(term: Term, facts: dict[Any, int]) -> Any:
    """The value, or None where there is none."""
    try:
        return evaluate(term, dict(facts))
    except Undefined:
        return None


@pytest.mark.parametrize("seed", range(4))
def test_what_is_built_again_means_the_same(seed: int) -> None:
    """Where the plain term has a value; and the bounds hold."""
    twice, shorter = Twice(seed), 0
    for _ in range(400):
        for plain, again in (twice.number(3), twice.condition(3)):
            shorter += again.weight < plain.weight
            for facts in VALUES:
                value = met(plain, facts)
                assert value is None or met(again, facts) == value, (plain, again, facts)
                if again.sort == INT and value is not None:
                    low, high = interval(again, BOUNDS)
                    assert low is None or low <= value, (again, facts)
                    assert high is None or value <= high, (again, facts)
                elif value is not None:
                    assert holds(again, BOUNDS) in (None, value), (again, facts)
    assert shorter > 50


def shown(seed: int) -> Iterator[Term]:
    """Sizes as they are shown."""
    numbers = random.Random(seed)

    def made(depth: int) -> Term:
        atoms = (Atom.BC, Atom.GREATER, Atom.LESSER)
        kind = numbers.choice(["n", "m", "l", *(["add", "sub", "times", "div", *atoms] if depth else [])])
        if kind in "nml":
            return {"n": N(), "m": M(), "l": integer(numbers.randint(0, 3))}[kind]
        a, b = made(depth - 1), made(depth - 1)
        built: dict[str, Callable[[Term, Term], Term]] = {"add": add, "sub": sub, "times": times}
        if kind in built:
            return built[kind](a, b)
        return div(a, integer(2)) if kind == "div" else atom(Atom(kind), a, b)

    for _ in range(200):
        yield made(3)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    Atom.BC: lambda *sizes: next((s for s in sizes if s != 1), sympy.Integer(1)),
    Atom.GREATER: max,
    Atom.LESSER: min,
    "div": lambda a, b: a // b,
}


@pytest.mark.parametrize("seed", range(2))
def test_sympy_agrees_on_sizes(seed: int) -> None:
    """What sympy prints has the value of the size, at all small numbers."""
    symbols = {name: sympy.Symbol(name, integer=True, nonnegative=True) for name in "NM"}
    for size in shown(seed):
        made = expression(size)
        assert sympy.expand(made - sympy.sympify(size_text(size), locals=_locals(symbols))) == 0
        for facts in VALUES:
            (exact,) = meant(size)
            numbers = {symbols["N"]: facts[N], symbols["M"]: facts[M]}
            assert number(made.subs(numbers)) == evaluate(exact, dict(facts)), (size, facts)


def number(expr: Any) -> Any:
    """The value of an expression without symbols."""
    parts = [number(a) for a in expr.args]
    return FUNCTIONS[expr.func.__name__](*parts) if expr.is_Function else expr.func(*parts) if parts else expr


def _locals(symbols: dict[str, Any]) -> dict[str, Any]:
    return symbols | {name: sympy.Function(name, integer=True) for name in FUNCTIONS}


def test_atoms() -> None:
    """Equal parts are one, atoms of one kind are one atom, and a choice between two may be either."""
    n, m = N(), M()

    assert atom(Atom.BC, n, n) is n
    assert atom(Atom.BC, n, atom(Atom.BC, m, n)) is atom(Atom.BC, n, m)
    assert meant(add(atom(Atom.EITHER, integer(1), n), m)) == [add(integer(1), m), add(n, m)]
    assert size_text(atom(Atom.EITHER, integer(1), n)) == "1 or N"
    assert size_text(add(atom(Atom.EITHER, integer(1), n), m)) == "(1 or N) + M"


def test_conditions_as_text() -> None:
    """Numbers stand right, symbols in the order in which they were given."""
    n, m = N(), M()
    order = ["size N", "size M"]

    assert condition_text(or_(eq(m, n), eq(integer(1), n)), order) == "N = M or N = 1"
    assert condition_text(not_(or_(eq(m, n), eq(integer(1), n))), order) == "N != M and N != 1"
    assert condition_text(and_(le(integer(2), m), or_(eq(n, m), le(n, m))), order) == "(N = M or N <= M) and M >= 2"
    assert condition_text(eq(add(n, integer(3)), integer(1)), order) == "N = -2"
    assert condition_text(not_(le(integer(2), m)), order) == "M < 2"


@pytest.mark.parametrize(("names", "confirmed"), [(("z3", "cvc5"), True), (("z3",), False)])
def test_one_solver_confirms_nothing(names: tuple[str, ...], confirmed: bool) -> None:
    """What is contradictory is so for certain where two solvers say it."""
    size = N()
    with Solvers(names) as solvers:
        assert sure(solvers)([le(size, integer(0)), le(integer(1), size)]) is confirmed
