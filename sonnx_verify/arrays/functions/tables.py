"""Tables of function values, which FLINT makes when a function is first asked for.

No digit is written down: an entry is the middle of a ball whose radius is below 2^-120 of it. However the middle is
rounded to a double, the entry is off by less than 2^-52 of itself, and a pair of doubles by less than 2^-104.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from sonnx_verify.logic.enclosed import precision

if TYPE_CHECKING:
    from flint import arb

PRECISION = 160
Array = Any


def table(values: Callable[[], Iterable[arb]]) -> tuple[Array, Array]:
    """The high and the low doubles of some numbers. Raises ImportError without FLINT."""
    high, low = [], []
    # The numbers are made inside.
    with precision(PRECISION):
        for value in values():
            near = float(value)
            high.append(near)
            low.append(float(value - near))
    return np.array(high), np.array(low)


def cut(values: Callable[[], Iterable[arb]], bits: int) -> tuple[Array, Array]:
    """Some numbers as multiples of 2^-bits, and what is left of each, as a double."""
    high, low = [], []
    with precision(PRECISION):
        for value in values():
            near = float((value * 2**bits).mid().floor()) / 2**bits
            high.append(near)
            low.append(float(value - near))
    return np.array(high), np.array(low)
