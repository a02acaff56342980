"""What code gives to numpy: symbolic arrays, real values, lists and tuples of both."""

from __future__ import annotations

from typing import Any

import numpy as np

from sonnx_verify.conformance.symbolic import real
from sonnx_verify.conformance.symbolic.memory import is_symbolic
from sonnx_verify.conformance.symbolic.trace import refuse


def has_symbols(*values: Any) -> bool:
    """Whether a symbolic array is among values, or in lists and tuples of them."""
    return any(_has_symbols(v) for v in values)


def _has_symbols(value: Any) -> bool:
    if is_symbolic(value):
        return True
    return isinstance(value, list | tuple) and any(_has_symbols(v) for v in value)


def zeros_for(value: Any) -> Any:
    """Zeros in place of symbolic arrays, also in lists and tuples of them; scalars for scalars."""
    if is_symbolic(value):
        zeros = real.zeros(value.shape, value.dtype)
        return zeros[()] if value._scalar else zeros
    return [zeros_for(v) for v in value] if isinstance(value, list | tuple) and _has_symbols(value) else value


def fits_or_refused(value: Any, dtype: np.dtype[Any]) -> None:
    """Of a scalar that is put into an array of other integers numpy asks whether it fits. Refused where it may not."""
    if isinstance(value, list | tuple):
        for part in value:
            fits_or_refused(part, dtype)
        return
    if not is_symbolic(value) or not value._scalar or value.dtype.kind not in "iu":
        return
    if dtype.kind in "iu" and not np.can_cast(value.dtype, dtype):
        refuse(f"a scalar of {value.dtype} put into an array of {dtype}")
