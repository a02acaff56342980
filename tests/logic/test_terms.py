"""Laws of the builders: sharing, canonical numbers, substitution, simplification, digests, sorts and size."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from sonnx_verify.logic.evaluator import compile_term, evaluate
from sonnx_verify.logic.evaluator_values import Undefined
from sonnx_verify.logic.nodes import number_of
from sonnx_verify.logic.operators import OPERATORS
from sonnx_verify.logic.shown import show
from sonnx_verify.logic.smtlib import script
from sonnx_verify.logic.sorts import BOOL, ELEMENT, FLOATS, INDEX, INT, INTEGERS, REAL, state_of
from sonnx_verify.logic.terms import (
    FALSE,
    ONE,
    TRUE,
    ZERO,
    FoldKind,
    SortError,
    Symbol,
    Term,
    add,
    and_,
    apply,
    at,
    bind_count,
    bind_fold_index,
    bind_forall,
    bind_position,
    boolean,
    div,
    element,
    eq,
    forall,
    forall_index,
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
    state,
    state_at,
    sub,
    substitute,
    subterms,
    times,
    to_int,
    to_real,
    with_copy,
    wrapped,
)
from tests.logic.built import exists, fold

ROOT = Path(__file__).resolve().parents[2]
A, B, X = Symbol("a", (), INT), Symbol("b", (), INT), Symbol("x", (), INT)
F, G = Symbol("f", (INT,), INT), Symbol("g", (INT, INT), INT)
P, C = Symbol("p", (INT,), BOOL), Symbol("c", (), BOOL)
I, H = Symbol("i", (), INDEX), Symbol("h", (INDEX,), INT)  # noqa: E741 - an index is called i
DEEP = 3000


# ------------------------------------------------------------------------------------------------- sharing and numbers


def binders() -> dict[str, Callable[[str], Term]]:
    """One builder for each binder; the argument only says how often fresh variables are drawn before."""

    def made(build: Callable[[], Term]) -> Callable[[str], Term]:
        def after(draws: str) -> Term:
            for _ in draws:
                placeholder(INT)
            return build()

        return after

    return {
        "forall": made(lambda: forall(ZERO, A(), lambda k: exists(k, B(), lambda m: le(G(k, m), F(m))))),
        "forall_index": made(lambda: forall_index(A(), lambda k: F(k), lambda i: le(H(i), at(i, B())))),
        "greatest": made(lambda: fold("greatest", A(), B(), lambda k: P(k), lambda k: F(k), otherwise=ONE)),
        "least": made(lambda: fold("greatest", A(), B(), lambda k: P(k), lambda k: F(k), lambda x, y: le(y, x))),
        "the": made(lambda: fold("the", A(), B(), lambda k: forall(A(), k, lambda m: P(add(k, m))), lambda k: F(k))),
        "sum": made(lambda: fold("sum", A(), B(), lambda k: TRUE, lambda k: F(k))),
        "product": made(lambda: fold("product", A(), B(), P, lambda k: fold("sum", k, B(), P, F))),
        "count": made(lambda: counted(lambda k: exists(A(), k, lambda m: P(add(k, m))))),
        "position": made(lambda: positioned(lambda k: exists(A(), k, lambda m: P(add(k, m))))),
        "fold_index": made(lambda: over_shape(lambda k: F(k), lambda i: add(H(i), at(i, B())))),
        "recursion": made(lambda: stepwise(lambda k, below: add(below, fold("sum", A(), k, P, F)))),
        "state": made(lambda: stateful(lambda k, below, m, i: add(below(F(m), i), fold("sum", at(i, m), k, P, F)))),
        "index": made(lambda: index(A(), lambda k: add(F(k), k))),
    }


def counted(chosen: Callable[[Term], Term]) -> Term:
    k = placeholder(INT)
    return bind_count(A(), B(), k, chosen(k))


def positioned(chosen: Callable[[Term], Term]) -> Term:
    k = placeholder(INT)
    return bind_position(A(), B(), k, chosen(k), A())


def over_shape(size: Callable[[Term], Term], value: Callable[[Term], Term]) -> Term:
    i = placeholder(INDEX)
    return bind_fold_index("greatest", A(), size, i, le(ZERO, H(i)), value(i), le, ONE)


def stepwise(body: Callable[[Term, Term], Term]) -> Term:
    k, below = placeholder(INT), placeholder(INT)
    return recursion(0, A(), k, below, body(k, below))


def stateful(body: Callable[[Term, Callable[[Term, Term], Term], Term, Term], Term]) -> Term:
    k, below, m, i = placeholder(INT), placeholder(state_of(INT)), placeholder(INT), placeholder(INDEX)
    return state(0, A(), (k, below, m, i), body(k, lambda m, i: state_at(below, m, i), m, i))


@pytest.mark.parametrize("name", binders())
def test_alpha_equal_binders_are_one_object(name: str) -> None:
    """Binders that differ in the variables they were built with are the same object."""
    build = binders()[name]

    assert build("xxx") is build("")
    assert canonical(build("x"))


def test_different_orders_are_different_folds() -> None:
    """The greatest by the reversed order is another term, and so is a fold over another range or with an else."""
    parts: tuple[Callable[[Term], Term], Callable[[Term], Term]] = (lambda k: P(k), lambda k: F(k))
    folds = {
        fold("greatest", A(), B(), *parts),
        fold("greatest", A(), B(), *parts, lambda x, y: le(y, x)),
        fold("greatest", B(), A(), *parts),
        fold("greatest", A(), B(), *parts, otherwise=ONE),
        fold("the", A(), B(), *parts),
        fold("sum", A(), B(), *parts),
    }

    assert len(folds) == 6


def canonical(term: Term) -> bool:
    """Whether each binder has the number that its depth says."""
    for node in subterms(term):
        for position, scope in OPERATORS[node.op].binds:
            second = (node.op, position) in (("fold", 6), ("fold_index", 7), ("recursion", 1))
            offset = position + 1 if node.op == "state" else 1 + second
            if node.args[position].payload != max(node.args[s].binders for s in scope) + offset:
                return False
    return True


def test_bound_variables_are_not_free() -> None:
    """A binder takes its variable out of what is free, where it scopes and nowhere else."""
    v = placeholder(INT)

    assert forall(v, A(), lambda k: le(F(k), v)).free == {v}
    assert forall(ZERO, A(), lambda k: le(F(k), k)).free == frozenset()


def test_number_of_an_enclosing_binder() -> None:
    """A variable is numbered one above the deepest binder that it scopes over."""
    inner = exists(ZERO, A(), lambda k: P(k))
    outer = forall(ZERO, A(), lambda m: or_(P(m), inner))

    assert (inner.binders, outer.binders, outer.args[0].payload) == (1, 2, 2)


# --------------------------------------------------------------------------------------------------------- substitution


def test_no_capture_by_a_binder_around() -> None:
    """A value with a binder of the same number goes under a binder, which takes a new number."""
    v = placeholder(INT)
    value = fold("sum", ZERO, A(), lambda k: forall(ZERO, k, P), F)
    direct = forall(ZERO, B(), lambda m: le(G(m, value), F(m)))
    outer = forall(ZERO, B(), lambda m: le(G(m, v), F(m)))

    assert (outer.args[0].payload, value.args[0].payload) == (1, 2)
    assert substitute(outer, {v: value}) is direct
    assert canonical(direct)


def test_nested_renumbering() -> None:
    """Three binders are renumbered at once, from numbers that overlap with the new ones."""

    def nested(t: Term) -> Term:
        return forall(
            ZERO,
            A(),
            lambda k: exists(
                k, B(), lambda m: forall(m, A(), lambda n: lt(G(add(k, n), G(m, t)), G(add(n, m), G(k, n))))
            ),
        )

    v = placeholder(INT)
    value = fold("sum", ZERO, A(), lambda k: exists(k, B(), lambda m: lt(F(m), F(k))), lambda k: F(k))

    assert substitute(nested(v), {v: value}) is nested(value)
    assert canonical(nested(value))


def test_no_capture_of_an_open_value() -> None:
    """A value that depends on an outer variable keeps it, under binders of its own and of the term."""
    v = placeholder(INT)
    inner = exists(ZERO, A(), lambda m: P(add(m, v)))
    direct = forall(
        ZERO, B(), lambda k: exists(ZERO, A(), lambda m: P(add(m, fold("sum", ZERO, k, lambda n: P(n), F))))
    )

    def body(k: Term) -> Term:
        return substitute(inner, {v: fold("sum", ZERO, k, lambda n: P(n), F)})

    assert forall(ZERO, B(), body) is direct


def test_order_of_a_fold_is_renumbered() -> None:
    """The two variables of a fold's order stay two, also when what they scope over becomes deeper."""
    v = placeholder(INT)

    def build(t: Term) -> Term:
        return fold("greatest", ZERO, A(), lambda k: P(k), lambda k: F(k), lambda x, y: le(G(x, t), G(y, t)))

    value = fold("sum", ZERO, B(), lambda k: exists(ZERO, k, lambda m: P(m)), lambda k: k)

    assert substitute(build(v), {v: value}) is build(value)
    assert canonical(build(value))


@pytest.mark.parametrize("folds", [False, True])
def test_substitution_commutes_with_evaluation(folds: bool, generate: ModuleType, generate_folds: ModuleType) -> None:
    """The value of a term with t for v is its value where v means what t means; numbers stay canonical."""
    rng = random.Random(7)
    formulas = generate_folds.FoldFormulas(rng) if folds else generate.Formulas(rng)
    compared = 0
    for _ in range(400):
        v, w = placeholder(INT), placeholder(INT)
        term = formulas.formula(3, 2, (v, w))
        value = formulas.number(3, 2, (w,))
        substituted = substitute(term, {v: value})

        assert v not in substituted.free
        assert canonical(substituted) or not canonical(term)

        symbols = sorted({*generate.symbols_of(term), *generate.symbols_of(value)}, key=lambda s: s.name)
        for facts in list(generate.interpretations(symbols, rng, 6))[-6:]:
            outer = {number_of(w): rng.randint(-1, 2)}
            try:
                direct = compile_term(substituted)(dict(outer), facts)
                meaning = compile_term(value)(dict(outer), facts)
                expected = compile_term(term)({**outer, number_of(v): meaning}, facts)
            except Undefined:
                continue
            compared += 1

            assert expected == direct, (term, value, facts)
    assert compared > 1000


def test_substitution_of_nothing() -> None:
    """A term in which the variable does not occur is itself."""
    term = forall(ZERO, A(), lambda k: P(k))

    assert substitute(term, {placeholder(INT): ONE}) is term


# --------------------------------------------------------------------------------------------------------------- copies


def test_copies() -> None:
    """A copy differs exactly where folds are, in each fold also of folds, and copying again forgets the last copy."""
    inner = fold("the", ZERO, A(), lambda k: P(k), lambda k: F(k))
    term = forall(ZERO, A(), lambda m: le(inner, fold("greatest", ZERO, m, lambda k: P(k), lambda k: add(k, inner))))
    copy = with_copy(term, 1)
    kinds = [n.payload.copy for n in subterms(copy) if isinstance(n.payload, FoldKind)]

    assert copy is not term
    assert kinds == [1, 1]
    assert with_copy(copy, 2) is with_copy(term, 2)
    assert with_copy(copy, 0) is term
    assert with_copy(le(A(), B()), 1) is le(A(), B())


@pytest.mark.parametrize("name", ["product", "count", "recursion"])
def test_no_copies_where_nothing_is_chosen(name: str) -> None:
    """What is added up or recurs has one value: it has copies of what is chosen in it, and none of its own."""
    term = binders()[name]("")

    assert with_copy(term, 1) is term


@pytest.mark.parametrize("name", ["position", "fold_index"])
def test_copies_of_every_choice(name: str) -> None:
    """What is chosen has copies, whatever it is chosen from."""
    term = binders()[name]("")
    copy = with_copy(term, 1)

    assert copy is not term
    assert {n.payload.copy for n in subterms(copy) if isinstance(n.payload, FoldKind)} == {1}
    assert with_copy(copy, 0) is term
    assert canonical(copy)


def test_copies_mean_the_same(generate: ModuleType, generate_folds: ModuleType) -> None:
    """The evaluator gives a copy the value of its original."""
    rng = random.Random(11)
    formulas = generate.Formulas(rng), generate_folds.FoldFormulas(rng)
    for n in range(200):
        term = formulas[n % 2].formula(3, 2)
        for facts in list(generate.interpretations(generate.symbols_of(term), rng, 3))[-3:]:
            assert outcome(term, facts) == outcome(with_copy(term, 1), facts), term


def outcome(term: Term, facts: dict[Symbol, Any]) -> object:
    try:
        return evaluate(term, facts)
    except Undefined:
        return "undefined"


# ------------------------------------------------------------------------------------------------------- simplification


def comparison(rng: random.Random, k: Term, ends: tuple[Term, ...]) -> Term:
    """A comparison of k with an end of its range, or near it: most are decided by the range."""
    other = add(rng.choice([*ends, *ends, A(), B(), F(k)]), integer(rng.randint(-2, 2)))
    relations: list[Callable[[Term, Term], Term]] = [le, lt, eq]
    return rng.choice(relations)(*rng.sample([k, other], 2))


def bodies(seed: int, ends: tuple[Term, Term]) -> tuple[Callable[[Term], Term], Callable[[Term], Term]]:
    """A condition and a value that depend on k and its range, the same at each call."""

    def condition(k: Term) -> Term:
        rng = random.Random(seed)
        part = [comparison(rng, k, ends) for _ in range(4)]
        inner = forall(k, ends[1], lambda m: or_(comparison(rng, m, (k, ends[1])), lt(F(m), F(k)), part[3]))
        return rng.choice([and_, or_])(or_(part[0], not_(part[1])), or_(part[2], inner))

    def value(k: Term) -> Term:
        rng = random.Random(seed + 1)
        return ite(comparison(rng, k, ends), add(k, F(k)), ite(comparison(rng, k, ends), F(k), k))

    return condition, value


ENDS = ((A(), B()), (ZERO, B()), (A(), integer(2)), (F(A()), F(B())), (ZERO, integer(1)), (integer(-1), integer(2)))


def small_facts(rng: random.Random) -> dict[Symbol, Any]:
    table = {n: rng.randint(-2, 3) for n in range(-9, 12)}
    return {A: rng.randint(-2, 2), B: rng.randint(-2, 3), F: lambda n: table.get(n, 0)}


def test_forall_keeps_its_meaning() -> None:
    """What a range decides in a body, and what is written out, is what holds of each number of the range by itself."""
    rng = random.Random(3)
    for seed in range(150):
        low, high = ENDS[seed % len(ENDS)]
        condition, _ = bodies(seed, (low, high))
        built = forall(low, high, condition), exists(low, high, condition)
        for _ in range(6):
            facts = small_facts(rng)
            first, last = evaluate(low, facts), evaluate(high, facts)
            each = [evaluate(condition(integer(k)), facts) for k in range(first, last + 1)]

            assert (all(each), any(each)) == tuple(evaluate(t, facts) for t in built), (seed, facts)


@pytest.mark.parametrize("name", ["greatest", "least", "sum", "the"])
def test_fold_keeps_its_meaning(name: str) -> None:
    """A fold is that of the values of the numbers that meet the condition, each taken by itself."""
    rng = random.Random(5)
    compared = 0
    for seed in range(120):
        low, high = ENDS[seed % len(ENDS)]
        condition, value = bodies(seed, (low, high))
        kind, order = ("greatest", lambda x, y: le(y, x)) if name == "least" else (name, le)
        otherwise = None if name == "sum" else integer(17)
        built = fold(kind, low, high, condition, value, order, otherwise)
        for _ in range(6):
            facts = small_facts(rng)
            span = range(evaluate(low, facts), evaluate(high, facts) + 1)
            members = [integer(k) for k in span if evaluate(condition(integer(k)), facts)]
            values = [evaluate(value(k), facts) for k in members]
            if name == "the" and len(set(values)) > 1:
                assert outcome(built, facts) == "undefined"
                continue
            take: dict[str, Callable[[list[int]], int]] = {"greatest": max, "least": min, "sum": sum, "the": max}
            expected = take[name](values) if values or name == "sum" else 17
            compared += 1

            assert expected == evaluate(built, facts), (seed, facts)
    assert compared > 100


def test_ranges_decide_comparisons() -> None:
    """A comparison with the ends of a range is decided inside, and one that reaches beyond them is not."""
    inside = forall(A(), B(), lambda k: or_(and_(le(A(), k), le(k, B()), lt(k, add(B(), ONE))), P(k)))
    beyond = forall(A(), B(), lambda k: or_(le(add(A(), ONE), k), P(k)))

    assert inside is TRUE
    assert beyond is not TRUE
    assert forall(A(), B(), lambda k: or_(lt(k, A()), P(k))) is forall(A(), B(), lambda k: P(k))


def test_short_ranges_are_written_out() -> None:
    """A quantifier over up to three values is a junction, over none it is true."""
    assert forall(ZERO, integer(2), lambda k: P(k)) is and_(P(ZERO), P(ONE), P(integer(2)))
    assert forall(ONE, ZERO, lambda k: P(k)) is TRUE
    assert exists(ONE, ZERO, lambda k: P(k)) is FALSE
    assert forall(ZERO, integer(3), lambda k: P(k)).op == "forall"


def test_bind_forall_is_forall() -> None:
    """Both ways to bind give the same object."""
    v = placeholder(INT)

    assert bind_forall(ZERO, A(), v, P(v)) is forall(ZERO, A(), lambda k: P(k))


def test_comparison_and_its_negation() -> None:
    """Of integers, a <= b and b < a exclude each other and exhaust, whatever is added on either side."""
    one, other = le(add(A(), ONE), F(B())), lt(F(B()), add(ONE, A()))

    assert and_(one, other) is FALSE
    assert or_(one, other) is TRUE
    assert le(A(), A()) is TRUE
    assert eq(add(A(), ONE), A()) is FALSE


# -------------------------------------------------------------------------------------------------------------- digests

_PROGRAM = """
import random, sys
from sonnx_verify.logic.smtlib import script
from sonnx_verify.logic.sorts import BOOL, INT
from sonnx_verify.logic.terms import *
from sonnx_verify.logic.effort import LADDER
from sonnx_verify.logic.witness import Expansion
from tests.logic.built import fold

symbols = {name: Symbol(name, (), INT) for name in "abcdefgh"}
f, p = Symbol("fun", (INT, INT), INT), Symbol("p", (INT,), BOOL)
def atom(n):
    return f(symbols["abcdefgh"[n % 8]](), integer(n))
def build(n):
    chosen = fold("greatest", atom(n), atom(n + 1), lambda k: p(k), lambda k: add(k, f(k, atom(n + 2))))
    return eq(add(atom(n), times(atom(n + 1), atom(n + 2)), chosen), add(atom(n + 3), chosen, times(chosen, atom(n))))
order = list(range(12))
seed = int(sys.argv[1])
if seed:
    for n in range(50 * seed):
        build(n + 5)
        placeholder(INT)
    random.Random(seed).shuffle(order)
made = {n: build(n) for n in order}
for n in sorted(made):
    print(made[n].digest)
print(script(Expansion(LADDER[-1]).run([made[n] for n in sorted(made)])))
"""


def test_texts_do_not_depend_on_the_order_of_construction() -> None:
    """Other processes that build the same terms in other orders, after others, hash seeds apart, print the same."""
    texts = set()
    for seed in ("0", "1", "2"):
        run = subprocess.run(
            [sys.executable, "-c", _PROGRAM, seed],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        )
        texts.add(run.stdout)

    assert len(texts) == 1
    assert b"(assert " in texts.pop()


def test_digests_tell_terms_apart(generate: ModuleType, generate_folds: ModuleType) -> None:
    """Different terms have different digests, and literals of different sorts are different terms."""
    drawn = (generate.Formulas(random.Random(13)), generate_folds.FoldFormulas(random.Random(13)))
    terms = {n for formulas in drawn for _ in range(200) for n in subterms(formulas.closed())}
    literals = {boolean(True), ONE, literal(Fraction(1), REAL), *(literal(1, s) for s in (*INTEGERS, *FLOATS))}

    assert len({t.digest for t in terms}) == len(terms)
    assert len({t.digest for t in literals}) == len(literals) == 20


# ---------------------------------------------------------------------------------------------------------------- sorts

X8, U8 = (literal(1, INTEGERS[n]) for n in (0, 4))
HALF = literal(0, FLOATS[1])
THIRD = literal(Fraction(1, 3), REAL)
E = Symbol("e", (), ELEMENT)


def over_indices(
    name: str,
    rank: Term = ONE,
    size: Term = ONE,
    chosen: Term = TRUE,
    value: Term = ONE,
    variable: Term | None = None,
) -> Term:
    """A fold over the indices of a shape."""
    return bind_fold_index(name, rank, lambda k: size, variable or placeholder(INDEX), chosen, value, le, ONE)


ILL_SORTED: dict[str, Callable[[], object]] = {
    "literal: bool as int": lambda: literal(True, INT),
    "literal: int as bool": lambda: literal(1, BOOL),
    "literal: float as int": lambda: literal(1.0, INT),
    "literal: int as real": lambda: literal(1, REAL),
    "literal: too great": lambda: literal(128, INTEGERS[0]),
    "literal: negative unsigned": lambda: literal(-1, INTEGERS[4]),
    "literal: pattern too wide": lambda: literal(1 << 16, FLOATS[1]),
    "literal: negative pattern": lambda: literal(-1, FLOATS[1]),
    "literal: index": lambda: literal((), INDEX),
    "literal: element": lambda: literal(0, ELEMENT),
    "apply: too few": lambda: apply(G, A()),
    "apply: too many": lambda: F(A(), B()),
    "apply: other sort": lambda: F(TRUE),
    "not": lambda: not_(A()),
    "and": lambda: and_(TRUE, A()),
    "or": lambda: or_(A()),
    "ite: condition": lambda: ite(A(), A(), B()),
    "ite: branches": lambda: ite(C(), A(), TRUE),
    "=": lambda: eq(A(), THIRD),
    "= of widths": lambda: eq(X8, U8),
    "<=": lambda: le(A(), THIRD),
    "<= of bools": lambda: le(C(), C()),
    "< of indices": lambda: lt(I(), I()),
    "< of signs": lambda: lt(X8, U8),
    "+": lambda: add(A(), THIRD),
    "+ of machine integers": lambda: add(X8, X8),
    "-": lambda: sub(A(), HALF),
    "*": lambda: times(A(), THIRD),
    "* of elements": lambda: times(E(), E()),
    "div of reals": lambda: div(THIRD, THIRD),
    "element: int": lambda: element("add", A(), A()),
    "element: mixed": lambda: element("add", X8, U8),
    "element: one of two": lambda: element("add", X8),
    "element: two of one": lambda: element("neg", X8, X8),
    "element: no such": lambda: element("and", X8, X8),
    "element: abstract": lambda: element("neg", E()),
    "float: of integers": lambda: element("is_nan", X8),
    "float: two of one": lambda: element("is_nan", HALF, HALF),
    "forall: range": lambda: forall(C(), A(), lambda k: TRUE),
    "forall: body": lambda: forall(ZERO, A(), lambda k: k),
    "forall_index: rank": lambda: forall_index(TRUE, lambda k: k, lambda i: eq(i, I())),
    "forall_index: size": lambda: forall_index(A(), lambda k: TRUE, lambda i: eq(i, I())),
    "forall_index: body": lambda: forall_index(A(), lambda k: k, H),
    "fold: name": lambda: fold("first", ZERO, A(), lambda k: TRUE, lambda k: k),
    "fold: range": lambda: fold("sum", ZERO, THIRD, lambda k: TRUE, lambda k: k),
    "fold: condition": lambda: fold("sum", ZERO, A(), lambda k: k, lambda k: k),
    "fold: sum of floats": lambda: fold("sum", ZERO, A(), lambda k: TRUE, lambda k: HALF),
    "fold: product of floats": lambda: fold("product", ZERO, A(), lambda k: TRUE, lambda k: HALF),
    "fold: sum of bools": lambda: fold("sum", ZERO, A(), lambda k: TRUE, lambda k: C()),
    "fold: count of values": lambda: fold("count", ZERO, A(), lambda k: TRUE, lambda k: k),
    "count: range": lambda: bind_count(ZERO, C(), placeholder(INT), TRUE),
    "count: condition": lambda: bind_count(ZERO, A(), placeholder(INT), A()),
    "position: range": lambda: bind_position(THIRD, A(), placeholder(INT), TRUE, ZERO),
    "position: condition": lambda: bind_position(ZERO, A(), placeholder(INT), A(), ZERO),
    "position: ordinal": lambda: bind_position(ZERO, A(), placeholder(INT), TRUE, THIRD),
    "position: no ordinal": lambda: fold("position", ZERO, A(), lambda k: TRUE, lambda k: ONE),
    "fold_index: name": lambda: over_indices("position"),
    "fold_index: rank": lambda: over_indices("sum", rank=THIRD),
    "fold_index: size": lambda: over_indices("sum", size=TRUE),
    "fold_index: condition": lambda: over_indices("sum", chosen=ONE),
    "fold_index: variable": lambda: over_indices("sum", variable=placeholder(INT)),
    "recursion: number": lambda: recursion(0, THIRD, placeholder(INT), placeholder(INT), ONE),
    "recursion: variable": lambda: recursion(0, A(), placeholder(REAL), placeholder(INT), ONE),
    "recursion: below": lambda: recursion(0, A(), placeholder(INT), placeholder(REAL), ONE),
    "to_int: int": lambda: to_int(A()),
    "to_int: float": lambda: to_int(HALF),
    "wrapped: to int": lambda: wrapped(A(), INT),
    "wrapped: real": lambda: wrapped(THIRD, INTEGERS[0]),
    "to_real: machine integer": lambda: to_real(X8),
    "to_real: real": lambda: to_real(THIRD),
    "rounded: int": lambda: rounded(A(), FLOATS[1]),
    "rounded: to int": lambda: rounded(THIRD, INT),
    "fold: else": lambda: fold("the", ZERO, A(), lambda k: TRUE, lambda k: k, otherwise=TRUE),
    "index: rank": lambda: index(TRUE, lambda k: k),
    "index: coordinate": lambda: index(A(), lambda k: TRUE),
    "at: index": lambda: at(A(), A()),
    "at: axis": lambda: at(I(), TRUE),
}


@pytest.mark.parametrize("case", ILL_SORTED)
def test_ill_sorted(case: str) -> None:
    """No term is made from arguments of sorts that do not fit."""
    with pytest.raises(SortError):
        ILL_SORTED[case]()


# ----------------------------------------------------------------------------------------------------------------- size


@cache
def chain(name: str) -> tuple[Term, dict[Symbol, Any], object]:
    """A term as deep as DEEP, a meaning of its symbols, and its value there."""
    conditions = [Symbol(f"c{n}", (), BOOL) for n in range(DEEP)]
    numbers = [Symbol(f"x{n}", (), INT) for n in range(DEEP)]
    facts: dict[Symbol, Any] = {X: 5, A: 7, F: lambda n: n + 1, **dict.fromkeys(conditions, True)}
    facts |= {s: n for n, s in enumerate(numbers)}
    term = X()
    truth = C()
    facts[C] = False
    match name:
        case "additions":
            for s in numbers:
                term = add(term, s())
            return term, facts, 5 + sum(range(DEEP))
        case "applications":
            for _ in numbers:
                term = F(term)
            return term, facts, 5 + DEEP
        case "ites":
            for c, s in zip(conditions, numbers, strict=True):
                term = ite(c(), term, s())
            return term, facts, 5
        case "negations":
            for n, c in enumerate(conditions):
                truth = not_(and_(truth, c())) if n % 2 else not_(or_(truth, not_(c())))
            return truth, facts, truth_of(DEEP)
        case _:
            raise ValueError(name)


def truth_of(depth: int) -> bool:
    value = False
    for n in range(depth):
        value = not (value and True) if n % 2 else not (value or False)
    return value


CHAINS = ("additions", "applications", "ites", "negations")


@pytest.fixture
def room() -> Iterator[None]:
    """The walks are recursive: the recursion limit is raised as the command line raises it."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(50000)
    yield
    sys.setrecursionlimit(before)


@pytest.mark.parametrize("name", CHAINS)
def test_deep_terms_are_built_and_printed(name: str) -> None:
    """Depth is no limit to building a term and to printing it."""
    term, _, _ = chain(name)
    closed = term if term.sort == BOOL else le(ZERO, term)
    text = script([closed])

    assert text.count("(") == text.count(")")
    assert len(text) < 150 * DEEP


@pytest.mark.parametrize("name", CHAINS)
@pytest.mark.usefixtures("room")
def test_deep_terms_are_evaluated(name: str) -> None:
    """Depth is no limit to evaluating a term."""
    term, facts, expected = chain(name)

    assert evaluate(term, facts) == expected


@pytest.mark.parametrize("name", CHAINS)
@pytest.mark.usefixtures("room")
def test_deep_terms_are_substituted_in_and_copied(name: str) -> None:
    """Depth is no limit to substitution, to copying and to showing."""
    term, _, _ = chain(name)
    v = placeholder(term.sort)
    value = FALSE if term.sort == BOOL else ZERO
    again = and_(v, term) if term.sort == BOOL else add(v, term)

    assert with_copy(term, 1) is term
    assert substitute(again, {v: value}) is (FALSE if term.sort == BOOL else term)
    assert show(term).count("(") > 0

    # The variable at the bottom of the chain, too.
    bottom = v
    for n in range(DEEP):
        bottom = F(bottom) if term.sort == INT else not_(and_(bottom, C())) if n % 2 else not_(or_(bottom, C()))
    if name != "additions":
        assert v not in substitute(bottom, {v: value}).free


def doubled(depth: int, step: Callable[[Term], Term]) -> Term:
    term = X()
    for _ in range(depth):
        term = step(term)
    return term


def test_shared_terms_print_in_linear_size() -> None:
    """A term whose tree is exponential in its depth has a text that is linear in it, and an evaluation too."""
    term = doubled(40, lambda t: ite(C(), add(t, A()), add(t, B())))
    facts = {X: 0, A: 1, B: 2, C: False}
    sizes = [len(script([le(ZERO, doubled(n, lambda t: ite(C(), add(t, A()), add(t, B()))))])) for n in (10, 20, 40)]

    assert sizes[2] - sizes[1] < 3 * (sizes[1] - sizes[0])
    assert evaluate(term, facts) == 80
    assert len(list(subterms(term))) < 40 * 5


def test_shared_arguments_print_in_linear_size() -> None:
    """So it is where both branches are arguments of one application."""
    sizes = [len(script([le(ZERO, doubled(n, lambda t: G(t, t)))])) for n in (10, 20, 40)]

    assert sizes[2] - sizes[1] < 3 * (sizes[1] - sizes[0])


def test_shared_arguments_are_evaluated_once() -> None:
    """A subterm that is used twice is not evaluated twice at every level."""
    calls = 0

    def g(a: int, b: int) -> int:
        nonlocal calls
        calls += 1
        return a + b

    assert evaluate(doubled(12, lambda t: G(t, t)), {X: 1, G: g}) == 1 << 12
    assert calls < 100
