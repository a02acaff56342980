"""The rules of what is added up, of positions, recursions and conversions: each proves what needs it, and no near miss.

The last tests make one slip each in the text of a rule, and see a false law proved, or a true one no longer.
"""

from __future__ import annotations

import inspect
import sys
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest

from sonnx_verify.logic import computed, conversions, counting, filtered, float_sums, floats, fold_rules
from sonnx_verify.logic.candidates import Candidates
from sonnx_verify.logic.effort import LADDER, Effort
from sonnx_verify.logic.filtered import Members
from sonnx_verify.logic.fold_equality import FoldEquality
from sonnx_verify.logic.fold_rules import FoldRules
from sonnx_verify.logic.folds import State
from sonnx_verify.logic.grounding import Grounder
from sonnx_verify.logic.sorts import BOOL, ELEMENT, FLOATS, INDEX, INT, INTEGERS, REAL, Sort, state_of
from sonnx_verify.logic.terms import (
    ONE,
    TRUE,
    ZERO,
    Symbol,
    Term,
    add,
    and_,
    at,
    bind_count,
    bind_fold,
    bind_fold_index,
    bind_position,
    element,
    eq,
    forall,
    implies,
    index,
    integer,
    ite,
    le,
    literal,
    lt,
    not_,
    or_,
    placeholder,
    recursion,
    rounded,
    scale,
    state,
    state_at,
    sub,
    times,
    to_int,
    to_real,
    with_copy,
    wrapped,
)
from tests.logic.built import exists

Laws = Any  # of conftest.py
Ask = Callable[..., dict[str, str]]
UNSAT = {"z3": "unsat", "cvc5": "unsat"}
TWO = integer(2)
BYTE, UBYTE, FLOAT16 = INTEGERS[0], INTEGERS[4], FLOATS[1]
A, B, C, D = (Symbol(name, (), INT)() for name in "abcd")
F, G = Symbol("f", (INT,), INT), Symbol("g", (INT,), INT)
P, Q = Symbol("p", (INT,), BOOL), Symbol("q", (INT,), BOOL)
U, V = Symbol("u", (INT,), REAL), Symbol("v", (INT,), REAL)
W, Z = Symbol("w", (INT,), BYTE), Symbol("z", (INT,), BYTE)
X = Symbol("x", (INT,), FLOAT16)
Y, N = Symbol("y", (), BYTE)(), Symbol("n", (), UBYTE)()
PI, H = Symbol("pi", (INDEX,), BOOL), Symbol("h", (INDEX,), INT)
Condition = Callable[[Term], Term]


def always(k: Term) -> Term:
    return TRUE


def count(low: Term, high: Term, chosen: Condition = P) -> Term:
    k = placeholder(INT)
    return bind_count(low, high, k, chosen(k))


def over(name: str, low: Term, high: Term, value: Condition = F, chosen: Condition = P) -> Term:
    k = placeholder(INT)
    return bind_fold(name, low, high, k, chosen(k), value(k), le, None)


def position(low: Term, high: Term, ordinal: Term, chosen: Condition = P) -> Term:
    k = placeholder(INT)
    return bind_position(low, high, k, chosen(k), ordinal)


def grown(start: int, number: Term, value: Condition = F, sort: Sort = INT) -> Term:
    """The sum of the values from the start on, by recursion."""
    k, below = placeholder(INT), placeholder(sort)
    more = element("add", below, value(k)) if sort == BYTE else add(below, value(k))
    return recursion(start, number, k, below, ite(eq(k, integer(start)), value(k), more))


def moved(start: int, number: Term, member: Term, place: Term, value: Symbol = F) -> Term:
    """A value of a state: each step reads that of the next member at the index before, and adds one of the number."""
    k, m, i = placeholder(INT), placeholder(INT), placeholder(INDEX)
    below = placeholder(state_of(INT))
    first = add(value(m), G(at(i, ZERO)))
    step = add(state_at(below, add(m, ONE), single(sub(at(i, ZERO), ONE))), value(k))
    made = state(start, number, (k, below, m, i), ite(eq(k, integer(start)), first, step))
    return state_at(made, member, single(place))


def counter(number: Term, start: int = 0) -> Term:
    """A state that is one more with each step."""
    k, below, m, i = placeholder(INT), placeholder(state_of(INT)), placeholder(INT), placeholder(INDEX)
    body = ite(le(k, ZERO), ZERO, add(state_at(below, m, i), ONE))
    return state_at(state(start, number, (k, below, m, i), body), ZERO, single(ZERO))


def summed(number: Term, member: Term, place: Term, value: Symbol = F) -> Term:
    """A state of which each value is the sum of two below and of a value of the number."""
    k, below, m, i = placeholder(INT), placeholder(state_of(INT)), placeholder(INT), placeholder(INDEX)
    more = add(state_at(below, add(m, ONE), i), state_at(below, m, single(m)), value(k))
    body = ite(eq(k, ZERO), at(i, ZERO), more)
    return state_at(state(0, number, (k, below, m, i), body), member, single(place))


def single(k: Term) -> Term:
    return index(ONE, lambda axis: k)


def everywhere(low: Term, high: Term, law: Condition) -> Term:
    return forall(low, high, law)


def within(low: Term, name: Term, high: Term) -> Term:
    return and_(le(low, name), le(name, high))


def real(value: int | Fraction) -> Term:
    return literal(Fraction(value), REAL)


def byte(value: int) -> Term:
    return literal(value, BYTE)


# -------------------------------------------------------------------------------------------------------------- counts


def test_count_of_nothing(laws: Laws) -> None:
    """Over an empty range, or where nothing is chosen, there are none; else there may be some."""
    laws.proves(0, lt(B, A), not_(eq(count(A, B), ZERO)))
    laws.proves(0, everywhere(A, B, lambda k: not_(P(k))), not_(eq(count(A, B), ZERO)))
    laws.never(le(B, A), not_(eq(count(A, B), ZERO)))
    laws.never(everywhere(A, sub(B, ONE), lambda k: not_(P(k))), not_(eq(count(A, B), ZERO)))


def test_count_and_length(laws: Laws) -> None:
    """A count is that of its range exactly where all are chosen."""
    length = add(sub(B, A), ONE)

    laws.proves(0, le(A, B), lt(length, count(A, B)))
    laws.proves(0, lt(count(A, B), ZERO))
    laws.proves(0, le(A, B), everywhere(A, B, P), not_(eq(count(A, B), length)))
    laws.proves(0, within(A, C, B), not_(P(C)), le(length, count(A, B)))
    laws.proves(0, within(A, C, B), P(C), le(count(A, B), ZERO))
    laws.never(everywhere(A, B, P), not_(eq(count(A, B), length)))
    laws.never(not_(P(C)), le(length, count(A, B)), le(A, B))
    laws.never(P(C), le(count(A, B), ZERO), le(A, B))
    laws.never(within(A, C, B), not_(P(C)), lt(count(A, B), length))


def none_counted(low: Term, high: Term, start: Term, chosen: Condition = P, further: int = -1) -> Term:
    """No number of a range is chosen and has C numbers before it, from a start on."""
    return everywhere(low, high, lambda k: not_(and_(chosen(k), eq(count(start, add(k, integer(further))), C))))


def test_counts_take_each_value(laws: Laws) -> None:
    """Some member has so many before it, for each number below the count; and only one has."""
    assert laws.steps(le(ZERO, C), lt(C, count(A, B)), none_counted(A, B, A))[0]
    laws.proves(0, P(C), P(D), lt(C, D), le(A, C), eq(count(A, sub(C, ONE)), count(A, sub(D, ONE))))
    laws.never(le(ZERO, C), le(C, count(A, B)), none_counted(A, B, A))
    laws.never(lt(C, count(A, B)), none_counted(A, B, A))


def test_counts_grow(laws: Laws) -> None:
    """A count up to a greater bound is no less, by at most the difference of the bounds."""
    laws.proves(0, le(B, C), lt(count(A, C), count(A, B)))
    laws.proves(0, le(B, C), lt(sub(C, B), sub(count(A, C), count(A, B))))
    laws.proves(0, eq(B, C), not_(eq(count(A, C), count(A, B))))
    laws.never(le(B, C), lt(count(A, B), count(A, C)))
    laws.never(lt(count(A, C), count(A, B)))
    laws.never(le(B, C), lt(count(C, D), count(B, D)), le(C, D))


def test_counts_grow_strictly(laws: Laws) -> None:
    """Strictly where a member is next, or last, and in the range; and by one less where one is none."""
    following = add(B, ONE)

    laws.proves(0, lt(B, C), le(A, following), P(following), le(count(A, C), count(A, B)))
    laws.proves(0, lt(B, C), le(A, C), P(C), le(A, following), le(count(A, C), count(A, B)))
    laws.proves(0, lt(B, C), le(A, following), not_(P(C)), le(sub(C, B), sub(count(A, C), count(A, B))))
    laws.proves(0, lt(B, C), le(A, following), not_(P(following)), le(sub(C, B), sub(count(A, C), count(A, B))))
    laws.proves(0, lt(count(A, B), count(A, C)), everywhere(following, C, lambda k: not_(P(k))))
    laws.never(lt(B, C), P(following), le(count(A, C), count(A, B)))
    laws.never(lt(B, C), P(C), le(count(A, C), count(A, B)))
    laws.never(le(B, C), le(A, following), P(C), le(count(A, C), count(A, B)))
    laws.never(lt(B, C), le(A, following), P(add(following, ONE)), le(count(A, C), count(A, B)))
    laws.never(lt(count(A, B), count(A, C)), everywhere(following, sub(C, ONE), lambda k: not_(P(k))))


def test_recurrence_of_counts(laws: Laws, ask: Ask) -> None:
    """By their recurrence alone counts take steps of one and begin with none; what follows by induction is no rule."""
    effort = Effort(3, 3, recurrence=True)
    following = add(B, ONE)
    step = ite(P(following), add(count(A, B), ONE), count(A, B))

    for e in (effort, LADDER[-1]):
        assert ask(le(A, following), not_(eq(count(A, following), step)), effort=e) == UNSAT
        assert ask(lt(B, A), not_(eq(count(A, B), ZERO)), effort=e) == UNSAT
        assert "unsat" not in ask(not_(eq(count(A, following), step)), effort=e).values()
    assert ask(le(B, C), lt(count(A, C), count(A, B)), effort=LADDER[-1]) == UNSAT
    assert "unsat" not in ask(le(B, C), lt(count(A, C), count(A, B)), effort=effort).values()
    assert "unsat" not in ask(le(A, B), lt(add(sub(B, A), ONE), count(A, B)), effort=effort).values()


def test_count_of_indices(laws: Laws) -> None:
    """The indices of a shape are counted: none where a size is 0, and at least one where a member is read."""
    i = placeholder(INDEX)
    counted = bind_fold_index("count", A, lambda k: F(k), i, PI(i), ONE, le, None)
    j = placeholder(INDEX)
    read = bind_fold_index("count", ONE, lambda k: B, j, PI(j), ONE, le, None)

    laws.proves(0, within(ZERO, C, sub(A, ONE)), eq(F(C), ZERO), not_(eq(counted, ZERO)))
    laws.proves(0, within(ZERO, C, sub(B, ONE)), PI(at_one(C)), le(read, ZERO))
    laws.never(within(ZERO, C, A), eq(F(C), ZERO), not_(eq(counted, ZERO)))
    laws.never(within(ZERO, C, B), PI(at_one(C)), le(read, ZERO))


def at_one(coordinate: Term) -> Term:
    """The index with one coordinate."""
    return index(ONE, lambda k: coordinate)


# ---------------------------------------------------------------------------------------------------- sums and products


def test_products(laws: Laws) -> None:
    """A product of nothing is 1; it is 0 exactly where a factor is, and negative only where one is."""
    product = over("product", A, B)
    zero = exists(A, B, lambda k: and_(P(k), eq(F(k), ZERO)))

    laws.proves(0, lt(B, A), not_(eq(product, ONE)))
    laws.proves(0, within(A, C, B), P(C), eq(F(C), ZERO), not_(eq(product, ZERO)))
    laws.proves(0, eq(product, ZERO), not_(zero))
    laws.proves(0, everywhere(A, B, lambda k: implies(P(k), le(ZERO, F(k)))), lt(product, ZERO))
    laws.never(within(A, C, B), eq(F(C), ZERO), not_(eq(product, ZERO)))
    laws.never(P(C), eq(F(C), ZERO), not_(eq(product, ZERO)), le(A, B))
    laws.never(zero, eq(product, ZERO))
    laws.never(le(product, ZERO), everywhere(A, B, lambda k: implies(P(k), le(ZERO, F(k)))))
    laws.never(le(A, B), not_(eq(product, ONE)))


@pytest.mark.parametrize(("name", "value"), [("product", F), ("product", U), ("sum", W), ("product", W)])
def test_one_member_more(name: str, value: Symbol, laws: Laws) -> None:
    """A fold with one more number has its value, where it is chosen, and where the range reaches it."""
    last = add(B, ONE)
    less, more = over(name, A, B, value), over(name, A, last, value)
    both = joined(name, less, value(last))

    laws.proves(0, le(A, last), P(last), not_(eq(more, both)))
    laws.proves(0, le(A, last), not_(P(last)), not_(eq(more, less)))
    laws.never(P(last), not_(eq(more, both)))
    laws.never(le(A, last), not_(eq(more, both)))
    laws.never(le(A, last), P(last), not_(eq(more, joined(name, less, value(B)))))


def joined(name: str, a: Term, b: Term) -> Term:
    if a.sort == BYTE:
        return element("mul" if name == "product" else "add", a, b)
    return times(a, b) if name == "product" else add(a, b)


@pytest.mark.parametrize(("name", "value"), [("product", F), ("sum", U), ("sum", W), ("count", F)])
def test_equal_ranges(name: str, value: Symbol, laws: Laws) -> None:
    """What is folded up to two numbers is the same where they are: known without comparing members."""
    if name == "count":
        one, other = count(A, B), count(A, C)
    else:
        one, other = over(name, A, B, value), over(name, A, C, value)

    laws.proves(0, eq(B, C), not_(eq(one, other)))
    laws.never(lt(B, C), not_(eq(one, other)))


def test_equal_numbers(laws: Laws) -> None:
    """The same of recursions, and of positions with two ordinals."""
    laws.proves(0, eq(B, C), not_(eq(grown(0, B), grown(0, C))))
    laws.never(not_(eq(grown(0, B), grown(0, C))))
    laws.proves(0, eq(C, D), not_(eq(position(A, B, C), position(A, B, D))))
    laws.never(not_(eq(position(A, B, C), position(A, B, D))))


def test_sums_of_sums(laws: Laws) -> None:
    """Sums of sums are compared by a member, and the sums that it has are not compared in their turn."""
    m = Symbol("m", (INT, INT), INT)

    def rows(high: Term) -> Term:
        return over("sum", A, B, lambda k: over("sum", ZERO, high, lambda n: m(k, n), always), always)

    def one_more(k: Term) -> Term:
        return add(over("sum", ZERO, C, lambda n: m(k, n), always), m(k, add(C, ONE)))

    longer = over("sum", A, B, one_more, always)
    laws.proves(1, le(ZERO, C), not_(eq(rows(add(C, ONE)), longer)), equality=True)
    laws.never(le(ZERO, C), not_(eq(rows(C), longer)))


def test_sums_above_0(laws: Laws) -> None:
    """A sum of reals above 0 is above 0, if there is one; of some that are 0 it may be 0."""
    total = over("sum", A, B, U, always)
    above = everywhere(A, B, lambda k: lt(real(0), U(k)))

    laws.proves(0, le(A, B), above, le(total, real(0)))
    laws.never(above, le(total, real(0)))
    laws.never(le(A, B), everywhere(A, B, lambda k: le(real(0), U(k))), le(total, real(0)))


def test_sums_of_what_is_not_below_0(laws: Laws) -> None:
    """Such a sum is no less than any of its addends; with one below 0 it may be."""
    total = over("sum", A, B, U, P)
    none_below = everywhere(A, B, lambda k: or_(not_(P(k)), le(real(0), U(k))))

    laws.proves(0, none_below, within(A, C, B), P(C), lt(total, U(C)))
    laws.never(within(A, C, B), P(C), lt(total, U(C)))
    laws.never(none_below, within(A, C, B), lt(total, U(C)))
    laws.never(none_below, P(C), lt(total, U(C)))


def test_machine_sums_have_no_signs(laws: Laws) -> None:
    """Sums of machine integers wrap: without negative addends they may be negative, and a product 0 without a 0."""
    positive = everywhere(A, B, lambda k: le(byte(1), W(k)))

    laws.never(positive, lt(over("sum", A, B, W), byte(0)))
    laws.never(positive, eq(over("product", A, B, W), byte(0)))
    laws.never(everywhere(A, B, lambda k: le(W(k), Z(k))), lt(over("sum", A, B, Z), over("sum", A, B, W)))
    laws.proves(0, lt(B, A), not_(eq(over("sum", A, B, W), byte(0))))
    laws.proves(0, lt(B, A), not_(eq(over("product", A, B, W), byte(1))))


@pytest.mark.parametrize(("name", "one", "two"), [
    ("sum", F, G), ("sum", U, V), ("sum", W, Z), ("product", F, G), ("product", U, V), ("product", W, Z),
])  # fmt: skip  # a table
def test_congruence(name: str, one: Symbol, two: Symbol, laws: Laws) -> None:
    """What is added up from the same is the same, in every copy; where one member is other, it is not."""
    same = everywhere(A, B, lambda k: implies(P(k), eq(one(k), two(k))))
    chosen = everywhere(A, B, lambda k: eq(P(k), Q(k)))
    ours, theirs = over(name, A, B, one), over(name, A, B, two, Q)

    laws.proves(0, same, chosen, not_(eq(ours, theirs)), equality=True)
    laws.proves(0, same, chosen, not_(eq(ours, with_copy(theirs, 1))), equality=True)
    laws.never(same, not_(eq(ours, theirs)))
    laws.never(chosen, not_(eq(ours, theirs)))
    laws.never(everywhere(A, sub(B, ONE), lambda k: eq(P(k), Q(k))), same, not_(eq(ours, theirs)))
    laws.never(same, chosen, not_(eq(ours, over("sum" if name == "product" else "product", A, B, two, Q))))


@pytest.mark.parametrize("value", [F, U, W])
def test_sum_of_one_member(value: Symbol, laws: Laws) -> None:
    """A sum of exactly one member is the value of that."""
    total, alone = over("sum", A, B, value), everywhere(A, B, lambda k: implies(P(k), eq(k, C)))

    laws.proves(0, within(A, C, B), P(C), alone, not_(eq(total, value(C))), equality=True)
    laws.never(P(C), alone, not_(eq(total, value(C))))
    laws.never(within(A, C, B), alone, not_(eq(total, value(C))))
    laws.never(within(A, C, B), P(C), not_(eq(total, value(C))))
    laws.never(within(A, C, B), P(C), alone, eq(total, value(C)))


LINK, OF = Symbol("link", (INT, INT), BOOL), Symbol("of", (INT,), INT)
E = Symbol("e", (INT,), ELEMENT)


def by_groups(value: Symbol) -> Term:
    """The sum over groups C .. D that are chosen, of the sums of the addends that each is linked to."""
    k = placeholder(INT)
    inner = over("sum", A, B, value, lambda n: LINK(k, n))
    return bind_fold("sum", C, D, k, Q(k), inner, le, None)


def none_left_out(chosen: Condition = Q) -> Term:
    """Each addend is in a group."""
    return everywhere(A, B, lambda n: implies(P(n), and_(within(C, OF(n), D), chosen(OF(n)), LINK(OF(n), n))))


def none_taken_in() -> Term:
    """What is in a group is an addend."""
    return everywhere(A, B, lambda n: everywhere(C, D, lambda k: implies(and_(Q(k), LINK(k, n)), P(n))))


ONE_GROUP_EACH = everywhere(A, B, lambda n: everywhere(C, D, lambda k: implies(LINK(k, n), eq(k, OF(n)))))


@pytest.mark.parametrize("value", [pytest.param(v, marks=pytest.mark.soak, id=v.name) for v in (F, U, W)])
def test_sums_by_groups(value: Symbol, laws: Laws) -> None:
    """A sum of sums is the sum of their addends, where each of them is in exactly one group and nothing else is."""
    differ = not_(eq(by_groups(value), over("sum", A, B, value)))

    laws.proves(1, none_left_out(), none_taken_in(), ONE_GROUP_EACH, differ, equality=True)
    laws.never(none_taken_in(), ONE_GROUP_EACH, differ)
    laws.never(none_left_out(), ONE_GROUP_EACH, differ)
    laws.never(none_left_out(), none_taken_in(), differ)
    laws.never(none_left_out(always), none_taken_in(), ONE_GROUP_EACH, differ)
    laws.never(none_left_out(), none_taken_in(), ONE_GROUP_EACH, not_(eq(by_groups(F), over("sum", A, B, G))))


def test_sums_over_indices_by_numbers(laws: Laws) -> None:
    """Of indices that are grouped by their coordinate the sum of the sums is that of all, if each is in a group."""
    i, j, k = placeholder(INDEX), placeholder(INDEX), placeholder(INT)
    whole = bind_fold_index("sum", ONE, lambda _: B, i, PI(i), H(i), le, None)
    group = and_(PI(j), eq(at(j, ZERO), k))
    inner = bind_fold_index("sum", ONE, lambda _: B, j, group, H(j), le, None)
    differ = not_(eq(bind_fold("sum", C, D, k, TRUE, inner, le, None), whole))

    assert laws.anywhere(le(C, ZERO), le(sub(B, ONE), D), differ)
    laws.never(le(C, ONE), le(sub(B, ONE), D), differ)
    laws.never(le(C, ZERO), le(sub(B, TWO), D), differ)


@pytest.mark.parametrize(("one", "two"), [(F, G), (U, V)])
def test_sums_that_are_nowhere_below(one: Symbol, two: Symbol, laws: Laws) -> None:
    """A sum whose addends are all at most those of another is at most that; so of sums only, over the same members."""
    below = everywhere(A, B, lambda k: implies(P(k), le(one(k), two(k))))
    ours, theirs = over("sum", A, B, one), over("sum", A, B, two)

    laws.proves(0, below, lt(theirs, ours), equality=True)
    laws.never(below, lt(ours, theirs))
    laws.never(everywhere(A, sub(B, ONE), lambda k: implies(P(k), le(one(k), two(k)))), lt(theirs, ours))
    laws.never(below, lt(over("product", A, B, two), over("product", A, B, one)))
    laws.never(below, lt(over("sum", A, B, two, Q), ours), everywhere(A, B, lambda k: implies(Q(k), P(k))))


def test_negative_and_different_for_different_members(laws: Laws) -> None:
    """One member may account for a sum that is less than another, and another for both being less than 0 together."""
    low, high = over("sum", A, B, U, always), over("sum", A, B, V, always)
    opposed = everywhere(A, B, lambda k: le(scale(-1, U(k)), V(k)))
    neither = everywhere(A, B, lambda k: or_(eq(U(k), V(k)), le(scale(-1, U(k)), V(k))))

    laws.proves(0, opposed, lt(high, scale(-1, low)), equality=True)
    laws.never(neither, lt(low, high), lt(high, scale(-1, low)))
    laws.never(neither, lt(high, low), lt(high, scale(-1, low)))


def test_sums_over_indices(laws: Laws) -> None:
    """Sums over the indices of shapes: of nothing, with a sign, and of the same."""
    i = placeholder(INDEX)
    whole = bind_fold_index("sum", A, lambda k: F(k), i, PI(i), H(i), le, None)
    other = bind_fold_index("sum", A, lambda k: G(k), i, PI(i), H(i), le, None)

    laws.proves(0, within(ZERO, C, sub(A, ONE)), eq(F(C), ZERO), not_(eq(whole, ZERO)))
    laws.proves(0, everywhere(ZERO, sub(A, ONE), lambda k: eq(F(k), G(k))), not_(eq(whole, other)), equality=True)
    laws.never(everywhere(ZERO, sub(A, TWO), lambda k: eq(F(k), G(k))), not_(eq(whole, other)))
    laws.never(le(A, ZERO), not_(eq(whole, ZERO)))


# ------------------------------------------------------------------------------------------------------------ positions


def there(ordinal: Term) -> Term:
    return and_(le(ZERO, ordinal), lt(ordinal, count(A, B)))


def test_positions(laws: Laws) -> None:
    """A position is that of a member with so many before it, where there are more."""
    here = position(A, B, C)

    laws.proves(0, there(C), not_(within(A, here, B)))
    laws.proves(0, there(C), not_(P(here)))
    laws.proves(0, there(C), not_(eq(count(A, sub(here, ONE)), C)))
    laws.proves(0, there(ZERO), within(A, D, sub(position(A, B, ZERO), ONE)), P(D))
    laws.never(le(ZERO, C), not_(P(here)))
    laws.never(lt(C, count(A, B)), not_(P(here)))
    laws.never(and_(le(ZERO, C), le(C, count(A, B))), not_(P(here)))
    laws.never(there(C), not_(eq(count(A, here), C)))
    laws.never(there(ONE), within(A, D, sub(position(A, B, ONE), ONE)), P(D))


def test_order_of_positions(laws: Laws) -> None:
    """A greater ordinal has a greater position, an equal one the same, and different ones are different."""
    one, two = position(A, B, C), position(A, B, D)

    laws.proves(0, there(C), there(D), lt(C, D), le(two, one))
    laws.proves(0, there(C), there(D), not_(eq(C, D)), eq(two, one))
    laws.never(there(C), there(D), le(C, D), le(two, one))
    laws.never(there(C), lt(C, D), le(two, one))


def test_congruence_of_positions(laws: Laws) -> None:
    """Positions of one ordinal among the same are the same, in other copies where there is one."""
    same = everywhere(A, B, lambda k: eq(P(k), Q(k)))
    one, two = position(A, B, C), position(A, B, D, Q)

    laws.proves(0, same, eq(C, D), not_(eq(one, two)), equality=True)
    assert laws.steps(there(C), eq(C, D), not_(eq(one, with_copy(position(A, B, D), 1))))[-1]
    laws.never(same, not_(eq(one, two)))
    laws.never(eq(C, D), not_(eq(one, two)))
    laws.never(not_(eq(one, with_copy(one, 1))))
    laws.never(lt(C, count(A, B)), not_(eq(one, with_copy(one, 1))))


# ----------------------------------------------------------------------------------------------------------- recursion


@pytest.mark.parametrize(("value", "start"), [(F, 0), (F, -1), (U, 2), (W, 0)])
def test_recursion(value: Symbol, start: int, laws: Laws) -> None:
    """A recursion has its first value at its start, and a step at each number above; nothing is said below."""
    first, sort = integer(start), value.result
    here, before = grown(start, B, value, sort), grown(start, sub(B, ONE), value, sort)
    step = joined("sum", before, value(B))

    laws.proves(0, eq(B, first), not_(eq(here, value(first))))
    laws.proves(0, lt(first, B), not_(eq(here, step)))
    laws.never(le(first, B), not_(eq(here, step)))
    laws.never(lt(B, first), not_(eq(here, step)))
    laws.never(le(B, first), not_(eq(here, value(B))))


def test_steps_of_a_recursion_are_taken_by_generation(laws: Laws) -> None:
    """A recursion is unfolded downwards as far as the effort goes."""
    laws.proves(1, eq(B, ONE), not_(eq(grown(0, B), add(F(ZERO), F(ONE)))))
    laws.proves(3, eq(B, TWO), not_(eq(grown(0, B), add(F(ZERO), F(ONE), F(TWO)))))
    laws.never(eq(B, TWO), not_(eq(grown(0, B), add(F(ZERO), F(ONE)))))


def test_states(laws: Laws) -> None:
    """A state has its first values at its start, and at each number above what its step makes of that below."""
    here = moved(0, B, C, D)
    step = add(moved(0, sub(B, ONE), add(C, ONE), sub(D, ONE)), F(B))

    laws.proves(1, eq(B, ZERO), not_(eq(here, add(F(C), G(D)))))
    laws.proves(1, lt(ZERO, B), not_(eq(here, step)))
    laws.never(le(ZERO, B), not_(eq(here, step)))
    laws.never(lt(B, ZERO), not_(eq(here, step)))
    laws.never(le(B, ZERO), not_(eq(here, add(F(C), G(D)))))
    laws.never(lt(ZERO, B), not_(eq(here, add(moved(0, sub(B, ONE), C, sub(D, ONE)), F(B)))))
    laws.never(lt(ZERO, B), not_(eq(here, add(moved(0, sub(B, ONE), add(C, ONE), D), F(B)))))


def test_states_of_all_members(laws: Laws) -> None:
    """What holds of every value one below is used for those that a step reads."""
    zero = everywhere(A, C, lambda m: eq(moved(0, sub(B, ONE), m, D), ZERO))
    reads = within(A, add(C, integer(-1)), C)

    laws.proves(1, zero, lt(ZERO, B), reads, not_(eq(moved(0, B, sub(C, ONE), add(D, ONE)), F(B))))
    laws.never(zero, lt(ZERO, B), reads, not_(eq(moved(0, B, C, add(D, ONE)), F(B))))


def test_few_steps_of_a_state_are_told_at_once(laws: Laws) -> None:
    """Up to a small number each step is told, whatever the effort."""
    three = add(F(add(C, integer(3))), G(sub(D, integer(3))), F(ONE), F(TWO), F(integer(3)))

    laws.proves(0, not_(eq(moved(0, integer(3), C, D), three)))
    laws.never(not_(eq(moved(0, integer(3), C, D), add(three, ONE))))
    laws.never(not_(eq(moved(0, integer(-1), C, D), three)))


def test_states_of_two_recursions(laws: Laws) -> None:
    """What holds of one recursion says nothing of another, nor of one from another start."""
    laws.never(not_(eq(moved(0, B, C, D), moved(0, B, C, D, G))))
    laws.never(not_(eq(moved(0, B, C, D), moved(1, B, C, D))))
    laws.never(not_(eq(moved(0, B, C, D), moved(0, add(B, ONE), C, D))))


def test_congruence_of_states(laws: Laws) -> None:
    """States of two recursions are equal where their steps are, for every member and index."""
    one, two = summed(B, C, D), summed(B, C, D, G)
    same = everywhere(ONE, B, lambda k: eq(F(k), G(k)))

    laws.proves(0, same, le(ZERO, B), not_(eq(one, two)), equality=True)
    laws.never(same, not_(eq(one, two)))
    laws.never(everywhere(ONE, sub(B, ONE), lambda k: eq(F(k), G(k))), le(ZERO, B), not_(eq(one, two)))
    laws.never(everywhere(TWO, B, lambda k: eq(F(k), G(k))), le(ZERO, B), not_(eq(one, two)))
    laws.never(same, le(ZERO, B), not_(eq(one, summed(B, C, add(D, ONE), G))))


def test_congruence_of_recursions(laws: Laws) -> None:
    """Recursions with the same steps up to their number are equal."""
    one, two = grown(0, B), grown(0, C, G)
    same = everywhere(ZERO, B, lambda k: eq(F(k), G(k)))

    laws.proves(0, same, le(ZERO, B), eq(B, C), not_(eq(one, two)), equality=True)
    laws.never(same, eq(B, C), not_(eq(one, two)))
    laws.never(same, le(ZERO, B), not_(eq(one, two)))
    laws.never(everywhere(ONE, B, lambda k: eq(F(k), G(k))), le(ZERO, B), eq(B, C), not_(eq(one, two)))
    laws.never(everywhere(ZERO, sub(B, ONE), lambda k: eq(F(k), G(k))), le(ZERO, B), eq(B, C), not_(eq(one, two)))


def test_recursions_from_other_starts(laws: Laws) -> None:
    """Recursions with one step from different starts are not compared: below its start one has no value."""
    k, below = placeholder(INT), placeholder(INT)
    body = ite(lt(D, k), add(below, ONE), ZERO)
    low, high = (recursion(start, B, k, below, body) for start in (0, 1))

    laws.never(eq(B, ZERO), lt(low, C), lt(C, high))
    laws.never(eq(B, ZERO), lt(high, C), lt(C, low))


# ---------------------------------------------------------------------------------------------------------- conversions


def test_machine_integers_are_in_range(laws: Laws) -> None:
    """The integer of a machine integer is in the range of its type, and different for different ones."""
    laws.proves(0, lt(integer(127), to_int(Y)))
    laws.proves(0, lt(to_int(Y), integer(-128)))
    laws.proves(0, lt(integer(255), to_int(N)))
    laws.proves(0, lt(to_int(N), ZERO))
    laws.proves(0, eq(to_int(W(A)), to_int(W(B))), not_(eq(W(A), W(B))))
    laws.never(eq(to_int(Y), integer(127)))
    laws.never(eq(to_int(Y), integer(-128)))
    laws.never(eq(to_int(N), integer(255)))
    laws.never(eq(to_int(W(A)), to_int(W(B))))


def test_integers_wrap(laws: Laws) -> None:
    """What fits is kept; what does not is less or more by 2 to the width, as often as needed."""
    kept = to_int(wrapped(A, BYTE))

    laws.proves(0, within(integer(-128), A, integer(127)), not_(eq(kept, A)))
    laws.proves(0, within(integer(128), A, integer(383)), not_(eq(kept, sub(A, integer(256)))))
    laws.proves(0, within(integer(-384), A, integer(-129)), not_(eq(kept, add(A, integer(256)))))
    laws.proves(0, eq(B, add(A, integer(512))), not_(eq(wrapped(B, BYTE), wrapped(A, BYTE))))
    laws.never(within(integer(-128), A, integer(128)), not_(eq(kept, A)))
    laws.never(not_(eq(kept, A)))
    laws.never(eq(A, integer(1000)), eq(kept, integer(1000 - 1024)))
    laws.never(eq(B, add(A, integer(128))), not_(eq(wrapped(B, BYTE), wrapped(A, BYTE))))


def test_wrapping_sums_of_integers(laws: Laws) -> None:
    """Conversions go with folds: the size of a shape may be an element."""
    i = placeholder(INDEX)
    whole = bind_fold_index("sum", ONE, lambda k: to_int(N), i, TRUE, H(i), le, None)

    laws.proves(0, le(to_int(N), ZERO), not_(eq(whole, ZERO)))
    laws.never(le(to_int(N), ONE), not_(eq(whole, ZERO)))


# ----------------------------------------------------------------------------------------------------------- float sums

ROUNDOFF = Fraction(1, 1 << FLOAT16.significand)


def exact(low: Term = A, high: Term = B) -> Term:
    """The sum of the exact values of floats."""
    return over("sum", low, high, lambda k: to_real(X(k)), always)


LONE = Symbol("x", (), REAL)()
LEAST = floats.to_fraction(FLOAT16, 1)


def error(of: Term) -> Term:
    """By how much the float nearest to a real is above it."""
    return sub(to_real(rounded(of, FLOAT16)), of)


def test_sums_of_floats_are_rounded(laws: Laws) -> None:
    """The float nearest to a sum of floats is finite below overflow, and off by at most the roundoff times its size."""
    total = exact()
    small = and_(lt(total, real(65520)), lt(real(-65520), total))

    for low in (real(0), total):
        side = times(real(ROUNDOFF), total)
        laws.proves(0, small, le(low, total), le(real(0), total), lt(side, error(total)))
        laws.proves(0, small, le(low, total), le(real(0), total), lt(error(total), scale(-1, side)))
        laws.proves(0, small, le(total, real(0)), lt(scale(-1, side), error(total)))
    laws.proves(0, small, element("is_infinite", rounded(total, FLOAT16)))
    laws.proves(0, small, element("is_nan", rounded(total, FLOAT16)))
    laws.proves(0, eq(total, real(0)), not_(eq(to_real(rounded(total, FLOAT16)), real(0))))
    laws.never(lt(total, real(65521)), element("is_infinite", rounded(total, FLOAT16)), lt(real(0), total))
    laws.never(small, lt(real(0), total), lt(times(real(ROUNDOFF * Fraction(99, 100)), total), error(total)))
    laws.never(small, lt(real(0), total), not_(eq(error(total), real(0))))


def test_other_reals_are_not_known_to_be_rounded(laws: Laws) -> None:
    """The rule is for sums of floats of the format that is rounded to: other reals lie between subnormals too."""
    u = Symbol("u", (), REAL)()
    wide = Symbol("wide", (INT,), FLOATS[2])

    for other in (
        u,
        over("sum", A, B, U, always),
        over("sum", A, B, lambda k: to_real(wide(k)), always),
        over("sum", A, B, lambda k: times(real(Fraction(1, 2)), to_real(X(k))), always),
        over("product", A, B, lambda k: to_real(X(k)), always),
        add(exact(), u),
    ):
        laws.never(lt(real(0), other), lt(other, real(1)), lt(times(real(ROUNDOFF), other), error(other)))


# --------------------------------------------------------------------------------------------------------- wrong rules


@dataclass(frozen=True)
class Slip:
    """A slip in the text of a rule, and formulas that can be true together, though the rule then says they can't; or
    that can't, and the rule is `needed` to see that."""

    name: str
    owner: Any
    function: str
    old: str
    new: str
    formulas: tuple[Term, ...]
    needed: bool = False
    long: bool = False
    """Solvers take seconds to see it: in `make soak` alone."""


def itself(k: Term) -> Term:
    return k


def large(k: Term) -> Term:
    return lt(integer(3), k)


def but(number: Term) -> Condition:
    return lambda k: not_(eq(k, number))


def at_most(number: Term) -> Condition:
    return lambda k: le(k, number)


def above(number: Term) -> Condition:
    return lambda k: lt(number, k)


FOLLOWING = add(B, ONE)
LESS, MORE = count(A, B), count(A, C)
SLIPS = (
    Slip("count off by one", FoldRules, "_counted", "length = add(sub(fold.high, fold.low), ONE)",
         "length = sub(fold.high, fold.low)", (le(A, B), eq(count(A, B), add(sub(B, A), ONE)))),
    Slip("a member counts twice", FoldRules, "use", "le(ONE, made)", "le(add(ONE, ONE), made)",
         (within(A, C, B), P(C), eq(count(A, B), ONE))),
    Slip("who is left out counts twice", FoldRules, "use", "sub(fold.high, fold.low)",
         "sub(sub(fold.high, fold.low), ONE)", (within(A, C, B), not_(P(C)), eq(count(A, B), sub(B, A)))),
    Slip("all are counted", FoldRules, "_counted", "or_(le(length, made), some_left_out)", "le(length, made)",
         (le(A, B), lt(count(A, B), add(sub(B, A), ONE)))),
    Slip("strict without a member", FoldRules, "_count_grows", "and_(further, longer.chosen(following))", "further",
         (lt(B, C), le(A, FOLLOWING), le(MORE, LESS))),
    Slip("strict without the last", FoldRules, "_count_grows", "and_(further, longer.chosen(last))", "further",
         (lt(B, C), le(A, FOLLOWING), le(MORE, LESS))),
    Slip("strict below the range", FoldRules, "_count_grows", "and_(lt(first, last), le(low, following))",
         "lt(first, last)", (lt(B, C), P(FOLLOWING), le(MORE, LESS))),
    Slip("strict to itself", FoldRules, "_count_grows", "and_(lt(first, last), le(low, following))",
         "and_(le(first, last), le(low, following))", (eq(B, C), le(A, B), P(C), le(LESS, MORE))),
    Slip("growing downwards", FoldRules, "_count_grows", "implies(le(first, last), and_(", "implies(TRUE, and_(",
         (lt(MORE, LESS),)),
    Slip("met later", FoldRules, "_count_grows", "lt(first, met)", "lt(following, met)",
         (eq(C, FOLLOWING), lt(LESS, MORE))),
    Slip("two left out", FoldRules, "_count_grows", "sub(last, following))", "sub(sub(last, following), ONE))",
         (lt(B, C), le(A, FOLLOWING), not_(P(C)), eq(sub(MORE, LESS), sub(sub(C, B), ONE)))),
    Slip("the last number is left out", computed, "_between", "integer_of(high) + 1", "integer_of(high)",
         (eq(over("sum", ZERO, integer(4), itself, always), integer(10)),)),
    Slip("who is not chosen is added", computed, "_added", "ite(chosen, value, nothing)", "value",
         (eq(count(ZERO, integer(9), large), integer(6)),)),
    Slip("a number that is false of is passed over", computed, "_truth_of", "return FALSE", "continue",
         (not_(everywhere(ZERO, integer(9), lambda k: not_(large(k)))),)),
    Slip("what is unknown is true", computed, "_truth_of", "if holds is not TRUE", "if False",
         (not_(everywhere(ZERO, integer(4), P)),)),
    Slip("what is unknown is not chosen", computed, "_members_of", "elif chosen is not FALSE", "elif False",
         (P(integer(7)), eq(over("greatest", ZERO, integer(20), itself), integer(7)))),
    Slip("the last step is left out", computed, "_recursion", "range(first, last + 1)", "range(first, last)",
         (eq(grown(0, integer(3), itself), integer(6)),)),
    Slip("the greatest is the least", FoldRules, "_computed_choice", "{fold.x: value, fold.y: made}",
         "{fold.y: value, fold.x: made}",
         (eq(over("greatest", ZERO, integer(20), itself, always), integer(20)),)),
    Slip("the value is of no member", FoldRules, "_computed_choice",
         "self._tell(or_(*(eq(made, value) for value in members)), context)", "pass",
         (lt(integer(210), over("greatest", ZERO, integer(20), lambda k: grown(0, k, itself), always)),), needed=True),
    Slip("no fold knows where its range ends", FoldRules, "_range", "[fold.low, fold.high]", "[fold.low]",
         (le(ZERO, B), lt(over("greatest", ZERO, B, itself, always), B)), needed=True),
    Slip("no law knows where its range ends", Candidates, "of_quantifier", "[*always, term.args[2]]", "always",
         (le(ZERO, B), everywhere(ZERO, B, lambda k: le(k, C)), lt(C, B)), needed=True),
    Slip("literals are one more", conversions, "_of_literal", "integer(integer_of(value))",
         "integer(integer_of(value) + 1)", (eq(to_int(Y), integer(5)), eq(Y, byte(5)))),
    Slip("literals are not converted", conversions, "_of_literal",
         "yield eq(make(ops.TO_INT, (value,), INT), number)", "pass",
         (not_(eq(to_int(Y), integer(5))), eq(Y, byte(5))), needed=True),
    Slip("no number is converted back", conversions, "_of_literal",
         "yield eq(make(ops.WRAPPED, (number,), value.sort), value)", "pass",
         (eq(to_int(Y), integer(5)), not_(eq(Y, byte(5)))), needed=True),
    Slip("another number is looked at", conversions, "_of_number", "-coefficient * constant", "coefficient * constant",
         (eq(to_int(Y), integer(5)), not_(eq(element("add", Y, byte(1)), byte(6)))), needed=True),
    Slip("at most is less", conversions, "_of_comparison", "said = le(one, other)", "said = lt(one, other)",
         (eq(to_int(Y), integer(5)), le(Y, byte(5)))),
    Slip("less is at most", conversions, "_of_comparison", "said = lt(one, other)", "said = le(one, other)",
         (eq(to_int(Y), integer(5)), not_(lt(Y, byte(5))))),
    Slip("NaN is ordered", conversions, "_of_comparison", "implies(_finite(a, b), eq(node, said))", "eq(node, said)",
         (element("is_nan", X(A)), not_(le(X(A), X(B))), le(to_real(X(A)), to_real(X(B))))),
    Slip("no zero is negative", conversions, "_of_sign", "le(real, zero)", "lt(real, zero)",
         (element("is_negative", X(A)), element("is_zero", X(A)), eq(to_real(X(A)), real(0)))),
    Slip("no zero is positive", conversions, "_of_sign", "le(zero, real)", "lt(zero, real)",
         (element("is_positive", X(A)), element("is_zero", X(A)), eq(to_real(X(A)), real(0)))),
    Slip("NaN is no zero", conversions, "_of_sign", "implies(finite, eq(node, eq(real, zero)))",
         "eq(node, eq(real, zero))",
         (element("is_nan", X(A)), not_(element("is_zero", X(A))), eq(to_real(X(A)), real(0)))),
    Slip("a negation changes nothing", conversions, "_of_negation", "scale(-1, real)", "real",
         (not_(element("is_nan", X(A))), not_(element("is_infinite", X(A))), eq(to_real(X(A)), real(1)),
          eq(to_real(element("neg", X(A))), real(-1)))),
    Slip("factors are added", computed, "joined", "return times(a, b)", "return add(a, b)",
         (le(A, B), P(FOLLOWING), eq(F(FOLLOWING), integer(3)), eq(over("product", A, B), TWO),
          eq(over("product", A, FOLLOWING), integer(6)))),
    Slip("machine factors are added", computed, "joined", "_MACHINE[name]", "ops.ADD",
         (le(A, B), P(FOLLOWING), eq(W(FOLLOWING), byte(3)), eq(over("product", A, B, W), byte(2)),
          eq(over("product", A, FOLLOWING, W), byte(6)))),
    Slip("product below the range", FoldRules, "_step", ", le(longer.low, last))", ")",
         (P(FOLLOWING), eq(F(FOLLOWING), TWO), eq(over("product", A, B), over("product", A, FOLLOWING)),
          eq(over("product", A, B), ONE))),
    Slip("a step of two", FoldRules, "_step", "add(shorter.high, ONE)", "add(shorter.high, add(ONE, ONE))",
         (eq(C, add(B, TWO)), le(A, B), P(C), eq(W(C), byte(0)),
          not_(eq(over("sum", A, B, W), over("sum", A, C, W))))),
    Slip("whoever is 0 makes a product 0", FoldRules, "use", "and_(member, eq(fold.value_at(name), zero))",
         "eq(fold.value_at(name), zero)", (within(A, C, B), eq(F(C), ZERO), eq(over("product", A, B), ONE))),
    Slip("machine sums have signs", FoldRules, "_added", "sort in (INT, REAL) and", "",
         (everywhere(A, B, lambda k: le(byte(0), W(k))), lt(over("sum", A, B, W), byte(0)))),
    Slip("there is but one member", FoldRules, "_alone", ", another)", ")",
         (everywhere(A, B, lambda k: eq(F(k), ONE)), P(A), eq(over("sum", A, B), TWO))),
    Slip("every name is a member", FoldRules, "use", "or_(not_(member), fold.member(self._some_member[fold.term]))",
         "fold.member(self._some_member[fold.term])", (eq(F(ZERO), F(ONE)), eq(over("sum", A, B), F(C)), lt(B, A))),
    Slip("an addend is left out", FoldEquality, "_regrouped", "or_(left_out, taken_in, in_two)",
         "or_(taken_in, in_two)", (ONE_GROUP_EACH, none_taken_in(), not_(eq(by_groups(F), over("sum", A, B))))),
    Slip("an addend is taken in", FoldEquality, "_regrouped", "or_(left_out, taken_in, in_two)",
         "or_(left_out, in_two)", (ONE_GROUP_EACH, none_left_out(), not_(eq(by_groups(F), over("sum", A, B))))),
    Slip("an addend in two groups", FoldEquality, "_regrouped", "or_(left_out, taken_in, in_two)",
         "or_(left_out, taken_in)", (none_left_out(), none_taken_in(), not_(eq(by_groups(F), over("sum", A, B))))),
    Slip("groups that are not summed", FoldEquality, "_regrouped", "outer.chosen(group), ", "",
         (ONE_GROUP_EACH, none_left_out(always), none_taken_in(), not_(eq(by_groups(F), over("sum", A, B)))),
         long=True),
    Slip("addends that are no members", FoldEquality, "_regrouped", "and_(chosen, in_no_group)", "in_no_group",
         (ONE_GROUP_EACH, none_left_out(), none_taken_in(), not_(eq(by_groups(F), over("sum", A, B)))),
         needed=True, long=True),
    Slip("groups of other addends", FoldEquality, "_regrouped", "if not same:", "if False:",
         (ONE_GROUP_EACH, none_left_out(), none_taken_in(), not_(eq(by_groups(G), over("sum", A, B)))), long=True),
    Slip("abstract elements are summed in any order", FoldEquality, "_regrouped", " and c.sort != ELEMENT", "",
         (ONE_GROUP_EACH, none_left_out(), none_taken_in(), not_(eq(by_groups(E), over("sum", A, B, E))))),
    Slip("nothing is negative", FoldRules, "_added", "or_(le(zero, made), negative)", "le(zero, made)",
         (lt(over("sum", A, B), ZERO),)),
    Slip("no addend is below 0", FoldRules, "use", "or_(guard, not_(member), le", "or_(not_(member), le",
         (within(A, C, B), P(C), lt(over("sum", A, B, U), U(C)))),
    Slip("no less than what is no addend", FoldRules, "use", "or_(guard, not_(member), le", "or_(guard, le",
         (lt(B, A), lt(over("sum", A, B, U), U(C)))),
    Slip("nothing is above 0", FoldRules, "_added", "fold.nothing, not_above", "not_above",
         (lt(B, A), eq(over("sum", A, B, U), real(0)))),
    Slip("what is 0 is above 0", FoldRules, "_added", "le(fold.value_at(low), zero)", "lt(fold.value_at(low), zero)",
         (le(A, B), everywhere(A, B, lambda k: eq(U(k), real(0))), eq(over("sum", A, B, U), real(0)))),
    Slip("a product of nothing is 0", computed, "unit", "int(name == FoldName.PRODUCT)", "0",
         (lt(B, A), eq(over("product", A, B), ONE))),
    Slip("position off by one", FoldRules, "_position", "eq(earlier, fold.otherwise)",
         "eq(earlier, add(fold.otherwise, ONE))", (there(ZERO), eq(position(A, B, ZERO), A))),
    Slip("every position is there", FoldRules, "_position", "implies(reached(fold), ", "implies(TRUE, ",
         (lt(B, A), le(ZERO, position(A, B, ZERO)))),
    Slip("as many as there are", fold_rules, "reached", "lt(position.otherwise, total)",
         "le(position.otherwise, total)", (lt(B, A), le(ZERO, position(A, B, ZERO)))),
    Slip("negative ordinals", fold_rules, "reached", "le(ZERO, position.otherwise), ", "",
         (lt(C, ZERO), le(ZERO, count(A, B)), lt(B, A), lt(position(A, B, C), A))),
    Slip("any ordinal", FoldEquality, "_congruent", "differ.append(not_(eq(one.otherwise, other.otherwise)))", "pass",
         (not_(eq(position(A, B, C), position(A, B, D))),)),
    Slip("positions choose together", FoldEquality, "_congruent", "if one.kind.copy != other.kind.copy:", "if False:",
         (not_(eq(position(A, B, C), with_copy(position(A, B, C), 1))),)),
    Slip("some member has all before it", counting, "reached_somewhere", "lt(ordinal,", "le(ordinal,",
         (lt(B, A), eq(C, ZERO), none_counted(A, B, A))),
    Slip("some member has fewer than none before it", counting, "reached_somewhere", "le(ZERO, ordinal), ", "",
         (lt(C, ZERO), none_counted(A, B, A))),
    Slip("counted from elsewhere", counting, "reached_somewhere", "fold.low is low and ", "",
         (lt(B, D), eq(C, ZERO), le(ONE, count(A, B)), none_counted(D, B, A))),
    Slip("counted with the member itself", counting, "reached_somewhere", "fold.high is sub(variable, ONE)", "True",
         (eq(C, ZERO), le(ONE, count(A, B)), none_counted(A, B, A, further=0))),
    Slip("others are counted", counting, "reached_somewhere", " and fold.chosen(variable) is rest", "",
         (eq(C, ZERO), le(ONE, count(A, B)), everywhere(A, B, lambda k: not_(Q(k))), none_counted(A, B, A, Q))),
    Slip("the last of a filtered range is left out", Members, "count", "add(sub(self.high, self.low), ONE)",
         "sub(self.high, self.low)", (eq(A, C), le(A, B), eq(count(A, B, at_most(C)), ONE))),
    Slip("what is apart counts", Members, "count", "sub(size, ONE), size)", "size, size)",
         (le(A, C), le(C, B), eq(count(A, B, but(C)), sub(B, A)))),
    Slip("what is apart is outside", Members, "count", "le(self.low, self.apart), ", "",
         (lt(C, A), le(A, B), eq(count(A, B, but(C)), add(sub(B, A), ONE)))),
    Slip("what is apart is beyond", Members, "count", ", le(self.apart, self.high)", "",
         (lt(B, C), le(A, B), eq(count(A, B, but(C)), add(sub(B, A), ONE)))),
    Slip("a filtered range ends before it begins", Members, "count", "le(self.low, self.high)",
         "le(self.low, self.low)", (lt(FOLLOWING, A), eq(count(A, B, at_most(C)), ZERO))),
    Slip("a member is passed over", Members, "at", "add(place, ONE), place)", "add(place, ONE), add(place, ONE))",
         (lt(A, C), le(C, B), eq(position(A, B, ZERO, but(C)), A))),
    Slip("what is apart is passed too late", Members, "at", "le(self.apart, place)", "le(add(self.apart, ONE), place)",
         (lt(C, B), eq(position(C, B, ZERO, but(C)), add(C, ONE)))),
    Slip("a bound is turned round", filtered, "members_of", "(lows if slope > 0 else highs)",
         "(highs if slope > 0 else lows)",
         (eq(A, ZERO), eq(B, integer(9)), eq(C, TWO), eq(count(A, B, above(C)), integer(7)))),
    Slip("a bound that is denied is kept", filtered, "members_of", "sub(bound, integer(int(slope)))", "bound",
         (lt(B, A), lt(A, C), eq(count(B, C, above(A)), sub(C, A)))),
    Slip("two steps are one", filtered, "members_of", "abs(slope) != 1 or ", "not slope or ",
         (eq(A, ZERO), eq(B, integer(9)), eq(C, integer(9)), eq(count(A, B, lambda k: le(add(k, k), C)), integer(5)))),
    Slip("a step at the start", FoldRules, "recursion", ", lt(start, last))", ")",
         (lt(B, integer(-3)), not_(eq(grown(0, B), add(grown(0, sub(B, ONE)), F(B)))))),
    Slip("always at the start", FoldRules, "recursion", "implies(eq(number, start), eq(made, first))",
         "implies(le(start, number), eq(made, first))",
         (eq(B, ONE), eq(F(ONE), ONE), eq(grown(0, B), add(grown(0, ZERO), ONE)), lt(C, B),
          not_(eq(grown(0, B), F(ONE))), not_(eq(grown(0, B), F(ZERO))))),
    Slip("two steps at once", FoldRules, "recursion", "eq(last, add(shorter.args[3], ONE))",
         "eq(last, add(shorter.args[3], add(ONE, ONE)))",
         (lt(ONE, B), not_(eq(grown(0, B), add(grown(0, sub(B, TWO)), F(B)))))),
    Slip("a state below the start", FoldRules, "_unfold_state", "implies(le(state.start, state.number), step)", "step",
         (lt(B, integer(-5)),
          not_(eq(moved(0, B, C, D), add(moved(0, sub(B, ONE), add(C, ONE), sub(D, ONE)), F(B)))))),
    Slip("a step of a state reads itself", State, "value_at", "sub(self.number, ONE)", "self.number",
         (lt(ZERO, B), eq(counter(B), add(counter(sub(B, ONE)), ONE)))),
    Slip("a state of another member", State, "value_at", "self.member: member", "self.member: self.number",
         (eq(B, ZERO), not_(eq(moved(0, B, C, D), add(F(ZERO), G(D)))))),
    Slip("a state of another index", State, "value_at", "self.position: position",
         "self.position: make(Op.INDEX, (self.variable, ZERO, ZERO), INDEX)",
         (eq(B, ZERO), not_(eq(moved(0, B, C, D), add(F(C), G(ZERO)))))),
    Slip("states are equal below the start", FoldEquality, "_same_state", "lt(first.number, first.start), ", "",
         (lt(B, ZERO), not_(eq(moved(0, B, C, D), moved(0, B, C, D, G))))),
    Slip("states are equal whatever their steps", FoldEquality, "_same_state", ", differ)", ")",
         (le(ZERO, B), not_(eq(moved(0, B, C, D), moved(0, B, C, D, G))))),
    Slip("states of different starts are compared", FoldEquality, "_same_state",
         " or first.start is not second.start", "",
         (eq(B, ONE), not_(eq(counter(B, 0), counter(B, 1))))),
    Slip("states are not compared", FoldEquality, "_same_state", "self._tell(", "(lambda *_: None)(",
         (le(ZERO, B), everywhere(ONE, B, lambda k: eq(F(k), G(k))),
          not_(eq(summed(B, C, D), summed(B, C, D, G)))), needed=True),
    Slip("one function for all states", FoldRules, "function_of", "state.template", "None",
         (not_(eq(moved(0, B, C, D), moved(0, B, C, D, G))),)),
    Slip("one function for all numbers", FoldRules, "state_at", "(state.number, *term.args[1:])",
         "(state.start, *term.args[1:])", (not_(eq(moved(0, B, C, D), moved(0, A, C, D))),)),
    Slip("equal at any number", FoldEquality, "_same_recursion", "not_(eq(last, other.args[3])), ", "",
         (le(ZERO, B), le(ZERO, C), not_(eq(grown(0, B), grown(0, C))))),
    Slip("equal below the start", FoldEquality, "_same_recursion", ", lt(last, start), differ", ", differ",
         (lt(B, ZERO), eq(B, C), not_(eq(grown(0, B), grown(0, C, G))))),
    Slip("congruent in any domain", FoldEquality, "_congruent", "differ = [apart, and_(", "differ = [and_(",
         (not_(eq(over("sum", A, B, W), over("sum", A, C, W))),)),
    Slip("congruent whatever the values", FoldEquality, "_congruent",
         "[apart, and_(in_one, not_(eq(value_one, value_other)))]", "[apart]",
         (not_(eq(over("sum", A, B, W), over("sum", A, B, Z))),)),
    Slip("below in any domain", FoldEquality, "_congruent", "or_(le(less, more), apart, ", "or_(le(less, more), ",
         (lt(over("sum", A, B), over("sum", A, C)),)),
    Slip("products are monotone", FoldEquality, "_congruent", "if one.kind.name == FoldName.SUM and c.sort",
         "if c.sort",
         (everywhere(A, B, lambda k: le(F(k), G(k))), lt(over("product", A, B, G), over("product", A, B)))),
    Slip("machine sums are monotone", FoldEquality, "_congruent", "and c.sort in (INT, REAL):", "and True:",
         (everywhere(A, B, lambda k: le(W(k), Z(k))), lt(over("sum", A, B, Z), over("sum", A, B, W)))),
    Slip("one member for two rules", FoldEquality, "_congruent", "self._opposed(one, c, other, d, start)",
         "self._tell(or_(le(scale(-1, c), d), apart, and_(in_one, lt(value_other, scale(-1, value_one)))), start)",
         (everywhere(A, B, lambda k: or_(eq(U(k), V(k)), le(scale(-1, U(k)), V(k)))),
          lt(over("sum", A, B, U, always), over("sum", A, B, V, always)),
          lt(over("sum", A, B, V, always), scale(-1, over("sum", A, B, U, always))))),
    Slip("opposed in any domain", FoldEquality, "_opposed", "not_(eq(in_one, in_other)), ", "",
         (everywhere(A, B, lambda k: le(scale(-1, U(k)), V(k))),
          lt(over("sum", A, B, V), scale(-1, over("sum", A, B, U, Q))))),
    Slip("equal in any range", FoldRules, "_grows", "or_(not_(eq(fold.high, other.high)), eq(made, value))",
         "eq(made, value)", (lt(B, C), not_(eq(over("sum", A, B, W), over("sum", A, C, W))))),
    Slip("equal at any number, met one after the other", FoldRules, "recursion",
         "or_(not_(eq(number, other.args[3])), eq(made, value))", "eq(made, value)",
         (le(ZERO, B), lt(B, C), not_(eq(grown(0, B), grown(0, C))))),
    Slip("any ordinal, met one after the other", FoldRules, "_position",
         "or_(not_(eq(fold.otherwise, ordinal)), eq(made, value))", "eq(made, value)",
         (not_(eq(position(A, B, C), position(A, B, D))),)),
    Slip("positions choose together, met one after the other", FoldRules, "_position",
         "(fold.kind, fold.template, fold.high)", "(fold.template, fold.high)",
         (not_(eq(position(A, B, C), with_copy(position(A, B, C), 1))),)),
    Slip("greatest is out of range", Grounder, "_converted", "le(number, integer(sort.greatest))",
         "le(number, integer(sort.greatest - 1))", (eq(to_int(Y), integer(127)),)),
    Slip("no range", Grounder, "_converted",
         "self.assertions.fact(and_(le(integer(sort.lowest), number), le(number, integer(sort.greatest))))", "pass",
         (lt(integer(127), to_int(Y)),), needed=True),
    Slip("turns of twice the width", Grounder, "_converted", "scale(1 << sort.width, turns)",
         "scale(2 << sort.width, turns)", (eq(A, integer(200)), eq(to_int(wrapped(A, BYTE)), integer(-56)))),
    Slip("turns of half the width", Grounder, "_converted", "scale(1 << sort.width, turns)",
         "scale(1 << (sort.width - 1), turns)",
         (eq(A, integer(200)), not_(eq(to_int(wrapped(A, BYTE)), integer(-56)))), needed=True),
    Slip("there and not back", Grounder, "_converted",
         "self.assertions.fact(eq(make(ops.WRAPPED, (number,), sort), machine))", "pass",
         (eq(to_int(W(A)), to_int(W(B))), not_(eq(W(A), W(B)))), needed=True),
    Slip("half the roundoff", float_sums, "nearest_to_sum", "2**sort.significand", "2**(sort.significand + 1)",
         (lt(real(0), exact()), lt(exact(), real(1)),
          lt(times(real(ROUNDOFF * Fraction(3, 4)), exact()), error(exact())))),
    Slip("nothing overflows", float_sums, "nearest_to_sum", "implies(within, and_(finite, *bounds))",
         "and_(finite, *bounds)",
         (eq(exact(), real(65520)), element("is_infinite", rounded(exact(), FLOAT16)))),
    Slip("overflow a step later", floats, "overflow_threshold", "(sort.significand + 1)", "(sort.significand + 2)",
         (eq(exact(), real(65520)), element("is_infinite", rounded(exact(), FLOAT16)))),
    Slip("half of half the least", float_sums, "nearest_to_real", "to_fraction(sort, 1) / 2",
         "to_fraction(sort, 1) / 4",
         (eq(LONE, real(Fraction(3, 8) * LEAST)), eq(to_real(rounded(LONE, FLOAT16)), real(0)))),
    Slip("half of the unit roundoff", float_sums, "nearest_to_real", "2**sort.significand",
         "2**(sort.significand + 1)",
         (lt(real(0), LONE), lt(LONE, real(1)), lt(real(Fraction(1, 2)), LONE),
          lt(times(real(ROUNDOFF * Fraction(3, 4)), LONE), error(LONE)))),
    Slip("no real overflows", float_sums, "nearest_to_real", "implies(within, and_(finite, *bounds))",
         "and_(finite, *bounds)",
         (eq(LONE, real(65520)), eq(to_real(rounded(LONE, FLOAT16)), real(0)),
          element("is_infinite", rounded(LONE, FLOAT16)))),
    Slip("reals are not negative", float_sums, "nearest_to_real", "(lt(zero, exact), scale(-1, exact))",
         "(lt(zero, exact), exact)", (eq(LONE, real(-1)), eq(to_real(rounded(LONE, FLOAT16)), real(-1)))),
    Slip("a real is rounded to NaN", float_sums, "nearest_to_real", "and_(not_(element(Op.IS_NAN, rounded)), ", "and_(",
         (element("is_nan", rounded(LONE, FLOAT16)), lt(real(0), to_real(rounded(LONE, FLOAT16)))), needed=True),
    Slip("0 is not the nearest to 0", float_sums, "nearest_to_real", "or_(unlike, le(side, size)), ", "",
         (eq(LONE, real(0)), not_(eq(to_real(rounded(LONE, FLOAT16)), real(0)))), needed=True),
    Slip("products of floats are rounded like sums", float_sums, "is_sum_of_floats",
         "or Fold.of(term).kind.name != FoldName.SUM", "",
         (eq(over("product", A, B, lambda k: to_real(X(k))), real(Fraction(1, 1 << 40))),
          eq(to_real(rounded(over("product", A, B, lambda k: to_real(X(k))), FLOAT16)), real(0)))),
    Slip("any sum of reals is one of floats", float_sums, "is_sum_of_floats",
         "value.op == Op.TO_REAL and value.args[0].sort == sort", "True",
         (eq(over("sum", A, B, U), real(Fraction(1, 1 << 40))),
          eq(to_real(rounded(over("sum", A, B, U), FLOAT16)), real(0)))),
)  # fmt: skip  # a table


@pytest.mark.thinned(2)
@pytest.mark.parametrize("slip", [pytest.param(s, marks=[pytest.mark.soak] * s.long, id=s.name) for s in SLIPS])
def test_slip_in_a_rule(slip: Slip, laws: Laws, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a slip in its text a rule makes a false law unsat at some step, or no longer a true one at any."""
    assert laws.anywhere(*slip.formulas) is slip.needed

    make(slip, monkeypatch)

    assert laws.anywhere(*slip.formulas) is not slip.needed


def make(slip: Slip, patch: pytest.MonkeyPatch) -> None:
    """Put the rule with the slip in the place of the right one."""
    for known in (computed.value_of, computed.members_of, computed.truth_of):
        patch.setattr(computed, known.__name__, inspect.unwrap(known))
    text = textwrap.dedent(inspect.getsource(getattr(slip.owner, slip.function)))
    assert text.count(slip.old) >= 1, slip.old
    module = slip.owner if inspect.ismodule(slip.owner) else sys.modules[slip.owner.__module__]
    space = dict(vars(module))
    exec("from __future__ import annotations\n" + text.replace(slip.old, slip.new), space)
    patch.setattr(slip.owner, slip.function, space[slip.function])
