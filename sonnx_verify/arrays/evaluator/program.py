"""Programs: a specialised term as a list of steps on whole arrays, for a block of the loops that it stands in.

A fold is a step of which the parts are programs themselves; it is computed in parts that fit into the cache, and these
are joined.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np

from sonnx_verify.arrays.evaluator.loops import FoldNode, Loop, Nodes, NoProgram
from sonnx_verify.arrays.evaluator.operations import operation
from sonnx_verify.arrays.evaluator.orders import State, any_order, halved, kernel_of
from sonnx_verify.arrays.evaluator.reads import affine, read_step
from sonnx_verify.arrays.partial.binders import Kind
from sonnx_verify.arrays.partial.intervals import interval
from sonnx_verify.logic.sorts import INT, REAL
from sonnx_verify.logic.terms import TRUE, Symbol, Term

LIMIT = 3 << 15
"""So many places of a grid are computed at once: what that takes stays in the processor's cache."""

Spans = dict[Term, tuple[int, int]]
"""Of each loop the part that is computed now: where it begins, and ends before."""


class Block:
    """A part of a grid. `slices` are it in an array whose axes are the loops, `known` has what steps worked out of it
    before: blocks are kept as long as the plan."""

    __slots__ = ("known", "sizes", "slices", "spans", "starts")

    def __init__(self, loops: Sequence[Loop], spans: Sequence[tuple[int, int]], outer: Spans | None = None) -> None:
        self.spans: Spans = {loop.variable: span for loop, span in zip(loops, spans, strict=True)}
        if outer is not None:
            self.spans |= {variable: span for variable, span in outer.items() if variable not in self.spans}
        self.slices = tuple([slice(start, stop) for start, stop in spans])
        self.sizes = tuple([stop - start for start, stop in spans])
        self.starts = [start for start, _ in spans]
        self.known: dict[object, Any] = {}


@dataclass(slots=True)
class Frame:
    """What a program runs on: the arrays, and the part of each loop."""

    arrays: Sequence[Any]
    block: Block


Step = Callable[[Frame, list[Any]], Any]


@dataclass(slots=True)
class Program:
    """Steps that compute an array whose axes are the loops; it has size 1 on those that do not matter."""

    loops: tuple[Loop, ...]
    steps: list[Step] = field(default_factory=list)

    def run(self, frame: Frame) -> Any:
        """What the last step gives."""
        if len(self.steps) == 1:
            return self.steps[0](frame, [])
        values: list[Any] = []
        for step in self.steps:
            values.append(step(frame, values))
        return values[-1]


@dataclass(slots=True)
class Compiler:
    """Makes programs. `places` says which of the arrays an input is, `shapes` what shape it has."""

    nodes: Nodes
    places: dict[str, int]
    shapes: dict[str, tuple[int, ...]]
    given: dict[Term, int] = field(default_factory=dict)

    def program(self, term: Term, loops: tuple[Loop, ...]) -> Program:
        """The program of a term in these loops."""
        program = Program(loops)
        self._place(term, program, {})
        return program

    def _place(self, term: Term, program: Program, known: dict[Term, int]) -> int:
        """The step that computes a term, added where there is none."""
        if term in known:
            return known[term]
        args: list[int] = []
        if not (term.op == "apply" and term.args):
            args = [self._place(a, program, known) for a in term.args]
        step = self._step(term, program, known, args)
        program.steps.append(step)
        known[term] = len(program.steps) - 1
        return known[term]

    def _step(self, term: Term, program: Program, known: dict[Term, int], args: list[int]) -> Step:
        if term.op != "apply":
            return operation(term, args, self.nodes.bounds)
        if term in self.given:
            place = self.given[term]
            return lambda frame, values: frame.arrays[place]
        if term in self.nodes.loops:
            return _loop_step(term, program.loops)
        if term in self.nodes.folds:
            return fold_step(self, self.nodes.folds[term], program.loops)
        symbol = term.payload
        assert isinstance(symbol, Symbol)
        if symbol in self.nodes.reads:
            name = self.nodes.reads[symbol]
            places = {a: self._place(a, program, known) for a in term.args if affine(a, self.nodes.loops) is None}
            return read_step(self.places[name], self.shapes[name], term.args, program.loops, places, self.nodes.bounds)
        raise NoProgram("some part of it has no value")


def _loop_step(variable: Term, loops: tuple[Loop, ...]) -> Step:
    place = next(n for n, loop in enumerate(loops) if loop.variable is variable)
    shape = [1] * len(loops)

    def step(frame: Frame, values: list[Any]) -> Any:
        start, stop = frame.block.spans[variable]
        return np.arange(start, stop).reshape(*shape[:place], stop - start, *shape[place + 1 :])

    return step


class Grid:
    """The loops of an output or a fold, in blocks of at most so many places where that is possible."""

    def __init__(self, loops: Sequence[Loop], limit: int) -> None:
        self.loops, self.limit = loops, limit
        self.sizes = [loop.size for loop in loops]
        count = sum(1 for _, _ in zip(range(_MOST_KEPT + 1), parts(self.sizes, limit), strict=False))
        self._kept = None if count > _MOST_KEPT else [Block(loops, part) for part in parts(self.sizes, limit)]

    def blocks(self) -> Iterable[Block]:
        """The blocks, in row-major order."""
        if self._kept is not None:
            return self._kept
        return (Block(self.loops, part) for part in parts(self.sizes, self.limit))


_MOST_KEPT = 512


def parts(sizes: Sequence[int], limit: int) -> Iterator[tuple[tuple[int, int], ...]]:
    """Parts of a grid, of at most so many places where that is possible: the last axes whole, and as much of the one
    before as fits."""
    if prod(sizes) <= limit:
        yield tuple((0, size) for size in sizes)
        return
    whole, inner = len(sizes), 1
    while whole > 0 and inner * sizes[whole - 1] <= limit:
        whole -= 1
        inner *= sizes[whole]
    axis = whole - 1
    width = max(1, limit // inner)
    tail = [(0, size) for size in sizes[whole:]]
    for place in np.ndindex(*sizes[:axis]):
        head = [(k, k + 1) for k in place]
        for start in range(0, sizes[axis], width):
            yield (*head, (start, min(start + width, sizes[axis])), *tail)


# ---------------------------------------------------------------------------------------------------------------- folds


@dataclass(frozen=True, slots=True)
class Folding:
    """How a fold is computed: `along` axes of values and conditions (None where all count), and `join`ed of two
    parts."""

    along: Callable[[Any, Any, tuple[int, ...]], State]
    join: Callable[[State, State], State]


def below_of(compiler: Compiler, node: FoldNode) -> Callable[[Any, Any], Any]:
    """The order of a fold on two arrays."""
    own = Compiler(compiler.nodes, {}, {}, {node.x: 0, node.y: 1})
    program = own.program(node.order, ())
    return lambda a, b: program.run(Frame([a, b], Block((), ())))


def folding_of(compiler: Compiler, node: FoldNode) -> Folding:
    """How a fold of this kind is computed."""
    if node.kind is Kind.ALL:
        return _by(np.logical_and)
    if node.kind is Kind.TREE:
        return _tree()
    if node.kind in (Kind.SUM, Kind.PRODUCT, Kind.COUNT):
        return _added(compiler, node)
    if node.kind is Kind.GREATEST and node.condition is TRUE:
        kernel = kernel_of(node.x, node.y, node.order) or any_order(below_of(compiler, node))
        return Folding(lambda v, c, axes: (kernel.along(v, axes),), lambda a, b: (kernel.pair(a[0], b[0], None),))
    return _where_any(None if node.kind is Kind.THE else below_of(compiler, node))


def _by(function: Any) -> Folding:
    return Folding(lambda v, c, axes: (function.reduce(v, axis=axes),), lambda a, b: (function(a[0], b[0]),))


def _tree() -> Folding:
    """A sum by additions of two at a time: numpy's own `reduce` may add in a wider type."""

    def join(a: State, b: State) -> State:
        return (np.add(a[0], b[0]),)

    return Folding(lambda v, c, axes: halved((v,), axes, join), join)


def _added(compiler: Compiler, node: FoldNode) -> Folding:
    function: Any = np.multiply if node.kind is Kind.PRODUCT else np.add
    unit = 1 if node.kind is Kind.PRODUCT else 0
    dtype: Any = None
    if node.sort == REAL:
        dtype = object
    elif node.sort == INT:
        count = prod(loop.size for loop in node.loops)
        low, high = interval(node.value, compiler.nodes.bounds)
        fits = low is not None and high is not None and max(-low, high, 1) * count < 1 << 62
        dtype = np.int64 if node.kind is Kind.COUNT or (node.kind is Kind.SUM and fits) else object

    def along(v: Any, c: Any, axes: tuple[int, ...]) -> State:
        if c is not None:
            v = np.where(c, v, unit if dtype is not None else v.dtype.type(unit))
        return (function.reduce(v, axis=axes, dtype=v.dtype if dtype is None else dtype),)

    return Folding(along, lambda a, b: (function(a[0], b[0]),))


def _where_any(below: Callable[[Any, Any], Any] | None) -> Folding:
    """The greatest, or any one where no order is given, of those where a condition holds."""

    def join(a: State, b: State) -> State:
        first, second = a[1], b[1]
        take = np.logical_not(first) if below is None else np.logical_or(np.logical_not(first), below(a[0], b[0]))
        return np.where(np.logical_and(second, take), b[0], a[0]), np.logical_or(first, second)

    return Folding(lambda v, c, axes: halved((v, c), axes, join), join)


def spread(array: Any, loops: tuple[Loop, ...], frame: Frame, axes: tuple[int, ...]) -> Any:
    """The array with the whole size of the loops at some axes."""
    sizes = {axis: stop - start for axis in axes for start, stop in [frame.block.spans[loops[axis].variable]]}
    if all(array.shape[axis] == size for axis, size in sizes.items()):
        return array
    return np.broadcast_to(array, tuple(sizes.get(axis, size) for axis, size in enumerate(array.shape)))


def fold_step(compiler: Compiler, node: FoldNode, outer: tuple[Loop, ...]) -> Step:
    """The step that computes a fold in a program of outer loops."""
    if node.items:
        return _items_step(compiler, node, outer)
    loops = (*outer, *node.loops)
    axes = tuple(range(len(outer), len(loops)))
    value = compiler.program(node.value, loops)
    condition = None if node.condition is TRUE else compiler.program(node.condition, loops)
    otherwise = None if node.otherwise is None else compiler.program(node.otherwise, outer)
    folding = folding_of(compiler, node)
    sizes = [loop.size for loop in node.loops]

    def step(frame: Frame, values: list[Any]) -> Any:
        places = prod(stop - start for start, stop in (frame.block.spans[loop.variable] for loop in outer))
        state: State | None = None
        for spans in parts(sizes, max(1, LIMIT // max(places, 1))):
            part = Frame(frame.arrays, Block(node.loops, spans, frame.block.spans))
            found = spread(_ranked(value, part, loops), loops, part, axes)
            kept = None
            if condition is not None:
                kept = spread(_ranked(condition, part, loops), loops, part, axes)
                sizes_of_both = np.broadcast_shapes(found.shape, kept.shape)
                found, kept = np.broadcast_to(found, sizes_of_both), np.broadcast_to(kept, sizes_of_both)
            made = folding.along(found, kept, axes)
            state = made if state is None else folding.join(state, made)
        assert state is not None
        if otherwise is not None:
            return np.where(state[1], state[0], otherwise.run(frame))
        return state[0]

    return step


def _ranked(program: Program, frame: Frame, loops: tuple[Loop, ...]) -> Any:
    """What a program gives, with an axis for each loop."""
    made = program.run(frame)
    if getattr(made, "ndim", 0) == len(loops):
        return made
    return np.full((1,) * len(loops), made)


def _items_step(compiler: Compiler, node: FoldNode, outer: tuple[Loop, ...]) -> Step:
    """The greatest of items, each with its condition."""
    values = [compiler.program(value, outer) for _, value in node.items]
    if all(condition is TRUE for condition, _ in node.items):
        kernel = kernel_of(node.x, node.y, node.order) or any_order(below_of(compiler, node))

        def chain(frame: Frame, found: list[Any]) -> Any:
            made = _ranked(values[0], frame, outer)
            for value in values[1:]:
                made = kernel.pair(made, _ranked(value, frame, outer), None)
            return made

        return chain
    conditions = [compiler.program(condition, outer) for condition, _ in node.items]
    otherwise = None if node.otherwise is None else compiler.program(node.otherwise, outer)
    folding = _where_any(below_of(compiler, node))

    def step(frame: Frame, found: list[Any]) -> Any:
        state: State | None = None
        for condition, value in zip(conditions, values, strict=True):
            made = (_ranked(value, frame, outer), _ranked(condition, frame, outer))
            state = made if state is None else folding.join(state, made)
        assert state is not None
        return state[0] if otherwise is None else np.where(state[1], state[0], otherwise.run(frame))

    return step
