"""New symbolic arrays: of one value, or of what was in memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sonnx_verify.conform.symbolic import real
from sonnx_verify.conform.symbolic.array import SymbolicArray, array_of, terms_of
from sonnx_verify.conform.symbolic.cells import Objects, input_cell, sort_of
from sonnx_verify.conform.symbolic.trace import refuse, trace
from sonnx_verify.conform.symbolic.ufuncs import stand_in


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
