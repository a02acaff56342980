"""The proofs that need a clause: those that fail when it says nothing.

`proved` of everything below is what `check` says: with all that a proof rests on. So a proof that uses a theorem which
needs the clause needs it too, "through" that theorem, and is not asked again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from sonnx_verify.authoring.explain.alone import Alone
from sonnx_verify.authoring.explain.concerned import Concerned, concerned
from sonnx_verify.authoring.explain.rested import Dependencies, below, decided, nearest, place_of
from sonnx_verify.authoring.explain.target import Target, obligations_in, without
from sonnx_verify.equivalence.states import counterpart, stated_by
from sonnx_verify.language import syntax as s
from sonnx_verify.language.files import Unit
from sonnx_verify.language.project import Project
from sonnx_verify.logic.verdict import VerdictName
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.obligations.section import Section
from sonnx_verify.results.example import Example
from sonnx_verify.results.kinds import Kind
from sonnx_verify.solving.check.record import Record
from sonnx_verify.solving.check.telling import example_of

PROOFS = frozenset(
    (
        Kind.IN_BOUNDS,
        Kind.TOTAL,
        Kind.DETERMINED,
        Kind.COVERED,
        Kind.EXCLUSIVE,
        Kind.HOLDS,
        Kind.REFINES,
        Kind.NARROWING,
        Kind.THEOREM,
    )
)
"""The kinds whose verdict is a proof. That something exists is shown by a witness, which needs no clause."""


@dataclass(frozen=True, slots=True)
class Need:
    """The need of a proof for the clause: `needed` is None where that is not known. `without` is the record of the
    statement where the clause says nothing, None where that was not asked; `through` is what it rests on that needs the
    clause, where it is not shown to do so by itself."""

    obligation: Obligation
    needed: bool | None
    without: Record | None
    through: str = ""

    @property
    def shown(self) -> Example | None:
        """The input that breaks the statement without the clause."""
        return None if self.without is None else example_of(self.without.counterexample)


@dataclass(slots=True)
class Needs:
    """The proofs around a clause: those that speak of it, the identities of those that do not, and of those that are
    not proved."""

    needs: list[Need] = field(default_factory=list)
    silent: list[str] = field(default_factory=list)
    unproved: list[str] = field(default_factory=list)


def needs_of(project: Project, target: Target, alone: Alone) -> Needs:
    """The need for the clause of each proof about the operator, about what applies or refines it, and of what rests on
    these.

    What is proved, with all that it rests on, is decided again where the clause says nothing, each statement by itself.
    One that is the same with and without the clause is not asked again, nor one that rests on what needs the clause.
    """
    # Editions share a file: taking a clause out of one can change the meaning of another.
    near = concerned(project, _editions(project, target.unit))
    asked = _asked(project, target, concerned(project, [target.unit]))
    now = decided(project, asked, alone)
    made = Needs(unproved=[o.id for o in asked if not now.proved(o)])
    for need in _needs(project, target, near, now, [o for o in asked if now.proved(o)], alone):
        is_silent = need.needed is False and need.without is None
        if is_silent:
            made.silent.append(need.obligation.id)
        else:
            made.needs.append(need)
    return made


def clauses_needed(
    project: Project, unit: Unit, now: Dependencies, obligation: Obligation, alone: Alone
) -> dict[str, Need]:
    """The need of one proof for each clause above it, by the tag of the clause: it needs one if the statement, or
    something that it rests on, does not follow where that clause says nothing. `now` has the record of the proof in the
    text as it is."""
    assert unit.file is not None
    near = concerned(project, _editions(project, unit))
    found: dict[str, Need] = {}
    section = Section(project, unit, obligation.section, obligation.family, obligation.types, obligation.variables)
    for clause in section.seen(unit.file, unit.file.clauses):
        # An error rejects input that the clauses above accept: nothing is proved from it.
        if clause.kind is s.ClauseKind.ERROR or clause.body is None or clause.tag == obligation.tag:
            continue
        target = Target(unit, clause.tag, obligation.section, (clause,))
        for need in _needs(project, target, near, now, [obligation], alone):
            if need.obligation is obligation:
                found[clause.tag] = need
    return found


def _editions(project: Project, unit: Unit) -> list[Unit]:
    """The versions and texts in the file of one: what is written for one may be that of others too."""
    return [unit, *(u for u in project.units if u.place == unit.place and u.file is not None and u.key != unit.key)]


def _needs(
    project: Project,
    target: Target,
    near: Sequence[Concerned],
    now: Dependencies,
    proofs: Sequence[Obligation],
    alone: Alone,
) -> list[Need]:
    """The need of each proof for the clause; then that of what else needs it and some of them rest on."""
    # The clause keeps its tag and place, so that every obligation of the one text has its twin in the other.
    changed = without(project, target)
    after, differing = _after(changed, near, now, proofs)
    resting = below(after.every)
    lost = _lost(target, now, after, differing, resting, alone)
    twins = {place_of(o): o for o in after.every}
    others = {place_of(o) for o in differing}
    made: list[Need] = []
    for obligation in proofs:
        place = place_of(obligation)
        # A proof that is not there without the clause is one about the clause.
        if place not in twins:
            continue
        record = after.alone.get(place) if place in others else None
        through = nearest(obligation.id, resting, lost)
        if obligation.id in lost:
            made.append(Need(obligation, needed=True, without=record))
        elif through:
            made.append(Need(obligation, needed=True, without=record, through=through))
        # By itself and with all that it rests on: then it does not need the clause, whatever is undecided elsewhere.
        elif after.proved(twins[place]):
            made.append(Need(obligation, needed=False, without=record))
        else:
            made.append(Need(obligation, needed=None, without=after.joined(twins[place])))
    known = {"", *(n.obligation.id for n in made)}
    for name in dict.fromkeys(n.through for n in made):
        if name not in known:
            made.append(Need(lost[name], needed=True, without=after.alone[place_of(lost[name])]))
    return made


def _lost(
    target: Target,
    now: Dependencies,
    after: Dependencies,
    differing: Sequence[Obligation],
    resting: Mapping[str, Sequence[str]],
    alone: Alone,
) -> dict[str, Obligation]:
    """The proofs that are refuted where the clause says nothing, by identity; each decided there unless something that
    it rests on is lost already."""
    lost: dict[str, Obligation] = {}
    own = [o for o in differing if o.subject == target.unit.operator]
    others = [o for o in differing if o.subject != target.unit.operator]
    # Those of the operator come first: theorems about it rest on them, and need not be decided then.
    for part in (own, others):
        asked = [o for o in part if not nearest(o.id, resting, lost)]
        after.decide(asked, alone)
        for obligation in asked:
            place = place_of(obligation)
            before = now.alone.get(place)
            is_proof = before is not None and before.verdict.name is VerdictName.PROVED
            # Undecided is not lost: it may follow without the clause.
            if is_proof and after.alone[place].verdict.name is VerdictName.REFUTED:
                lost[obligation.id] = now.alone[place].obligation
    return lost


def _after(
    changed: Project,
    near: Sequence[Concerned],
    now: Dependencies,
    proofs: Sequence[Obligation],
) -> tuple[Dependencies, list[Obligation]]:
    """The proofs and all that they rest on, where the clause says nothing: those that state the same as before are
    known. And those that state something else."""
    places = {place_of(o) for o in proofs}
    subjects = {(o.subject, o.span.source.name) for o in proofs}
    # Only of the texts in which the proofs stand: all obligations of all texts near would take long to collect.
    units = [c.unit for c in near if (c.unit.operator, c.unit.shown) in subjects]
    twins: list[Obligation] = []
    for unit in units:
        found = obligations_in(changed, counterpart(changed, unit)).values()
        twins += [o for o in found if place_of(o) in places]
    after = Dependencies.on(changed, twins)
    texts = {c.unit.shown for c in near}
    differing: list[Obligation] = []
    for obligation in after.every:
        before = now.alone.get(place_of(obligation))
        # Making a statement takes as long as asking some solvers: of a text that is not near it cannot have changed.
        is_near = obligation.span.source.name in texts
        if before is None or (is_near and _stated(before) != stated_by(obligation)):
            differing.append(obligation)
        else:
            after.know(before, obligation)
    return after, differing


def _stated(record: Record) -> object:
    """The statement of an obligation that is decided; its answer, if it had one already."""
    if record.obligation.build is None:
        return record.obligation.answer
    return record.statement


def _asked(project: Project, target: Target, near: Sequence[Concerned]) -> list[Obligation]:
    """The proofs to ask about: of texts that speak of the operator all, of others those that rest on these."""
    listed = {c.unit.key: list(obligations_in(project, c.unit).values()) for c in near}
    spoken: set[str] = set()
    for c in near:
        if c.speaks:
            spoken.update(o.id for o in listed[c.unit.key])
    resting = below(chain.from_iterable(listed.values()))
    mine = {u.key for u in project.units}
    made: list[Obligation] = []
    for c in near:
        # What is installed is not the author's to mend.
        if c.unit.key not in mine:
            continue
        meant = [o for o in listed[c.unit.key] if _is_meant(target, o)]
        made += [o for o in meant if c.speaks or nearest(o.id, resting, spoken)]
    return made


def _is_meant(target: Target, obligation: Obligation) -> bool:
    """The proof is one to ask about: not the clause's own, and of the section that was named."""
    if obligation.kind not in PROOFS or obligation.build is None:
        return False
    if obligation.subject == target.unit.operator and obligation.tag == target.tag:
        return False
    return target.section in ("", obligation.section)
