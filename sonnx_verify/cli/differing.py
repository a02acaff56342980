"""`diff`: of two texts, or of the project and a commit."""

from __future__ import annotations

import click

from sonnx_verify.cli.options import FORMAT, guarded
from sonnx_verify.outputs.wanted import Form


@click.command()
@click.argument("first", metavar="A")
@click.argument("second", metavar="[B]", required=False)
@FORMAT
@guarded
def diff(first: str, second: str | None, form: Form) -> int:
    """Compare two specifications of one operator, such as `onnx.Op-12` and `onnx.Op-13`.

    With one name, a commit, branch or tag: compare each operator of the project with what it was there.

    Versions or texts of it, or a profile or draft and its standard: what only one of them accepts, and whether they
    allow the same results where both do.
    """
    if second is None:
        from sonnx_verify.cli.since import since

        return since(first, form)
    from sonnx_verify.cli.diff import diff as compared

    return compared(first, second, form)
