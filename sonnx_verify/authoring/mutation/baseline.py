"""The project without mutations: its obligations, and their verdicts.

A mutant is killed by a difference from this, not by a finding: an obligation that also fails
without the mutation is no sign of it.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from sonnx_verify.authoring.mutation.reach import Reach, is_of, is_operator, name_of, own_names, touched
from sonnx_verify.equivalence.states import counterpart, same_text
from sonnx_verify.kernel.variables import Variable
from sonnx_verify.language.context import Context
from sonnx_verify.language.files import Key, Unit
from sonnx_verify.language.meaning import LeftOpen, Meaning
from sonnx_verify.language.places import tables
from sonnx_verify.language.project import Project
from sonnx_verify.logic.sorts import ELEMENT
from sonnx_verify.logic.terms import Term
from sonnx_verify.logic.verdict import is_surprise
from sonnx_verify.obligations.gaps import gap_tag
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.results.kinds import Kind
from sonnx_verify.solving.check.collect import of_unit
from sonnx_verify.solving.check.hashes import statement_hash
from sonnx_verify.solving.check.steps import finished
from sonnx_verify.solving.check.work import Work
from sonnx_verify.solving.inputs.edges import Edge, conditions_of, edges_of
from sonnx_verify.solving.solvers import Solvers
from sonnx_verify.stores.ledger import joined, read_ledgers


class Baseline:
    """A project as it stands. A statement that its ledger has is not asked again. `judges` are the operators that are
    asked about mutants of a text, by the text; where it has none, all that it can change."""

    def __init__(
        self, project: Project, solvers: Solvers, judges: Mapping[str, Sequence[str] | None] | None = None
    ) -> None:
        self.project, self.solvers = project, solvers
        self._judges = judges or {}
        # Of a text that cannot be read no mutant could be told from it.
        for unit in self.project.units:
            if unit.error is not None:
                raise unit.error
        self.reach = Reach(self.project)
        self._ledger = joined(read_ledgers(project.root).values())
        self._subjects = Counter(unit.operator for unit in project.units)
        self._obligations: dict[Key, dict[str, Obligation]] = {}
        self._hashes: dict[tuple[Key, str], str] = {}
        self._verdicts: dict[tuple[Key, str], str] = {}
        self._touched: dict[Path, Sequence[Unit]] = {}
        self._edges: dict[tuple[Key, str], list[Edge]] = {}
        self._same_edges: dict[tuple[Sequence[Variable], tuple[Term, ...]], list[Edge]] = {}

    def prepare(self, places: Iterable[Path]) -> None:
        """Make the statements, once for all mutants, that mutations in the files at these places can touch. Raises
        UserError for a mistake in any of them: no mutation would be to blame for that."""
        for place in places:
            for unit in self.touched(place):
                for identity in self._of(unit):
                    self._hash(unit, identity)

    def digest(self) -> str:
        """A hash of all that outcomes rest on but the tool: texts, tables of ONNX, the ledger, judges."""
        texts = {unit.shown: unit.file.span.source.text for unit in self.project.units if unit.file and unit.file.span}
        # A text may use one that stands outside the project: of the installed library.
        used = {place for unit in self.project.units for place in self.reach.of(unit)}
        known = [path.read_text("utf-8") for path in (*sorted(used), *tables(self.project.root)) if path.exists()]
        said = json.dumps([texts, known, dict(self._ledger), dict(self._judges)], sort_keys=True)
        return hashlib.sha256(said.encode()).hexdigest()

    def touched(self, place: Path) -> Sequence[Unit]:
        """The units that are asked about mutants of the file at a place: those of its judges where it has some."""
        if place not in self._touched:
            shown = next((u.shown for u in self.project.units if u.place == place), "")
            self._touched[place] = touched(self.project, self.reach, place, self._judges.get(shown))
        return self._touched[place]

    def reads_as_before(self, unit: Unit) -> bool:
        """Return whether a version in the file of a mutation has the text that it has without it, so that it states the
        same. No mutation of version 13 is one of version 6."""
        before = next((u for u in self.project.units if u.key == unit.key), None)
        if before is None or before.file is None or unit.file is None:
            return False
        # A text that applies its own operator may mean another version by it, which may be another one now.
        return not self.reach.is_circular(before) and same_text(before.file, unit.file)

    def judges(self, place: Path, killers: Collection[str]) -> list[str]:
        """The operators that these obligations are of, but for those of the file itself, which are always asked."""
        own = own_names(self.project, place)
        found = {
            name_of(unit)
            for unit in self.touched(place)
            if is_operator(unit) and unit.file and unit.file.name not in own and any(is_of(unit, k) for k in killers)
        }
        return sorted(found)

    def obligation(self, unit: Unit, identity: str) -> Obligation | None:
        """The obligation of that identity as it stands without the mutation. `unit` may be the one of a mutant."""
        return self._of(unit).get(identity)

    def _of(self, unit: Unit) -> dict[str, Obligation]:
        if unit.key not in self._obligations:
            before = counterpart(self.project, unit)
            self._obligations[unit.key] = {o.id: o for o in of_unit(self.project, before)}
        return self._obligations[unit.key]

    def says(self, unit: Unit, obligation: Obligation, statement: str) -> bool:
        """An obligation of a mutant says what it says without the mutation."""
        return self._hash(unit, obligation.id) == statement

    def _hash(self, unit: Unit, identity: str) -> str:
        key = unit.key, identity
        if key not in self._hashes:
            before = self.obligation(unit, identity)
            self._hashes[key] = ""
            if before is not None and before.answer is None:
                self._hashes[key] = statement_hash(Work(before))
        return self._hashes[key]

    def prepare_edges(self, places: Collection[Path]) -> None:
        """Find the edges of what the standards at these places leave open, before processes are forked that would each
        find them anew."""
        # Solvers that were asked have threads, and a process with threads is not forked.
        with self.solvers.again() as solvers:
            for unit in (u for u in self.project.units if u.place in places):
                for gap in self.gaps(unit):
                    self._find_edges(unit, gap, solvers)

    def gaps(self, unit: Unit) -> list[Obligation]:
        """The obligations of what a standard leaves open, as they stand without the mutation."""
        return [o for o in self._of(unit).values() if o.kind is Kind.GAP]

    def edges(self, unit: Unit, gap: Obligation) -> list[Edge]:
        """The edges of what a standard leaves open without the mutation."""
        return self._find_edges(unit, gap, self.solvers)

    def _find_edges(self, unit: Unit, gap: Obligation, solvers: Solvers) -> list[Edge]:
        key = unit.key, gap.id
        if key not in self._edges:
            meaning, item = left_open(self.project, counterpart(self.project, unit), gap)
            found: list[Edge] = []
            if item is not None:
                # Versions of a text leave much the same open.
                same = tuple(meaning.given), conditions_of(meaning, item)
                if same not in self._same_edges:
                    self._same_edges[same] = edges_of(meaning, item, solvers)
                found = self._same_edges[same]
            self._edges[key] = found
        return self._edges[key]

    def verdict(self, unit: Unit, identity: str) -> str:
        """The verdict of an obligation without the mutation; empty where there is no such obligation."""
        key = unit.key, identity
        if key not in self._verdicts:
            self._verdicts[key] = self._decided(unit, identity)
        return self._verdicts[key]

    def _decided(self, unit: Unit, identity: str) -> str:
        before = self.obligation(unit, identity)
        if before is None:
            return ""
        if before.answer is not None:
            return before.answer.name
        known = self._ledger.get(identity, {})
        # Where two files have one name, the ledger does not say which it means.
        is_its_own = self._subjects[unit.operator] == 1
        # A ledger may be older than the text: it is believed only for the same statement.
        if is_its_own and known.get("statement") == self._hash(unit, identity):
            return str(known["verdict"])
        ((_, record),) = finished(iter([(0, before)]), self.solvers)
        return record.verdict.name

    def as_expected(self, unit: Unit, obligation: Obligation) -> bool:
        """Without the mutation the obligation comes out as it should; so does one that is not there then."""
        # An obligation that only the mutant has was asked for by what the mutation wrote.
        name = self.verdict(unit, obligation.id)
        return not name or not is_surprise(name, obligation.expected)


def left_open(project: Project, unit: Unit, gap: Obligation) -> tuple[Meaning, LeftOpen | None]:
    """The meaning of a standard on the first type of the section of a gap, and the item of the gap, if it has that."""
    sort = next(iter(gap.types), ELEMENT)
    meaning = project.meaning(unit, Context(gap.family, sort, variables=gap.variables))
    items = (x for x in meaning.left_open if gap_tag(meaning.file, x.rule) == gap.tag)
    return meaning, next(items, None)
