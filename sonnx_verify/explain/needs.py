"""Which proofs need a clause: what no longer follows when it says nothing."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, field, replace

from sonnx_verify.check.record import Record
from sonnx_verify.check.work import Work
from sonnx_verify.explain.alone import Alone
from sonnx_verify.explain.target import Target, obligations_in, twin, without
from sonnx_verify.language import syntax as s
from sonnx_verify.language.applied import applied
from sonnx_verify.language.files import Unit
from sonnx_verify.language.project import Project
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.obligations.presumed import nodes_of

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
    """Of each proof about the operator, or about what applies or refines it, whether it needs the clause.

    Every statement is decided by itself where the clause says nothing, and again with the clause where it does not
    follow then: only what is proved needs anything. A statement that is the same with and without the clause is not
    asked at all, nor one that rests on what needs the clause already.
    """
    changed = without(project, target)
    made = Needs()
    first, *others = _concerned(project, target.unit)
    own = [o for o in obligations_in(project, first).values() if _meant(target, o)]
    _ask(made, changed, first, own, alone)
    below = {o.id: (*o.uses, *o.presumes) for o in own}
    bad = {n.obligation.id: n for n in made.needs if n.needed}
    ways = [None if n.needed else _reached(n.obligation.id, below, bad) for n in made.needs]
    made.needs = [
        n if way is None else replace(n, needed=True, through=way) for n, way in zip(made.needs, ways, strict=True)
    ]
    for unit in others:
        listed = [o for o in obligations_in(project, unit).values() if _meant(target, o)]
        below |= {o.id: (*o.uses, *o.presumes) for o in listed}
        resting = {o.id: way for o in listed if (way := _reached(o.id, below, bad)) is not None}
        made.needs += [Need(o, True, None, resting[o.id]) for o in listed if o.id in resting]
        _ask(made, changed, unit, [o for o in listed if o.id not in resting], alone)
    return made


def clauses_needed(
    project: Project, unit: Unit, obligation: Obligation, alone: Alone
) -> dict[str, tuple[bool | None, Record | None]]:
    """Of each clause above which a proof could rest, by its tag: whether the statement does not follow where that
    clause says nothing, None where this is not known, with what came of it; it is not asked where the statement is the
    same."""
    assert unit.file is not None
    found: dict[str, tuple[bool | None, Record | None]] = {}
    for clause in unit.file.clauses:
        own = clause.tag == obligation.tag
        if clause.kind == "error" or clause.body is None or own or clause.family not in ("", obligation.family):
            continue
        changed = without(project, Target(unit, clause.tag, obligation.section, (clause,)))
        other = obligations_in(changed, twin(changed, unit)).get(obligation.id)
        if other is None:
            continue
        if Work(obligation).statement_hash() == Work(other).statement_hash():
            found[clause.tag] = False, None
            continue
        record = alone.one(other)
        found[clause.tag] = {"proved": False, "refuted": True}.get(record.verdict.name), record
    return found


def _ask(made: Needs, changed: Project, unit: Unit, listed: list[Obligation], alone: Alone) -> None:
    """Decide the obligations of a unit, in the order of its text."""
    if not listed:
        return
    others = obligations_in(changed, twin(changed, unit))
    asked: dict[str, Obligation] = {}
    for obligation in listed:
        if obligation.id not in others:
            continue
        if Work(obligation).statement_hash() == Work(others[obligation.id]).statement_hash():
            made.silent.append(obligation.id)
        else:
            asked[obligation.id] = obligation
    bare = {r.id: r for r in alone.decided([others[name] for name in asked])}
    doubtful = [asked[name] for name, record in bare.items() if record.verdict.name != "proved"]
    proved = {r.id for r in alone.decided(doubtful) if r.verdict.name == "proved"}
    for name, record in bare.items():
        if record.verdict.name == "proved":
            made.needs.append(Need(asked[name], False, record))
        elif name in proved:
            made.needs.append(Need(asked[name], True if record.verdict.name == "refuted" else None, record))
        else:
            made.unproved.append(name)


def _meant(target: Target, obligation: Obligation) -> bool:
    """Whether the proof is one to ask of: not the clause's own, and of the section that was named."""
    own = obligation.subject == target.unit.operator
    return (
        obligation.kind in PROOFS
        and obligation.build is not None
        and not (own and obligation.tag == target.tag)
        and target.section in ("", obligation.section)
    )


def _reached(name: str, below: dict[str, tuple[str, ...]], bad: Container[str]) -> str | None:
    """The first of the bad ones that something rests on."""
    todo, known = list(below.get(name, ())), {name}
    while todo:
        one = todo.pop(0)
        if one in bad and one != name:
            return one
        if one not in known:
            known.add(one)
            todo.extend(below.get(one, ()))
    return None


def _concerned(project: Project, unit: Unit) -> list[Unit]:
    """The unit, then the texts that speak of it: operators that apply or refine it, theories with theorems about it."""
    others = [u for u in project.units if u.file is not None and u.key != unit.key and _speaks(project, u, unit)]
    return [unit, *others]


def _speaks(project: Project, one: Unit, unit: Unit) -> bool:
    file = one.file
    assert file is not None
    if file.refines is not None:
        r = file.refines
        standard = project.find(r.namespace, r.operator, r.version)
        if standard is not None and standard.key == unit.key:
            return True
    if file.version is not None:
        return any(u.key == unit.key for u in applied(project, one))
    nodes: list[s.Node] = [node for theorem in file.theorems for node in nodes_of(theorem)]
    return any(u.key == unit.key for u in applied(project, one, nodes))
