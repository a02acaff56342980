"""`eval`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from sonnx_verify.api.given import attributes_of, pair_of, values_of
from sonnx_verify.cli.options import FORMAT, guarded, print_json, types_json
from sonnx_verify.errors import UsageError
from sonnx_verify.language.context import Context
from sonnx_verify.language.files import Unit
from sonnx_verify.language.named import find_operator, here
from sonnx_verify.language.variables import VariableKind
from sonnx_verify.outputs.wanted import Form
from sonnx_verify.results.concrete import Concrete, ConcreteTensor
from sonnx_verify.results.values import tensor_json, tensor_text
from sonnx_verify.solving.inputs.arguments import tensor_argument, to_array
from sonnx_verify.solving.inputs.outcome_lines import clause_lines
from sonnx_verify.solving.inputs.replay import Outcome, replay
from sonnx_verify.solving.inputs.section import check_type, section_of


@click.command(name="eval")
@click.argument("operator")
@click.option("--input", "inputs", multiple=True, help="NAME=TYPE:VALUES or NAME=FILE.npy or NAME=TYPE:FILE.npy")
@click.option("--attr", "attributes", multiple=True, help="NAME=NUMBER, NAME=[NUMBERS] or NAME=TEXT")
@click.option("--output", "outputs", multiple=True, help="NAME=FILE.npy, or NAME of an optional output.")
@click.option("--why", is_flag=True, help="Walk the input clause by clause.")
@FORMAT
@guarded
def evaluate(
    operator: str,
    *,
    inputs: tuple[str, ...],
    attributes: tuple[str, ...],
    outputs: tuple[str, ...],
    why: bool,
    form: Form,
) -> int:
    """Run an operator's specification on an input, by the reference evaluator."""
    project = here()
    unit = find_operator(project, operator)
    given = _inputs(unit, inputs)
    set_ = attributes_of(unit, attributes)
    if both := sorted(given.keys() & set_.keys()):
        raise UsageError(f"`{both[0]}` is given twice", cure="give each input and attribute once")
    # The element types of the inputs choose the section: an operator may mean something else of floats.
    context = section_of(unit, given)
    given |= set_
    targets = _targets(outputs)
    meaning = project.meaning(unit, context)
    unknown = sorted(targets.keys() - {v.name for v in meaning.outputs})
    if unknown:
        raise UsageError(f"{unit.operator} has no output `{unknown[0]}`", cure="see `sonnx-verify show`")
    # An output that may be left out is asked for by its name.
    given |= {f"{name}.given": True for name in targets if name in meaning.asked}
    assignment = values_of(unit, meaning, given)
    # The section was chosen by some inputs; that the others have its types too is still open.
    for variable in meaning.variables:
        if variable.name in assignment and variable.kind is VariableKind.TENSOR:
            check_type(variable.name, variable.sort.name, assignment[variable.name])
    # Clause by clause, also without --why: JSON has the reasons, and a rejection names the clause that fails.
    outcome = replay(project, unit, meaning, assignment, why=True)
    if form is Form.JSON:
        print_json(_as_json(unit, context, outcome))
    else:
        click.echo("\n".join(_as_text(outcome, why=why)))
    for name, target in targets.items():
        if target and name in outcome.outputs:
            _save(name, Path(target), outcome.outputs[name])
    # An element that the text leaves open is a result; that it gives none, or no single one, is a finding.
    fails = outcome.undeclared or outcome.broken or outcome.errors or outcome.undetermined
    return int(bool(fails))


def _inputs(unit: Unit, texts: Sequence[str]) -> dict[str, Concrete]:
    """The inputs by name. UsageError for one that is given twice, or is an attribute."""
    attributes: set[str] = set()
    if unit.file is not None:
        attributes = {declared.name for declared in unit.file.attributes}
    given: dict[str, Concrete] = {}
    for text in texts:
        name, value = pair_of(text)
        if name in given:
            raise UsageError(f"`{name}` is given twice", cure="give each input once")
        if name in attributes:
            raise UsageError(f"`{name}` is an attribute, no input", cure=f"write --attr {text}")
        given[name] = tensor_argument(name, value)
    return given


def _targets(texts: Sequence[str]) -> dict[str, str]:
    """The outputs that are asked for, each with its file; one without a file is written nowhere."""
    targets: dict[str, str] = {}
    for text in texts:
        name, target = text, ""
        if "=" in text:
            name, target = pair_of(text)
        targets[name] = target
    return targets


def _save(name: str, path: Path, tensor: ConcreteTensor) -> None:
    import numpy as np

    try:
        with path.open("wb") as file:
            np.save(file, to_array(tensor))
    except OSError as problem:
        raise UsageError(f"{name}: {path} cannot be written: {problem.strerror}", cure="name another file") from None


def _as_text(outcome: Outcome, *, why: bool) -> list[str]:
    lines = clause_lines(outcome, why=why)
    for name, tensor in outcome.outputs.items():
        lines.append(f"{name} = {tensor_text(tensor)}")
        if name in outcome.unspecified:
            lines.append(f"  left open by the specification at {', '.join(map(str, outcome.unspecified[name]))}")
    return lines


def _as_json(unit: Unit, context: Context, outcome: Outcome) -> dict[str, object]:
    return {
        "operator": unit.operator,
        "types": types_json(context),
        "clauses": [
            {"tag": s.tag, "kind": s.clause.kind, "sentence": s.clause.title, "holds": holds, "why": reasons}
            for s, holds, reasons in outcome.clauses
        ],
        "undeclared": outcome.undeclared,
        "outputs": {name: tensor_json(tensor) for name, tensor in outcome.outputs.items()},
        "unspecified": {name: [list(p) for p in places] for name, places in outcome.unspecified.items()},
        "undetermined": outcome.undetermined or None,
    }
