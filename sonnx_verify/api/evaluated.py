"""A specification on an input, by the reference evaluator, with the reasons of each clause."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from sonnx_verify.api.given import attributes_of, given_twice, types_of, values_of
from sonnx_verify.errors import UsageError
from sonnx_verify.kernel.variables import VariableKind
from sonnx_verify.language.context import Context
from sonnx_verify.language.files import Unit
from sonnx_verify.language.meaning import Meaning, is_member
from sonnx_verify.language.project import Project
from sonnx_verify.results.concrete import Concrete
from sonnx_verify.solving.inputs.reached import Reached, reached
from sonnx_verify.solving.inputs.replay import Outcome, replay
from sonnx_verify.solving.inputs.section import check_type, none_of_a_group, section_of


@dataclass(frozen=True, slots=True)
class Evaluated:
    """The evaluation of an input: its section, the outcome, and the sets of results."""

    context: Context
    outcome: Outcome
    reached: Mapping[str, list[Reached]]

    @property
    def status(self) -> int:
        """The exit status: 1 if the input is rejected, 3 if the text leaves the outcome or the shape open or the result
        is not determined, else 0. An element that the text leaves open is a result."""
        outcome = self.outcome
        if outcome.left_open:
            return 3
        if outcome.undeclared or outcome.broken or outcome.errors:
            return 1
        return 3 if outcome.undetermined else 0


def evaluated(
    project: Project,
    unit: Unit,
    inputs: Mapping[str, Concrete],
    attributes: Sequence[str],
    outputs: Collection[str] = (),
    types: Sequence[str] = (),
) -> Evaluated:
    """The outcome of an operator on inputs, with `attributes` as NAME=VALUE, the `outputs` that are asked for, and
    `types` as VARIABLE=TYPE. Raises UserError for what is none of its own, for a type that nothing says, and where
    ONNX asks for exactly one of some attributes and none is given."""
    given, set_ = dict(inputs), attributes_of(unit, attributes)
    if both := sorted(given.keys() & set_.keys()):
        raise given_twice(both[0])
    # The element types of the inputs, and attributes that say a type, choose the section.
    given |= set_
    context = section_of(project, unit, given, types_of(types))
    meaning = project.meaning(unit, context)
    _check_outputs(unit, meaning, outputs)
    # An output that may be left out is asked for by its name.
    given |= {f"{name}.given": True for name in outputs if name in meaning.asked}
    assignment = values_of(unit, meaning, given)
    # The section was chosen by some inputs; that the others have its types too is still open.
    for variable in meaning.variables:
        if variable.name in assignment and variable.kind is VariableKind.TENSOR:
            check_type(variable.name, variable.sort.name, assignment[variable.name])
    outcome = replay(project, unit, meaning, assignment, why=True)
    if outcome.left_open and (problem := none_of_a_group(project, unit, given)) is not None:
        raise problem
    missing = sorted(set(outputs) - outcome.outputs.keys() - meaning.asked.keys())
    if outcome.outputs and missing and not outcome.undetermined:
        raise UsageError(
            f"{unit.operator} has no output `{missing[0]}` on this input", cure=f"it has {', '.join(outcome.outputs)}"
        )
    return Evaluated(context, outcome, reached(meaning, assignment, outcome))


def _check_outputs(unit: Unit, meaning: Meaning, names: Collection[str]) -> None:
    """Check that each of these names an output, or may name a member of a family."""
    for name in sorted(names):
        families = [v.name for v in meaning.outputs if v.count is not None]
        if name in families:
            raise UsageError(f"`{name}` is a family of outputs", cure=f"name a member, as in `{name}0`")
        if any(is_member(family, name) for family in families):
            continue
        if name not in {v.name for v in meaning.outputs}:
            raise UsageError(f"{unit.operator} has no output `{name}`", cure="see `sonnx-verify explain`")
