"""Symbolic arrays: they pass as numpy arrays, and what is done with them is recorded as terms.

A symbolic array has the dtype, the shape and the memory layout of a real one; its memory holds terms. Which cell of the
memory stands at which index is kept as an array of places, on which numpy itself does whatever only moves elements:
so what is a view of what is numpy's own answer. What a call gives in shape, type and error is asked of numpy itself, on
zeros. What elements of elementwise functions are says the table.

Arrays, and numpy's functions on them, are one module: numpy asks the class of an array for the functions, and these
make arrays. Trusted for what `conform` calls proved; `tests/implementations` holds every function against numpy.
"""

from __future__ import annotations

# numpy calls these functions in place of its own: names, order and kinds of their arguments are numpy's, and its
# booleans may be given by position (`np.sum(x, 0, None, None, True)`).
# ruff: noqa: FBT001, FBT002
import operator
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from sonnx_verify.conformance.symbolic import compositions, indexing, ordering, padding, products, real
from sonnx_verify.conformance.symbolic.arguments import (
    converted,
    fits_or_refused,
    has_symbols,
    held_or_refused,
    holds,
    known_index,
    stand_in,
    terms_of,
    type_of,
    zeros_for,
)
from sonnx_verify.conformance.symbolic.callbacks import apply_along_axis
from sonnx_verify.conformance.symbolic.cells import Objects, each, input_cell, sort_of
from sonnx_verify.conformance.symbolic.folds import fold
from sonnx_verify.conformance.symbolic.memory import Memory, Placed, copied_as, held, is_in_rows, moved
from sonnx_verify.conformance.symbolic.numbers import Number
from sonnx_verify.conformance.symbolic.table import ROWS, Reduction, Row, truth
from sonnx_verify.conformance.symbolic.trace import errors_noted, is_running, own_errors_refused, refuse, trace
from sonnx_verify.conformance.symbolic.views import Flat
from sonnx_verify.logic.sorts import FloatSort, Sort
from sonnx_verify.logic.terms import FALSE, TRUE, Term, is_literal, ite

_NOTHING: Any = np._NoValue  # noqa: SLF001  # numpy's own sign of an argument that is not given: it has no other name
_BOOL = np.dtype(bool)
_OUTSIDE = "a result written into an array made outside of the run"


class SymbolicArray(Placed):
    """An array of terms, or a scalar of numpy, which is an array of rank 0 that nothing can be written to."""

    __slots__ = ("__weakref__",)
    __array_priority__ = 1000.0
    __hash__ = None  # type: ignore[assignment]  # as an array has it

    def __setattr__(self, name: str, value: Any) -> None:
        # What is set on an array changes what numpy does with it, as a dtype does.
        if not hasattr(SymbolicArray, name) and hasattr(np.ndarray, name) or name in ("T", "flat"):
            refuse(f"assignment to ndarray.{name}")
        object.__setattr__(self, name, value)

    # -------------------------------------------------------------------------------------------------- its properties

    @property
    def __class__(self) -> type:
        # Code that asks for an array, or a scalar, gets one.
        return self._dtype.type if self._held.scalar else np.ndarray

    @__class__.setter
    def __class__(self, value: type) -> None:
        raise TypeError("the class of an array cannot be set")

    @property
    def flat(self) -> Any:
        # numpy writes through `flat` whatever the layout; here a reshaped array of another layout is a copy.
        if not is_in_rows(self):
            refuse("ndarray.flat of an array that is not in row-major order")
        return Flat(np.reshape(self, -1))

    def __len__(self) -> int:
        return len(self._held.places)

    def __repr__(self) -> str:
        if is_running():
            refuse("elements as text")
        return f"<symbolic {self._dtype} array of shape {self.shape}>"

    # ------------------------------------------------------------------------------------------------ numpy's protocols

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        # A number says itself whether it goes with arrays: it is asked next.
        if any(type(i) is Number for i in inputs):
            return NotImplemented
        with own_errors_refused(f"numpy.{ufunc.__name__}"):
            return apply_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        with own_errors_refused(f"numpy.{func.__name__}"):
            return apply_function(func, args, kwargs)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        made = self._known_or_refused("elements taken out of an array by numpy itself")
        return made.astype(dtype_or(dtype, made.dtype))

    # ---------------------------------------------------------------------------------------------------------- scalars

    def _known_or_refused(self, what: str) -> Any:
        """The real array of elements that are all known."""
        made = self.known()
        if made is None:
            refuse(what)
        return made

    def _only(self, convert: Callable[[Any], Any]) -> Term:
        """The element of an array that numpy takes for one number."""
        # Of what is no number and no truth value numpy raises its own error here.
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
        return self._known_or_refused("`item` of an element").item(*args)

    def tolist(self) -> Any:
        return self._known_or_refused("`tolist` of elements").tolist()

    # ---------------------------------------------------------------------------------------------------------- reading

    def __getitem__(self, key: Any) -> SymbolicArray:
        if indexing.open_key(key):
            return indexing.picked(self, key)
        return taken(self, self._held.places[known_index(key)])

    def __setitem__(self, key: Any, value: Any) -> None:
        if self._held.scalar:
            raise TypeError(f"'numpy.{self._dtype}' object does not support item assignment")
        fits_or_refused(value, self._dtype)
        mask = mask_of(key, self.shape)
        # Of shapes and types that do not fit, numpy says so itself.
        chosen: Any = real.ones(self.shape, bool)
        if mask is None:
            chosen = known_index(key)
        real.zeros(self.shape, self._dtype)[chosen] = zeros_for(value)
        if mask is not None:
            # `x[x > 0] = [1, 2]` puts the second where the condition holds for the second time.
            if np.size(terms_of(value, self._dtype)) != 1:
                refuse("elements assigned one after the other to where a mask holds")
            self.write(terms_of(value, self._dtype), mask)
            return
        places = self._held.places
        if not places.flags.writeable:
            raise ValueError("assignment destination is read-only")
        target = SymbolicArray(self._held.memory, real.asarray(places[chosen]), self._dtype)
        target.write(terms_of(value, self._dtype))

    def __iter__(self) -> Iterator[SymbolicArray]:
        if not self.ndim:
            raise TypeError("iteration over a 0-d array")
        return (self[n] for n in range(len(self)))

    def __contains__(self, value: Any) -> bool:
        return bool((self == value).any())

    def fill(self, value: Any) -> None:
        if self._held.scalar:
            refuse("filling a scalar")
        self[...] = value

    def copy(self, order: Any = "C") -> SymbolicArray:
        copied = self._held.places.copy(order)
        # In rows whatever it is made of; all other orders follow the layout, as far as that is known. The strides of an
        # axis of size 1 are not followed.
        if order == "C" or self._held.open or 1 in self.shape or not self.size:
            made = moved(self, copied)
            held(made).open = held(made).open and order != "C"
        else:
            made = copied_as(self, copied)
        held(made).scalar = self._held.scalar
        return made

    def __copy__(self) -> SymbolicArray:
        return self.copy("K")

    def __deepcopy__(self, memo: Any) -> SymbolicArray:
        return self.copy("K")

    def view(self, dtype: Any = None, type: Any = None) -> SymbolicArray:
        if type is not None:
            refuse("a view of a type of its own")
        wanted = self._dtype
        if dtype is not np.ndarray:
            wanted = dtype_or(dtype, self._dtype)
        # Cells hold whole elements: of another width several would be one.
        if wanted.itemsize != self._dtype.itemsize:
            refuse(f"a view of {self._dtype} as {wanted}")
        sort_of(wanted)
        own = self._held
        made = SymbolicArray(own.memory, own.places.view(), wanted, scalar=own.scalar)
        held(made).open = own.open
        return made

    def astype(
        self, dtype: Any, order: str = "K", casting: Any = "unsafe", subok: bool = True, copy: bool = True
    ) -> SymbolicArray:
        wanted = np.dtype(dtype)
        if order != "K" and not (order == "C" and is_in_rows(self)):
            refuse(f"ndarray.astype in the order {order}")
        if wanted == self._dtype and not copy:
            return self
        # Of a conversion that `casting` forbids numpy raises its own error.
        real.zeros(0, self._dtype).astype(wanted, casting=casting)
        return array_of(converted(self.terms(), wanted), wanted, scalar=self._held.scalar).laid_out_as(self)


def taken(array: SymbolicArray, places: Any) -> SymbolicArray:
    """The array of other places, as numpy gave them: a scalar where it gave a scalar."""
    made = moved(array, places)
    if made is not array:
        held(made).scalar = isinstance(places, np.generic)
    return made


def array_of(terms: Any, dtype: np.dtype[Any], *, scalar: bool = False) -> SymbolicArray:
    """A new array of these terms."""
    terms = real.asarray(terms, object)
    places = np.arange(terms.size).reshape(terms.shape)
    return SymbolicArray(Memory(terms.reshape(-1)), places, dtype, scalar=scalar)


def dtype_or(dtype: Any, default: Any) -> np.dtype[Any]:
    """The dtype that is asked for; the default where none is."""
    made: np.dtype[Any] = np.dtype(default if dtype is None else dtype)
    return made


def mask_of(key: Any, shape: tuple[int, ...]) -> Objects | None:
    """The conditions of a mask over a whole array, that depends on elements; None for any other index."""
    if type(key) is not SymbolicArray or key.dtype != _BOOL or key.known() is not None:
        return None
    if key.shape != shape:
        refuse("a mask over some axes that depends on elements")
    return key.terms()


# ----------------------------------------------------------------------------------------------------------- new arrays


def in_rows_only(order: Any) -> None:
    """Refuse another layout than rows, in which new arrays are laid out."""
    if order not in (None, "C", "K"):
        refuse(f"an array in the order {order}")


def like(fill: Any) -> Callable[..., Any]:
    """`zeros_like` and its kind."""

    def made(a: Any, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None, **more: Any) -> Any:
        in_rows_only(order)
        example = stand_in(a)
        if shape is None:
            shape = example.shape
        return filled(shape, dtype_or(dtype, example.dtype), fill).laid_out_as(a)

    return made


def filled(shape: Any, dtype: Any, value: Any) -> SymbolicArray:
    """A new array of one value; of elements that nothing is known of where the value is None."""
    example = real.empty(shape, dtype)
    if example.size > 1 << 16:
        refuse(f"an array of {example.size} elements")
    sort = sort_of(example.dtype)
    terms: Objects = real.empty(example.shape, object)
    flat = terms.reshape(-1)
    if value is None:
        # `numpy.empty`: whatever was in the memory, each time another value.
        for n in range(flat.size):
            flat[n] = input_cell(trace().open("left in memory", sort).name, sort)
    elif flat.size:
        flat[...] = np.broadcast_to(terms_of(value, example.dtype), example.shape).reshape(-1)
    return array_of(flat.reshape(example.shape), example.dtype)


# ---------------------------------------------------------------------------- elementwise functions, and their `reduce`


def apply_ufunc(ufunc: Any, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The answer to `__array_ufunc__`."""
    # An overflow that raises is another way through the code, and no term says when it happens.
    if set(np.geterr().values()) != {"ignore"} or _warnings_are_seen():
        refuse("floating point errors that are not ignored")
    name = ufunc.__name__
    if name in products.UFUNCS and method == "__call__" and getattr(np, name, None) is ufunc:
        return products.product_ufunc(ufunc, inputs, kwargs)
    row = ROWS.get(name)
    # A ufunc of the code's own may have the name of one of numpy's.
    if row is None or getattr(np, name, None) is not ufunc:
        refuse(f"numpy.{name}")
    match method:
        case "__call__":
            return _called(ufunc, row, inputs, **kwargs)
        case "reduce":
            return _reduced(ufunc, *inputs, **kwargs)
        case "outer":
            first, second = (_spread(i) for i in inputs)
            return _called(ufunc, row, (first.reshape(first.shape + (1,) * second.ndim), second), **kwargs)
        case "at":
            return indexing.at(ufunc, row, *inputs, **kwargs)
    if method != "accumulate":
        refuse(f"numpy.{name}.{method}")
    return _accumulated(ufunc, row, *inputs, **kwargs)


def _warnings_are_seen() -> bool:
    """Return whether a warning of numpy is an error, or is shown by a function of the code's own."""
    # In Python 3.14 the function is defined in another module.
    if getattr(warnings.showwarning, "__module__", "") not in ("warnings", "_py_warnings"):
        return True
    return any(f[0] == "error" and issubclass(RuntimeWarning, f[2]) for f in warnings.filters)


def _spread(value: Any) -> Any:
    if type(value) is SymbolicArray:
        return value
    return real.asarray(value)


def _target(out: Any) -> SymbolicArray | None:
    """The array that a result is written into; None where none is given."""
    target = out
    if isinstance(out, tuple):
        target = out[0]
    # One made before the run may be read by anything after it, and holds no terms.
    if target is not None and type(target) is not SymbolicArray:
        refuse(_OUTSIDE)
    return target


def _masks(where: Any) -> Objects | None:
    """The conditions of an argument `where`; None where it is not given."""
    if where is True:
        return None
    return each(truth, terms_of(where, _BOOL))


def _asked(**options: Any) -> dict[str, Any]:
    """The options that are given. numpy is asked with no others: to some functions None is another value."""
    return {name: value for name, value in options.items() if value is not None}


def _called(ufunc: Any, row: Row, inputs: tuple[Any, ...], **kwargs: Any) -> Any:
    out, where = kwargs.pop("out", None), kwargs.pop("where", True)
    dtype, casting = kwargs.pop("dtype", None), kwargs.pop("casting", "same_kind")
    if set(kwargs) - {"order", "subok"} or len(inputs) != ufunc.nin:
        refuse(f"numpy.{ufunc.__name__} with {', '.join(sorted(kwargs)) or 'other arguments'}")
    target = _target(out)
    shown = [stand_in(i) for i in inputs]
    with np.errstate(all="ignore"):
        example = ufunc(*shown, dtype=dtype, casting=casting)
        if target is not None:
            written = real.zeros(target.shape, target.dtype)
            ufunc(*shown, out=written, where=stand_in(where), dtype=dtype, casting=casting)
    computed = _computed_in(ufunc, shown, dtype, casting)
    operands = [terms_of(i, t) for i, t in zip(inputs, computed, strict=True)]
    result = type_of(example)
    # `true_divide` and comparisons give another type than that in which they compute.
    made = converted(each(row.meaning, *operands), result)
    masks = _masks(where)
    if target is not None:
        target.write(terms_of(array_of(made, result), target.dtype), masks)
        return target
    if masks is not None:
        refuse(f"numpy.{ufunc.__name__} with where and without out")
    return array_of(made, result, scalar=isinstance(example, np.generic)).laid_out_as(*inputs)


def _computed_in(ufunc: Any, shown: list[Any], dtype: Any, casting: str) -> list[np.dtype[Any]]:
    """The types in which numpy computes, one for each operand."""
    # A number of Python has no type of its own (NEP 50): `int8 + 1` is computed in int8, and `resolve_dtypes` takes
    # the classes int and float for that. A truth value of Python is an ordinary bool.
    asked = [type(s) if type(s) in (int, float) else type_of(s) for s in shown]
    signature = None
    if dtype is not None:
        signature = (*[None] * ufunc.nin, np.dtype(dtype))
    try:
        found = ufunc.resolve_dtypes((*asked, None), casting=casting, **_asked(signature=signature))
    except (TypeError, OverflowError) as problem:
        refuse(f"numpy.{ufunc.__name__} of {', '.join(str(a) for a in asked)}: {problem}")
    made = [np.dtype(d) for d in found[: ufunc.nin]]
    for value, chosen in zip(shown, made, strict=True):
        if not holds(value, chosen):
            refuse(f"numpy.{ufunc.__name__} of {chosen} and {value}")
    return made


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
    name, target, source = ufunc.__name__, _target(out), _spread(array)
    asked: dict[str, Any] = {"axis": axis, "dtype": dtype, "keepdims": keepdims}
    if initial is not _NOTHING:
        asked["initial"] = stand_in(initial)
    if where is not True:
        asked["where"] = real.ones(np.shape(stand_in(where)), type_of(where))
    example = ufunc.reduce(stand_in(source), **asked)
    if target is not None:
        ufunc.reduce(stand_in(source), out=real.zeros(target.shape, target.dtype), **asked)
    result = type_of(example)
    # Sums and products of small integers are computed in a wider type, and whatever else of those of 4 bits is, all
    # others in the type of the elements: in the type of the result.
    inner = computed = result
    # The logical ones compute with truth values, whatever type is asked for.
    if name.startswith("logical_"):
        inner, computed = source.dtype, _BOOL
    terms = terms_of(source, inner)
    if computed != inner:
        terms = each(truth, terms)
    masks = _masks(where)
    if masks is not None:
        masks = np.broadcast_to(masks, terms.shape)
        # Of nothing there is no greatest: numpy asks for a value to begin with.
        if initial is _NOTHING and ROWS[name].reduces is Reduction.CHOSEN:
            refuse(f"numpy.{name}.reduce with where and without initial")
    start: list[Term] = []
    if initial is not _NOTHING and initial is not None:
        fits_or_refused(initial, inner)
        start = list(terms_of(initial, computed).reshape(-1))
    made = _fibres(name, terms, axis, sort_of(computed), start, masks, keepdims=keepdims)
    assert made.shape == np.shape(example), "a fold has the shape that numpy gives it"
    made = converted(made, result)
    if target is None:
        return array_of(made, result, scalar=isinstance(example, np.generic)).laid_out_as(source)
    if target.dtype != result:
        refuse(f"numpy.{name}.reduce of {source.dtype} into {target.dtype}")
    target.write(made)
    return target


def _fibres(
    name: str, terms: Objects, axis: Any, sort: Sort, start: list[Term], masks: Objects | None, *, keepdims: bool
) -> Objects:
    """Each fibre folded, in the order of the axes."""
    rank = terms.ndim
    axes: Sequence[Any] = range(rank)
    if axis is not None and rank:
        axes = axis if isinstance(axis, tuple) else (axis,)
    folded = sorted(int(a) % rank for a in axes)
    kept = [k for k in range(rank) if k not in folded]
    shape = tuple(terms.shape[k] for k in kept)
    length = int(np.prod([terms.shape[k] for k in folded], dtype=int))

    def rows_of(cells: Objects) -> Objects:
        return cells.transpose([*kept, *folded]).reshape(*shape, length)

    rows, chosen = rows_of(terms), None
    if masks is not None:
        chosen = rows_of(masks)
    made: Objects = real.empty(shape, object)
    for place in np.ndindex(*shape):
        cells = list(rows[place])
        if chosen is not None:
            cells = _masked(name, cells, list(chosen[place]), sort, start)
        made[place] = fold(name, [*start, *cells], sort)
    if keepdims:
        made = np.expand_dims(made, tuple(folded))
    return made


def _masked(name: str, cells: list[Term], masks: list[Term], sort: Sort, start: list[Term]) -> list[Term]:
    """The cells that are folded; where it is not known whether one is, its value or one that changes nothing."""
    kept = []
    for cell, mask in zip(cells, masks, strict=True):
        if mask is FALSE:
            continue
        if mask is TRUE:
            kept.append(cell)
        elif start and ROWS[name].reduces is Reduction.CHOSEN:
            # The greatest of a set is the same with an element twice: the initial value is one of them anyway.
            kept.append(ite(mask, cell, start[0]))
        elif isinstance(sort, FloatSort):
            # A sum without an element is another tree of additions, with a symbol of its own: one for each mask.
            refuse(f"numpy.{name}.reduce of floats with where")
        else:
            kept.append(ite(mask, cell, fold(name, [], sort)))
    return kept


def _accumulated(ufunc: Any, row: Row, array: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
    if out is not None:
        refuse(f"numpy.{ufunc.__name__}.accumulate with out")
    source = _spread(array)
    example = ufunc.accumulate(stand_in(source), axis=axis, dtype=dtype)
    # Unlike `reduce`, numpy accumulates floats one after the other: nothing is open.
    terms = np.moveaxis(terms_of(source, example.dtype), axis, 0)
    made: Objects = terms.copy()
    for n in range(1, len(terms)):
        made[n, ...] = each(row.meaning, made[n - 1], terms[n])
    return array_of(np.moveaxis(made, 0, axis), example.dtype).laid_out_as(source)


# ------------------------------------------------------------------------- functions that move elements, and other ones


MOVES = (
    "reshape", "ravel", "transpose", "permute_dims", "matrix_transpose", "swapaxes", "moveaxis", "rollaxis",
    "squeeze", "expand_dims", "flip", "fliplr", "flipud", "rot90", "roll", "repeat", "tile", "broadcast_to",
    "diagonal", "atleast_1d", "atleast_2d", "atleast_3d", "split", "array_split", "hsplit", "vsplit", "dsplit",
    "delete", "sliding_window_view",
)  # fmt: skip  # a table
"""One array in, views or copies of its elements out."""
ASKS = (
    "shape", "ndim", "size", "iscomplexobj", "isrealobj", "can_cast", "result_type",
    "common_type",
)  # fmt: skip  # a table
"""Functions of shape and type alone: asked of zeros."""
_REDUCTIONS = {
    "max": np.maximum, "amax": np.maximum, "min": np.minimum, "amin": np.minimum, "sum": np.add, "prod": np.multiply,
    "all": np.logical_and, "any": np.logical_or, "nanmax": np.fmax, "nanmin": np.fmin,
}  # fmt: skip  # a table


def apply_function(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The answer to `__array_function__`."""
    # Others have these names too: `numpy.linalg.trace` is along the last axes, `numpy.trace` along the first.
    name = func.__name__
    trace().step()
    if name in _REDUCTIONS and getattr(np, name, None) is func:
        return _reduction(name, *args, **kwargs)
    if func in _MEANINGS:
        return _MEANINGS[func](*args, **kwargs)
    # These do it themselves, to places or zeros: whose they are does not matter.
    if name in ASKS:
        return func(*(stand_in(a) for a in args), **kwargs)
    if name not in MOVES:
        refuse(f"numpy.{name}")
    return _moved(func, *args, **kwargs)


def _moved(func: Any, array: Any, *args: Any, **kwargs: Any) -> Any:
    """The elements as numpy moves them: numpy does it to the places."""
    if type(array) is not SymbolicArray or has_symbols(*args, *kwargs.values()):
        refuse(f"numpy.{func.__name__} with places that depend on elements")
    own = held(array)
    if own.scalar:
        # numpy says of a scalar whether what is made of it is one.
        made = func(own.places[()], *args, **kwargs)
        if isinstance(made, list | tuple):
            refuse(f"numpy.{func.__name__} of a scalar")
        return taken(array, made)
    if own.open and func.__name__ in ("reshape", "ravel"):
        if kwargs.get("copy") is not None:
            refuse(f"numpy.{func.__name__} with copy of an array in a layout that is not followed")
        if {"A", "K"} & {*(a for a in args if isinstance(a, str)), kwargs.get("order")}:
            refuse(f"numpy.{func.__name__} in the order of a layout that is not followed")
        return array.apart(func(own.places, *args, **kwargs))
    made = func(own.places, *args, **kwargs)
    if isinstance(made, list | tuple):
        return [moved(array, m) for m in made]
    return taken(array, made)


def _reduction(name: str, a: Any, axis: Any = None, dtype: Any = None, out: Any = None, **kwargs: Any) -> Any:
    if name not in ("sum", "prod") and dtype is not None:
        # Of these the third argument is `out`.
        out, dtype = dtype, None
    kept = {k: v for k, v in kwargs.items() if v is not _NOTHING}
    if isinstance(axis, list):
        raise TypeError("'list' object cannot be interpreted as an integer")
    if name in ("nanmax", "nanmin") and not a.size:
        # These have a message of their own for an array without elements.
        getattr(np, name)(stand_in(a), axis=axis)
    made = _REDUCTIONS[name].reduce(a, axis=axis, out=out, **_asked(dtype=dtype), **kept)
    if name in ("all", "any") and out is None and made.dtype != _BOOL:
        refuse(f"numpy.{name} of {made.dtype}")
    return made


def _where(condition: Any, x: Any = _NOTHING, y: Any = _NOTHING) -> Any:
    if x is _NOTHING or y is _NOTHING:
        refuse("numpy.where of a condition alone")
    dtype = np.where(stand_in(condition), stand_in(x), stand_in(y)).dtype
    held_or_refused("where", dtype, x, y)
    masks = each(truth, terms_of(condition, type_of(condition)))
    made = each(ite, masks, terms_of(x, dtype), terms_of(y, dtype))
    return array_of(made, dtype).laid_out_as(condition, x, y)


def _copyto(dst: Any, src: Any, casting: Any = "same_kind", where: Any = True) -> None:
    if type(dst) is not SymbolicArray:
        refuse(_OUTSIDE)
    written = real.zeros(dst.shape, dst.dtype)
    np.copyto(written, stand_in(src), casting=casting, where=stand_in(where))
    masks = _masks(where)
    dst.write(terms_of(src, dst.dtype), masks)


def _putmask(a: Any, mask: Any, values: Any) -> None:
    if np.size(stand_in(values)) != 1 and np.shape(stand_in(values)) != a.shape:
        refuse("numpy.putmask with values that are repeated")
    if np.shape(stand_in(mask)) != a.shape:
        refuse("numpy.putmask with a mask of another shape")
    if type(a) is not SymbolicArray:
        refuse(_OUTSIDE)
    # Of a conversion that numpy does not make here, it says so itself.
    np.putmask(real.zeros(a.shape, a.dtype), real.zeros(a.shape, bool), stand_in(values))
    _copyto(a, values, "unsafe", np.asarray(mask).astype(bool))


def _joined(func: Callable[..., Any]) -> Callable[..., Any]:
    """A function that puts several arrays together: done by numpy on arrays of terms."""

    def join(arrays: Any, *args: Any, **kwargs: Any) -> Any:
        if kwargs.pop("out", None) is not None or has_symbols(*args):
            refuse(f"numpy.{func.__name__} with out")
        dtype = func([stand_in(a) for a in arrays], *args, **kwargs).dtype
        kwargs.pop("dtype", None)
        made = func([terms_of(a, dtype) for a in arrays], *args, **kwargs)
        return array_of(made, dtype).laid_out_as(*arrays)

    return join


def _broadcast_arrays(*arrays: Any, subok: bool = False) -> Any:
    if subok:
        refuse("numpy.broadcast_arrays with subok")
    made = []
    shown = [held(a).places if type(a) is SymbolicArray else a for a in arrays]
    for array, places in zip(arrays, np.broadcast_arrays(*shown), strict=True):
        made.append(moved(array, places) if type(array) is SymbolicArray else places)
    return tuple(made)


def _full_like(a: Any, fill_value: Any, dtype: Any = None, *layout: Any, shape: Any = None, **more: Any) -> Any:
    return like(fill_value)(a, dtype, *layout, shape=shape, **more)


def _select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    example = np.select([stand_in(c) for c in condlist], [stand_in(c) for c in choicelist], stand_in(default))
    held_or_refused("select", example.dtype, default, *choicelist)
    made: Any = array_of(terms_of(default, example.dtype), example.dtype)
    # The first condition that holds decides, so it is put on last.
    for condition, choice in reversed(list(zip(condlist, choicelist, strict=True))):
        made = np.where(condition, array_of(terms_of(choice, example.dtype), example.dtype), made)
    if (example.dtype, example.shape) != (made.dtype, made.shape):
        refuse(f"numpy.select to {example.dtype}")
    return made


def _copy(a: Any, order: str = "K", subok: bool = False) -> Any:
    made = a.copy(order)
    # The method gives a scalar for a scalar, the function an array.
    held(made).scalar = False
    return made


def _astype(x: Any, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Any:
    return x.astype(dtype, copy=copy)


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "where": _where, "copyto": _copyto, "putmask": _putmask, "select": _select, "broadcast_arrays": _broadcast_arrays,
    "copy": _copy, "astype": _astype, "zeros_like": like(0), "ones_like": like(1), "empty_like": like(None),
    "full_like": _full_like, "concatenate": _joined(np.concatenate), "stack": _joined(np.stack),
    "vstack": _joined(np.vstack), "hstack": _joined(np.hstack), "dstack": _joined(np.dstack),
    "column_stack": _joined(np.column_stack),
    # Said by other functions.
    "clip": compositions.clip, "nan_to_num": compositions.nan_to_num, "count_nonzero": compositions.count_nonzero,
    "array_equal": compositions.array_equal, "nansum": compositions.nansum, "isposinf": compositions.isposinf,
    "isneginf": compositions.isneginf, "isclose": compositions.isclose, "allclose": compositions.allclose,
    "outer": compositions.outer, "trace": compositions.trace, "cumsum": compositions.accumulated("cumsum", np.add),
    "cumprod": compositions.accumulated("cumprod", np.multiply),
    # In order, and the first of the greatest.
    "sort": ordering.sort, "argsort": ordering.argsort,
    "argmax": ordering.arg_extreme("argmax", ordering.farther_up),
    "argmin": ordering.arg_extreme("argmin", ordering.farther_down),
    # At places that elements say, and beside the array.
    "take": indexing.take, "take_along_axis": indexing.take_along_axis, "pad": padding.pad,
    # Sums of products.
    "dot": products.dot, "inner": products.inner, "vdot": products.vdot, "tensordot": products.tensordot,
    "einsum": products.einsum,
    # By functions of the code.
    "apply_along_axis": apply_along_axis,
}  # fmt: skip  # a table
_MEANINGS: dict[Any, Callable[..., Any]] = {getattr(np, name): meaning for name, meaning in _FUNCTIONS.items()}
"""By numpy's own functions, some of which are replaced while code runs."""


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
    "all", "any", "argmax", "argmin", "argsort", "clip", "cumsum", "cumprod", "dot", "max", "mean", "min", "nonzero",
    "prod", "ptp", "put", "repeat", "searchsorted", "std", "sum", "swapaxes", "take", "var", "compress",
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
            refuse("elements compared with something other than a number")

    return compare


def _in_place(function: Any) -> Callable[[Any, Any], Any]:
    def call(self: SymbolicArray, other: Any) -> Any:
        # A scalar is not written to: the name means another one then.
        if held(self).scalar:
            return function(self, other)
        return function(self, other, out=(self,))

    return call


def _unary_method(function: Any) -> Callable[[Any], Any]:
    return lambda self: function(self)


def _method(name: str) -> Callable[..., Any]:
    function = getattr(np, name)
    return lambda self, *args, **kwargs: function(self, *args, **kwargs)


def _reshape_method(self: SymbolicArray, *shape: Any, order: str = "C", copy: Any = None) -> Any:
    if not shape:
        refuse("ndarray.reshape without a shape")
    wanted: Any = shape
    if len(shape) == 1:
        (wanted,) = shape
    return np.reshape(self, wanted, order=order, **_asked(copy=copy))  # type: ignore[call-overload,unused-ignore]  # it passes as an array


def _transpose_method(self: SymbolicArray, *axes: Any) -> Any:
    wanted: Any = axes or None
    if len(axes) == 1:
        (wanted,) = axes
    return np.transpose(self, wanted)  # type: ignore[call-overload,unused-ignore]  # it passes as an array


def _refused_method(name: str) -> Callable[..., Any]:
    def call(self: SymbolicArray, *args: Any) -> Any:
        if name == "__hash__" and not held(self).scalar:
            raise TypeError("unhashable type: 'numpy.ndarray'")
        refuse(f"ndarray.{name}")

    return call


def _missing(self: SymbolicArray, name: str) -> Any:
    """Refuse an attribute that an array has and this has not: code that asks whether it is there must not get a wrong
    answer."""
    if not hasattr(np.ndarray, name) and not hasattr(self.dtype.type, name):
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
    "sort": ordering.sort_in_place,
    "__imatmul__": products.matmul_in_place,
    "__getattr__": _missing,
}
for _name, _own in _OWN.items():
    setattr(SymbolicArray, _name, _own)
for _name in _REFUSED:
    setattr(SymbolicArray, f"__{_name}__", _refused_method(f"__{_name}__"))
errors_noted(SymbolicArray)
