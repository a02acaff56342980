"""The words of a solver that refuses a text, or ends: they make the reason of an unknown, and no other answer."""

from __future__ import annotations

import re

from sonnx_verify.results.answer import MEMORY, REJECTED, Answer, unknown

_NO_MEMORY = re.compile(
    r"bad_alloc|out of memory|(?:cannot|can't|could not|failed to) allocate|MemoryError", re.IGNORECASE
)
_SMTLIB_ERROR = re.compile(r'\A\(error "(.*?)(?:"\))?\Z')


def rejected(solver: str, message: str) -> Answer:
    """The answer of a solver that refused the text; keeps the first line of `message` without its SMT-LIB wrapping."""
    first = next(iter(message.strip().splitlines()), "no message").strip()
    wrapped = _SMTLIB_ERROR.match(first)
    said = wrapped.group(1) if wrapped else first
    # The whole message: a text may have a name such as `out of memory`, which a message about it repeats.
    if _NO_MEMORY.fullmatch(said.removeprefix("std::")):
        return unknown(solver, MEMORY)
    return unknown(solver, REJECTED + said)


def speaks_of_memory(message: str) -> bool:
    """Return whether the last words of a process say that it had no memory left."""
    return _NO_MEMORY.search(message) is not None
