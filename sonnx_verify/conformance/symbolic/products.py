"""Sums of products: `matmul` and its kind, `dot`, `inner`, `vdot`, `tensordot`, `einsum`.

numpy itself does them, on arrays of objects that add and multiply terms. Integers wrap, so the order in which numpy
adds does not matter: every order gives the same element. Floats are refused: order and roundings of their sums are
the choice of a library (BLAS), with products that may not be rounded at all.

Trusted for what `conform` calls proved; `tests/implementations` holds it against numpy.
"""

from __future__ import annotations

# numpy calls these functions in place of its own: names, order and kinds of their arguments are numpy's.
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sonnx_verify.conformance.symbolic import real
from sonnx_verify.conformance.symbolic.cells import Objects, each, sort_of
from sonnx_verify.conformance.symbolic.given import has_symbols, symbolic_in, terms_of, zeros_for
from sonnx_verify.conformance.symbolic.memory import fresh, held, is_in_rows, is_symbolic, moved
from sonnx_verify.conformance.symbolic.table import ROWS
from sonnx_verify.conformance.symbolic.trace import refuse
from sonnx_verify.logic.sorts import BOOL, Sort
from sonnx_verify.logic.terms import Term, literal

UFUNCS = ("matmul", "vecdot", "matvec", "vecmat")
"""The ufuncs that add products along axes."""


class Summand:
    """An element that numpy adds and multiplies as an object."""

    __slots__ = ("term",)

    def __init__(self, term: Term) -> None:
        self.term = term

    def __add__(self, other: Any) -> Summand:
        return Summand(ROWS["add"].meaning(self.term, term_of(other, self.term.sort)))

    def __mul__(self, other: Any) -> Summand:
        return Summand(ROWS["multiply"].meaning(self.term, term_of(other, self.term.sort)))

    __radd__ = __add__
    __rmul__ = __mul__

    def conjugate(self) -> Summand:
        return self


def term_of(value: Any, sort: Sort) -> Term:
    """The term of a sum; numpy begins with numbers of Python, and gives one for a sum of nothing."""
    if isinstance(value, Summand):
        return value.term
    if sort == BOOL:
        return literal(bool(value), sort)
    return literal(int(value), sort)


def _exact(name: str, *dtypes: np.dtype[Any]) -> None:
    """Refuse types whose sums of products are not exact."""
    for dtype in dtypes:
        # Of types of ml_dtypes numpy gives numbers of Python, or of another type.
        if dtype.kind not in "iufb":
            refuse(f"numpy.{name} of {dtype}")
        if dtype.kind == "f":
            refuse(f"numpy.{name} of {dtype}: numpy promises no order and no rounding of such a sum")


def _computed(name: str, call: Callable[[list[Any]], Any], operands: Sequence[Any], example: Any) -> Any:
    """The sums of products that `call` makes of arrays of objects, of the type and the shape of the example."""
    dtype = np.asarray(example).dtype
    _exact(name, dtype, *(np.asarray(zeros_for(o)).dtype for o in operands))
    sort = sort_of(dtype)
    made = call([_objects(terms_of(o, dtype)) for o in operands])
    terms = _terms(made, sort)
    assert terms.shape == np.shape(example), "numpy does the same with objects"
    result = fresh(symbolic_in(*operands), terms, dtype, scalar=isinstance(example, np.generic))
    in_rows = all(is_in_rows(o) for o in operands if is_symbolic(o))
    held(result).open = result.ndim > 1 and not (in_rows and example.flags.c_contiguous)
    return result


def _objects(terms: Objects) -> Any:
    made: Any = real.empty(terms.shape, object)
    flat, source = made.reshape(-1), terms.reshape(-1)
    for n in range(flat.size):
        flat[n] = Summand(source[n])
    return flat.reshape(terms.shape)


def _terms(made: Any, sort: Sort) -> Objects:
    cells: Any = made
    if not isinstance(made, np.ndarray):
        cells = real.empty((), object)
        cells[()] = made
    return each(lambda value: term_of(value, sort), cells)


def product_ufunc(ufunc: Any, inputs: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """The answer to a call of one of `UFUNCS`."""
    name = ufunc.__name__
    out = kwargs.pop("out", None)
    if set(kwargs) - {"axes", "dtype", "casting"}:
        refuse(f"numpy.{name} with {', '.join(sorted(kwargs))}")
    shown = [zeros_for(i) for i in inputs]
    example = ufunc(*shown, **kwargs)
    axes = {name: value for name, value in kwargs.items() if name == "axes"}
    made = _computed(name, lambda arrays: ufunc(*arrays, **axes), inputs, example)
    if out is None:
        return made
    (target,) = out if isinstance(out, tuple) else (out,)
    if not is_symbolic(target):
        refuse("a result written into an array made outside of the run")
    ufunc(*shown, out=real.zeros(target.shape, target.dtype), **kwargs)
    if target.shape != made.shape:
        refuse(f"numpy.{name} spread into an array of another shape")
    target.write(terms_of(made, target.dtype))
    return target


def matmul_in_place(self: Any, other: Any) -> Any:
    """`a @= b`."""
    if held(self).scalar:
        return np.matmul(self, other)
    shown = zeros_for(self)
    # In place the product is along other axes than out of place: numpy says which shapes it takes.
    shown @= zeros_for(other)
    made = np.matmul(self, other)
    if made.shape != self.shape:
        refuse("numpy.matmul in place that is not the one out of place")
    self.write(terms_of(made, self.dtype))
    return self


def of_two(function: Callable[..., Any]) -> Callable[..., Any]:
    """`dot` and its kind: functions of two arrays, with arguments that say nothing of elements."""
    name = function.__name__

    def made(a: Any, b: Any, *args: Any, **kwargs: Any) -> Any:
        if kwargs.pop("out", None) is not None or has_symbols(*args, *kwargs.values()):
            refuse(f"numpy.{name} with out")
        example = function(zeros_for(a), zeros_for(b), *args, **kwargs)
        return _computed(name, lambda arrays: function(*arrays, *args, **kwargs), [a, b], example)

    return made


def dot(a: Any, b: Any, out: Any = None) -> Any:
    """`numpy.dot`."""
    return of_two(np.dot)(a, b, out=out)


def einsum(*operands: Any, out: Any = None, optimize: Any = False, **kwargs: Any) -> Any:
    """`numpy.einsum`, with subscripts as text or as lists."""
    if out is not None:
        refuse("numpy.einsum with out")
    if set(kwargs) - {"dtype", "casting"}:
        refuse(f"numpy.einsum with {', '.join(sorted(kwargs))}")
    at = [n for n, o in enumerate(operands) if _is_operand(operands, n)]
    arrays = [operands[n] for n in at]

    def with_arrays(given: Sequence[Any]) -> list[Any]:
        made = [*operands]
        for n, array in zip(at, given, strict=True):
            made[n] = array
        return made

    example = np.einsum(*with_arrays([zeros_for(a) for a in arrays]), optimize=optimize, **kwargs)
    # Of one operand, without a sum, numpy gives a view: `ij->ji`, `ii->i`.
    if len(arrays) == 1 and not kwargs:
        (only,) = arrays
        places = np.einsum(*with_arrays([held(only).places]), optimize=optimize)
        if np.shares_memory(places, held(only).places):
            return moved(only, places)
    return _computed("einsum", lambda o: np.einsum(*with_arrays(o), optimize=optimize), arrays, example)


def _is_operand(operands: Sequence[Any], n: int) -> bool:
    """Return whether an argument of `einsum` is an array, and no subscripts."""
    if isinstance(operands[0], str):
        return n > 0
    # array, list, array, list, and perhaps the list of the result.
    return n % 2 == 0 and n + 1 < len(operands)
