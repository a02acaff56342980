"""`export-smt`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import click

from sonnx_verify.check.run import run, seldom_collected, usable_cores
from sonnx_verify.commands.select import select
from sonnx_verify.errors import UsageError, add_once
from sonnx_verify.report.console import counted_text
from sonnx_verify.report.folder import refuse_others, write_folder
from sonnx_verify.report.progress import shown
from sonnx_verify.report.queries import ROWS, Queries
from sonnx_verify.solvers import Solvers


def export_smt(folder: str, what: Sequence[str], form: str, jobs: int | None = None) -> int:
    """Decide what is named and write the queries it rests on. Returns the exit status.

    With a mistake in a text nothing is written: the export would lack what that text says.
    """
    place = Path(folder)
    # Before anything is decided, which may take a while; and again before it is replaced.
    refuse_others(place, ROWS)
    with seldom_collected(), Solvers(keep_texts=True) as solvers:
        selection = select(what)
        if not selection.obligations and not selection.errors:
            raise UsageError("there is no specification here", cure="write a .sonnx file, or name one")
        versions = solvers.versions()
        made = Queries(versions, solvers.budget)
        needed = [] if selection.errors else selection.needed()
        every = [] if selection.errors else [*needed, *selection.obligations]
        decided = run(every, solvers, jobs=usable_cores() if jobs is None else jobs)
        with closing(decided):
            for n, record in enumerate(shown(decided, len(every), "obligations")):
                if record.error is not None:
                    add_once(selection.errors, record.error)
                else:
                    made.add(record, asked=n >= len(needed))
    for error in selection.errors:
        click.echo(str(error), err=True)
    if selection.errors:
        click.echo(f"nothing is written: {counted_text(len(selection.errors), 'error')} in the texts", err=True)
        return 2
    write_folder(place, made.files(), ROWS)
    counts = made.counts()
    if form == "json":
        told = {"folder": folder, "obligations": len(every), "asked": len(selection.obligations), "queries": counts}
        click.echo(json.dumps(told, indent=1, ensure_ascii=False))
    else:
        others = f", {len(needed)} of them used by the others" if needed else ""
        undecided = "".join(f", {counts[status]} {status}" for status in ("sat", "unknown") if counts[status])
        queries = counted_text(sum(counts.values()), "query", "queries")
        click.echo(f"{counted_text(len(every), 'obligation')}{others}")
        click.echo(f"{queries}, {counts['unsat']} of them unsat{undecided}, in {folder}")
    return 3 if None in versions.values() or counts["unknown"] else 0
