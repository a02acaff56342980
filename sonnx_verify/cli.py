"""The command line. It holds no logic: each command gathers its arguments, calls one function and prints."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click

from sonnx_verify import __version__

FORMAT = click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True, help="How to print."
)

JOBS = click.option(
    "--jobs", "-j", type=click.IntRange(1, 256), metavar="N", help="How many processes decide; else one a core."
)


DEEPEST = 10_000
"""How many calls may be open. A stack of 8 MiB, the usual one, holds them: beyond it there is no exception: the process
ends. The library needs less than 1,500."""


def _guarded(command: Callable[..., int]) -> Callable[..., None]:
    """Run a command; a user's error is printed and ends with 2, an interrupt with 130."""

    @wraps(command)
    def run(*args: Any, **kwargs: Any) -> None:
        from sonnx_verify.errors import UsageError, UserError

        sys.setrecursionlimit(max(sys.getrecursionlimit(), DEEPEST))
        try:
            try:
                Path.cwd()
            except OSError as error:
                cure = "go to a folder that is there"
                raise UsageError(f"the current folder cannot be used: {error.strerror}", cure=cure) from error
            status = command(*args, **kwargs)
        except UserError as error:
            click.echo(str(error), err=True)
            status = 2
        except RecursionError:
            click.echo(
                str(UserError("too deep to work on", cure="take it apart: fewer levels of definitions")), err=True
            )
            status = 2
        except KeyboardInterrupt:
            click.echo("interrupted", err=True)
            status = 130
        sys.exit(status)

    return run


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="sonnx-verify")
def main() -> None:
    """Specify and verify the operators of SONNX, the safety-related profile of ONNX.

    Exit status: 0 everything holds or the question was answered; 1 a finding; 2 bad usage or bad input; 3 undecided.
    """


@main.command()
@click.argument("what", nargs=-1)
@click.option("--no-cache", is_flag=True, help="Decide everything, whatever earlier runs found.")
@click.option("--verbose", "-v", is_flag=True, help="One line for each obligation, not only for findings.")
@click.option("--times", is_flag=True, help="Print the seconds it took.")
@JOBS
@click.option("--dask", metavar="ADDRESS", help="Decide on the dask cluster whose scheduler has this address.")
@click.option("--update-ledger", is_flag=True, help="Write what came of it into proofs/ledger.json.")
@click.option("--frozen", is_flag=True, help="Fail where anything is otherwise than the ledger says.")
@click.option("--changed", metavar="REF", help="Only what says something else than in that commit, and what uses it.")
@FORMAT
@_guarded
def check(
    what: tuple[str, ...],
    no_cache: bool,
    verbose: bool,
    times: bool,
    jobs: int | None,
    dask: str | None,
    update_ledger: bool,
    frozen: bool,
    changed: str | None,
    form: str,
) -> int:
    """Check specifications and theorems.

    WHAT is a path or a pattern of identities, such as `sonnx.Max-13*`. Without it: everything under spec/ and proofs/,
    or the .sonnx files below this folder.
    """
    from sonnx_verify.commands import check as command

    keep = command.Keep.of(update_ledger, frozen)
    return command.check(what, verbose, times, form, jobs, keep, not no_cache, changed, dask)


@main.group()
def cache() -> None:
    """What earlier runs found, kept in a folder of the user: see how much it is, or remove it."""


@cache.command(name="clear")
@_guarded
def cache_clear() -> int:
    """Remove all that is kept."""
    from sonnx_verify.commands import cache as command

    return command.clear()


@cache.command(name="stats")
@FORMAT
@_guarded
def cache_stats(form: str) -> int:
    """Show where it is, and how much is kept."""
    from sonnx_verify.commands import cache as command

    return command.stats(form)


@main.command()
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@FORMAT
@_guarded
def diff(first: str, second: str, form: str) -> int:
    """Compare two specifications of one operator, such as `onnx.Op-12` and `onnx.Op-13`.

    Versions or texts of it, or a profile or draft and its standard: what only one of them accepts, and whether they
    allow the same results where both do.
    """
    from sonnx_verify.commands import diff as command

    return command.diff(first, second, form)


@main.command()
@click.argument("operators", nargs=-1, required=True, metavar="OPERATOR...")
@FORMAT
@_guarded
def gaps(operators: tuple[str, ...], form: str) -> int:
    """Show what a standard leaves open, such as `onnx.Op-13`.

    One line for each gap: the smallest input, two results that conform, and how the profile decides.
    """
    from sonnx_verify.commands import gaps as command

    return command.gaps(operators, form)


@main.command()
@click.argument("statement")
@FORMAT
@_guarded
def prove(statement: str, form: str) -> int:
    """Prove or refute a statement about operators and definitions, such as "Max(A, B) = Max(B, A)".

    Names that are not defined are tensors, for all of which the statement has to hold; or begin with
    `for A : shape; n : int assuming ... :` to declare them.
    """
    from sonnx_verify.commands import prove as command

    return command.prove(statement, form)


@main.command()
@click.argument("identity")
@click.option("--export", type=click.Choice(["numpy", "onnx"]), help="Print a numpy snippet, or write an ONNX test.")
@click.option("--out", type=click.Path(), help="The folder for --export onnx.")
@FORMAT
@_guarded
def counterexample(identity: str, export: str | None, out: str | None, form: str) -> int:
    """Show the smallest counterexample, or witness, of one obligation."""
    from sonnx_verify.commands import counterexample as command

    return command.counterexample(identity, export, out, form)


@main.command(name="eval")
@click.argument("operator")
@click.option("--input", "inputs", multiple=True, help="NAME=TYPE:VALUES or NAME=FILE.npy or NAME=TYPE:FILE.npy")
@click.option("--attr", "attributes", multiple=True, help="NAME=NUMBER, NAME=[NUMBERS] or NAME=TEXT")
@click.option("--output", "outputs", multiple=True, help="NAME=FILE.npy, or NAME of an optional output.")
@click.option("--why", is_flag=True, help="Walk the input clause by clause.")
@FORMAT
@_guarded
def evaluate(
    operator: str,
    inputs: tuple[str, ...],
    attributes: tuple[str, ...],
    outputs: tuple[str, ...],
    why: bool,
    form: str,
) -> int:
    """Run an operator's specification on an input, by the reference evaluator."""
    from sonnx_verify.commands import evaluate as command

    return command.evaluate(operator, inputs, attributes, outputs, why, form)


@main.command()
@click.argument("operator")
@click.option("--shape", "shapes", multiple=True, help="NAME=SIZES: symbols and numbers, as in data=N,M,3")
@click.option("--input", "inputs", multiple=True, help="An input with its values: NAME=VALUES, or as in `eval`.")
@click.option("--attr", "attributes", multiple=True, help="NAME=NUMBER, NAME=[NUMBERS] or NAME=TEXT")
@FORMAT
@_guarded
def shape(
    operator: str, shapes: tuple[str, ...], inputs: tuple[str, ...], attributes: tuple[str, ...], form: str
) -> int:
    """Say which shapes an operator's outputs have where sizes are symbols, and what has to hold of them."""
    from sonnx_verify.commands import shape as command

    return command.shape(operator, shapes, inputs, attributes, form)


@main.command()
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
@FORMAT
@_guarded
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
) -> int:
    """Hold other people's code against a specification, such as `sonnx.Max-13`.

    TARGET is one of onnx.reference, onnxruntime, evaluator, python:MODULE:FUNCTION, exec:COMMAND. A Python function is
    called with the inputs as numpy arrays, attributes as keywords. A command is run as `COMMAND model.onnx DIR`.
    """
    from sonnx_verify.commands import conform as command

    settings = command.settings_of(types, level, seed, count, seconds, short, test_only)
    keep = command.Keep(update_ledger, frozen)
    return command.conform(operator, against, settings, bound, keep, form)


@main.command(name="list")
@click.argument("what", nargs=-1)
@FORMAT
@_guarded
def list_(what: tuple[str, ...], form: str) -> int:
    """List the obligations of specifications."""
    from sonnx_verify.commands import listing as command

    return command.listing(what, form)


@main.command(name="export-smt")
@click.argument("folder", metavar="DIR", type=click.Path())
@click.argument("what", nargs=-1)
@JOBS
@FORMAT
@_guarded
def export_smt(folder: str, what: tuple[str, ...], jobs: int | None, form: str) -> int:
    """Write the queries that verdicts rest on to DIR, each as a script that any SMT solver runs.

    Decides WHAT, as in `check`, and what it uses. Each .smt2 file holds the answer that is expected and says which
    obligations rest on it; index.json lists both. DIR is new, empty, or holds an earlier export, which is replaced.
    """
    from sonnx_verify.commands import export_smt as command

    return command.export_smt(folder, what, form, jobs)


@main.command()
@click.argument("pages", nargs=-1, required=True, metavar="PAGE...")
@click.option("--fix", is_flag=True, help="Mend what is mechanical, in the files.")
@FORMAT
@_guarded
def lint(pages: tuple[str, ...], fix: bool, form: str) -> int:
    """Say what is wrong with pages of the profile, or with those of folders: tags, anchors, links, sections, words."""
    from sonnx_verify.commands import lint as command

    return command.lint(pages, form, fix)


@main.command()
@click.argument("pages", nargs=-1, required=True, metavar="PAGE...")
@click.option(
    "--format",
    "form",
    type=click.Choice(["markdown", "csv"]),
    default="markdown",
    show_default=True,
    help="How to print.",
)
@JOBS
@_guarded
def trace(pages: tuple[str, ...], form: str, jobs: int | None) -> int:
    """Print what belongs together: tags of a page, clauses of the formal text beside it, proofs and tests.

    A page is named, or a folder with pages. A tag without a clause, a clause that is not on the page, and one without a
    proof are gaps, and end with status 1.
    """
    from sonnx_verify.commands import trace as command

    return command.trace(pages, form, jobs)


@main.command()
@_guarded
def lsp() -> int:
    """Serve an editor: the Language Server Protocol on standard input and output.

    What is wrong is told while it is written, of specifications and of pages; proofs follow. The exit status is 0 when
    the editor ends it as the protocol has it, else 1.
    """
    from sonnx_verify.commands import lsp as command

    return command.lsp()


@main.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option(
    "--every", type=click.FloatRange(0.01, 3600), default=0.5, show_default=True, help="Look after so many seconds."
)
@JOBS
@_guarded
def watch(paths: tuple[str, ...], every: float, jobs: int | None) -> int:
    """Check specifications, and again what changes, until Ctrl-C.

    PATH is a .sonnx file or a folder; without it, as in `check`. Prints what fails, and then the verdicts that are
    others than before. The exit status is that of `check` for what was checked last.
    """
    from sonnx_verify.commands import watch as command

    return command.watch(paths, every, jobs)


@main.command()
@click.argument("identity")
@FORMAT
@_guarded
def show(identity: str, form: str) -> int:
    """Show an operator's clauses, or an obligation's claims, with the terms they became."""
    from sonnx_verify.commands import show as command

    return command.show(identity, form)


@main.command()
@click.argument("identity")
@FORMAT
@_guarded
def explain(identity: str, form: str) -> int:
    """Explain a clause, such as `sonnx.Max-13/C1`, or an obligation, such as `sonnx.Max-13.int/C1/covered`.

    Of a clause: what it excludes, what it follows from, and which proofs need it. Of an obligation that fails: a clause
    that mends the text, checked, where a simple one does.
    """
    from sonnx_verify.commands import explain as command

    return command.explain(identity, form)


@main.command()
@click.argument("operator", metavar="SPEC")
@click.option("--out", type=click.Path(), required=True, help="The folder: new, empty, or an earlier one of these.")
@click.option("--types", default="", metavar="TYPES", help="Only these element types, as in `float,int8`.")
@FORMAT
@_guarded
def vectors(operator: str, out: str, types: str, form: str) -> int:
    """Write test vectors of an operator, such as `sonnx.Max`, in the layout of ONNX's node tests.

    They are solved from the specification: each clause at its boundary and failing alone, each branch, each special
    value at each place, empty tensors and rank 0. An index says which vector exercises what, and what is rejected.
    """
    from sonnx_verify.commands import vectors as command

    return command.vectors(operator, out, types, form)


@main.command()
@click.argument("folder", metavar="DIR", type=click.Path())
@click.argument("operator", metavar="[SPEC]", required=False)
@click.option("--out", type=click.Path(), help="Write vectors for the rest to this folder.")
@FORMAT
@_guarded
def coverage(folder: str, operator: str | None, out: str | None, form: str) -> int:
    """Say which clauses, branches and special values the tests in DIR exercise, and which they do not.

    DIR holds tests in the layout of ONNX's node tests. They are held against SPEC, such as `onnx.Max-13`, or else
    against the profile of their operator.
    """
    from sonnx_verify.commands import coverage as command

    return command.coverage(folder, operator, out, form)


@main.command()
@click.argument("specs", nargs=-1, metavar="[SPEC]...")
@click.option("--sample", "size", type=click.IntRange(1), metavar="N", help="Only so many, chosen by a hash.")
@click.option(
    "--jobs", "-j", type=click.IntRange(1, 256), metavar="N", help="How many processes judge; else one a core."
)
@click.option("--short", is_flag=True, help="Search for counterexamples only: what would have to be proved survives.")
@click.option("--out", type=click.Path(dir_okay=False), metavar="FILE", help="Write the table, or its part, to a file.")
@click.option(
    "--against",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Try first what the table in a file names, and fail where anything is otherwise.",
)
@click.option("--verbose", "-v", is_flag=True, help="Every mutant with its end, not only those that survive.")
@FORMAT
@_guarded
def mutate(
    specs: tuple[str, ...],
    size: int | None,
    jobs: int | None,
    short: bool,
    out: str | None,
    against: str | None,
    verbose: bool,
    form: str,
) -> int:
    """Make systematic slips in specifications, and see which of them no statement notices.

    SPEC is a file, FILE:LINE, a folder or an operator. Without it: every library and every profile of the project.
    """
    from sonnx_verify.commands import mutate as command

    return command.mutate(specs, size, jobs, short, out, against, verbose, form)


@main.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--check", is_flag=True, help="Write nothing; list the files that would change.")
@click.option("--diff", is_flag=True, help="Write nothing; print what would change.")
@_guarded
def fmt(paths: tuple[str, ...], check: bool, diff: bool) -> int:
    """Lay out .sonnx files, in place: one layout for one text, with its comments and groups.

    PATH is a file, a folder to search, or `-` for standard input to standard output. With --check or --diff the exit
    status is 1 if anything would change.
    """
    from sonnx_verify.commands import fmt as command

    return command.fmt(paths, check, diff)


@main.command()
@click.argument("what", nargs=-1, required=True, metavar="SPEC|PAGE...")
@click.option("--out", type=click.Path(dir_okay=False), metavar="FILE", help="Write to a file.")
@click.option("--check", is_flag=True, help="Of pages: say which quotations are not what the formal text says.")
@click.option("--write", is_flag=True, help="Of pages: renew them.")
@_guarded
def render(what: tuple[str, ...], out: str | None, check: bool, write: bool) -> int:
    """Print a formal text as a page: signature, clauses by their tags, shape and value as formulas.

    SPEC is a .sonnx file or an operator, such as `sonnx.Op-13`. A page quotes an item of it between two marks,
    `<!-- render: op.sonnx Y.value -->` and `<!-- /render -->`. With --check the exit status is 1 if any quotation
    differs.
    """
    from sonnx_verify.commands import render as command

    return command.render(what, out, check, write)


@main.command()
@click.argument("operator", metavar="OP")
@click.option("--since", type=click.IntRange(1), metavar="N", help="The version; else the newest.")
@click.option("--out", metavar="DIR", help="The folder; else spec/sonnx/op in a project, or the current one.")
@_guarded
def new(operator: str, since: int | None, out: str | None) -> int:
    """Begin a specification: a page and a formal text, from what ONNX says of the operator's signature.

    The page asks what every page of the profile has to decide. Nothing that is there is overwritten.
    """
    from sonnx_verify.commands import new as command

    return command.new(operator, since, out)
