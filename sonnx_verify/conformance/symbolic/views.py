"""`as_strided` and `sliding_window_view`: views whose strides code gives itself.

numpy makes them, of the places of the memory. A view that reaches outside of the memory of its array reads what belongs
to something else, or ends the process: that is an error here, of real arrays too while their results are compared. It
is no `Exception`, and is remembered: code that catches everything cannot hide it.

Trusted for what `conform` calls proved; `tests/implementations` holds it against numpy.
"""

from __future__ import annotations

# numpy's booleans may be given by position.
# ruff: noqa: FBT001, FBT002
import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from sonnx_verify.conformance.symbolic.arguments import known_or_refused, zeros_for
from sonnx_verify.conformance.symbolic.memory import held, is_symbolic, need_layout
from sonnx_verify.conformance.symbolic.trace import noted, outside_of_memory, refuse

_AS_STRIDED = np.lib.stride_tricks.as_strided
"""numpy's own, which is replaced while code runs."""


def as_strided(x: Any, shape: Any = None, strides: Any = None, subok: bool = False, writeable: bool = True) -> Any:
    """`numpy.lib.stride_tricks.as_strided`, within the memory of the array."""
    shape, strides = (_numbers(n) for n in (shape, strides))
    if not is_symbolic(x):
        made = np.array(x, copy=None, subok=subok)
        _within(made, made.shape if shape is None else shape, made.strides if strides is None else strides)
        return _AS_STRIDED(x, shape, strides, subok, writeable)
    if held(x).scalar or subok:
        refuse("as_strided of a scalar, or with subok")
    need_layout(x)
    places, size = held(x).places, x.itemsize
    steps = places.strides
    if strides is not None:
        if any(s % size for s in strides):
            refuse("as_strided with strides that are not multiples of the element size")
        # The places are as far apart as the elements, in integers of their own size.
        steps = tuple(s // size * places.itemsize for s in strides)
    shape = places.shape if shape is None else shape
    _within(places, shape, steps)
    view = _AS_STRIDED(places, shape, steps, writeable=writeable)
    return type(x)(held(x).memory, view, x.dtype)


def _numbers(given: Any) -> Any:
    """Sizes or strides as numbers."""
    if given is None:
        return None
    return tuple(operator.index(known_or_refused(n, "a shape or strides by elements")) for n in given)


def _within(array: Any, shape: tuple[int, ...], strides: tuple[int, ...]) -> None:
    """Raise the error of a view that reaches outside of the memory that its array is in."""
    # What does not fit together, or has no elements, is numpy's to judge.
    if len(shape) != len(strides) or min(shape, default=1) < 1:
        return
    reach = [(n - 1) * s for n, s in zip(shape, strides, strict=True)]
    start = array.__array_interface__["data"][0]
    first = start + sum(r for r in reach if r < 0)
    last = start + sum(r for r in reach if r > 0) + array.itemsize
    base = array
    while isinstance(base.base, np.ndarray):
        base = base.base
    low, high = np.lib.array_utils.byte_bounds(base)
    if first < low or last > high:
        outside_of_memory("as_strided gives a view that reaches outside of the memory of its array")


class Flat:
    """The elements of an array one after the other. Several that are read are a copy, as numpy has it."""

    def __init__(self, view: Any) -> None:
        self._view = view

    def __len__(self) -> int:
        return len(self._view)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._view)

    def __getitem__(self, key: Any) -> Any:
        found = self._view[key]
        if held(found).scalar:
            return found
        return found.copy()

    @noted
    def __setitem__(self, key: Any, value: Any) -> None:
        if np.size(zeros_for(value)) != 1:
            refuse("ndarray.flat with values that are repeated")
        self._view[key] = value

    def __getattr__(self, name: str) -> Any:
        refuse(f"ndarray.flat.{name}")


def _refused_of_flat(name: str) -> Callable[..., Any]:
    return lambda self, *args: refuse(f"ndarray.flat.{name}")


for _name in ("next", "array", "eq", "ne", "lt", "le", "gt", "ge", "hash", "contains", "repr"):
    setattr(Flat, f"__{_name}__", _refused_of_flat(f"__{_name}__"))
