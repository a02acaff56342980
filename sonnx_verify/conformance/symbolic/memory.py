"""Memory with cells that are terms, and arrays as places in it: their layout, and what moves, reads or writes cells."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from sonnx_verify.conformance.symbolic import real
from sonnx_verify.conformance.symbolic.cells import Objects, reinterpreted, sort_of
from sonnx_verify.conformance.symbolic.flags import Flags
from sonnx_verify.conformance.symbolic.trace import refuse, trace
from sonnx_verify.logic.sorts import FloatSort
from sonnx_verify.logic.terms import Term, is_literal, ite


class Memory(list[Term]):
    """The cells of arrays that share them. Where it is `sealed` nothing more is written to it."""

    sealed = False


class Placed:
    """Cells of memory at places: an array but for what can be done with it. All views share the memory; a cell of it
    holds an element of the sort that it was written as. Where `_open` is set, numpy's layout of it is not followed."""

    __slots__ = ("_dtype", "_memory", "_open", "_places", "_scalar")

    def __init__(
        self, memory: Memory, places: np.ndarray[Any, Any], dtype: np.dtype[Any], scalar: bool = False
    ) -> None:
        self._memory, self._places, self._dtype, self._scalar = memory, places, np.dtype(dtype), scalar
        self._open = False

    # ----------------------------------------------------------------------------------------------------------- layout

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self._places.shape)

    @shape.setter
    def shape(self, shape: Any) -> None:
        if self._scalar:
            refuse("the shape of a scalar that is set")
        self._known_layout()
        places = self._places.view()
        places.shape = shape
        self._places = places

    @property
    def ndim(self) -> int:
        return self._places.ndim

    @property
    def size(self) -> int:
        return self._places.size

    @property
    def itemsize(self) -> int:
        return self._dtype.itemsize

    @property
    def nbytes(self) -> int:
        return self.size * self.itemsize

    @property
    def strides(self) -> tuple[int, ...]:
        self._known_layout()
        if not self.size:
            refuse("the strides of an array without elements")
        return tuple(s // self._places.itemsize * self.itemsize for s in self._places.strides)

    @property
    def flags(self) -> Flags:
        self._known_layout()
        return Flags(self._places, self._scalar)

    def _known_layout(self) -> None:
        if self._open:
            refuse("the layout of an array that was made of one that is not in row-major order")

    @property
    def T(self) -> Self:  # noqa: N802  # numpy's name
        made = self._moved(self._places.T)
        made._scalar = self._scalar
        return made

    @property
    def mT(self) -> Self:  # noqa: N802  # numpy's name
        return self._moved(self._places.mT)

    # ------------------------------------------------------------------------------------------------------------ terms

    def terms(self) -> Objects:
        """The elements, an array of terms."""
        sort = sort_of(self._dtype)
        made: Objects = real.empty(self.shape, object)
        flat, places = made.reshape(-1), self._places.reshape(-1)
        for n in range(flat.size):
            cell = self._memory[places[n]]
            flat[n] = cell if cell.sort is sort else reinterpreted(cell, sort)
        return flat.reshape(self.shape)

    def laid_out_as(self, *sources: Any) -> Self:
        """The same, new, array. numpy lays new arrays out as what they were made of. That is followed for rows only: of
        any other whether a reshaped one is a view is left open."""
        self._open = self.ndim > 1 and any(
            isinstance(s, np.ndarray) and s.ndim > 1 and not is_in_rows(s) for s in sources
        )
        return self

    def apart(self, places: Any) -> Self:
        """The elements at other places, where it is not known whether numpy gives a view: nothing is to be written to
        either from here on."""
        made = type(self)(self._memory, real.asarray(places), self._dtype)
        made._open = True
        self._memory.sealed = True
        return made

    def write(self, terms: Objects, where: Objects | None = None) -> None:
        """Put elements of its own sort, broadcast to its shape, into the memory."""
        if not self._places.flags.writeable:
            raise ValueError("assignment destination is read-only")
        if self.size and any(step == 0 and n > 1 for step, n in zip(self._places.strides, self.shape, strict=True)):
            refuse("a write to an array that has one place in memory for several elements")
        if self._memory.sealed:
            refuse("a write to an array of which it is open what is a view of it")
        while terms.ndim > self.ndim and terms.shape[0] == 1:
            terms = terms[0]  # as numpy has it

        places = self._places.reshape(-1).tolist()
        sort = sort_of(self._dtype)
        trace().step()
        new = np.broadcast_to(terms, self.shape).reshape(-1)
        masks = None if where is None else np.broadcast_to(where, self.shape).reshape(-1)
        for n, place in enumerate(places):
            value = new[n]
            if masks is not None:
                value = ite(masks[n], value, reinterpreted(self._memory[place], sort))
            self._memory[place] = value

    def _moved(self, places: Any) -> Self:
        """The array of other places: a view where numpy gives a view of them, else a copy."""
        trace().step()
        if places is self._places:
            return self
        places = real.asarray(places)
        if places.size and not np.shares_memory(places, self._places):
            cells = Memory([self._memory[p] for p in places.reshape(-1)])
            made = type(self)(cells, np.arange(places.size).reshape(places.shape), self._dtype)
            made._open = places.ndim > 1 and (self._open or not places.flags.c_contiguous)
            return made
        made = type(self)(self._memory, places, self._dtype)
        made._open = self._open
        return made

    def known(self) -> Any:
        """The real array, where all elements are known; else None."""
        terms = self.terms()
        if not all(is_literal(t) for t in terms.reshape(-1)):
            return None
        sort = sort_of(self._dtype)
        values = [t.payload for t in terms.reshape(-1)]
        if isinstance(sort, FloatSort):
            return real.array(values, f"u{sort.width // 8}").view(self._dtype).reshape(self.shape)
        return real.array(values, self._dtype).reshape(self.shape)


def is_symbolic(value: Any) -> bool:
    """Whether a value is a symbolic array: these say that they are numpy's, so it is asked of the type."""
    return issubclass(type(value), Placed)


def is_in_rows(array: Any) -> bool:
    """Whether it is known that an array, symbolic or real, is in row-major order."""
    if is_symbolic(array):
        return not array._open and bool(array._places.flags.c_contiguous)
    return bool(array.flags.c_contiguous)
