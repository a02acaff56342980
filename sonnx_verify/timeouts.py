"""The seconds that each obligation may take, where somebody gave a limit: `--timeout`.

Whoever decides says when its time is over (`ending`); what may take long looks at the clock now and then (`look`), and
waits for no longer than is left (`remaining`). What a clock ended is unknown, and neither kept nor put into a ledger.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar

_each: ContextVar[float | None] = ContextVar("each", default=None)
_end: ContextVar[float | None] = ContextVar("end", default=None)


class OutOfTime(Exception):
    """The time of an obligation is over."""

    def __init__(self) -> None:
        super().__init__("not decided in time (--timeout)")


@contextmanager
def each_within(seconds: float | None) -> Iterator[None]:
    """Here each obligation may take so many seconds, or, for None, as long as it takes."""
    token = _each.set(seconds)
    try:
        yield
    finally:
        _each.reset(token)


def seconds_each() -> float | None:
    """The seconds that each obligation may take; None without a limit."""
    return _each.get()


@contextmanager
def ending(moment: float | None) -> Iterator[None]:
    """Here the time is over at a moment of `time.monotonic`; never, for None."""
    token = _end.set(moment)
    try:
        yield
    finally:
        _end.reset(token)


def ending_after(seconds: float | None) -> AbstractContextManager[None]:
    """Here the time is over after so many seconds; never, for None."""
    if seconds is None:
        return ending(None)
    return ending(time.monotonic() + seconds)


def remaining() -> float | None:
    """The seconds that are left, 0 where the time is over; None without a limit."""
    end = _end.get()
    if end is None:
        return None
    return max(end - time.monotonic(), 0.0)


def look() -> None:
    """Raise OutOfTime where the time is over."""
    if remaining() == 0:
        raise OutOfTime
