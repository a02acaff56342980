"""Hold other people's code and tests against specifications."""

from __future__ import annotations

import click

from sonnx_verify.cli.options import FORMAT, JOBS, REPORTS, RUN_FORMAT, guarded


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
    form: str,
    reports: tuple[str, ...],
) -> int:
    """Hold other people's code against a specification, such as `sonnx.Max-13`.

    TARGET is one of onnx.reference, onnxruntime, evaluator, python:MODULE:FUNCTION, exec:COMMAND. A Python function is
    called with the inputs as numpy arrays, attributes as keywords. A command is run as `COMMAND model.onnx DIR`.
    """
    from sonnx_verify.cli import conform as command
    from sonnx_verify.outputs.wanted import Wanted

    settings = command.settings_of(types, level, seed, count, seconds, short, test_only)
    keep = command.Keep(update_ledger, frozen)
    return command.conform(operator, against, settings, bound, keep, Wanted.of(form, reports))


@click.command()
@click.argument("operator", metavar="SPEC")
@click.option("--out", type=click.Path(), required=True, help="The folder: new, empty, or an earlier one of these.")
@click.option("--types", default="", metavar="TYPES", help="Only these element types, as in `float,int8`.")
@FORMAT
@guarded
def vectors(operator: str, out: str, types: str, form: str) -> int:
    """Write test vectors of an operator, such as `sonnx.Max`, in the layout of ONNX's node tests.

    They are solved from the specification: each clause at its boundary and failing alone, each branch, each special
    value at each place, empty tensors and rank 0. An index says which vector exercises what, and what is rejected.
    """
    from sonnx_verify.cli import vectors as command

    return command.vectors(operator, out, types, form)


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path())
@click.argument("operator", metavar="[SPEC]", required=False)
@click.option("--out", type=click.Path(), help="Write vectors for the rest to this folder.")
@FORMAT
@guarded
def coverage(folder: str, operator: str | None, out: str | None, form: str) -> int:
    """Say which clauses, branches and special values the tests in DIR exercise, and which they do not.

    DIR holds tests in the layout of ONNX's node tests. They are held against SPEC, such as `onnx.Max-13`, or else
    against the profile of their operator.
    """
    from sonnx_verify.cli import coverage as command

    return command.coverage(folder, operator, out, form)


@click.command()
@click.argument("what", nargs=-1)
@click.option("--out", required=True, metavar="FILE", help="The archive, such as evidence.tar.gz.")
@JOBS
@guarded
def evidence(what: tuple[str, ...], out: str, jobs: int | None) -> int:
    """Decide specifications and file what the verdicts rest on: claim, ledger, queries, texts, hashes, in one archive.

    The same texts, tool and solvers make the same bytes.
    """
    from sonnx_verify.cli import evidence as command

    return command.evidence(out, what, jobs)


@click.command()
@click.argument("what", nargs=-1)
@click.option("--out", required=True, metavar="DIR", help="The folder: new, empty, or an earlier report.")
@click.option("--timings", is_flag=True, help="Measure each obligation, with nothing from the cache, and plot it.")
@JOBS
@guarded
def report(what: tuple[str, ...], out: str, timings: bool, jobs: int | None) -> int:
    """Decide specifications and write what came of them as pages of HTML, that need no server and no network.

    The same texts, tool and solvers make the same bytes, but for the page of the timings.
    """
    from sonnx_verify.cli import report as command

    return command.report(out, what, jobs, timings)


@click.command(name="verify-evidence")
@click.argument("archive", metavar="FILE")
@click.option("--hashes-only", is_flag=True, help="Decide nothing again.")
@JOBS
@guarded
def verify_evidence(archive: str, hashes_only: bool, jobs: int | None) -> int:
    """Check the hashes of an archive that `evidence` made, and decide all of it again."""
    from sonnx_verify.cli import evidence as command

    return command.verify_evidence(archive, hashes_only, jobs)


COMMANDS = (conform, vectors, coverage, report, evidence, verify_evidence)
