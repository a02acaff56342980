"""Unsat is never contradicted: a formula that a solver refutes, at any effort, is true in no small interpretation."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from types import ModuleType

import pytest

from sonnx_verify.logic.effort import LADDER, Effort, TooLarge
from sonnx_verify.logic.evaluator import Undefined, evaluate
from sonnx_verify.logic.terms import Term
from sonnx_verify.logic.witness import Expansion
from sonnx_verify.solvers import Query

Submit = Callable[[Sequence[Term]], Query]
LIMIT = 400
# All rules of equality, and the generations that small formulas need.
EFFORTS = tuple(replace(LADDER[-1], generation=n) for n in (0, 1))
CHUNK = 100


@dataclass
class Count:
    """What a run has seen."""

    formulas: int = 0
    unsat: int = 0
    tried: int = 0


def queries_of(formula: Term, efforts: Sequence[Effort], submit: Submit) -> list[Query]:
    """One query for each effort at which the expansion is small enough."""
    queries = []
    for effort in efforts:
        try:
            queries.append(submit(Expansion(replace(effort, limit=LIMIT)).run([formula])))
        except TooLarge:
            continue
    return queries


def models_of(formula: Term, generate: ModuleType, rng: random.Random, limit: int, count: Count) -> list[object]:
    """The interpretations that make the formula true, among `limit` random ones and a few regular ones."""
    found: list[object] = []
    for interpretation in generate.interpretations(generate.symbols_of(formula), rng, limit):
        try:
            holds = evaluate(formula, interpretation)
        except Undefined:
            continue
        count.tried += 1
        if holds:
            found.append(interpretation)
    return found


def check(
    seed: int, number: int, efforts: Sequence[Effort], limit: int, generate: ModuleType, submit: Submit
) -> Count:
    """Draw formulas, ask for each, and try every one that is unsat on interpretations."""
    rng = random.Random(seed)
    formulas = generate.Formulas(rng)
    count = Count()
    while count.formulas < number:
        drawn = [formulas.closed() for _ in range(min(CHUNK, number - count.formulas))]
        asked = [(formula, queries_of(formula, efforts, submit)) for formula in drawn]
        for formula, queries in asked:
            count.formulas += 1
            answers = [query.result() for query in queries]

            assert [a for a in answers if {"sat", "unsat"} <= {x.status for x in a.values()}] == [], formula

            if any(given.status == "unsat" for a in answers for given in a.values()):
                count.unsat += 1

                assert models_of(formula, generate, rng, limit, count)[:1] == [], formula
    return count


def test_unsat_is_never_contradicted(generate: ModuleType, submit: Submit) -> None:
    """No formula that a solver finds unsat has a model, and enough of them are unsat for that to mean something."""
    count = check(20240229, 240, EFFORTS, 80, generate, submit)

    assert count.formulas == 240
    assert count.unsat >= 60
    assert count.tried >= 5_000


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(10))
def test_unsat_is_never_contradicted_soak(seed: int, generate: ModuleType, submit: Submit) -> None:
    """The same law at every effort, with more formulas and more interpretations."""
    count = check(seed, 500, LADDER, 1500, generate, submit)

    assert count.unsat >= 100
    assert count.tried >= 50_000
