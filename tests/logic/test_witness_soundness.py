"""Unsat is never contradicted: a formula that a solver refutes, at any effort, is true in no small interpretation; and
what is true in an interpretation, every value of every subterm spelled out, is refuted by no solver at any effort."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

import pytest

from sonnx_verify.interpreter import TooLarge
from sonnx_verify.logic.choices import EVERY, Choice, Step
from sonnx_verify.logic.effort import LADDER, Effort
from sonnx_verify.logic.evaluator import evaluate
from sonnx_verify.logic.evaluator_values import Undefined
from sonnx_verify.logic.nodes import forget, number_of_terms
from sonnx_verify.logic.sorts import INDEX, StateSort
from sonnx_verify.logic.terms import TRUE, Symbol, Term, subterms
from sonnx_verify.logic.witness import Expansion
from sonnx_verify.solving.check.hints import ANY_GENERATION
from sonnx_verify.solving.solvers import Query

Submit = Callable[[Sequence[Term]], Query]
LIMIT = 400
# All rules of equality, and the generations that small formulas need.
EFFORTS = tuple(replace(LADDER[-1], generation=n) for n in (0, 1))
# Counts with their recurrence alone, too.
FOLD_EFFORTS = (*EFFORTS, Effort(1, 3, recurrence=True))
CHUNK = 20
MANY_TERMS = 300_000


@dataclass
class Count:
    """What a run has seen."""

    formulas: int = 0
    unsat: int = 0
    tried: int = 0


class Some(Choice):
    """Takes any steps, as along a hint: each name is tried wherever its sort can stand, of whatever generation."""

    is_narrow = True

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def takes(self, step: Step, *terms: Term) -> bool:
        return step is Step.FORMULA or self._rng.random() < 0.3


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    """No test keeps the terms of another: at soak size they would fill the memory."""
    yield
    if number_of_terms() > MANY_TERMS:
        forget()


def queries_of(
    formulas: Sequence[Term], efforts: Sequence[Effort], submit: Submit, rng: random.Random | None = None
) -> list[Query]:
    """One query for each effort at which the expansion is small enough; of some steps, where there is chance."""
    queries = []
    for effort in efforts:
        choice = EVERY
        if rng is not None:
            choice, effort = Some(rng), replace(effort, generation=ANY_GENERATION)
        try:
            queries.append(submit(Expansion(replace(effort, limit=LIMIT), (), choice).run(list(formulas))))
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
    formulas: Any,
    number: int,
    efforts: Sequence[Effort],
    limit: int,
    generate: ModuleType,
    submit: Submit,
    *,
    chosen: bool = False,
) -> Count:
    """Draw formulas, ask for each, and try every one that is unsat on interpretations. Of `chosen` steps alone, where
    that is said."""
    rng = formulas.rng
    chance = rng if chosen else None
    count = Count()
    while count.formulas < number:
        asked = []
        for _ in range(min(CHUNK, number - count.formulas)):
            if number_of_terms() > MANY_TERMS:
                forget()
            formula = formulas.closed()
            asked.append((formula, queries_of([formula], efforts, submit, chance)))
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
    count = check(generate.Formulas(random.Random(20240229)), 40, EFFORTS, 80, generate, submit)

    assert count.formulas == 40
    assert count.unsat >= 10
    assert count.tried >= 700


def test_any_steps_are_sound(generate: ModuleType, generate_folds: ModuleType, submit: Submit) -> None:
    """A hint may be anything: no choice of steps makes a formula unsat that has a model."""
    plain = check(generate.Formulas(random.Random(1)), 20, EFFORTS, 80, generate, submit, chosen=True)
    folds = check(generate_folds.FoldFormulas(random.Random(2)), 6, FOLD_EFFORTS, 80, generate, submit, chosen=True)

    assert plain.unsat >= 3
    assert folds.unsat >= 1


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(1))
def test_any_steps_are_sound_soak(seed: int, generate: ModuleType, generate_folds: ModuleType, submit: Submit) -> None:
    """The same law at every effort, with more formulas and more interpretations."""
    plain = check(generate.Formulas(random.Random(seed)), 100, LADDER, 1500, generate, submit, chosen=True)
    folds = check(generate_folds.FoldFormulas(random.Random(seed)), 60, LADDER, 1500, generate, submit, chosen=True)

    assert plain.unsat >= 20
    assert folds.unsat >= 12


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(1))
def test_unsat_is_never_contradicted_soak(seed: int, generate: ModuleType, submit: Submit) -> None:
    """The same law at every effort, with more formulas and more interpretations."""
    count = check(generate.Formulas(random.Random(seed)), 500, LADDER, 1500, generate, submit)

    assert count.unsat >= 100
    assert count.tried >= 50_000


# -------------------------------------------------------------------------- all folds, recursion, conversions, sorts


def test_unsat_about_folds_is_never_contradicted(
    generate: ModuleType, generate_folds: ModuleType, submit: Submit
) -> None:
    """The same law for formulas in which all folds stand, over ranges and shapes, of all sorts that are added up."""
    formulas = generate_folds.FoldFormulas(random.Random(20250301))
    count = check(formulas, 30, FOLD_EFFORTS, 80, generate, submit)

    assert count.unsat >= 9
    assert count.tried >= 850


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(1))
def test_unsat_about_folds_is_never_contradicted_soak(
    seed: int, generate: ModuleType, generate_folds: ModuleType, submit: Submit
) -> None:
    """The same law at every effort, with more formulas and more interpretations."""
    formulas = generate_folds.FoldFormulas(random.Random(seed))
    efforts = (*LADDER, *(replace(e, recurrence=True) for e in FOLD_EFFORTS))
    count = check(formulas, 200, efforts, 1500, generate, submit)

    assert count.unsat >= 40
    assert count.tried >= 20_000


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(1))
def test_unsat_about_states_is_never_contradicted_soak(
    seed: int, generate: ModuleType, generate_folds: ModuleType, submit: Submit
) -> None:
    """The same law for the steps of states alone, each for a member and an index."""
    formulas = generate_folds.FoldFormulas(random.Random(seed))
    formulas.schemas = lambda: (formulas.states,)
    count = check(formulas, 150, FOLD_EFFORTS, 600, generate, submit)

    assert count.unsat >= 30
    assert count.tried >= 50_000


def model_of(
    formulas: Any, generate: ModuleType, folds: ModuleType, symbols: Sequence[Symbol]
) -> tuple[list[Term], int]:
    """True formulas: the values of some terms and of all their closed subterms, and those of the symbols in them; and
    how many of these are of binders."""
    facts = {s: generate.meaning(s, formulas.rng) for s in symbols}
    drawn = formulas.relatives()
    if formulas.rng.randrange(5) == 0:
        drawn.append(formulas.rng.choice([lambda: formulas.formula(3, 2), formulas.closed])())
    used = {s for d in drawn for s in generate.symbols_of(d)}
    made: dict[Term, None] = dict.fromkeys(formulas.pinned({s: facts[s] for s in symbols if s in used}))
    binders = 0
    for term in (n for d in drawn for n in subterms(d)):
        if not term.free and term.sort != INDEX and not isinstance(term.sort, StateSort):
            try:
                made[folds.same(term, evaluate(term, dict(facts)))] = None
            except Undefined:
                continue
            binders += term.op in ("fold", "fold_index", "recursion", "state_at")
    return [m for m in made if m is not TRUE], binders


def no_model_is_refuted(
    seed: int, number: int, efforts: Sequence[Effort], modules: tuple[ModuleType, ModuleType], submit: Submit
) -> None:
    """Draws interpretations, and asks for what is true in each."""
    generate, folds = modules
    formulas = folds.FoldFormulas(random.Random(seed))
    symbols = [
        *(generate.A, generate.B, generate.F, generate.G, generate.P, generate.PLACE, generate.H),
        *(folds.U, folds.V, folds.UI, folds.W, folds.WI, folds.C, folds.X, folds.Y),
    ]
    models = [model_of(formulas, generate, folds, symbols) for _ in range(number)]
    asked = [(model, queries_of(model, efforts, submit)) for model, _ in models]
    given = [(model, a.status) for model, queries in asked for q in queries for a in q.result().values()]

    assert [model for model, status in given if status == "unsat"][:1] == []
    assert sum(status == "sat" for _, status in given) > len(given) * 3 // 4
    assert len(given) > number * 3
    assert sum(binders for _, binders in models) > number


def test_no_model_is_refuted(generate: ModuleType, generate_folds: ModuleType, submit: Submit) -> None:
    """What is true in an interpretation is not unsat, though all that the rules compare has its value there."""
    no_model_is_refuted(7, 80, FOLD_EFFORTS, (generate, generate_folds), submit)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(6))
def test_no_model_is_refuted_soak(seed: int, generate: ModuleType, generate_folds: ModuleType, submit: Submit) -> None:
    """The same at more efforts, for more interpretations."""
    efforts = (*FOLD_EFFORTS, replace(LADDER[-1], generation=2), Effort(1, 3))
    no_model_is_refuted(seed, 500, efforts, (generate, generate_folds), submit)
