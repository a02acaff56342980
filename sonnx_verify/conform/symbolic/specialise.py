"""A specification at known shapes, attributes and lists: what is left of its terms is about elements alone.

It goes the way of the reference evaluator, and where that has the value of an element, or a truth value, this has a
term. What needs to know an element to go on, as a size that is read from one, is `Open`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from sonnx_verify.conform.symbolic.known_values import Open, number, on_values, position
from sonnx_verify.conform.symbolic.long_folds import LONG, Fact, LongFold
from sonnx_verify.logic.binders import rebuild
from sonnx_verify.logic.evaluator import evaluate
from sonnx_verify.logic.evaluator_values import Undefined, indices_of, range_of, stripped
from sonnx_verify.logic.folds import CHOSEN, Fold
from sonnx_verify.logic.nodes import number_of
from sonnx_verify.logic.sorts import INDEX, INT, REAL, STRING
from sonnx_verify.logic.terms import (
    FALSE,
    TRUE,
    Symbol,
    Term,
    add,
    and_,
    element,
    eq,
    is_literal,
    ite,
    literal,
    not_,
    or_,
    times,
)

_KNOWN = (INT, INDEX, STRING)
"""What has these sorts is a value, never a term."""
IsTotal = Callable[[Term, Term, Term], bool]
"""Whether an order, of its two variables, was shown to be total."""


@cache
def _numbers(term: Term) -> tuple[int, ...]:
    """Those of its free variables."""
    return tuple(sorted(number_of(v) for v in term.free))


class Specialiser:
    """Specialises terms by what their symbols mean: values, functions of values, terms for elements.

    `is_total` says whether an order, of its two variables, was shown to be total: of such an order the greatest element
    is determined by what it is. `said` has what is known of the symbols that stand for the greatest of many.
    """

    def __init__(self, facts: Mapping[Symbol, Any], is_total: IsTotal = lambda order, x, y: False) -> None:
        self._facts, self._is_total = facts, is_total
        self._memory: dict[tuple[object, ...], Any] = {}
        self.said: dict[Symbol, Fact] = {}

    def knowing(self, more: Mapping[Symbol, Any], is_total: IsTotal | None = None) -> Specialiser:
        """One that knows more."""
        return Specialiser({**self._facts, **more}, is_total or self._is_total)

    def __call__(self, term: Term, env: dict[int, Any] | None = None) -> Any:
        """The value, or the term, that a term is. Raises Open, and Undefined where it has no value."""
        env = {} if env is None else env
        key = (term, *[env[n] for n in _numbers(term)]) if term.free else (term,)
        found = self._memory.get(key)
        if found is None:
            found = self._memory[key] = self._made(term, env)
        return found

    def _made(self, term: Term, env: dict[int, Any]) -> Any:
        match term.op:
            case "literal":
                return term.payload if term.sort in _KNOWN else term
            case "variable":
                return env[number_of(term)]
            case "apply":
                return self._applied(term, env)
            case "and" | "or":
                return self._junction(term, env)
            case "not":
                return not_(self(term.args[0], env))
            case "ite":
                return self._choice(term, env)
            case "forall":
                variable, low, high, body = term.args
                return self._all(variable, range_of(self(low, env), self(high, env)), body, env)
            case "forall_index":
                variable, rank, axis, sizes, body = term.args
                return self._all(variable, indices_of(self._on_axes(rank, axis, sizes, env)), body, env)
            case "index":
                variable, rank, coordinate = term.args
                return stripped(self._on_axes(rank, variable, coordinate, env))
            case "fold" | "fold_index":
                return self._fold(Fold.of(term), env)
            case "recursion":
                return self._recursion(term, env)
            case _:
                return self._operation(term, [self(a, env) for a in term.args])

    # --------------------------------------------------------------------------------------------------------- symbols

    def _applied(self, term: Term, env: dict[int, Any]) -> Any:
        symbol = term.payload
        assert isinstance(symbol, Symbol)
        if symbol not in self._facts:
            return term
        meant = self._facts[symbol]
        value = meant(*[self(a, env) for a in term.args]) if term.args else meant
        return value if term.sort in _KNOWN or isinstance(value, Term) else literal(value, term.sort)

    # ---------------------------------------------------------------------------------------------------------- control

    def _junction(self, term: Term, env: dict[int, Any]) -> Term:
        join, end = (and_, FALSE) if term.op == "and" else (or_, TRUE)
        parts = []
        for arg in term.args:
            part: Term = self(arg, env)
            if part is end:
                return end
            parts.append(part)
        return join(*parts)

    def _choice(self, term: Term, env: dict[int, Any]) -> Any:
        condition = self(term.args[0], env)
        if is_literal(condition):
            return self(term.args[1 if condition is TRUE else 2], env)
        then, otherwise = self(term.args[1], env), self(term.args[2], env)
        if then is otherwise or (term.sort in _KNOWN and then == otherwise):
            return then
        return self._either(condition, then, otherwise)

    def _either(self, condition: Term, then: Any, otherwise: Any) -> Term:
        if not isinstance(then, Term) or not isinstance(otherwise, Term):
            raise Open("a size, an index or a text that depends on elements")
        return ite(condition, then, otherwise)

    def _all(self, variable: Term, names: Any, body: Term, env: dict[int, Any]) -> Term:
        parts = []
        for name in names:
            part: Term = self(body, {**env, number_of(variable): name})
            if part is FALSE:
                return FALSE
            parts.append(part)
        return and_(*parts)

    def _on_axes(self, rank: Term, axis: Term, each: Term, env: dict[int, Any]) -> list[int]:
        return [self(each, {**env, number_of(axis): k}) for k in range_of(0, self(rank, env) - 1)]

    # ------------------------------------------------------------------------------------------------------------ folds

    def _fold(self, fold: Fold, env: dict[int, Any]) -> Any:
        members = self._members(fold, env)
        name = fold.kind.name
        otherwise = None if fold.otherwise is None else self(fold.otherwise, env)
        if name == "position":
            assert otherwise is not None, "a position is given by its number"
            return position([n for n, _ in self._settled(members)], otherwise)
        if name == "count":
            return len(self._settled(members))
        if name not in CHOSEN:
            return self._added(fold, members, env)
        values = [(holds, self(fold.value, {**env, number_of(fold.variable): n})) for n, holds in members]
        if fold.term.sort in _KNOWN:
            return self._known_choice(fold, values, otherwise, env)
        return self._chosen(fold, values, otherwise, env)

    def _members(self, fold: Fold, env: dict[int, Any]) -> list[tuple[Any, Term]]:
        names: Any
        if fold.low is not None and fold.high is not None:
            names = range_of(self(fold.low, env), self(fold.high, env))
        else:
            assert fold.rank is not None and fold.axis is not None and fold.sizes is not None
            names = indices_of(self._on_axes(fold.rank, fold.axis, fold.sizes, env))
        found = [(n, self(fold.condition, {**env, number_of(fold.variable): n})) for n in names]
        return [(n, holds) for n, holds in found if holds is not FALSE]

    @staticmethod
    def _settled(members: list[tuple[Any, Term]]) -> list[tuple[Any, Term]]:
        if any(holds is not TRUE for _, holds in members):
            raise Open("how many there are depends on elements")
        return members

    def _added(self, fold: Fold, members: list[tuple[Any, Term]], env: dict[int, Any]) -> Any:
        name, sort = fold.kind.name, fold.term.sort
        unit: Any = 0 if name == "sum" else 1
        made: Any = unit if sort == INT else number(unit, sort)
        for n, holds in members:
            value = self(fold.value, {**env, number_of(fold.variable): n})
            if sort == INT:
                if holds is not TRUE:
                    raise Open("a number that depends on elements")
                made = made + value if name == "sum" else made * value
                continue
            value = ite(holds, value, number(unit, sort))
            if sort == REAL:
                made = add(made, value) if name == "sum" else times(made, value)
            else:
                made = element("add" if name == "sum" else "mul", made, value)
        return made

    def _known_choice(self, fold: Fold, values: list[tuple[Term, Any]], otherwise: Any, env: dict[int, Any]) -> Any:
        found = [value for value, _ in self._settled([(value, holds) for holds, value in values])]
        if not found:
            return self._instead(fold, otherwise)
        best = found[0]
        for other in found[1:]:
            if fold.kind.name == "the":
                if other != best:
                    raise Undefined("`the` of a set with several members")
            elif self._before(fold, best, other, env) is TRUE:
                best = other
        return best

    def _chosen(self, fold: Fold, values: list[tuple[Term, Any]], otherwise: Any, env: dict[int, Any]) -> Term:
        if len(values) > LONG and all(holds is TRUE for holds, _ in values):
            whole = fold.order.free <= {fold.x, fold.y}
            if fold.kind.name == "greatest" and whole and self._is_total(fold.order, fold.x, fold.y):
                return self._greatest_of([v for _, v in values], fold, env)
        if not values:
            instead: Term = self._instead(fold, otherwise)
            return instead
        some: Term = values[0][0]
        best: Term = values[0][1]
        for holds, value in values[1:]:
            if fold.kind.name == "the":
                # That there is one only is an obligation of the specification.
                best = ite(some, best, value)
            else:
                later = ite(self._before(fold, best, value, env), value, best)
                best = ite(holds, ite(some, later, value), best)
            some = or_(some, holds)
        if some is TRUE or otherwise is None:
            return best
        return ite(some, best, otherwise)

    def _greatest_of(self, values: list[Term], fold: Fold, env: dict[int, Any]) -> Term:
        values = list(dict.fromkeys(values))
        symbol = Symbol(f"greatest of {' '.join(f'{v.digest:x}' for v in values)}", (), fold.term.sort)

        def bound(value: Term, member: Term) -> Term:
            return Specialiser(self._facts)._before(fold, member, value, env)

        self.said[symbol] = LongFold(symbol, tuple(values), eq, bound)
        return symbol()

    def _before(self, fold: Fold, x: Any, y: Any, env: dict[int, Any]) -> Term:
        made = self(fold.order, {**env, number_of(fold.x): x, number_of(fold.y): y})
        assert isinstance(made, Term)
        return made

    @staticmethod
    def _instead(fold: Fold, otherwise: Any) -> Any:
        if otherwise is None:
            raise Undefined(f"`{fold.kind.name}` of an empty set")
        return otherwise

    def _recursion(self, term: Term, env: dict[int, Any]) -> Any:
        variable, below, start, end, body = term.args
        first, last = self(start, env), self(end, env)
        if last < first:
            raise Undefined("a recursion below its start")
        value: Any = None
        for k in range(first, last + 1):
            value = self(body, {**env, number_of(variable): k, number_of(below): value})
        return value

    # -------------------------------------------------------------------------------------------------------- operators

    def _operation(self, term: Term, args: list[Any]) -> Any:
        if any(not isinstance(a, Term) for a in args):
            return on_values(term, args)
        made = rebuild(term, tuple(args))
        if made.args and all(is_literal(a) for a in made.args):
            return literal(evaluate(made, {}), made.sort)
        if made.sort in _KNOWN and not is_literal(made):
            raise Open("a number that depends on elements")
        return made.payload if made.sort in _KNOWN else made
