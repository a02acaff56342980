"""numpy's makers of arrays, replaced for the length of a run: what they make can take symbolic elements."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from sonnx_verify.arrays.evaluator.known import SORTS
from sonnx_verify.conformance.symbolic import real
from sonnx_verify.conformance.symbolic.arguments import fits_or_refused, has_symbols, stand_in, terms_of, zeros_for
from sonnx_verify.conformance.symbolic.array import (
    SymbolicArray,
    array_of,
    dtype_or,
    filled,
    in_rows_only,
    like,
)
from sonnx_verify.conformance.symbolic.callbacks import vectorize_call
from sonnx_verify.conformance.symbolic.iteration import nditer
from sonnx_verify.conformance.symbolic.memory import held, is_in_rows, moved, need_layout
from sonnx_verify.conformance.symbolic.trace import noted, refuse
from sonnx_verify.conformance.symbolic.views import as_strided

_ELEMENTS = "?bBhHiIlLqQefd"


def _has_sort(dtype: np.dtype[Any]) -> bool:
    """Return whether symbolic arrays have elements of the dtype; others, as of texts, stay numpy's own."""
    return dtype.char in _ELEMENTS or dtype in SORTS


def _for_numpy(*given: Any) -> bool:
    """Return whether numpy's own code makes an array, of nothing symbolic: it works on real ones then."""
    # The caller of the maker that asks, behind the function that notes its errors.
    name = sys._getframe(3).f_globals.get("__name__", "")  # noqa: SLF001  # the way to it
    return (name == "numpy" or name.startswith("numpy.")) and not has_symbols(*given)


def _maker(name: str, fill: Any) -> Callable[..., Any]:
    original = getattr(np, name)

    def make(shape: Any, dtype: Any = None, order: str = "C", **more: Any) -> Any:
        wanted = dtype_or(dtype, float)
        if not _has_sort(wanted) or _for_numpy():
            return original(shape, dtype, order, **more)
        in_rows_only(order)
        return filled(shape, wanted, fill)

    return make


_FULL: Any = np.full
_FULL_LIKE: Any = np.full_like


def _full(shape: Any, fill_value: Any, dtype: Any = None, order: str = "C", **more: Any) -> Any:
    if _for_numpy(fill_value):
        return _FULL(shape, fill_value, dtype, order, **more)
    in_rows_only(order)
    if dtype is None:
        dtype = real.asarray(stand_in(fill_value)).dtype
    return filled(shape, np.dtype(dtype), fill_value)


def _array(name: str, *, copies: bool) -> Callable[..., Any]:
    original = getattr(np, name)

    def make(a: Any, dtype: Any = None, *args: Any, **more: Any) -> Any:
        if not has_symbols(a):
            return original(a, dtype, *args, **more)
        if args or set(more) - {"copy", "order"}:
            refuse(f"numpy.{name} with {', '.join(sorted(more)) or 'other arguments'}")
        in_rows_only(more.get("order"))
        copy = more.get("copy", copies or None)
        if type(a) is not SymbolicArray:
            if copy is False:
                raise ValueError(_NO_COPY)
            return _of_list(name, a, dtype)
        if copy is False and (held(a).scalar or dtype not in (None, a.dtype)):
            raise ValueError(_NO_COPY)
        if name in ("ascontiguousarray", "asfortranarray"):
            return _laid_out(original, a, dtype)
        if more.get("order") == "C" and not is_in_rows(a):
            refuse(f"numpy.{name} in another order")
        wanted = dtype_or(dtype, a.dtype)
        made = a
        # For a scalar numpy makes an array, which is a new one.
        if wanted != a.dtype or held(a).scalar:
            made = a.astype(wanted)
        elif copy:
            made = a.copy("K")
        held(made).scalar = False
        return made

    return make


_NO_COPY = "Unable to avoid copy while creating an array as requested."
"""numpy's own words."""


def _laid_out(original: Callable[..., Any], array: SymbolicArray, dtype: Any) -> SymbolicArray:
    """An array in rows or in columns. Whether that is a copy is numpy's own answer, where the layout is known."""
    need_layout(array)
    if dtype_or(dtype, array.dtype) != array.dtype:
        array = array.astype(dtype)
    return moved(array, original(held(array).places))


def _of_list(name: str, values: Any, dtype: Any) -> SymbolicArray:
    """A new array of symbolic ones in lists."""
    parts = _flat(values)
    # Of an element and a number the type depends on the number's value in ways of its own.
    if not all(type(p) is SymbolicArray for p in parts):
        refuse(f"numpy.{name} of elements and numbers")
    if dtype is None:
        dtype = np.result_type(*(stand_in(p) for p in parts))
    wanted = np.dtype(dtype)
    # That the parts do not fit each other, numpy says itself.
    real.array(zeros_for(values), wanted)
    fits_or_refused(values, wanted)
    return array_of(terms_of(values, wanted), wanted)


def _flat(value: Any) -> list[Any]:
    if not isinstance(value, list | tuple):
        return [value]
    parts: list[Any] = []
    for part in value:
        parts += _flat(part)
    return parts


def _as_array(value: Any) -> Any:
    """The value, as an array where it is none."""
    return value if hasattr(value, "dtype") else real.asarray(value)


def _like(name: str, fill: Any) -> Callable[..., Any]:
    make, original = like(fill), getattr(np, name)

    def made(a: Any, dtype: Any = None, *args: Any, **more: Any) -> Any:
        example = _as_array(a)
        if not _has_sort(dtype_or(dtype, example.dtype)) or _for_numpy(a):
            return original(a, dtype, *args, **more)
        return make(example, dtype, *args, **more)

    return made


def _full_like(a: Any, fill_value: Any, dtype: Any = None, *args: Any, **more: Any) -> Any:
    if _for_numpy(a, fill_value):
        return _FULL_LIKE(a, fill_value, dtype, *args, **more)
    return like(fill_value)(_as_array(a), dtype, *args, **more)


def _ndenumerate(a: Any) -> Iterator[tuple[tuple[int, ...], Any]]:
    for place in np.ndindex(*np.shape(stand_in(a))):
        yield place, a[place]


def _refused(name: str) -> Callable[..., Any]:
    original = getattr(np, name)

    def call(*args: Any, **kwargs: Any) -> Any:
        if has_symbols(*args, *kwargs.values()):
            refuse(f"numpy.{name}")
        return original(*args, **kwargs)

    return call


REFUSED = ("frompyfunc", "fromiter", "broadcast")
"""Functions that have no meaning here, and would not ask symbolic arrays for one."""


def _replacements() -> dict[str, Callable[..., Any]]:
    made: dict[str, Callable[..., Any]] = {
        "empty": _maker("empty", None),
        "zeros": _maker("zeros", 0),
        "ones": _maker("ones", 1),
        "full": _full,
        "array": _array("array", copies=True),
        "empty_like": _like("empty_like", None),
        "zeros_like": _like("zeros_like", 0),
        "ones_like": _like("ones_like", 1),
        "full_like": _full_like,
        "ndenumerate": _ndenumerate,
        "nditer": nditer,
    }
    made |= {
        name: _array(name, copies=False) for name in ("asarray", "asanyarray", "ascontiguousarray", "asfortranarray")
    }
    made |= {name: _refused(name) for name in REFUSED}
    return made


_CATCH: Any = warnings.catch_warnings.__init__


def _caught(self: Any, **options: Any) -> None:
    """`catch_warnings`, for code that only wants silence."""
    # numpy warns of what elements are, as of a row of NaN: no term says when.
    if options.get("record"):
        refuse("warnings that are recorded")
    _CATCH(self, **options)


@contextmanager
def numpy_replaced(module: ModuleType | None) -> Iterator[None]:
    """While the block runs, numpy's makers make symbolic arrays, also where a module took them by name."""
    # Makers get no array, so numpy has no class to ask for them: `np.zeros(3)` would make an array without terms.
    makers = [Replacement(np, name, noted(maker)) for name, maker in _replacements().items()]
    calls = Replacement(np.vectorize, "_vectorize_call", vectorize_call)
    caught = Replacement(warnings.catch_warnings, "__init__", _caught)
    with _replaced([*makers, calls, STRIDED, caught], module):
        yield


@contextmanager
def views_replaced(module: ModuleType | None) -> Iterator[None]:
    """While the block runs, views of real arrays stay within their memory."""
    with _replaced([STRIDED], module):
        yield


@dataclass(frozen=True, slots=True)
class Replacement:
    """A function that stands for another one under its name in a module or a class."""

    owner: Any
    name: str
    function: Callable[..., Any]


STRIDED = Replacement(np.lib.stride_tricks, "as_strided", as_strided)


@contextmanager
def _replaced(replacements: Sequence[Replacement], module: ModuleType | None) -> Iterator[None]:
    originals = [getattr(r.owner, r.name) for r in replacements]
    # `from numpy import zeros` leaves a second name for the original in the module.
    taken: list[tuple[str, Any]] = []
    by_original = {id(original): r.function for original, r in zip(originals, replacements, strict=True)}
    if module is not None:
        taken = [(key, value) for key, value in vars(module).items() if id(value) in by_original]
    try:
        for r in replacements:
            setattr(r.owner, r.name, r.function)
        for key, original in taken:
            setattr(module, key, by_original[id(original)])
        yield
    finally:
        for r, original in zip(replacements, originals, strict=True):
            setattr(r.owner, r.name, original)
        for key, original in taken:
            setattr(module, key, original)
