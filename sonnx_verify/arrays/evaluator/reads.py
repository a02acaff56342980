"""Reads of inputs: a view where coordinates step along with loops, else a gather.

A view costs nothing: `X[i, 2 * j + 1]` is `X[:, 1::2]`, and `X[i + j]` steps along with two loops. So does an array
that is read in rows of another length, as a reshaped one is. Where one coordinate of several is computed, whole rows
are taken; in general a gather makes an array of indices for each axis.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from math import prod
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from sonnx_verify.arrays.evaluator.loops import Loop
from sonnx_verify.arrays.partial.intervals import Interval, interval
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.terms import Term, is_literal, linear

Value = Callable[[Any, Any], Any]
"""Gives the value of a coordinate in a state of a program."""
ReadStep = Callable[[Any, Any], Any]
"""Reads an array in a state of a program, from the values of the steps before."""


def affine(coordinate: Term, loops: Collection[Term]) -> tuple[Term | None, int, int] | None:
    """The loop, the step and the start of a coordinate that is a number or steps along with one loop; else None."""
    atoms, constant = linear(coordinate)
    if not atoms:
        return None, 0, int(constant)
    # `i + j` steps along with two loops, `p - i` depends on the elements as well: no slice says that.
    if len(atoms) == 1:
        ((atom, step),) = atoms.items()
        if atom in loops:
            return atom, int(step), int(constant)
    return None


def read_step(
    place: int,
    shape: tuple[int, ...],
    coordinates: Sequence[Term],
    loops: tuple[Loop, ...],
    compute: Callable[[Term], Value],
    compute_apart: Callable[[Term], Value],
    bounds: Mapping[str, Interval],
) -> ReadStep:
    """The step that reads an array at coordinates from the left.

    `compute` adds the steps of a coordinate to the program that is being made. A gather that only some array needs is
    made while the program runs, when no step can be added: `compute_apart` makes a program of its own.
    """
    variables = [loop.variable for loop in loops]
    parts = [affine(c, variables) for c in coordinates]
    simple = [part for part in parts if part is not None]

    def gather_by(way: Callable[[Term], Value]) -> ReadStep:
        computed = [way(c) if part is None else None for c, part in zip(coordinates, parts, strict=True)]
        return _gather(place, shape, computed, parts, variables)

    def gather_apart() -> ReadStep:
        return gather_by(compute_apart)

    flat = flat_place(coordinates, shape)
    read, sizes = (coordinates, shape) if flat is None else ([flat], (prod(shape),))
    lines = [_steps(c, variables) for c in read]
    # A slice beyond the end is cut off, where a gather would see a guard.
    inside = [_is_inside(c, size, bounds) for c, size in zip(read, sizes, strict=True)]
    if None not in lines and all(inside):
        if len(simple) == len(parts) and _is_view(simple):
            return _view(place, simple, variables)
        return _strided(
            place, [line for line in lines if line is not None], variables, gather_apart, flat=flat is not None
        )
    rest = [n for n, part in enumerate(parts) if part is None]
    if (
        flat is None
        and len(rest) == 1
        and _is_view(simple)
        and all(inside[n] for n in range(len(parts)) if n not in rest)
    ):
        return _rows(place, shape, compute(coordinates[rest[0]]), rest[0], parts, variables, gather_apart)
    return gather_by(compute)


def _is_view(parts: Sequence[tuple[Term | None, int, int]]) -> bool:
    """Coordinates step along with loops of their own: the diagonal X[i, i] is no slice of X."""
    used = [variable for variable, _, _ in parts if variable is not None]
    return len(set(used)) == len(used)


def _is_inside(coordinate: Term, size: int, bounds: Mapping[str, Interval]) -> bool:
    low, high = interval(coordinate, bounds)
    if low is None or high is None:
        return False
    return low >= 0 and high < size


def _steps(coordinate: Term, variables: Sequence[Term]) -> tuple[int, tuple[int, ...]] | None:
    """The start of a coordinate and its steps along each loop, if it is a sum of loops."""
    atoms, constant = linear(coordinate)
    if not set(atoms) <= set(variables):
        return None
    return int(constant), tuple(int(atoms.get(variable, 0)) for variable in variables)


def flat_place(coordinates: Sequence[Term], shape: Sequence[int]) -> Term | None:
    """The place in row-major order, where coordinates are those of a place that is counted through the whole array:
    of `L div 4, L mod 4` in rows of 4 it is L."""
    axes = [(coordinate, size) for coordinate, size in zip(coordinates, shape, strict=True) if size != 1]
    if len(axes) < 2 or axes[-1][0].op is not Op.MOD:
        return None
    if any(not is_literal(coordinate) for coordinate, size in zip(coordinates, shape, strict=True) if size == 1):
        return None
    found = left = axes[-1][0].args[0]
    for n in range(len(axes) - 1, 0, -1):
        coordinate, size = axes[n]
        above = axes[n - 1][0]
        # What is left of the place: the first axis has it as it is, the others its remainder.
        if n > 1 and above.op is not Op.MOD:
            return None
        rest = above if n == 1 else above.args[0]
        if not _is(coordinate, Op.MOD, left, size) or not _is(rest, Op.DIV, left, size):
            return None
        left = rest
    return found


def _is(term: Term, op: Op, first: Term, number: int) -> bool:
    """The term is the quotient or remainder of another one by a number."""
    return term.op is op and term.args[0] is first and is_literal(term.args[1]) and term.args[1].payload == number


def _strided(
    place: int,
    lines: Sequence[tuple[int, tuple[int, ...]]],
    variables: Sequence[Term],
    gather: Callable[[], ReadStep],
    *,
    flat: bool,
) -> ReadStep:
    """A view of which the elements lie at steps of several axes, such as a diagonal or a window. All are inside."""

    otherwise = cache(gather)

    def step(frame: Any, values: Any) -> Any:
        array = frame.arrays[place]
        # A stand-in for an array has no memory.
        if type(array) is not np.ndarray:
            return otherwise()(frame, values)
        if flat:
            if not array.flags.c_contiguous:
                # In its place, so that the next block finds it so.
                array = frame.arrays[place] = np.ascontiguousarray(array)
            array = array.reshape(-1)
        spans = [frame.block.spans[variable] for variable in variables]
        first = tuple(at + sum(by * begin for by, (begin, _) in zip(steps, spans, strict=True)) for at, steps in lines)
        strides, sizes = [], []
        for n, (begin, end) in enumerate(spans):
            along = sum(steps[n] * stride for (_, steps), stride in zip(lines, array.strides, strict=True))
            strides.append(along)
            sizes.append(end - begin if any(steps[n] for _, steps in lines) else 1)
        start = array[tuple([slice(k, k + 1) for k in first])]
        # By bits: numpy asks for types by their letters, and knows none for floats of 8 bits.
        return as_strided(start.view(f"u{start.itemsize}"), sizes, strides).view(start.dtype)

    return step


def _rows(
    place: int,
    shape: tuple[int, ...],
    numbers: Value,
    axis: int,
    parts: Sequence[tuple[Term | None, int, int] | None],
    variables: Sequence[Term],
    gather: Callable[[], ReadStep],
) -> ReadStep:
    """Rows of an array along one axis, whose numbers are computed; along the others a view."""
    kept = [(n, part) for n, part in enumerate(parts) if part is not None and part[0] is not None]
    # The loop of each axis that is left, without the one of the rows.
    loops = {n: variables.index(part[0]) for n, part in kept if part[0] is not None}
    key, is_empty, otherwise = object(), 0 in shape, cache(gather)

    def step(frame: Any, values: Any) -> Any:
        array, rows = frame.arrays[place], numbers(frame, values)
        along = [n for n, size in enumerate(np.shape(rows)) if size != 1]
        # A stand-in for an array has no memory, and numbers that do not fit into 64 bits are objects.
        if type(array) is not np.ndarray or getattr(rows, "dtype", None) != np.int64 or is_empty:
            return otherwise()(frame, values)
        # Rows that depend on the loop of another axis, as X[i, f(i)] does, are no rows of a view.
        if not set(along).isdisjoint(loops.values()):
            return otherwise()(frame, values)
        known = frame.block.known
        if key not in known:
            slices = iter(_slices([part for part in parts if part is not None], frame.block.spans))
            known[key] = tuple([slice(None) if n == axis else next(slices) for n in range(len(parts))])
        # A guard may keep a place beyond the ends from being used: what is read there is dropped.
        wanted = rows.reshape([np.shape(rows)[n] for n in along])
        before = [loop for n, loop in loops.items() if n < axis]
        made = np.take(array[known[key]], wanted, axis=len(before), mode="clip")
        order = [*before, *along, *(loop for n, loop in loops.items() if n > axis)]
        made = np.transpose(made, np.argsort(order))
        return made[tuple([slice(None) if n in order else None for n in range(len(variables))])]

    return step


def _view(place: int, parts: Sequence[tuple[Term | None, int, int]], variables: Sequence[Term]) -> ReadStep:
    order = [variables.index(variable) for variable, _, _ in parts if variable is not None]
    in_order = order == sorted(order)
    permutation = [order.index(n) for n in sorted(order)]
    # A loop that the read does not depend on is an axis of size 1, as in X[:, None].
    expand: list[slice | None] = [None] * len(variables)
    for n in order:
        expand[n] = slice(None)
    is_expanded = None in expand
    new_axes = tuple(expand)
    # Blocks are kept as long as the plan, and keep the index that this read has in them.
    key = object()

    def step(frame: Any, values: Any) -> Any:
        known = frame.block.known
        if key not in known:
            known[key] = _slices(parts, frame.block.spans)
        made = frame.arrays[place][known[key]]
        if not in_order:
            made = np.transpose(made, permutation)
        if is_expanded:
            made = made[new_axes]
        return made

    return step


def _slices(
    parts: Sequence[tuple[Term | None, int, int]], spans: Mapping[Term, tuple[int, int]]
) -> tuple[int | slice, ...]:
    """The index of a view where the loops run over some spans: 2 * i + 1 of i in 3 .. 5 is 7:12:2."""
    index: list[int | slice] = []
    for variable, by, start in parts:
        if variable is None:
            index.append(start)
            continue
        first, end = spans[variable]
        low, high = by * first + start, by * (end - 1) + start
        if by > 0:
            index.append(slice(low, high + 1, by))
        elif high > 0:
            index.append(slice(low, high - 1, by))
        else:
            # A slice down to and with 0 ends at None: -1 would be the last element.
            index.append(slice(low, None, by))
    return tuple(index)


def _gather(
    place: int,
    shape: tuple[int, ...],
    computed: Sequence[Value | None],
    parts: Sequence[tuple[Term | None, int, int] | None],
    variables: Sequence[Term],
) -> ReadStep:
    """A read by arrays of indices. In `if i < n then X[i] else 0` both branches are computed at every i: coordinates
    that the guard keeps from being read are moved inside, and the element that is read there is dropped."""
    rank = len(variables)

    def along(frame: Any, part: tuple[Term | None, int, int]) -> Any:
        variable, by, start = part
        if variable is None:
            return np.full((1,) * rank, start)
        n = variables.index(variable)
        first, end = frame.block.spans[variable]
        return (by * np.arange(first, end) + start).reshape((1,) * n + (end - first,) + (1,) * (rank - n - 1))

    def step(frame: Any, values: Any) -> Any:
        array = frame.arrays[place]
        index = []
        for value, part, size in zip(computed, parts, shape, strict=True):
            if value is not None:
                found = value(frame, values)
            else:
                assert part is not None
                found = along(frame, part)
            index.append(np.minimum(np.maximum(found, 0), max(size - 1, 0)).astype(np.int64))
        # In an array without elements there is no inside.
        if 0 in shape:
            return np.zeros_like(array, shape=np.broadcast_shapes(*(k.shape for k in index)))
        return array[tuple(index)]

    return step
