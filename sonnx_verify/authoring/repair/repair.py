"""The weakest clause, of those that were tried, that mends an obligation.

In: an obligation that is not proved. Out: a clause and its place in the text. It rests on nothing but the checks of
trial.py, whatever the proposals were made of.
"""

from __future__ import annotations

from dataclasses import dataclass

from sonnx_verify.authoring.explain.alone import Alone
from sonnx_verify.authoring.repair.paste import Mended, mended
from sonnx_verify.authoring.repair.proposals import proposals
from sonnx_verify.authoring.repair.trial import Trials
from sonnx_verify.equivalence.difference import accepts_all
from sonnx_verify.errors import UserError
from sonnx_verify.language.files import Unit
from sonnx_verify.language.project import Project
from sonnx_verify.language.syntax import ClauseKind
from sonnx_verify.solving.check.record import Record

MOST_TRIED = 60
MOST_FOUND = 5
MOST_OPEN = 4
"""Limits: texts that are tried, texts that work, and texts that stay undecided before it is given up."""


@dataclass(frozen=True, slots=True)
class Repair:
    """A clause that mends an obligation, in its text; how many that do it was compared with, and whether each of them
    is proved to reject everything that it rejects."""

    made: Mended
    kind: ClauseKind
    others: int
    weakest: bool


@dataclass(frozen=True, slots=True)
class Repaired:
    """The outcome for an obligation that fails; `tried` counts the texts. Without a repair, `decided` says that each of
    them was shown to mend nothing or to break something else."""

    repair: Repair | None
    tried: int
    decided: bool


def repaired(project: Project, unit: Unit, record: Record, alone: Alone) -> Repaired:
    """Try what may mend the obligation, and choose the weakest of what does."""
    if unit.note:
        # A clause would go into the text of another version.
        return Repaired(None, 0, decided=False)
    trials = Trials(project, unit, record.obligation, alone)
    trials.learn(record)
    assert unit.file is not None
    assert unit.file.span is not None
    # A file may hold several versions and texts: the clause goes into the one that was asked about.
    edition = [u.key for u in project.units if u.place == unit.place].index(unit.key)
    found: list[tuple[Mended, ClauseKind, Project]] = []
    tried = 0
    todo = proposals(project, unit, record)
    while True:
        while todo and not _is_enough(tried, len(found), trials.open):
            proposal = todo.pop(0)
            made = mended(unit.file.span.source, edition, proposal, record.obligation.tag)
            tried += 1
            changed = trials.works(made)
            if changed is not None:
                found.append((made, proposal.kind, changed))
        if not found:
            return Repaired(None, tried, decided=trials.open == 0 and tried < MOST_TRIED)
        place, weakest = _weakest(unit, [changed for _, _, changed in found], alone)
        # Where it breaks a text elsewhere, the next one is chosen of those that are left, and more may be tried.
        made, kind, changed = found.pop(place)
        # Other texts are many: only the clause that would be shown is checked against them.
        if trials.spares_others(changed):
            return Repaired(Repair(made, kind, len(found), weakest), tried, decided=True)


def _is_enough(tried: int, found: int, undecided: int) -> bool:
    """No further text is tried: the limits are reached. An undecided text takes long: once one is found that works, no
    other that may stay undecided is worth it."""
    if found and undecided:
        return True
    return tried >= MOST_TRIED or found >= MOST_FOUND or undecided >= MOST_OPEN


def _weakest(unit: Unit, found: list[Project], alone: Alone) -> tuple[int, bool]:
    """The place of a text that accepts what each of the others accepts, and whether that is proved of it; of several
    that accept the same, the first."""
    # Each is compared with the best so far: accepting more is transitive, so the best of all is met.
    best = 0
    for n in range(1, len(found)):
        # Of two that accept the same the first stays, which is the more direct one.
        wider = _accepts_all(found[n], found[best], unit, alone)
        if wider and not _accepts_all(found[best], found[n], unit, alone):
            best = n
    rest = [project for n, project in enumerate(found) if n != best]
    return best, all(_accepts_all(found[best], other, unit, alone) for other in rest)


def _accepts_all(wide: Project, narrow: Project, unit: Unit, alone: Alone) -> bool:
    """One text is proved to accept all input that another accepts, in every section: a clause may speak in more of them
    than the one that is mended."""
    try:
        return accepts_all(wide, narrow, unit, alone.decided)
    except UserError:
        # Two texts that cannot be compared: neither is called the weaker one.
        return False
