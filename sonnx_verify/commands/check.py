"""`check`."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from contextlib import closing
from enum import Enum

import click

from sonnx_verify.check.cluster import Cluster
from sonnx_verify.check.record import Record
from sonnx_verify.check.run import run, seldom_collected, usable_cores
from sonnx_verify.commands.select import select
from sonnx_verify.errors import UsageError
from sonnx_verify.report.check_json import check_json
from sonnx_verify.report.console import counted_text, finding, line_of, summary
from sonnx_verify.report.ledger import PLACE, RENEW, changes, ledger_of, read_ledger, write_ledger
from sonnx_verify.report.progress import shown
from sonnx_verify.solvers import Solvers


class Keep(Enum):
    """What is done with the ledger: nothing; it is made again; it is held against what comes of the run."""

    NOTHING = 0
    UPDATE = 1
    FROZEN = 2


def check(
    what: Sequence[str],
    verbose: bool,
    times: bool,
    form: str,
    jobs: int | None = None,
    keep: Keep = Keep.NOTHING,
    dask: str | None = None,
) -> int:
    """Check what is named and print the records. Returns the exit status."""
    began = time.perf_counter()
    if dask is not None and jobs is not None:
        raise UsageError("--jobs is about this machine, and --dask about others", cure="give one of them")
    records: list[Record] = []
    with seldom_collected(), Solvers() as solvers:
        selection = select(what)
        if not selection.obligations and not selection.errors:
            raise UsageError("there is no specification here", cure="write a .sonnx file, or name one")
        # What is wrong with the ledger is told before anything is decided.
        before = read_ledger(PLACE) if keep is Keep.FROZEN or (keep is Keep.UPDATE and PLACE.exists()) else None
        versions = solvers.versions()
        elsewhere = None if dask is None else Cluster(dask, selection.project)
        jobs = usable_cores() if jobs is None else jobs
        decided = run(selection.obligations, solvers, selection.needed(), jobs, elsewhere)
        with closing(decided):
            for record in shown(decided, len(selection.obligations), "obligations"):
                if record.error is not None:
                    selection.errors.append(record.error)
                    continue
                records.append(record)
                if form == "text":
                    if verbose:
                        click.echo(line_of(record))
                    elif record.verdict.name not in ("proved", "holds"):
                        click.echo("\n".join(finding(record)) + "\n")
    for error in selection.errors:
        click.echo(str(error), err=True)
    answering = [name for name, version in versions.items() if version is not None]
    whole = not what and not selection.errors
    changed = changes(before, records, answering, whole) if keep is Keep.FROZEN and before is not None else []
    if form == "json":
        made = check_json(records, versions, [str(e) for e in selection.errors])
        if keep is Keep.FROZEN:
            made["ledger"] = changed
        click.echo(json.dumps(made, indent=1, ensure_ascii=False))
    else:
        if verbose:
            for record in records:
                if record.surprising:
                    click.echo("\n" + "\n".join(finding(record)))
            click.echo()
        lines = summary(records, versions)
        # With errors in the texts it is not over: nothing is said about surprises.
        click.echo("\n".join(lines[:-1] if selection.errors else lines))
        if selection.errors:
            click.echo(f"{counted_text(len(selection.errors), 'error')} in the texts: what they are in was not checked")
        if keep is Keep.FROZEN:
            click.echo("as the ledger says" if not changed else "\n".join(f"ledger: {line}" for line in changed))
    if changed:
        click.echo(f"the ledger {PLACE} is not what this run found\n  to fix: {RENEW}", err=True)
    if keep is Keep.UPDATE:
        if selection.errors or None in versions.values():
            raise UsageError(f"{PLACE} is left as it was", cure="mend the texts, and install all solvers")
        write_ledger(PLACE, ledger_of(records, answering, None if whole else before))
    if times:
        click.echo(f"{time.perf_counter() - began:.2f} s", err=True)
    status = exit_status(records, len(selection.errors), versions)
    return 1 if changed and status in (0, 3) else status


def exit_status(records: Sequence[Record], errors: int, versions: dict[str, str | None]) -> int:
    """2 for bad input; else 1 for a finding; else 3 for something undecided or a missing solver; else 0."""
    statuses = {r.status for r in records}
    if errors:
        return 2
    if 1 in statuses:
        return 1
    return 3 if 3 in statuses or None in versions.values() else 0
