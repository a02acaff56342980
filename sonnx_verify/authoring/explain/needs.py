"""Which proofs need a clause: what no longer follows when it says nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sonnx_verify.authoring.explain.alone import Alone
from sonnx_verify.authoring.explain.concerned import Concerned, concerned
from sonnx_verify.authoring.explain.rested import Rested, below, decided, nearest, place_of
from sonnx_verify.authoring.explain.target import Target, obligations_in, without
from sonnx_verify.equivalence.states import counterpart, stated_by
from sonnx_verify.language.files import Unit
from sonnx_verify.language.project import Project
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.solving.check.record import Record

PROOFS = frozenset(
    ("in-bounds", "total", "determined", "covered", "exclusive", "holds", "refines", "narrowing", "theorem")
)
"""The kinds whose verdict is a proof. That something exists is shown by a witness, which needs no clause."""


@dataclass(frozen=True, slots=True)
class Need:
    """Whether a proof needs the clause; None where that is not known. `without` is what came of the statement where the
    clause says nothing, None where that was not asked; `through` is what it rests on that needs the clause, where it is
    not shown to do so by itself."""

    obligation: Obligation
    needed: bool | None
    without: Record | None
    through: str = ""


@dataclass(slots=True)
class Needs:
    """What proofs have to do with a clause: those that speak of it, the identities of those that do not, and of those
    that are not proved."""

    needs: list[Need] = field(default_factory=list)
    silent: list[str] = field(default_factory=list)
    unproved: list[str] = field(default_factory=list)


def needs_of(project: Project, target: Target, alone: Alone) -> Needs:
    """Of each proof about the operator, about what applies or refines it, and of what rests on these, whether it needs
    the clause.

    What is proved, with all that it rests on, is decided again where the clause says nothing, each statement by itself.
    One that is the same with and without the clause is not asked again, nor one that rests on what needs the clause.
    """
    near = concerned(project, _editions(project, target.unit))
    asked = _asked(project, target, concerned(project, [target.unit]))
    now = decided(project, asked, alone)
    made = Needs(unproved=[o.id for o in asked if not now.proved(o)])
    needs = _needs(project, target, near, now, [o for o in asked if now.proved(o)], alone)
    made.silent = [n.obligation.id for n in needs if n.needed is False and n.without is None]
    made.needs = [n for n in needs if n.needed is not False or n.without is not None]
    return made


def clauses_needed(project: Project, unit: Unit, now: Rested, obligation: Obligation, alone: Alone) -> dict[str, Need]:
    """Of each clause above which a proof could rest, by its tag, whether it does: whether the statement, or something
    that it rests on, does not follow where that clause says nothing. `now` is what came of the proof in the text as it
    is."""
    assert unit.file is not None
    near = concerned(project, _editions(project, unit))
    found: dict[str, Need] = {}
    for clause in unit.file.clauses:
        own = clause.tag == obligation.tag
        if clause.kind == "error" or clause.body is None or own or clause.family not in ("", obligation.family):
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
    now: Rested,
    proofs: Sequence[Obligation],
    alone: Alone,
) -> list[Need]:
    """Of each proof whether it needs the clause; then of what else needs it and some of them rest on."""
    changed = without(project, target)
    after, differing = _after(project, changed, near, now, proofs)
    lost: dict[str, Obligation] = {}
    resting = below(after.every)
    own = [o for o in differing if o.subject == target.unit.operator]
    for part in (own, [o for o in differing if o.subject != target.unit.operator]):
        asked = [o for o in part if not nearest(o.id, resting, lost)]
        after.decide(asked, alone)
        for obligation in asked:
            before = now.alone.get(place_of(obligation))
            if before is not None and before.verdict.name == "proved" and _refuted(after, obligation):
                lost[obligation.id] = before.obligation
    twins = {place_of(o): o for o in after.every}
    others = {place_of(o) for o in differing}
    made: list[Need] = []
    for obligation in proofs:
        place = place_of(obligation)
        if place not in twins:
            continue
        record = after.alone.get(place) if place in others else None
        through = nearest(obligation.id, resting, lost)
        if obligation.id in lost:
            made.append(Need(obligation, True, record))
        elif through:
            made.append(Need(obligation, True, record, through))
        elif after.proved(twins[place]):
            made.append(Need(obligation, False, record))
        else:
            made.append(Need(obligation, None, after.joined(twins[place])))
    told = {n.obligation.id for n in made}
    for name in dict.fromkeys(n.through for n in made if n.through not in ("", *told)):
        made.append(Need(lost[name], True, after.alone[place_of(lost[name])]))
    return made


def _after(
    project: Project,
    changed: Project,
    near: Sequence[Concerned],
    now: Rested,
    proofs: Sequence[Obligation],
) -> tuple[Rested, list[Obligation]]:
    """The proofs and all that they rest on, where the clause says nothing; what states the same as before is known.
    With what states something else."""
    places = {place_of(o) for o in proofs}
    subjects = {(o.subject, o.span.source.name) for o in proofs}
    units = [c.unit for c in near if (c.unit.operator, c.unit.shown) in subjects]
    twins: list[Obligation] = []
    for unit in units:
        found = obligations_in(changed, counterpart(changed, unit)).values()
        twins += [o for o in found if place_of(o) in places]
    after = Rested.on(changed, twins)
    texts = {c.unit.shown for c in near}
    differing: list[Obligation] = []
    for obligation in after.every:
        before = now.alone.get(place_of(obligation))
        if before is None or (obligation.span.source.name in texts and _stated(before) != stated_by(obligation)):
            differing.append(obligation)
        else:
            after.know(before, obligation)
    return after, differing


def _stated(record: Record) -> object:
    """What was stated by an obligation that is decided."""
    return record.obligation.answer if record.obligation.build is None else record.statement


def _refuted(after: Rested, obligation: Obligation) -> bool:
    return after.alone[place_of(obligation)].verdict.name == "refuted"


def _asked(project: Project, target: Target, near: Sequence[Concerned]) -> list[Obligation]:
    """What is asked of: of texts that speak of the operator everything, of others what rests on that."""
    listed = [(c, list(obligations_in(project, c.unit).values())) for c in near]
    spoken = {o.id for c, found in listed if c.speaks for o in found}
    resting = below(o for _, found in listed for o in found)
    mine = {u.key for u in project.units}
    return [
        o
        for c, found in listed
        if c.unit.key in mine
        for o in found
        if _meant(target, o) and (c.speaks or nearest(o.id, resting, spoken))
    ]


def _meant(target: Target, obligation: Obligation) -> bool:
    """Whether the proof is one to ask of: not the clause's own, and of the section that was named."""
    own = obligation.subject == target.unit.operator
    return (
        obligation.kind in PROOFS
        and obligation.build is not None
        and not (own and obligation.tag == target.tag)
        and target.section in ("", obligation.section)
    )
