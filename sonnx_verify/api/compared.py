"""Formulas and gaps for a report: recalled from the cache, or decided by several processes at once.

Trusted as the cache is: what is recalled counts as what was decided. What these rest on is not decided again either,
where this run or the cache knows what came of the file that it is in.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from sonnx_verify.api.cache import Cache
from sonnx_verify.api.gaps import gap_json, gaps_in, records_of
from sonnx_verify.language import syntax as s
from sonnx_verify.language.files import Unit
from sonnx_verify.language.project import Project
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.pages.formulas.outcome import Decide
from sonnx_verify.pages.reading.page import Page
from sonnx_verify.progress import shown
from sonnx_verify.results.answer_json import example_json
from sonnx_verify.results.kinds import Kind
from sonnx_verify.results.result import Result
from sonnx_verify.solving.check.needed import decided_in
from sonnx_verify.solving.check.record import Record
from sonnx_verify.solving.check.telling import result_of
from sonnx_verify.solving.solvers import Solvers
from sonnx_verify.stores.comparisons import Gaps
from sonnx_verify.stores.records import may_be_kept


@dataclass(frozen=True, slots=True)
class Deciding:
    """The means of a run to decide more: processes, solvers, the cache, and what is known of files by now: `results`
    has every result of some files."""

    solvers: Solvers
    jobs: int
    cache: Cache | None = None
    results: Mapping[Path, Sequence[Result]] = field(default_factory=dict)

    def recall(self, path: Path) -> Sequence[Result] | None:
        """The results of all obligations of a file, None where they are not known."""
        if path in self.results:
            return self.results[path]
        if self.cache is None:
            return None
        return self.cache.records.find(path)

    def formulas(self, path: Path, page: Page) -> Decide:
        """A way to decide the formulas of a page, of the formal text at a path."""
        # Of pages the key of everything that is kept has the names alone.
        said = hashlib.sha256(page.source.text.encode("utf-8", "surrogateescape")).hexdigest()
        subject = ("formulas", path.as_posix(), said)

        def decide(project: Project, obligations: Sequence[Obligation]) -> Sequence[Result]:
            found = None
            if self.cache is not None:
                found = self.cache.comparisons.results(subject)
            if found is not None and [one.id for one in found] == [one.id for one in obligations]:
                return found
            records = decided_in(project, obligations, self.solvers, self.jobs, _formulas_shown, self.recall)
            made = list(map(result_of, records))
            if self.cache is not None:
                self.cache.comparisons.keep_results(subject, made)
            return made

        return decide

    def gaps(self, project: Project, unit: Unit, own: Sequence[Result]) -> Gaps:
        """The gaps of a text; `own` are the results of its obligations, as far as they were asked for."""
        # A profile decides what its standard leaves open; it has no gaps of its own.
        if unit.file is None or unit.file.kind is not s.FileKind.STANDARD:
            return Gaps([], [])
        subject = ("gaps", unit.path.as_posix(), unit.operator)
        if self.cache is not None:
            found = self.cache.comparisons.gaps(subject)
            if found is not None and _is_of(found, own):
                return found
        made = self._decided_gaps(project, unit)
        if self.cache is not None and _is_of(made, own):
            self.cache.comparisons.keep_gaps(subject, made)
        return made

    def _decided_gaps(self, project: Project, unit: Unit) -> Gaps:
        found, unshown = gaps_in(project, unit, records_of(project, unit, self.solvers, self.jobs, self.recall))
        made = Gaps([gap_json(gap) for gap in found], [(one.id, one.reason) for one in unshown])
        # As it is read from the cache, whether it was there or not: the same bytes come of it.
        return msgspec.json.decode(msgspec.json.encode(made), type=Gaps)


def _is_of(found: Gaps, own: Sequence[Result]) -> bool:
    """Return whether gaps are those of some results: of each obligation one, shown on the input that was found for it,
    and all of them such as another run would find again."""
    results = {one.id: one for one in own if one.kind is Kind.GAP}
    names = [gap["id"] for gap in found.shown] + [identity for identity, _ in found.unshown]
    if sorted(names) != sorted(results) or not all(map(may_be_kept, results.values())):
        return False
    for gap in found.shown:
        witness = results[gap["id"]].witness
        if witness is None or _as_read(example_json(witness)) != gap["witness"]:
            return False
    return True


def _as_read(value: object) -> Any:
    """A value as it is after it was written as JSON."""
    return msgspec.json.decode(msgspec.json.encode(value))


def _formulas_shown(records: Iterator[Record], total: int) -> Iterable[Record]:
    return shown(records, total, "formulas")
