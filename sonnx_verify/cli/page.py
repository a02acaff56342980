"""`page`: the commands about pages."""

from __future__ import annotations

import click

from sonnx_verify.cli import Commands, Entry, Group

ENTRIES = {
    "lint": Entry("sonnx_verify.cli.pages.lint:lint", "Report mistakes in pages.", Group.COMMANDS),
    "trace": Entry(
        "sonnx_verify.cli.pages.trace:trace", "Trace each tag of a page to its clause, proof and tests.", Group.COMMANDS
    ),
    "render": Entry("sonnx_verify.cli.pages.render:render", "Print a formal text as a page.", Group.COMMANDS),
}


@click.group(cls=Commands, entries=ENTRIES)
def page() -> None:
    """Lint, trace or render the pages of operators.

    A page is the Markdown document of an operator, beside its formal text.

    \b
    Examples:
      sonnx-verify page lint spec/sonnx/max/max.md
    """
