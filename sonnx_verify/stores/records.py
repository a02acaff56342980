"""The results of the obligations of a file: the upper level of the cache, all that is read where nothing changed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

import msgspec

from sonnx_verify.logic.verdict import supported
from sonnx_verify.results.result import Result
from sonnx_verify.stores.store import Store
from sonnx_verify.stores.tool import digest_of

_KIND = "records"
_LASTING = frozenset(("proved", "holds", "refuted", "violated", "vacuous", "unsupported"))
"""Verdicts that another run would reach too. One that is undecided here need not be on another machine."""


class Snapshots(Protocol):
    """Everything that records rest on but the tool, as it was when it was looked at."""

    def snapshot(self) -> str | None:
        """A hash of all of it. None where not all of it is known."""
        ...

    def again(self) -> Snapshots:
        """The same, looked at now."""
        ...


class Records:
    """The records of files, by everything that they rest on: texts, tool, solvers."""

    def __init__(self, store: Store, reach: Snapshots, versions: Mapping[str, str | None]) -> None:
        self._store, self._reach = store, reach
        # Another line of code is another tool: nothing that one concluded is told by the next.
        self._tool = json.dumps([digest_of(), sorted(versions.items())])
        self._keys: dict[Path, str] = {}
        self.snapshot = reach.snapshot()
        self._complete = None not in versions.values()

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
        """Take note of all records of a file, if each would be the same again."""
        key = self._key(path)
        if key is None or not all(r.verdict in _LASTING for r in records):
            return
        # What came and went meanwhile may have been read: a page, the table of signatures.
        if self._reach.again().snapshot() == self.snapshot:
            self._store.write(_KIND, key, as_kept(records))

    def forget(self, path: Path) -> None:
        """Take the records of a file away."""
        key = self._key(path)
        if key is not None:
            self._store.remove(_KIND, key)

    def _key(self, path: Path) -> str | None:
        """None where not everything is known that the records rest on, or a solver is missing."""
        # Without a solver everything is unknown: kept, that would be the answer after it is installed.
        if self.snapshot is None or not self._complete:
            return None
        if path not in self._keys:
            said = json.dumps([self._tool, self.snapshot, path.as_posix()]).encode()
            self._keys[path] = hashlib.sha256(said).hexdigest()
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
    if not all(map(_may_be_kept, found)):
        return None
    return found


def _may_be_kept(result: Result) -> bool:
    """Return whether its verdict would be the same again, and is one that its answers allow. Whoever wrote `proved`
    beside `sat` was not this tool."""
    queries = [query.answers for query in result.queries]
    return result.verdict in _LASTING and supported(result.verdict, result.answers, queries)
