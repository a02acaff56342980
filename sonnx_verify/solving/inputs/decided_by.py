"""The decision of a profile on an input on which its standard, in any version, leaves something open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum, unique

from sonnx_verify.kernel.variables import Variable, VariableKind, VariableRole
from sonnx_verify.language import syntax as s
from sonnx_verify.language.context import Context
from sonnx_verify.language.families import instances, types_of
from sonnx_verify.language.files import Unit
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.project import Project
from sonnx_verify.logic import floats
from sonnx_verify.logic.sorts import ELEMENT_TYPES, FloatSort, Sort
from sonnx_verify.results.concrete import LEFT_OUT, Assignment, Concrete, ConcreteTensor
from sonnx_verify.solving.inputs.reached import Reached, reached
from sonnx_verify.solving.inputs.replay import NotGiven, assignment_of, replay

_AXES = ELEMENT_TYPES["int64"]


@unique
class DecidedBy(StrEnum):
    """The thing in a text that decides on an input."""

    TYPE = "type"
    RESTRICTION = "restriction"
    ERROR = "error"
    CONSTRAINT = "constraint"
    DECLARATION = "declaration"
    VALUE = "value"


@dataclass(frozen=True, slots=True)
class Decision:
    """The way in which a profile operator decides: a clause, restriction or error, or its shape and value; then the
    outputs, and where more than one element conforms the sets of results."""

    operator: str
    kind: DecidedBy
    tag: str = ""
    title: str = ""
    outputs: tuple[tuple[str, ConcreteTensor], ...] = ()
    sets: Mapping[str, Sequence[Reached]] = field(default_factory=dict)


def profile_of(project: Project, standard: Unit) -> Unit | None:
    """The newest profile operator that refines some version of the standard."""
    assert standard.file is not None
    refined = (standard.namespace, standard.file.name)
    found: dict[int, Unit] = {}
    for unit in project.every_unit():
        file = unit.file
        if file is None or file.kind is not s.FileKind.PROFILE or file.refines is None:
            continue
        if (file.refines.namespace, file.refines.operator) == refined:
            found.setdefault(file.version or 0, unit)
    # Of several versions of a profile the newest is in force.
    return found.get(max(found, default=0))


def decision(project: Project, profile: Unit, meaning: Meaning, assignment: Assignment, element: Sort) -> Decision:
    """The decision of the profile on the standard's input, whose attributes are written out where they are left out
    there."""
    file = profile.file
    assert file is not None
    if element.name not in types_of(file, "T"):
        return Decision(profile.operator, DecidedBy.TYPE, title=f"it does not support {element.name}")
    differing = ""
    for instance in instances(file):
        if element.name not in instance.types:
            continue
        own = project.meaning(profile, Context(instance.family, element, variables=instance.variables))
        given = _given(file, own, meaning, assignment)
        differing = _of_another_type(own, given)
        if not differing:
            break
    else:
        return Decision(profile.operator, DecidedBy.TYPE, title=f"it does not support {differing}")
    try:
        same = assignment_of(own, given)
    except NotGiven as missing:
        # A list that the standard may lack, as an attribute, may be an input that the profile declares.
        return Decision(profile.operator, DecidedBy.DECLARATION, missing.name)
    outcome = replay(project, profile, own, same, why=False)
    # A restriction says that the input is none of the profile's; an error names what a constraint only forbids.
    for kind in (s.ClauseKind.RESTRICTION, s.ClauseKind.ERROR, s.ClauseKind.CONSTRAINT):
        for judged in outcome.clauses:
            clause = judged.statement.clause
            if clause.kind is kind and judged.holds is judged.is_error:
                return Decision(profile.operator, DecidedBy(kind), clause.tag, clause.title)
    if outcome.undeclared:
        return Decision(profile.operator, DecidedBy.DECLARATION, next(iter(outcome.undeclared)))
    return Decision(
        profile.operator, DecidedBy.VALUE, outputs=tuple(outcome.outputs.items()), sets=reached(own, same, outcome)
    )


def _of_another_type(own: Meaning, given: Mapping[str, Concrete]) -> str:
    """The first tensor that has another element type than the profile's input, with its type; empty where none has."""
    for variable in own.given:
        value = given.get(variable.name)
        if isinstance(value, ConcreteTensor) and value.sort != variable.sort:
            return f"{variable.name} of {value.sort.name}"
    return ""


def _given(file: s.File, own: Meaning, standard: Meaning, assignment: Assignment) -> dict[str, Concrete]:
    """The input by the profile's names: an attribute that is an input there is a list of axes, or a scalar."""
    assert file.refines is not None
    given: dict[str, Concrete] = {}
    known = {v.name: v for v in standard.given}
    for variable in own.given:
        theirs = file.refines.renaming.get(variable.name, variable.name)
        value: Concrete = LEFT_OUT
        # A length is counted from the members that are given.
        if theirs in known and variable.role is not VariableRole.LENGTH:
            value = assignment[theirs]
        if value is LEFT_OUT:
            # The profile may have no default of its own, or the attribute may be required there.
            if variable.default is not None:
                given[variable.name] = variable.default
        elif isinstance(value, tuple) and variable.kind is VariableKind.TENSOR:
            given |= _tensors(variable, value)
        elif not isinstance(value, ConcreteTensor) and variable.kind is VariableKind.TENSOR:
            given[variable.name] = _scalar(variable, known[theirs], value)
        else:
            given[variable.name] = value
    return given


def _tensors(variable: Variable, value: tuple[Concrete, ...]) -> dict[str, Concrete]:
    """The members of a family by their names, or the list of axes that an attribute of the standard is, as a tensor."""
    if variable.count is not None:
        return {f"{variable.name}{n + variable.base}": item for n, item in enumerate(value)}
    return {variable.name: ConcreteTensor(_AXES, (len(value),), value)}


def _scalar(variable: Variable, attribute: Variable, value: Concrete) -> ConcreteTensor:
    """An attribute of the standard, such as a bound, as the tensor of rank 0 that the profile has."""
    assert isinstance(value, int)
    if isinstance(attribute.sort, FloatSort) and isinstance(variable.sort, FloatSort):
        value = floats.convert(attribute.sort, value, variable.sort)
    return ConcreteTensor(variable.sort, (), (value,))
