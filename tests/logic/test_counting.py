"""The member with so many before it: the condition that there is one, against enumeration; what asks for no such one.

Slips are in test_fold_rules.py; the theorem `onto` of proofs/counting.sonnx proves the condition from the recurrence.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from sonnx_verify.logic.counting import reached_somewhere
from sonnx_verify.logic.evaluator import evaluate
from sonnx_verify.logic.lengths import settled
from sonnx_verify.logic.sorts import BOOL, INT
from sonnx_verify.logic.terms import (
    ONE,
    ZERO,
    Symbol,
    Term,
    add,
    and_,
    bind_count,
    eq,
    forall,
    integer,
    ite,
    le,
    lt,
    not_,
    or_,
    placeholder,
    replace_nodes,
    scale,
    sub,
    times,
)

P, Q = Symbol("p", (INT,), BOOL), Symbol("q", (INT,), BOOL)
PAIR = Symbol("r", (INT, INT), BOOL)
Asked = Callable[[Term, Term, Term], Term]


def before(low: Term, k: Term, chosen: Callable[[Term], Term] = P, further: int = -1) -> Term:
    """The number of those chosen from `low` to one before k, or further."""
    q = placeholder(INT)
    return bind_count(low, add(k, integer(further)), q, chosen(q))


ASKED: dict[str, Asked] = {
    "in order": lambda k, low, m: and_(P(k), eq(before(low, k), m)),
    "turned round": lambda k, low, m: and_(eq(m, before(low, k)), P(k)),
    "moved": lambda k, low, m: and_(P(k), eq(add(before(low, k), integer(3)), add(m, integer(3)))),
    "with a sign": lambda k, low, m: and_(P(k), eq(scale(-1, before(low, k)), scale(-1, m))),
    "of two": lambda k, low, m: and_(P(k), Q(k), eq(before(low, k, lambda q: and_(P(q), Q(q))), m)),
}
OTHERS: dict[str, Asked] = {
    "no condition": lambda k, low, m: eq(before(low, k), m),
    "another condition": lambda k, low, m: and_(Q(k), eq(before(low, k), m)),
    "one condition more": lambda k, low, m: and_(P(k), Q(k), eq(before(low, k), m)),
    "the member too": lambda k, low, m: and_(P(k), eq(before(low, k, further=0), m)),
    "two before": lambda k, low, m: and_(P(k), eq(before(low, k, further=-2), m)),
    "from further on": lambda k, low, m: and_(P(k), eq(before(add(low, ONE), k), m)),
    "a number that moves": lambda k, low, m: and_(P(k), eq(before(low, k), sub(k, m))),
    "a condition that moves": lambda k, low, m: and_(PAIR(k, k), eq(before(low, k, lambda q: PAIR(k, q)), m)),
    "twice as many": lambda k, low, m: and_(P(k), eq(times(integer(2), before(low, k)), m)),
    "at most": lambda k, low, m: and_(P(k), le(before(low, k), m)),
    "either": lambda k, low, m: or_(not_(P(k)), eq(before(low, k), m)),
}


OF_LOW, OF_HIGH, OF_ORDINAL = (Symbol(name, (), INT) for name in ("low", "high", "ordinal"))
LOW, HIGH, ORDINAL = OF_LOW(), OF_HIGH(), OF_ORDINAL()


def none_of(asked: Asked) -> Term:
    """No number of a range is the one that is asked for."""
    return forall(LOW, HIGH, lambda k: not_(asked(k, LOW, ORDINAL)))


@pytest.mark.parametrize("asked", ASKED.values(), ids=list(ASKED))
def test_there_is_one_where_the_condition_says_so(asked: Asked) -> None:
    """Of all choices among few numbers, also empty and descending ranges: exactly where none is not."""
    none = none_of(asked)
    reached = reached_somewhere(none)
    assert reached is not None
    compared = 0
    for low, high, ordinal in product(range(-1, 3), range(-3, 4), range(-1, 4)):
        numbers: dict[Symbol, Any] = {OF_LOW: low, OF_HIGH: high, OF_ORDINAL: ordinal}
        for chosen in product((False, True), repeat=max(0, high - low + 1)):
            facts = {**numbers, P: lambda k, c=chosen, low=low: c[k - low], Q: lambda k: k % 2 == 0}
            assert evaluate(none, facts) is not evaluate(reached, facts)
            compared += 1
    assert compared > 300


@pytest.mark.parametrize("asked", OTHERS.values(), ids=list(OTHERS))
def test_what_asks_for_no_such_one(asked: Asked) -> None:
    """Nothing is concluded of it."""
    assert reached_somewhere(none_of(asked)) is None


OF_N, OF_M = (Symbol(name, (), INT) for name in "nm")
N, M = OF_N(), OF_M()


def length(count: Term) -> Term:
    """As many as a range says, and none of one that ends below its start."""
    return ite(le(ZERO, count), count, ZERO)


@pytest.mark.parametrize(
    ("facts", "count", "known"),
    [
        ([le(ONE, N)], sub(N, ONE), True),
        ([le(integer(3), N)], sub(N, ONE), True),
        ([and_(lt(M, N), le(ZERO, M))], sub(N, M), True),
        ([le(ZERO, N)], sub(N, ONE), False),
        ([le(N, ONE)], sub(N, ONE), False),
        ([or_(le(ONE, N), le(ONE, M))], sub(N, ONE), False),
        ([not_(le(ONE, N))], sub(N, ONE), False),
        ([le(ONE, length(sub(N, ONE)))], sub(N, ONE), False),
        ([], sub(N, ONE), False),
    ],
)
def test_lengths_that_a_fact_settles(facts: list[Term], count: Term, *, known: bool) -> None:
    """Only a fact that stands by itself, and is no less; what is put in place changes no value of all together."""
    formulas = [*facts, eq(length(count), M)]

    found = settled(formulas)

    assert found == ({length(count): count} if known else {})
    made = replace_nodes(formulas, found)
    for n, m in product(range(-4, 5), repeat=2):
        values = {OF_N: n, OF_M: m}
        assert evaluate(and_(*formulas), values) is evaluate(and_(*made), values)
