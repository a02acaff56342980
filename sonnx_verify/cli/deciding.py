"""Decide: `check`, `prove`, `watch`, `mutate`, `cache`."""

from __future__ import annotations

import click
from click.core import ParameterSource

from sonnx_verify.cli.options import FORMAT, JOBS, REPORTS, RUN_FORMAT, guarded


@click.command()
@click.argument("what", nargs=-1)
@click.option("--no-cache", is_flag=True, help="Decide everything, whatever earlier runs found.")
@click.option("--verbose", "-v", is_flag=True, help="One line for each obligation, not only for findings.")
@click.option("--times", is_flag=True, help="Print the seconds it took.")
@JOBS
@click.option("--dask", metavar="ADDRESS", help="Decide on the dask cluster whose scheduler has this address.")
@click.option("--update-ledger", is_flag=True, help="Write what came of it into proofs/ledger.json.")
@click.option("--frozen", is_flag=True, help="Fail where anything is otherwise than the ledger says.")
@click.option("--changed", metavar="REF", help="Only what says something else than in that commit, and what uses it.")
@RUN_FORMAT
@REPORTS
@guarded
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
    reports: tuple[str, ...],
) -> int:
    """Check specifications and theorems.

    WHAT is a path or a pattern of identities, such as `sonnx.Max-13*`. Without it: everything under spec/ and proofs/,
    or the .sonnx files below this folder.
    """
    from sonnx_verify.cli import check as command
    from sonnx_verify.outputs.wanted import Wanted

    given = click.get_current_context().get_parameter_source("jobs") is not ParameterSource.ENVIRONMENT
    jobs = jobs if given or dask is None else None  # what holds of this machine says nothing of a cluster
    keep = command.Keep.of(update_ledger, frozen)
    return command.check(what, verbose, times, Wanted.of(form, reports), jobs, keep, not no_cache, changed, dask)


@click.command()
@click.argument("statement")
@FORMAT
@guarded
def prove(statement: str, form: str) -> int:
    """Prove or refute a statement about operators and definitions, such as "Max(A, B) = Max(B, A)".

    Names that are not defined are tensors, for all of which the statement has to hold; or begin with
    `for A : shape; n : int assuming ... :` to declare them.
    """
    from sonnx_verify.cli import prove as command

    return command.prove(statement, form)


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option(
    "--every", type=click.FloatRange(0.01, 3600), default=0.5, show_default=True, help="Look after so many seconds."
)
@JOBS
@guarded
def watch(paths: tuple[str, ...], every: float, jobs: int | None) -> int:
    """Check specifications, and again what changes, until Ctrl-C.

    PATH is a .sonnx file or a folder; without it, as in `check`. Prints what fails, and then the verdicts that are
    others than before. The exit status is that of `check` for what was checked last, and 1 where a
    page that changed has findings.
    """
    from sonnx_verify.cli import watch as command

    return command.watch(paths, every, jobs)


@click.command()
@click.argument("specs", nargs=-1, metavar="[SPEC]...")
@click.option("--sample", "size", type=click.IntRange(1), metavar="N", help="Only so many, chosen by a hash.")
@JOBS
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
@guarded
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
    from sonnx_verify.cli import mutate as command

    return command.mutate(specs, size, jobs, short, out, against, verbose, form)


@click.group()
def cache() -> None:
    """What earlier runs found, kept in a folder of the user: see how much it is, or remove it."""


@cache.command(name="clear")
@guarded
def cache_clear() -> int:
    """Remove all that is kept."""
    from sonnx_verify.cli import cache as command

    return command.clear()


@cache.command(name="stats")
@FORMAT
@guarded
def cache_stats(form: str) -> int:
    """Show where it is, and how much is kept."""
    from sonnx_verify.cli import cache as command

    return command.stats(form)


COMMANDS = (check, prove, watch, mutate, cache)
