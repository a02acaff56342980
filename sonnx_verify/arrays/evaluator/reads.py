"""Reads of inputs: a view where coordinates step along with loops, else a gather.

A view costs nothing: `X[i, 2 * j + 1]` is `X[:, 1::2]`. A gather makes an array of indices for each axis.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np

from sonnx_verify.arrays.evaluator.loops import Loop
from sonnx_verify.arrays.partial.intervals import Interval, interval
from sonnx_verify.logic.terms import Term, linear


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
    computed: Mapping[Term, int],
    bounds: Mapping[str, Interval],
) -> Callable[[Any, list[Any]], Any]:
    """The step that reads an array at coordinates from the left; `computed` has the steps of those that are no more
    than a loop or a number."""
    variables = [loop.variable for loop in loops]
    parts = [affine(c, variables) for c in coordinates]
    simple = [p for p in parts if p is not None]
    used = [variable for variable, _, _ in simple if variable is not None]
    # The diagonal X[i, i] is no slice of X, and a slice beyond the end is cut off where a gather would see a guard.
    is_plain = len(simple) == len(parts) and len(set(used)) == len(used)
    if is_plain and all(_is_inside(c, size, bounds) for c, size in zip(coordinates, shape, strict=True)):
        return _view(place, simple, variables)
    return _gather(place, shape, coordinates, parts, variables, computed)


def _is_inside(coordinate: Term, size: int, bounds: Mapping[str, Interval]) -> bool:
    low, high = interval(coordinate, bounds)
    if low is None or high is None:
        return False
    return low >= 0 and high < size


def _view(
    place: int, parts: Sequence[tuple[Term | None, int, int]], variables: Sequence[Term]
) -> Callable[[Any, list[Any]], Any]:
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

    def step(frame: Any, values: list[Any]) -> Any:
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
    coordinates: Sequence[Term],
    parts: Sequence[tuple[Term | None, int, int] | None],
    variables: Sequence[Term],
    computed: Mapping[Term, int],
) -> Callable[[Any, list[Any]], Any]:
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

    def step(frame: Any, values: list[Any]) -> Any:
        array = frame.arrays[place]
        index = []
        for coordinate, part, size in zip(coordinates, parts, shape, strict=True):
            found = values[computed[coordinate]] if part is None else along(frame, part)
            index.append(np.minimum(np.maximum(found, 0), max(size - 1, 0)).astype(np.int64))
        # In an array without elements there is no inside.
        if 0 in shape:
            return np.zeros_like(array, shape=np.broadcast_shapes(*(k.shape for k in index)))
        return array[tuple(index)]

    return step
