"""Ask: what is there, what it says, why."""

from __future__ import annotations

import click

from sonnx_verify.cli.options import FORMAT, JOBS, guarded


@click.command(name="list")
@click.argument("what", nargs=-1)
@FORMAT
@guarded
def list_(what: tuple[str, ...], form: str) -> int:
    """List the obligations of specifications."""
    from sonnx_verify.cli import listing as command

    return command.listing(what, form)


@click.command()
@click.argument("identity")
@FORMAT
@guarded
def show(identity: str, form: str) -> int:
    """Show an operator's clauses, or an obligation's claims, with the terms they became."""
    from sonnx_verify.cli import show as command

    return command.show(identity, form)


@click.command()
@click.argument("identity")
@FORMAT
@guarded
def explain(identity: str, form: str) -> int:
    """Explain a clause, such as `sonnx.Max-13/C1`, or an obligation, such as `sonnx.Max-13.int/C1/covered`.

    Of a clause: what it excludes, what it follows from, and which proofs need it. Of an obligation that fails: a clause
    that mends the text, checked, where a simple one does.
    """
    from sonnx_verify.cli import explain as command

    return command.explain(identity, form)


@click.command()
@click.argument("identity")
@click.option("--export", type=click.Choice(["numpy", "onnx"]), help="Print a numpy snippet, or write an ONNX test.")
@click.option("--out", type=click.Path(), help="The folder for --export onnx.")
@FORMAT
@guarded
def counterexample(identity: str, export: str | None, out: str | None, form: str) -> int:
    """Show the smallest counterexample, or witness, of one obligation."""
    from sonnx_verify.cli import counterexample as command

    return command.counterexample(identity, export, out, form)


@click.command()
@click.argument("first", metavar="A")
@click.argument("second", metavar="[B]", required=False)
@FORMAT
@guarded
def diff(first: str, second: str | None, form: str) -> int:
    """Compare two specifications of one operator, such as `onnx.Op-12` and `onnx.Op-13`.

    With one name, a commit, branch or tag: compare each operator of the project with what it was there.

    Versions or texts of it, or a profile or draft and its standard: what only one of them accepts, and whether they
    allow the same results where both do.
    """
    if second is None:
        from sonnx_verify.cli.since import since

        return since(first, form)
    from sonnx_verify.cli import diff as command

    return command.diff(first, second, form)


@click.command()
@click.argument("operators", nargs=-1, required=True, metavar="OPERATOR...")
@FORMAT
@guarded
def gaps(operators: tuple[str, ...], form: str) -> int:
    """Show what a standard leaves open, such as `onnx.Op-13`.

    One line for each gap: the smallest input, two results that conform, and how the profile decides.
    """
    from sonnx_verify.cli import gaps as command

    return command.gaps(operators, form)


@click.command()
@click.argument("operator")
@click.option("--shape", "shapes", multiple=True, help="NAME=SIZES: symbols and numbers, as in data=N,M,3")
@click.option("--input", "inputs", multiple=True, help="An input with its values: NAME=VALUES, or as in `eval`.")
@click.option("--attr", "attributes", multiple=True, help="NAME=NUMBER, NAME=[NUMBERS] or NAME=TEXT")
@FORMAT
@guarded
def shape(
    operator: str, shapes: tuple[str, ...], inputs: tuple[str, ...], attributes: tuple[str, ...], form: str
) -> int:
    """Say which shapes an operator's outputs have where sizes are symbols, and what has to hold of them."""
    from sonnx_verify.cli import shape as command

    return command.shape(operator, shapes, inputs, attributes, form)


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
    inputs: tuple[str, ...],
    attributes: tuple[str, ...],
    outputs: tuple[str, ...],
    why: bool,
    form: str,
) -> int:
    """Run an operator's specification on an input, by the reference evaluator."""
    from sonnx_verify.cli import evaluate as command

    return command.evaluate(operator, inputs, attributes, outputs, why, form)


@click.command(name="export-smt")
@click.argument("folder", metavar="DIR", type=click.Path())
@click.argument("what", nargs=-1)
@JOBS
@FORMAT
@guarded
def export_smt(folder: str, what: tuple[str, ...], jobs: int | None, form: str) -> int:
    """Write the queries that verdicts rest on to DIR, each as a script that any SMT solver runs.

    Decides WHAT, as in `check`, and what it uses. Each .smt2 file holds the answer that is expected and says which
    obligations rest on it; index.json lists both. DIR is new, empty, or holds an earlier export, which is replaced.
    """
    from sonnx_verify.cli import export_smt as command

    return command.export_smt(folder, what, form, jobs)


COMMANDS = (list_, show, explain, counterexample, diff, gaps, shape, evaluate, export_smt)
