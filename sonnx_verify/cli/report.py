"""`report`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

import click

from sonnx_verify.errors import UsageError
from sonnx_verify.results.text import counted_text
from sonnx_verify.stores.folder import refuse_others, write_folder
from sonnx_verify.stores.store import without_cache


def report(out: str, what: Sequence[str], jobs: int | None, timings: bool) -> int:
    """Decide what is named and write the report on it. Returns 3 where a solver is missing, else 0: what was found
    stands in the report, and `check` is what fails for it."""
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
