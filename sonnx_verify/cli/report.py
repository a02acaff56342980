"""`report`: the verdicts as pages of HTML."""

from __future__ import annotations

from pathlib import Path

import click

from sonnx_verify.cli.options import JOBS, TIMEOUT, complete_identity, guarded
from sonnx_verify.errors import UsageError
from sonnx_verify.results.text import counted_text
from sonnx_verify.stores.folder import refuse_others, write_folder
from sonnx_verify.stores.store import without_cache


@click.command()
@click.argument("what", nargs=-1, shell_complete=complete_identity)
@click.option("--out", required=True, metavar="DIR", help="The folder: new, empty, or of an earlier report.")
@click.option("--timings", is_flag=True, help="Measure each obligation, without the cache, and plot the times.")
@JOBS
@TIMEOUT
@guarded
def report(what: tuple[str, ...], out: str, *, timings: bool, jobs: int | None) -> int:
    """Write an HTML report of all verdicts.

    WHAT is as in `check`. The pages need no server and no network. The same texts, tool and solvers make the same
    bytes, except for the timings page.

    \b
    Examples:
      sonnx-verify report proofs.integers --out report
    """
    # Formulas become MathML by a package that nothing else needs.
    try:
        from sonnx_verify.outputs.html.site import ROWS, site
    except ModuleNotFoundError as missing:
        cure = "pip install 'sonnx-verify[report]', in a clone pip install -e '.[report]'"
        raise UsageError(f"a report needs the package {missing.name}", cure=cure) from None
    from sonnx_verify.api.report import facts_of, timed_facts_of

    # Two that are decided at once would measure each other.
    if timings and jobs not in (None, 1):
        raise UsageError("--timings measures one obligation after the other", cure="leave out --jobs")
    folder = Path(out)
    # Before much is worked that would be lost.
    refuse_others(folder, ROWS)
    if timings:
        with without_cache():
            facts = timed_facts_of(what)
    else:
        facts = facts_of(what, jobs)
    write_folder(folder, site(facts), ROWS)
    counted = counted_text(len(facts.results), "obligation")
    click.echo(f"{counted}: open {(folder / 'index.html').as_posix()} in a browser")
    if None in facts.solvers.values():
        return 3
    return 0
