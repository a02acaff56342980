"""The examples of a specification and of its page, as inputs.

They are what its author thought of first, and what a reader tries first. What they show beside the input is not used:
the demand is that of the specification, as for every input; that the two agree, `check` and `page lint` say.
"""

from __future__ import annotations

from dataclasses import dataclass

from sonnx_verify.conformance.inputs.contexts import name_of
from sonnx_verify.language.context import Context
from sonnx_verify.language.families import instances
from sonnx_verify.language.files import Unit
from sonnx_verify.language.project import Project
from sonnx_verify.logic.sorts import ELEMENT_TYPES, REAL
from sonnx_verify.obligations.examples import Shown, shown_in
from sonnx_verify.obligations.section import Section
from sonnx_verify.results.concrete import Assignment
from sonnx_verify.solving.inputs.inputs import fits


@dataclass(frozen=True, slots=True)
class Example:
    """An example: its name, the name of its choice of types, and its input."""

    name: str
    types: str
    assignment: Assignment


def examples_of_text(project: Project, unit: Unit) -> list[Example]:
    """The examples of a specification in their order, but those of real numbers, which no array holds, and those whose
    values no type has. Raises SpecificationError where one does not fit the declarations."""
    assert unit.file is not None
    if not unit.file.examples:
        return []
    lines = instances(unit.file)
    sections = [
        Section(project, unit, x.name, x.family, tuple(ELEMENT_TYPES[t] for t in x.types), x.variables) for x in lines
    ]
    made = (_example(project, unit, shown) for shown in shown_in(sections, lines))
    return [example for example in made if example is not None]


def _example(project: Project, unit: Unit, shown: Shown) -> Example | None:
    """The example as an input; None for one that cannot be an input."""
    obligation, values = shown.obligation, dict(shown.values)
    if not obligation.types or obligation.types[0] == REAL or not values or not fits(shown.variables, values):
        return None
    context = Context(obligation.family, obligation.types[0], variables=obligation.variables)
    given = {variable.name: values[variable.name] for variable in project.meaning(unit, context).given}
    return Example(obligation.tag, name_of(unit, context), given)
