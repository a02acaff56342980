"""Symbolic arrays: they pass as numpy arrays, and what is done with them is recorded as terms.

A symbolic array has the dtype, the shape and the memory layout of a real one; its memory holds terms. Which cell of the
memory stands at which index is kept as an array of places, on which numpy itself does whatever only moves elements:
so what is a view of what is numpy's own answer.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from sonnx_verify.conform.symbolic import real
from sonnx_verify.conform.symbolic.cells import Objects, cast, constant, each, scalars_of, sort_of
from sonnx_verify.conform.symbolic.flat import Flat
from sonnx_verify.conform.symbolic.given import fits_or_refused, has_symbols, zeros_for
from sonnx_verify.conform.symbolic.memory import Memory, Placed, is_in_rows
from sonnx_verify.conform.symbolic.table import truth
from sonnx_verify.conform.symbolic.trace import is_running, own_errors_refused, refuse, trace
from sonnx_verify.logic.terms import Term, is_literal


class SymbolicArray(Placed):
    """An array of terms, or a scalar of numpy, which is an array of rank 0 that nothing can be written to."""

    __slots__ = ("__weakref__",)
    __array_priority__ = 1000.0
    __hash__ = None  # type: ignore[assignment]  # as an array has it

    def __setattr__(self, name: str, value: Any) -> None:
        if not hasattr(SymbolicArray, name) and hasattr(np.ndarray, name) or name in ("T", "flat"):
            refuse(f"ndarray.{name} that is set")
        object.__setattr__(self, name, value)

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
    def flat(self) -> Any:
        if self._open or not self._places.flags.c_contiguous:
            refuse("ndarray.flat of an array that is not in row-major order")
        return Flat(np.reshape(self, -1))

    def __len__(self) -> int:
        return len(self._places)

    def __repr__(self) -> str:
        if is_running():
            refuse("elements as text")
        return f"<symbolic {self._dtype} array of shape {self.shape}>"

    # ------------------------------------------------------------------------------------------------ numpy's protocols

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        # What functions mean is said of such arrays, in modules that import this one.
        from sonnx_verify.conform.symbolic.ufuncs import apply_ufunc

        with own_errors_refused(f"numpy.{ufunc.__name__}"):
            return apply_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        from sonnx_verify.conform.symbolic.functions import apply_function

        with own_errors_refused(f"numpy.{func.__name__}"):
            return apply_function(func, args, kwargs)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        made = self.known()
        if made is None:
            refuse("elements taken out of an array by numpy itself")
        return made if dtype is None else made.astype(dtype)

    # ---------------------------------------------------------------------------------------------------------- scalars

    def _only(self, what: str) -> Term:
        # What is no number and no truth value is numpy's own answer.
        _AS_PYTHON[what](real.zeros(self.shape, self._dtype))
        term = self.terms().reshape(-1)[0]
        assert isinstance(term, Term)
        if what != "bool" and not is_literal(term):
            refuse(f"`{what}` of an element")
        return term

    def __bool__(self) -> bool:
        return trace().decide(truth(self._only("bool")))

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
        found = self._places[known_index(key)]
        made = self._moved(found)
        made._scalar = isinstance(found, np.generic)
        return made

    def __setitem__(self, key: Any, value: Any) -> None:
        if self._scalar:
            raise TypeError(f"'numpy.{self._dtype}' object does not support item assignment")
        fits_or_refused(value, self._dtype)
        mask = mask_of(key, self.shape)
        # Of shapes and types that do not fit, numpy says so itself.
        chosen = real.ones(self.shape, bool) if mask is not None else known_index(key)
        real.zeros(self.shape, self._dtype)[chosen] = zeros_for(value)
        if mask is not None:
            if np.size(terms_of(value, self._dtype)) != 1:
                refuse("elements assigned one after the other to where a mask holds")
            self.write(terms_of(value, self._dtype), mask)
            return
        if not self._places.flags.writeable:
            raise ValueError("assignment destination is read-only")
        target = SymbolicArray(self._memory, real.asarray(self._places[chosen]), self._dtype)
        target.write(terms_of(value, self._dtype))

    def __iter__(self) -> Iterator[SymbolicArray]:
        if not self.ndim:
            raise TypeError("iteration over a 0-d array")
        return (self[n] for n in range(len(self)))

    def __contains__(self, value: Any) -> bool:
        return bool((self == value).any())

    def fill(self, value: Any) -> None:
        if self._scalar:
            refuse("a scalar that is filled")
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
        if type is not None:
            refuse("a view of a type of its own")
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
        if order != "K" and not (order == "C" and is_in_rows(self)):
            refuse(f"ndarray.astype in the order {order}")
        if wanted == self._dtype and not copy:
            return self
        real.zeros(0, self._dtype).astype(wanted, casting=casting)
        cells = each(lambda t: cast(t, sort_of(wanted)), self.terms())
        return array_of(cells, wanted, self._scalar).laid_out_as(self)


_AS_PYTHON: dict[str, Callable[[Any], Any]] = {"bool": bool, "int": int, "float": float, "an index": operator.index}


def array_of(terms: Any, dtype: np.dtype[Any], scalar: bool = False) -> SymbolicArray:
    """A new array of these terms."""
    terms = real.asarray(terms, object)
    return SymbolicArray(Memory(terms.reshape(-1)), np.arange(terms.size).reshape(terms.shape), dtype, scalar)


def terms_of(value: Any, dtype: np.dtype[Any]) -> Objects:
    """The elements of an array, scalar or number as terms of a dtype, converted as an assignment does."""
    sort = sort_of(dtype)
    if type(value) is SymbolicArray:
        found = value.terms()
        return found if value.dtype == dtype else each(lambda t: cast(t, sort), found)
    if isinstance(value, list | tuple) and has_symbols(value):
        parts = [terms_of(v, dtype) for v in value]
        if any(p.shape != parts[0].shape for p in parts):
            refuse("arrays of several shapes in a list")
        made: Objects = real.empty((len(parts), *parts[0].shape), object)
        for n, part in enumerate(parts):
            made[n, ...] = part
        return made
    held = real.zeros(np.shape(value), dtype)
    # A scalar of numpy is converted as an array is: that it does not fit is asked where numpy asks it.
    held[...] = real.asarray(value) if isinstance(value, np.generic) else value
    return each(lambda x: constant(x, sort), scalars_of(held))


def known_index(key: Any) -> Any:
    """An index of real integers; Unsupported where it depends on elements."""
    if isinstance(key, tuple):
        return tuple(known_index(k) for k in key)
    if isinstance(key, slice):
        return slice(*(known_or_refused(k, "a slice by elements") for k in (key.start, key.stop, key.step)))
    return known_or_refused(key, "an index that depends on elements")


def mask_of(key: Any, shape: tuple[int, ...]) -> Objects | None:
    """The conditions of a mask over a whole array, that depends on elements; None for any other index."""
    if type(key) is SymbolicArray and key.dtype == np.dtype(bool) and key.known() is None:
        if key.shape != shape:
            refuse("a mask over some axes that depends on elements")
        return key.terms()
    return None


def known_or_refused(value: Any, what: str) -> Any:
    """A real value; Unsupported where it depends on elements."""
    if type(value) is not SymbolicArray:
        return value
    found = value.known()
    if found is None:
        refuse(what)
    return found
