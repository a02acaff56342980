"""Forms of recursion: a value that is defined from a number on, by the one below it. Trusted.

Sound as definitions, since they go down by one and end: `f(n) = f(n) + 1` would be a contradiction, from which
everything follows. Below its start a recursion would go down for ever, so each call asks `start <= number`, and each
call of itself that it stands above the start.

    define f(n : int) : int by recursion on n from 1 = if n = 1 then 1 else n * f(n - 1)
    f(4)    asks 1 <= 4, and for all n in 1 .. 4 : not (n = 1) => 1 < n

A body is gone through more than once: silently for the step, a term in the number and in the value below it; then with
the recursion up to n - 1 for that value, under a binder over n, to note the side conditions of each step: whether the
body may divide by `f(n - 1)` depends on f.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sonnx_verify.kernel.core import Kernel
from sonnx_verify.kernel.notes import Why
from sonnx_verify.kernel.states import Layout, Read
from sonnx_verify.kernel.values import Value, abstraction
from sonnx_verify.logic.sorts import INDEX, INT, Sort, state_of
from sonnx_verify.logic.terms import (
    ONE,
    Term,
    integer,
    le,
    lt,
    placeholder,
    recursion,
    state,
    state_at,
    sub,
)
from sonnx_verify.results.kinds import Kind


@dataclass(frozen=True)
class Step:
    """The inside of a recursion: the number that it stands at, and the value of its call of itself."""

    start: int
    number: Term
    below: Value

    def call(self, k: Kernel, why: Why) -> Value:
        """The value below; asks that the number is above the start: `f(n - 1)` of `if n = 1 then 1 else n * f(n - 1)`
        asks `not (n = 1) => 1 < n`."""
        k.require(Kind.TOTAL, lt(integer(self.start), self.number), why)
        return self.below


def of_number(k: Kernel, start: int, number: Term, sort: Sort, body: Callable[[Step], Term], why: Why) -> Term:
    """A recursion that gives a number, a condition or an element; asks that the number is not below the start. So
    `f(4)` above is 1 * 2 * 3 * 4, and `f(0)` is refused."""
    _from_start(k, start, number, why)
    variable, below = placeholder(INT), placeholder(sort)
    with k.silent():
        step = body(Step(start, variable, below))
    with k.ranging(integer(start), number, variable):
        body(Step(start, variable, recursion(start, sub(variable, ONE), variable, below, step)))
    return recursion(start, number, variable, below, step)


def of_state(
    k: Kernel,
    start: int,
    number: Term,
    sort: Sort,
    layout: Callable[[Term], Layout],
    body: Callable[[Step], Value],
    why: Why,
) -> Value | None:
    """A recursion that gives a tensor or a list; asks the same. None where the shape or length of its result depends on
    its own call.

    The body is gone through three times: for the shape of its result; with that shape one below, for the elements; for
    the side conditions. `layout` gives what is known of the result at a number without any of this.
    """
    _from_start(k, start, number, why)
    variable, position = placeholder(INT), placeholder(INDEX)
    below = placeholder(state_of(sort))
    one_below = sub(variable, ONE)
    known = layout(variable)

    def step(read: Read) -> Value:
        return body(Step(start, variable, known.value(one_below, read)))

    with k.silent():
        known = known.of(step(_elements_of(below)))
        if not known.is_known:
            return None
        element = known.element(step(_elements_of(below)), position)
    variables = (variable, below, known.member, position)
    with k.ranging(integer(start), number, variable):
        step(_elements_of(state(start, one_below, variables, element)))
    return known.value(number, _elements_of(state(start, number, variables, element)))


def _from_start(k: Kernel, start: int, number: Term, why: Why) -> None:
    k.require(Kind.IN_BOUNDS, le(integer(start), number), why)


def _elements_of(made: Term) -> Read:
    return abstraction(lambda m, i: state_at(made, m, i), INT, INDEX)
