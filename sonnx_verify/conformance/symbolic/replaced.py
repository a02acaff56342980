"""numpy's makers of arrays, replaced for the length of a run: what they make can take symbolic elements."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import numpy as np

from sonnx_verify.conformance.symbolic import real
from sonnx_verify.conformance.symbolic.array import (
    SymbolicArray,
    array_of,
    filled,
    in_rows_only,
    like,
    stand_in,
    terms_of,
)
from sonnx_verify.conformance.symbolic.given import fits_or_refused, has_symbols, zeros_for
from sonnx_verify.conformance.symbolic.trace import refuse

_ELEMENTS = "?bBhHiIlLqQefd"


def _maker(name: str, fill: Any) -> Callable[..., Any]:
    original = getattr(np, name)

    def make(shape: Any, dtype: Any = float, order: str = "C", **more: Any) -> Any:
        wanted = np.dtype(float if dtype is None else dtype)
        if wanted.char not in _ELEMENTS and wanted.name != "bfloat16":
            return original(shape, dtype, order, **more)
        in_rows_only(order)
        return filled(shape, wanted, fill)

    return make


def _full(shape: Any, fill_value: Any, dtype: Any = None, order: str = "C", **more: Any) -> Any:
    in_rows_only(order)
    wanted = real.asarray(stand_in(fill_value)).dtype if dtype is None else np.dtype(dtype)
    return filled(shape, wanted, fill_value)


def _array(name: str, copies: bool) -> Callable[..., Any]:
    original = getattr(np, name)

    def make(a: Any, dtype: Any = None, *args: Any, **more: Any) -> Any:
        if has_symbols(a) and (args or set(more) - {"copy", "order"}):
            refuse(f"numpy.{name} with {', '.join(sorted(more)) or 'other arguments'}")
        copy = more.get("copy", True if copies else None)
        if has_symbols(a):
            in_rows_only(more.get("order"))
            if copy is False and (type(a) is not SymbolicArray or a._scalar or dtype not in (None, a.dtype)):
                raise ValueError("Unable to avoid copy while creating an array as requested.")
        if type(a) is SymbolicArray and name in ("ascontiguousarray", "asfortranarray"):
            # Whether these copy is numpy's own answer, where the layout is known.
            a._known_layout()
            held = a if dtype is None or np.dtype(dtype) == a.dtype else a.astype(dtype)
            return held._moved(original(held._places))
        if type(a) is SymbolicArray:
            if more.get("order") == "C" and (a._open or not a._places.flags.c_contiguous):
                refuse(f"numpy.{name} in another order")
            wanted = a.dtype if dtype is None else np.dtype(dtype)
            made = a if wanted == a.dtype and not a._scalar else a.astype(wanted)
            made = made.copy("K") if made is a and copy else made
            made._scalar = False
            return made
        if has_symbols(a):
            if not all(type(p) is SymbolicArray for p in _flat(a)):
                refuse(f"numpy.{name} of elements and numbers")
            parts = [stand_in(p) for p in _flat(a)]
            wanted = np.result_type(*parts) if dtype is None else np.dtype(dtype)
            real.array(zeros_for(a), wanted)
            fits_or_refused(a, wanted)
            return array_of(terms_of(a, wanted), wanted)
        return original(a, dtype, *args, **more)

    return make


def _flat(value: Any) -> list[Any]:
    return [p for v in value for p in _flat(v)] if isinstance(value, list | tuple) else [value]


def _like(name: str, fill: Any) -> Callable[..., Any]:
    make, original = like(fill), getattr(np, name)

    def made(a: Any, dtype: Any = None, *args: Any, **more: Any) -> Any:
        wanted = np.dtype(stand_in(a).dtype if dtype is None and hasattr(a, "dtype") else dtype)
        if wanted.char not in _ELEMENTS and wanted.name != "bfloat16":
            return original(a, dtype, *args, **more)
        return make(a if hasattr(a, "dtype") else real.asarray(a), dtype, *args, **more)

    return made


def _full_like(a: Any, fill_value: Any, dtype: Any = None, *args: Any, **more: Any) -> Any:
    return like(fill_value)(a if hasattr(a, "dtype") else real.asarray(a), dtype, *args, **more)


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


REFUSED = ("nditer", "vectorize", "frompyfunc", "fromiter", "broadcast")
"""What has no meaning, and would not ask symbolic arrays for one."""


def _replacements() -> dict[str, Callable[..., Any]]:
    made: dict[str, Callable[..., Any]] = {
        "empty": _maker("empty", None),
        "zeros": _maker("zeros", 0),
        "ones": _maker("ones", 1),
        "full": _full,
        "array": _array("array", True),
        "empty_like": _like("empty_like", None),
        "zeros_like": _like("zeros_like", 0),
        "ones_like": _like("ones_like", 1),
        "full_like": _full_like,
        "ndenumerate": _ndenumerate,
    }
    made |= {name: _array(name, False) for name in ("asarray", "asanyarray", "ascontiguousarray", "asfortranarray")}
    made |= {name: _refused(name) for name in REFUSED}
    return made


@contextmanager
def numpy_replaced(module: ModuleType | None) -> Iterator[None]:
    """While the block runs, numpy's makers make symbolic arrays, also where a module took them by name."""
    makers = _replacements()
    originals = {name: getattr(np, name) for name in makers}
    taken = {
        key: name
        for key, value in vars(module or ModuleType("none")).items()
        for name, original in originals.items()
        if value is original
    }
    try:
        for name, maker in makers.items():
            setattr(np, name, maker)
        for key, name in taken.items():
            setattr(module, key, makers[name])
        yield
    finally:
        for name, original in originals.items():
            setattr(np, name, original)
        for key, name in taken.items():
            setattr(module, key, originals[name])
