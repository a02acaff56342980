"""Functions that call a function of the code: `apply_along_axis`.

Trusted for what `conform` calls proved; `tests/implementations` holds it against numpy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sonnx_verify.conformance.symbolic.given import zeros_for
from sonnx_verify.conformance.symbolic.memory import is_symbolic
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
        found = func1d(rows[(*place, Ellipsis)], *args, **kwargs)
        if made is None:
            inner = np.ndim(zeros_for(found))
            shape = (*outer, *np.shape(zeros_for(found)))
            made = np.zeros_like(arr, dtype=np.asarray(zeros_for(found)).dtype, shape=shape)
        # numpy makes an array of each result first: then numbers that do not fit are wrapped.
        if not hasattr(found, "dtype"):
            found = np.asarray(found)
        made[place] = found
    at = len(outer) and axis % len(outer + (0,))
    rank = len(outer) + inner
    order = [*range(at), *range(rank - inner, rank), *range(at, rank - inner)]
    return np.transpose(made, order)
