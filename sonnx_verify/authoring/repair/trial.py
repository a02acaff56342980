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
from sonnx_verify.logic.sorts import ELEMENT_TYPES
from sonnx_verify.logic.verdict import FINDINGS, GOOD, VerdictName, is_witness
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.solving.check.collect import of_unit
from sonnx_verify.solving.check.needed import decided_in
from sonnx_verify.solving.check.record import Record, Shown
from sonnx_verify.solving.check.work import Work


@dataclass(slots=True)
class Trials:
    """Texts that are tried for one obligation of a unit. `shown` are counterexamples: a text that leaves one as it is
    mends nothing. `open` counts those that stayed undecided."""

    project: Project
    unit: Unit
    obligation: Obligation
    alone: Alone
    shown: list[tuple[str, Shown]] = field(default_factory=list)
    open: int = 0
    _before: dict[Key, list[Obligation] | None] = field(default_factory=dict)
    _elsewhere: list[Key] | None = None
    _stated: dict[Place, object] = field(default_factory=dict)
    _verdicts: dict[Place, Record] = field(default_factory=dict)

    def works(self, made: Mended) -> Project | None:
        """The mended project, where the obligation is proved in it and nothing else in the file is worse than
        before."""
        changed = with_texts(self.project, {self.unit.place: made.text})
        try:
            unit = counterpart(changed, self.unit)
            obligation = next((o for o in of_unit(changed, unit) if o.id == self.obligation.id), None)
            if obligation is None or self._still_broken(obligation):
                return None
            alone = self.alone.one(obligation)
            if alone.counterexample is not None:
                self.shown.append((alone.types[0] if len(alone.types) == 1 else "", alone.counterexample))
            if alone.verdict.name is not VerdictName.PROVED:
                self.open += alone.verdict.name not in FINDINGS
                return None
            return changed if self._no_worse(changed) and self._proved(changed, obligation) else None
        except UserError:
            # What cannot be read, or fails to fit, is no proposal.
            return None

    def _still_broken(self, obligation: Obligation) -> bool:
        """Whether a known counterexample is one still."""
        work = Work(obligation)
        for name, shown in self.shown:
            sort = ELEMENT_TYPES[name] if name else work.sorts[0]
            statement, _ = work.on(sort)
            if any(is_witness(claim.refutation, shown.found.facts) for claim in statement.claims):
                return True
        return False

    def _no_worse(self, changed: Project) -> bool:
        """No obligation of the file is worse than before."""
        return self._none_worse(changed, [u.key for u in self.project.units if u.place == self.unit.place])

    def spares_others(self, changed: Project) -> bool:
        """Whether nothing is worse than before in the texts elsewhere that the change can reach."""
        try:
            return self._none_worse(changed, self._reached())
        except UserError:
            return False

    def _none_worse(self, changed: Project, keys: Sequence[Key]) -> bool:
        """Every obligation of these texts has a verdict at least as good as before, and every new one is fine. What
        states the same as before is not asked again."""
        for key in keys:
            if key not in self._before:
                self._before[key] = self._fitting(key)
        known = {place_of(o): o for key in keys for o in self._before[key] or ()}
        # Of a text that failed to fit before, nothing was proved.
        every = [o for key in keys if self._before[key] is not None for o in _obligations(changed, key)]
        asked = [o for o in every if o.id != self.obligation.id and self._differs(known.get(place_of(o)), o)]
        with closing(self.alone.decided(asked)) as decided:
            for record in decided:
                before = known.get(place_of(record.obligation))
                fine = not record.surprising or (
                    before is not None and _badness(record) <= _badness(self._known(before))
                )
                if not fine:
                    self.open += _badness(record) == 1
                    return False
        return True

    def _reached(self) -> list[Key]:
        """The texts elsewhere that speak of those in the file, or use what is proved in one that does."""
        if self._elsewhere is None:
            mine = [u for u in self.project.units if u.place == self.unit.place]
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
        """Whether an obligation states anything else than before; what is new does."""
        if before is None:
            return True
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
        """Whether the obligation is proved with all that it rests on: what `check` will say of it."""
        (record,) = decided_in(changed, [obligation], self.alone.solvers)
        return record.verdict.name is VerdictName.PROVED


def _obligations(project: Project, key: Key) -> list[Obligation]:
    """The obligations of a text of the project, or of one that it uses elsewhere."""
    place = key[0]
    return [o for u in project.files.units(place, namespace_of(place)) if u.key == key for o in of_unit(project, u)]


def _badness(record: Record) -> int:
    if record.verdict.name in GOOD:
        return 0
    return 2 if record.verdict.name in FINDINGS else 1
