"""`explain --list`: the obligations of specifications."""

from __future__ import annotations

from collections.abc import Sequence

import click
from msgspec import Struct

from sonnx_verify.api.select import select
from sonnx_verify.cli.options import print_errors, print_json
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.outputs.wanted import Form
from sonnx_verify.results.answer_json import PlaceJson, place_json
from sonnx_verify.results.kinds import Kind
from sonnx_verify.results.place import Place
from sonnx_verify.results.written import OfVersions


class ListedJson(Struct, frozen=True):
    """An obligation of the list."""

    id: str
    kind: Kind
    types: list[str]
    expected: str | None
    title: str
    source: PlaceJson


class ListJson(OfVersions, frozen=True):
    """The whole answer."""

    obligations: list[ListedJson]


def listing(what: Sequence[str], form: Form) -> int:
    """Print the identities of obligations, each with its place."""
    # Texts are elaborated for this, and nothing is decided: it takes seconds, not minutes.
    selection = select(what)
    print_errors(selection.errors)
    if form is Form.JSON:
        print_json(ListJson([_listed(obligation) for obligation in selection.obligations]))
    else:
        for obligation in selection.obligations:
            click.echo(f"{obligation.id}  {obligation.span}")
    # The obligations of a text with an error are not in the list, which must not pass for a whole one.
    if selection.errors:
        return 2
    return 0


def _listed(one: Obligation) -> ListedJson:
    types = [sort.name for sort in one.types]
    return ListedJson(one.id, one.kind, types, one.expected or None, one.title, place_json(Place.of(one.span)))
