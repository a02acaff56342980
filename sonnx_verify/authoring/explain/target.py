"""The clause that an identity such as `sonnx.Op-13/C1` or `sonnx.Op-13.int/C1` names."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sonnx_verify.equivalence.states import counterpart
from sonnx_verify.errors import UsageError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.clauses import mentions
from sonnx_verify.language.cures import near
from sonnx_verify.language.families import Instance, instances, is_for, lines_named
from sonnx_verify.language.files import Unit
from sonnx_verify.language.project import Project
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.obligations.section import Section, sorts
from sonnx_verify.solving.check.collect import of_unit
from sonnx_verify.sources import Source

ALWAYS, NEVER = "0 = 0", "0 != 0"
"""Conditions that are always true, and never."""


@dataclass(frozen=True, slots=True)
class Target:
    """A clause of an operator; `clauses` are several where each is for a family of its own. With `section` only that
    section is spoken of."""

    unit: Unit
    tag: str
    section: str
    clauses: tuple[s.Clause, ...]

    @property
    def id(self) -> str:
        """`sonnx.Op-13/C1`, with the section where one was named."""
        parts = [part for part in (self.unit.operator, self.section) if part]
        return f"{'.'.join(parts)}/{self.tag}"

    @property
    def file(self) -> s.File:
        """The text that the clause stands in."""
        assert self.unit.file is not None
        return self.unit.file

    def instances(self) -> list[Instance]:
        """The sections that are spoken of, as far as the clause is for their families."""
        named = [x for x in instances(self.file) if self.section in ("", x.name)]
        lines = lines_named(self.file)
        return [x for x in named if any(is_for(lines, c.family, x.family, x.types, c.span) for c in self.clauses)]

    def sections(self, project: Project) -> list[Section]:
        """The same as sections of a project."""
        unit = counterpart(project, self.unit)
        return [Section(project, unit, x.name, x.family, sorts(x.types), x.variables) for x in self.instances()]


def target_of(unit: Unit, section: str, tag: str) -> Target:
    """The clause of that tag. UsageError, with the nearest tag, where there is none; and for an unknown section."""
    assert unit.file is not None
    # A draft may have one text for several tags, as a page has them.
    clauses = tuple(c for c in unit.file.clauses if c.tag == tag or tag in c.tags.split(","))
    tags = list(dict.fromkeys(c.tag for c in unit.file.clauses))
    if not clauses:
        cure = f"it has {', '.join(tags) or 'no clauses'}"
        if like := near(tag, tags):
            cure = f"did you mean `{unit.operator}/{like}`? {cure}"
        if any(rule.tag == tag for rule in unit.file.rules):
            cure = f"it is an `unspecified` item: `sonnx-verify explain --gaps {unit.operator}` shows it"
        raise UsageError(f"{unit.operator} has no clause {tag}", cure=cure)
    made = Target(unit, clauses[0].tag, section, clauses)
    names = [x.name for x in instances(unit.file)]
    if section and section not in names:
        raise UsageError(f"{unit.operator} has no section {section}", cure=f"it has {', '.join(n for n in names if n)}")
    # Nothing would be asked, and "needed by none" would be said of it.
    if not made.instances():
        families = ", ".join(dict.fromkeys(c.family for c in clauses))
        raise UsageError(f"{tag} does not occur in the section {section}", cure=f"it is for {families}")
    return made


def with_texts(project: Project, texts: dict[Path, str]) -> Project:
    """The project with some files saying something else, by their paths without links: the same files, whatever is
    there by now."""
    # All of them again: a text elsewhere may apply the one that changes.
    paths = dict.fromkeys(u.path for u in project.units)
    return Project.of_files(project.root, paths, {**project.instead, **texts}, closed=project.closed)


def edited(source: Source, edits: list[tuple[int, int, str]]) -> str:
    """A text with parts of it, each from one offset to another, replaced."""
    # From the end, so that the offsets of what comes before stay right.
    text = source.text
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def without(project: Project, target: Target) -> Project:
    """The project where the clause rejects nothing. It keeps its place and its tag: an error `when C1 fails`, and a
    clause below that relies on this one, are read as before."""
    edits: list[tuple[int, int, str]] = []
    for clause in target.clauses:
        if clause.body is not None:
            span = clause.body.span
            edits.append((span.start, span.start + span.length, _nothing(target, clause)))
    source = target.clauses[0].span.source
    return with_texts(project, {target.unit.place: edited(source, edits)})


def _nothing(target: Target, clause: s.Clause) -> str:
    """The condition of a clause that rejects nothing. It mentions an output where the clause does: else it would become
    a clause about inputs, of which other things have to be shown."""
    if clause.kind is s.ClauseKind.ERROR:
        return NEVER
    for output in target.file.outputs:
        if clause.body is not None and mentions(clause.body, {output.name}):
            if output.high is not None:
                return f"count({output.name}) = count({output.name})"
            return f"given({output.name}) => rank({output.name}) = rank({output.name})"
    return ALWAYS


def obligations_in(project: Project, unit: Unit) -> dict[str, Obligation]:
    """The obligations of a unit by their identities."""
    return {o.id: o for o in of_unit(project, unit)}
