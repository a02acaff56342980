"""Reads of inputs: a view where coordinates step along with loops, else a gather."""

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
    used = [p[0] for p in parts if p is not None and p[0] is not None]
    inside = all(_is_inside(c, size, bounds) for c, size in zip(coordinates, shape, strict=True))
    if None not in parts and len(set(used)) == len(used) and inside:
        return _view(place, [p for p in parts if p is not None], variables)
    return _gather(place, shape, coordinates, parts, variables, computed)


def _is_inside(coordinate: Term, size: int, bounds: Mapping[str, Interval]) -> bool:
    low, high = interval(coordinate, bounds)
    return low is not None and high is not None and low >= 0 and high < size


def _view(
    place: int, parts: Sequence[tuple[Term | None, int, int]], variables: Sequence[Term]
) -> Callable[[Any, list[Any]], Any]:
    order = [variables.index(p[0]) for p in parts if p[0] is not None]
    in_order = order == sorted(order)
    if not in_order:
        permutation = [order.index(n) for n in sorted(order)]
    expand = tuple(slice(None) if n in order else None for n in range(len(variables)))
    plain = None not in expand

    key = object()

    def worked_out(block: Any) -> tuple[Any, ...]:
        index: list[Any] = []
        for variable, by, start in parts:
            if variable is None:
                index.append(start)
                continue
            first, end = block.spans[variable]
            low, high = by * first + start, by * (end - 1) + start
            if by > 0:
                index.append(slice(low, high + 1, by))
            else:
                index.append(slice(low, high - 1 if high > 0 else None, by))
        found = block.known[key] = tuple(index)
        return found

    def step(frame: Any, values: list[Any]) -> Any:
        block = frame.block
        made = frame.arrays[place][block.known[key] if key in block.known else worked_out(block)]
        if not in_order:
            made = np.transpose(made, permutation)
        return made if plain else made[expand]

    return step


def _gather(
    place: int,
    shape: tuple[int, ...],
    coordinates: Sequence[Term],
    parts: Sequence[tuple[Term | None, int, int] | None],
    variables: Sequence[Term],
    computed: Mapping[Term, int],
) -> Callable[[Any, list[Any]], Any]:
    """Coordinates that a guard keeps from being read are moved inside: what is read there is dropped."""
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
            found = along(frame, part) if part is not None else values[computed[coordinate]]
            index.append(np.minimum(np.maximum(found, 0), max(size - 1, 0)).astype(np.int64))
        if 0 in shape:
            return np.zeros_like(array, shape=np.broadcast_shapes(*(k.shape for k in index)))
        return array[tuple(index)]

    return step
