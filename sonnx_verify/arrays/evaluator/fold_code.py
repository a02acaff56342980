"""Folds as steps of programs: computed in parts that fit into the cache, and joined."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from sonnx_verify.arrays.evaluator.loops import FoldNode, Loop
from sonnx_verify.arrays.evaluator.orders import State, any_order, halved, kernel_of
from sonnx_verify.arrays.evaluator.program import LIMIT, Block, Compiler, Frame, Program, Step, parts
from sonnx_verify.arrays.shapes.intervals import interval
from sonnx_verify.logic.sorts import INT, REAL
from sonnx_verify.logic.terms import TRUE


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
    if node.kind == "all":
        return _by(np.logical_and)
    if node.kind == "tree":
        return _tree()
    if node.kind in ("sum", "product", "count"):
        return _added(compiler, node)
    if node.kind == "greatest" and node.condition is TRUE:
        kernel = kernel_of(node.x, node.y, node.order) or any_order(below_of(compiler, node))
        return Folding(lambda v, c, axes: (kernel.along(v, axes),), lambda a, b: (kernel.pair(a[0], b[0], None),))
    return _where_any(None if node.kind == "the" else below_of(compiler, node))


def _by(function: Any) -> Folding:
    return Folding(lambda v, c, axes: (function.reduce(v, axis=axes),), lambda a, b: (function(a[0], b[0]),))


def _tree() -> Folding:
    """A sum by additions of two at a time: numpy's own `reduce` may add in a wider type."""

    def join(a: State, b: State) -> State:
        return (np.add(a[0], b[0]),)

    return Folding(lambda v, c, axes: halved((v,), axes, join), join)


def _added(compiler: Compiler, node: FoldNode) -> Folding:
    function: Any = np.multiply if node.kind == "product" else np.add
    unit = 1 if node.kind == "product" else 0
    dtype: Any = None
    if node.sort == REAL:
        dtype = object
    elif node.sort == INT:
        count = prod(loop.size for loop in node.loops)
        low, high = interval(node.value, compiler.nodes.bounds)
        fits = low is not None and high is not None and max(-low, high, 1) * count < 1 << 62
        dtype = np.int64 if node.kind == "count" or (node.kind == "sum" and fits) else object

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
