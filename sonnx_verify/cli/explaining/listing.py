"""`explain --list`: the obligations of specifications."""

from __future__ import annotations

from collections.abc import Sequence

import click

from sonnx_verify.api.select import select
from sonnx_verify.cli.options import print_errors, print_json
from sonnx_verify.outputs.wanted import Form
from sonnx_verify.results.answer_json import place_json
from sonnx_verify.results.place import Place


def listing(what: Sequence[str], form: Form) -> int:
    """Print the identities of obligations, each with its place."""
    # Texts are elaborated for this, and nothing is decided: it takes seconds, not minutes.
    selection = select(what)
    print_errors(selection.errors)
    if form is Form.JSON:
        rows = [
            {
                "id": o.id,
                "kind": o.kind,
                "types": [t.name for t in o.types],
                "expected": o.expected or None,
                "title": o.title,
                "source": place_json(Place.of(o.span)),
            }
            for o in selection.obligations
        ]
        print_json({"obligations": rows})
    else:
        for obligation in selection.obligations:
            click.echo(f"{obligation.id}  {obligation.span}")
    # The obligations of a text with an error are not in the list, which must not pass for a whole one.
    if selection.errors:
        return 2
    return 0
