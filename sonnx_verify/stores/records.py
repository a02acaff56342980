"""The results of the obligations of a file: the upper level of the cache, all that is read where nothing changed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from sonnx_verify.logic.verdict import supported
from sonnx_verify.results.result import Result
from sonnx_verify.stores.basis import Basis
from sonnx_verify.stores.store import Store

_KIND = "records"
_AT_ONCE = 12
"""The number of files whose records are written together: whether all texts are as they were is asked once for them,
and a run that is killed loses no more."""


class Records:
    """The records of files, by everything that they rest on: texts, tool, solvers."""

    def __init__(self, store: Store, basis: Basis) -> None:
        self._store, self._basis = store, basis
        self._keys: dict[Path, str | None] = {}
        self._waiting: dict[Path, bytes] = {}

    def find(self, path: Path) -> list[Result] | None:
        """The results of the file's obligations in the order of the text; None where no run has kept them."""
        key = self._key(path)
        if key is None:
            return None
        body = self._store.read(_KIND, key)
        if body is None:
            return None
        found = _results(body)
        if found is None:
            self.forget(path)
        return found

    def keep(self, path: Path, records: Sequence[Result]) -> None:
        """Take note of all records of a file, if each would be the same again. They are written with those of others,
        or by `flush`."""
        if self._key(path) is None or not all(r.lasting for r in records):
            return
        self._waiting[path] = as_kept(records)
        if len(self._waiting) >= _AT_ONCE:
            self.flush()

    def flush(self) -> None:
        """Write what was noted, unless something that it rests on has changed since."""
        waiting, self._waiting = self._waiting, {}
        # To look at every text takes longer than to decide a small one.
        if not waiting or not self._basis.is_unchanged():
            return
        for path, body in waiting.items():
            if (key := self._key(path)) is not None:
                self._store.write(_KIND, key, body)

    def forget(self, path: Path) -> None:
        """Take the records of a file away."""
        self._waiting.pop(path, None)
        key = self._key(path)
        if key is not None:
            self._store.remove(_KIND, key)

    def _key(self, path: Path) -> str | None:
        if path not in self._keys:
            self._keys[path] = self._basis.key_of(path)
        return self._keys[path]


def as_kept(results: Sequence[Result]) -> bytes:
    """The results as they are kept."""
    return msgspec.json.encode(list(results))


def _results(body: bytes) -> list[Result] | None:
    """The results in an entry, None where it holds anything else, or one that no run can have reached."""
    try:
        found = msgspec.json.decode(body, type=list[Result])
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
    if not all(map(may_be_kept, found)):
        return None
    return found


def may_be_kept(result: Result) -> bool:
    """Return whether its verdict would be the same again, and is one that its answers allow. Whoever wrote `proved`
    beside `sat` was not this tool."""
    queries = [query.answers for query in result.queries]
    return result.lasting and supported(result.verdict, result.answers, queries)
