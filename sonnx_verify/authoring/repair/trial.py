"""The check of a text with a clause pasted into it.

In: the text, read anew. Out: whether it is mended: the obligation is proved with all that it rests on, and nothing is
worse, in the file and in all texts that the change can reach. Nothing of how the clause was guessed is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field

from sonnx_verify.authoring.explain.alone import Alone
from sonnx_verify.authoring.explain.concerned import concerned
from sonnx_verify.authoring.explain.rested import Place, place_of
from sonnx_verify.authoring.explain.target import with_texts
from sonnx_verify.authoring.repair.paste import Mended
from sonnx_verify.equivalence.states import counterpart, stated_by
from sonnx_verify.errors import UserError
from sonnx_verify.language.files import Key, Unit
from sonnx_verify.language.places import namespace_of
from sonnx_verify.language.project import Project
from sonnx_verify.logic.sorts import ELEMENT_TYPES, Sort
from sonnx_verify.logic.verdict import FINDINGS, GOOD, VerdictName, is_witness
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.solving.check.collect import of_unit
from sonnx_verify.solving.check.needed import decided_in
from sonnx_verify.solving.check.record import ConcreteExample, Record
from sonnx_verify.solving.check.work import Work


@dataclass(slots=True)
class Trials:
    """Texts that are tried for one obligation of a unit. `open` counts those that stayed undecided."""

    project: Project
    unit: Unit
    obligation: Obligation
    alone: Alone
    open: int = 0
    _shown: list[tuple[Sort | None, ConcreteExample]] = field(default_factory=list)
    """Counterexamples, with the type of their elements where there is one. A text that leaves one as it is mends
    nothing, and that is found out by evaluation, without a solver."""
    _before: dict[Key, list[Obligation] | None] = field(default_factory=dict)
    _elsewhere: list[Key] | None = None
    _stated: dict[Place, object] = field(default_factory=dict)
    _verdicts: dict[Place, Record] = field(default_factory=dict)

    def learn(self, record: Record) -> None:
        """Remember the counterexample of a record, if it has one."""
        if record.counterexample is None:
            return
        sort: Sort | None = None
        if len(record.types) == 1:
            sort = ELEMENT_TYPES[record.types[0]]
        self._shown.append((sort, record.counterexample))

    def works(self, made: Mended) -> Project | None:
        """The mended project, where the obligation is proved in it and nothing else in the file is worse than
        before."""
        changed = with_texts(self.project, {self.unit.place: made.text})
        try:
            unit = counterpart(changed, self.unit)
            obligation = next((o for o in of_unit(changed, unit) if o.id == self.obligation.id), None)
            # A clause may take an obligation away, as a read that no section has any more: that mends nothing.
            if obligation is None or not self._is_mended(obligation):
                return None
            if self._no_worse(changed) and self._proved(changed, obligation):
                return changed
        except UserError:
            # A text that cannot be read, or fails to fit, is no proposal.
            return None
        return None

    def _is_mended(self, obligation: Obligation) -> bool:
        """The obligation is proved by itself: the quickest questions first, since most proposals fail."""
        if self._still_broken(obligation):
            return False
        record = self.alone.one(obligation)
        self.learn(record)
        if record.verdict.name is VerdictName.PROVED:
            return True
        self.open += record.verdict.name not in FINDINGS
        return False

    def _still_broken(self, obligation: Obligation) -> bool:
        """A known counterexample is one still."""
        work = Work(obligation)
        for sort, shown in self._shown:
            statement, _ = work.on(sort or work.sorts[0])
            if any(is_witness(claim.refutation, shown.found.facts) for claim in statement.claims):
                return True
        return False

    def _no_worse(self, changed: Project) -> bool:
        """No obligation of the file is worse than before."""
        return self._none_worse(changed, [u.key for u in self.project.units if u.place == self.unit.place])

    def spares_others(self, changed: Project) -> bool:
        """The texts elsewhere that the change can reach are no worse than before."""
        try:
            return self._none_worse(changed, self._reached())
        except UserError:
            return False

    def _none_worse(self, changed: Project, keys: Sequence[Key]) -> bool:
        """Every obligation of these texts has a verdict at least as good as before, and every new one is fine. One that
        states the same as before is not asked again."""
        known: dict[Place, Obligation] = {}
        every: list[Obligation] = []
        for key in keys:
            if key not in self._before:
                self._before[key] = self._fitting(key)
            before = self._before[key]
            # Of a text that failed to fit before nothing was proved, so nothing can become worse.
            if before is not None:
                known |= {place_of(o): o for o in before}
                every += _obligations(changed, key)
        asked = [o for o in every if o.id != self.obligation.id and self._differs(known.get(place_of(o)), o)]
        with closing(self.alone.decided(asked)) as decided:
            for record in decided:
                if not self._is_fine(record, known.get(place_of(record.obligation))):
                    self.open += _badness(record) == 1
                    return False
        return True

    def _is_fine(self, record: Record, before: Obligation | None) -> bool:
        """A verdict is as the text expects it, or at least no worse than before the change."""
        if not record.surprising:
            return True
        return before is not None and _badness(record) <= _badness(self._known(before))

    def _reached(self) -> list[Key]:
        """The texts elsewhere that speak of those in the file, or use what is proved in one that does."""
        if self._elsewhere is None:
            mine = [u for u in self.project.units if u.place == self.unit.place]
            # A text that fails to fit cannot become worse, and is no reason to give up.
            near = [c.unit for c in concerned(self.project, mine, broken=True)]
            self._elsewhere = [u.key for u in near if u.place != self.unit.place]
        return self._elsewhere

    def _fitting(self, key: Key) -> list[Obligation] | None:
        """The obligations of a text before anything is pasted; None where it fails to fit."""
        try:
            return _obligations(self.project, key)
        except UserError:
            return None

    def _differs(self, before: Obligation | None, obligation: Obligation) -> bool:
        """An obligation states something else than before; a new one does."""
        if before is None:
            return True
        # Kept: the text as it stands is compared with each that is tried.
        place = place_of(before)
        if place not in self._stated:
            self._stated[place] = stated_by(before)
        return self._stated[place] != stated_by(obligation)

    def _known(self, before: Obligation) -> Record:
        """The record of an obligation before the change."""
        place = place_of(before)
        if place not in self._verdicts:
            self._verdicts[place] = self.alone.one(before)
        return self._verdicts[place]

    def _proved(self, changed: Project, obligation: Obligation) -> bool:
        """The obligation is proved with all that it rests on: `check` will say so."""
        # A clause can make a proof work by itself and break a theorem that it rests on.
        (record,) = decided_in(changed, [obligation], self.alone.solvers)
        return record.verdict.name is VerdictName.PROVED


def _obligations(project: Project, key: Key) -> list[Obligation]:
    """The obligations of a text of the project, or of one that it uses elsewhere."""
    place = key[0]
    found: list[Obligation] = []
    for unit in project.files.units(place, namespace_of(place)):
        if unit.key == key:
            found += of_unit(project, unit)
    return found


def _badness(record: Record) -> int:
    """0 if it is good, 1 if it is not known, 2 if it is a finding."""
    if record.verdict.name in GOOD:
        return 0
    if record.verdict.name in FINDINGS:
        return 2
    return 1
