"""The evaluator of folds, recursion and conversions, against Python's own sums, products and loops."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import product
from math import prod
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sonnx_verify.interpreter import allow_deep_calls
from sonnx_verify.logic import floats
from sonnx_verify.logic.evaluator import evaluate
from sonnx_verify.logic.evaluator_values import Undefined, wrap
from sonnx_verify.logic.sorts import BOOL, FLOATS, INDEX, INT, INTEGERS, REAL, IntegerSort, Sort, state_of
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
    div,
    element,
    eq,
    index,
    inside,
    integer,
    ite,
    le,
    literal,
    lt,
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

LOW, HIGH, ORDINAL = (Symbol(name, (), INT) for name in ("low", "high", "ordinal"))
P = Symbol("p", (INT,), BOOL)
PI = Symbol("pi", (INDEX,), BOOL)
ENDS = st.integers(-4, 4)
SETS = st.frozensets(st.integers(-5, 5))
ADDED: tuple[Sort, ...] = (INT, REAL, *INTEGERS)
each_sort = pytest.mark.parametrize("sort", ADDED, ids=str)
quickly = settings(max_examples=60, deadline=None)


def values_of(sort: Sort) -> st.SearchStrategy[Any]:
    """Values of a sort that is added up."""
    if isinstance(sort, IntegerSort):
        return st.one_of(st.sampled_from([sort.lowest, sort.greatest]), st.integers(sort.lowest, sort.greatest))
    whole = st.integers(-9, 9)
    return whole if sort == INT else st.builds(Fraction, whole, st.integers(1, 6))


def in_sort(sort: Sort, value: Any) -> Any:
    """The exact value as the sort has it."""
    return wrap(sort, value) if isinstance(sort, IntegerSort) else value


def over(name: str, value: Symbol, otherwise: Term | None = None) -> Term:
    """A fold of the values of the members that p has in low .. high."""
    k = placeholder(INT)
    if name == "count":
        return bind_count(LOW(), HIGH(), k, P(k))
    return bind_fold(name, LOW(), HIGH(), k, P(k), value(k), le, otherwise)


def outcome(term: Term, facts: dict[Symbol, Any]) -> Any:
    """The value, or "undefined"."""
    try:
        return evaluate(term, facts)
    except Undefined:
        return "undefined"


# --------------------------------------------------------------------------------------------------------------- ranges


@each_sort
@quickly
@given(data=st.data(), low=ENDS, high=ENDS, members=SETS)
def test_folds_over_ranges(sort: Sort, data: st.DataObject, low: int, high: int, members: frozenset[int]) -> None:
    """Sums, products, the greatest, the only one and how many there are, of the members in their order."""
    table = data.draw(st.fixed_dictionaries({k: values_of(sort) for k in range(-4, 5)}))
    value = Symbol("value", (INT,), sort)
    facts = {LOW: low, HIGH: high, P: lambda k: k in members, value: lambda k: table[k]}
    found = [table[k] for k in range(low, high + 1) if k in members]

    def fold(name: str, otherwise: Term | None = None) -> Any:
        return outcome(over(name, value, otherwise), facts)

    # A number that every sort has.
    default = literal(Fraction(1) if sort == REAL else 1, sort)
    alike = len(set(found)) == 1
    assert fold("sum") == in_sort(sort, sum(found))
    assert fold("product") == in_sort(sort, prod(found))
    assert fold("count") == len(found)
    assert fold("greatest") == (max(found) if found else "undefined")
    assert fold("greatest", default) == max(found, default=1)
    assert fold("the") == (found[0] if alike else "undefined")
    assert fold("the", default) == (found[0] if alike else "undefined" if found else 1)


@each_sort
def test_values_have_the_form_of_their_sort(sort: Sort) -> None:
    """What is added up over nothing is a value as literals of the sort have it: it can be written down again."""
    value = Symbol("value", (INT,), sort)
    facts = {LOW: 1, HIGH: 0, P: lambda k: True, value: lambda k: None}
    for name, expected in (("sum", 0), ("product", 1)):
        found = evaluate(over(name, value), facts)

        assert literal(found, sort).payload == expected


@quickly
@given(low=ENDS, high=ENDS, ordinal=ENDS, members=SETS)
def test_positions(low: int, high: int, ordinal: int, members: frozenset[int]) -> None:
    """The position of an ordinal is the member with so many before it; where there is none it has no value."""
    k = placeholder(INT)
    term = bind_position(LOW(), HIGH(), k, P(k), ORDINAL())
    found = [k for k in range(low, high + 1) if k in members]
    facts = {LOW: low, HIGH: high, ORDINAL: ordinal, P: lambda k: k in members}

    assert outcome(term, facts) == (found[ordinal] if 0 <= ordinal < len(found) else "undefined")
    assert outcome(with_copy(term, 1), facts) == outcome(term, facts)


@quickly
@given(low=ENDS, high=ENDS, members=SETS)
def test_nested_folds(low: int, high: int, members: frozenset[int]) -> None:
    """A fold in the condition, the value and the bounds of another sees the variables of those around it."""
    k, m = placeholder(INT), placeholder(INT)
    before = bind_count(LOW(), k, m, P(m))
    inner = bind_fold("sum", sub(k, ONE), add(k, before), m, le(m, before), times(k, m), le, None)
    term = bind_fold("sum", LOW(), bind_count(LOW(), HIGH(), m, P(m)), k, lt(ZERO, before), inner, le, None)
    counted = {k: sum(m in members for m in range(low, k + 1)) for k in range(-10, 12)}
    expected = sum(
        k * m
        for k in range(low, counted[high] + 1)
        if counted[k] > 0
        for m in range(k - 1, k + counted[k] + 1)
        if m <= counted[k]
    )

    assert evaluate(term, {LOW: low, HIGH: high, P: lambda k: k in members}) == expected


@pytest.mark.parametrize("sort", INTEGERS, ids=str)
@quickly
@given(data=st.data())
def test_product_of_equal_factors(sort: IntegerSort, data: st.DataObject) -> None:
    """A product of one factor, again and again, wraps: that of more factors than a range may have too. Where no factor
    is asked for it need not have a value."""
    x, p = Symbol("x", (INT,), sort), Symbol("p", (), BOOL)
    k, factor = placeholder(INT), data.draw(values_of(sort))
    low, count = data.draw(ENDS), data.draw(st.one_of(st.integers(-3, 9), st.integers(0, 1 << 62)))
    facts = {LOW: low, HIGH: low + count - 1}
    term = bind_fold("product", LOW(), HIGH(), k, p(), x(ZERO), le, None)

    def nowhere(_: int) -> int:
        raise Undefined("no value")

    expected = in_sort(sort, pow(factor, max(count, 0), 1 << 64))
    assert count > 9 or expected == in_sort(sort, prod([factor] * count))
    assert evaluate(term, {**facts, p: True, x: lambda _: factor}) == expected
    assert evaluate(term, {**facts, p: False, x: nowhere}) == 1
    assert outcome(term, {**facts, p: True, x: nowhere}) == ("undefined" if count > 0 else 1)


# ----------------------------------------------------------------------------------------------------------- index sets

SHAPES = st.lists(st.integers(-1, 3), max_size=3)


@each_sort
@quickly
@given(data=st.data(), sizes=SHAPES)
def test_folds_over_indices(sort: Sort, data: st.DataObject, sizes: list[int]) -> None:
    """The same over the indices of a shape, whose axes are counted from the right; a size below 1 leaves none."""
    rank, size = Symbol("rank", (), INT), Symbol("size", (INT,), INT)
    value = Symbol("value", (INDEX,), sort)
    everywhere = list(product(*(range(n) for n in reversed(sizes))))
    table = {i: data.draw(values_of(sort)) for i in everywhere}
    chosen = {i for i in everywhere if data.draw(st.booleans())}

    def written(position: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(reversed((*position, *[0] * (len(sizes) - len(position)))))

    facts = {
        rank: len(sizes),
        size: lambda k: sizes[k],
        PI: lambda i: written(i) in chosen,
        value: lambda i: table[written(i)],
    }
    found = [table[i] for i in everywhere if i in chosen]

    def fold(name: str) -> Any:
        i = placeholder(INDEX)
        what = ONE if name == "count" else value(i)
        return outcome(bind_fold_index(name, rank(), lambda k: size(k), i, PI(i), what, le, None), facts)

    assert fold("sum") == in_sort(sort, sum(found))
    assert fold("product") == in_sort(sort, prod(found))
    assert fold("count") == len(found)
    assert fold("greatest") == (max(found) if found else "undefined")
    assert fold("the") == (found[0] if len(set(found)) == 1 else "undefined")


@pytest.mark.parametrize("rank", [-1, 0])
def test_a_shape_without_axes_has_one_index(rank: int) -> None:
    """A shape of rank 0 has the index of no coordinates, which is inside it; so has what would have fewer axes."""
    i, place = placeholder(INDEX), Symbol("i", (), INDEX)
    counted = bind_fold_index("count", integer(rank), lambda k: ZERO, i, TRUE, ONE, le, None)
    axis = placeholder(INT)
    within = inside(place(), integer(rank), axis, ZERO)

    assert evaluate(counted, {}) == 1
    assert evaluate(within, {place: ()}) is True
    assert evaluate(within, {place: (1,)}) is False


# ------------------------------------------------------------------------------------------------------------ recursion


def step_by_step(start: int, number: Term, body: Callable[[Term, Term], Term], sort: Sort) -> Term:
    k, below = placeholder(INT), placeholder(sort)
    return recursion(start, number, k, below, body(k, below))


def loop(start: int, number: int, first: Any, step: Callable[[int, Any], Any]) -> Any:
    """What a recursion is to Python."""
    if number < start:
        return "undefined"
    value = first
    for k in range(start + 1, number + 1):
        value = step(k, value)
    return value


@each_sort
@quickly
@given(data=st.data(), start=st.integers(-3, 3), number=st.integers(-5, 6))
def test_recursion(sort: Sort, data: st.DataObject, start: int, number: int) -> None:
    """The first value at the start, and a step for each number above it; below the start there is no value."""
    table = data.draw(st.fixed_dictionaries({k: values_of(sort) for k in range(-5, 7)}))
    value = Symbol("value", (INT,), sort)

    def grown(k: Term, below: Term) -> Term:
        if isinstance(sort, IntegerSort):
            return element("add", element("mul", below, below), value(k))
        return add(scale(2, below), value(k))

    term = step_by_step(start, HIGH(), lambda k, below: ite(le(k, integer(start)), value(k), grown(k, below)), sort)
    expected = loop(
        start,
        number,
        table[start],
        lambda k, x: wrap(sort, x * x + table[k]) if isinstance(sort, IntegerSort) else 2 * x + table[k],
    )

    assert outcome(term, {HIGH: number, value: lambda k: table[k]}) == expected


@quickly
@given(start=st.integers(-2, 2), number=st.integers(-2, 4), members=SETS)
def test_recursion_of_truth(start: int, number: int, members: frozenset[int]) -> None:
    """A recursion may give a bool, and may have binders in its steps."""

    def body(k: Term, below: Term) -> Term:
        return ite(eq(k, integer(start)), P(k), eq(below, exists(k, add(k, ONE), P)))

    expected = loop(start, number, start in members, lambda k, x: x == bool({k, k + 1} & members))

    assert outcome(step_by_step(start, HIGH(), body, BOOL), {HIGH: number, P: lambda k: k in members}) == expected


@pytest.mark.parametrize("start", [-1, 0, 2])
def test_reading_below_the_start(start: int) -> None:
    """A step that is read at the start has nothing below it: no value. It does not matter where nothing is read."""
    always = step_by_step(start, HIGH(), lambda k, below: add(below, ONE), INT)
    guarded = step_by_step(start, HIGH(), lambda k, below: ite(P(k), k, add(below, ONE)), INT)

    for number in (start, start + 3):
        assert outcome(always, {HIGH: number}) == "undefined"
        assert outcome(guarded, {HIGH: number, P: lambda k: False}) == "undefined"
        assert outcome(guarded, {HIGH: number, P: lambda k: k == start}) == number
        assert outcome(guarded, {HIGH: number, P: lambda k: True}) == number


def test_nothing_is_left_below_the_start() -> None:
    """What another recursion had below is not there at the start of the next one."""
    other = step_by_step(0, HIGH(), lambda k, below: ite(le(k, ZERO), k, add(below, k)), INT)
    always = step_by_step(0, HIGH(), lambda k, below: add(below, ONE), INT)

    assert {n.payload for n in (*other.args[:2], *always.args[:2])} == {1, 2}
    assert outcome(and_(le(ZERO, other), le(ZERO, always)), {HIGH: 3}) == "undefined"


@quickly
@given(start=st.integers(-1, 1), number=st.integers(-1, 4), factor=st.integers(-2, 2))
def test_recursion_in_recursion(start: int, number: int, factor: int) -> None:
    """The steps of a recursion may be another, up to its number and with its value below."""

    def outer(k: Term, below: Term) -> Term:
        inner = step_by_step(start, k, lambda m, x: ite(eq(m, integer(start)), k, add(scale(factor, x), m)), INT)
        return ite(eq(k, integer(start)), inner, add(below, inner))

    def inner_loop(k: int) -> int:
        result: int = loop(start, k, k, lambda m, x: factor * x + m)
        return result

    expected = loop(start, number, start, lambda k, x: x + inner_loop(k))

    assert outcome(step_by_step(start, HIGH(), outer, INT), {HIGH: number}) == expected


# --------------------------------------------------------------------------------------------------------------- states


def stateful(start: int, number: Term, body: Callable[[Term, Callable[..., Term], Term, Term], Term]) -> Term:
    k, below, m, i = placeholder(INT), placeholder(state_of(INT)), placeholder(INT), placeholder(INDEX)
    return state(start, number, (k, below, m, i), body(k, lambda m, i: state_at(below, m, i), m, i))


def single(k: Term) -> Term:
    return index(ONE, lambda axis: k)


MOVES: dict[str, tuple[Callable[..., Term], Callable[..., int]]] = {
    "as it is": (lambda k, m, j: m, lambda k, m, j: m),
    "the next": (lambda k, m, j: add(m, ONE), lambda k, m, j: m + 1),
    "exchanged": (lambda k, m, j: j, lambda k, m, j: j),
    "by the number": (lambda k, m, j: sub(k, m), lambda k, m, j: k - m),
    "always one": (lambda k, m, j: ONE, lambda k, m, j: 1),
}


@quickly
@given(
    start=st.integers(-2, 2),
    number=st.integers(-3, 14),
    member=st.integers(0, 2),
    place=st.integers(0, 2),
    moves=st.lists(st.sampled_from(list(MOVES)), min_size=4, max_size=4),
    factor=st.integers(-2, 2),
)
def test_states(start: int, number: int, member: int, place: int, moves: list[str], factor: int) -> None:
    """Each step of a state may read two others of the one below; the values are those of a recursive function."""
    terms = [MOVES[name][0] for name in moves]
    numbers = [MOVES[name][1] for name in moves]

    def body(k: Term, below: Callable[..., Term], m: Term, i: Term) -> Term:
        j = at(i, ZERO)
        a, b, c, d = (move(k, m, j) for move in terms)
        step = add(below(a, single(b)), scale(factor, below(c, single(d))), k)
        return ite(eq(k, integer(start)), add(scale(10, m), j), step)

    @cache
    def value(k: int, m: int, j: int) -> int:
        if k == start:
            return 10 * m + j
        a, b, c, d = (move(k, m, j) for move in numbers)
        return value(k - 1, a, b) + factor * value(k - 1, c, d) + k

    term = state_at(stateful(start, HIGH(), body), LOW(), single(ORDINAL()))
    expected = "undefined" if number < start else value(number, member, place)

    assert outcome(term, {HIGH: number, LOW: member, ORDINAL: place}) == expected


def test_states_share_their_values() -> None:
    """All numbers of a recursion are computed once, however many values are asked for, and in however many steps."""
    asked: list[int] = []
    size, steps = 5, 1500
    value = Symbol("value", (INT,), INT)

    def body(k: Term, below: Callable[..., Term], m: Term, i: Term) -> Term:
        a = placeholder(INT)
        mixed = bind_fold("sum", ZERO, integer(size - 1), a, TRUE, below(m, single(a)), le, None)
        return ite(eq(k, ZERO), at(i, ZERO), sub(value(k), mixed))

    k, j = placeholder(INT), placeholder(INT)
    inner = state_at(stateful(0, k, body), ZERO, single(j))
    of_step = bind_fold("sum", ZERO, integer(size - 1), j, TRUE, inner, le, None)

    def read(k: int) -> int:
        asked.append(k)
        return 10 if k < 3 else 0

    evaluate(bind_fold("sum", ZERO, integer(9), k, TRUE, of_step, le, None), {value: read})
    assert len(asked) == size * 9
    allow_deep_calls()
    assert evaluate(state_at(stateful(0, integer(steps), body), ZERO, single(ONE)), {value: read}) != 0
    assert evaluate(bind_fold("sum", ZERO, integer(30), k, TRUE, of_step, le, None), {value: lambda k: 0}) != 0


def test_what_has_no_value_in_a_state() -> None:
    """A value that nobody reads need not be there; one that is read has to, and nothing is below the start."""

    def body(k: Term, below: Callable[..., Term], m: Term, i: Term) -> Term:
        return ite(eq(k, ZERO), div(integer(6), m), below(add(m, ONE), i))

    term = state_at(stateful(0, HIGH(), body), LOW(), single(ZERO))

    assert outcome(term, {HIGH: 2, LOW: 0}) == 3
    assert outcome(term, {HIGH: 20, LOW: -19}) == 6
    assert outcome(term, {HIGH: 20, LOW: -20}) == "undefined"
    assert outcome(term, {HIGH: 0, LOW: 0}) == "undefined"
    assert outcome(term, {HIGH: -1, LOW: 1}) == "undefined"
    below = state_at(stateful(0, HIGH(), lambda k, below, m, i: add(below(m, i), ONE)), ZERO, single(ZERO))
    assert outcome(below, {HIGH: 3}) == "undefined"


def test_states_of_two_interpretations() -> None:
    """What was computed for one interpretation, or for one value of a variable around, is not taken for another."""
    value = Symbol("value", (INT,), INT)

    def of(a: Term) -> Term:
        def body(k: Term, below: Callable[..., Term], m: Term, i: Term) -> Term:
            return ite(eq(k, ZERO), a, add(below(m, i), value(k)))

        return state_at(stateful(0, HIGH(), body), ZERO, single(ZERO))

    a = placeholder(INT)
    term = bind_fold("sum", ZERO, integer(2), a, TRUE, of(a), le, None)

    assert outcome(term, {HIGH: 2, value: lambda k: k}) == 3 + 3 * 3
    assert outcome(term, {HIGH: 2, value: lambda k: 2 * k}) == 3 + 3 * 6


# ---------------------------------------------------------------------------------------------------------- conversions


@pytest.mark.parametrize("sort", INTEGERS, ids=str)
@quickly
@given(data=st.data())
def test_integers_and_machine_integers(sort: IntegerSort, data: st.DataObject) -> None:
    """A machine integer stands for itself; an integer wraps to the one that is equal modulo 2 to the width. Literals
    are converted when they are built."""
    number = data.draw(st.one_of(st.integers(-300, 300), st.integers(-(1 << 66), 1 << 66)))
    value = data.draw(values_of(sort))
    n, x = Symbol("n", (), INT), Symbol("x", (), sort)
    expected = number % (1 << sort.width)
    if sort.signed and expected >> (sort.width - 1):
        expected -= 1 << sort.width

    assert evaluate(wrapped(n(), sort), {n: number}) == expected
    assert wrapped(integer(number), sort) is literal(expected, sort)
    assert evaluate(to_int(x()), {x: value}) == value
    assert to_int(literal(value, sort)) is integer(value)
    assert wrapped(to_int(x()), sort) is x()
    assert to_int(wrapped(n(), sort)) is not n()


@pytest.mark.parametrize("one", INTEGERS, ids=str)
def test_between_machine_integers(one: IntegerSort) -> None:
    """From one type to another is through the integer: what fits is kept, what does not wraps."""
    for other in INTEGERS:
        x = Symbol("x", (), one)
        for value in (one.lowest, -1 if one.signed else 1, one.greatest):
            there = evaluate(wrapped(to_int(x()), other), {x: value})

            assert (there == value) is (other.lowest <= value <= other.greatest)
            assert (there - value) % (1 << other.width) == 0


def test_integers_as_reals() -> None:
    """An integer as a real is that number, a fraction."""
    n = Symbol("n", (), INT)

    assert evaluate(to_real(n()), {n: -3}) == Fraction(-3)
    assert isinstance(evaluate(to_real(n()), {n: -3}), Fraction)
    assert to_real(integer(5)) is literal(Fraction(5), REAL)


@pytest.mark.parametrize("sort", FLOATS, ids=str)
@quickly
@given(data=st.data())
def test_reals_and_floats(sort: Any, data: st.DataObject) -> None:
    """The real of a float is exact, and rounds to that float, whose zero has no sign left; what is not finite has
    none. Another real rounds to one of its neighbours, whichever is nearer."""
    bits = floats.canonical(sort, data.draw(st.integers(0, (1 << sort.width) - 1)))
    x, r = Symbol("x", (), sort), Symbol("r", (), REAL)
    if floats.is_nan(sort, bits) or floats.is_infinite(sort, bits):
        assert outcome(to_real(x()), {x: bits}) == "undefined"
        return
    exact = evaluate(to_real(x()), {x: bits})
    again = evaluate(rounded(to_real(x()), sort), {x: bits})

    assert exact == floats.to_fraction(sort, bits)
    assert again == (0 if exact == 0 else bits)
    if abs(exact) < floats.to_fraction(sort, floats.greatest(sort)) and exact:
        following = floats.to_fraction(sort, bits + 1)
        part = data.draw(st.fractions(0, 1))
        between = exact + part * (following - exact)
        nearest = floats.to_fraction(sort, evaluate(rounded(r(), sort), {r: between}))

        assert abs(nearest - between) == min(abs(exact - between), abs(following - between))


def test_a_shape_may_depend_on_elements() -> None:
    """Conversions stand where integers do: a size that is an element."""
    sort = INTEGERS[3]
    x, i, read = Symbol("x", (), sort), placeholder(INDEX), Symbol("read", (INDEX,), sort)
    total = bind_fold_index("sum", integer(2), lambda k: to_int(x()), i, TRUE, read(i), le, None)
    facts = {x: 3, read: lambda i: 10 * (i[0] if i else 0) + (i[1] if len(i) > 1 else 0)}

    assert evaluate(total, facts) == 3 * 10 * (0 + 1 + 2) + 3 * (0 + 1 + 2)
    assert evaluate(at(Symbol("j", (), INDEX)(), to_int(x())), {x: 1, Symbol("j", (), INDEX): (4, 5)}) == 5
