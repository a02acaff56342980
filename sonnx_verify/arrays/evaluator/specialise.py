"""Terms where shapes and attributes are known, as programs over whole arrays need them: with loops for indices.

The result is a term over loops and folds (both nullary symbols, see loops.py), and over reads of inputs at coordinates.
A quantifier or a fold becomes a fold over loops where that is possible, of which conditions pin some; else it is
written out member by member.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import prod
from typing import Any

from sonnx_verify.arrays.evaluator.loops import FoldNode, Loop, NeedsElements, Nodes
from sonnx_verify.arrays.partial.binders import Binder, Kind, Range
from sonnx_verify.arrays.partial.intervals import interval
from sonnx_verify.arrays.partial.walk import Coordinates, Environment, Items, Open, PartialEvaluator, integer_of
from sonnx_verify.language.variables import Variable
from sonnx_verify.logic.binders import replace_nodes
from sonnx_verify.logic.evaluator_values import Undefined, stripped
from sonnx_verify.logic.nodes import number_of
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.sorts import BOOL, INT
from sonnx_verify.logic.terms import (
    FALSE,
    TRUE,
    ZERO,
    Symbol,
    Term,
    add,
    and_,
    integer,
    is_literal,
    ite,
    linear,
    literal,
    not_,
    or_,
    scale,
    sub,
    subterms,
)
from sonnx_verify.results.concrete import ConcreteTensor


class Specialiser(PartialEvaluator):
    """Specialises terms to what `facts` say of symbols, except the elements of inputs: of these only those of the
    `control` inputs are known. Raises NeedsElements where those of another one have to be."""

    most = 4096

    def __init__(
        self, variables: Collection[Variable], assignment: Mapping[str, Any], facts: Any, control: Collection[str]
    ) -> None:
        self.nodes = Nodes()
        self._tensors: dict[Symbol, tuple[str, Any]] = {}
        for variable in variables:
            if variable.kind == "tensor" and variable.role == "input":
                self._tensors[variable.symbol("read")] = (variable.name, assignment.get(variable.name))
        self.control = frozenset(control)
        hidden = [symbol for symbol, (name, _) in self._tensors.items() if name not in control]
        super().__init__(facts, hidden, self.nodes.bounds)

    def unknown(self, number: Term) -> Exception:
        """NeedsElements where a number depends on the elements of an input, else Open."""
        stack, seen = [number], {number}
        while stack:
            for node in subterms(stack.pop()):
                name = self.nodes.reads.get(node.payload) if isinstance(node.payload, Symbol) else None
                if name is not None and name.partition("#")[0] not in self.control:
                    return NeedsElements(name)
                if node in self.nodes.folds:
                    new = [part for part in self.nodes.folds[node].parts if part not in seen]
                    seen.update(new)
                    stack += new
        return Open("a number that is known at each index only")

    def values_of(self, number: Term) -> range:
        """The values of a number of few values, unless it depends on a fold's loops: then there are fewer when the
        fold is written out."""
        loops = self.nodes.loops
        if any(node in loops and loops[node].level > 0 for node in subterms(number)):
            raise self.unknown(number)
        return super().values_of(number)

    # -------------------------------------------------------------------------------------------------------- symbols

    def applied(self, term: Term, env: Environment) -> Term:
        """A symbol at numbers that may depend on loops; an element of an input."""
        symbol = term.payload
        assert isinstance(symbol, Symbol)
        numbers = [self(arg, env) for arg in term.args if arg.sort == INT]

        def found(places: list[int]) -> Term:
            if symbol in self._tensors:
                return self._read(term, places, env)
            value = self.known(symbol(*map(integer, places)), {})
            if value is None:
                raise Undefined(f"nothing says what `{symbol.name}` is")
            return literal(value[0], term.sort)

        return self.over(numbers, found)

    def _read(self, term: Term, places: list[int], env: Environment) -> Term:
        """An element of an input; of a family, of the member at a place."""
        assert isinstance(term.payload, Symbol)
        name, tensor = self._tensors[term.payload]
        is_control = name in self.control
        if places:
            (number,) = places
            if not 0 <= number < len(tensor):
                raise Undefined(f"position {number} of a list of {len(tensor)}")
            name, tensor = f"{name}#{number}", tensor[number]
        if not isinstance(tensor, ConcreteTensor):
            raise Undefined(f"{name} is not given")
        rank = len(tensor.shape)
        coordinates = [*self.index(term.args[-1], env), *[ZERO] * rank][:rank]
        if is_control and all(is_literal(c) for c in coordinates):
            value = tensor.read(stripped([integer_of(c) for c in coordinates]))
            return literal(value, term.sort)
        return self.nodes.read(name, term.sort, coordinates[::-1])

    # ---------------------------------------------------------------------------------------------------------- folds

    def quantified(self, binder: Binder, env: Environment) -> Term:
        """A fold over loops where that is possible, else written out."""
        # The depth is how many folds over loops are around a term. Folds side by side share loops; one inside another
        # has its own, and so what is remembered at one depth is not taken at another.
        self.depth += 1
        try:
            return self._over_loops(binder, env)
        except Open:
            pass
        finally:
            self.depth -= 1
        return self.written_out(binder, env)

    def greatest(self, binder: Binder, items: Items, otherwise: Term | None, env: Environment) -> Term:
        """A fold over items."""
        if len(items) == 1 and otherwise is None:
            return items[0][1]
        node = FoldNode(Kind.GREATEST, binder.sort, (), TRUE, TRUE, otherwise=otherwise, items=tuple(items))
        return self._chosen(binder, node, env)

    def _chosen(self, binder: Binder, node: FoldNode, env: Environment) -> Term:
        """The fold `greatest` or `the` of a node, with its order on two symbols."""
        x, y = self.nodes.pair(binder.sort)
        order = TRUE
        if binder.kind is Kind.GREATEST:
            order = self(binder.order, {**env, number_of(binder.x): x, number_of(binder.y): y})
        rest = (x, y, order, node.otherwise, node.items)
        return self.nodes.fold(FoldNode(node.kind, node.sort, node.loops, node.condition, node.value, *rest))

    def _over_loops(self, binder: Binder, env: Environment) -> Term:
        if binder.kind is Kind.POSITION:
            raise Open("a position has no loops")
        low = high = None
        if isinstance(binder.domain, Range):
            low, high, numbers = self.range_of(binder.domain, env)
            sizes, first = [len(numbers)], integer(numbers.start)
            if len(numbers) > self.most and not (is_literal(low) and is_literal(high)):
                raise self.unknown(add(low, high))
        else:
            sizes, first = self.sizes_of(binder.domain, env), ZERO
        if 0 in sizes:
            return self.of_nothing(binder, env)
        # Axes are counted from the right; loops, as those of arrays, from the left.
        names = [
            first if size == 1 else add(self.nodes.loop(self.depth, len(sizes) - 1 - q, size).variable, first)
            for q, size in enumerate(sizes)
        ]
        names = self._pinned(binder, names, env)
        inside = TRUE
        if low is not None and high is not None:
            (name,) = names
            inside = and_(self.compared(Op.AT_MOST, low, name), self.compared(Op.AT_MOST, name, high))
        return self._fold_over(binder, names, inside, env)

    def _fold_over(self, binder: Binder, names: Sequence[Term], inside: Term, env: Environment) -> Term:
        """The fold over the loops that stand in the coordinates of a member, where it is inside the domain."""
        inner, loops = _at(binder, names, env), self._loops_in(names)
        if binder.kind is Kind.ALL:
            value = or_(not_(inside), self(binder.value, inner))
            if is_literal(value) or not loops:
                return value
            return self.nodes.fold(FoldNode(Kind.ALL, BOOL, loops, TRUE, value))
        condition = and_(inside, self(binder.condition, inner))
        if condition is FALSE:
            return self.of_nothing(binder, env)
        if condition is TRUE and loops and binder.kind is Kind.COUNT:
            return integer(prod(loop.size for loop in loops))
        if condition is TRUE and loops and binder.kind is Kind.THE:
            # There is only one member: it is as good as any.
            inner = _at(binder, replace_nodes(names, {loop.variable: ZERO for loop in loops}), env)
            loops = ()
        value = self(binder.value, inner)
        if not binder.needs_member:
            if not loops:
                return ite(condition, value, binder.unit)
            return self.nodes.fold(FoldNode(binder.kind, binder.sort, loops, condition, value))
        otherwise = self.otherwise(binder, [(condition, value)], env)
        if loops:
            node = FoldNode(binder.kind, binder.sort, loops, condition, value, otherwise=otherwise)
            return self._chosen(binder, node, env)
        return value if otherwise is None else ite(condition, value, otherwise)

    def _loops_in(self, names: Sequence[Term]) -> tuple[Loop, ...]:
        """The loops of this depth that are left, in the order of the axes from the left."""
        known = self.nodes.loops
        found = [known[node] for name in reversed(names) for node in subterms(name) if node in known]
        return tuple(dict.fromkeys(loop for loop in found if loop.level == self.depth))

    def _pinned(self, binder: Binder, names: list[Term], env: Environment) -> list[Term]:
        """The coordinates, those that a condition gives by that: of `sum over k with k = 2 * i` only one counts."""
        while True:
            pins: dict[Term, Term] = {}
            for part in self._limits(binder, _at(binder, names, env)):
                if not pins and part.op == Op.EQUAL and part.args[0].sort == INT:
                    pins = self._pin(part, names)
            if not pins:
                return names
            names = replace_nodes(names, pins)

    def _limits(self, binder: Binder, inner: Environment) -> list[Term]:
        """What has to hold of a member for it to count, as conjuncts; of a quantifier, for it to be of interest."""
        if binder.kind is Kind.ALL:
            return _conjuncts(not_(self(binder.value, inner)))
        return _conjuncts(self(binder.condition, inner))

    def _pin(self, equation: Term, names: Sequence[Term]) -> dict[Term, Term]:
        """A loop of these that an equation gives, if what it gives is in the loop's range."""
        difference = sub(*equation.args)
        atoms, _ = linear(difference)
        own = {loop.variable for loop in self._loops_in(names)}
        for atom, coefficient in atoms.items():
            if atom not in own or abs(coefficient) != 1:
                continue
            rest = sub(difference, scale(int(coefficient), atom))
            given = scale(-int(coefficient), rest)
            low, high = interval(given, self.bounds)
            within = low is not None and high is not None and low >= 0 and high < self.nodes.loops[atom].size
            if within and atom not in set(subterms(given)):
                return {atom: given}
        return {}


def _at(binder: Binder, names: Sequence[Term], env: Environment) -> Environment:
    """The meaning of variables at a member that is given by its coordinates, of which an integer has one."""
    if isinstance(binder.domain, Range):
        (number,) = names
        return {**env, binder.number: number}
    return {**env, binder.number: Coordinates(names)}


def _conjuncts(term: Term) -> list[Term]:
    """The parts of a conjunction, through negations of disjunctions."""
    if term.op == Op.AND:
        return [part for arg in term.args for part in _conjuncts(arg)]
    if term.op == Op.NOT and term.args[0].op == Op.OR:
        return [part for arg in term.args[0].args for part in _conjuncts(not_(arg))]
    return [term]
