"""The branches of the definitions of the shared libraries: no operator has to reach those that it excludes, and some
operator reaches each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from sonnx_verify.kernel.notes import Branch
from sonnx_verify.language.families import instances
from sonnx_verify.language.places import installed_library
from sonnx_verify.language.project import Project
from sonnx_verify.logic.terms import Term, not_
from sonnx_verify.obligations.obligation import Input
from sonnx_verify.obligations.section import Section, sorts
from sonnx_verify.solving.check.collect import of_unit
from sonnx_verify.solving.inputs.found import searched
from sonnx_verify.solving.inputs.missed import Missed

CANDIDATES = 300


def sections(project: Project) -> Iterator[tuple[Section, Sequence[Input]]]:
    """The first section of each family of the operators of the library, with the examples of their texts."""
    for unit in project.units:
        if unit.file is not None and unit.file.version is not None:
            tried = next((one.tried for one in of_unit(project, unit)), ())
            first = {x.family: x for x in reversed(instances(unit.file))}
            for x in first.values():
                yield Section(project, unit, x.name, x.family, sorts(x.types), x.variables), tried


def ways(branch: Branch) -> Iterator[tuple[str, Term]]:
    """Both ways of an `if`, each with the condition that some input does not go it."""
    place = f"{Path(branch.span.source.name).name}:{branch.span.line}:{branch.span.column}"
    yield f"{place} then", branch.never_then
    yield f"{place} else", branch.never_else


def test_each_branch_is_reached() -> None:
    """Of each `if` in a shared definition both ways are gone by valid input of an operator that calls it."""
    project = Project.open(installed_library())
    met: set[str] = set()
    reached: set[str] = set()
    for section, tried in sections(project):
        context = section.context(section.types[0])
        meaning = section.meaning(context)
        valid = (*meaning.hypotheses, meaning.valid)
        for branch in context.branches:
            if "/common/" not in branch.span.source.name:
                continue
            for way, never in ways(branch):
                met.add(way)
                if way not in reached:
                    found = searched(meaning.given, (*valid, not_(never)), CANDIDATES, examples=tried)
                    reached |= set() if isinstance(found, Missed) else {way}

    assert len(met) > 50
    assert sorted(met - reached) == []
