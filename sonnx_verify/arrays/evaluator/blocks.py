"""Programs as lists of steps on whole arrays, and the blocks of loops that they run in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from math import prod
from typing import Any

import numpy as np

from sonnx_verify.arrays.evaluator.loops import Loop
from sonnx_verify.logic.terms import Term

LIMIT = 1 << 15
"""The places of a grid that are computed at once: the arrays that this takes stay in the processor's cache."""

Spans = dict[Term, tuple[int, int]]
"""The part of each loop that is computed now: where it begins, and ends before."""


class Block:
    """A part of a grid. `slices` are it in an array whose axes are the loops, `known` has what steps worked out of it
    before: blocks are kept as long as the plan."""

    __slots__ = ("known", "sizes", "slices", "spans", "starts")

    def __init__(self, loops: Sequence[Loop], spans: Sequence[tuple[int, int]], outer: Spans | None = None) -> None:
        self.spans: Spans = dict(outer or {})
        for loop, span in zip(loops, spans, strict=True):
            self.spans[loop.variable] = span
        self.slices = tuple([slice(start, stop) for start, stop in spans])
        self.sizes = tuple([stop - start for start, stop in spans])
        self.starts = [start for start, _ in spans]
        self.known: dict[object, Any] = {}


@dataclass(slots=True)
class Frame:
    """The state of a run of a program: the arrays, and the part of each loop."""

    arrays: Sequence[Any]
    block: Block


class Values:
    """The values of the steps of a program, each computed when it is first asked for: a step that nobody needs, such as
    the branch for infinities in a block without one, costs nothing."""

    __slots__ = ("_frame", "_made", "_steps")

    def __init__(self, frame: Frame, steps: Sequence[Step]) -> None:
        self._frame, self._steps = frame, steps
        self._made: list[Any] = [None] * len(steps)

    def __getitem__(self, place: int) -> Any:
        made = self._made[place]
        if made is None:
            made = self._made[place] = self._steps[place](self._frame, self)
        return made


Step = Callable[[Frame, Values], Any]


@dataclass(slots=True)
class Program:
    """Steps that compute an array whose axes are the loops; it has size 1 on those that do not matter."""

    loops: tuple[Loop, ...]
    steps: list[Step] = field(default_factory=list)
    enclosed: dict[tuple[Term, object], int] = field(default_factory=dict)
    """The places of the steps that enclose a real in an arithmetic."""

    def run(self, frame: Frame) -> Any:
        """The value of the last step."""
        return Values(frame, self.steps)[len(self.steps) - 1]


def ranked(program: Program, frame: Frame, loops: tuple[Loop, ...]) -> Any:
    """The value of a program, with an axis for each loop."""
    return with_axes(program.run(frame), len(loops))


def with_axes(made: Any, rank: int) -> Any:
    """An array of that rank. A number, as of a program that is a literal, has no axes."""
    if getattr(made, "ndim", 0) == rank:
        return made
    return np.full((1,) * rank, made)


def spread(array: Any, loops: tuple[Loop, ...], frame: Frame, axes: tuple[int, ...]) -> Any:
    """The array with the whole size of the loops at some axes: a value that does not depend on a loop has size 1 there,
    and its sum over a loop of 5 counts it five times."""
    sizes = list(array.shape)
    for axis in axes:
        start, stop = frame.block.spans[loops[axis].variable]
        sizes[axis] = stop - start
    if tuple(sizes) == array.shape:
        return array
    return np.broadcast_to(array, sizes)


class Grid:
    """The loops of an output or a fold, in blocks of at most `limit` places where that is possible."""

    def __init__(self, loops: Sequence[Loop], limit: int) -> None:
        self.loops, self.limit = loops, limit
        self.sizes = [loop.size for loop in loops]
        few = list(islice(self._made(), _MOST_KEPT + 1))
        self._kept: list[Block] | None = few
        # The blocks of a huge output are made again in each run: the plan of an array of 1 TB must not be large itself.
        if len(few) > _MOST_KEPT:
            self._kept = None

    def blocks(self) -> Iterable[Block]:
        """The blocks, in row-major order."""
        if self._kept is not None:
            return self._kept
        return self._made()

    def _made(self) -> Iterator[Block]:
        for part in parts(self.sizes, self.limit):
            yield Block(self.loops, part)


_MOST_KEPT = 512


def parts(sizes: Sequence[int], limit: int) -> Iterator[tuple[tuple[int, int], ...]]:
    """Parts of a grid, of at most `limit` places where that is possible: the last axes whole, and as much of the one
    before as fits, so that a part lies in memory in one piece."""
    if prod(sizes) <= limit:
        yield tuple((0, size) for size in sizes)
        return
    # Whole axes from the last one on, as long as they fit; then as many steps of the axis before them as fit.
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
