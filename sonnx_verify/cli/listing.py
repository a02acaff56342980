"""`list`."""

from __future__ import annotations

import json
from collections.abc import Sequence

import click

from sonnx_verify.api.select import select


def listing(what: Sequence[str], form: str) -> int:
    """Print the identities of what is named, with their places."""
    selection = select(what)
    for error in selection.errors:
        click.echo(str(error), err=True)
    if form == "json":
        rows = [
            {
                "id": o.id,
                "kind": o.kind,
                "types": [t.name for t in o.types],
                "expected": o.expected or None,
                "title": o.title,
                "source": {"file": o.span.source.name, "line": o.span.line, "column": o.span.column},
            }
            for o in selection.obligations
        ]
        click.echo(json.dumps({"obligations": rows}, indent=1, ensure_ascii=False))
    else:
        for obligation in selection.obligations:
            click.echo(f"{obligation.id}  {obligation.span}")
    return 2 if selection.errors else 0
