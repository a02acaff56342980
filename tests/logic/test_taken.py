"""Terms that a proof takes: they make a true law provable that is not without them, and no false one."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest

from sonnx_verify.interpreter import TooLarge
from sonnx_verify.logic.effort import LADDER, Effort
from sonnx_verify.logic.evaluator import evaluate
from sonnx_verify.logic.evaluator_values import Undefined
from sonnx_verify.logic.nodes import forget, number_of_terms
from sonnx_verify.logic.sorts import BOOL, INDEX, INT
from sonnx_verify.logic.taken import Taken
from sonnx_verify.logic.terms import (
    ONE,
    ZERO,
    Symbol,
    Term,
    add,
    and_,
    at,
    div,
    eq,
    forall,
    forall_index,
    index,
    integer,
    le,
    lt,
    mod,
    or_,
    placeholder,
    scale,
    sub,
)
from sonnx_verify.logic.witness import Expansion
from sonnx_verify.solving.solvers import Query

Ask = Callable[..., dict[str, str]]
Submit = Callable[[Sequence[Term]], Query]
UNSAT = {"z3": "unsat", "cvc5": "unsat"}
CHUNK = 20
MANY_TERMS = 300_000
A, B, C, D = (Symbol(name, (), INT)() for name in "abcd")
F, P, R = Symbol("f", (INT,), INT), Symbol("p", (INT,), BOOL), Symbol("r", (INT, INT), BOOL)
H = Symbol("h", (INDEX,), INT)


def within(low: Term, name: Term, high: Term) -> Term:
    return and_(le(low, name), le(name, high))


def halves_are_none(high: Term, of: Term) -> Term:
    """No number up to a bound is half of another. It stands in no place from which a name could be solved for."""
    return forall(ZERO, high, lambda k: or_(lt(scale(2, k), of), lt(of, scale(2, k))))


def proved(ask: Ask, taken: Sequence[Taken], *formulas: Term) -> list[bool]:
    """For each step of the ladder, whether both solvers say unsat."""
    return [ask(*formulas, effort=effort, taken=taken) == UNSAT for effort in LADDER]


def test_a_taken_term_is_tried(ask: Ask) -> None:
    """A term without parameters is tried where its sort can stand, from the first step on."""
    law = (halves_are_none(B, C), eq(C, scale(2, D)), within(ZERO, D, B))

    assert not any(proved(ask, (), *law))
    assert all(proved(ask, [Taken((), D)], *law))
    assert not any(proved(ask, [Taken((), add(D, ONE))], *law))


def test_a_taken_term_is_tried_for_every_known_name(ask: Ask) -> None:
    """A term with a parameter is tried for each name that is known, at the cost of a generation."""
    k = placeholder(INT)
    half = Taken((k,), div(k, integer(2)))
    law = (halves_are_none(B, C), P(C), eq(mod(C, integer(2)), ZERO), within(ZERO, C, B))
    found = proved(ask, [half], *law)

    assert not any(proved(ask, (), *law))
    assert any(found)
    assert found[-1]


def test_two_parameters(ask: Ask) -> None:
    """Each choice of names for several parameters is tried."""
    k, m = placeholder(INT), placeholder(INT)
    sum_ = Taken((k, m), add(k, m))
    law = (
        forall(ZERO, B, lambda n: or_(lt(scale(2, n), scale(2, add(C, D))), lt(scale(2, add(C, D)), scale(2, n)))),
        P(C),
        R(D, D),
        within(ZERO, add(C, D), B),
    )

    assert not any(proved(ask, (), *law))
    assert proved(ask, [sum_], *law)[-1]


def test_a_taken_index(ask: Ask) -> None:
    """A taken index is tried where an index can stand, for every known one."""
    i = placeholder(INDEX)
    first = Taken((i,), index(ONE, lambda k: at(i, k)))
    there = Symbol("i", (), INDEX)()
    none = forall_index(ONE, lambda k: B, lambda i: or_(lt(at(i, ZERO), C), lt(C, at(i, ZERO))))
    law = (none, le(ZERO, H(there)), eq(at(there, ZERO), C), within(ZERO, C, sub(B, ONE)))

    assert not any(proved(ask, (), *law))
    assert proved(ask, [first], *law)[-1]
    assert not any(proved(ask, [first], none, le(ZERO, H(there)), eq(at(there, ZERO), C), within(ZERO, C, B)))


def test_what_is_taken_proves_nothing_false(ask: Ask) -> None:
    """Near misses stay near misses, whatever is taken; a taken term may be out of range, and need not exist."""
    k = placeholder(INT)
    taken = [Taken((), D), Taken((k,), add(k, ONE)), Taken((k,), F(k)), Taken((), F(F(D))), Taken((), add(B, ONE))]

    assert not any(proved(ask, taken, halves_are_none(B, C), eq(C, scale(2, D)), within(ZERO, D, add(B, ONE))))
    assert not any(proved(ask, taken, forall(A, B, P), le(A, B)))


def drawn(formulas: Any, chance: random.Random) -> list[Taken]:
    """Some random terms, with up to two parameters."""
    made = []
    for _ in range(3):
        parameters = tuple(placeholder(INT) for _ in range(chance.choice([0, 1, 1, 2])))
        made.append(Taken(parameters, formulas.number(2, 1, parameters)))
    return made


def check(seed: int, number: int, generate: ModuleType, folds: ModuleType, submit: Submit) -> tuple[int, int]:
    """Draws formulas and terms to take; how many were unsat, and how many of those only with what was taken."""
    chance = random.Random(seed)
    formulas = folds.FoldFormulas(chance)
    refuted = gained = 0
    for asked in range(0, number, CHUNK):
        # At soak size the terms of all would fill the memory.
        if number_of_terms() > MANY_TERMS:
            forget()
        for formula, queries, plain in questions(formulas, chance, min(CHUNK, number - asked), submit):
            if not any(a.status == "unsat" for q in queries for a in q.result().values()):
                continue
            refuted += 1
            gained += all(a.status == "sat" for a in plain.result().values())
            for facts in generate.interpretations(generate.symbols_of(formula), chance, 60):
                try:
                    holds = evaluate(formula, facts)
                except Undefined:
                    continue

                assert not holds, (formula, facts)
    return refuted, gained


def questions(
    formulas: Any, chance: random.Random, number: int, submit: Submit
) -> list[tuple[Term, list[Query], Query]]:
    """Some formulas, each asked for with random terms taken, and without. Every tenth is a random one beside a law that
    a taken term refutes: random ones alone are hardly ever unsat by what was taken."""
    asked: list[tuple[Term, list[Query], Query]] = []
    while len(asked) < number:
        formula, taken = formulas.closed(), drawn(formulas, chance)
        if len(asked) % 10 == 0:
            formula = and_(formula, halves_are_none(B, C), eq(C, scale(2, D)), within(ZERO, D, B))
            taken.append(Taken((), D))
        try:
            with_taken = [Expansion(replace(e, limit=200), taken).run([formula]) for e in (Effort(0, 3), Effort(1, 3))]
            without = Expansion(Effort(1, 3, limit=200)).run([formula])
        except TooLarge:
            continue
        asked.append((formula, [submit(w) for w in with_taken], submit(without)))
    return asked


def test_unsat_with_taken_terms_is_never_contradicted(
    generate: ModuleType, generate_folds: ModuleType, submit: Submit
) -> None:
    """A formula that is unsat with random terms taken has no model."""
    refuted, gained = check(5, 40, generate, generate_folds, submit)

    assert refuted >= 12
    assert gained >= 1


@pytest.mark.soak
def test_unsat_with_taken_terms_is_never_contradicted_soak(
    generate: ModuleType, generate_folds: ModuleType, submit: Submit
) -> None:
    """The same for more formulas."""
    found = [check(seed, 100, generate, generate_folds, submit) for seed in range(5)]

    assert min(refuted for refuted, _ in found) >= 20
    assert min(gained for _, gained in found) >= 1
