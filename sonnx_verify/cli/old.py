"""The old names of commands: what they took, given to the commands that took them in.

Hooks, jobs and other programs call them: options, output and status stay as they were.
"""

from __future__ import annotations

import click

from sonnx_verify.cli.options import EVERY, FORMAT, JOBS, Export, guarded
from sonnx_verify.outputs.wanted import Form


@click.command()
@click.argument("identity")
@FORMAT
@guarded
def show(identity: str, form: Form) -> int:
    """Show the terms of clauses or claims."""
    from sonnx_verify.cli.explaining.terms import terms

    return terms(identity, form)


@click.command(name="list")
@click.argument("what", nargs=-1)
@FORMAT
@guarded
def list_(what: tuple[str, ...], form: Form) -> int:
    """List obligations."""
    from sonnx_verify.cli.explaining.listing import listing

    return listing(what, form)


@click.command()
@click.argument("identity")
@click.option("--export", type=click.Choice([form.value for form in Export]), help="The form for another tool.")
@click.option("--out", type=click.Path(), metavar="DIR", help="The folder for --export onnx.")
@FORMAT
@guarded
def counterexample(identity: str, export: str | None, out: str | None, form: Form) -> int:
    """Show the smallest counterexample, or witness, of an obligation."""
    from sonnx_verify.cli.explaining.example import counterexample as example

    return example(identity, export, out, form)


@click.command()
@click.argument("operators", nargs=-1, required=True, metavar="SPEC...")
@FORMAT
@guarded
def gaps(operators: tuple[str, ...], form: Form) -> int:
    """Show what a standard leaves open."""
    from sonnx_verify.cli.explaining.gaps import gaps as gaps_of

    return gaps_of(operators, form)


@click.command()
@click.argument("operator", metavar="SPEC")
@click.option("--shape", "shapes", multiple=True, metavar="NAME=SIZES", help="Symbols and numbers, such as data=N,M,3.")
@click.option("--input", "inputs", multiple=True, metavar="NAME=VALUE", help="An input with its values, as in `eval`.")
@click.option(
    "--attr",
    "attributes",
    multiple=True,
    metavar="NAME=VALUE",
    help="An attribute; VALUE is NUMBER, [NUMBERS] or TEXT.",
)
@FORMAT
@guarded
def shape(
    operator: str, shapes: tuple[str, ...], inputs: tuple[str, ...], attributes: tuple[str, ...], form: Form
) -> int:
    """Infer output shapes from symbolic input shapes."""
    from sonnx_verify.cli.shapes import shapes_of

    return shapes_of(operator, shapes, inputs, attributes, form)


@click.command(name="export-smt")
@click.argument("folder", metavar="DIR", type=click.Path())
@click.argument("what", nargs=-1)
@JOBS
@FORMAT
@guarded
def export_smt(folder: str, what: tuple[str, ...], jobs: int | None, form: Form) -> int:
    """Export the SMT queries behind verdicts."""
    from sonnx_verify.cli.exporting import export_queries

    return export_queries(folder, what, jobs, form, hints=True)


@click.command(name="verify-evidence")
@click.argument("archive", metavar="FILE")
@click.option("--hashes-only", is_flag=True, help="Check the hashes only; decide nothing again.")
@JOBS
@guarded
def verify_evidence(archive: str, *, hashes_only: bool, jobs: int | None) -> int:
    """Verify an archive made by `evidence`."""
    from sonnx_verify.cli.verifying import verify_archive

    return verify_archive(archive, hashes_only=hashes_only, jobs=jobs)


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@EVERY
@JOBS
@guarded
def watch(paths: tuple[str, ...], every: float, jobs: int | None) -> int:
    """Check files again as they change, until Ctrl-C."""
    from sonnx_verify.cli.watching import watch as watching

    return watching(paths, every, jobs)
