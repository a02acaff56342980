"""`report`."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import click

from sonnx_verify.cli.options import JOBS, guarded
from sonnx_verify.errors import UsageError
from sonnx_verify.results.text import counted_text
from sonnx_verify.stores.folder import refuse_others, write_folder
from sonnx_verify.stores.store import without_cache


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
    try:
        from sonnx_verify.outputs.html.site import ROWS, site
    except ModuleNotFoundError as missing:
        cure = "pip install 'sonnx-verify[report]'"
        raise UsageError(f"a report needs the package {missing.name}", cure=cure) from None
    from sonnx_verify.cli.gathered import gathered

    if timings and jobs not in (None, 1):
        raise UsageError("--timings measures one obligation after the other", cure="leave out --jobs")
    folder = Path(out)
    # Before much is worked that would be lost.
    refuse_others(folder, ROWS)
    with without_cache() if timings else nullcontext():
        facts = gathered(what, 1 if timings else jobs, timings)
    write_folder(folder, site(facts), ROWS)
    counted = counted_text(len(facts.results), "obligation")
    click.echo(f"{counted}: open {(folder / 'index.html').as_posix()} in a browser")
    return 3 if None in facts.solvers.values() else 0
