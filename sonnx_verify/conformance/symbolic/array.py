"""Symbolic arrays: they pass as numpy arrays, and what is done with them is recorded as terms.

A symbolic array has the dtype, the shape and the memory layout of a real one; its memory holds terms. Which cell of the
memory stands at which index is kept as an array of places, on which numpy itself does whatever only moves elements:
so what is a view of what is numpy's own answer. What a call gives in shape, type and error is asked of numpy itself, on
zeros. What elements of elementwise functions are says the table.

Arrays, and numpy's functions on them, are one module: numpy asks the class of an array for the functions, and these
make arrays. Trusted for what `conform` calls proved; `tests/implementations` holds every function against numpy.
"""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from sonnx_verify.conformance.symbolic import real
from sonnx_verify.conformance.symbolic.cells import Objects, cast, constant, each, input_cell, scalars_of, sort_of
from sonnx_verify.conformance.symbolic.flat import Flat
from sonnx_verify.conformance.symbolic.folds import fold
from sonnx_verify.conformance.symbolic.given import fits_or_refused, has_symbols, zeros_for
from sonnx_verify.conformance.symbolic.memory import Memory, Placed, is_in_rows
from sonnx_verify.conformance.symbolic.table import ROWS, Reduction, Row, is_nan, less, truth
from sonnx_verify.conformance.symbolic.trace import is_running, own_errors_refused, refuse, trace
from sonnx_verify.logic.sorts import ELEMENT_TYPES
from sonnx_verify.logic.terms import FALSE, TRUE, Term, and_, is_literal, ite, literal, not_, or_

_NOTHING: Any = np._NoValue


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
        with own_errors_refused(f"numpy.{ufunc.__name__}"):
            return apply_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        with own_errors_refused(f"numpy.{func.__name__}"):
            return apply_function(func, args, kwargs)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        made = self.known()
        if made is None:
            refuse("elements taken out of an array by numpy itself")
        return made if dtype is None else made.astype(dtype)

    # ---------------------------------------------------------------------------------------------------------- scalars

    def _only(self, convert: Callable[[Any], Any]) -> Term:
        # What is no number and no truth value is numpy's own answer.
        convert(real.zeros(self.shape, self._dtype))
        term = self.terms().reshape(-1)[0]
        assert isinstance(term, Term)
        return term

    def _number(self, convert: Callable[[Any], Any], what: str) -> Any:
        if not is_literal(self._only(convert)):
            refuse(f"`{what}` of an element")
        return self.known()

    def __bool__(self) -> bool:
        return trace().decide(truth(self._only(bool)))

    def __int__(self) -> int:
        return int(self._number(int, "int").reshape(-1)[0])

    def __float__(self) -> float:
        return float(self._number(float, "float").reshape(-1)[0])

    def __index__(self) -> int:
        return int(self._number(operator.index, "an index").reshape(()).__index__())

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


# ----------------------------------------------------------------------------------------------------------- new arrays


def in_rows_only(order: Any) -> None:
    """New arrays are laid out in rows: what is asked for otherwise is refused."""
    if order not in (None, "C", "K"):
        refuse(f"an array in the order {order}")


def like(fill: Any) -> Callable[..., Any]:
    """`zeros_like` and its kind."""

    def made(a: Any, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None, **more: Any) -> Any:
        in_rows_only(order)
        wanted = stand_in(a).shape if shape is None else shape
        new = filled(wanted, stand_in(a).dtype if dtype is None else dtype, fill)
        return new.laid_out_as(a)

    return made


def filled(shape: Any, dtype: Any, value: Any) -> SymbolicArray:
    """A new array of one value; of what nothing is known of where the value is None."""
    example = real.empty(shape, dtype)
    if example.size > 1 << 16:
        refuse(f"an array of {example.size} elements")
    sort = sort_of(example.dtype)
    terms: Objects = real.empty(example.shape, object)
    flat = terms.reshape(-1)
    if value is None:
        for n in range(flat.size):
            flat[n] = input_cell(trace().open("left in memory", sort).name, sort)
    elif flat.size:
        flat[...] = np.broadcast_to(terms_of(value, example.dtype), example.shape).reshape(-1)
    return array_of(flat.reshape(example.shape), example.dtype)


# ---------------------------------------------------------------------------- elementwise functions, and their `reduce`


def apply_ufunc(ufunc: Any, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What `__array_ufunc__` is asked for."""
    if set(np.geterr().values()) != {"ignore"} or _warnings_are_errors():
        refuse("floating point errors that are not ignored")
    name = ufunc.__name__
    row = ROWS.get(name)
    if row is None or getattr(np, name, None) is not ufunc:
        refuse(f"numpy.{name}")
    if method == "__call__":
        return _called(ufunc, row, inputs, **kwargs)
    if method == "reduce":
        return _reduced(ufunc, *inputs, **kwargs)
    if method == "outer":
        first, second = (_spread(i) for i in inputs)
        return _called(ufunc, row, (first.reshape(first.shape + (1,) * second.ndim), second), **kwargs)
    if method != "accumulate":
        refuse(f"numpy.{name}.{method}")
    return _accumulated(ufunc, row, *inputs, **kwargs)


def _warnings_are_errors() -> bool:
    return any(f[0] == "error" and issubclass(RuntimeWarning, f[2]) for f in warnings.filters)


def _spread(value: Any) -> Any:
    return value if type(value) is SymbolicArray else real.asarray(value)


def stand_in(value: Any) -> Any:
    """Zeros in place of a symbolic array; a number or a real array as it is."""
    return real.zeros(value.shape, value.dtype) if type(value) is SymbolicArray else value


def _called(ufunc: Any, row: Row, inputs: tuple[Any, ...], **kwargs: Any) -> Any:
    out = kwargs.pop("out", None)
    where = kwargs.pop("where", True)
    dtype, casting = kwargs.pop("dtype", None), kwargs.pop("casting", "same_kind")
    if set(kwargs) - {"order", "subok"} or len(inputs) != ufunc.nin:
        refuse(f"numpy.{ufunc.__name__} with {', '.join(sorted(kwargs)) or 'other arguments'}")
    target = out[0] if isinstance(out, tuple) else out
    if target is not None and type(target) is not SymbolicArray:
        refuse("a result written into an array made outside of the run")
    shown = [stand_in(i) for i in inputs]
    with np.errstate(all="ignore"):
        example = ufunc(*shown, dtype=dtype, casting=casting)
        if target is not None:
            masked = {} if where is True else {"where": stand_in(where)}
            ufunc(*shown, out=real.zeros(target.shape, target.dtype), dtype=dtype, casting=casting, **masked)
    computed = _computed_in(ufunc, shown, example, dtype, casting)
    operands = [terms_of(i, t) for i, t in zip(inputs, computed, strict=True)]
    made = each(row.meaning, *operands)
    result = real.asarray(example).dtype
    if made.size and made.reshape(-1)[0].sort is not sort_of(result):
        made = each(lambda t: cast(t, sort_of(result)), made)
    mask = None if where is True else each(truth, terms_of(where, np.dtype(bool)))
    if target is None:
        if mask is not None:
            refuse(f"numpy.{ufunc.__name__} with where and without out")
        return array_of(made, result, isinstance(example, np.generic)).laid_out_as(*inputs)
    target.write(terms_of(array_of(made, result), target.dtype), mask)
    return target


def _computed_in(ufunc: Any, shown: list[Any], example: Any, dtype: Any, casting: str) -> list[np.dtype[Any]]:
    """The types in which numpy computes, one for each operand."""
    asked = [type(s) if type(s) in (int, float, bool) else real.asarray(s).dtype for s in shown]
    asked = [np.dtype(bool) if a is bool else a for a in asked]
    asked_for = {} if dtype is None else {"signature": (*[None] * ufunc.nin, np.dtype(dtype))}
    try:
        found = ufunc.resolve_dtypes((*asked, None), casting=casting, **asked_for)
    except (TypeError, OverflowError) as problem:
        refuse(f"numpy.{ufunc.__name__} of {', '.join(str(a) for a in asked)}: {problem}")
    made = [np.dtype(d) for d in found[: ufunc.nin]]
    for place, value in enumerate(shown):
        if type(value) is int and made[place].kind in "iu" and not holds(value, made[place]):
            refuse(f"numpy.{ufunc.__name__} of {made[place]} and {value}")
    return made


def _type_of(value: Any) -> np.dtype[Any]:
    return real.asarray(stand_in(value)).dtype


def holds(value: int, dtype: np.dtype[Any]) -> bool:
    bounds = np.iinfo(dtype)
    return bool(bounds.min <= value <= bounds.max)


def _reduced(
    ufunc: Any,
    array: Any,
    axis: Any = 0,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Any = _NOTHING,
    where: Any = True,
) -> Any:
    target = out[0] if isinstance(out, tuple) else out
    if type(target) is not SymbolicArray and target is not None:
        refuse("a result written into an array made outside of the run")
    source = _spread(array)
    asked = {
        "axis": axis,
        "dtype": dtype,
        "keepdims": keepdims,
        **({} if initial is _NOTHING else {"initial": stand_in(initial)}),
        **({} if where is True else {"where": real.ones(np.shape(stand_in(where)), _type_of(where))}),
    }
    example = ufunc.reduce(stand_in(source), **asked)
    if target is not None:
        ufunc.reduce(stand_in(source), out=real.zeros(target.shape, target.dtype), **asked)
    result = real.asarray(example).dtype
    logical = ufunc.__name__.startswith("logical_")
    inner = source.dtype if logical or dtype is None and ufunc.__name__ not in ("add", "multiply") else result
    terms = terms_of(source, inner)
    if logical:
        terms = each(truth, terms)
    sort = sort_of(np.dtype(bool) if logical else inner)
    masks = None if where is True else np.broadcast_to(each(truth, terms_of(where, np.dtype(bool))), terms.shape)
    if masks is not None and initial is _NOTHING and ROWS[ufunc.__name__].reduces is Reduction.CHOSEN:
        refuse(f"numpy.{ufunc.__name__}.reduce with where and without initial")
    start: list[Term] = []
    if initial is not _NOTHING and initial is not None:
        fits_or_refused(initial, inner)
        start = list(terms_of(initial, np.dtype(bool) if logical else inner).reshape(-1))
    made = _fibres(ufunc.__name__, terms, axis, keepdims, sort, start, masks)
    assert made.shape == np.shape(example), "a fold has the shape that numpy gives it"
    if target is None:
        cells = each(lambda t: cast(t, sort_of(result)), made)
        return array_of(cells, result, isinstance(example, np.generic)).laid_out_as(source)
    if target.dtype != result:
        refuse(f"numpy.{ufunc.__name__}.reduce of {source.dtype} into {target.dtype}")
    target.write(terms_of(array_of(each(lambda t: cast(t, sort_of(result)), made), result), target.dtype))
    return target


def _fibres(
    name: str, terms: Objects, axis: Any, keepdims: bool, sort: Any, start: list[Term], masks: Objects | None
) -> Objects:
    """Each fibre folded, in the order of the axes."""
    rank = terms.ndim
    axes: Any = axis if isinstance(axis, tuple) else (axis,)
    if axis is None:
        axes = range(rank)
    folded = sorted(int(a) % rank for a in axes) if rank else []
    kept = [k for k in range(rank) if k not in folded]
    shape = tuple(terms.shape[k] for k in kept)
    length = int(np.prod([terms.shape[k] for k in folded], dtype=int))
    rows = terms.transpose([*kept, *folded]).reshape(*shape, length)
    chosen = None if masks is None else masks.transpose([*kept, *folded]).reshape(*shape, length)
    made: Objects = real.empty(shape, object)
    for place in np.ndindex(*shape):
        cells = list(rows[place])
        if chosen is not None:
            cells = _masked(name, cells, list(chosen[place]), sort, start)
        made[place] = fold(name, [*start, *cells], sort)
    if keepdims:
        made = made.reshape([1 if k in folded else terms.shape[k] for k in range(rank)])
    return made


def _masked(name: str, cells: list[Term], masks: list[Term], sort: Any, start: list[Term]) -> list[Term]:
    """The cells that are folded; of those of which it is not known, the value or what changes nothing."""
    kept = []
    for cell, mask in zip(cells, masks, strict=True):
        if mask is FALSE:
            continue
        if mask is TRUE:
            kept.append(cell)
        elif start and ROWS[name].reduces is Reduction.CHOSEN:
            kept.append(ite(mask, cell, start[0]))
        elif sort.name == "bool" or hasattr(sort, "signed"):
            kept.append(ite(mask, cell, fold(name, [], sort)))
        else:
            refuse(f"numpy.{name}.reduce of floats with where")
    return kept


def _accumulated(ufunc: Any, row: Row, array: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
    if out is not None:
        refuse(f"numpy.{ufunc.__name__}.accumulate with out")
    source = _spread(array)
    example = ufunc.accumulate(stand_in(source), axis=axis, dtype=dtype)
    terms = np.moveaxis(terms_of(source, example.dtype), axis, 0)
    made: Objects = real.empty(terms.shape, object)
    for n in range(len(terms)):
        made[n, ...] = terms[0] if n == 0 else each(row.meaning, made[n - 1], terms[n])
    return array_of(np.moveaxis(made, 0, axis), example.dtype).laid_out_as(source)


# ------------------------------------------------------------------------- functions that move elements, and other ones


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
    made = a
    if low is None and high is None:
        made = np.positive(a)
    if low is not None:
        made = np.maximum(made, low)
    if high is not None:
        made = np.minimum(made, high)
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


# ------------------------------------------------------------- operators and methods that are functions by another name


_BINARY = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.true_divide, "floordiv": np.floor_divide,
    "mod": np.remainder, "pow": np.power, "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor,
    "lshift": np.left_shift, "rshift": np.right_shift, "matmul": np.matmul,
}  # fmt: skip  # a table
_COMPARED = {
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
}  # fmt: skip  # a table
_UNARY = {"neg": np.negative, "pos": np.positive, "abs": np.absolute, "invert": np.invert}
_METHODS = (
    "all", "any", "argmax", "argmin", "argsort", "clip", "cumsum", "cumprod", "max", "mean", "min", "nonzero",
    "prod", "ptp", "put", "repeat", "searchsorted", "sort", "std", "sum", "swapaxes", "take", "var", "compress",
    "choose", "diagonal", "trace", "round", "squeeze",
)  # fmt: skip  # a table


def _binary_method(function: Any) -> Callable[[Any, Any], Any]:
    return lambda self, other: function(self, other)


def _reflected(function: Any) -> Callable[[Any, Any], Any]:
    return lambda self, other: function(other, self)


def _equality(function: Any) -> Callable[[Any, Any], Any]:
    def compare(self: SymbolicArray, other: Any) -> Any:
        try:
            return function(self, other)
        except TypeError:
            # Of what cannot be compared numpy says that it is not equal.
            refuse("elements compared with what is no number")

    return compare


def _in_place(function: Any) -> Callable[[Any, Any], Any]:
    # A scalar is not written to: the name means another one then.
    return lambda self, other: function(self, other) if self._scalar else function(self, other, out=(self,))


def _unary_method(function: Any) -> Callable[[Any], Any]:
    return lambda self: function(self)


def _method(name: str) -> Callable[..., Any]:
    function = getattr(np, name)
    return lambda self, *args, **kwargs: function(self, *args, **kwargs)


def _reshape_method(self: SymbolicArray, *shape: Any, order: str = "C", copy: Any = None) -> Any:
    if not shape:
        refuse("ndarray.reshape without a shape")
    wanted = shape[0] if len(shape) == 1 else shape
    more = {} if copy is None else {"copy": copy}
    return np.reshape(self, wanted, order=order, **more)  # type: ignore[call-overload,unused-ignore]  # it passes as an array


def _transpose_method(self: SymbolicArray, *axes: Any) -> Any:
    wanted: Any = axes or None
    if len(axes) == 1:
        (wanted,) = axes
    return np.transpose(self, wanted)  # type: ignore[call-overload,unused-ignore]  # it passes as an array


def _refused_method(name: str) -> Callable[..., Any]:
    def call(self: SymbolicArray, *args: Any) -> Any:
        if name == "__hash__" and not self._scalar:
            raise TypeError("unhashable type: 'numpy.ndarray'")
        refuse(f"ndarray.{name}")

    return call


def _missing(self: SymbolicArray, name: str) -> Any:
    """What an array has and this has not is refused: code that asks whether it is there must not get a wrong answer."""
    if not hasattr(np.ndarray, name) and not hasattr(self._dtype.type, name):
        raise AttributeError(f"'numpy.ndarray' object has no attribute '{name}'")
    refuse(f"ndarray.{name}")


for _name, _function in _BINARY.items():
    setattr(SymbolicArray, f"__{_name}__", _binary_method(_function))
    setattr(SymbolicArray, f"__r{_name}__", _reflected(_function))
    setattr(SymbolicArray, f"__i{_name}__", _in_place(_function))
for _name, _function in _COMPARED.items():
    setattr(SymbolicArray, f"__{_name}__", _binary_method(_function))
for _name in ("eq", "ne"):
    setattr(SymbolicArray, f"__{_name}__", _equality(_COMPARED[_name]))
for _name, _function in _UNARY.items():
    setattr(SymbolicArray, f"__{_name}__", _unary_method(_function))
for _name in _METHODS:
    if hasattr(np.ndarray, _name):
        setattr(SymbolicArray, _name, _method(_name))
_REFUSED = (
    "divmod", "rdivmod", "hash", "round", "format", "complex", "trunc", "floor", "ceil", "bytes", "buffer",
    "reduce_ex", "reduce",
)  # fmt: skip  # a table
_OWN: dict[str, Callable[..., Any]] = {
    "reshape": _reshape_method,
    "transpose": _transpose_method,
    "ravel": lambda self, order="C": np.ravel(self, order),
    "flatten": lambda self, order="C": np.ravel(self, order).copy(),
    "__getattr__": _missing,
}
for _name, _own in _OWN.items():
    setattr(SymbolicArray, _name, _own)
for _name in _REFUSED:
    setattr(SymbolicArray, f"__{_name}__", _refused_method(f"__{_name}__"))
