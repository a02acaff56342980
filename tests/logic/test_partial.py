"""Partial evaluation: what a term is where some of it is known has its value, wherever the term has one."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from types import ModuleType
from typing import Any

import pytest

from sonnx_verify.arrays.partial.intervals import interval
from sonnx_verify.arrays.partial.walk import Environment, Open, PartialEvaluator
from sonnx_verify.logic.evaluator import evaluate, without_memory
from sonnx_verify.logic.evaluator_values import Undefined
from sonnx_verify.logic.operators import OPERATORS, Op
from sonnx_verify.logic.sorts import BOOL, INT, REAL, Sort
from sonnx_verify.logic.terms import Role, Symbol, Term, integer, is_literal, literal, subterms

VALUES = range(-1, 3)
"""Those of the two numbers that are not known."""


class Walk(PartialEvaluator):
    """Knows all but two numbers, and of these their bounds."""

    most = 8

    def __init__(self, facts: dict[Symbol, Any], unknown: Sequence[Symbol]) -> None:
        bounds = {symbol.name: (VALUES.start, VALUES.stop - 1) for symbol in unknown}
        super().__init__(facts, unknown, bounds)
        self._unknown = unknown

    def applied(self, term: Term, env: Environment) -> Term:
        symbol = term.payload
        assert isinstance(symbol, Symbol)
        if symbol in self._unknown:
            return term
        if any(a.sort != INT for a in term.args):
            raise Open("a function of an index")
        numbers = [self(a, env) for a in term.args]
        return self.over(numbers, lambda places: literal(self.facts[symbol](*places), term.sort))


@pytest.mark.parametrize("seed", range(400))
def test_it_has_the_value_of_the_term(seed: int, generate: ModuleType, generate_folds: ModuleType) -> None:
    """For all values of what is not known: no value is another one, and no binder is left."""
    rng = random.Random(seed)
    formulas = generate_folds.FoldFormulas(rng) if seed % 4 else generate.Formulas(rng)
    unknown = [generate.A, generate.B]
    met: Counter[str] = Counter()
    for _ in range(8):
        term = formulas.number(3, 2, ()) if rng.randrange(2) else formulas.formula(3, 2, ())
        facts = {s: generate.meaning(s, rng) for s in generate.symbols_of(term)} | dict.fromkeys(unknown, 0)
        try:
            found = Walk(without_memory(facts), unknown)(term)
        except Open:
            met["open"] += 1
            continue
        except Undefined:
            found = None
        assert found is None or not any(OPERATORS[Op(node.op)].binds for node in subterms(found))
        for a in VALUES:
            for b in VALUES:
                here = without_memory(facts, dict(zip(unknown, (a, b), strict=True)))
                try:
                    wanted = evaluate(term, here)
                except Undefined:
                    continue
                met["compared"] += 1
                assert found is not None, f"{term} has the value {wanted}"
                assert _value(found, here) == wanted, f"{term} at {a}, {b}: {found}"
                if found.sort == INT:
                    low, high = interval(found, {s.name: (VALUES.start, VALUES.stop - 1) for s in unknown})
                    assert low is None or low <= wanted
                    assert high is None or wanted <= high
    assert met["compared"]


def _value(found: Term, facts: dict[Symbol, Any]) -> Any:
    """The value of a result. A part without a value is not looked at: any number is as good as another."""
    values: dict[Sort, Any] = {BOOL: True, REAL: Fraction(7)}
    nothing = {}
    for node in subterms(found):
        if _is_nothing(node):
            assert isinstance(node.payload, Symbol)
            nothing[node.payload] = values.get(node.sort, 7)
    return evaluate(found, without_memory(facts, nothing))


def _is_nothing(node: Term) -> bool:
    return isinstance(node.payload, Symbol) and node.payload.role is Role.NO_VALUE


def test_a_number_of_few_values_is_taken_apart() -> None:
    n, table = Symbol("n", (), INT), Symbol("t", (INT,), INT)
    walk = Walk({table: lambda k: k * k, n: 0}, [n])

    made = walk(table(n()))

    assert [evaluate(made, {n: k}) for k in VALUES] == [1, 0, 1, 4]
    assert is_literal(walk(table(integer(2))))
    assert walk(table(integer(2))).payload == 4
