"""`conform`."""

from __future__ import annotations

import json
from dataclasses import dataclass

import click

from sonnx_verify.api.conforming import answered
from sonnx_verify.cli.options import REPORTS, RUN_FORMAT, guarded, split
from sonnx_verify.conformance.compare import LEVELS
from sonnx_verify.conformance.ledger import FOLDER, changes, updated
from sonnx_verify.conformance.target import Target
from sonnx_verify.conformance.tested import Settings
from sonnx_verify.errors import UsageError
from sonnx_verify.language.named import find_operator, here
from sonnx_verify.outputs.conformance import conformance_json, conformance_lines
from sonnx_verify.outputs.wanted import Form, Wanted
from sonnx_verify.stores.folder import write_file


@dataclass(frozen=True, slots=True)
class _Keep:
    """The use of the ledger: it is written, or the run is compared with it."""

    update: bool = False
    frozen: bool = False


@click.command()
@click.argument("operator", metavar="SPEC")
@click.option("--against", required=True, metavar="TARGET", help="See above.")
@click.option("--types", metavar="TYPES", default="", help="Only these element types, such as float,int8.")
@click.option(
    "--accept-level",
    "level",
    type=click.Choice(["bits", "nan-payload", "zero-sign", "sum-bound"]),
    default="nan-payload",
    show_default=True,
    help="Which agreement suffices.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Of the random inputs.")
@click.option("--random", "count", type=click.IntRange(0), default=100, show_default=True, help="How many of a type.")
@click.option(
    "--seconds", type=click.FloatRange(0, min_open=True), default=20.0, show_default=True, help="For one call."
)
@click.option("--short", is_flag=True, help="Only small inputs: no lengths, no places in memory.")
@click.option("--test-only", is_flag=True, help="Do not prove Python code: test it, as other targets.")
@click.option("--bound", default="", metavar="BOUND", help="Of proofs: rank=2,dim=2,inputs=2 where nothing is said.")
@click.option("--update-ledger", is_flag=True, help="Write what came of it into proofs/divergences/.")
@click.option("--frozen", is_flag=True, help="Fail where anything is otherwise than the ledger says.")
@RUN_FORMAT
@REPORTS
@guarded
def conform(
    operator: str,
    against: str,
    types: str,
    level: str,
    seed: int,
    count: int,
    seconds: float,
    short: bool,
    test_only: bool,
    bound: str,
    update_ledger: bool,
    frozen: bool,
    form: Form,
    reports: tuple[str, ...],
) -> int:
    """Hold other people's code against a specification, such as `sonnx.Max-13`.

    TARGET is one of onnx.reference, onnxruntime, evaluator, python:MODULE:FUNCTION, exec:COMMAND. A Python function is
    called with the inputs as numpy arrays, attributes as keywords. A command is run as `COMMAND model.onnx DIR`.
    """
    keep = _Keep(update_ledger, frozen)
    wanted = Wanted.of(form, reports)
    settings = Settings(tuple(split(types)), LEVELS.index(level), seed, count, seconds, short, test_only)
    if keep.update and keep.frozen:
        raise UsageError("--frozen holds against the ledger that --update-ledger writes", cure="give one of them")
    project = here()
    unit = find_operator(project, operator)
    target = Target.of(against)
    wanted.refuse([unit.path], (project.root / FOLDER).glob("*.json"))
    if keep.update and settings.types:
        raise UsageError("the ledger has all types of an operator", cure="drop --types, or --update-ledger")
    answer = answered(project, unit, target, settings, bound)
    differences = []
    if keep.frozen:
        differences = changes(project.root, target, answer)
    if wanted.needs_run:
        from sonnx_verify.outputs.of_conform import run_of_conform

        span = None if unit.file is None else unit.file.span
        click.echo(wanted.finish(run_of_conform(answer, differences, span, frozen=keep.frozen)), nl=False)
    if wanted.form is Form.JSON:
        made = conformance_json(answer)
        if keep.frozen:
            made |= {"changes": differences}
        click.echo(json.dumps(made, indent=1, ensure_ascii=False))
    elif wanted.is_text:
        click.echo("\n".join(conformance_lines(answer)))
        if keep.frozen:
            click.echo("\n".join(["", *(differences or ["as the ledger has it"])]))
    if keep.update:
        path, text = updated(project.root, target, answer)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, text)
    if keep.frozen:
        return 1 if differences else 0
    return answer.verdict.status
