"""Functions that call a function of the code, for each element or each row: `vectorize`, `apply_along_axis`.

Trusted for what `conform` calls proved; `tests/implementations` holds it against numpy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sonnx_verify.conformance.symbolic import real
from sonnx_verify.conformance.symbolic.arguments import has_symbols, symbolic_in, terms_of, zeros_for
from sonnx_verify.conformance.symbolic.iteration import turns
from sonnx_verify.conformance.symbolic.memory import fresh, held, is_in_rows, is_symbolic, need_layout
from sonnx_verify.conformance.symbolic.numbers import element_of, number_of
from sonnx_verify.conformance.symbolic.trace import refuse


def apply_along_axis(func1d: Callable[..., Any], axis: Any, arr: Any, *args: Any, **kwargs: Any) -> Any:
    """`numpy.apply_along_axis`, in numpy's own steps: the first result gives shape and type of all."""
    if not is_symbolic(arr):
        refuse("numpy.apply_along_axis of an array that is known")
    # Of the axis, and of nothing to apply it to, numpy raises its own errors.
    np.apply_along_axis(lambda row: 0, axis, zeros_for(arr))
    rows = np.moveaxis(arr, axis, -1)
    outer = rows.shape[:-1]
    made: Any = None
    inner = 0
    for place in np.ndindex(*outer):
        found = func1d(_row(rows, place), *args, **kwargs)
        if made is None:
            inner = np.ndim(zeros_for(found))
            shape = (*outer, *np.shape(zeros_for(found)))
            made = np.zeros_like(arr, dtype=np.asarray(zeros_for(found)).dtype, shape=shape)
            # numpy lays it out as the first result.
            if inner > 1 and not (isinstance(found, np.ndarray) and is_in_rows(found)):
                held(made).open = True
        # numpy makes an array of each result first: then numbers that do not fit are wrapped.
        if not hasattr(found, "dtype"):
            found = np.asarray(found)
        made[place] = found
    at = len(outer) and axis % len(outer + (0,))
    rank = len(outer) + inner
    order = [*range(at), *range(rank - inner, rank), *range(at, rank - inner)]
    return np.transpose(made, order)


def _row(rows: Any, place: tuple[int, ...]) -> Any:
    """A row as a view of the array, also where there is one alone."""
    return rows[(*place, Ellipsis)]


_VECTORIZE: Any = np.vectorize
_NUMPYS_OWN = _VECTORIZE._vectorize_call  # noqa: SLF001  # the step that has all arguments by their places


def vectorize_call(self: Any, func: Callable[..., Any], args: Any) -> Any:
    """`numpy.vectorize`: the call of one, with all of its arguments by their places, in numpy's own steps."""
    if not has_symbols(*args):
        return _NUMPYS_OWN(self, func, args)
    if self.signature is not None:
        refuse("numpy.vectorize with a signature")
    source = symbolic_in(*args)
    arrays = [a if is_symbolic(a) else _known(source, a) for a in args]
    for array in arrays:
        need_layout(array)
    dtypes, several = _result_types(self, func, arrays)
    shape = np.broadcast_shapes(*(a.shape for a in arrays))
    spread: list[Any] = [np.broadcast_to(a, shape) for a in arrays]
    made = [real.empty(shape, object) for _ in dtypes]
    # numpy copies the elements, as they lie, and goes over the copies in the order of memory: a function that remembers
    # its calls may give other results in another order.
    order = turns([held(a).places.copy("K") for a in arrays], "K")
    for place in order:
        # Unlike for the first call, elements are numbers of Python here.
        found = func(*(number_of(a[place]) for a in spread))
        results = found if several else (found,)
        if several and (not isinstance(found, tuple) or len(found) != len(dtypes)):
            refuse("numpy.vectorize of a function that gives more or fewer results for some elements")
        for cells, result, dtype in zip(made, results, dtypes, strict=True):
            cells[place] = element_of(result, dtype, source)
    results = tuple(fresh(source, cells, dtype) for cells, dtype in zip(made, dtypes, strict=True))
    for result in results:
        # The results lie in the order in which they were made.
        held(result).open = len(shape) > 1 and order != [*np.ndindex(*shape)]
    return results if several else results[0]


def _known(source: Any, value: Any) -> Any:
    """A real argument as an array of terms."""
    if has_symbols(value):
        refuse("numpy.vectorize of lists of elements")
    made = real.asarray(value)
    return fresh(source, terms_of(made, made.dtype), made.dtype)


def _result_types(self: Any, func: Callable[..., Any], arrays: list[Any]) -> tuple[list[np.dtype[Any]], bool]:
    """The types of the results, and whether there are several: as they are given, else those of the first call."""
    if self.otypes is not None:
        return [np.dtype(t) for t in self.otypes], len(self.otypes) > 1
    if self.cache:
        refuse("numpy.vectorize with cache and without otypes")
    if any(not a.size for a in arrays):
        raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
    # The first elements are given to it as scalars of numpy. So `lambda x: x if x > 0 else 0` gives arrays of one type
    # or of another, by the first element.
    found = func(*(np.reshape(a, -1)[0] for a in arrays))
    results = found if isinstance(found, tuple) else (found,)
    # numpy keeps the letters of the types, and some types of ml_dtypes have none that it knows.
    chars = [real.asarray(zeros_for(r)).dtype.char for r in results]
    return [np.dtype(char) for char in chars], isinstance(found, tuple)
