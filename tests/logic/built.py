"""Terms from functions of their variables, as tests write them. The package builds over variables that it has."""

from __future__ import annotations

from collections.abc import Callable

from sonnx_verify.logic.folds import Order, bind_fold
from sonnx_verify.logic.sorts import INT
from sonnx_verify.logic.terms import Term, forall, le, not_, placeholder


def exists(low: Term, high: Term, body: Callable[[Term], Term]) -> Term:
    """For some integer from `low` to `high`."""
    return not_(forall(low, high, lambda k: not_(body(k))))


def fold(
    name: str,
    low: Term,
    high: Term,
    condition: Callable[[Term], Term],
    body: Callable[[Term], Term],
    order: Order = le,
    otherwise: Term | None = None,
) -> Term:
    """A fold of `body(k)` over the k in low..high that meet the condition."""
    variable = placeholder(INT)
    return bind_fold(name, low, high, variable, condition(variable), body(variable), order, otherwise)
