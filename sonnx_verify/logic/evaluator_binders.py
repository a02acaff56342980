"""The reference evaluator of quantifiers and indices. Trusted."""

from __future__ import annotations

from collections.abc import Callable

from sonnx_verify.logic.evaluator_values import (
    Code,
    Compile,
    Environment,
    Interpretation,
    Value,
    coordinate,
    indices_of,
    on_each_axis,
    range_of,
    stripped,
)
from sonnx_verify.logic.nodes import Term, number_of
from sonnx_verify.logic.operators import Op


def _forall(term: Term, compile_term: Compile) -> Code:
    variable, low, high, body = term.args
    number = number_of(variable)
    first, last, inner = compile_term(low), compile_term(high), compile_term(body)

    # The first counterexample ends it. Behind it the body may be undefined: `for all k in 0 .. n : k < count and P(k)`.
    def run(env: Environment, facts: Interpretation) -> Value:
        for k in range_of(first(env, facts), last(env, facts)):
            env[number] = k
            if not inner(env, facts):
                return False
        return True

    return run


def _forall_index(term: Term, compile_term: Compile) -> Code:
    variable, rank, axis, dim, body = term.args
    number, inner = number_of(variable), compile_term(body)
    sizes = on_each_axis(compile_term(rank), compile_term(dim), number_of(axis))

    def run(env: Environment, facts: Interpretation) -> Value:
        for position in indices_of(sizes(env, facts)):
            env[number] = position
            if not inner(env, facts):
                return False
        return True

    return run


def _index(term: Term, compile_term: Compile) -> Code:
    variable, rank, body = term.args
    coordinates = on_each_axis(compile_term(rank), compile_term(body), number_of(variable))
    return lambda env, facts: stripped(coordinates(env, facts))


def _inside(term: Term, compile_term: Compile) -> Code:
    position, rank, axis, dim = term.args
    number = number_of(axis)
    where, axes, size = compile_term(position), compile_term(rank), compile_term(dim)

    def run(env: Environment, facts: Interpretation) -> Value:
        coordinates, count = where(env, facts), axes(env, facts)
        # Stripped, so a coordinate that is not 0 stands on an axis beyond the rank.
        if len(coordinates) > max(count, 0):
            return False
        for k in range_of(0, count - 1):
            env[number] = k
            if not 0 <= coordinate(coordinates, k) < size(env, facts):
                return False
        return True

    return run


BINDERS: dict[Op, Callable[[Term, Compile], Code]] = {
    Op.FORALL: _forall,
    Op.FORALL_INDEX: _forall_index,
    Op.INDEX: _index,
    Op.INSIDE: _inside,
}
