"""`prove`."""

from __future__ import annotations

import json
from dataclasses import replace

import click

from sonnx_verify.api.asking import asking
from sonnx_verify.api.select import used_in
from sonnx_verify.cli.check import exit_status
from sonnx_verify.errors import Source, SpecificationError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.context import FAMILIES
from sonnx_verify.language.families import families, types_of
from sonnx_verify.language.files import Unit
from sonnx_verify.language.functions import FUNCTIONS
from sonnx_verify.language.named import here
from sonnx_verify.language.parser import parse_statement
from sonnx_verify.language.project import Project, unit_of_text
from sonnx_verify.logic.sorts import Sort
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.obligations.section import Section, sorts
from sonnx_verify.obligations.theorem import obligation_of
from sonnx_verify.outputs.console import reason_lines
from sonnx_verify.paths import resolved
from sonnx_verify.results.answer_json import answer_json
from sonnx_verify.results.result import Result
from sonnx_verify.solving.check.run import run
from sonnx_verify.solving.check.telling import result_of
from sonnx_verify.solving.check.uses import needed_by


def prove(statement: str, form: str) -> int:
    """Prove the statement for each element type that all its operators have. Returns the exit status."""
    project = here()
    obligations = obligations_of(project, statement)
    with asking() as solvers:
        versions = solvers.versions()
        needed = needed_by(obligations, used_in(project))
        records = list(run(obligations, solvers, needed))
    for record in records:
        if record.error is not None:
            raise record.error
    results = [result_of(record) for record in records]
    if form == "json":
        click.echo(json.dumps(answer_json(results, versions, []), indent=1, ensure_ascii=False))
    else:
        for group in _alike(results):
            click.echo("\n".join(_lines(group)))
    return exit_status(results, 0, versions)


def _alike(results: list[Result]) -> list[list[Result]]:
    """Results next to each other with one verdict."""
    groups: list[list[Result]] = []
    for result in results:
        if groups and groups[-1][0].verdict == result.verdict:
            groups[-1].append(result)
        else:
            groups.append([result])
    return groups


def _lines(group: list[Result]) -> list[str]:
    """The verdict for its types; where it is no proof, the first type in full."""
    types = ", ".join(name for result in group for name in result.declared) or "shapes"
    first = group[0]
    if first.verdict == "proved":
        assuming = f"; assuming that {' and '.join(first.assumptions)}" if first.assumptions else ""
        return [f"proved for {types}: {first.scope}{assuming}"]
    return [f"{first.verdict} for {types}", *reason_lines(first)]


def obligations_of(project: Project, statement: str) -> list[Obligation]:
    """One obligation for each element type. Names that nothing defines are tensors of that type."""
    unit, theorem = _theorem(project, statement)
    library = project.library(unit)
    made: list[Obligation] = []
    for name, family, types in _sections(project, theorem):
        for sort in types or ((),):
            chosen: tuple[Sort, ...] = (sort,) if isinstance(sort, Sort) else ()
            section = Section(project, unit, sort.name if isinstance(sort, Sort) else name, family, chosen)
            obligation = obligation_of(section, theorem, "statement")
            obligation.library = library
            made.append(obligation)
    return made


def _theorem(project: Project, statement: str) -> tuple[Unit, s.Theorem]:
    """The statement, and a text for it to stand in, which uses every library and the theories that it takes theorems
    from."""
    theorem = parse_statement(Source("statement", statement))
    file = s.File("statement", s.FileKind.THEORY, "prove", span=theorem.span)
    named = {used.name for used in theorem.using}
    file.uses = [s.Use(u.path.stem, theorem.span) for u in project.units if _is_used(project, u, named)]
    unit = unit_of_text(project, file)
    if not theorem.declarations:
        known = {*project.library(unit).definitions, *project.library(unit).orders, *FUNCTIONS}
        free = [name.name for name in s.free_names(theorem.body) if name.name not in known]
        kind = s.Type("tensor", theorem.span, s.Type("T", theorem.span))
        declarations = tuple(s.Declaration(name, kind, theorem.span) for name in dict.fromkeys(free))
        theorem = replace(theorem, declarations=declarations)
    return unit, theorem


def _is_used(project: Project, unit: Unit, theorems: set[str]) -> bool:
    """Whether a statement can use the text: it is where `use` finds it, and it is a library or states a theorem that is
    named."""
    folders = (project.root, project.root / "spec" / "common", project.root / "proofs")
    if unit.file is None or resolved(unit.path.parent) not in map(resolved, folders):
        return False
    stated = {theorem.name for theorem in unit.file.theorems}
    if unit.file.kind is s.FileKind.THEORY:
        return bool(stated & theorems)
    return unit.file.kind is s.FileKind.LIBRARY


def _sections(project: Project, theorem: s.Theorem) -> list[tuple[str, str, tuple[Sort, ...]]]:
    """The element types that all operators of the statement have; every type where none is named and T occurs."""
    operators = [
        unit.file for name in _heads(theorem) if (unit := project.operator(name)) is not None and unit.file is not None
    ]
    operators = [o for o in operators if types_of(o, "T")]
    if operators:
        made = []
        for name, family, types in families(operators[0]):
            common = [t for t in types if all(t in types_of(o, "T") for o in operators)]
            if common:
                made.append((name, family, sorts(common)))
        if not made:
            raise SpecificationError(
                "its operators have no element type in common", theorem.span, "use operators that have one"
            )
        return made
    if any(_has_elements(d.type) for d in theorem.declarations):
        return [(family, family, types) for family, types in FAMILIES.items() if family in ("int", "float")]
    return [("", "int", ())]


def _has_elements(kind: s.Type) -> bool:
    return kind.name == "T" or (kind.of is not None and _has_elements(kind.of))


def _heads(theorem: s.Theorem) -> list[str]:
    """The names that a statement calls."""
    stated = [theorem.body]
    if theorem.assuming is not None:
        stated.append(theorem.assuming)
    heads = [node.name for one in stated for node in s.every(one) if isinstance(node, s.Call) and node.name]
    return list(dict.fromkeys(heads))
