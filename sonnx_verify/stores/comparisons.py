"""The cache of a report's comparisons, formula verdicts and gaps, kept as the verdicts of files are, and believed no
more.

The key is made of everything that a conclusion rests on: its subject, all texts there are, the tool with its budgets,
the versions of the solvers. An entry holds the verdict behind each answer with what the solvers said. It is there only
if each verdict is one that those answers allow, and each answer is what its verdict means. What is left open has
verdicts among the obligations of its file: whoever reads it holds it against those.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec

from sonnx_verify.logic.status import Status
from sonnx_verify.logic.verdict import VerdictName, all_unsat
from sonnx_verify.results.difference import Answer, Difference, Row, answer_of
from sonnx_verify.results.result import Result
from sonnx_verify.stores.basis import Basis
from sonnx_verify.stores.records import may_be_kept
from sonnx_verify.stores.store import Store

_KIND = "comparisons"
_UNDECIDED = frozenset((VerdictName.UNKNOWN, VerdictName.CANDIDATE))
Kept = TypeVar("Kept")


@dataclass(frozen=True, slots=True)
class Gaps:
    """The gaps of a standard: those shown by an input, each as JSON output has it, and those declared but not shown:
    the identity, and the reason."""

    shown: list[dict[str, Any]]
    unshown: list[tuple[str, str]]


Known = Callable[[str, str], bool]


class Comparisons:
    """The conclusions of earlier runs by their subjects, each a few words that name it."""

    def __init__(self, store: Store, basis: Basis) -> None:
        self._store, self._basis = store, basis

    def difference(self, subject: Sequence[str]) -> Difference | None:
        """The difference that is kept of a subject; None where there is none that a run can have reached."""
        found = self._read(subject, Difference)
        if found is None or not _is_lasting(found):
            return None
        return found

    def keep_differences(self, decided: Sequence[tuple[Sequence[str], Difference]], known: Known) -> None:
        """Take note of each difference, with its subject, that would be the same again. `known` says of a solver and a
        query whether the answer that it gave is one that it would give again."""
        lasting: list[tuple[Sequence[str], Difference]] = []
        for subject, found in decided:
            if _is_lasting(found) and all(_would_be_again(row.result, known) for row in found.rows):
                lasting.append((subject, found))
        # Looked at once for all of them: it reads every text.
        if lasting and self._basis.is_unchanged():
            for subject, found in lasting:
                self._write(subject, found)

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


def _is_lasting(found: Difference) -> bool:
    """Return whether another run can have found the same."""
    return all(map(_is_row_lasting, found.rows))


def _is_row_lasting(row: Row) -> bool:
    """Return whether the answer is what the verdict behind it means. Where the text itself decides there is no verdict,
    and the text is in the key."""
    if row.result is None:
        return row.answer is not Answer.UNKNOWN
    wanted = row.what.side is not None
    if row.answer is not answer_of(row.result.verdict, wanted=wanted):
        return False
    return row.result.verdict in _UNDECIDED or may_be_kept(row.result)


def _would_be_again(result: Result | None, known: Known) -> bool:
    """Return whether a verdict would be the same again although it is undecided.

    It is so for what the solvers gave up within their budgets, or what would be too large to ask of them: searches are
    bounded by their steps, never by a clock. It is not so where a clock or the memory ended one of them, or a process;
    and not where it is undecided because of something that it rests on, for then its own queries are all answered.
    """
    if result is None or result.verdict not in _UNDECIDED:
        return True
    if not result.queries or all_unsat([result.answers]):
        return False
    for query in result.queries:
        for solver, status in query.answers.items():
            if status is Status.UNKNOWN and not known(solver, query.sha256):
                return False
    return True
