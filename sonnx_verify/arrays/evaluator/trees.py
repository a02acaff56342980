"""Sums of floats by trees of additions, each of two floats and rounded to their type.

Which tree is taken is free: the sets of sums.py have the result of every one.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from sonnx_verify.logic.sorts import Sort

_ADDED_IN_THEIR_TYPE = ("float", "double")
"""The types that numpy's own sum adds in themselves. Float16 it adds in float32, which is none of the trees."""
_SHORT = 8
"""The elements of a row from which on numpy's own sum is faster than halves of all rows."""
_MOST_BYTES = 1 << 22
"""The size of an array for which scratch is kept."""


def tree_along(sort: Sort) -> Callable[[Any, tuple[int, ...]], Any]:
    """Return the sum along some axes, which are taken away."""
    if sort.name not in _ADDED_IN_THEIR_TYPE:
        return _in_halves

    def along(v: Any, axes: tuple[int, ...]) -> Any:
        row = _row_of(v, axes)
        if not row:
            return _in_halves(v, axes)
        # In an order of its own, which is a tree too.
        v = np.add.reduce(v, axis=row)
        return _in_halves(v, tuple(axis - sum(r < axis for r in row) for axis in axes if axis not in row))

    return along


def _row_of(v: Any, axes: tuple[int, ...]) -> tuple[int, ...]:
    """Those of the axes along which elements follow one another in memory; none where these are few."""
    if prod(v.shape) < _SHORT:
        return ()
    row: list[int] = []
    step = v.itemsize
    for axis in sorted(axes, key=lambda a: v.strides[a]):
        if v.strides[axis] != step:
            break
        row.append(axis)
        step *= v.shape[axis]
    if step < _SHORT * v.itemsize:
        return ()
    return tuple(row)


def _in_halves(v: Any, axes: tuple[int, ...]) -> Any:
    """A balanced tree: the two halves of each axis in turn are added. An odd member waits for the next round."""
    is_own = in_scratch = False
    for axis in sorted(axes, reverse=True):
        before = (slice(None),) * axis
        size = v.shape[axis]
        while size > 1:
            half, rest = divmod(size, 2)
            low, high = v[(*before, slice(0, half))], v[(*before, slice(half, 2 * half))]
            if size == 2 and not is_own:
                v = np.add(low, high)
                break
            made = v
            # The first round needs an array. Each further one is written in the place of the round before.
            if not is_own:
                shape = (*v.shape[:axis], half + rest, *v.shape[axis + 1 :])
                is_own, in_scratch = True, _fits_scratch(v, size)
                made = _scratch.like(v, shape) if in_scratch else np.empty_like(v, shape=shape)
            np.add(low, high, out=made[(*before, slice(0, half))])
            if rest:
                made[(*before, half)] = v[(*before, 2 * half)]
            v, size = made, half + rest
        v = v[(*before, 0)]
    if in_scratch:
        return v.copy()
    return v


def _fits_scratch(v: Any, size: int) -> bool:
    """Scratch is worth it: the sums along an axis of that size, which have to be copied out of it, are few."""
    return size >= _SHORT and type(v) is np.ndarray and v.flags.c_contiguous and v.nbytes <= _MOST_BYTES


class _Scratch(threading.local):
    """Memory of a thread for rounds of additions: new memory for each block would take as long as the additions."""

    memory: Any = np.empty(0, np.uint8)

    def like(self, array: Any, shape: tuple[int, ...]) -> Any:
        """An array of the shape and the type of the array."""
        size = prod(shape) * array.itemsize
        if self.memory.size < size:
            self.memory = np.empty(size, np.uint8)
        return self.memory[:size].view(array.dtype).reshape(shape)


_scratch = _Scratch()
