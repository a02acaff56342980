"""Partial evaluation: the value of a term as far as it is known, as a term over what is not known yet.

In goes a term, and an environment that gives each of its free variables a term (an index: coordinates). Out comes a
term without binders that has the same value wherever the first one has one. The walk visits every operator of terms
(asserted on import), in the order of the reference evaluator: a guard is looked at before what it guards. The
subclasses say what differs: the meaning of symbols, and what becomes of a number, a comparison, a choice or a fold that
is not known. What depends on nothing unknown is computed by the reference evaluator.

Two exceptions end a walk: Open, where something has to be known to go on that is not; Undefined, where the term has no
value. Behind a guard that is not decided a term without a value is a symbol of its own (`nothing`): nothing may be
concluded from it. No verdict of `check` rests on this module; `shape`, `load`, and the proofs of `conform` do.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial, reduce
from itertools import product
from math import prod
from typing import Any, ClassVar

from sonnx_verify.arrays.partial.binders import Binder, Box, Kind, Range, binder_of
from sonnx_verify.arrays.partial.folding import comparison, quotient
from sonnx_verify.arrays.partial.intervals import Bounds, holds, interval
from sonnx_verify.logic.binders import rebuild
from sonnx_verify.logic.enclosed import Enclosed
from sonnx_verify.logic.evaluator import compile_term, evaluate
from sonnx_verify.logic.evaluator_values import Undefined, stripped
from sonnx_verify.logic.folds import DEEP, State
from sonnx_verify.logic.nodes import integer_of, number_of, to_forget
from sonnx_verify.logic.operators import OPERATORS, Group, Op
from sonnx_verify.logic.sorts import BOOL, INDEX, INT, IntegerSort
from sonnx_verify.logic.terms import (
    FALSE,
    ONE,
    TRUE,
    ZERO,
    Role,
    Symbol,
    Term,
    add,
    and_,
    boolean,
    element,
    integer,
    is_literal,
    ite,
    literal,
    not_,
    or_,
    times,
)


class Open(Exception):
    """Something that has to be known is known only at run time."""


class Coordinates(tuple[Term, ...]):
    """An index by its coordinates from the right; beyond them it is 0."""

    @property
    def digest(self) -> str:
        """A text that tells it from other indices."""
        return ",".join(f"{c.digest:x}" for c in self)


@dataclass(frozen=True, slots=True)
class Step:
    """A state of a recursion, at a number: with the meaning of what is free in its body."""

    state: State
    number: Term
    inner: tuple[tuple[int, Value], ...]

    @property
    def digest(self) -> str:
        """A text that tells it from other states."""
        inner = ",".join(f"{value.digest}" for _, value in self.inner)
        return f"{self.state.body.digest:x},{self.number.digest:x},{inner}"


Value = Term | Coordinates | Step
Environment = Mapping[int, Value]
"""The meaning of bound variables, by their numbers."""
Items = list[tuple[Term, Term]]
"""The members of a fold: the condition of each, and its value."""
_EMPTY: Environment = {}
JUNCTIONS = {Op.AND: (and_, FALSE), Op.OR: (or_, TRUE)}
"""The operation that joins the parts of a junction, and the part that decides it."""

_symbols: dict[Term, frozenset[Symbol]] = {}
_ranging: dict[Term, bool] = {}
to_forget(_symbols.clear)
to_forget(_ranging.clear)


def symbols_of(term: Term) -> frozenset[Symbol]:
    """The symbols that are applied in a term."""
    for node in _unknown(term, _symbols):
        found = frozenset().union(*(_symbols[a] for a in node.args))
        if isinstance(node.payload, Symbol):
            found |= {node.payload}
        _symbols[node] = found
    return _symbols[term]


def ranges_over_indices(term: Term) -> bool:
    """Some part of a term ranges over the indices of a shape."""
    for node in _unknown(term, _ranging):
        _ranging[node] = node.op in (Op.FOLD_INDEX, Op.FORALL_INDEX) or any(_ranging[a] for a in node.args)
    return _ranging[term]


def _unknown(term: Term, known: Mapping[Term, object]) -> Iterator[Term]:
    """The subterms that a table lacks, arguments before what uses them; each is in it before the next one."""
    # Terms grow by a few nodes at a time: to walk all of each would take the square of their size.
    stack = [term]
    while stack:
        node = stack[-1]
        lacking = [] if node in known else [a for a in node.args if a not in known]
        if lacking:
            stack += lacking
            continue
        stack.pop()
        if node not in known:
            yield node


def is_nothing(term: Term) -> bool:
    """The term stands for one without a value."""
    return isinstance(term.payload, Symbol) and term.payload.role is Role.NO_VALUE


@cache
def free_numbers(term: Term) -> tuple[int, ...]:
    """The numbers of the free variables of a term."""
    return tuple(sorted(number_of(variable) for variable in term.free))


_Handler = Callable[["PartialEvaluator", Term, Environment], Term]
_STRICT = (
    Group.ARITHMETIC, Group.COMPARISON, Group.ELEMENT, Group.ROUNDED, Group.FLOAT, Group.CONVERSION, Group.BITS
)  # fmt: skip
"""Operators that have a value only where all of their arguments have one."""


class PartialEvaluator(ABC):
    """The walk. `facts` are what the reference evaluator knows of symbols, without those in `hidden`; `bounds` say
    between which numbers the symbols of results lie; at most `most` members of a range or shape are written out."""

    most: int
    most_values: int = 64
    """A number that has more values is not taken apart into them."""

    def __init__(self, facts: Mapping[Symbol, Any], hidden: Collection[Symbol], bounds: Bounds) -> None:
        self.facts, self.bounds = facts, bounds
        # An input has facts (its rank, its sizes) and elements that must not be looked at, though they are there.
        self._known = frozenset(facts).difference(hidden)
        self._memo: dict[tuple[object, ...], Any] = {}
        self.depth = 0
        """Results are remembered for one depth: a subclass counts in it what they depend on beside the environment."""

    def __call__(self, term: Term, env: Environment = _EMPTY) -> Term:
        """The term where its variables mean what `env` says. Raises Open and Undefined."""
        # Most of what is asked for: it would only fill the memory.
        if is_literal(term):
            return term
        key = self.key(term, env)
        found: Term | None = self._memo.get(key)
        if found is None:
            found = self._memo[key] = self._walked(term, env)
        return found

    def index(self, term: Term, env: Environment) -> Coordinates:
        """The coordinates of a term that is an index. Raises Open and Undefined."""
        key = self.key(term, env)
        found: Coordinates | None = self._memo.get(key)
        if found is None:
            found = self._memo[key] = self._index(term, env)
        return found

    def number(self, term: Term, env: Environment = _EMPTY) -> int:
        """The integer that a term is. Raises Open where it is not known, and Undefined."""
        found = self(term, env)
        if is_literal(found):
            return integer_of(found)
        raise self.unknown(found)

    def condition(self, term: Term, env: Environment = _EMPTY) -> Term:
        """A term that is a condition."""
        return self(term, env)

    def key(self, term: Term, env: Environment) -> tuple[object, ...]:
        """Everything that the result for a term depends on."""
        return (self.depth, term, *[env[n] for n in free_numbers(term)])

    # --------------------------------------------------------------------------------------------------- what differs

    @abstractmethod
    def applied(self, term: Term, env: Environment) -> Term:
        """The meaning of a symbol that is applied and not known to the reference evaluator."""

    def unknown(self, number: Term) -> Exception:
        """The exception for a number that has to be known and is not."""
        return Open("a number that is not known")

    def choice(self, condition: Term, then: Term, otherwise: Term) -> Term:
        """One of two terms, by a condition that is not known."""
        return ite(condition, then, otherwise)

    def compared(self, op: Op, a: Term, b: Term) -> Term:
        """`=` or `<=` of integers, decided where their bounds decide it."""
        made = comparison(op, a, b)
        decided = holds(made, self.bounds)
        if decided is None:
            return made
        return boolean(decided)

    def operation(self, term: Term, args: tuple[Term, ...]) -> Term:
        """An operator on arguments that are evaluated."""
        op = term.op
        if op in (Op.EQUAL, Op.AT_MOST) and args[0].sort == INT:
            return self.compared(op, *args)
        if op in (Op.DIV, Op.MOD):
            if args[1] is ZERO:
                raise Undefined("division by 0")
            return quotient(op, args[0], args[1], self.bounds)
        made = rebuild(term, args)
        # Terms fold what is simple by themselves; the arithmetic of floats is left to the reference evaluator.
        # What is left may be one element: `x = true` is x.
        if made.op is not Op.APPLY and made.args and all(is_literal(a) for a in made.args):
            value = evaluate(made, {})
            if not isinstance(value, Enclosed):
                return literal(value, made.sort)
        return made

    def quantified(self, binder: Binder, env: Environment) -> Term:
        """A quantifier or a fold."""
        return self.written_out(binder, env)

    def greatest(self, binder: Binder, items: Items, otherwise: Term | None, env: Environment) -> Term:
        """The greatest of some members, of which there is at least one; `otherwise` where none counts."""
        some, best = items[0]
        for condition, value in items[1:]:
            # The order may have no value of something that may be no member: it is not looked at then.
            look = self.condition
            if some is not TRUE or condition is not TRUE:
                look = self.guarded
            order = look(binder.order, {**env, number_of(binder.x): best, number_of(binder.y): value})
            best = self.choice(condition, self.choice(some, self.choice(order, value, best), value), best)
            some = or_(some, condition)
        if otherwise is None:
            return best
        return self.choice(some, best, otherwise)

    # -------------------------------------------------------------------------------------------------------- the walk

    def _walked(self, term: Term, env: Environment) -> Term:
        # Most of a text at known shapes is known: the reference evaluator computes it in one go, and nothing has to be
        # built and simplified for it.
        value = self.known(term, env)
        # The root of 2 is no fraction, and has no literal: it is computed where it is used.
        if value is not None and not isinstance(value[0], Enclosed):
            return literal(value[0], term.sort)
        return self.handlers[term.op](self, term, env)

    def known(self, term: Term, env: Environment) -> tuple[Any] | None:
        """The value of a term that depends on nothing unknown, in a tuple; else None. Raises Undefined."""
        values = self.known_variables(term, env)
        if values is None:
            return None
        return (compile_term(term)(values, self.facts),)

    def known_variables(self, term: Term, env: Environment) -> dict[int, Any] | None:
        """The values of the free variables of a term that depends on nothing unknown, by their numbers; else None."""
        values: dict[int, Any] = {}
        for number in free_numbers(term):
            value = env[number]
            if isinstance(value, Coordinates):
                if not all(map(is_literal, value)):
                    return None
                values[number] = stripped([integer_of(c) for c in value])
            elif isinstance(value, Term) and is_literal(value):
                values[number] = value.payload
            else:
                return None
        if not self._known.issuperset(symbols_of(term)):
            return None
        return values

    def guarded(self, term: Term, env: Environment = _EMPTY) -> Term:
        """A term that is only looked at where something holds that is not known yet: it may have no value."""
        try:
            return self.any_sort(term, env)
        except Undefined:
            return self.nothing(term, env)

    def any_sort(self, term: Term, env: Environment) -> Term:
        """A term that may be a condition."""
        if term.sort == BOOL:
            return self.condition(term, env)
        return self(term, env)

    def nothing(self, term: Term, env: Environment) -> Term:
        """A term without a value, as a symbol. Two that are not the same have two symbols, so that they are not found
        to be equal."""
        # `1 div 0 = 2 div 0` is not true: both sides are symbols, and different ones. The same term at the same values
        # is one symbol, so that `not p or p` still holds.
        values = "".join(f" {env[n].digest}" for n in free_numbers(term))
        return Symbol(f"nothing {term.digest}{values}", (), term.sort, Role.NO_VALUE)()

    def _index(self, term: Term, env: Environment) -> Coordinates:
        value = self.known(term, env)
        if value is not None:
            return Coordinates(integer(c) for c in value[0])
        match term.op:
            case Op.VARIABLE:
                found = env[number_of(term)]
                assert isinstance(found, Coordinates)
                return found
            case Op.INDEX:
                variable, rank, body = term.args
                axes = range(self.number(rank, env))
                return Coordinates(self(body, {**env, number_of(variable): integer(k)}) for k in axes)
            case Op.ITE:
                condition = self.condition(term.args[0], env)
                if is_literal(condition):
                    return self.index(branch_of(term, condition), env)
                then, otherwise = (self.index(branch, env) for branch in term.args[1:])
                return Coordinates(self.choice(condition, a, b) for a, b in padded(then, otherwise))
            case _:
                raise Open("an index that is not known")

    def _bound_variable(self, term: Term, env: Environment) -> Term:
        found = env[number_of(term)]
        assert isinstance(found, Term)
        return found

    def _negation(self, term: Term, env: Environment) -> Term:
        return not_(self.condition(term.args[0], env))

    def _junction(self, term: Term, env: Environment) -> Term:
        # From the left: what stands behind a part that decides is not looked at, as `d = 0 or n mod d = 0` at d = 0.
        join, end = JUNCTIONS[term.op]
        parts: list[Term] = []
        look = self.condition
        for arg in term.args:
            part = look(arg, env)
            if part is end:
                return end
            if not is_literal(part):
                parts.append(part)
                # It takes an undecided part to guard those behind it.
                look = self.guarded
        return join(*parts)

    def _ite(self, term: Term, env: Environment) -> Term:
        condition = self.condition(term.args[0], env)
        if is_literal(condition):
            return self(branch_of(term, condition), env)
        # Neither branch may raise: in `if n < 2 then L[n] else 0` of a list of two, L[n] has no value at n = 2.
        return self.choice(condition, self.guarded(term.args[1], env), self.guarded(term.args[2], env))

    def _equation(self, term: Term, env: Environment) -> Term:
        if term.args[0].sort != INDEX:
            return self._operation(term, env)
        first, second = (self.index(a, env) for a in term.args)
        # Equal as functions: [3] and [3, 0], counted from the right, are one index.
        return and_(*(self.compared(Op.EQUAL, a, b) for a, b in padded(first, second)))

    def _at(self, term: Term, env: Environment) -> Term:
        position, axis = self.index(term.args[0], env), self.number(term.args[1], env)
        if 0 <= axis < len(position):
            return position[axis]
        # An index is a function from axes to coordinates: 0 wherever nothing else is said.
        return ZERO

    def _index_inside(self, term: Term, env: Environment) -> Term:
        position, rank, axis, sizes = term.args
        coordinates, axes = self.index(position, env), self.number(rank, env)
        if axes > self.most:
            raise Open("more axes than are written out")
        parts: list[Term] = []
        for number in range(axes):
            place = coordinates[number] if number < len(coordinates) else ZERO
            size = self(sizes, {**env, number_of(axis): integer(number)})
            parts += [self.compared(Op.AT_MOST, ZERO, place), self.compared(Op.AT_MOST, add(place, ONE), size)]
        # Beyond its axes a shape has places 0.
        parts += [self.compared(Op.EQUAL, place, ZERO) for place in coordinates[axes:]]
        return and_(*parts)

    def _quantified(self, term: Term, env: Environment) -> Term:
        return self.quantified(binder_of(term), env)

    def _operation(self, term: Term, env: Environment) -> Term:
        return self.operation(term, tuple([self(a, env) for a in term.args]))

    def _literal(self, term: Term, env: Environment) -> Term:
        return term

    def _no_term(self, term: Term, env: Environment) -> Term:
        raise Open(f"`{term.op}` by itself")

    def _recursion(self, term: Term, env: Environment) -> Term:
        variable, below, start, number, body = term.args
        first, wanted = integer_of(start), self(number, env)
        values = self.values_of(wanted)
        look: Callable[[Term, Environment], Term] = self
        if not is_literal(wanted):
            # The number may be any of the values. Steps above it are not taken, and may have no value.
            look = self.guarded
        # From the start upwards, as a loop would. At the start the body has no use for the value below.
        made = self.nothing(term, env)
        answer: Term | None = None
        for k in range(first, values[-1] + 1):
            made = look(body, {**env, number_of(variable): integer(k), number_of(below): made})
            if k in values and answer is None:
                # The number is nowhere below the start: `check` has shown that, as of a read that it is in bounds.
                answer = made
            elif answer is not None:
                answer = self.choice(self.compared(Op.EQUAL, wanted, integer(k)), made, answer)
        if answer is None:
            raise Undefined("a recursion below its start")
        return answer

    def _state_at(self, term: Term, env: Environment) -> Term:
        of, member, position = term.args
        if of.op is Op.VARIABLE:
            step = env[number_of(of)]
            assert isinstance(step, Step)
        elif of.op is Op.STATE:
            state = State.of(of)
            inner = tuple((n, env[n]) for n in sorted(number_of(v) for v in state.free))
            step = Step(state, self(state.number, env), inner)
        else:
            raise Open("a state that is not known")
        place = self.index(position, env)

        def found(numbers: list[int]) -> Term:
            number, of_member = numbers
            return self._value_of(step, number, of_member, place)

        return self.over([step.number, self(member, env)], found)

    def _value_of(self, step: Step, number: int, member: int, place: Coordinates) -> Term:
        """The value of a state at a number that is known."""
        first = integer_of(step.state.start)
        if number < first:
            raise Undefined("a recursion below its start")
        if number - first > self.most:
            raise Open("more steps than are written out")
        # From the start upwards: each step finds most of what it reads, so calls stay few.
        body = step.state.body
        if number - first > DEEP and self.key(body, self._inside(step, number - 1, member, place)) not in self._memo:
            for k in range(first, number):
                self.guarded(body, self._inside(step, k, member, place))
        return self.any_sort(step.state.body, self._inside(step, number, member, place))

    @staticmethod
    def _inside(step: Step, number: int, member: int, place: Coordinates) -> Environment:
        state = step.state
        return {
            **dict(step.inner),
            number_of(state.variable): integer(number),
            number_of(state.below): Step(state, integer(number - 1), step.inner),
            number_of(state.member): integer(member),
            number_of(state.position): place,
        }

    # --------------------------------------------------------------------------------------------- numbers and ranges

    def over(self, numbers: Sequence[Term], found: Callable[[list[int]], Term], places: range | None = None) -> Term:
        """The term that is found at some numbers, for each value that they may have: X[n] of 0 <= n <= 1 is
        `if n = 0 then X[0] else X[1]`. At a value where nothing is found (X has one element) the numbers never are:
        `check` has shown that, as the obligation that reads are in bounds. Raises Open where the values are not few, of
        those that may be `places` at which something is found."""
        place = next((n for n, number in enumerate(numbers) if not is_literal(number)), None)
        if place is None:
            return found([integer_of(number) for number in numbers])
        number, before, after = numbers[place], numbers[:place], numbers[place + 1 :]

        def put(value: Term) -> Term | None:
            try:
                return self.over([*before, value, *after], found, places)
            except Undefined:
                return None

        made: Term | None = None
        if number.op == Op.ITE:
            self.values_of(number, places)
            condition, then, otherwise = number.args
            made = self.one_of(condition, put(then), put(otherwise))
        else:
            made = self.among(number, self.values_of(number, places), lambda value: put(integer(value)))
        if made is None:
            raise Undefined("nothing at any of the places")
        return made

    def among(self, number: Term, values: range, found: Callable[[int], Term | None]) -> Term | None:
        """The term that is found at the value of a number, which is one of several; None if none is found."""
        made: Term | None = None
        for value in reversed(values):
            made = self.one_of(self.compared(Op.EQUAL, number, integer(value)), found(value), made)
        return made

    def one_of(self, condition: Term, then: Term | None, otherwise: Term | None) -> Term | None:
        """The term where a condition holds, or the other one; either may be none."""
        if then is None:
            return otherwise
        if otherwise is None:
            return then
        return self.choice(condition, then, otherwise)

    def values_of(self, number: Term, places: range | None = None) -> range:
        """The values that an integer may have, by its bounds and as one of some places. Raises Open where they are not
        few."""
        low, high = interval(number, self.bounds)
        if places:
            low = places[0] if low is None else max(low, places[0])
            high = places[-1] if high is None else min(high, places[-1])
        if low is not None and high is not None and high - low < self.most_values:
            return range(low, high + 1)
        raise self.unknown(number)

    def range_of(self, domain: Range, env: Environment) -> tuple[Term, Term, range]:
        """The ends of a range, and the numbers that may be in it. Raises Open where they are not known."""
        low, high = self(domain.low, env), self(domain.high, env)
        # The widest that it may be; `_names` adds the condition that a number is in it.
        first, last = interval(low, self.bounds)[0], interval(high, self.bounds)[1]
        if first is None or last is None:
            raise self.unknown(add(low, high))
        return low, high, range(first, last + 1)

    def sizes_of(self, domain: Box, env: Environment) -> list[int]:
        """The sizes of a shape from the right. Raises Open where they are not known."""
        axes = range(self.number(domain.rank, env))
        axis = number_of(domain.axis)
        found = [self(domain.sizes, {**env, axis: integer(q)}) for q in axes]
        # Of a shape with a size of 0 the others do not matter.
        if ZERO in found:
            return [0]
        sizes: list[int] = []
        for size in found:
            if not is_literal(size):
                raise self.unknown(size)
            sizes.append(integer_of(size))
        return sizes

    def _names(self, domain: Range | Box, env: Environment) -> Iterable[tuple[Value, Term]]:
        """Everything that a variable ranges over, with the condition that it is in the domain."""
        match domain:
            case Range():
                low, high, numbers = self.range_of(domain, env)
                if len(numbers) > self.most:
                    raise self.unknown(add(low, high))
                for name in map(integer, numbers):
                    yield name, and_(self.compared(Op.AT_MOST, low, name), self.compared(Op.AT_MOST, name, high))
            case Box():
                sizes = self.sizes_of(domain, env)
                if prod(sizes) > self.most:
                    raise Open("more indices than are written out")
                # No index, however large the other sizes are.
                if 0 in sizes:
                    return
                # In row-major order: the last axis, which is the first from the right, runs fastest.
                for place in product(*(range(size) for size in reversed(sizes))):
                    yield Coordinates(integer(c) for c in reversed(place)), TRUE

    # ------------------------------------------------------------------------------------------------ written out

    def written_out(self, binder: Binder, env: Environment) -> Term:
        """A quantifier or a fold, member by member. Raises Open where they are not known, or too many."""
        items = self._items(binder, env)
        if not items:
            return self.of_nothing(binder, env)
        match binder.kind:
            case Kind.ALL:
                return and_(*(or_(not_(condition), value) for condition, value in items))
            # A position and `the` choose a member; a sum counts each, with the unit where its condition does not hold.
            case Kind.POSITION:
                return self._position(binder, items, env)
            case Kind.THE:
                return self._the(items, self.otherwise(binder, items, env))
            case Kind.GREATEST:
                return self.greatest(binder, items, self.otherwise(binder, items, env), env)
            case _:
                return _joined(binder, [self.choice(condition, value, binder.unit) for condition, value in items])

    def _items(self, binder: Binder, env: Environment) -> Items:
        """The possible members; of a quantifier, those that may decide it."""
        # The first false one decides a quantifier, and the first ones a position. As in a junction, those behind them
        # may have no value: `all k in 0 .. 1 have if k = 0 then n < 0 else 1 div 0 = 1` is false where n >= 0.
        is_lazy = binder.kind in (Kind.ALL, Kind.POSITION)
        items: Items = []
        for name, inside in self._names(binder.domain, env):
            if inside is FALSE:
                continue
            inner = {**env, binder.number: name}
            look = self.any_sort
            if inside is not TRUE or (is_lazy and items):
                look = self.guarded
            condition = and_(inside, look(binder.condition, inner))
            if condition is FALSE:
                continue
            # A value is only looked at of what is a member.
            if condition is not TRUE:
                look = self.guarded
            match binder.kind:
                case Kind.POSITION:
                    assert isinstance(name, Term)
                    items.append((condition, name))
                case Kind.ALL:
                    value = look(binder.value, inner)
                    if condition is TRUE and value is FALSE:
                        return [(TRUE, FALSE)]
                    if value is not TRUE:
                        items.append((condition, value))
                case _:
                    items.append((condition, look(binder.value, inner)))
        return items

    def of_nothing(self, binder: Binder, env: Environment) -> Term:
        """The value where there is no member. Raises Undefined."""
        if not binder.needs_member:
            return binder.unit
        if binder.otherwise is None or binder.kind is Kind.POSITION:
            raise Undefined(f"`{binder.kind}` of an empty set")
        return self(binder.otherwise, env)

    def otherwise(self, binder: Binder, items: Items, env: Environment) -> Term | None:
        """The value of nothing, where there may be nothing and the text says what."""
        if binder.otherwise is None or any(condition is TRUE for condition, _ in items):
            return None
        return self.guarded(binder.otherwise, env)

    def _the(self, items: Items, otherwise: Term | None) -> Term:
        """The value of the first condition that holds. That only one does, and where there is no other value that one
        does, is an obligation of the text."""
        # From the last: the first condition has to stand outermost. The last value needs none, as one of them holds.
        made = otherwise or items[-1][1]
        for condition, value in reversed(items):
            made = self.choice(condition, value, made)
        return made

    def _position(self, binder: Binder, items: Items, env: Environment) -> Term:
        """The member that has so many before it. That there is one is an obligation of the text."""
        assert binder.otherwise is not None
        # Of the conditions c0, c1, c2 the member with one before it is 1 where c1 and c0, and 2 where c2 and one of
        # c0, c1: each is compared with the count of those before it.
        ordinal, before = self(binder.otherwise, env), ZERO
        found: Items = []
        for condition, name in items:
            here = and_(condition, self.compared(Op.EQUAL, before, ordinal))
            if here is not FALSE:
                found.append((here, name))
            before = add(before, self.choice(condition, ONE, ZERO))
        if not found:
            raise Undefined("no member has that many before it")
        return self._the(found, None)

    # ------------------------------------------------------------------------------------------------ every operator

    handlers: ClassVar[dict[Op, _Handler]] = {
        Op.LITERAL: _literal,
        Op.VARIABLE: _bound_variable,
        Op.APPLY: lambda walk, term, env: walk.applied(term, env),
        Op.NOT: _negation,
        Op.AND: _junction,
        Op.OR: _junction,
        Op.ITE: _ite,
        Op.AT: _at,
        Op.FORALL: _quantified,
        Op.FORALL_INDEX: _quantified,
        Op.FOLD: _quantified,
        Op.FOLD_INDEX: _quantified,
        Op.RECURSION: _recursion,
        Op.STATE_AT: _state_at,
        # A state is only read.
        Op.STATE: _no_term,
        # An index has coordinates, see `index`.
        Op.INDEX: _no_term,
        Op.INSIDE: _index_inside,
        **dict.fromkeys((row.name for row in OPERATORS.values() if row.group in _STRICT), _operation),
        # `=` is a comparison, and the only one that indices have.
        Op.EQUAL: _equation,
    }


def padded(a: Coordinates, b: Coordinates) -> list[tuple[Term, Term]]:
    """The coordinates of two indices on the same axes."""
    rank = max(len(a), len(b))
    first, second = ((*index, *[ZERO] * (rank - len(index))) for index in (a, b))
    return list(zip(first, second, strict=True))


def branch_of(term: Term, condition: Term) -> Term:
    """The branch of a choice whose condition is known."""
    _, then, otherwise = term.args
    if condition is TRUE:
        return then
    return otherwise


def _joined(binder: Binder, parts: list[Term]) -> Term:
    is_product = binder.kind is Kind.PRODUCT
    if not isinstance(binder.sort, IntegerSort):
        join = times if is_product else add
        return join(*parts)
    # Machine integers wrap at each step, in whatever order they are joined.
    operation = Op.MUL if is_product else Op.ADD
    return reduce(partial(element, operation), parts)


assert sorted(PartialEvaluator.handlers) == sorted(OPERATORS), "the walk handles every operator, once"
