"""Comparisons and roundings of reals that fold elements, such as `real(y) - sum { real(x) | .. } <= bound`.

Every real is enclosed on whole arrays, by ends or by balls of pairs (rounding.py), and so is a fold along its axes.
Places at which the enclosures decide nothing are computed exactly, one by one: a fraction for each element that is
folded takes a thousand times as long.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, reduce
from math import prod
from typing import Any, Protocol

import numpy as np

from sonnx_verify.arrays.evaluator.blocks import LIMIT, Block, Frame, Program, Step, Values, parts, with_axes
from sonnx_verify.arrays.evaluator.known import DTYPES
from sonnx_verify.arrays.evaluator.loops import FoldNode, Loop, Nodes
from sonnx_verify.arrays.evaluator.operations import operation
from sonnx_verify.arrays.evaluator.rounding import DOUBLES, PAIRS, Arithmetic, decision_of
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.sorts import REAL, FloatSort
from sonnx_verify.logic.terms import TRUE, Term

_SHARE_OF_BLOCK = 8
"""A block is computed exactly as a whole if more than one in so many of its places is undecided: a place by itself
takes some 30 calls of numpy."""


class Compiler(Protocol):
    """Makes the programs of the parts that are no reals, and exact ones."""

    nodes: Nodes

    def program(self, term: Term, loops: tuple[Loop, ...]) -> Program:
        """The program of a term in these loops."""
        ...

    def place(self, term: Term, program: Program, known: dict[Term, int]) -> int:
        """Return the place of the step of a program that computes a term."""
        ...


def enclosing_step(compiler: Compiler, term: Term, program: Program, known: dict[Term, int]) -> Step | None:
    """The step that computes a comparison or a rounding of reals with folds in them; None of any other term."""
    decision = decision_of(term)
    if decision is None:
        return None
    arithmetic = _arithmetic(compiler.nodes, term)
    if arithmetic is None:
        return None
    enclosing = _Enclosing(compiler, arithmetic, program, known)
    places = [enclosing.place(arg) for arg in term.args]
    exact, loops = cache(lambda: _exact_program(compiler, term, program.loops)), program.loops

    def step(frame: Frame, values: Values) -> Any:
        found, decided = decision(arithmetic, *[values[n] for n in places])
        made = np.asarray(found).view(DTYPES[term.sort])
        count = np.size(decided) - np.count_nonzero(decided)
        if not count:
            return made
        if count * _SHARE_OF_BLOCK > np.size(decided):
            return exact().run(frame)
        starts = [frame.block.spans[loop.variable][0] for loop in loops]
        for place in np.argwhere(np.logical_not(decided)):
            one = [(start + k, start + k + 1) for start, k in zip(starts, place.tolist(), strict=True)]
            made[tuple(place)] = np.ravel(exact().run(Frame(frame.arrays, Block(loops, one))))[0]
        return made

    return step


def _exact_program(compiler: Compiler, term: Term, loops: tuple[Loop, ...]) -> Program:
    program, known = Program(loops), dict[Term, int]()
    places = [compiler.place(arg, program, known) for arg in term.args]
    program.steps.append(operation(term, places, compiler.nodes.bounds))
    return program


class _NotEnclosed(Exception):  # noqa: N818 - it is no error
    """The term has a part for which there is no enclosure, such as a greatest of reals."""


def _arithmetic(nodes: Nodes, term: Term) -> Arithmetic | None:
    """The arithmetic that is precise enough for a term; None if it folds nothing, or has a part without enclosure.

    A set of floats around a sum of them has a bound of some units in the last place: of doubles, that is as much as
    doubles are off."""
    try:
        widths = [width for arg in term.args for width in _widths(nodes, arg)]
    except _NotEnclosed:
        return None
    if 0 not in widths:
        return None
    if isinstance(term.sort, FloatSort):
        widths.append(term.sort.width)
    return PAIRS if max(widths) > 32 else DOUBLES  # noqa: PLR2004 - the bits of a float


def _widths(nodes: Nodes, real: Term) -> Iterator[int]:
    """The bits of the floats that a real is made of, and 0 for each fold."""
    node = nodes.folds.get(real)
    if node is not None:
        if node.kind not in DOUBLES.folded or node.items:
            raise _NotEnclosed
        yield 0
        yield from _widths(nodes, node.value)
    elif real.op is Op.TO_REAL and real.args[0].op is not Op.FLOOR:
        if isinstance(real.args[0].sort, FloatSort):
            yield real.args[0].sort.width
    elif real.op in DOUBLES.enclosed:
        for arg in real.args:
            if arg.sort == REAL or arg.op is Op.FLOOR:
                yield from _widths(nodes, arg)
    else:
        raise _NotEnclosed


class _Enclosing:
    """Adds steps that enclose reals to a program."""

    def __init__(self, compiler: Compiler, arithmetic: Arithmetic, program: Program, known: dict[Term, int]) -> None:
        self._compiler, self._arithmetic, self._program, self._known = compiler, arithmetic, program, known

    def place(self, real: Term) -> int:
        """The place of the step that encloses a real."""
        places, steps, key = self._program.enclosed, self._program.steps, (real, self._arithmetic)
        if key not in places:
            step = self._step(real)
            steps.append(step)
            places[key] = len(steps) - 1
        return places[key]

    def _step(self, real: Term) -> Step:
        node = self._compiler.nodes.folds.get(real)
        if node is not None:
            return self._fold(node)
        compute = self._arithmetic.enclosed[real.op]
        places = [self._operand(arg) for arg in real.args]
        return lambda frame, values: compute(real, *[values[n] for n in places])

    def _operand(self, arg: Term) -> int:
        if arg.sort == REAL or arg.op is Op.FLOOR:
            return self.place(arg)
        return self._compiler.place(arg, self._program, self._known)

    def _fold(self, node: FoldNode) -> Step:
        """The step that encloses a sum or a product, in parts that fit into the cache, which are joined."""
        compiler, arithmetic, outer = self._compiler, self._arithmetic, self._program.loops
        loops = (*outer, *node.loops)
        value = Program(loops)
        _Enclosing(compiler, arithmetic, value, {}).place(node.value)
        condition = None if node.condition is TRUE else compiler.program(node.condition, loops)
        folding, sizes = arithmetic.folded[node.kind], [loop.size for loop in node.loops]
        axes = tuple(range(len(outer), len(loops)))

        def part_of(frame: Frame) -> Any:
            arrays = [with_axes(array, len(loops)) for array in arithmetic.parts(value.run(frame))]
            counts = True if condition is None else with_axes(condition.run(frame), len(loops))
            full = list(np.broadcast_shapes(*[np.shape(array) for array in arrays], np.shape(counts)))
            # What does not depend on a loop is folded as many times as the loop is long.
            for axis in axes:
                start, stop = frame.block.spans[loops[axis].variable]
                full[axis] = stop - start
            made: dict[int, Any] = {}
            for array, unit in zip(arrays, folding.unit, strict=True):
                # Equal ends are one array.
                if id(array) not in made:
                    kept = array if condition is None else np.where(counts, array, unit)
                    made[id(array)] = np.broadcast_to(kept, full)
            return folding.along(tuple([made[id(array)] for array in arrays]), axes)

        def step(frame: Frame, values: Values) -> Any:
            places = prod(stop - start for start, stop in (frame.block.spans[loop.variable] for loop in outer))
            blocks = (Block(node.loops, spans, frame.block.spans) for spans in parts(sizes, max(1, LIMIT // places)))
            found = (part_of(Frame(frame.arrays, block)) for block in blocks)
            return arithmetic.of_parts(reduce(folding.join, found))

        return step
