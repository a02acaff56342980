"""The store for what reading texts makes, parse tables and syntax trees, from one run to the next. It is handed in.

The language opens no cache. Whoever starts a command, a server or a worker says where things may be kept (`keep_in`);
where nobody did, every text is parsed by tables that are made here. What a store gives back is verified by those who
read it: tables.py and trees.py.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol


class Keeper(Protocol):
    """A store of entries by kind and key, as stores/store.py is one."""

    folder: Path

    def read(self, kind: str, key: str) -> bytes | None:
        """The body of an entry; None where there is none."""
        ...

    def write(self, kind: str, key: str, body: bytes) -> None:
        """Put an entry there, whole or not at all."""
        ...


def _nowhere() -> Keeper | None:
    return None


_opened: Callable[[], Keeper | None] = _nowhere


def keep_in(opened: Callable[[], Keeper | None]) -> None:
    """Keep what is read in the store that `opened` gives, from here on, in this process. It is asked each time: a part
    of a run may be without one."""
    global _opened
    _opened = opened


def keeper() -> Keeper | None:
    """The store, None where nothing is kept."""
    return _opened()
