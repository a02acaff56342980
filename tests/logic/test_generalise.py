"""What is asked with free functions in the place of parts says of every function what was said of the parts."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Sequence
from functools import partial
from types import ModuleType
from typing import Any

import pytest

from sonnx_verify.logic.effort import Effort
from sonnx_verify.logic.evaluator import compile_term, evaluate, without_memory
from sonnx_verify.logic.evaluator_values import Undefined
from sonnx_verify.logic.generalise import Generalised, Parts, generalised
from sonnx_verify.logic.nodes import number_of
from sonnx_verify.logic.sorts import BOOL, INT
from sonnx_verify.logic.terms import TRUE, Symbol, Term, add, and_, at, eq, forall, forall_index, le, lt, not_, or_
from sonnx_verify.logic.witness import Expansion
from sonnx_verify.solving.solvers import Query
from tests.logic.built import fold

# Formulas in which parts are replaced; many more of them where there is time.
LAWS = 2000 if os.environ.get("SONNX_SOAK") == "1" else 12

A, B = Symbol("a", (), INT)(), Symbol("b", (), INT)()
F, G = Symbol("f", (INT,), INT), Symbol("g", (INT,), INT)
R = Symbol("r", (INT, INT), BOOL)


def related(k: Term) -> Term:
    """A condition with a quantifier in it."""
    return forall(A, B, lambda n: R(k, n))


def total(value: Callable[[Term], Term], condition: Callable[[Term], Term] = related) -> Term:
    """The sum over what meets a condition."""
    return fold("sum", A, B, condition, value)


def of_two(body: Callable[[Term, Term], Term]) -> Term:
    """A formula in which a condition on two numbers stands twice."""

    def inner(k: Term, n: Term) -> Term:
        part = body(k, n)
        return and_(or_(part, R(k, n)), or_(not_(part), R(n, k)))

    return forall(A, B, lambda k: forall(A, B, lambda n: inner(k, n)))


def meaning_of(made: Generalised, facts: dict[Symbol, Any]) -> dict[Symbol, Any]:
    """The interpretation with each function as the part that it stands for."""
    given = dict(facts)

    def function(variables: Sequence[Term], part: Term) -> Callable[..., Any]:
        numbers = [number_of(v) for v in variables]
        return lambda *args: compile_term(part)(dict(zip(numbers, args, strict=True)), given)

    given |= {symbol: function(*meaning) for symbol, meaning in made.meanings.items()}
    return given


def test_shared_condition() -> None:
    """A condition that two sums share is one function of its member; one that stands once is left."""
    made = generalised([eq(total(F), total(G))])
    once = [eq(total(F), total(G, lambda k: TRUE))]

    assert made is not None
    ((symbol, (variables, part)),) = made.meanings.items()
    assert symbol.arguments == (INT,)
    assert part == forall(A, B, lambda n: R(variables[0], n))
    assert made.formulas == [eq(total(F, symbol), total(G, symbol))]
    assert generalised(once) is None


def test_parts_of_other_scopes() -> None:
    """Parts are the same whatever the numbers of their variables, and other parts are other functions."""
    opposite = [forall(A, B, lambda k: le(F(k), total(lambda n: add(F(n), total(F, lambda m: related(m))))))]
    made = generalised([*opposite, lt(total(G), total(F, lambda k: forall(A, B, lambda n: R(n, k))))])

    assert made is not None
    assert len(made.meanings) == 1


def test_parts_of_two_variables() -> None:
    """A function takes each variable of its part, in its place."""
    differs = of_two(lambda k, n: forall(A, B, lambda m: or_(R(k, m), R(m, n))))
    made = generalised([differs])

    assert made is not None
    ((symbol, ((first, second), part)),) = made.meanings.items()
    assert part == forall(A, B, lambda m: or_(R(second, m), R(m, first)))
    assert made.formulas == [of_two(lambda k, n: symbol(n, k))]


def test_parts_that_can_be_read_both_ways() -> None:
    """A condition that is the same with two variables exchanged is its function both ways, wherever it stands."""
    same = of_two(lambda k, n: forall(A, B, lambda m: eq(R(k, m), R(n, m))))
    exchanged = of_two(lambda k, n: forall(A, B, lambda m: eq(R(n, m), R(k, m))))
    not_the_same = of_two(lambda k, n: forall(A, B, lambda m: or_(R(k, m), lt(F(n), m))))
    made, other = generalised([same, exchanged]), generalised([not_the_same])

    assert made is not None
    assert other is not None
    ((symbol, _),) = made.meanings.items()
    assert made.formulas == [of_two(lambda k, n: and_(symbol(n, k), symbol(k, n)))] * 2
    ((symbol, _),) = other.meanings.items()
    assert other.formulas in ([of_two(symbol)], [of_two(lambda k, n: symbol(n, k))])


def test_parts_with_folds() -> None:
    """Only where that is asked for, parts with folds in them are replaced."""

    def above_sum(k: Term) -> Term:
        return le(total(G, lambda n: R(k, n)), F(k))

    formulas = [eq(total(F, above_sum), total(G, above_sum))]
    made = generalised(formulas, Parts.ALL)

    assert generalised(formulas) is None
    assert made is not None
    ((symbol, _),) = made.meanings.items()
    assert made.formulas == [eq(total(F, symbol), total(G, symbol))]


def test_a_law_of_any_condition(submit: Callable[[Sequence[Term]], Query]) -> None:
    """Sums of the smaller addends are smaller, whatever the condition: known with fewer assertions. What is false of
    some condition is not said to be true."""
    smaller = forall(A, B, lambda k: le(F(k), G(k)))
    law = [smaller, lt(total(G), total(F))]
    false = [smaller, lt(total(G), total(F, lambda k: and_(related(k), lt(k, B))))]
    effort = Effort(0, 3)
    sizes = []
    for formulas, status in ((law, "unsat"), (false, "sat")):
        made = generalised(formulas)
        assert made is not None
        ground, whole = (Expansion(effort).run(list(f)) for f in (made.formulas, formulas))
        sizes.append(len(ground) < len(whole))
        assert {a.status for a in submit(ground).result().values()} == {status}
    assert sizes == [True, True]


@pytest.mark.parametrize("which", list(Parts))
def test_same_truth_in_every_interpretation(which: Parts, generate: ModuleType, generate_folds: ModuleType) -> None:
    """With the functions as the parts that they stand for, random formulas say what they said before."""
    rng = random.Random(20260311)

    def doubled(formula: Term, k: Term) -> Term:
        return and_(R(k, k), formula)

    def drawn(source: Any, k: Term, n: Term) -> Term:
        made: Term = source.formula(2, 1, (k, n))
        return made

    compared = 0
    for number in range(LAWS):
        source = generate_folds.FoldFormulas(rng) if number % 2 else generate.Formulas(rng)
        formulas = [source.closed() for _ in range(3)]
        # What is doubled is met twice, so that there is something to replace.
        formulas += [not_(forall(A, B, partial(doubled, formula))) for formula in formulas]
        formulas.append(of_two(partial(drawn, source)))
        made = generalised(formulas, which)
        if made is None:
            continue
        symbols = list(dict.fromkeys(s for f in formulas for s in generate.symbols_of(f)))
        for facts in generate.interpretations(symbols, rng, 6):
            try:
                expected = [evaluate(f, facts) for f in formulas]
                given = meaning_of(made, without_memory(facts))
            except Undefined:
                continue
            assert [evaluate(f, given) for f in made.formulas] == expected
            compared += 1
    assert compared > LAWS // 2


def test_conditions_with_folds_and_the_shapes_of_indices() -> None:
    """A repeated condition is replaced whatever is in it, and so is a size with a fold in it, which stands once; the
    folds themselves are not."""

    def below_sum(k: Term) -> Term:
        return forall(A, B, lambda m: le(total(G, lambda n: R(k, n)), F(m)))

    def inside(body: Callable[[Term], Term]) -> Term:
        return forall_index(A, lambda k: total(F, lambda n: R(k, n)), body)

    formulas = [inside(lambda i: eq(total(F, below_sum), at(i, total(G, below_sum))))]
    made = generalised(formulas, Parts.CONDITIONS)

    assert made is not None
    condition, size = sorted(made.meanings, key=lambda symbol: str(symbol.result))
    assert [len(s.arguments) for s in (condition, size)] == [1, 1]
    assert made.formulas == [forall_index(A, size, lambda i: eq(total(F, condition), at(i, total(G, condition))))]
