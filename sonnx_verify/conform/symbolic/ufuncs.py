"""numpy's elementwise functions, and their `reduce`, on symbolic arrays.

What a call gives in shape, type and error is asked of numpy itself, on zeros. What its elements are says the table.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from sonnx_verify.conform.symbolic import real
from sonnx_verify.conform.symbolic.array import SymbolicArray, array_of, terms_of
from sonnx_verify.conform.symbolic.cells import Objects, cast, each, sort_of
from sonnx_verify.conform.symbolic.folds import fold
from sonnx_verify.conform.symbolic.given import fits_or_refused
from sonnx_verify.conform.symbolic.table import ROWS, Row, truth
from sonnx_verify.conform.symbolic.trace import refuse
from sonnx_verify.logic.terms import FALSE, TRUE, Term, ite

_NOTHING: Any = np._NoValue


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
    if masks is not None and initial is _NOTHING and ufunc.__name__ in ("maximum", "minimum", "fmax", "fmin"):
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
    axes = range(rank) if axis is None else axis if isinstance(axis, tuple) else (axis,)
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
        elif start and name in ("maximum", "minimum", "fmax", "fmin"):
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
