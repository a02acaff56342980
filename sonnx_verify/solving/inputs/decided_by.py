"""What the profile says of an input on which its standard, in any version, leaves something open."""

from __future__ import annotations

from dataclasses import dataclass

from sonnx_verify.language import syntax as s
from sonnx_verify.language.context import Context
from sonnx_verify.language.families import instances, types_of
from sonnx_verify.language.files import Unit
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.project import Project
from sonnx_verify.logic.sorts import ELEMENT_TYPES, Sort
from sonnx_verify.results.concrete import LEFT_OUT, Assignment, Concrete, ConcreteTensor
from sonnx_verify.solving.inputs.replay import assignment_of, replay

_AXES = ELEMENT_TYPES["int64"]


@dataclass(frozen=True, slots=True)
class Decision:
    """How a profile operator decides: by which clause, restriction or error, or by its shape and value; then the
    outputs."""

    operator: str
    kind: str
    tag: str = ""
    title: str = ""
    outputs: tuple[tuple[str, ConcreteTensor], ...] = ()


def profile_of(project: Project, standard: Unit) -> Unit | None:
    """The newest profile operator that refines some version of the standard."""
    assert standard.file is not None
    found = [
        u
        for u in project.every_unit()
        if u.file is not None
        and u.file.kind == "profile"
        and u.file.refines is not None
        and (u.file.refines.namespace, u.file.refines.operator) == (standard.namespace, standard.file.name)
    ]
    return max(found, key=lambda u: u.file.version or 0 if u.file else 0, default=None)


def decision(project: Project, profile: Unit, meaning: Meaning, assignment: Assignment, element: Sort) -> Decision:
    """What the profile says of the standard's input, whose attributes are written out where they are left out there."""
    file = profile.file
    assert file is not None
    if element.name not in types_of(file, "T"):
        return Decision(profile.operator, "type", title=f"{element.name} is no type of it")
    instance = next(x for x in instances(file) if element.name in x.types)
    own = project.meaning(profile, Context(instance.family, element, variables=instance.variables))
    outcome = replay(project, profile, own, assignment_of(own, _given(file, own, meaning, assignment)), why=False)
    for what in ("restriction", "error", "constraint"):
        for statement, holds, _ in outcome.clauses:
            clause = statement.clause
            if clause.kind == what and holds is (what == "error"):
                return Decision(profile.operator, what, clause.tag, clause.title)
    if outcome.undeclared:
        return Decision(profile.operator, "declaration", next(iter(outcome.undeclared)))
    return Decision(profile.operator, "value", outputs=tuple(outcome.outputs.items()))


def _given(file: s.File, own: Meaning, standard: Meaning, assignment: Assignment) -> dict[str, Concrete]:
    """The input by the profile's names: an attribute that is an input there is a list of axes."""
    assert file.refines is not None
    given: dict[str, Concrete] = {}
    known = {v.name for v in standard.given}
    for variable in own.given:
        theirs = file.refines.renaming.get(variable.name, variable.name)
        value = assignment[theirs] if theirs in known and variable.role != "length" else LEFT_OUT
        if value is LEFT_OUT:
            if variable.default is not None:
                given[variable.name] = variable.default
        elif variable.kind == "tensor" and variable.count is not None:
            assert isinstance(value, tuple)
            given |= {f"{variable.name}{n + variable.base}": item for n, item in enumerate(value)}
        elif variable.kind == "tensor" and isinstance(value, tuple):
            given[variable.name] = ConcreteTensor(_AXES, (len(value),), value)
        else:
            given[variable.name] = value
    return given
