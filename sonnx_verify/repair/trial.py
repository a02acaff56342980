"""Whether a text with a clause pasted into it is mended: it is checked as it would be after that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field

from sonnx_verify.check.collect import of_unit
from sonnx_verify.check.record import Record, Shown
from sonnx_verify.check.run import run
from sonnx_verify.check.uses import needed_by
from sonnx_verify.check.work import Work
from sonnx_verify.errors import UserError
from sonnx_verify.explain.alone import Alone
from sonnx_verify.explain.target import twin, with_texts
from sonnx_verify.language.files import Unit
from sonnx_verify.language.project import Project
from sonnx_verify.logic.sorts import ELEMENT_TYPES
from sonnx_verify.logic.verdict import FINDINGS, GOOD, is_witness
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.repair.paste import Mended

Finder = Callable[[Project], Callable[[str], Sequence[Obligation]]]
"""The obligations of an identity, in a project."""


@dataclass(slots=True)
class Trials:
    """Texts that are tried for one obligation of a unit. `uses` finds what obligations rest on. `shown` are
    counterexamples: a text that leaves one as it is mends nothing. `open` counts those that stayed undecided; `broken`
    is the sentence that the last text left broken."""

    project: Project
    unit: Unit
    obligation: Obligation
    alone: Alone
    uses: Finder
    shown: list[tuple[str, Shown]] = field(default_factory=list)
    open: int = 0
    broken: str = ""
    _before: dict[str, Obligation] | None = None
    _hashes: dict[str, str] = field(default_factory=dict)
    _verdicts: dict[str, Record] = field(default_factory=dict)

    def works(self, made: Mended) -> Project | None:
        """The mended project, where the obligation is proved in it and nothing else is worse than before."""
        self.broken = ""
        changed = with_texts(self.project, {self.unit.place: made.text})
        try:
            unit = twin(changed, self.unit)
            obligation = next((o for o in of_unit(changed, unit) if o.id == self.obligation.id), None)
            if obligation is None or self._still_broken(obligation):
                return None
            alone = self.alone.one(obligation)
            if alone.counterexample is not None:
                self.shown.append((alone.types[0] if len(alone.types) == 1 else "", alone.counterexample))
                self.broken = alone.counterexample.broken
            if alone.verdict.name != "proved":
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
            for claim in statement.claims:
                if is_witness(claim.refutation, shown.found.facts):
                    self.broken = claim.what
                    return True
        return False

    def _no_worse(self, changed: Project) -> bool:
        """Every obligation of the file has a verdict at least as good as before, and every new one is fine. What states
        the same as before is not asked again."""
        if self._before is None:
            self._before = {o.id: o for o in self._all(self.project)}
        every = self._all(changed)
        new = [o for o in every if o.id not in self._before]
        other = [o for o in every if o.id in self._before and o.id != self.obligation.id and self._differs(o)]
        with closing(self.alone.decided([*new, *other])) as decided:
            for record in decided:
                fine = not record.surprising or (
                    record.id in self._before and _badness(record) <= _badness(self._known(record.id))
                )
                if not fine:
                    self.open += _badness(record) == 1
                    return False
        return True

    def _differs(self, obligation: Obligation) -> bool:
        """Whether an obligation states anything else than before."""
        assert self._before is not None
        before = self._before[obligation.id]
        if obligation.build is None or before.build is None:
            return obligation.answer != before.answer
        if obligation.id not in self._hashes:
            self._hashes[obligation.id] = Work(before).statement_hash()
        return self._hashes[obligation.id] != Work(obligation).statement_hash()

    def _known(self, name: str) -> Record:
        """What came of an obligation before."""
        assert self._before is not None
        if name not in self._verdicts:
            self._verdicts[name] = self.alone.one(self._before[name])
        return self._verdicts[name]

    def _all(self, project: Project) -> list[Obligation]:
        """The obligations of all versions and texts in the file."""
        units = [u for u in project.units if u.place == self.unit.place]
        return [o for u in units for o in of_unit(project, u)]

    def _proved(self, changed: Project, obligation: Obligation) -> bool:
        """Whether the obligation is proved with all that it rests on: what `check` will say of it."""
        needed = needed_by([obligation], self.uses(changed))
        record = next(run([obligation], self.alone.solvers, needed))
        if record.error is not None:
            raise record.error
        return record.verdict.name == "proved"


def _badness(record: Record) -> int:
    if record.verdict.name in GOOD:
        return 0
    return 2 if record.verdict.name in FINDINGS else 1
