"""The cache of a report's formula verdicts and gaps, kept as the verdicts of files are, and believed no more.

The key is made of everything that a conclusion rests on: its subject, all texts there are, the tool with its budgets,
the versions of the solvers. An entry holds the verdicts with what the solvers said, and is there only if each verdict
is one that those answers allow. What is left open has verdicts among the obligations of its file: whoever reads it
holds it against those.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec

from sonnx_verify.results.result import Result
from sonnx_verify.stores.basis import Basis
from sonnx_verify.stores.records import may_be_kept
from sonnx_verify.stores.store import Store

_KIND = "comparisons"
Kept = TypeVar("Kept")


@dataclass(frozen=True, slots=True)
class Gaps:
    """The gaps of a standard: those shown by an input, each as JSON output has it, and those declared but not shown:
    the identity, and the reason."""

    shown: list[Any]
    unshown: list[tuple[str, str]]


class Comparisons:
    """The conclusions of earlier runs by their subjects, each a few words that name it."""

    def __init__(self, store: Store, basis: Basis) -> None:
        self._store, self._basis = store, basis

    def results(self, subject: Sequence[str]) -> list[Result] | None:
        """The results that are kept of a subject; None where there are none that a run can have reached."""
        found = self._read(subject, list[Result])
        if found is None or not all(map(may_be_kept, found)):
            return None
        return found

    def keep_results(self, subject: Sequence[str], results: Sequence[Result]) -> None:
        """Take note of the results, if each would be the same again."""
        if all(map(may_be_kept, results)) and self._basis.is_unchanged():
            self._write(subject, list(results))

    def gaps(self, subject: Sequence[str]) -> Gaps | None:
        """The cached gaps of a text, or None. The caller compares them with the verdicts of its obligations."""
        return self._read(subject, Gaps)

    def keep_gaps(self, subject: Sequence[str], found: Gaps) -> None:
        """Take note of the gaps of a text."""
        if self._basis.is_unchanged():
            self._write(subject, found)

    def _read(self, subject: Sequence[str], kind: type[Kept]) -> Kept | None:
        key = self._basis.key(*subject)
        if key is None:
            return None
        body = self._store.read(_KIND, key)
        if body is None:
            return None
        try:
            return msgspec.json.decode(body, type=kind)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            self._store.remove(_KIND, key)
            return None

    def _write(self, subject: Sequence[str], found: object) -> None:
        key = self._basis.key(*subject)
        if key is not None:
            self._store.write(_KIND, key, msgspec.json.encode(found))
