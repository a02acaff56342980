"""What a statement presumes: that the operators in it have a meaning, each clause of theirs."""

from __future__ import annotations

from collections.abc import Iterable

from sonnx_verify.language import syntax as s
from sonnx_verify.language.applied import applied
from sonnx_verify.language.context import Context
from sonnx_verify.language.families import families, instances
from sonnx_verify.language.files import Unit
from sonnx_verify.language.project import Project
from sonnx_verify.logic.sorts import ELEMENT


def by_theorem(project: Project, unit: Unit, theorem: s.Theorem, family: str) -> tuple[str, ...]:
    """The identities of what has to hold for the operators in a theorem to mean something."""
    return _identities(project, applied(project, unit, nodes_of(theorem)), family)


def nodes_of(theorem: s.Theorem) -> list[s.Expression]:
    """The expressions of a theorem that say what it states."""
    nodes = [theorem.body]
    if theorem.assuming is not None:
        nodes.append(theorem.assuming)
    if theorem.induction is not None:
        nodes += [theorem.induction.low, theorem.induction.high]
    nodes += [d.where for d in theorem.declarations if d.where is not None]
    return nodes


def by_operator(project: Project, unit: Unit, family: str) -> tuple[str, ...]:
    """The same of the operators in the text of an operator."""
    return _identities(project, applied(project, unit), family)


def by_refinement(project: Project, standard: Unit, family: str) -> tuple[str, ...]:
    """The same of a standard, and of the operators in its text."""
    return _identities(project, [standard, *applied(project, standard)], family)


def _identities(project: Project, units: Iterable[Unit], family: str) -> tuple[str, ...]:
    """in-bounds and total of each clause, of the sections for a family: for whatever types of the other variables."""
    found: dict[str, None] = {}
    for unit in units:
        assert unit.file is not None
        typed = any(types for _, _, types in families(unit.file))
        for x in instances(unit.file):
            if x.family == family or not typed:
                context = Context(x.family, ELEMENT, variables=x.variables)
                project.meaning(unit, context)
                section = f".{x.name}" if x.name else ""
                for side in context.sides:
                    found[f"{unit.operator}{section}/{side.place.tag}/{side.kind}"] = None
    return tuple(found)
