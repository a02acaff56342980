"""Settings of the Python interpreter: how often it looks for garbage, how deep calls go, how long numbers are."""

from __future__ import annotations

import atexit
import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

SELDOM = (50_000, 200, 20)
"""Thresholds of `gc`. With those of Python it is a third of the time in which texts become terms."""

DEEPEST = 10_000
"""The number of calls that may be open. A stack of 8 MiB, the usual one, holds them: beyond it there is no exception:
the process ends. The library needs less than 1,500."""

LONGEST = 13_000
"""The most bits that a number may have, some 3,900 digits: Python writes out 4,300, and products of products grow
fast."""


class TooLarge(Exception):
    """A number has too many bits, or an expansion too many assertions. Nothing is concluded from it."""


def allow_deep_calls() -> None:
    """Raise the limit on open calls to DEEPEST; a higher one stays."""
    sys.setrecursionlimit(max(sys.getrecursionlimit(), DEEPEST))


def end_without_collecting() -> None:
    """Have this process end without a last look for garbage among its terms: that look takes seconds."""
    # The interpreter collects once more as it ends, and would call back for each term that other tables refer to.
    atexit.register(gc.freeze)


@contextmanager
def seldom_collected() -> Iterator[None]:
    """While terms are made: they are never garbage, so looking for garbage among them is a good part of the time."""
    # Not switched off: whoever runs this in a notebook may make garbage meanwhile.
    before = gc.get_threshold()
    gc.set_threshold(*SELDOM)
    try:
        yield
    finally:
        gc.set_threshold(*before)
