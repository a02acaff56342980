"""`export-smt`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import click

from sonnx_verify.api.select import select
from sonnx_verify.errors import UsageError, UserError, add_once
from sonnx_verify.outputs.queries import ROWS, Queries
from sonnx_verify.progress import shown
from sonnx_verify.results.text import counted_text
from sonnx_verify.solving.check.record import Record
from sonnx_verify.solving.check.run import run, usable_cores
from sonnx_verify.solving.solvers import Solvers
from sonnx_verify.stores.folder import refuse_others, write_folder


@dataclass(slots=True)
class Decision:
    """What is named, decided with the texts of its queries: the records that were asked for, how many of others they
    use, the errors in the texts, of which nothing is decided."""

    versions: dict[str, str | None]
    queries: Queries
    asked: list[Record] = field(default_factory=list)
    used: int = 0
    errors: list[UserError] = field(default_factory=list)

    @classmethod
    def of(cls, what: Sequence[str], jobs: int | None) -> Decision:
        """Decide it. Raises UsageError where nothing is named."""
        with Solvers(keep_texts=True) as solvers:
            selection = select(what)
            if not selection.obligations and not selection.errors:
                raise UsageError("there is no specification here", cure="write a .sonnx file, or name one")
            versions = solvers.versions()
            made = cls(versions, Queries(versions, solvers.budget), errors=selection.errors)
            needed = [] if selection.errors else selection.needed()
            every = [] if selection.errors else [*needed, *selection.obligations]
            made.used = len(needed)
            decided = run(every, solvers, jobs=usable_cores() if jobs is None else jobs)
            with closing(decided):
                for n, record in enumerate(shown(decided, len(every), "obligations")):
                    if record.error is not None:
                        add_once(made.errors, record.error)
                        continue
                    made.queries.add(record, asked=n >= len(needed))
                    if n >= len(needed):
                        made.asked.append(record)
        return made


def export_smt(folder: str, what: Sequence[str], form: str, jobs: int | None = None) -> int:
    """Decide what is named and write the queries it rests on. Returns the exit status.

    With a mistake in a text nothing is written: the export would lack what that text says.
    """
    place = Path(folder)
    # Before anything is decided, which may take a while; and again before it is replaced.
    refuse_others(place, ROWS)
    made = Decision.of(what, jobs)
    for error in made.errors:
        click.echo(str(error), err=True)
    if made.errors:
        click.echo(f"nothing is written: {counted_text(len(made.errors), 'error')} in the texts", err=True)
        return 2
    write_folder(place, made.queries.files(), ROWS)
    counts, every = made.queries.counts(), len(made.asked) + made.used
    if form == "json":
        told = {"folder": folder, "obligations": every, "asked": len(made.asked), "queries": counts}
        click.echo(json.dumps(told, indent=1, ensure_ascii=False))
    else:
        others = f", {made.used} of them used by the others" if made.used else ""
        undecided = "".join(f", {counts[status]} {status}" for status in ("sat", "unknown") if counts[status])
        queries = counted_text(sum(counts.values()), "query", "queries")
        click.echo(f"{counted_text(every, 'obligation')}{others}")
        click.echo(f"{queries}, {counts['unsat']} of them unsat{undecided}, in {folder}")
    return 3 if None in made.versions.values() or counts["unknown"] else 0
