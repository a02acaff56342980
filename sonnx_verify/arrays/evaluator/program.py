"""Programs: a specialised term as a list of steps on whole arrays, for a block of the loops that it stands in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np

from sonnx_verify.arrays.evaluator.loops import Loop, Nodes, NoProgram
from sonnx_verify.arrays.evaluator.operations import operation
from sonnx_verify.arrays.evaluator.reads import affine, read_step
from sonnx_verify.logic.terms import Symbol, Term

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
        # Folds are programs themselves.
        from sonnx_verify.arrays.evaluator.fold_code import fold_step

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
