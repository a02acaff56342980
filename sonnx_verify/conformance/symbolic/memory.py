"""Memory with cells that are terms, and arrays as places in it: their layout, and what moves, reads or writes cells.

Trusted for what `conform` calls proved: a write that reaches a view which numpy would not give, or misses one that it
would, is another program than the one that was looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self, TypeVar

import numpy as np

from sonnx_verify.conformance.symbolic import real
from sonnx_verify.conformance.symbolic.cells import Objects, reinterpreted, sort_of
from sonnx_verify.conformance.symbolic.trace import errors_noted, refuse, trace
from sonnx_verify.logic.sorts import FloatSort
from sonnx_verify.logic.terms import Term, is_literal, ite


class Flags:
    """numpy's flags of a layout. Those that depend on who made an array are refused."""

    _KNOWN = {
        "C_CONTIGUOUS": "c_contiguous", "C": "c_contiguous", "CONTIGUOUS": "c_contiguous",
        "F_CONTIGUOUS": "f_contiguous", "F": "f_contiguous", "FORTRAN": "f_contiguous",
        "WRITEABLE": "writeable", "W": "writeable", "ALIGNED": "aligned", "A": "aligned", "FNC": "fnc", "FORC": "forc",
    }  # fmt: skip  # a table

    def __init__(self, places: np.ndarray[Any, Any], *, scalar: bool) -> None:
        # Attributes are numpy's flags: this one is set behind the refusal of all others.
        object.__setattr__(self, "_held", (places, scalar))

    def __getattr__(self, name: str) -> Any:
        key = name.upper()
        if name != key.lower() or key not in self._KNOWN:
            refuse(f"flags.{name}")
        return self[key]

    def __setattr__(self, name: str, value: Any) -> None:
        places, scalar = self._held
        # That an array may be written to again depends on the array that it is a view of.
        if name != "writeable" or scalar or value:
            refuse(f"assignment to flags.{name}")
        places.flags.writeable = False

    def __getitem__(self, key: Any) -> bool:
        places, scalar = self._held
        if key not in self._KNOWN:
            refuse(f"flags[{key!r}]")
        name = self._KNOWN[key]
        # The places of a scalar are an array like any other; to numpy's own scalars nothing can be written.
        if scalar and name == "writeable":
            return False
        return bool(getattr(places.flags, name))

    def __repr__(self) -> str:
        refuse("flags as text")


class Memory(list[Term]):
    """The cells of arrays that share them. Where it is `sealed` nothing more is written to it."""

    sealed = False


@dataclass(slots=True)
class Held:
    """The state of an array: all that numpy's own arrays do not show, in one private attribute, since the code under
    test sees the names of an array.

    All views share the memory; a cell of it holds an element of the sort that it was written as. A scalar of numpy is
    an array of rank 0 that nothing can be written to. Where `open` is set, numpy's layout of it is not followed.
    """

    memory: Memory
    places: np.ndarray[Any, Any]
    scalar: bool = False
    open: bool = False


@errors_noted
class Placed:
    """Cells of memory at places: an array but for what can be done with it."""

    __slots__ = ("_dtype", "_held")

    def __init__(
        self, memory: Memory, places: np.ndarray[Any, Any], dtype: np.dtype[Any], *, scalar: bool = False
    ) -> None:
        self._dtype, self._held = np.dtype(dtype), Held(memory, places, scalar)

    @property
    def dtype(self) -> np.dtype[Any]:
        return self._dtype

    @dtype.setter
    def dtype(self, dtype: Any) -> None:
        refuse("assignment to dtype")

    # ----------------------------------------------------------------------------------------------------------- layout

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self._held.places.shape)

    @shape.setter
    def shape(self, shape: Any) -> None:
        if self._held.scalar:
            refuse("assignment to the shape of a scalar")
        need_layout(self)
        # A view of its own: the places of another array that shares them must not change.
        places = self._held.places.view()
        places.shape = shape
        self._held.places = places

    @property
    def ndim(self) -> int:
        return self._held.places.ndim

    @property
    def size(self) -> int:
        return self._held.places.size

    @property
    def itemsize(self) -> int:
        return self._dtype.itemsize

    @property
    def nbytes(self) -> int:
        return self.size * self.itemsize

    @property
    def strides(self) -> tuple[int, ...]:
        need_layout(self)
        # Of arrays without elements numpy gives strides that depend on how they were made.
        if not self.size:
            refuse("the strides of an array without elements")
        places = self._held.places
        # Places are integers of 8 bytes: the strides of the array are as many of its own elements.
        return tuple(s // places.itemsize * self.itemsize for s in places.strides)

    @property
    def flags(self) -> Flags:
        need_layout(self)
        return Flags(self._held.places, scalar=self._held.scalar)

    @property
    def T(self) -> Self:  # noqa: N802  # numpy's name
        made = moved(self, self._held.places.T)
        held(made).scalar = self._held.scalar
        return made

    @property
    def mT(self) -> Self:  # noqa: N802  # numpy's name
        return moved(self, self._held.places.mT)

    # ------------------------------------------------------------------------------------------------------------ terms

    def terms(self) -> Objects:
        """The elements, an array of terms."""
        sort = sort_of(self._dtype)
        made: Objects = real.empty(self.shape, object)
        flat, places = made.reshape(-1), self._held.places.reshape(-1)
        for n in range(flat.size):
            flat[n] = reinterpreted(self._held.memory[places[n]], sort)
        return flat.reshape(self.shape)

    def laid_out_as(self, *sources: Any) -> Self:
        """The same, new, array. numpy lays new arrays out as what they were made of. That is followed for rows only: of
        any other it is left open whether a reshaped one is a view."""
        arrays = [source for source in sources if isinstance(source, np.ndarray)]
        self._held.open = self.ndim > 1 and any(a.ndim > 1 and not is_in_rows(a) for a in arrays)
        return self

    def apart(self, places: Any) -> Self:
        """The elements at other places, where it is not known whether numpy gives a view: nothing is to be written to
        either from here on."""
        made = type(self)(self._held.memory, real.asarray(places), self._dtype)
        held(made).open = True
        self._held.memory.sealed = True
        return made

    def write(self, terms: Objects, where: Objects | None = None) -> None:
        """Put elements of its own sort, broadcast to its shape, into the memory."""
        places, memory = self._held.places, self._held.memory
        if not places.flags.writeable:
            raise ValueError("assignment destination is read-only")
        if memory.sealed:
            refuse("a write to an array whose views are not known")
        while terms.ndim > self.ndim and terms.shape[0] == 1:
            terms = terms[0]  # as numpy has it

        sort = sort_of(self._dtype)
        trace().step()
        new = np.broadcast_to(terms, self.shape).reshape(-1).tolist()
        numbers = places.reshape(-1).tolist()
        # `broadcast_to(x, (3,))[...] = [1, 2, 3]`: which of the three stays is numpy's order of writing.
        if len(set(numbers)) < len(numbers):
            refuse("a write to an array with several elements at one place in memory")
        if where is not None:
            masks = np.broadcast_to(where, self.shape).reshape(-1).tolist()
            rows = zip(masks, new, numbers, strict=True)
            new = [ite(mask, value, reinterpreted(memory[place], sort)) for mask, value, place in rows]
        for place, value in zip(numbers, new, strict=True):
            memory[place] = value

    def known(self) -> Any:
        """The real array, where all elements are known; else None."""
        terms = self.terms()
        if not all(is_literal(t) for t in terms.reshape(-1)):
            return None
        sort = sort_of(self._dtype)
        values = [t.payload for t in terms.reshape(-1)]
        # The payload of a float is its bits.
        if isinstance(sort, FloatSort):
            return real.array(values, f"u{sort.width // 8}").view(self._dtype).reshape(self.shape)
        return real.array(values, self._dtype).reshape(self.shape)


P = TypeVar("P", bound=Placed)


def held(array: Any) -> Held:
    """The state of a symbolic array, for the modules that make the functions of numpy on it."""
    found: Held = array._held  # noqa: SLF001  # the one way to it: see Held
    return found


def fresh(source: P, terms: Any, dtype: np.dtype[Any], *, scalar: bool = False) -> P:
    """A new array of these terms, of the class of another one."""
    terms = real.asarray(terms, object)
    places = np.arange(terms.size).reshape(terms.shape)
    return type(source)(Memory(terms.reshape(-1)), places, dtype, scalar=scalar)


def need_layout(array: Placed) -> None:
    """Refuse where the layout of the array is not followed."""
    if held(array).open:
        refuse("the layout of an array that was made of one that is not in row-major order")


def moved(array: P, places: Any) -> P:
    """The array of other places: a view where numpy gives a view of them, else a copy."""
    trace().step()
    own = held(array)
    if places is own.places:
        return array
    places = real.asarray(places)
    # numpy did to the places what the code asks for on the elements: it has shared their memory, or has not.
    if not places.size or np.shares_memory(places, own.places):
        made = type(array)(own.memory, places, array.dtype)
        held(made).open = own.open
        return made
    cells = Memory([own.memory[p] for p in places.reshape(-1)])
    made = type(array)(cells, np.arange(places.size).reshape(places.shape), array.dtype)
    # A copy of columns may be in columns, or in rows: that depends on the function.
    held(made).open = places.ndim > 1 and (own.open or not places.flags.c_contiguous)
    return made


def copied_as(array: P, copied: np.ndarray[Any, Any]) -> P:
    """A copy in the layout of `copied`, which is numpy's own copy of the places."""
    trace().step()
    own = held(array)
    cells = Memory([own.memory[p] for p in copied.ravel(order="K")])
    # A copy is contiguous in some order of its axes: raveled in the order of memory it is a view.
    places = copied.copy(order="K")
    places.ravel(order="K")[...] = np.arange(places.size)
    return type(array)(cells, places, array.dtype)


def is_symbolic(value: Any) -> bool:
    """Return whether a value is a symbolic array: these say that they are numpy's, so it is asked of the type."""
    return issubclass(type(value), Placed)


def is_in_rows(array: Any) -> bool:
    """Return whether it is known that an array, symbolic or real, is in row-major order."""
    if is_symbolic(array):
        return not held(array).open and bool(held(array).places.flags.c_contiguous)
    return bool(array.flags.c_contiguous)
