"""The reference evaluator of folds and recursion: by looking at every member, in the order of the range. Trusted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from math import prod

from sonnx_verify.logic.evaluator_values import (
    MEMORY,
    Code,
    Compile,
    Environment,
    Interpretation,
    Undefined,
    Value,
    indices_of,
    on_each_axis,
    range_of,
    wrap,
)
from sonnx_verify.logic.folds import CHOSEN, DEEP, Fold, State
from sonnx_verify.logic.nodes import FoldName, integer_of, number_of
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.sorts import REAL, IntegerSort
from sonnx_verify.logic.terms import Symbol, Term, apply, substitute

Domain = Callable[[Environment, Interpretation], Iterator[Value]]
Pick = Callable[[list[Value], Environment, Interpretation], Value]


def _fold(term: Term, compile_term: Compile) -> Code:
    """The code of a fold over a range, or over the indices of a shape."""
    fold = Fold.of(term)
    domain, number = _domain(fold, compile_term), number_of(fold.variable)
    chosen, body = compile_term(fold.condition), compile_term(fold.value)
    otherwise: Code | None = None
    if fold.otherwise is not None:
        otherwise = compile_term(fold.otherwise)

    def members(env: Environment, facts: Interpretation) -> Iterator[tuple[Value, Value]]:
        for name in domain(env, facts):
            env[number] = name
            if chosen(env, facts):
                yield name, body(env, facts)

    if fold.kind.name == FoldName.POSITION:
        assert otherwise is not None
        return _position(members, otherwise)
    if fold.kind.name not in CHOSEN:
        return _power(fold, compile_term) or _added(fold, members)
    pick: Pick = _the
    if fold.kind.name == FoldName.GREATEST:
        pick = _greatest(fold, compile_term)

    def run(env: Environment, facts: Interpretation) -> Value:
        found = [value for _, value in members(env, facts)]
        if found:
            return pick(found, env, facts)
        if otherwise is None:
            raise Undefined(f"`{fold.kind.name}` of an empty set")
        return otherwise(env, facts)

    return run


Members = Callable[[Environment, Interpretation], Iterator[tuple[Value, Value]]]


def _domain(fold: Fold, compile_term: Compile) -> Domain:
    if fold.low is not None and fold.high is not None:
        first, last = compile_term(fold.low), compile_term(fold.high)
        return lambda env, facts: iter(range_of(first(env, facts), last(env, facts)))
    assert fold.rank is not None
    assert fold.axis is not None
    assert fold.sizes is not None
    sizes = on_each_axis(compile_term(fold.rank), compile_term(fold.sizes), number_of(fold.axis))
    return lambda env, facts: indices_of(sizes(env, facts))


def _position(members: Members, ordinal: Code) -> Code:
    def run(env: Environment, facts: Interpretation) -> Value:
        wanted = ordinal(env, facts)
        for place, (name, _) in enumerate(members(env, facts)):
            if place == wanted:
                return name
        raise Undefined("no member has that many before it")

    return run


def _added(fold: Fold, members: Members) -> Code:
    name, sort = fold.kind.name, fold.term.sort

    def run(env: Environment, facts: Interpretation) -> Value:
        values = [value for _, value in members(env, facts)]
        match name:
            case FoldName.COUNT:
                made: Value = len(values)
            case FoldName.SUM:
                made = sum(values)
            case _:
                made = prod(values)
        if sort == REAL:
            # Of nothing it is an integer. A sum of values of functions need not be a fraction.
            return Fraction(made) if isinstance(made, int) else made
        if isinstance(sort, IntegerSort):
            # Once at the end: modulo 2 to the width it is all the same when sums and products are reduced.
            return wrap(sort, made)
        return made

    return run


def _power(fold: Fold, compile_term: Compile) -> Code | None:
    """The code of a product of machine integers whose factors are all one term: an exponent may be any integer of its
    type, and more than a range may have."""
    sort = fold.term.sort
    if fold.kind.name != FoldName.PRODUCT or not isinstance(sort, IntegerSort):
        return None
    if fold.low is None or fold.high is None or fold.variable in fold.condition.free | fold.value.free:
        return None
    first, last = compile_term(fold.low), compile_term(fold.high)
    chosen, body = compile_term(fold.condition), compile_term(fold.value)

    def run(env: Environment, facts: Interpretation) -> Value:
        exponent = last(env, facts) - first(env, facts) + 1
        # Of nothing there is no factor to look at, and it may have no value.
        if exponent <= 0 or not chosen(env, facts):
            return 1
        return wrap(sort, pow(body(env, facts), exponent, 1 << sort.width))

    return run


def _the(found: list[Value], env: Environment, facts: Interpretation) -> Value:
    # `the` is the only value, not the first: of {1, 2} there is none (twin the_first_member), of 1 met twice there is.
    if any(other != found[0] for other in found):
        raise Undefined("`the` of a set with several members")
    return found[0]


def _greatest(fold: Fold, compile_term: Compile) -> Pick:
    below, first, second = compile_term(fold.order), number_of(fold.x), number_of(fold.y)

    def pick(found: list[Value], env: Environment, facts: Interpretation) -> Value:
        # By the order of the text, which need not be that of Python: of floats it says where a NaN stands. Of elements
        # that are both ways the last stays; a total order has no two of them, and that it is total is proved.
        best = found[0]
        for other in found[1:]:
            env[first], env[second] = best, other
            if below(env, facts):
                best = other
        return best

    return pick


def _recursion(term: Term, compile_term: Compile) -> Code:
    """The code of a recursion: from its start up to the number."""
    variable, below, start, number, body = term.args
    place, value_place = number_of(variable), number_of(below)
    first, last, step = compile_term(start), compile_term(number), compile_term(body)
    # At the start nothing is below: a body that reads it there has no value.
    nothing = apply(Symbol("nothing below the start", (), below.sort))
    begin = compile_term(substitute(body, {below: nothing}))

    def run(env: Environment, facts: Interpretation) -> Value:
        start_at, end = first(env, facts), last(env, facts)
        if end < start_at:
            raise Undefined("a recursion below its start")
        env[place] = start_at
        try:
            value = begin(env, facts)
        except KeyError:
            raise Undefined("a recursion reads below its start") from None
        for k in range_of(start_at + 1, end):
            env[place], env[value_place] = k, value
            value = step(env, facts)
        return value

    return run


class _States:
    """The states of one recursion, from its start on. Each value is computed once, when it is asked for first."""

    def __init__(self, term: State, step: Code, environment: Environment, facts: Interpretation) -> None:
        self._places = tuple(number_of(v) for v in (term.variable, term.below, term.member, term.position))
        self._start = integer_of(term.start)
        self._step, self._environment, self._facts = step, environment, facts
        self._values: dict[tuple[int, int, Value], Value] = {}
        self._reads: dict[int, Callable[[int, Value], Value]] = {}

    def at(self, number: int) -> Callable[[int, Value], Value]:
        """The state at a number: one object for each, so that what is remembered for one is found again."""
        found = self._reads.get(number)
        if found is None:
            found = self._reads[number] = partial(self._value, number)
        return found

    def _value(self, number: int, member: int, position: Value) -> Value:
        if number < self._start:
            raise Undefined("a recursion reads below its start")
        key = (number, member, position)
        if key not in self._values:
            self._from_below(key)
            self._compute(key)
        value = self._values[key]
        if isinstance(value, Undefined):
            raise type(value)(*value.args)
        return value

    def _from_below(self, key: tuple[int, int, Value]) -> None:
        """Compute the same part of the states below, the lowest first: a step then finds most of what it reads, and
        calls stay few however long the recursion is. What has no value there is no fault: nobody may ask for it."""
        number, *part = key
        first = number - 1
        while first >= self._start and (first, *part) not in self._values:
            first -= 1
        if number - first > DEEP:
            for n in range(first + 1, number):
                self._compute((n, *part))

    def _compute(self, key: tuple[int, int, Value]) -> None:
        number, member, position = key
        values = (number, self.at(number - 1), member, position)
        environment = {**self._environment, **dict(zip(self._places, values, strict=True))}
        try:
            self._values[key] = self._step(environment, self._facts)
        except Undefined as error:
            self._values[key] = error.with_traceback(None)


def _state(term: Term, compile_term: Compile) -> Code:
    """The code of a state. All states of a recursion share their values, whatever number is asked for."""
    parts = State.of(term)
    template = parts.template
    start, last, step = integer_of(parts.start), compile_term(parts.number), compile_term(parts.body)
    free = tuple(sorted(number_of(v) for v in parts.free))

    def run(env: Environment, facts: Interpretation) -> Value:
        number = last(env, facts)
        if number < start:
            raise Undefined("a recursion below its start")
        range_of(start, number)
        values = tuple([env[n] for n in free])
        memory = facts.get(MEMORY)
        if memory is None and isinstance(facts, dict):
            memory = facts[MEMORY] = {}
        if memory is None:
            memory = {}
        key = (template, values)
        if key not in memory:
            memory[key] = _States(parts, step, dict(zip(free, values, strict=True)), facts)
        return memory[key].at(number)

    return run


def _state_at(term: Term, compile_term: Compile) -> Code:
    state, member, position = (compile_term(a) for a in term.args)
    return lambda env, facts: state(env, facts)(member(env, facts), position(env, facts))


FOLDS: dict[Op, Callable[[Term, Compile], Code]] = {
    Op.FOLD: _fold,
    Op.FOLD_INDEX: _fold,
    Op.RECURSION: _recursion,
    Op.STATE: _state,
    Op.STATE_AT: _state_at,
}
