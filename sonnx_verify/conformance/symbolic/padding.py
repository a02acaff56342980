"""`numpy.pad`: numpy itself does it to the places of the elements, and to marks of those that are added.

Trusted for what `conform` calls proved; `tests/implementations` holds it against numpy.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sonnx_verify.conformance.symbolic import real
from sonnx_verify.conformance.symbolic.arguments import has_symbols, known_or_refused, terms_of, zeros_for
from sonnx_verify.conformance.symbolic.cells import Objects, each, input_cell, sort_of
from sonnx_verify.conformance.symbolic.memory import fresh, held, is_symbolic, moved
from sonnx_verify.conformance.symbolic.table import some_nan
from sonnx_verify.conformance.symbolic.trace import refuse, trace

_MOVES = ("edge", "wrap", "reflect", "symmetric")
"""Modes that give further elements of the array."""


def pad(array: Any, pad_width: Any, mode: Any = "constant", **kwargs: Any) -> Any:
    """`numpy.pad`."""
    if not is_symbolic(array):
        refuse("numpy.pad of an array that is known")
    widths = known_or_refused(pad_width, "a width of padding that depends on elements")
    if callable(mode):
        refuse("numpy.pad by a function")
    example = np.pad(zeros_for(array), widths, mode, **{k: zeros_for(v) for k, v in kwargs.items()})
    places = real.asarray(held(array).places)
    if mode in _MOVES and kwargs.get("reflect_type", "even") == "even":
        # numpy says of integers what it says of all: where they go.
        return moved(array, np.pad(places, widths, mode, **kwargs))
    if mode not in ("constant", "empty"):
        refuse(f"numpy.pad in the mode {mode}" + (" with odd reflection" if mode in _MOVES else ""))
    # Places are not negative: what numpy adds is.
    marked = np.pad(places, widths, constant_values=-1)
    added = _added(array, example, mode, kwargs.get("constant_values", 0))
    by_place = dict(zip(places.reshape(-1).tolist(), array.terms().reshape(-1), strict=True))
    made: Objects = real.empty(marked.shape, object)
    for place in np.ndindex(*marked.shape):
        at = int(marked[place])
        made[place] = added[place] if at < 0 else by_place[at]
    return fresh(array, made, array.dtype).laid_out_as(array)


def _added(array: Any, example: Any, mode: str, values: Any) -> Objects:
    """An array of the padded shape, with the added elements at their places."""
    sort = sort_of(array.dtype)
    if mode == "empty":
        return each(lambda _: input_cell(trace().open("left in memory", sort).name, sort), example)
    if not has_symbols(values):
        # numpy has put them where they belong, converted as it converts them.
        return terms_of(example, array.dtype)
    if not is_symbolic(values) or values.size != 1 or values.dtype != array.dtype:
        refuse("numpy.pad with several values that depend on elements, or of another type")
    # It goes through a number of Python: a NaN stays one, and that is all.
    cell = some_nan(values.terms().reshape(-1)[0])
    return each(lambda _: cell, example)
