"""`numpy.nditer`: the elements of arrays one after the other, as arrays of rank 0 that may be written to.

The real one goes over the places of the memory, and so says the order. What buffers, casts or gives whole rows is
refused by name.

Trusted for what `conform` calls proved; `tests/implementations` holds it against numpy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sonnx_verify.conformance.symbolic import real
from sonnx_verify.conformance.symbolic.arguments import has_symbols, symbolic_in, terms_of
from sonnx_verify.conformance.symbolic.memory import fresh, held, is_symbolic, need_layout
from sonnx_verify.conformance.symbolic.trace import refuse, trace

_NDITER: Any = np.nditer
"""numpy's own, which is replaced while code runs."""
_FLAGS = {"multi_index", "zerosize_ok"}
_PAST = "Iterator is past the end"
"""numpy's own words."""


def nditer(op: Any, flags: Any = None, op_flags: Any = None, *more: Any, order: Any = "K", **others: Any) -> Any:
    """`numpy.nditer`, of arrays of which some are symbolic; else numpy's own."""
    if not has_symbols(op):
        return _NDITER(op, flags, op_flags, *more, order=order, **others)
    if more or others or set(flags or ()) - _FLAGS:
        refuse(f"numpy.nditer with {', '.join([*sorted(set(flags or ()) - _FLAGS), *others]) or 'other arguments'}")
    several = isinstance(op, list | tuple)
    operands = list(op) if several else [op]
    source = symbolic_in(*operands)
    writes = _writes(op_flags, operands)
    if any(w and is_symbolic(o) and held(o).scalar for w, o in zip(writes, operands, strict=False)):
        refuse("numpy.nditer that writes to a scalar")
    asked = {"op_flags": op_flags} if op_flags is not None else {}
    shown = [None if o is None else _shown(o) for o in operands]
    example = _NDITER(shown if several else shown[0], [*(flags or ()), *_extra(flags)], order=order, **asked)
    arrays: list[Any] = []
    for array, given, written in zip(operands, example.operands, writes, strict=True):
        arrays.append(_operand(source, array, given, written=written))
    return Iteration(
        arrays,
        writes,
        turns([held(a).places for a in arrays], order),
        several=several,
        tracked="multi_index" in (flags or ()),
    )


def _extra(flags: Any) -> list[str]:
    """The flag by which the places are known, where the code has not asked for it."""
    return [] if "multi_index" in (flags or ()) else ["multi_index"]


def _shown(array: Any) -> Any:
    """Zeros in place of a symbolic array, which may be written to if it may be."""
    if not is_symbolic(array):
        return array
    made = real.zeros(array.shape, array.dtype)
    made.flags.writeable = bool(held(array).places.flags.writeable) and not held(array).scalar
    return made


def _writes(op_flags: Any, operands: Sequence[Any]) -> list[bool]:
    """For each operand, whether it may be written to."""
    if not op_flags:
        return [o is None for o in operands]
    lists = op_flags if not isinstance(op_flags[0], str) else [op_flags] * len(operands)
    known = {"readonly", "readwrite", "writeonly", "allocate", "no_broadcast"}
    if any(set(flags) - known for flags in lists):
        refuse("numpy.nditer with op_flags that have no meaning")
    return [bool({"readwrite", "writeonly"} & set(flags)) for flags in lists]


def _operand(source: Any, array: Any, given: Any, *, written: bool) -> Any:
    """The array that is gone over; a new one where numpy makes it."""
    if array is None:
        if not given.flags.c_contiguous:
            refuse("numpy.nditer that makes an array in another order")
        # Nothing is known of its elements until they are written.
        return np.empty_like(source, dtype=given.dtype, shape=given.shape)
    if is_symbolic(array):
        need_layout(array)
        return array
    if written:
        refuse("a result written into an array made outside of the run")
    made = real.asarray(array)
    if not made.flags.c_contiguous:
        refuse("numpy.nditer of a real array that is not in row-major order")
    return fresh(source, terms_of(made, made.dtype), made.dtype)


def turns(arrays: Sequence[Any], order: Any) -> list[tuple[int, ...]]:
    """The indices in the order in which numpy goes over arrays."""
    flags = [["readonly"]] * len(arrays)
    found = _NDITER(arrays, ["multi_index", "zerosize_ok"], flags, order=order)
    made = []
    while not found.finished:
        made.append(found.multi_index)
        found.iternext()
    return made


class Iteration:
    """The items of `nditer`: the elements at one index after the other."""

    def __init__(
        self,
        arrays: Sequence[Any],
        writes: Sequence[bool],
        turns: Sequence[tuple[int, ...]],
        *,
        several: bool,
        tracked: bool,
    ) -> None:
        self._arrays, self._writes, self._turns = tuple(arrays), tuple(writes), turns
        self._several, self._tracked = several, tracked
        self._shape = np.broadcast_shapes(*(a.shape for a in arrays))
        self._closed = False
        self.reset()

    def reset(self) -> None:
        self._at, self._started, self._finished = 0, False, not self._turns

    def __enter__(self) -> Iteration:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    def close(self) -> None:
        self._closed = True

    def _open(self) -> None:
        if self._closed:
            refuse("numpy.nditer after it was closed")

    def __iter__(self) -> Iteration:
        return self

    def __next__(self) -> Any:
        self._open()
        if self._finished or (self._started and not self.iternext()):
            raise StopIteration
        self._started = True
        return self.value

    def iternext(self) -> bool:
        self._open()
        if not self._finished and self._at + 1 < len(self._turns):
            self._at += 1
            return True
        self._finished = True
        return False

    @property
    def finished(self) -> bool:
        return self._finished

    @property
    def multi_index(self) -> tuple[int, ...]:
        if not self._tracked:
            raise ValueError("Iterator is not tracking a multi-index")
        return self._turn()

    @property
    def operands(self) -> tuple[Any, ...]:
        self._open()
        return self._arrays

    @property
    def value(self) -> Any:
        found = tuple(self[n] for n in range(len(self._arrays)))
        return found if self._several else found[0]

    @property
    def itersize(self) -> int:
        return len(self._turns)

    @property
    def nop(self) -> int:
        return len(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def _turn(self) -> tuple[int, ...]:
        self._open()
        if self._finished:
            raise ValueError(_PAST)
        return self._turns[self._at]

    def __getitem__(self, number: int) -> Any:
        if isinstance(number, slice):
            refuse("a slice of numpy.nditer")
        array, turn = self._arrays[number], self._turn()
        trace().step()
        places: Any = held(array).places
        if self._writes[number]:
            # What is written to is spread along no axis.
            view = places[(*turn[len(turn) - places.ndim :], Ellipsis)]
        else:
            spread: Any = np.broadcast_to(places, self._shape)
            view = spread[(*turn, Ellipsis)]
        return type(array)(held(array).memory, view, array.dtype)

    def __setitem__(self, number: int, value: Any) -> None:
        self[number][...] = value

    def __getattr__(self, name: str) -> Any:
        if not hasattr(_NDITER, name):
            raise AttributeError(f"'numpy.nditer' object has no attribute '{name}'")
        refuse(f"nditer.{name}")


def _refused(name: str) -> Callable[..., Any]:
    return lambda self, *args: refuse(f"nditer.{name}")


for _name in ("copy", "delitem", "repr", "hash", "eq", "reduce_ex"):
    setattr(Iteration, f"__{_name}__", _refused(f"__{_name}__"))
