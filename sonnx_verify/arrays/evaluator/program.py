"""Programs: a specialised term as a list of steps on whole arrays, for a block of the loops that it stands in.

A fold is a step of which the parts are programs themselves; it is computed in parts that fit into the cache, and these
are joined.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from math import lcm, prod
from operator import attrgetter
from typing import Any

import numpy as np

from sonnx_verify.arrays.evaluator.blocks import LIMIT, Block, Frame, Program, Step, Values, parts, ranked, spread
from sonnx_verify.arrays.evaluator.enclosing import enclosing_step
from sonnx_verify.arrays.evaluator.known import DTYPES
from sonnx_verify.arrays.evaluator.loops import Argument, FoldNode, Loop, Nodes, NoProgram
from sonnx_verify.arrays.evaluator.operations import (
    Compute,
    choose,
    compute_of,
    is_limit,
    limiting,
    magnitude,
    magnitude_of,
    mixed,
    operation,
)
from sonnx_verify.arrays.evaluator.orders import State, any_order, halved, kernel_of
from sonnx_verify.arrays.evaluator.reads import read_step
from sonnx_verify.arrays.evaluator.rounding import OnEnds, on_ends
from sonnx_verify.arrays.evaluator.trees import tree_along
from sonnx_verify.arrays.partial.binders import Kind
from sonnx_verify.arrays.partial.intervals import interval
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.sorts import INT, REAL, Sort
from sonnx_verify.logic.terms import TRUE, Symbol, Term


@dataclass(slots=True)
class Compiler:
    """Makes programs. `places` says which of the arrays an argument is, `shapes` what shape it has; `given` are symbols
    that stand for whole arrays."""

    nodes: Nodes
    places: dict[Argument, int]
    shapes: dict[Argument, tuple[int, ...]]
    given: dict[Term, int] = field(default_factory=dict)

    def program(self, term: Term, loops: tuple[Loop, ...]) -> Program:
        """The program of a term in these loops."""
        program = Program(loops)
        self.place(term, program, {})
        return program

    def place(self, term: Term, program: Program, known: dict[Term, int]) -> int:
        """Return the place of the step that computes a term, which is added where there is none: terms are shared."""
        if term not in known:
            step = self._step(term, program, known)
            program.steps.append(step)
            known[term] = len(program.steps) - 1
        return known[term]

    def _step(self, term: Term, program: Program, known: dict[Term, int]) -> Step:
        by_ends = self._on_ends(term)
        if by_ends is not None:
            leaves = [self.place(leaf, program, known) for leaf in by_ends.leaves]
            compute = by_ends.compute
            return lambda frame, values: compute(*[values[n] for n in leaves])
        enclosed = enclosing_step(self, term, program, known)
        if enclosed is not None:
            return enclosed
        if term.op is Op.ITE:
            return self._choice(term, program, known)
        if term.op in (Op.AND, Op.OR):
            return _junction_step([self.place(a, program, known) for a in term.args], ends_on=term.op is Op.OR)
        if term.op != Op.APPLY:
            args = [self.place(a, program, known) for a in term.args]
            return operation(term, args, self.nodes.bounds)
        if term in self.given:
            place = self.given[term]
            return lambda frame, values: frame.arrays[place]
        if term in self.nodes.loops:
            return _loop_step(term, program.loops)
        if term in self.nodes.folds:
            return fold_step(self, self.nodes.folds[term], program.loops)
        if term in self.nodes.named:
            return self._named(self.nodes.named[term], program, known)
        symbol = term.payload
        assert isinstance(symbol, Symbol)
        if symbol in self.nodes.reads:
            read = self.nodes.reads[symbol]

            def compute(coordinate: Term) -> Step:
                place = self.place(coordinate, program, known)
                return lambda frame, values: values[place]

            def compute_apart(coordinate: Term) -> Step:
                own = self.program(coordinate, program.loops)
                return lambda frame, values: own.run(frame)

            shape, bounds = self.shapes[read], self.nodes.bounds
            return read_step(self.places[read], shape, term.args, program.loops, compute, compute_apart, bounds)
        # What is left is a symbol for a term without a value, see walk.py.
        raise NoProgram("some part of it has no value")

    def _named(self, term: Term, program: Program, known: dict[Term, int]) -> Step:
        """An integer of which more is known than its term says. It fits into 64 bits, also as an element of a type of
        which others do not."""
        if term.op is not Op.TO_INT:
            return self._step(term, program, known)
        place = self.place(term.args[0], program, known)
        return lambda frame, values: values[place].astype(np.int64)

    def _on_ends(self, term: Term) -> OnEnds | None:
        return on_ends(term, lambda part: compute_of(part, self.nodes.bounds))

    def _choice(self, term: Term, program: Program, known: dict[Term, int]) -> Step:
        """One of two values. An expression of reals is computed only where it is chosen: elsewhere it may be one that
        no ends decide."""
        condition = self.place(term.args[0], program, known)
        ways: list[int] = []
        for way, chosen in zip(term.args[1:], (True, False), strict=True):
            expression = None if way in known else self._on_ends(way)
            if expression is None:
                ways.append(self.place(way, program, known))
            else:
                leaves = [self.place(leaf, program, known) for leaf in expression.leaves]
                # Not in `known`: who else asks for it needs it elsewhere.
                program.steps.append(_chosen_step(expression, leaves, condition, chosen=chosen))
                ways.append(len(program.steps) - 1)
        first, second = ways
        chosen_by_bits = _choice_step(condition, first, second, limiting(term))
        if magnitude_of(term) is None:
            return chosen_by_bits

        def step(frame: Frame, values: Values) -> Any:
            x = values[second]
            return magnitude(x) if type(x) is np.ndarray else chosen_by_bits(frame, values)

        return step


def _settled(conditions: Any, *, value: bool) -> bool:
    """Return whether all truth values of a block are `value`. Of symbolic arrays that is not asked."""
    if type(conditions) is not np.ndarray:
        return False
    return bool(np.count_nonzero(conditions) == (conditions.size if value else 0))


def _choice_step(condition: int, first: int, second: int, limit: Compute | None) -> Step:
    """One of two values; by `limit`, where it is the greater or the less one of an array and a number. Where a whole
    block chooses one of them, the other is not computed."""

    def step(frame: Frame, values: Values) -> Any:
        if limit is not None and is_limit(values[first]) and type(values[second]) is np.ndarray:
            return limit(values[second], values[first])
        conditions = values[condition]
        if type(conditions) is not np.ndarray:
            return choose(conditions, values[first], values[second])
        count = np.count_nonzero(conditions)
        if not count:
            return values[second]
        if count == conditions.size:
            return values[first]
        return mixed(conditions, values[first], values[second])

    return step


def _junction_step(parts: Sequence[int], *, ends_on: bool) -> Step:
    """The conjunction of conditions, or with `ends_on` their disjunction. A part that cannot change it any more in a
    whole block is not computed."""
    join: Any = np.logical_or if ends_on else np.logical_and

    def step(frame: Frame, values: Values) -> Any:
        made = values[parts[0]]
        for part in parts[1:]:
            if _settled(made, value=ends_on):
                break
            made = join(made, values[part])
        return made

    return step


def _chosen_step(expression: OnEnds, leaves: list[int], condition: int, *, chosen: bool) -> Step:
    def step(frame: Frame, values: Values) -> Any:
        # True says so of a whole block without an array.
        if _settled(values[condition], value=chosen):
            return expression.compute(*[values[n] for n in leaves])
        where = values[condition] if chosen else np.logical_not(values[condition])
        return expression.compute(*[values[n] for n in leaves], where=where)

    return step


def _loop_step(variable: Term, loops: tuple[Loop, ...]) -> Step:
    place = next(n for n, loop in enumerate(loops) if loop.variable is variable)
    shape = [1] * len(loops)

    # Size 1 on all other axes: numpy broadcasts values that depend on different loops against each other.
    def step(frame: Frame, values: Values) -> Any:
        start, stop = frame.block.spans[variable]
        return np.arange(start, stop).reshape(*shape[:place], stop - start, *shape[place + 1 :])

    return step


# ---------------------------------------------------------------------------------------------------------------- folds


@dataclass(frozen=True, slots=True)
class Folding:
    """The computation of a fold: `along` axes of values and conditions (None where all count), and `join`ed of two
    parts."""

    along: Callable[[Any, Any, tuple[int, ...]], State]
    join: Callable[[State, State], State]


def below_of(compiler: Compiler, node: FoldNode) -> Callable[[Any, Any], Any]:
    """The order of a fold on two arrays."""
    # An order knows its two elements alone, whatever arrays these come from.
    own = Compiler(compiler.nodes, {}, {}, {node.x: 0, node.y: 1})
    program = own.program(node.order, ())
    return lambda a, b: program.run(Frame([a, b], Block((), ())))


def folding_of(compiler: Compiler, node: FoldNode) -> Folding:
    """Return the computation of a fold by its kind."""
    match node.kind:
        case Kind.ALL:
            return _by(np.logical_and)
        case Kind.TREE:
            return _tree(node.sort)
        case Kind.SUM | Kind.PRODUCT | Kind.COUNT:
            return _added(compiler, node)
        case Kind.GREATEST if node.condition is TRUE:
            kernel = kernel_of(node.x, node.y, node.order) or any_order(below_of(compiler, node))
            return Folding(lambda v, c, axes: (kernel.along(v, axes),), lambda a, b: (kernel.pair(a[0], b[0], None),))
        case Kind.GREATEST:
            return _where_any(below_of(compiler, node))
        case _:
            return _where_any(None)


def _by(function: Any) -> Folding:
    return Folding(lambda v, c, axes: (function.reduce(v, axis=axes),), lambda a, b: (function(a[0], b[0]),))


def _tree(sort: Sort) -> Folding:
    """A sum by additions of two at a time, each rounded to the type."""
    along = tree_along(sort)
    return Folding(lambda v, c, axes: (along(v, axes),), lambda a, b: (np.add(a[0], b[0]),))


def _added(compiler: Compiler, node: FoldNode) -> Folding:
    function: Any = np.add
    unit: Any = 0
    if node.kind is Kind.PRODUCT:
        function, unit = np.multiply, 1
    dtype: Any = object
    if node.sort in DTYPES:
        # Machine integers: numpy's own `sum` of int8 would add in int64, and theirs wraps.
        dtype = DTYPES[node.sort]
        unit = dtype.type(unit)
    elif node.sort == INT and _fits(compiler, node):
        dtype = np.int64

    def along(v: Any, c: Any, axes: tuple[int, ...]) -> State:
        if c is not None:
            v = np.where(c, v, unit)
        if node.sort == REAL and function is np.add:
            return (_exact_sum(v, axes),)
        return (function.reduce(v, axis=axes, dtype=dtype),)

    return Folding(along, lambda a, b: (function(a[0], b[0]),))


def _exact_sum(v: Any, axes: tuple[int, ...]) -> Any:
    """The sum of real numbers along axes."""
    v = np.asarray(v, dtype=object)
    if not v.size:
        return np.add.reduce(v, axis=axes, dtype=object)
    # Over one denominator integers are added: four times as fast as fractions, each of which is reduced.
    try:
        denominators = _DENOMINATOR(v)
    except AttributeError:
        # Some are known by an enclosure alone.
        return np.add.reduce(v, axis=axes, dtype=object)
    common = lcm(*set(np.ravel(denominators).tolist()))
    total = np.add.reduce(np.multiply(_NUMERATOR(v), common // denominators), axis=axes, dtype=object)
    return np.frompyfunc(lambda n: Fraction(n, common), 1, 1)(total)


_NUMERATOR, _DENOMINATOR = (np.frompyfunc(attrgetter(name), 1, 1) for name in ("numerator", "denominator"))


def _fits(compiler: Compiler, node: FoldNode) -> bool:
    """The count or sum of a fold, with all its partial sums, stays within 64 bits."""
    if node.kind is not Kind.SUM:
        return node.kind is Kind.COUNT
    count = prod(loop.size for loop in node.loops)
    low, high = interval(node.value, compiler.nodes.bounds)
    if low is None or high is None:
        return False
    return max(-low, high, 1) * count < 1 << 62


def _where_any(below: Callable[[Any, Any], Any] | None) -> Folding:
    """The greatest, or any one where no order is given, of the values whose condition holds. The state has both: the
    best value so far, and whether there is one at all."""

    def join(a: State, b: State) -> State:
        first, second = a[1], b[1]
        take = np.logical_not(first)
        if below is not None:
            take = np.logical_or(take, below(a[0], b[0]))
        return np.where(np.logical_and(second, take), b[0], a[0]), np.logical_or(first, second)

    return Folding(lambda v, c, axes: halved((v, c), axes, join), join)


def fold_step(compiler: Compiler, node: FoldNode, outer: tuple[Loop, ...]) -> Step:
    """The step that computes a fold in a program of outer loops."""
    if node.kind is Kind.POWER:
        return _power_step(compiler, node, outer)
    if node.items:
        return _items_step(compiler, node, outer)
    loops = (*outer, *node.loops)
    axes = tuple(range(len(outer), len(loops)))
    value = compiler.program(node.value, loops)
    condition: Program | None = None
    if node.condition is not TRUE:
        condition = compiler.program(node.condition, loops)
    ending = _ending(compiler, node, outer)
    folding = folding_of(compiler, node)
    sizes = [loop.size for loop in node.loops]

    def part_of(frame: Frame) -> State:
        found = spread(ranked(value, frame, loops), loops, frame, axes)
        if condition is None:
            return folding.along(found, None, axes)
        kept = spread(ranked(condition, frame, loops), loops, frame, axes)
        # Value and condition may depend on different outer loops.
        sizes_of_both = np.broadcast_shapes(found.shape, kept.shape)
        return folding.along(np.broadcast_to(found, sizes_of_both), np.broadcast_to(kept, sizes_of_both), axes)

    def step(frame: Frame, values: Values) -> Any:
        places = prod(stop - start for start, stop in (frame.block.spans[loop.variable] for loop in outer))
        blocks = (Block(node.loops, spans, frame.block.spans) for spans in parts(sizes, max(1, LIMIT // places)))
        return ending(frame, reduce(folding.join, (part_of(Frame(frame.arrays, block)) for block in blocks)))

    return step


def _power_step(compiler: Compiler, node: FoldNode, outer: tuple[Loop, ...]) -> Step:
    """A power of machine integers, which wraps: by squares, one for each bit of the greatest exponent."""
    ((counts, factor),) = node.items
    condition, base, exponent = (compiler.program(term, outer) for term in (counts, factor, node.value))
    one = DTYPES[node.sort].type(1)

    def step(frame: Frame, found: Values) -> Any:
        square, left = ranked(base, frame, outer), np.where(condition.run(frame), exponent.run(frame), 0)
        power = np.broadcast_to(one, np.broadcast_shapes(np.shape(square), np.shape(left)))
        while np.any(left):
            power = np.where((left & 1).astype(bool), power * square, power)
            square, left = square * square, left >> 1
        return power

    return step


def _ending(compiler: Compiler, node: FoldNode, outer: tuple[Loop, ...]) -> Callable[[Frame, State], Any]:
    """Return the function that takes the value of a fold from its last state. Where no member counted it is the value
    that the text gives for an empty set."""
    if node.otherwise is None:
        return lambda frame, state: state[0]
    otherwise = compiler.program(node.otherwise, outer)
    return lambda frame, state: np.where(state[1], state[0], otherwise.run(frame))


def _items_step(compiler: Compiler, node: FoldNode, outer: tuple[Loop, ...]) -> Step:
    """The greatest of items, each with its condition."""
    values = [compiler.program(value, outer) for _, value in node.items]
    if node.has_certain_items:
        kernel = kernel_of(node.x, node.y, node.order) or any_order(below_of(compiler, node))

        def chain(frame: Frame, found: Values) -> Any:
            return reduce(lambda a, b: kernel.pair(a, b, None), (ranked(value, frame, outer) for value in values))

        return chain
    conditions = [compiler.program(condition, outer) for condition, _ in node.items]
    ending = _ending(compiler, node, outer)
    folding = _where_any(below_of(compiler, node))

    def step(frame: Frame, found: Values) -> Any:
        states: list[State] = []
        for condition, value in zip(conditions, values, strict=True):
            states.append((ranked(value, frame, outer), ranked(condition, frame, outer)))
        return ending(frame, reduce(folding.join, states))

    return step
