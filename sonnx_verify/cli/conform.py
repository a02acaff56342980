"""`conform`: an implementation compared with a specification, and its divergences with their ledger."""

from __future__ import annotations

import click
from msgspec import UNSET

from sonnx_verify.api.conforming import answered
from sonnx_verify.cli.options import (
    LINKS,
    OPSET,
    REPORTS,
    RUN_FORMAT,
    TIMEOUT,
    complete_operator,
    exclusive,
    guarded,
    named,
    paint_of_output,
    print_json,
    split,
    tell_cache_problem,
)
from sonnx_verify.conformance.oracles.comparison import LEVELS
from sonnx_verify.conformance.records.accuracy import ERRORS
from sonnx_verify.conformance.records.accuracy import updated as updated_errors
from sonnx_verify.conformance.records.ledger import LEDGERS, divergence_changes, updated
from sonnx_verify.conformance.runs.settings import Settings
from sonnx_verify.conformance.targets.models import need_onnx
from sonnx_verify.conformance.targets.target import Target
from sonnx_verify.errors import UsageError
from sonnx_verify.language.named import here
from sonnx_verify.outputs.conformance import conformance_json, conformance_lines
from sonnx_verify.outputs.wanted import Form, Wanted
from sonnx_verify.stores.folder import write_files
from sonnx_verify.stores.homes import record_roots


class _Level(click.Choice[str]):
    """A level of agreement. `sum-bound` is the earlier name of `member`."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The level of that name."""
        if value == "sum-bound":
            value = "member"
        return super().convert(value, param, ctx)


@click.command()
@click.argument("operator", metavar="SPEC", shell_complete=complete_operator)
@click.option("--against", required=True, metavar="TARGET", help="Implementation to check (see above).")
@click.option("--types", metavar="TYPES", default="", help="Element types, such as float,int8 (default: all).")
@click.option(
    # From the strictest on. The default is blind to the payload and the sign of a NaN, which IEEE 754 leaves open; that
    # -0 is not 0 it sees.
    "--accept-level",
    "level",
    type=_Level(LEVELS),
    default="nan-payload",
    show_default=True,
    help="Weakest level of agreement to accept.",
)
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Seed for the random inputs.")
@click.option(
    "--random",
    "count",
    type=click.IntRange(0),
    default=100,
    show_default=True,
    metavar="N",
    help="Random inputs per element type.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(0, min_open=True),
    default=20.0,
    show_default=True,
    metavar="SECONDS",
    help="Time limit per call.",
)
@TIMEOUT
@click.option("--short", is_flag=True, help="Test small inputs only; skip the covering array.")
@click.option(
    "--strength",
    type=click.IntRange(1, 6),
    default=3,
    show_default=True,
    metavar="N",
    help="Coverage strength: N-way over all factors, (N+1)-way over shapes.",
)
@click.option("--without", default="", metavar="TYPES", help="Element types that the target may lack.")
@click.option("--test-only", is_flag=True, help="Test Python code instead of proving it.")
@click.option("--accuracy", is_flag=True, help="Measure errors in ulps; implies --test-only.")
@click.option(
    "--vectors",
    type=click.Path(),
    default="",
    metavar="DIR",
    help="Use only the test inputs in DIR; implies --test-only.",
)
@click.option("--bound", default="", metavar="BOUND", help="Proof bound (default: rank=2,dim=2,inputs=2).")
@click.option(
    "--deepen",
    type=click.FloatRange(0),
    default=0.0,
    metavar="SECONDS",
    help="Keep raising the proof bound for SECONDS; the bound reached depends on the machine.",
)
@click.option("--update-ledger", is_flag=True, help="Record the divergences, in runs/ of the folder of SPEC.")
@click.option(
    "--update-accuracy",
    is_flag=True,
    help="Record errors by size, in accuracy/; implies --accuracy.",
)
@click.option("--frozen", is_flag=True, help="Fail if any divergence differs from the ledger.")
@OPSET
@RUN_FORMAT
@REPORTS
@LINKS
@guarded
def conform(
    operator: str,
    *,
    against: str,
    types: str,
    level: str,
    seed: int,
    count: int,
    seconds: float,
    strength: int,
    without: str,
    short: bool,
    test_only: bool,
    accuracy: bool,
    vectors: str,
    bound: str,
    deepen: float,
    update_ledger: bool,
    update_accuracy: bool,
    frozen: bool,
    opset: int | None,
    form: Form,
    reports: tuple[str, ...],
    links: tuple[str, ...],
) -> int:
    """Check an implementation against a specification.

    TARGET is onnx.reference, onnxruntime, openvino, tract, evaluator, python:MODULE:FUNCTION or exec:COMMAND. A Python
    function gets inputs as numpy arrays and attributes as keyword arguments, and is proved or refuted up to a bound;
    `evaluator` is too. Other targets are tested. A command runs as `COMMAND model.onnx DIR`.

    \b
    Examples:
      sonnx-verify conform sonnx.Max-13 --against onnx.reference --types float16 --short --random 0
    """
    wanted = Wanted.of(form, reports, links)
    accepted = LEVELS.index(level)
    settings = Settings(
        tuple(split(types)),
        accepted,
        seed,
        count,
        seconds,
        strength,
        short=short,
        test_only=test_only,
        deepen=deepen,
        accuracy=accuracy or update_accuracy,
        without=tuple(split(without)),
        vectors=vectors,
    )
    if vectors:
        need_onnx()
    project = here()
    unit = named(project, operator, opset)
    target = Target.of(against)
    roots = record_roots(project.root)
    wanted.refuse([unit.path], (path for store in (LEDGERS, ERRORS) for path in store.files(roots[0])))
    _refuse(settings, update_ledger=update_ledger, update_accuracy=update_accuracy, frozen=frozen)
    answer = answered(project, unit, target, settings, bound, tell_cache_problem)
    differences = []
    if frozen:
        differences = divergence_changes(roots, target, answer)
    if wanted.needs_run:
        from sonnx_verify.outputs.of_conform import run_of_conform

        assert unit.file is not None
        click.echo(wanted.finish(run_of_conform(answer, differences, unit.file.span, frozen=frozen)), nl=False)
    if wanted.form is Form.JSON:
        print_json(conformance_json(answer, differences if frozen else UNSET))
    elif wanted.is_text:
        click.echo("\n".join(conformance_lines(answer, paint_of_output())))
        if frozen:
            click.echo("\n".join(["", *(differences or ["matches the ledger"])]))
    if update_ledger:
        write_files(updated(roots[0], target, answer))
    if update_accuracy:
        write_files(updated_errors(roots[0], target, answer))
    # A divergence that the ledger has is known: only a change is a finding then.
    if frozen:
        return int(bool(differences))
    return answer.status


def _refuse(settings: Settings, *, update_ledger: bool, update_accuracy: bool, frozen: bool) -> None:
    """Raise UsageError where a ledger or a record of errors would be written, or compared, of a part."""
    if update_ledger and frozen:
        raise exclusive("--update-ledger", "--frozen")
    wishes = {"--update-ledger": update_ledger, "--update-accuracy": update_accuracy, "--frozen": frozen}
    for option, wish in wishes.items():
        if wish and settings.vectors:
            raise exclusive("--vectors", option)
    # With them a ledger would have more inputs and findings than a run without, to which it is compared.
    if (update_ledger or frozen) and settings.accuracy:
        problem = "inputs that measure errors have no place in the ledger"
        raise UsageError(problem, cure="run it twice, with --accuracy or --update-accuracy and without")
    # A run of some types would write a ledger in which the others have no divergence.
    if update_ledger and settings.types:
        raise UsageError("the ledger has all types of an operator", cure="drop --types, or --update-ledger")
    if update_accuracy and settings.types:
        raise UsageError("the record has all types of an operator", cure="drop --types, or --update-accuracy")
    if update_accuracy and not settings.random:
        raise UsageError("without random inputs nothing is recorded", cure="drop --random, or --update-accuracy")
