"""Terms where shapes and attributes are known, as programs over whole arrays need them: with loops for indices.

The result is a term over loops and folds (both nullary symbols, see loops.py), and over reads of inputs at coordinates.
A quantifier or a fold becomes a fold over loops where that is possible, of which conditions pin some; else it is
written out member by member.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from sonnx_verify.arrays.evaluator.blocks import Block, Frame
from sonnx_verify.arrays.evaluator.known import DTYPES
from sonnx_verify.arrays.evaluator.loops import Argument, FoldNode, Loop, NeedsElements, Nodes, NoProgram
from sonnx_verify.arrays.evaluator.program import Compiler
from sonnx_verify.arrays.partial.binders import Binder, Kind, Range
from sonnx_verify.arrays.partial.intervals import interval
from sonnx_verify.arrays.partial.walk import (
    Coordinates,
    Environment,
    Items,
    Open,
    PartialEvaluator,
    Step,
    Value,
    ranges_over_indices,
)
from sonnx_verify.kernel.variables import Variable, VariableKind, VariableRole
from sonnx_verify.logic.binders import replace_nodes
from sonnx_verify.logic.evaluator_values import Undefined, stripped
from sonnx_verify.logic.nodes import integer_of, number_of
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.sorts import BOOL, INT, INTEGERS
from sonnx_verify.logic.terms import (
    FALSE,
    ONE,
    TRUE,
    ZERO,
    Symbol,
    Term,
    add,
    and_,
    boolean,
    conjuncts,
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
from sonnx_verify.results.concrete import LEFT_OUT, ConcreteTensor, tensors_in

_FEW = 64
"""The elements of an input that are soon looked at one by one."""


class Specialiser(PartialEvaluator):
    """Specialises terms to what `facts` say of symbols, except the elements of inputs: of these only those of the
    `control` inputs are known. Raises NeedsElements where those of another one have to be."""

    most = 4096
    most_values = 4096

    def __init__(
        self, variables: Collection[Variable], assignment: Mapping[str, Any], facts: Any, control: Collection[str]
    ) -> None:
        self.nodes = Nodes()
        self._tensors: dict[Symbol, tuple[str, Any]] = {}
        for variable in variables:
            if variable.kind is VariableKind.TENSOR and variable.role in (VariableRole.INPUT, VariableRole.ATTRIBUTE):
                self._tensors[variable.symbol("read")] = (variable.name, assignment.get(variable.name))
        self.control = frozenset(control)
        self._is_large = any(prod(tensor.shape) > _FEW for tensor in tensors_in(assignment))
        hidden = [symbol for symbol, (name, _) in self._tensors.items() if name not in control]
        super().__init__(facts, hidden, self.nodes.bounds)
        # What is left out has nothing to wait for: a text reads it only where it says that it is given.
        left_out = [v for v in variables if v.default is None and assignment.get(v.name) is LEFT_OUT]
        self._known = self._known.union(v.symbol(part) for v in left_out for part in ("rank", "dim", "read"))

    def unknown(self, number: Term) -> Exception:
        """NeedsElements where a number depends on the elements of an input, else Open."""
        reads, folds = self.nodes.reads, self.nodes.folds
        stack, seen = [number], {number}
        while stack:
            for node in subterms(stack.pop()):
                if isinstance(node.payload, Symbol) and node.payload in reads:
                    name = reads[node.payload].name
                    if name not in self.control:
                        return NeedsElements(name)
                # A fold is a symbol: what it is computed from is beside the term.
                if node in folds:
                    new = [part for part in folds[node].parts if part not in seen]
                    seen.update(new)
                    stack += new
        return Open("a number that is known at each index only")

    def values_of(self, number: Term, places: range | None = None) -> range:
        """The values of a number of few values, unless it depends on a fold's loops: then there are fewer when the
        fold is written out."""
        loops = self.nodes.loops
        # Written out, each member has its own number, and perhaps one that is known.
        if any(node in loops and loops[node].level > 0 for node in subterms(number)):
            raise self.unknown(number)
        return super().values_of(number, places)

    def among(self, number: Term, values: range, found: Callable[[int], Term | None]) -> Term | None:
        """The same, of many values by halves: one condition after another would be as many steps for each."""
        if len(values) <= super().most_values:
            return super().among(number, values, found)
        middle = len(values) // 2
        below = self.compared(Op.AT_MOST, number, integer(values[middle - 1]))
        first, second = (self.among(number, half, found) for half in (values[:middle], values[middle:]))
        return self.one_of(below, first, second)

    def _walked(self, term: Term, env: Environment) -> Term:
        """A term whose value is not remembered yet."""
        # The reference evaluator looks at the indices of a shape one by one: it takes seconds for 65,536 of them, and
        # refuses more. Most of what ranges over them is known without, as their count is.
        if self._is_large and ranges_over_indices(term) and self.known_variables(term, env) is not None:
            try:
                found = self.handlers[term.op](self, term, env)
            except (Open, Undefined, NeedsElements):
                pass
            else:
                if is_literal(found):
                    return found
        return super()._walked(term, env)

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
            # A draft may use a name that it never introduces.
            if value is None:
                raise Undefined(f"undefined symbol `{symbol.name}`")
            return literal(value[0], term.sort)

        _, tensors = self._tensors.get(symbol, ("", None))
        return self.over(numbers, found, range(len(tensors)) if isinstance(tensors, tuple) else None)

    def _read(self, term: Term, places: list[int], env: Environment) -> Term:
        """An element of an input; of a family, of the member at a place."""
        assert isinstance(term.payload, Symbol)
        name, tensor = self._tensors[term.payload]
        argument = Argument(name)
        if places:
            (number,) = places
            if not 0 <= number < len(tensor):
                raise Undefined(f"position {number} of a list of {len(tensor)}")
            argument, tensor = Argument(name, number), tensor[number]
        if not isinstance(tensor, ConcreteTensor):
            raise Undefined(f"{argument} is not given")
        # An index is 0 beyond its coordinates, and beyond the rank it may say what it likes.
        rank = len(tensor.shape)
        coordinates = [*self.index(term.args[-1], env), *[ZERO] * rank][:rank]
        if name in self.control and all(is_literal(c) for c in coordinates):
            value = tensor.read(stripped([integer_of(c) for c in coordinates]))
            return literal(value, term.sort)
        return self.nodes.read(argument, term.sort, coordinates[::-1])

    # ---------------------------------------------------------------------------------------------------------- folds

    def quantified(self, binder: Binder, env: Environment) -> Term:
        """A fold over loops where that is possible, else written out."""
        # The depth is how many folds over loops are around a term. Folds side by side share loops; one inside another
        # has its own, and so what is remembered at one depth is not taken at another. What was made further out, as the
        # value below of a recursion, comes with folds of its own, whose loops are not to be those of this one.
        around = self.depth
        self.depth = max(around, *map(self._level, env.values()), 0) + 1
        try:
            return self._over_loops(binder, env)
        except Open:
            pass
        finally:
            self.depth = around
        return self.written_out(binder, env)

    def _level(self, value: Value) -> int:
        """The greatest level of the loops of folds in what a variable means; 0 of none."""
        match value:
            case Step():
                parts = [value.number, *(inner for _, inner in value.inner)]
            case Coordinates():
                parts = list(value)
            case _:
                return self.nodes.level(value)
        return max(map(self._level, parts), default=0)

    def greatest(self, binder: Binder, items: Items, otherwise: Term | None, env: Environment) -> Term:
        """A fold over items: a kernel takes one pass over two arrays, where a comparison and a choice take several."""
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
        return self._valued(
            self.nodes.fold(FoldNode(node.kind, node.sort, node.loops, node.condition, node.value, *rest))
        )

    def _valued(self, fold: Term) -> Term:
        """The value of a fold of numbers or conditions that depends on nothing else, such as the greater one of two
        sizes; any other fold as it is."""
        if fold.sort not in (INT, BOOL) or self.nodes.loops_of(fold) != frozenset():
            return fold
        # A program needs a loop: this one has one place.
        loops = (Loop(ZERO, 1, 0),)
        try:
            program = Compiler(self.nodes, {}, {}).program(fold, loops)
        except NoProgram:
            return fold
        value = np.ravel(program.run(Frame((), Block(loops, [(0, 1)]))))[0]
        return boolean(bool(value)) if fold.sort == BOOL else integer(int(value))

    def _over_loops(self, binder: Binder, env: Environment) -> Term:
        if binder.kind is Kind.POSITION:
            raise Open("a position has no loops")
        if isinstance(binder.domain, Range):
            power = self._power(binder, binder.domain, env)
            if power is not None:
                return power
            low, high, numbers = self.range_of(binder.domain, env)
            # The bounds of an end that is not known may be those of int64: no loop runs that far.
            if len(numbers) > self.most and not (is_literal(low) and is_literal(high)):
                raise self.unknown(add(low, high))
            if not numbers:
                return self.of_nothing(binder, env)
            names = self._pinned(binder, self._loops_over([len(numbers)], integer(numbers.start)), env)
            # The loop runs over every number that may be in the range, the condition says which are.
            (name,) = names
            inside = and_(self.compared(Op.AT_MOST, low, name), self.compared(Op.AT_MOST, name, high))
            return self._fold_over(binder, names, inside, env)
        sizes = self.sizes_of(binder.domain, env)
        if 0 in sizes:
            return self.of_nothing(binder, env)
        return self._fold_over(binder, self._pinned(binder, self._loops_over(sizes, ZERO), env), TRUE, env)

    def _power(self, binder: Binder, domain: Range, env: Environment) -> Term | None:
        """A product of machine integers whose factors are all one term: a loop might run 2^63 times. None of another
        fold."""
        if binder.kind is not Kind.PRODUCT or binder.sort not in INTEGERS or binder.sort not in DTYPES:
            return None
        if binder.variable in binder.condition.free | binder.value.free:
            return None
        exponent = add(sub(self(domain.high, env), self(domain.low, env)), ONE)
        some = self.compared(Op.AT_MOST, ONE, exponent)
        if some is FALSE:
            return binder.unit
        # Where there is no factor its condition and its value need not be there.
        counts = and_(some, self.guarded(binder.condition, env))
        items = ((counts, self.guarded(binder.value, env)),)
        return self.nodes.fold(FoldNode(Kind.POWER, binder.sort, (), TRUE, exponent, items=items))

    def _loops_over(self, sizes: Sequence[int], first: Term) -> list[Term]:
        """The coordinates of a member, each a loop over an axis that begins at `first`; size 1 needs none."""
        names: list[Term] = []
        # Axes are counted from the right; loops, as those of arrays, from the left.
        for axis, size in enumerate(sizes):
            name = first
            if size > 1:
                name = add(self.nodes.loop(self.depth, len(sizes) - 1 - axis, size).variable, first)
            names.append(name)
        return names

    def _fold_over(self, binder: Binder, names: Sequence[Term], inside: Term, env: Environment) -> Term:
        """The fold over the loops that stand in the coordinates of a member, where it is inside the domain."""
        inner, loops = _at(binder, names, env), self._loops_in(names)
        if binder.kind is Kind.ALL:
            value = or_(not_(inside), self(binder.value, inner))
            if is_literal(value) or not loops:
                return value
            return self._valued(self.nodes.fold(FoldNode(Kind.ALL, BOOL, loops, TRUE, value)))
        condition = and_(inside, self(binder.condition, inner))
        if condition is FALSE:
            return self.of_nothing(binder, env)
        if condition is TRUE and loops:
            # Every place of the loops is a member, so nothing is to be computed to choose among them.
            if binder.kind is Kind.COUNT:
                return integer(prod(loop.size for loop in loops))
            if binder.kind is Kind.THE:
                # The text has to show that there is only one value: that of the first place is as good as any.
                inner = _at(binder, replace_nodes(names, {loop.variable: ZERO for loop in loops}), env)
                loops = ()
        value = self(binder.value, inner)
        if not binder.needs_member:
            if not loops:
                return ite(condition, value, binder.unit)
            return self._valued(self.nodes.fold(FoldNode(binder.kind, binder.sort, loops, condition, value)))
        otherwise = self.otherwise(binder, [(condition, value)], env)
        if loops:
            node = FoldNode(binder.kind, binder.sort, loops, condition, value, otherwise=otherwise)
            return self._chosen(binder, node, env)
        if otherwise is None:
            return value
        return ite(condition, value, otherwise)

    def _loops_in(self, names: Sequence[Term]) -> tuple[Loop, ...]:
        """The loops of this depth that are left, in the order of the axes from the left."""
        known = self.nodes.loops
        found: dict[Loop, None] = {}
        for name in reversed(names):
            for loop in (known[node] for node in subterms(name) if node in known):
                if loop.level == self.depth:
                    found[loop] = None
        return tuple(found)

    def _pinned(self, binder: Binder, names: list[Term], env: Environment) -> list[Term]:
        """The coordinates, those that a condition gives replaced: of `sum over k with k = 2 * i` only one counts.

        Without this, an output that looks for the one input index with j = i would take the square of its size in
        steps."""
        while True:
            pins = self._pin(self._limits(binder, _at(binder, names, env)), names)
            if not pins:
                return names
            names = replace_nodes(names, pins)

    def _limits(self, binder: Binder, inner: Environment) -> tuple[Term, ...]:
        """The conjuncts that have to hold of a member for it to count; of a quantifier, for it to be of interest."""
        if binder.kind is Kind.ALL:
            return conjuncts(not_(self(binder.value, inner)))
        return conjuncts(self(binder.condition, inner))

    def _pin(self, limits: Sequence[Term], names: Sequence[Term]) -> dict[Term, Term]:
        """A loop of these coordinates that one of the limits gives, as an equation, with the value that it gives."""
        own = {loop.variable: loop for loop in self._loops_in(names)}
        for limit in limits:
            if limit.op != Op.EQUAL or limit.args[0].sort != INT:
                continue
            difference = sub(*limit.args)
            atoms, _ = linear(difference)
            for atom, coefficient in atoms.items():
                # From 2 * k = i no k follows for every i. With a coefficient of 1 or -1 there is one.
                if atom not in own or abs(coefficient) != 1:
                    continue
                rest = sub(difference, scale(int(coefficient), atom))
                given = scale(-int(coefficient), rest)
                if self._is_within(given, own[atom]):
                    return {atom: given}
        return {}

    def _is_within(self, given: Term, loop: Loop) -> bool:
        """A value for a loop lies in its range, whatever the other loops are, and does not depend on the loop itself:
        then the member that it names is one, and no other one counts."""
        low, high = interval(given, self.bounds)
        if low is None or high is None:
            return False
        return low >= 0 and high < loop.size and loop.variable not in set(subterms(given))


def _at(binder: Binder, names: Sequence[Term], env: Environment) -> Environment:
    """The meaning of variables at a member that is given by its coordinates, of which an integer has one."""
    if isinstance(binder.domain, Range):
        (number,) = names
        return {**env, binder.number: number}
    return {**env, binder.number: Coordinates(names)}
