"""`prove`."""

from __future__ import annotations

import json

import click

from sonnx_verify.api import functions
from sonnx_verify.cli.options import FORMAT, guarded
from sonnx_verify.outputs.console import reason_lines
from sonnx_verify.outputs.wanted import Form
from sonnx_verify.results.answer_json import answer_json
from sonnx_verify.results.result import Result, exit_status


@click.command()
@click.argument("statement")
@FORMAT
@guarded
def prove(statement: str, form: Form) -> int:
    """Prove or refute a statement about operators and definitions, such as "Max(A, B) = Max(B, A)".

    Names that are not defined are tensors, for all of which the statement has to hold; or begin with
    `for A : shape; n : int assuming ... :` to declare them.
    """
    checked = functions.prove(statement)
    results = list(checked.results)
    if form is Form.JSON:
        click.echo(json.dumps(answer_json(results, checked.solvers, []), indent=1, ensure_ascii=False))
    else:
        for group in _alike(results):
            click.echo("\n".join(_lines(group)))
    return exit_status(results, 0, checked.solvers)


def _alike(results: list[Result]) -> list[list[Result]]:
    """Results next to each other with one verdict."""
    groups: list[list[Result]] = []
    for result in results:
        if groups and groups[-1][0].verdict == result.verdict:
            groups[-1].append(result)
        else:
            groups.append([result])
    return groups


def _lines(group: list[Result]) -> list[str]:
    """The verdict for its types; where it is no proof, the first type in full."""
    types = ", ".join(name for result in group for name in result.declared) or "shapes"
    first = group[0]
    if first.verdict == "proved":
        assuming = f"; assuming that {' and '.join(first.assumptions)}" if first.assumptions else ""
        return [f"proved for {types}: {first.scope}{assuming}"]
    return [f"{first.verdict} for {types}", *reason_lines(first)]
