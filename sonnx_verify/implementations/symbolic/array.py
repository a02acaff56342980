"""Symbolic arrays: they pass as numpy arrays, and what is done with them is recorded as terms.

A symbolic array has the dtype, the shape and the memory layout of a real one; its memory holds terms. Which cell of the
memory stands at which index is kept as an array of places, on which numpy itself does whatever only moves elements:
so what is a view of what is numpy's own answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from sonnx_verify.implementations.symbolic import real
from sonnx_verify.implementations.symbolic.cells import cast, constant, reinterpreted, sort_of
from sonnx_verify.implementations.symbolic.table import truth
from sonnx_verify.implementations.symbolic.trace import is_running, own_errors_refused, refuse, trace
from sonnx_verify.logic.sorts import FloatSort
from sonnx_verify.logic.terms import Term, is_literal

Objects = np.ndarray[Any, np.dtype[np.object_]]


class Memory(list[Term]):
    """The cells of arrays that share them. Where it is `sealed` nothing more is written to it."""

    sealed = False


class SymbolicArray:
    """An array of terms, or a scalar of numpy, which is an array of rank 0 that nothing can be written to. All views
    share `memory`; a cell of it holds an element of the sort that it was written as."""

    __slots__ = ("_dtype", "_memory", "_open", "_places", "_scalar")
    __array_priority__ = 1000.0
    __hash__ = None  # type: ignore[assignment]

    def __init__(
        self, memory: Memory, places: np.ndarray[Any, Any], dtype: np.dtype[Any], scalar: bool = False
    ) -> None:
        self._memory, self._places, self._dtype, self._scalar = memory, places, np.dtype(dtype), scalar
        self._open = False

    # ------------------------------------------------------------------------------------------------------- what it is

    @property
    def __class__(self) -> type:
        # Code that asks for an array, or a scalar, gets one.
        return self._dtype.type if self._scalar else np.ndarray

    @__class__.setter
    def __class__(self, value: type) -> None:
        raise TypeError("the class of an array cannot be set")

    @property
    def dtype(self) -> np.dtype[Any]:
        return self._dtype

    @dtype.setter
    def dtype(self, dtype: Any) -> None:
        refuse("a dtype that is set")

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self._places.shape)

    @shape.setter
    def shape(self, shape: Any) -> None:
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
        return tuple(s // self._places.itemsize * self.itemsize for s in self._places.strides)

    @property
    def flags(self) -> Any:
        self._known_layout()
        return self._places.flags

    def _known_layout(self) -> None:
        if self._open:
            refuse("the layout of an array that was made of one that is not in row-major order")

    @property
    def T(self) -> SymbolicArray:
        made = self._moved(self._places.T)
        made._scalar = self._scalar
        return made

    @property
    def mT(self) -> SymbolicArray:
        return self._moved(self._places.mT)

    @property
    def flat(self) -> Any:
        if self._open or not self._places.flags.c_contiguous:
            refuse("ndarray.flat of an array that is not in row-major order")
        return np.reshape(self, -1)

    def __len__(self) -> int:
        return len(self._places)

    def __repr__(self) -> str:
        if is_running():
            refuse("elements as text")
        return f"<symbolic {self._dtype} array of shape {self.shape}>"

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

    def laid_out_as(self, *sources: Any) -> SymbolicArray:
        """The same, new, array. numpy lays new arrays out as what they were made of. That is followed for rows only: of
        any other whether a reshaped one is a view is left open."""
        self._open = self.ndim > 1 and any(
            type(s) is SymbolicArray and s.ndim > 1 and (s._open or not s._places.flags.c_contiguous) for s in sources
        )
        return self

    def apart(self, places: Any) -> SymbolicArray:
        """The elements at other places, where it is not known whether numpy gives a view: nothing is to be written to
        either from here on."""
        made = SymbolicArray(self._memory, real.asarray(places), self._dtype)
        made._open = True
        self._memory.sealed = True
        return made

    def write(self, terms: Objects, where: Objects | None = None) -> None:
        """Put elements of its own sort, broadcast to its shape, into the memory."""
        from sonnx_verify.logic.terms import ite

        if not self._places.flags.writeable:
            raise ValueError("assignment destination is read-only")
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

    def _moved(self, places: Any) -> SymbolicArray:
        """The array of other places: a view where numpy gives a view of them, else a copy."""
        trace().step()
        places = real.asarray(places)
        if places.size and not np.shares_memory(places, self._places):
            cells = Memory([self._memory[p] for p in places.reshape(-1)])
            made = SymbolicArray(cells, np.arange(places.size).reshape(places.shape), self._dtype)
            made._open = places.ndim > 1 and (self._open or not places.flags.c_contiguous)
            return made
        made = SymbolicArray(self._memory, places, self._dtype)
        made._open = self._open
        return made

    # ------------------------------------------------------------------------------------------------ numpy's protocols

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        from sonnx_verify.implementations.symbolic.ufuncs import apply_ufunc

        with own_errors_refused(f"numpy.{ufunc.__name__}"):
            return apply_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        from sonnx_verify.implementations.symbolic.functions import apply_function

        with own_errors_refused(f"numpy.{func.__name__}"):
            return apply_function(func, args, kwargs)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        made = self.known()
        if made is None:
            refuse("elements taken out of an array by numpy itself")
        return made if dtype is None else made.astype(dtype)

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

    # ---------------------------------------------------------------------------------------------------------- scalars

    def _only(self, what: str) -> Term:
        if self.size != 1:
            raise ValueError(f"the truth value or number of an array of {self.size} elements is ambiguous")
        term = self.terms().reshape(-1)[0]
        assert isinstance(term, Term)
        if what and not is_literal(term):
            refuse(f"`{what}` of an element")
        return term

    def __bool__(self) -> bool:
        return trace().decide(truth(self._only("")))

    def __int__(self) -> int:
        self._only("int")
        return int(self.known().reshape(-1)[0])

    def __float__(self) -> float:
        self._only("float")
        return float(self.known().reshape(-1)[0])

    def __index__(self) -> int:
        self._only("an index")
        return int(self.known().reshape(()).__index__())

    def item(self, *args: Any) -> Any:
        known = self.known()
        if known is None:
            refuse("`item` of an element")
        return known.item(*args)

    def tolist(self) -> Any:
        known = self.known()
        if known is None:
            refuse("`tolist` of elements")
        return known.tolist()

    # ---------------------------------------------------------------------------------------------------------- reading

    def __getitem__(self, key: Any) -> SymbolicArray:
        from sonnx_verify.implementations.symbolic.functions import known_index

        found = self._places[known_index(key)]
        made = self._moved(found)
        made._scalar = isinstance(found, np.generic)
        return made

    def __setitem__(self, key: Any, value: Any) -> None:
        from sonnx_verify.implementations.symbolic.functions import known_index, mask_of

        if self._scalar:
            raise TypeError(f"'numpy.{self._dtype}' object does not support item assignment")
        mask = mask_of(key, self.shape)
        if mask is not None:
            if np.size(terms_of(value, self._dtype)) != 1:
                refuse("elements assigned one after the other to where a mask holds")
            self.write(terms_of(value, self._dtype), mask)
            return
        if not self._places.flags.writeable:
            raise ValueError("assignment destination is read-only")
        target = SymbolicArray(self._memory, real.asarray(self._places[known_index(key)]), self._dtype)
        target.write(terms_of(value, self._dtype))

    def __iter__(self) -> Iterator[SymbolicArray]:
        if not self.ndim:
            raise TypeError("iteration over a 0-d array")
        return (self[n] for n in range(len(self)))

    def __contains__(self, value: Any) -> bool:
        return bool((self == value).any())

    def fill(self, value: Any) -> None:
        self[...] = value

    def copy(self, order: Any = "C") -> SymbolicArray:
        made = self._moved(self._places.copy(order))
        made._open = made._open and order != "C"
        made._scalar = self._scalar
        return made

    def __copy__(self) -> SymbolicArray:
        return self.copy("K")

    def __deepcopy__(self, memo: Any) -> SymbolicArray:
        return self.copy("K")

    def view(self, dtype: Any = None, type: Any = None) -> SymbolicArray:
        wanted = self._dtype if dtype is None or dtype is np.ndarray else np.dtype(dtype)
        if wanted.itemsize != self._dtype.itemsize:
            refuse(f"a view of {self._dtype} as {wanted}")
        sort_of(wanted)
        made = SymbolicArray(self._memory, self._places.view(), wanted, self._scalar)
        made._open = self._open
        return made

    def astype(
        self, dtype: Any, order: str = "K", casting: Any = "unsafe", subok: bool = True, copy: bool = True
    ) -> SymbolicArray:
        wanted = np.dtype(dtype)
        if wanted == self._dtype and not copy:
            return self
        real.zeros(0, self._dtype).astype(wanted, casting=casting)
        cells = each(lambda t: cast(t, sort_of(wanted)), self.terms())
        return array_of(cells, wanted, self._scalar).laid_out_as(self)


def array_of(terms: Any, dtype: np.dtype[Any], scalar: bool = False) -> SymbolicArray:
    """A new array of these terms."""
    terms = real.asarray(terms, object)
    return SymbolicArray(Memory(terms.reshape(-1)), np.arange(terms.size).reshape(terms.shape), dtype, scalar)


def each(meaning: Callable[..., Term], *terms: Any) -> Objects:
    """The meaning on elements that stand at one place, broadcast."""
    trace().step()
    arrays = [real.asarray(t, object) for t in terms]
    spread = np.broadcast_arrays(*arrays) if len(arrays) > 1 else arrays
    made: Objects = real.empty(spread[0].shape, object)
    flats, flat = [s.reshape(-1) for s in spread], made.reshape(-1)
    for n in range(flat.size):
        flat[n] = meaning(*[f[n] for f in flats])
    return flat.reshape(made.shape)


def terms_of(value: Any, dtype: np.dtype[Any]) -> Objects:
    """The elements of an array, scalar or number as terms of a dtype, converted as an assignment does."""
    sort = sort_of(dtype)
    if type(value) is SymbolicArray:
        found = value.terms()
        return found if value.dtype == dtype else each(lambda t: cast(t, sort), found)
    if isinstance(value, list | tuple) and _has_symbols(value):
        parts = [terms_of(v, dtype) for v in value]
        made: Objects = real.empty((len(parts), *parts[0].shape), object)
        for n, part in enumerate(parts):
            made[n, ...] = part
        return made
    held = real.zeros(np.shape(value), dtype)
    held[...] = value
    return each(lambda x: constant(x, sort), _objects(held))


def _objects(held: Any) -> Objects:
    """The elements of a real array as numpy's scalars, which keep their bits."""
    made: Objects = real.empty(held.shape, object)
    flat, source = made.reshape(-1), held.reshape(-1)
    for n in range(flat.size):
        flat[n] = source[n]
    return flat.reshape(held.shape)


def _has_symbols(value: Any) -> bool:
    if type(value) is SymbolicArray:
        return True
    return isinstance(value, list | tuple) and any(_has_symbols(v) for v in value)


def has_symbols(*values: Any) -> bool:
    """Whether a symbolic array is among values, or in lists and tuples of them."""
    return any(_has_symbols(v) for v in values)
