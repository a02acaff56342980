"""Clauses that may exclude the counterexample of an obligation: the condition that it breaks, asked of the input.

In: a project and what was decided of one obligation. Out: proposals, the most direct first. Not trusted: trial.py
decides what becomes of each.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sonnx_verify.authoring.repair.conditions import lets_inlined, needs_of, negated, reworded
from sonnx_verify.errors import UserError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.clauses import mentions
from sonnx_verify.language.files import Unit
from sonnx_verify.language.project import Project
from sonnx_verify.logic.sorts import ELEMENT
from sonnx_verify.logic.terms import not_, scratch
from sonnx_verify.logic.verdict import is_witness
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.obligations.section import Section
from sonnx_verify.results.kinds import Kind
from sonnx_verify.solving.check.record import Record

LONGEST = 400
"""No condition is longer: nobody would paste it."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A clause of a kind with a title and a condition, in which no `let` is named: it may stand above them. A
    constraint that is `covered` gets an error of its own; with `family` the clause is about elements of that family."""

    kind: s.ClauseKind
    title: str
    condition: str
    family: str = ""
    covered: bool = False


def unit_of(project: Project, obligation: Obligation) -> Unit:
    """The text that an obligation is about; where files in several folders share a name, the one it stands in."""
    # Not by the folder: an obligation knows its file by the name that messages show.
    named = [u for u in project.units if u.file is not None and u.operator == obligation.subject]
    source = obligation.span.source.name
    return next((u for u in named if u.shown == source), named[0])


def is_worth_a_try(project: Project, record: Record) -> bool:
    """Return whether there is a clause to try for an obligation that a clause may mend."""
    try:
        # Proposals are texts: none of the terms that lead to them is kept.
        with scratch():
            return bool(proposals(project, unit_of(project, record.obligation), record))
    except UserError:
        # Whoever asks for the repair is told what is wrong.
        return True


def proposals(project: Project, unit: Unit, record: Record) -> list[Proposal]:
    """Everything that is worth a trial, the most direct first, each once."""
    file, obligation = unit.file, record.obligation
    assert file is not None
    section = Section(project, unit, obligation.section, obligation.family, obligation.types, obligation.variables)
    found: Iterator[Proposal]
    match obligation.kind:
        case Kind.COVERED:
            found = _covering(section, obligation)
        case Kind.IN_BOUNDS | Kind.TOTAL:
            found = _meaningful(section, record)
        case Kind.REFINES:
            found = _as_the_standard(section)
        case _:
            # Of `narrowing`: the profile rejects what the standard accepts, as only a restriction may.
            found = _restricted(section)
    # A demand of the standard may be one of the profile too, and several parts may need the same.
    return [proposal for proposal in dict.fromkeys(found) if len(proposal.condition) <= LONGEST]


def _covering(section: Section, obligation: Obligation) -> Iterator[Proposal]:
    """An error for the constraint that nothing covers."""
    for clause in section.seen(section.file, section.file.clauses):
        if clause.tag == obligation.tag:
            yield Proposal(s.ClauseKind.ERROR, f"violated: {clause.title}", f"{clause.tag} fails", clause.family)


def _meaningful(section: Section, record: Record) -> Iterator[Proposal]:
    """The needs of the parts that may lack a meaning: first of those that the counterexample breaks."""
    file, obligation = section.file, record.obligation
    context = section.context(ELEMENT)
    section.meaning(context)
    sides = [x for x in context.sides if (x.place.tag, x.kind) == (obligation.tag, obligation.kind)]
    shown = record.counterexample
    if shown is not None:
        sides.sort(key=lambda side: not is_witness((not_(side.formula),), shown.found.facts))
    for side in sides:
        for title, condition in needs_of(side, file, lets_inlined(file, section), section):
            # A restriction says that this input is not supported, a constraint that it is an error.
            yield Proposal(s.ClauseKind.RESTRICTION, title, condition)
            yield Proposal(s.ClauseKind.CONSTRAINT, title, condition, covered=True)


def _as_the_standard(section: Section) -> Iterator[Proposal]:
    """Each demand of the standard on input, in the names of the profile: as a constraint, with an error or without."""
    refines = section.file.refines
    if refines is None:
        return
    found = section.project.find(refines.namespace, refines.operator, refines.version)
    if found is None or found.file is None:
        return
    theirs = found.file
    renamed = {standard: own for own, standard in refines.renaming.items()}
    # A `let` of the standard is no name of the profile.
    names = lets_inlined(theirs, section, renamed)
    demands: list[tuple[str, str, str]] = []
    for declaration in (*theirs.inputs, *theirs.attributes):
        if declaration.where is not None:
            title = f"as the standard declares {declaration.name}"
            demands.append((title, reworded(declaration.where, names), ""))
    demands += _conditions(theirs, names, section)
    for title, condition, of_family in demands:
        # First without an error of its own: one of the profile may apply to that input already.
        yield Proposal(s.ClauseKind.CONSTRAINT, title, condition, of_family)
        yield Proposal(s.ClauseKind.CONSTRAINT, title, condition, of_family, covered=True)
        yield Proposal(s.ClauseKind.RESTRICTION, title, condition, of_family)


def _restricted(section: Section) -> Iterator[Proposal]:
    """Each demand of the profile on input, as a restriction: the standard need not make it."""
    file = section.file
    for title, condition, of_family in _conditions(file, lets_inlined(file, section), section):
        yield Proposal(s.ClauseKind.RESTRICTION, title, condition, of_family)


def _conditions(file: s.File, names: dict[str, str], section: Section) -> Iterator[tuple[str, str, str]]:
    """The demands of a text on input: its constraints and restrictions, and that no error applies."""
    outputs = {declaration.name for declaration in file.outputs}
    for clause in section.seen(file, file.clauses):
        body = clause.body
        if body is None:
            continue
        # A clause about outputs follows from the others, and asks nothing of input.
        if mentions(body, outputs):
            continue
        if clause.kind is not s.ClauseKind.ERROR:
            yield clause.title, reworded(body, names), clause.family
        # `C1 fails` asks what C1 asks.
        elif not isinstance(body, s.Fails):
            yield f"violated: {clause.title}", negated(body, names), clause.family
