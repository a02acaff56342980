"""The things that a statement presumes: that the operators in it have a meaning, each clause of theirs. Trusted.

A theorem about `Max(X)` is proved of terms, and a term has a value wherever it reads. If Max reads outside a tensor,
the theorem speaks of elements that are not there. So its record is joined with in-bounds and total of Max
(`solving/check/uses.py`), and is unknown where one of these is not proved.
"""

from __future__ import annotations

from collections.abc import Iterable

from sonnx_verify.language import syntax as s
from sonnx_verify.language.applied import applied
from sonnx_verify.language.context import Context
from sonnx_verify.language.families import Instance, families, instances
from sonnx_verify.language.files import Unit
from sonnx_verify.language.project import Project
from sonnx_verify.logic.sorts import ELEMENT, ELEMENT_TYPES


def by_theorem(project: Project, unit: Unit, theorem: s.Theorem, family: str) -> tuple[str, ...]:
    """The identities of the obligations that have to hold for the operators in a theorem to mean something."""
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
        # A text that lists no types has one section, which is for every family.
        typed = any(types for _, _, types in families(unit.file))
        for instance in instances(unit.file):
            if typed and instance.family != family:
                continue
            found |= dict.fromkeys(_sides(project, unit, instance))
    return tuple(found)


def _sides(project: Project, unit: Unit, instance: Instance) -> tuple[str, ...]:
    key = unit.key, instance.name
    if key not in project.sides:
        types = tuple(ELEMENT_TYPES[t] for t in instance.types)
        # Elaborated for its side conditions, which are the obligations that `side_conditions` makes of it.
        context = Context(instance.family, ELEMENT, variables=instance.variables, types=types)
        project.meaning(unit, context)
        section = f".{instance.name}" if instance.name else ""
        found = {f"{unit.operator}{section}/{side.place.tag}/{side.kind}": None for side in context.sides}
        project.sides[key] = tuple(found)
    return project.sides[key]
