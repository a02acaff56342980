"""Sums of floats in an order that numpy chooses: what is said of them holds of numpy's own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sonnx_verify.arrays.evaluator.known import DTYPES
from sonnx_verify.conformance.symbolic.cells import constant, input_cell
from sonnx_verify.conformance.symbolic.folds import fold, is_tree
from sonnx_verify.conformance.symbolic.trace import Trace, Unsupported, running
from sonnx_verify.conformance.symbolic.trees import HALF_SUMS, with_sums_named
from sonnx_verify.logic.evaluator import evaluate
from sonnx_verify.logic.float_sums import SUM_BY_ADDITIONS
from sonnx_verify.logic.sorts import FLOATS, FloatSort
from sonnx_verify.logic.terms import Symbol, Term, apply, element

each_sort = pytest.mark.parametrize("sort", FLOATS, ids=lambda sort: sort.name)


def drawn(rng: np.random.Generator, sort: FloatSort, count: int) -> np.ndarray[Any, Any]:
    """Numbers of many sizes and both signs, now and then an infinity or a NaN."""
    made = (rng.standard_normal(count) * 2.0 ** rng.integers(-8, 8, count)).astype(DTYPES[sort])
    if rng.random() < 0.3:
        made[rng.integers(count)] = rng.choice([np.inf, -np.inf, np.nan])
    return made


def bits(value: Any, sort: FloatSort) -> object:
    return constant(value, sort).payload


@each_sort
def test_numpy_s_own_sum_is_one_of_them(sort: FloatSort) -> None:
    """The facts of a sum are true of what numpy gives, for few elements and many, and false of a sum that is off."""
    rng = np.random.default_rng(5)
    wrong = 0
    for count in (2, 3, 8, 9, 40):
        cells = [input_cell(f"x{n}", sort) for n in range(count)]
        with running(Trace([])):
            term = fold("add", cells, sort)
        (named,), facts, rules = with_sums_named([term])
        assert is_tree(term)
        assert isinstance(named.payload, Symbol)
        assert rules == {SUM_BY_ADDITIONS} | ({HALF_SUMS} if sort.name == "float16" else set())
        for _ in range(6):
            values = drawn(rng, sort, count)
            given: dict[Any, object] = {c.args[0].payload: bits(v, sort) for c, v in zip(cells, values, strict=True)}
            with np.errstate(all="ignore"):
                own = np.add.reduce(values)
                off = own + DTYPES[sort].type(1000)
            assert all(evaluate(f, {**given, named.payload: bits(own, sort)}) is True for f in facts), values
            wrong += any(evaluate(f, {**given, named.payload: bits(off, sort)}) is False for f in facts)
    assert wrong > 10


@each_sort
def test_additions_that_are_written_out_are_one_sum(sort: FloatSort) -> None:
    """A tree of additions is named as a whole; a lone one beside it by itself, and 0 adds nothing."""
    x, y, z = (input_cell(name, sort) for name in "xyz")
    whole, alone = element("add", element("add", x, y), z), element("add", x, z)
    named, facts, rules = with_sums_named([whole, alone, element("add", of_zero(sort), x)])

    assert len(facts) == 2
    assert rules == {SUM_BY_ADDITIONS}
    assert [term.op for term in named] == ["apply", "apply", "add"]


def of_zero(sort: FloatSort) -> Term:
    return constant(0.0, sort)


def test_products_are_refused() -> None:
    """numpy multiplies in an order of its own too, of which no rule says anything."""
    cells = [apply(Symbol(name, (), FLOATS[0])) for name in "xy"]
    with running(Trace([])), pytest.raises(Unsupported, match=r"numpy\.multiply\.reduce of floats"):
        fold("multiply", cells, FLOATS[0])


def test_one_element_may_have_met_a_zero() -> None:
    """Of -0 alone numpy may give either zero."""
    sort = FLOATS[1]
    with running(Trace([])):
        made = fold("add", [constant(-0.0, sort)], sort)
    choice = made.args[0].payload

    assert isinstance(choice, Symbol)
    assert {evaluate(made, {choice: held}) for held in (False, True)} == {bits(0.0, sort), bits(-0.0, sort)}
