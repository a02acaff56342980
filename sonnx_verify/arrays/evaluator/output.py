"""An output computed block by block into one array.

Three ways: an output that is a fold of its inputs reads them once, in the order of memory (`_streamed`); a greatest of
several arrays goes from array to array (`_chained`); anything else is computed block of output by block (`_by_blocks`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from sonnx_verify.arrays.evaluator.blocks import LIMIT, Frame, Grid, Program, ranked, spread
from sonnx_verify.arrays.evaluator.boxes import Box, boxes_of
from sonnx_verify.arrays.evaluator.known import DTYPES
from sonnx_verify.arrays.evaluator.loops import FoldNode, Loop
from sonnx_verify.arrays.evaluator.orders import Kernel, State, kernel_of
from sonnx_verify.arrays.evaluator.program import Compiler, folding_of
from sonnx_verify.arrays.partial.binders import Kind
from sonnx_verify.logic.terms import TRUE, Term, subterms

Write = Callable[[Any, Sequence[Any]], None]
"""Fills an array, whose axes are the loops of the output, from the inputs."""
OBJECT = np.dtype(object)
"""The element type without a numpy type: real numbers are Python's fractions."""
_ADDRESSED = sys.maxsize
"""The bytes that an array has at most: numpy raises ValueError where there are more."""
_STREAMED = 1 << 18
"""The places that are folded at once where next to nothing but the input is looked at."""
_STREAMS = (Kind.GREATEST, Kind.ALL, Kind.TREE, Kind.SUM)
_FEWEST = 256
"""The elements of an output that are computed at once at least, however much is folded into each: with fewer, the calls
of numpy cost more than their work."""


@dataclass(frozen=True, slots=True)
class Output:
    """The computation of an output: its shape, and a function that fills an array of the `sizes` of its loops. The
    array is made `like` one of the inputs: so a stand-in for arrays gets one of its own kind."""

    shape: tuple[int, ...]
    sizes: tuple[int, ...]
    dtype: np.dtype[Any]
    write: Write
    like: int | None

    def run(self, arrays: Sequence[Any]) -> Any:
        """The output, as a new array."""
        sizes, dtype = self.sizes, self.dtype
        if prod(sizes) * dtype.itemsize > _ADDRESSED:
            raise MemoryError(f"an array of the shape {self.shape} and the type {dtype}")
        like = None if self.like is None else arrays[self.like]
        if like is None or (type(like) is np.ndarray and like.flags.c_contiguous):
            made = np.empty(sizes, dtype)
        else:
            made = np.empty_like(like, shape=sizes, dtype=dtype)
        self.write(made, arrays)
        if sizes == self.shape:
            return made
        # Axes of size 1 have no loop.
        return made.reshape(self.shape)


def nothing(made: Any, arrays: Sequence[Any]) -> None:
    """Fills an output without elements."""


def writer(compiler: Compiler, term: Term, loops: tuple[Loop, ...]) -> Write:
    """Return the function that computes a term for every place of the loops."""
    node = compiler.nodes.folds.get(term)
    if node is None or node.condition is not TRUE:
        return _by_blocks(compiler, term, loops)
    if node.items:
        kernel = kernel_of(node.x, node.y, node.order)
        if kernel is not None and node.has_certain_items:
            return _chained(compiler, node, kernel, loops)
    elif node.kind in _STREAMS and node.sort in DTYPES:
        return _streamed(compiler, node, loops)
    return _by_blocks(compiler, term, loops)


def _by_blocks(compiler: Compiler, term: Term, loops: tuple[Loop, ...]) -> Write:
    boxes = boxes_of(compiler, term, loops)
    writers = [_in_box(compiler, box) for box in boxes]
    if len(boxes) == 1:
        return writers[0]
    places = []
    for box in boxes:
        ends = zip(box.starts, box.loops, strict=True)
        places.append(tuple(slice(start, start + loop.size) for start, loop in ends))

    def write(made: Any, arrays: Sequence[Any]) -> None:
        for place, write_box in zip(places, writers, strict=True):
            write_box(made[place], arrays)

    return write


def _in_box(compiler: Compiler, box: Box) -> Write:
    program = compiler.program(box.term, box.loops)
    # Each place of the output may fold many of the inputs: the block is smaller then, so that all of it stays in cache.
    folded = max((_folded(compiler, node) for node in _folds_in(compiler, box.term)), default=1)
    # As many bytes as of a type of four: of smaller ones the calls of numpy would cost more of the time.
    widest = max((DTYPES[part.sort].itemsize for part in subterms(box.term) if part.sort in DTYPES), default=4)
    limit = max(_FEWEST, LIMIT * max(1, 4 // widest) // folded)
    if box.term.payload in compiler.nodes.reads:
        limit = max(limit, _STREAMED)
    grid = Grid(box.loops, limit)

    def write(made: Any, arrays: Sequence[Any]) -> None:
        for block in grid.blocks():
            made[block.slices] = program.run(Frame(arrays, block))

    return write


def _folds_in(compiler: Compiler, term: Term) -> list[FoldNode]:
    return [compiler.nodes.folds[n] for n in subterms(term) if n in compiler.nodes.folds]


def _folded(compiler: Compiler, node: FoldNode) -> int:
    """The number of places that are computed for one value of a fold."""
    inner = [*_folds_in(compiler, node.condition), *_folds_in(compiler, node.value)]
    return prod(loop.size for loop in node.loops) * max((_folded(compiler, n) for n in inner), default=1)


def _chained(compiler: Compiler, node: FoldNode, kernel: Kernel, loops: tuple[Loop, ...]) -> Write:
    """The greatest of several arrays at each place: the last of the comparisons writes the result."""
    # The last kernel writes into the output itself: one pass over memory less than with an array in between.
    programs = [compiler.program(value, loops) for _, value in node.items]
    # As many bytes as of a type of four: of smaller ones the calls of numpy would cost more of the time.
    grid = Grid(loops, LIMIT * max(1, 4 // DTYPES[node.sort].itemsize))
    first, *middle, last = programs

    def write(made: Any, arrays: Sequence[Any]) -> None:
        for block in grid.blocks():
            frame = Frame(arrays, block)
            best = first.run(frame)
            for program in middle:
                best = kernel.pair(best, program.run(frame), None)
            kernel.pair(best, last.run(frame), made[block.slices])

    return write


def _streamed(compiler: Compiler, node: FoldNode, outer: tuple[Loop, ...]) -> Write:
    """A fold over loops: blocks of all loops, in the order in which the input lies in memory, and their values joined.
    A sum over the first of two axes would else read every line of the cache once for each element in it."""
    loops = _in_memory_order(compiler, node, outer)
    axes = tuple(n for n, loop in enumerate(loops) if loop in node.loops)
    kept = [n for n, loop in enumerate(loops) if loop not in node.loops]
    program: Program = compiler.program(node.value, loops)
    folding = folding_of(compiler, node)
    grid = Grid(loops, _STREAMED)
    key = object()

    def write(made: Any, arrays: Sequence[Any]) -> None:
        for block in grid.blocks():
            if key not in block.known:
                further = any(block.starts[axis] for axis in axes)
                block.known[key] = tuple([block.slices[n] for n in kept]), further
            place, further = block.known[key]
            frame = Frame(arrays, block)
            found = ranked(program, frame, loops)
            if found.shape != block.sizes:
                found = spread(found, loops, frame, axes)
            part: State = folding.along(found, None, axes)
            # The output begins empty: the first block of a place is written, a further one is joined to what is there.
            if further:
                part = folding.join((made[place],), part)
            made[place] = part[0]

    return write


def _in_memory_order(compiler: Compiler, node: FoldNode, outer: tuple[Loop, ...]) -> tuple[Loop, ...]:
    """All loops in the order in which the first input that is read has them. The outer ones have to keep theirs: the
    axes of a block that are left after the fold are those of the output."""
    loops = (*outer, *node.loops)
    known = {loop.variable: loop for loop in loops}
    for part in subterms(node.value):
        if part.payload in compiler.nodes.reads:
            order = tuple(known[n] for n in dict.fromkeys(subterms(*part.args)) if n in known)
            rest = tuple(loop for loop in loops if loop not in order)
            found = (*rest, *order)
            if tuple(loop for loop in found if loop in outer) == outer:
                return found
    return loops
