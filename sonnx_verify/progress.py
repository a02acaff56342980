"""The progress of a long command, on standard error: on a terminal one line that is written over, and gone at the end;
in a log a line now and then.

Standard output has the same bytes with it and without it.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")
# To the beginning of the line, and erase from there to its end (ECMA-48, EL): the next text may be shorter.
_CLEAR = "\r\x1b[K"


LOG_SECONDS = 30.0
"""The least time between two lines in a log: what is over before says nothing."""
_silent = [False]


def be_silent(*, silent: bool) -> None:
    """From now on show no progress, or show it again."""
    _silent[:] = [silent]


def is_silent() -> bool:
    """True if no progress is wanted, nor anything else that is no answer."""
    return _silent[0]


def shown(items: Iterable[T], total: int, what: str, coming: Sequence[str] = ()) -> Iterator[T]:
    """The items, with how many of them there have been, and the name of the one that is `coming`."""

    def line(done: int) -> str:
        said = f"{done} of {total} {what}"
        if done < len(coming):
            said += f"  {coming[done]}"
        return said

    return lines_shown(items, line, total)


def lines_shown(items: Iterable[T], line: Callable[[int], str], total: int | None = None) -> Iterator[T]:
    """The items, with a line about how many of them there have been; a log has none after the last, where the `total`
    is known."""
    if _silent[0]:
        yield from items
        return
    # A CI server keeps what is written over, also where it lends its jobs a terminal.
    if os.environ.get("CI") or not sys.stderr.isatty():
        yield from _logged(items, line, total)
        return
    done = 0
    _write(_cut(line(done)))
    try:
        for item in items:
            done += 1
            # What the caller prints of the item stands on a line of its own.
            _write("")
            yield item
            _write(_cut(line(done)))
    finally:
        _write("")


def _logged(items: Iterable[T], line: Callable[[int], str], total: int | None) -> Iterator[T]:
    began = last = time.monotonic()
    for done, item in enumerate(items, 1):
        yield item
        now = time.monotonic()
        if done != total and now - last >= LOG_SECONDS:
            last = now
            sys.stderr.write(f"after {now - began:.0f} s: {line(done)}\n")
            sys.stderr.flush()


def _cut(line: str) -> str:
    # A line that is wrapped could not be written over.
    return line[: shutil.get_terminal_size().columns - 1]


def answers_shown(records: Iterable[T], total: int) -> Iterator[T]:
    """The records of a comparison, with how many of them there have been."""
    return shown(records, total, "answers")


def _write(text: str) -> None:
    sys.stderr.write(f"{_CLEAR}{text}")
    sys.stderr.flush()
