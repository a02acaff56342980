"""What is told of the obligations of a file: the upper level of the cache, all that is read where nothing changed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from sonnx_verify.results.told import Told
from sonnx_verify.stores.store import Store
from sonnx_verify.stores.tool import digest_of

_KIND = "records"
_LASTING = frozenset(("proved", "holds", "refuted", "violated", "vacuous", "unsupported"))
"""Verdicts that another run would reach too. What is undecided may not be on another machine, or another day."""


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
        self._tool = json.dumps([digest_of(), sorted(versions.items())])
        self._keys: dict[Path, str | None] = {}
        self.snapshot = reach.snapshot()
        self._complete = None not in versions.values()

    def find(self, path: Path) -> list[Told] | None:
        """What is told of the file's obligations in the order of the text; None where no run has told it."""
        key = self._key(path)
        body = None if key is None else self._store.read(_KIND, key)
        found = None if body is None else _records(body)
        if body is not None and found is None:
            self.forget(path)
        return found

    def keep(self, path: Path, records: Sequence[Told]) -> None:
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
        if path not in self._keys:
            said = json.dumps([self._tool, self.snapshot, path.as_posix()]).encode()
            known = self._complete and self.snapshot is not None
            self._keys[path] = hashlib.sha256(said).hexdigest() if known else None
        return self._keys[path]


def as_kept(records: Sequence[Told]) -> bytes:
    """The records as they are kept."""
    rows = [(r.json, r.reason, r.note, r.statement, r.finding) for r in records]
    return json.dumps(rows, separators=(",", ":")).encode()


def _records(body: bytes) -> list[Told] | None:
    """The records in an entry, None where it holds anything else."""
    try:
        made: Any = json.loads(body)
        found = [Told(told, reason, note, statement, tuple(finding)) for told, reason, note, statement, finding in made]
        fitting = all(_fits(r) for r in found)
    except (ValueError, TypeError, KeyError, AttributeError):
        return None
    return found if fitting else None


def _fits(record: Told) -> bool:
    """Whether it has all that is read of a record."""
    made, place = record.json, record.json["source"]
    names = (made["id"], made["tag"], made["kind"], place["file"])
    said = (record.reason, record.note, record.statement, record.scope, *record.finding, *record.assumptions)
    numbers = (place["line"], place["column"])
    perhaps = all(isinstance(made[name], str | None) for name in ("operator", "section"))
    whole = perhaps and all(isinstance(a, dict) for a in record.queries.values())
    texts = all(isinstance(text, str) for text in (*names, *said))
    return whole and texts and all(isinstance(n, int) for n in numbers) and record.verdict in _LASTING
