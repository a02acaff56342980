"""The progress of a long command on a terminal: one line of standard error that is written over, and gone at the end.

Standard output has the same bytes with it and without it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")
# To the beginning of the line, and erase from there to its end (ECMA-48, EL): the next text may be shorter.
_CLEAR = "\r\x1b[K"


def shown(items: Iterable[T], total: int, what: str) -> Iterator[T]:
    """The items, with how many of them there have been; nothing is shown where standard error is no terminal."""
    if not sys.stderr.isatty():
        yield from items
        return
    done = 0
    _write(f"0 of {total} {what}")
    try:
        for item in items:
            done += 1
            # What the caller prints of the item stands on a line of its own.
            _write("")
            yield item
            _write(f"{done} of {total} {what}")
    finally:
        _write("")


def answers_shown(records: Iterable[T], total: int) -> Iterator[T]:
    """The records of a comparison, with how many of them there have been."""
    return shown(records, total, "answers")


def _write(text: str) -> None:
    sys.stderr.write(f"{_CLEAR}{text}")
    sys.stderr.flush()
