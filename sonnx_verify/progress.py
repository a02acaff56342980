"""The progress of a long command on a terminal: one line of standard error that is written over, and gone at the end.

Standard output has the same bytes with it and without it.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")
# To the beginning of the line, and erase from there to its end (ECMA-48, EL): the next text may be shorter.
_CLEAR = "\r\x1b[K"


_silent = [False]


def be_silent(*, silent: bool) -> None:
    """From now on show no progress, or show it again."""
    _silent[:] = [silent]


def is_silent() -> bool:
    """True if no progress is wanted, nor anything else that is no answer."""
    return _silent[0]


def shown(items: Iterable[T], total: int, what: str, coming: Sequence[str] = ()) -> Iterator[T]:
    """The items, with how many of them there have been, and the name of the one that is `coming`; nothing is shown
    where standard error is no terminal."""
    # A CI server keeps what is written over, also where it lends its jobs a terminal.
    if _silent[0] or os.environ.get("CI") or not sys.stderr.isatty():
        yield from items
        return
    done = 0
    _write(_line(done, total, what, coming))
    try:
        for item in items:
            done += 1
            # What the caller prints of the item stands on a line of its own.
            _write("")
            yield item
            _write(_line(done, total, what, coming))
    finally:
        _write("")


def _line(done: int, total: int, what: str, coming: Sequence[str]) -> str:
    line = f"{done} of {total} {what}"
    if done < len(coming):
        line += f"  {coming[done]}"
    # A line that is wrapped could not be written over.
    return line[: shutil.get_terminal_size().columns - 1]


def answers_shown(records: Iterable[T], total: int) -> Iterator[T]:
    """The records of a comparison, with how many of them there have been."""
    return shown(records, total, "answers")


def _write(text: str) -> None:
    sys.stderr.write(f"{_CLEAR}{text}")
    sys.stderr.flush()
