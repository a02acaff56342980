"""The arguments that code gives to numpy: symbolic arrays, real values, lists and tuples of both."""

from __future__ import annotations

from typing import Any

import numpy as np

from sonnx_verify.conformance.symbolic import real
from sonnx_verify.conformance.symbolic.memory import held, is_symbolic
from sonnx_verify.conformance.symbolic.trace import refuse


def has_symbols(*values: Any) -> bool:
    """Return whether a symbolic array is among values, or in lists and tuples of them."""
    return any(map(_has_symbols, values))


def _has_symbols(value: Any) -> bool:
    # A symbolic array passes as an array: it is asked first, since it may pass as anything.
    if is_symbolic(value):
        return True
    return isinstance(value, list | tuple) and has_symbols(*value)


def zeros_for(value: Any) -> Any:
    """Zeros in place of symbolic arrays, also in lists and tuples of them; scalars for scalars."""
    if is_symbolic(value):
        zeros = real.zeros(value.shape, value.dtype)
        # numpy takes a scalar and an array of rank 0 for two things where it asks whether a number fits.
        if held(value).scalar:
            return zeros[()]
        return zeros
    if _has_symbols(value):
        return [zeros_for(v) for v in value]
    return value


def fits_or_refused(value: Any, dtype: np.dtype[Any]) -> None:
    """Refuse a scalar of integers that may not fit into an array of other integers: numpy asks that of its value."""
    if isinstance(value, list | tuple):
        for part in value:
            fits_or_refused(part, dtype)
        return
    if not is_symbolic(value) or not held(value).scalar:
        return
    both_integers = value.dtype.kind in "iu" and dtype.kind in "iu"
    if both_integers and not np.can_cast(value.dtype, dtype):
        refuse(f"a scalar of {value.dtype} put into an array of {dtype}")
