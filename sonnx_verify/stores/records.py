"""The results of the obligations of a file: the upper level of the cache, all that is read where nothing changed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from sonnx_verify.logic.verdict import UNDECIDED, supported
from sonnx_verify.results.result import Result
from sonnx_verify.stores.basis import Basis
from sonnx_verify.stores.store import Store

_KIND = "records"
_AT_ONCE = 12
"""The number of files whose records are written together: whether all texts are as they were is asked once for them,
and a run that is killed loses no more."""


class Records:
    """The records of files, by everything that they rest on: texts, tool, solvers.

    Most rest on what their files can reach. Where theorems were looked for, any text may have one: what was found so,
    what stayed open, and from then on what else is decided, since it may rest on that, rests on all texts.
    """

    def __init__(self, store: Store, basis: Basis) -> None:
        self._store, self._basis = store, basis
        self._keys: dict[tuple[Path, bool], str | None] = {}
        self._waiting: dict[Path, tuple[bytes, bool]] = {}
        self._rests_on_all = False

    def find(self, path: Path) -> list[Result] | None:
        """The results of the file's obligations in the order of the text; None where no run has kept them."""
        for on_all in (False, True):
            key = self._key(path, on_all=on_all)
            body = None if key is None else self._store.read(_KIND, key)
            if body is not None:
                found = _results(body)
                if found is None:
                    self.forget(path)
                self._rests_on_all |= any(one.lemmas for one in found or ())
                return found
        return None

    def rest_on_all(self) -> None:
        """Keep what is decided from here on under all texts: some of it rests on a theorem that no text of it names."""
        self._rests_on_all = True

    def keep(self, path: Path, records: Sequence[Result]) -> None:
        """Take note of all records of a file, if each would be the same again. They are written with those of others,
        or by `flush`."""
        self._rests_on_all |= any(one.lemmas for one in records)
        on_all = self._rests_on_all or any(one.verdict in UNDECIDED for one in records)
        if self._key(path, on_all=on_all) is None or not all(r.lasting for r in records):
            return
        self._waiting[path] = as_kept(records), on_all
        if len(self._waiting) >= _AT_ONCE:
            self.flush()

    def flush(self) -> None:
        """Write what was noted, unless something that it rests on has changed since."""
        waiting, self._waiting = self._waiting, {}
        # To look at every text takes longer than to decide a small one.
        if not waiting or not self._basis.is_unchanged():
            return
        for path, (body, on_all) in waiting.items():
            if (key := self._key(path, on_all=on_all)) is not None:
                self._store.write(_KIND, key, body)

    def forget(self, path: Path) -> None:
        """Take the records of a file away."""
        self._waiting.pop(path, None)
        for on_all in (False, True):
            key = self._key(path, on_all=on_all)
            if key is not None:
                self._store.remove(_KIND, key)

    def _key(self, path: Path, *, on_all: bool) -> str | None:
        if (path, on_all) not in self._keys:
            key = self._basis.key_of(path)
            if on_all and key is not None:
                key = self._basis.key("file", key)
            self._keys[path, on_all] = key
        return self._keys[path, on_all]


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
