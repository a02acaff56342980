"""How often Python looks for garbage while terms are made."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

SELDOM = (50_000, 20, 20)
"""Thresholds of `gc`. With those of Python it is a third of the time in which texts become terms."""


@contextmanager
def seldom_collected() -> Iterator[None]:
    """While terms are made: they are never garbage, so looking for garbage among them is a good part of the time."""
    before = gc.get_threshold()
    gc.set_threshold(*SELDOM)
    try:
        yield
    finally:
        gc.set_threshold(*before)
