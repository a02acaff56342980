"""Folds by named members: what cannot be of a few members cannot be of all of them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from sonnx_verify.conformance.proofs.claims import renamed
from sonnx_verify.conformance.symbolic.cells import input_cell
from sonnx_verify.conformance.symbolic.folds import fold
from sonnx_verify.conformance.symbolic.long_folds import LongFold, full, of_named_members, symbols_of
from sonnx_verify.conformance.symbolic.trace import Trace, running
from sonnx_verify.logic.smtlib import script
from sonnx_verify.logic.sorts import BOOL, ELEMENT_TYPES, FloatSort, Sort
from sonnx_verify.logic.terms import Symbol, Term, and_, element, eq, le, literal, lt, not_, or_
from sonnx_verify.solving.solvers import Solvers

NAMES = ("maximum", "minimum", "fmax", "fmin", "bitwise_and", "bitwise_or")


@pytest.fixture(scope="module")
def ask() -> Iterator[Any]:
    """What z3 says of assertions."""
    with Solvers(names=("z3",)) as solvers:
        yield lambda terms: solvers.submit(script(renamed(terms)[0])).result()["z3"].status


def drawn(sort: Sort, values: list[Term], rng: random.Random) -> Term:
    """A comparison of two values, or with 0."""
    a, b = rng.choice(values), rng.choice([*values, literal(0, sort)])
    kinds: list[Callable[[Term, Term], Term]] = [eq, le, lt]
    if isinstance(sort, FloatSort):
        kinds += [lambda x, y: element("is_nan", x), lambda x, y: element("is_negative", x)]
    made = rng.choice(kinds)(a, b)
    return not_(made) if rng.random() < 0.5 else made


@pytest.mark.parametrize("seed", range(4))
def test_unsat_of_named_members_is_unsat_of_all(seed: int, ask: Any) -> None:
    """On random conditions about folds of some elements, and about elements: never is too much concluded."""
    rng = random.Random(seed)
    concluded = 0
    for _ in range(40):
        sort = ELEMENT_TYPES[rng.choice(["int8", "uint8", "float16"])]
        names = NAMES[:4] if isinstance(sort, FloatSort) else [n for n in NAMES if not n.startswith("f")]
        cells = [input_cell(f"x{n}", sort) for n in range(5)]
        if rng.random() < 0.3:
            cells.append(literal(0, sort))
        with running(Trace([])) as trace:
            some = [rng.sample(cells, rng.choice([3, 4, len(cells)])) for _ in range(2)]
            values = [fold(rng.choice(names), members, sort) for members in some]
        folds = [f for f in trace.facts.values() if isinstance(f, LongFold)]
        claim = and_(*(or_(drawn(sort, [*values, cells[0]], rng), drawn(sort, values, rng)) for _ in range(4)))
        if claim.sort != BOOL or not claim.args:
            continue
        few = ask([claim, *of_named_members(folds, symbols_of([claim]))])
        if few == "unsat":
            concluded += 1
            assert ask([claim, *(full(f) for f in folds)]) == "unsat", claim
    assert concluded >= 1


def test_a_bound_is_asked_of_members_only(ask: Any) -> None:
    """An element of another fold may be beyond: of two folds over other elements nothing is concluded."""
    sort = ELEMENT_TYPES["int8"]
    xs, ys = ([input_cell(f"{name}{n}", sort) for n in range(4)] for name in "xy")
    with running(Trace([])) as trace:
        first, second, both = (fold("maximum", cells, sort) for cells in (xs, ys, [*xs, *ys]))
    folds = [f for f in trace.facts.values() if isinstance(f, LongFold)]

    assert ask([lt(first, second), *of_named_members(folds, [])]) == "sat"
    assert ask([lt(both, second), *of_named_members(folds, [])]) == "unsat"


def test_members_that_are_not_alike_are_all_said(ask: Any) -> None:
    """Where no one term gives every member, nothing is left out."""
    sort = ELEMENT_TYPES["int8"]
    x, y, z = (Symbol(name, (), sort)() for name in "xyz")
    with running(Trace([])) as trace:
        value = fold("maximum", [x, element("add", y, z), element("neg", z)], sort)
    (made,) = trace.facts.values()

    assert isinstance(made, LongFold)
    assert of_named_members([made], []) == [full(made)]
    assert ask([lt(value, x), full(made)]) == "unsat"
