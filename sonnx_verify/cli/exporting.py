"""`check --export-smt`: the queries that verdicts rest on, each as a script that any SMT solver runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from sonnx_verify.api.queried import Queried
from sonnx_verify.cli.options import print_errors, print_json
from sonnx_verify.outputs.queries import ROWS
from sonnx_verify.outputs.wanted import Form
from sonnx_verify.results.text import counted_text
from sonnx_verify.stores.folder import refuse_others, write_folder


def export_queries(folder: str, what: Sequence[str], jobs: int | None, form: Form, *, hints: bool) -> int:
    """Decide what is named and what it uses, along hints or without, and write the queries that the verdicts rest on to
    a folder."""
    place = Path(folder)
    # Before anything is decided, which may take a while; and again before it is replaced.
    refuse_others(place, ROWS)
    made = Queried.of(what, jobs, hints=hints)
    print_errors(made.errors)
    # An export of some of the texts would be taken for one of all.
    if made.errors:
        click.echo(f"{counted_text(len(made.errors), 'error')}: nothing was written", err=True)
        return 2
    write_folder(place, made.queries.files(), ROWS)
    counts, every = made.queries.counts(), len(made.asked) + made.used
    if form is Form.JSON:
        print_json({"folder": folder, "obligations": every, "asked": len(made.asked), "queries": counts})
    else:
        counted = counted_text(every, "obligation")
        if made.used:
            counted += f", {made.used} of them used by the others"
        undecided = "".join(f", {counts[status]} {status}" for status in ("sat", "unknown") if counts[status])
        queries = counted_text(sum(counts.values()), "query", "queries")
        click.echo(counted)
        click.echo(f"{queries}, {counts['unsat']} of them unsat{undecided}, in {folder}")
    # A solver that is missing was asked nothing, so that of its answers none is known.
    if None in made.versions.values() or counts["unknown"]:
        return 3
    return 0
