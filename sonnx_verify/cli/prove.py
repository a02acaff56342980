"""`prove`: the verdict on a statement that stands in no file."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

import click

from sonnx_verify.api import functions
from sonnx_verify.api.statement import about
from sonnx_verify.cli.options import FORMAT, OPSET, TIMEOUT, guarded, paint_of_output, print_json, tell_note
from sonnx_verify.logic.verdict import VerdictName
from sonnx_verify.outputs.console import reason_lines
from sonnx_verify.outputs.paint import Paint
from sonnx_verify.outputs.wanted import Form
from sonnx_verify.progress import shown
from sonnx_verify.results.answer_json import answer_json
from sonnx_verify.results.result import Result, exit_status
from sonnx_verify.results.text import framed


@click.command()
@click.argument("statement")
@OPSET
@TIMEOUT
@FORMAT
@guarded
def prove(statement: str, opset: int | None, form: Form) -> int:
    """Prove or refute a statement of your own.

    Undefined names are tensors, for all of which the statement has to hold. To declare other variables, begin with `for
    A : shape; n : int assuming ... :`.

    \b
    Examples:
      sonnx-verify prove "Max(A, B) = Max(B, A)"
      sonnx-verify prove "for S : shape : common_shape([S]) = S"
    """
    checked = functions.prove(statement, opset=opset, watch=lambda records, count: shown(records, count, "types"))
    for note in checked.notes:
        tell_note(note)
    results = list(checked.results)
    if form is Form.JSON:
        print_json(answer_json(results, checked.solvers, []))
    else:
        for group in _alike(results):
            click.echo("\n".join(_lines(group, about(statement), paint_of_output())))
    return exit_status(results, 0, checked.solvers)


def _alike(results: Iterable[Result]) -> list[list[Result]]:
    """Results with one verdict that rests on the same, in the order of the first of each."""
    groups: dict[tuple[object, ...], list[Result]] = {}
    for result in results:
        groups.setdefault((result.verdict, result.assumed), []).append(result)
    return list(groups.values())


def _lines(group: list[Result], subject: str, paint: Paint) -> list[str]:
    """The verdict for its types, or for the subject of a statement without any; where it is no proof, the first type in
    full."""
    names = chain.from_iterable(result.declared for result in group)
    types = framed(" for ", ", ".join(names) or subject)
    first = group[0]
    if first.verdict is VerdictName.PROVED:
        line = f"{paint.verdict(first)}{types}: {first.scope}"
        # A proof that rests on a rule taken on trust is never shown without it.
        if first.assumed:
            line += f"; assuming that {' and '.join(first.assumed)}"
        return [line]
    # One is enough: what refutes it for int8 nearly always has a twin for each integer.
    return [f"{paint.verdict(first)}{types}", *reason_lines(first, paint)]
