"""numpy's functions on arrays: what moves elements, what is an elementwise function by another name.

What only moves elements is done by numpy itself, on the places of the elements.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sonnx_verify.conform.symbolic import real
from sonnx_verify.conform.symbolic.array import SymbolicArray, array_of, known_index, terms_of
from sonnx_verify.conform.symbolic.cells import Objects, each
from sonnx_verify.conform.symbolic.given import has_symbols
from sonnx_verify.conform.symbolic.makers import like
from sonnx_verify.conform.symbolic.table import is_nan, less, truth
from sonnx_verify.conform.symbolic.trace import refuse, trace
from sonnx_verify.conform.symbolic.ufuncs import holds, stand_in
from sonnx_verify.logic.sorts import ELEMENT_TYPES
from sonnx_verify.logic.terms import Term, and_, ite, literal, not_, or_

_NOTHING: Any = np._NoValue
MOVES = (
    "reshape", "ravel", "transpose", "permute_dims", "matrix_transpose", "swapaxes", "moveaxis", "rollaxis",
    "squeeze", "expand_dims", "flip", "fliplr", "flipud", "rot90", "roll", "repeat", "tile", "broadcast_to",
    "diagonal", "atleast_1d", "atleast_2d", "atleast_3d", "split", "array_split", "hsplit", "vsplit", "dsplit",
    "delete",
)  # fmt: skip  # a table
"""One array in, views or copies of its elements out."""
ASKS = (
    "shape", "ndim", "size", "iscomplexobj", "isrealobj", "can_cast", "result_type",
    "common_type",
)  # fmt: skip  # a table
"""What is said of shape and type alone: asked of zeros."""
_REDUCTIONS = {
    "max": np.maximum, "amax": np.maximum, "min": np.minimum, "amin": np.minimum, "sum": np.add, "prod": np.multiply,
    "all": np.logical_and, "any": np.logical_or, "nanmax": np.fmax, "nanmin": np.fmin,
}  # fmt: skip  # a table


def apply_function(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What `__array_function__` is asked for."""
    name = func.__name__
    trace().step()
    if name in _REDUCTIONS and getattr(np, name, None) is func:
        return _reduction(name, *args, **kwargs)
    if name in _FUNCTIONS:
        return _FUNCTIONS[name](*args, **kwargs)
    if name in ASKS:
        return func(*(stand_in(a) for a in args), **kwargs)
    if name not in MOVES:
        refuse(f"numpy.{name}")
    return _moved(func, *args, **kwargs)


def _moved(func: Any, array: Any, *args: Any, **kwargs: Any) -> Any:
    if type(array) is not SymbolicArray or has_symbols(*args, *kwargs.values()):
        refuse(f"numpy.{func.__name__} with places that depend on elements")
    if array._scalar:
        # numpy says of a scalar whether what is made of it is one.
        made = func(array._places[()], *args, **kwargs)
        if isinstance(made, list | tuple):
            refuse(f"numpy.{func.__name__} of a scalar")
        one = array._moved(made)
        one._scalar = isinstance(made, np.generic)
        return one
    if func.__name__ in ("reshape", "ravel") and array._open:
        if kwargs.get("copy") is not None:
            refuse(f"numpy.{func.__name__} with copy of an array in a layout that is not followed")
        if {"A", "K"} & {*(a for a in args if isinstance(a, str)), kwargs.get("order")}:
            refuse(f"numpy.{func.__name__} in the order of a layout that is not followed")
        return array.apart(func(array._places, *args, **kwargs))
    made = func(array._places, *args, **kwargs)
    if isinstance(made, list | tuple):
        return [array._moved(m) for m in made]
    one = array._moved(made)
    if one is not array:
        one._scalar = isinstance(made, np.generic)
    return one


def _reduction(name: str, a: Any, axis: Any = None, dtype: Any = None, out: Any = None, **kwargs: Any) -> Any:
    if name not in ("sum", "prod") and dtype is not None:
        # Of these the third argument is `out`.
        out, dtype = dtype, None
    kept = {k: v for k, v in kwargs.items() if v is not _NOTHING}
    if isinstance(axis, list):
        raise TypeError("'list' object cannot be interpreted as an integer")
    if name in ("nanmax", "nanmin") and not real.zeros(a.shape).size:
        getattr(np, name)(stand_in(a), axis=axis)
    made = _REDUCTIONS[name].reduce(a, axis=axis, **({} if dtype is None else {"dtype": dtype}), out=out, **kept)
    if name in ("all", "any") and out is None and made.dtype != np.dtype(bool):
        refuse(f"numpy.{name} of {made.dtype}")
    return made


# ------------------------------------------------------------------------------------------------------------ functions


def held_or_refused(name: str, dtype: np.dtype[Any], *values: Any) -> None:
    """Numbers of Python that integers of the dtype have not: each function treats them in a way of its own."""
    for value in values:
        if type(value) is int and dtype.kind in "iu" and not holds(value, dtype):
            refuse(f"numpy.{name} of {dtype} and {value}")


def _where(condition: Any, x: Any = _NOTHING, y: Any = _NOTHING) -> Any:
    if x is _NOTHING or y is _NOTHING:
        refuse("numpy.where of a condition alone")
    example = np.where(stand_in(condition), stand_in(x), stand_in(y))
    held_or_refused("where", example.dtype, x, y)
    masks = each(truth, terms_of(condition, _dtype_of(condition)))
    made = each(ite, masks, terms_of(x, example.dtype), terms_of(y, example.dtype))
    return array_of(made, example.dtype).laid_out_as(condition, x, y)


def _dtype_of(value: Any) -> np.dtype[Any]:
    return value.dtype if type(value) is SymbolicArray else real.asarray(value).dtype


def _copyto(dst: Any, src: Any, casting: Any = "same_kind", where: Any = True) -> None:
    if type(dst) is not SymbolicArray:
        refuse("a result written into an array made outside of the run")
    np.copyto(
        real.zeros(dst.shape, dst.dtype),
        stand_in(src),
        casting=casting,
        **({} if where is True else {"where": stand_in(where)}),
    )
    mask = None if where is True else each(truth, terms_of(where, np.dtype(bool)))
    dst.write(terms_of(src, dst.dtype), mask)


def _putmask(a: Any, mask: Any, values: Any) -> None:
    if np.size(stand_in(values)) != 1 and np.shape(stand_in(values)) != a.shape:
        refuse("numpy.putmask with values that are repeated")
    if np.shape(stand_in(mask)) != a.shape:
        refuse("numpy.putmask with a mask of another shape")
    _copyto(a, values, "unsafe", np.asarray(mask).astype(bool))


def _joined(func: Callable[..., Any]) -> Callable[..., Any]:
    """What puts several arrays together: done by numpy on arrays of terms."""

    def join(arrays: Any, *args: Any, **kwargs: Any) -> Any:
        if kwargs.pop("out", None) is not None or has_symbols(*args):
            refuse(f"numpy.{func.__name__} with out")
        example = func([stand_in(a) for a in arrays], *args, **kwargs)
        kwargs.pop("dtype", None)
        made = func([terms_of(a, example.dtype) for a in arrays], *args, **kwargs)
        return array_of(made, example.dtype).laid_out_as(*arrays)

    return join


def _broadcast_arrays(*arrays: Any, subok: bool = False) -> Any:
    if subok:
        refuse("numpy.broadcast_arrays with subok")
    made = np.broadcast_arrays(*(a._places if type(a) is SymbolicArray else a for a in arrays))
    return tuple(a._moved(m) if type(a) is SymbolicArray else m for a, m in zip(arrays, made, strict=True))


def _full_like(a: Any, fill_value: Any, dtype: Any = None, *layout: Any, shape: Any = None, **more: Any) -> Any:
    return like(fill_value)(a, dtype, *layout, shape=shape, **more)


def _clip(a: Any, a_min: Any = None, a_max: Any = None, out: Any = None, *, min: Any = None, max: Any = None) -> Any:
    if (a_min is not None or a_max is not None) and (min is not None or max is not None):
        refuse("numpy.clip with bounds under two names")
    low, high = (a_min if min is None else min), (a_max if max is None else max)
    held_or_refused("clip", stand_in(a).dtype, low, high)
    made = np.positive(a) if low is None and high is None else a if low is None else np.maximum(a, low)
    made = made if high is None else np.minimum(made, high)
    example = np.clip(stand_in(a), stand_in(low), stand_in(high))
    if (example.dtype, example.shape) != (made.dtype, made.shape):
        refuse(f"numpy.clip of {stand_in(a).dtype} to {example.dtype}")
    return made if out is None else np.positive(made, out=out)


def _nan_to_num(x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    if not copy:
        refuse("numpy.nan_to_num in place")
    if not np.issubdtype(x.dtype, np.inexact):
        made = x.copy()  # bfloat16 too, of which numpy does not know that it has NaNs
        made._scalar = not x.ndim
        return made
    info = np.finfo(x.dtype)
    made = np.where(np.isnan(x), real.asarray(nan, x.dtype), x)
    made = np.where(x == np.inf, real.asarray(info.max if posinf is None else posinf, x.dtype), made)
    result: Any = np.where(x == -np.inf, real.asarray(info.min if neginf is None else neginf, x.dtype), made)
    result._scalar = not x.ndim
    return result


def _take(a: Any, indices: Any, axis: Any = None, out: Any = None, mode: str = "raise") -> Any:
    if out is not None or mode != "raise" or type(a) is not SymbolicArray:
        refuse("numpy.take of this kind")
    found = np.take(a._places, known_index(indices), axis=axis)
    made = a._moved(found)
    made._scalar = isinstance(found, np.generic)
    return made


def _take_along_axis(arr: Any, indices: Any, axis: Any = -1) -> Any:
    if type(arr) is not SymbolicArray:
        refuse("numpy.take_along_axis with places that depend on elements")
    return arr._moved(np.take_along_axis(arr._places, known_index(indices), axis))


def _count_nonzero(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    if axis is None and not keepdims:
        refuse("numpy.count_nonzero over all axes, which is a number of Python")
    return np.sum(a.astype(bool), axis=axis, keepdims=keepdims, dtype=np.int64)


def _array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> Any:
    if np.shape(stand_in(a1)) != np.shape(stand_in(a2)):
        return False
    made = np.equal(a1, a2)
    if equal_nan:
        made = np.logical_or(made, np.logical_and(np.isnan(a1), np.isnan(a2)))
    return bool(np.all(made))


def _nansum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Any:
    zeroed = a if a.dtype.kind in "iub" else np.where(np.isnan(a), real.zeros((), a.dtype), a)
    return np.sum(zeroed, axis=axis, dtype=dtype, out=out, keepdims=keepdims)


def _select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    example = np.select([stand_in(c) for c in condlist], [stand_in(c) for c in choicelist], stand_in(default))
    held_or_refused("select", example.dtype, default, *choicelist)
    made: Any = array_of(terms_of(default, example.dtype), example.dtype)
    for condition, choice in reversed(list(zip(condlist, choicelist, strict=True))):
        made = np.where(condition, array_of(terms_of(choice, example.dtype), example.dtype), made)
    if (example.dtype, example.shape) != (made.dtype, made.shape):
        refuse(f"numpy.select to {example.dtype}")
    return made


def _arg_extreme(upward: bool) -> Callable[..., Any]:
    """The first place of the greatest or least; of floats, of the first NaN where there is one."""

    def found(a: Any, axis: Any = None, out: Any = None, *, keepdims: bool = False) -> Any:
        name = "argmax" if upward else "argmin"
        example = getattr(np, name)(stand_in(a), axis=axis, keepdims=bool(keepdims))
        if out is not None:
            refuse(f"numpy.{name} with out")
        terms = a.terms().reshape(-1) if axis is None else np.moveaxis(a.terms(), axis, -1)
        made: Objects = real.empty(terms.shape[:-1], object)
        for place in np.ndindex(*made.shape):
            made[place] = _first_extreme(list(terms[place]), upward)
        return array_of(made.reshape(np.shape(example)), np.dtype(np.int64), isinstance(example, np.generic))

    return found


def _first_extreme(cells: list[Term], upward: bool) -> Term:
    places = [literal(n, ELEMENT_TYPES["int64"]) for n in range(len(cells))]
    best, where = cells[0], places[0]
    for cell, place in zip(cells[1:], places[1:], strict=True):
        beyond = less(best, cell) if upward else less(cell, best)
        better = and_(not_(is_nan(best)), or_(is_nan(cell), beyond))
        best, where = ite(better, cell, best), ite(better, place, where)
    return where


def _isclose(*args: Any, **kwargs: Any) -> Any:
    refuse("numpy.isclose: equal up to something is not equal")


def _copy(a: Any, order: str = "K", subok: bool = False) -> Any:
    made = a.copy(order)
    made._scalar = False
    return made


def _astype(x: Any, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Any:
    return x.astype(dtype, copy=copy)


def _is_special(what: int) -> Callable[..., Any]:
    def test(x: Any, out: Any = None) -> Any:
        made = np.logical_and(np.isinf(x), np.less(x, 0) if what < 0 else np.greater(x, 0))
        return made if out is None else np.positive(made, out=out)

    return test


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "where": _where, "copyto": _copyto, "putmask": _putmask, "clip": _clip, "nan_to_num": _nan_to_num,
    "concatenate": _joined(np.concatenate), "stack": _joined(np.stack), "vstack": _joined(np.vstack),
    "hstack": _joined(np.hstack), "dstack": _joined(np.dstack), "column_stack": _joined(np.column_stack),
    "broadcast_arrays": _broadcast_arrays, "zeros_like": like(0), "ones_like": like(1), "empty_like": like(None),
    "full_like": _full_like, "take": _take, "take_along_axis": _take_along_axis, "count_nonzero": _count_nonzero,
    "array_equal": _array_equal, "nansum": _nansum, "select": _select, "argmax": _arg_extreme(True),
    "argmin": _arg_extreme(False), "copy": _copy, "astype": _astype, "isclose": _isclose, "allclose": _isclose,
    "isposinf": _is_special(1), "isneginf": _is_special(-1),
}  # fmt: skip  # a table
