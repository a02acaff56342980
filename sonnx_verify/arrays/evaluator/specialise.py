"""Partial evaluation: what a term says where shapes and attributes are known, with loops for the indices.

The result is a term over loops, folds (both nullary symbols, see loops.py), and reads of inputs at coordinates. What
depends on nothing else is its value, by the reference evaluator.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from sonnx_verify.arrays.evaluator.environment import NOTHING, Coordinates, Environment, name_of
from sonnx_verify.arrays.evaluator.loops import NeedsElements, Nodes, NotStatic
from sonnx_verify.arrays.evaluator.specialise_folds import folded
from sonnx_verify.arrays.shapes.intervals import holds, interval
from sonnx_verify.language.variables import Variable
from sonnx_verify.logic.binders import rebuild
from sonnx_verify.logic.evaluator import compile_term
from sonnx_verify.logic.evaluator_values import Undefined, stripped
from sonnx_verify.logic.sorts import INDEX, INT
from sonnx_verify.logic.terms import (
    FALSE,
    TRUE,
    ZERO,
    Symbol,
    Term,
    and_,
    eq,
    integer,
    is_literal,
    ite,
    literal,
    not_,
    or_,
    sub,
    subterms,
)
from sonnx_verify.results.concrete import ConcreteTensor

_MOST_VALUES = 64
"""A number that has so many values at most is written out."""
_symbols: dict[Term, frozenset[Symbol]] = {}


def integer_of(literal: Term) -> int:
    """The integer that a literal is."""
    assert isinstance(literal.payload, int)
    return literal.payload


def symbols_of(term: Term) -> frozenset[Symbol]:
    """The symbols that are applied in a term."""
    found = _symbols.get(term)
    if found is None:
        for node in subterms(term):
            if node not in _symbols:
                own = frozenset((node.payload,)) if isinstance(node.payload, Symbol) else frozenset()
                _symbols[node] = own.union(*(_symbols[a] for a in node.args))
        found = _symbols[term]
    return found


class Specialiser:
    """Specialises terms to what `facts` say of symbols, except the elements of inputs: of these only those of the
    `control` inputs are known."""

    def __init__(
        self, variables: Collection[Variable], assignment: Mapping[str, Any], facts: Any, control: Collection[str]
    ) -> None:
        self.facts, self.nodes = facts, Nodes()
        self.depth = 0
        self._tensors: dict[Symbol, tuple[str, Any]] = {}
        for variable in variables:
            if variable.kind == "tensor" and variable.role == "input":
                self._tensors[variable.symbol("read")] = (variable.name, assignment.get(variable.name))
        self.control = frozenset(control)
        self.hidden = frozenset(s for s, (name, _) in self._tensors.items() if name not in control)
        self._memo: dict[Any, Term] = {}

    def __call__(self, term: Term, env: Environment) -> Term:
        """The term, where bound variables have the meaning that `env` gives. Raises NotStatic, NeedsElements, and
        Undefined where it has no value."""
        if is_literal(term):
            return term
        key = (self.depth, term, *[(n, env[n]) for v in term.free if isinstance(n := v.payload, int)])
        found = self._memo.get(key)
        if found is None:
            found = self._memo[key] = self._specialised(term, env)
        return found

    def static(self, term: Term, env: Environment) -> tuple[Any] | None:
        """The value of a term that depends on nothing unknown, in a tuple; else None."""
        known: Environment = {}
        for variable in term.free:
            number = variable.payload
            assert isinstance(number, int)
            value = known[number] = env[number]
            if isinstance(value, Term | Coordinates):
                return None
        if not self.hidden.isdisjoint(symbols_of(term)):
            return None
        try:
            return (compile_term(term)(known, self.facts),)
        except KeyError as missing:
            what = missing.args[0]
            name = what.name if isinstance(what, Symbol) else what
            raise Undefined(f"nothing says what `{name}` is") from None

    def number(self, term: Term, env: Environment) -> int:
        """The integer that a term is. Raises NotStatic or NeedsElements where it is none yet."""
        found = self(term, env)
        if not is_literal(found):
            raise self.unknown(found)
        return integer_of(found)

    def unknown(self, term: Term) -> Exception:
        """Why a specialised term is no number."""
        stack, seen = [term], {term}
        while stack:
            for node in subterms(stack.pop()):
                name = self.nodes.reads.get(node.payload) if isinstance(node.payload, Symbol) else None
                if name is not None and name.partition("#")[0] not in self.control:
                    return NeedsElements(name)
                fold = self.nodes.folds.get(node)
                inner = () if fold is None else (fold.condition, fold.value, *(t for item in fold.items for t in item))
                for part in inner:
                    if part not in seen:
                        seen.add(part)
                        stack.append(part)
        return NotStatic()

    # ------------------------------------------------------------------------------------------------------ by operator

    def _specialised(self, term: Term, env: Environment) -> Term:
        if term.sort != INDEX and (value := self.static(term, env)) is not None:
            return literal(value[0], term.sort)
        match term.op:
            case "variable":
                found = env[term.payload]  # type: ignore[index]  # a variable is numbered
                assert isinstance(found, Term)
                return found
            case "and" | "or":
                return self._junction(term, env)
            case "ite":
                condition = self(term.args[0], env)
                if is_literal(condition):
                    return self(term.args[1 if condition is TRUE else 2], env)
                return ite(condition, self._guarded(term.args[1], env), self._guarded(term.args[2], env))
            case "apply":
                return self._applied(term, env)
            case "at":
                axis = self.number(term.args[1], env)
                return self.coordinates(term.args[0], env, axis + 1)[axis] if axis >= 0 else ZERO
            case "forall" | "forall_index" | "fold" | "fold_index":
                return folded(self, term, env)
            case "recursion":
                return self._recursion(term, env)
            case _:
                return self.simple(rebuild(term, tuple(self(a, env) for a in term.args)))

    def _junction(self, term: Term, env: Environment) -> Term:
        """From the left: what stands behind a part that decides is not looked at."""
        join, end = (and_, FALSE) if term.op == "and" else (or_, TRUE)
        parts: list[Term] = []
        for arg in term.args:
            part = self._guarded(arg, env) if parts else self(arg, env)
            if part is end:
                return join(*parts, end)
            if not is_literal(part):
                parts.append(part)
        return join(*parts)

    def _guarded(self, term: Term, env: Environment) -> Term:
        """A term that is only looked at where something holds that is not known yet: it may have no value."""
        try:
            return self(term, env)
        except Undefined:
            return Symbol(f"{NOTHING}{term.digest}", (), term.sort)()

    def simple(self, term: Term) -> Term:
        """The term, decided where the bounds of the loops decide it."""
        if term.op == "not":
            inner = self.simple(term.args[0])
            return term if inner is term.args[0] else not_(inner)
        if term.op in ("=", "<=") and term.args[0].sort == INT:
            decided = holds(term, self.nodes.bounds)
            return term if decided is None else TRUE if decided else FALSE
        if term.op in ("div", "mod") and is_literal(term.args[1]):
            return self._quotient(term)
        return term

    def _quotient(self, term: Term) -> Term:
        by = integer_of(term.args[1])
        if by == 0:
            raise Undefined("division by 0")
        low, high = interval(term.args[0], self.nodes.bounds)
        if by > 0 and low is not None and high is not None and low // by == high // by:
            return integer(low // by) if term.op == "div" else sub(term.args[0], integer(by * (low // by)))
        return term

    def _applied(self, term: Term, env: Environment) -> Term:
        symbol = term.payload
        assert isinstance(symbol, Symbol)
        tensor = self._tensors.get(symbol)
        numbers = [self(arg, env) for arg in term.args if arg.sort == INT]

        def found(places: list[Term]) -> Term:
            if tensor is not None:
                return self._read(*tensor, places, term, env)
            known = self.static(symbol(*places), {})
            assert known is not None
            return literal(known[0], term.sort)

        return self._over(numbers, found)

    def _over(self, numbers: list[Term], found: Callable[[list[Term]], Term]) -> Term:
        """What is found at some numbers, each of which may depend on the loops of the output, if it has few values."""
        place = next((n for n, number in enumerate(numbers) if not is_literal(number)), None)
        if place is None:
            return found(numbers)
        number = numbers[place]
        low, high = interval(number, self.nodes.bounds)
        if low is None or high is None or high - low > _MOST_VALUES or self._of_a_fold(number):
            raise self.unknown(number)
        made: Term | None = None
        for value in range(high, low - 1, -1):
            try:
                part = self._over([*numbers[:place], integer(value), *numbers[place + 1 :]], found)
            except Undefined:
                continue
            made = part if made is None else ite(self.simple(eq(number, integer(value))), part, made)
        if made is None:
            raise Undefined("nothing at any of the places")
        return made

    def _of_a_fold(self, number: Term) -> bool:
        """Whether a number depends on a loop that is not one of the output."""
        return any(n in self.nodes.loops and not name_of(n).startswith("loop 0.") for n in subterms(number))

    def _read(self, name: str, tensor: Any, places: list[Term], term: Term, env: Environment) -> Term:
        """An element of an input; of a family, of the member at a place."""
        if places:
            number = integer_of(places[0])
            if not 0 <= number < len(tensor):
                raise Undefined(f"position {number} of a list of {len(tensor)}")
            name, tensor = f"{name}#{number}", tensor[number]
        if not isinstance(tensor, ConcreteTensor):
            raise Undefined(f"{name} is not given")
        coordinates = self.coordinates(term.args[-1], env, len(tensor.shape))
        if name.partition("#")[0] in self.control and all(is_literal(c) for c in coordinates):
            return literal(tensor.read(stripped([integer_of(c) for c in coordinates])), term.sort)
        return self.nodes.read(name, term.sort, coordinates[::-1])

    def coordinates(self, position: Term, env: Environment, rank: int) -> list[Term]:
        """The coordinates of an index on so many axes from the right."""
        if (value := self.static(position, env)) is not None:
            return [integer(c) for c in (*value[0], *[0] * rank)[:rank]]
        match position.op:
            case "variable":
                found = env[position.payload]  # type: ignore[index]  # as above
                return [*found, *[ZERO] * rank][:rank]
            case "index":
                variable, axes, body = position.args
                end = min(rank, self.number(axes, env))
                made = [self(body, {**env, variable.payload: k}) for k in range(end)]  # type: ignore[dict-item]  # as above
                return [*made, *[ZERO] * (rank - end)]
            case "ite":
                condition = self(position.args[0], env)
                if is_literal(condition):
                    return self.coordinates(position.args[1 if condition is TRUE else 2], env, rank)
                both = [self.coordinates(p, env, rank) for p in position.args[1:]]
                return [ite(condition, a, b) for a, b in zip(*both, strict=True)]
            case _:
                raise NotStatic

    def _recursion(self, term: Term, env: Environment) -> Term:
        variable, below, start, number, body = term.args
        first, last = self.number(start, env), self.number(number, env)
        if last < first:
            raise Undefined("a recursion below its start")
        made: Term = Symbol(f"{NOTHING}below the start", (), below.sort)()
        for k in range(first, last + 1):
            step = made.payload if is_literal(made) else made
            made = self(body, {**env, variable.payload: k, below.payload: step})  # type: ignore[dict-item]  # as above
        return made
