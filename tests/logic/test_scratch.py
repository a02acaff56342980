"""Scratch work repeats its placeholders, and no other work ever meets one of them."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from types import ModuleType

import pytest

from sonnx_verify.errors import SpecificationError
from sonnx_verify.logic.nodes import is_once
from sonnx_verify.logic.sorts import INT
from sonnx_verify.logic.terms import Term, integer, numbered, placeholder, run_of_numbers, scratch, substitute


def drawn() -> list[Term]:
    return [placeholder(INT) for _ in range(3)]


def test_its_placeholders_are_those_of_the_work_before() -> None:
    """Those of all other work are made once, before, between and after."""
    before = drawn()
    with scratch():
        first = drawn()
    between = drawn()
    with scratch():
        second = drawn()
    after = drawn()

    assert first == second
    assert len({*before, *between, *after, *first}) == 12
    assert [is_once(v) for v in (*before, *between, *after)] == [True] * 9
    assert not any(map(is_once, first))


def test_inside_another_it_goes_on() -> None:
    """Nothing that is still open there gets the name of something else."""
    with scratch():
        outer = drawn()
        with scratch():
            inner = drawn()
        rest = drawn()

    assert len({*outer, *inner, *rest}) == 9


def test_it_ends_with_a_mistake() -> None:
    with pytest.raises(SpecificationError), scratch():
        raise SpecificationError("no", None)

    assert all(map(is_once, drawn()))


def test_other_threads_do_other_work() -> None:
    with ThreadPoolExecutor(1) as pool, scratch():
        mine, other = drawn(), pool.submit(drawn).result()
        again = drawn()

    assert all(map(is_once, other))
    assert len({*mine, *again}) == 6


@pytest.mark.parametrize("seed", range(40))
def test_closed_terms_are_those_of_other_work(generate: ModuleType, seed: int) -> None:
    """However often they were made, in scratch work or not: the names of bound variables are no part of them."""

    def made() -> Term:
        term: Term = generate.Formulas(random.Random(seed)).formula(3, 3)
        return term

    run = run_of_numbers()
    found = []
    for place in (scratch(), scratch(), numbered(run), numbered(run), nullcontext()):
        with place:
            found.append(made())

    assert all(term is found[0] for term in found)
    assert not found[0].free


def test_what_is_replaced_in_it_is_what_is_replaced_elsewhere(generate: ModuleType) -> None:
    """A scratch placeholder remembers what came of it, and another term in its place gives another result."""

    def made(value: int) -> Term:
        variable = placeholder(INT)
        body = generate.Formulas(random.Random(value % 5)).formula(3, 2, (variable,))
        return substitute(body, {variable: integer(value)})

    for value in range(60):
        with scratch():
            first = made(value)
        assert first is made(value)


def test_a_run_begins_anew() -> None:
    """And has no placeholder of another run, or of other work."""
    one, other = run_of_numbers(), run_of_numbers()
    found = []
    for run in (one, other, one):
        with numbered(run):
            found.append(drawn())
    with scratch():
        scratched = drawn()

    assert found[0] == found[2]
    assert len({*found[0], *found[1], *scratched, *drawn()}) == 12
    assert not any(map(is_once, (*found[0], *found[1])))


def test_a_run_goes_on_inside_itself() -> None:
    """However many others are between: no open term of it gets the name of something else."""
    one, other = run_of_numbers(), run_of_numbers()
    with numbered(one):
        drawn_first = drawn()
        with numbered(other):
            between = drawn()
            with numbered(one):
                inner = drawn()
            with scratch():
                inner += drawn()
        rest = drawn()

    assert len({*drawn_first, *between, *inner, *rest}) == 15
