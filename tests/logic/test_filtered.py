"""Filters by comparisons: their closed forms against enumeration, and what is no such filter.

Slips in them are in test_fold_rules.py; the theorem `filtered` of proofs/counting.sonnx proves the counts from their
recurrence alone.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest

from sonnx_verify.logic import operators as ops
from sonnx_verify.logic.evaluator import evaluate
from sonnx_verify.logic.filtered import members_of
from sonnx_verify.logic.folds import Fold
from sonnx_verify.logic.sorts import BOOL, INT
from sonnx_verify.logic.terms import (
    ONE,
    TRUE,
    Symbol,
    Term,
    add,
    and_,
    bind_count,
    bind_position,
    eq,
    integer,
    le,
    lt,
    not_,
    or_,
    placeholder,
    scale,
)

Filter = Callable[[Term, Term, Term], Term]
A, B = (Symbol(name, (), INT)() for name in "ab")
F, P = Symbol("f", (INT,), INT), Symbol("p", (INT,), BOOL)
FILTERS: dict[str, Filter] = {
    "below": lambda k, c, d: lt(k, c),
    "at most": lambda k, c, d: le(k, c),
    "above": lambda k, c, d: lt(c, k),
    "at least": lambda k, c, d: le(c, k),
    "one": lambda k, c, d: eq(k, c),
    "all but one": lambda k, c, d: not_(eq(k, c)),
    "moved": lambda k, c, d: not_(eq(add(k, ONE), c)),
    "turned round": lambda k, c, d: le(add(scale(-1, k), ONE), c),
    "one of its turned": lambda k, c, d: eq(scale(-1, k), c),
    "between": lambda k, c, d: and_(le(c, k), lt(k, d)),
    "two bounds": lambda k, c, d: and_(lt(k, c), le(k, d)),
    "above and not one": lambda k, c, d: and_(lt(c, k), not_(eq(k, d))),
    "below and not one": lambda k, c, d: and_(not_(eq(k, d)), not_(le(c, k))),
    "neither": lambda k, c, d: not_(or_(lt(k, c), eq(k, d))),
}
OTHERS: dict[str, Filter] = {
    "all": lambda k, c, d: TRUE,
    "any condition": lambda k, c, d: P(k),
    "two that are left out": lambda k, c, d: and_(not_(eq(k, c)), not_(eq(k, d))),
    "two sides": lambda k, c, d: or_(lt(k, c), lt(d, k)),
    "two steps": lambda k, c, d: le(add(k, k), c),
    "a bound that moves": lambda k, c, d: le(k, F(k)),
    "a bound that moves along": lambda k, c, d: lt(add(k, F(add(k, ONE))), c),
}


def counted(chosen: Filter, low: Term, high: Term, c: Term, d: Term) -> Term:
    k = placeholder(INT)
    return bind_count(low, high, k, chosen(k, c, d))


def value(term: Term) -> object:
    return evaluate(term, {})


@pytest.mark.parametrize("chosen", FILTERS.values(), ids=list(FILTERS))
def test_closed_forms_are_what_is_enumerated(chosen: Filter) -> None:
    """Of all small ranges, also empty and descending ones: the count, and the member of each place."""
    compared = 0
    for low, high, c, d in product(range(-1, 2), range(-3, 4), range(-3, 5), range(-2, 4)):
        numbers = [integer(n) for n in (low, high, c, d)]
        count = counted(chosen, *numbers)
        fold = Fold.of(count)
        if fold.condition.op is ops.LITERAL:
            continue  # Of numbers c and d that leave nothing, or all.
        members = members_of(fold)
        assert members is not None
        number = value(count)
        assert isinstance(number, int)
        assert value(members.count()) == number
        for ordinal in map(integer, range(number)):
            k = placeholder(INT)
            place = bind_position(numbers[0], numbers[1], k, chosen(k, *numbers[2:]), ordinal)
            of_place = members_of(Fold.of(place))
            assert of_place is not None
            assert value(of_place.at(ordinal)) == value(place)
            compared += 1
    assert compared > 100


@pytest.mark.parametrize("chosen", OTHERS.values(), ids=list(OTHERS))
def test_other_filters_have_no_closed_form(chosen: Filter) -> None:
    """What is no conjunction of comparisons with one number each, or reads the variable in the bound."""
    assert members_of(Fold.of(counted(chosen, A, B, A, B))) is None
