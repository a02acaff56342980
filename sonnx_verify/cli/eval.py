"""`eval`: the outputs of an operator for given inputs, or the clauses that reject them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from sonnx_verify.api.evaluated import evaluated
from sonnx_verify.api.evaluation import evaluation_json
from sonnx_verify.api.given import given_twice, pair_of
from sonnx_verify.cli.options import FORMAT, OPSET, complete_operator, guarded, named, print_json
from sonnx_verify.errors import UsageError
from sonnx_verify.language.files import Unit
from sonnx_verify.language.named import here
from sonnx_verify.outputs.wanted import Form
from sonnx_verify.results.concrete import Concrete, ConcreteTensor
from sonnx_verify.solving.inputs.arguments import tensor_argument, to_array
from sonnx_verify.solving.inputs.outcome_lines import outcome_lines


@click.command(name="eval")
@click.argument("operator", metavar="SPEC", shell_complete=complete_operator)
@click.option(
    "--input",
    "inputs",
    multiple=True,
    metavar="NAME=VALUE",
    help="An input; VALUE is TYPE:VALUES, FILE.npy, TYPE:FILE.npy, or as answers print it: 'float (0, 2) []'.",
)
@click.option(
    "--attr",
    "attributes",
    multiple=True,
    metavar="NAME=VALUE",
    help="An attribute; VALUE is NUMBER, [NUMBERS] or TEXT.",
)
@click.option(
    "--shape", "shapes", multiple=True, metavar="NAME=SIZES", help="An input without values, such as data=N,M,3."
)
@click.option(
    "--output",
    "outputs",
    multiple=True,
    metavar="NAME[=FILE]",
    help="Write an output to FILE.npy, or compute an optional one.",
)
@click.option(
    "--type",
    "types",
    multiple=True,
    metavar="VARIABLE=TYPE",
    help="The type of a type variable that no input or attribute says, such as T=float.",
)
@click.option("--why", is_flag=True, help="Explain each clause on the input.")
@OPSET
@FORMAT
@guarded
def evaluate(
    operator: str,
    *,
    inputs: tuple[str, ...],
    attributes: tuple[str, ...],
    shapes: tuple[str, ...],
    outputs: tuple[str, ...],
    types: tuple[str, ...],
    why: bool,
    opset: int | None,
    form: Form,
) -> int:
    """Run an operator's specification on tensors or shapes.

    The reference evaluator computes the outputs, or names the clause that rejects the input (status 1), or what the
    specification leaves open about it (status 3). With --shape, whose sizes are symbols and numbers, the answer is the
    shape of each output and the conditions under which it exists.

    \b
    Examples:
      sonnx-verify eval sonnx.Max --input 'X0=float:[1, 2]' --input 'X1=float:[[0], [3]]'
      sonnx-verify eval onnx.ReduceMax --input 'data=int8:[[1, 2], [3, 4]]' --attr keepdims=0 --why
      sonnx-verify eval sonnx.Max --shape X0=N,3 --shape X1=M
    """
    if shapes:
        if outputs or why:
            raise UsageError("a shape has no values", cure="leave out --output and --why, or --shape")
        from sonnx_verify.cli.shapes import shapes_of

        return shapes_of(operator, shapes, inputs, attributes, form, opset, types)
    project = here()
    unit = named(project, operator, opset)
    given = _inputs(unit, inputs)
    targets = _targets(outputs)
    # Clause by clause, also without --why: JSON has the reasons, and a rejection names the clause that fails.
    made = evaluated(project, unit, given, attributes, targets, types)
    outcome = made.outcome
    if form is Form.JSON:
        print_json(evaluation_json(unit, made))
    else:
        click.echo("\n".join(outcome_lines(outcome, made.reached, why=why)))
    for name, target in targets.items():
        if target and name in outcome.outputs:
            _save(name, Path(target), outcome.outputs[name])
    return made.status


def _inputs(unit: Unit, texts: Sequence[str]) -> dict[str, Concrete]:
    """The inputs by name. UsageError for one that is given twice, or is an attribute."""
    attributes: set[str] = set()
    if unit.file is not None:
        attributes = {declared.name for declared in unit.file.attributes}
    given: dict[str, Concrete] = {}
    for text in texts:
        name, value = pair_of(text)
        if name in given:
            raise given_twice(name)
        if name in attributes:
            raise UsageError(f"`{name}` is an attribute, not an input", cure=f"write --attr {text}")
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
