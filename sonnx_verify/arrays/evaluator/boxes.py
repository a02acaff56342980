"""Boxes: parts of an output in which every condition on one coordinate has one truth value.

Without boxes, both reads of `if k < n then X[k] else Z[k - n]` are computed at every k, with indices moved inside. In
the two boxes, below n and from n on, each is one view of an array. Whatever depends on one coordinate alone is computed
when the plan is made, for all values of that coordinate. An axis is cut where a condition changes, and where the step
of a coordinate that is read changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise, product
from math import prod
from typing import Any

import numpy as np

from sonnx_verify.arrays.evaluator.blocks import Block, Frame, Program, Values
from sonnx_verify.arrays.evaluator.loops import Loop, NoProgram
from sonnx_verify.arrays.evaluator.program import Compiler
from sonnx_verify.arrays.evaluator.reads import affine, flat_place
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.sorts import BOOL, INT
from sonnx_verify.logic.terms import FALSE, TRUE, Symbol, Term, add, boolean, integer, scale, subterms

_MOST_BOXES = 64
"""The most boxes of an output, unless it has many arrays as its parts: each costs a few calls of numpy, of a
microsecond, and more could cost all they save."""
_MOST_PLACES = 1 << 22
"""The greatest length of an axis for which something is computed at all of its places while the plan is made."""


@dataclass(frozen=True, slots=True)
class Box:
    """A part of the loops of an output, and the term there, in loops of its own that begin at 0."""

    term: Term
    loops: tuple[Loop, ...]
    starts: tuple[int, ...]


def boxes_of(compiler: Compiler, term: Term, loops: tuple[Loop, ...]) -> list[Box]:
    """The boxes of an output that is a term; the whole output as one box if cutting it saves nothing."""
    whole = [Box(term, loops, (0,) * len(loops))]
    tables = {loop: _tables(compiler, term, loop) for loop in loops if 1 < loop.size <= _MOST_PLACES}
    # In one box each of these arrays would be read as a whole.
    arrays = {part.payload for part in subterms(term) if part.payload in compiler.nodes.reads}
    most = max(_MOST_BOXES, 2 * len(arrays))
    cuts = [_cuts(tables[loop], loop.size, most) if loop in tables else [0, loop.size] for loop in loops]
    if prod(len(ends) - 1 for ends in cuts) > most or not any(tables.values()):
        return whole
    return [_box(compiler, term, loops, spans, tables) for spans in product(*map(pairwise, cuts))]


_Tables = dict[Term, Any]
"""Conditions and coordinates that depend on one loop alone, with their values along it."""


def _tables(compiler: Compiler, term: Term, loop: Loop) -> _Tables:
    # Many conditions may ask for one number: in one program it is computed once.
    program, known, places = Program((loop,)), dict[Term, int](), dict[Term, int]()
    for part in _parts_along(compiler, term, loop):
        with suppress(NoProgram):
            places[part] = compiler.place(part, program, known)
    values = Values(Frame((), Block((loop,), [(0, loop.size)])), program.steps)
    found = {part: values[place] for part, place in places.items()}
    kinds = (np.bool_, np.int64)
    return {p: np.broadcast_to(v, (loop.size,)) for p, v in found.items() if getattr(v, "dtype", None) in kinds}


def _parts_along(compiler: Compiler, term: Term, loop: Loop) -> Iterator[Term]:
    """The largest conditions and integers in a term that depend on this loop, and otherwise only on what is known when
    the plan is made; without integers that step evenly along it."""
    only: frozenset[Term] | None = frozenset((loop.variable,))
    stack, seen = [term], {term}
    while stack:
        part = stack.pop()
        if part.sort in (BOOL, INT) and compiler.nodes.loops_of(part) == only:
            if part.sort == BOOL or affine(part, (loop.variable,)) is None:
                yield part
            continue
        # A row-major position in a whole array is read as a view, however its coordinates step.
        if part.payload in compiler.nodes.reads:
            assert isinstance(part.payload, Symbol)
            if flat_place(part.args, compiler.shapes[compiler.nodes.reads[part.payload]]) is not None:
                continue
        new = [p for p in compiler.nodes.inside(part) if p not in seen]
        seen.update(new)
        stack += new


def _cuts(tables: _Tables, size: int, most: int) -> list[int]:
    """The ends of the parts of a loop, from 0 to its size; of coordinates, where these are not too many."""
    cuts = {0, size}
    for part, values in tables.items():
        if part.sort == BOOL:
            cuts.update((np.flatnonzero(values[1:] != values[:-1]) + 1).tolist())
    evenly = set(cuts)
    for part, values in tables.items():
        if part.sort == INT:
            evenly.update(_uneven(values, most))
    # A coordinate whose step changes too often is read by an array of indices.
    if len(evenly) <= most:
        cuts = evenly
    return sorted(cuts)


def _uneven(values: Any, most: int) -> list[int]:
    """The places at which a new step begins: 2 and 4 of 0 1 0 1 5 6."""
    steps = np.diff(values)
    found: list[int] = []
    start = 0
    for place in (np.flatnonzero(steps[1:] != steps[:-1]) + 1).tolist():
        # Of 0 1 0 1 the step from 1 to 0 is no part of its own: the next one begins behind it.
        if place > start:
            found.append(place + 1)
            start = place + 1
        if len(found) > most:
            break
    return found


def _box(
    compiler: Compiler,
    term: Term,
    loops: tuple[Loop, ...],
    spans: Sequence[tuple[int, int]],
    tables: dict[Loop, _Tables],
) -> Box:
    values: dict[Term, Term] = {}
    own: list[Loop] = []
    for axis, (loop, (start, stop)) in enumerate(zip(loops, spans, strict=True)):
        made = compiler.nodes.loop(0, axis, stop - start)
        own.append(made)
        values[loop.variable] = add(made.variable, integer(start))
        for part, table in tables.get(loop, {}).items():
            here = table[start:stop]
            if part.sort == BOOL:
                values[part] = boolean(bool(here[0]))
            elif (step := _step_of(here)) is not None:
                values[part] = add(scale(step, made.variable), integer(int(here[0])))
    # Without the parts of other boxes, of which there may be many.
    while term.op is Op.ITE and values.get(term.args[0]) in (TRUE, FALSE):
        term = term.args[1] if values[term.args[0]] is TRUE else term.args[2]
    return Box(compiler.nodes.replaced(term, values), tuple(own), tuple(start for start, _ in spans))


def _step_of(values: Any) -> int | None:
    """The step of values that change evenly; None for others."""
    if len(values) == 1:
        return 0
    step = int(values[1]) - int(values[0])
    return step if (np.diff(values) == step).all() else None
