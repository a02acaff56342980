"""`diff`: of two texts, or of the project and a commit."""

from __future__ import annotations

from typing import Any

import click

from sonnx_verify.api.asking import asking
from sonnx_verify.cli.options import (
    FORMAT,
    OPSET,
    TIMEOUT,
    complete_operator,
    guarded,
    named,
    print_json,
    refuse_without,
    tell_cache_problem,
)
from sonnx_verify.cli.since import since, status_of
from sonnx_verify.equivalence.difference import decide_difference
from sonnx_verify.language.named import here
from sonnx_verify.outputs.wanted import Form
from sonnx_verify.progress import answers_shown
from sonnx_verify.results.answer_json import example_json
from sonnx_verify.results.difference import Answer, Aspect, Difference, Question, Row, difference_lines, types_alone


@click.command()
@click.argument("first", metavar="A", shell_complete=complete_operator)
@click.argument("second", metavar="[B]", required=False, shell_complete=complete_operator)
@click.option("--fail-on-change", is_flag=True, help="Exit with status 1 if the meaning differs; for jobs.")
@OPSET
@FORMAT
@TIMEOUT
@guarded
def diff(first: str, second: str | None, form: Form, *, fail_on_change: bool, opset: int | None) -> int:
    """Compare two specifications, or the project with a commit.

    A and B are versions or texts of one operator, or a profile and its standard: prints what only one of them accepts,
    and whether they allow the same results where both do. With one argument, a commit, branch or tag: compares each
    operator with its version in that commit.

    \b
    Examples:
      sonnx-verify diff onnx.Max-12 onnx.Max-13
    """
    # Of one name it is a commit: a text is compared with another one, not with itself.
    if second is None:
        refuse_without("B", "opset")
        return since(first, form, fail_on_change=fail_on_change)
    project = here()
    one, other = named(project, first, opset), named(project, second, opset)
    with asking(tell_cache_problem) as solvers:
        found = decide_difference(project, one, other, solvers, watch=answers_shown)
    if form is Form.JSON:
        print_json(_as_json(found))
    else:
        click.echo("\n".join([f"{first} and {second}", *difference_lines(found)]))
    return status_of([found], fail_on_change=fail_on_change)


def _as_json(found: Difference) -> dict[str, Any]:
    return {
        "base": found.base,
        "other": found.other,
        "types_alone": types_alone(found),
        "moved": list(found.moved),
        "alone": list(found.alone),
        "differences": [_row_json(row) for row in found.rows if row.what.aspect is not Aspect.TYPES],
    }


def _row_json(row: Row) -> dict[str, Any]:
    assert row.result is not None
    return {
        "section": row.section or None,
        "what": _what(row.what),
        "differs": {Answer.SAME: False, Answer.DIFFERENT: True, Answer.UNKNOWN: None}[row.answer],
        "verdict": row.result.verdict,
        "scope": row.result.scope or None,
        "reason": row.result.reason or None,
        "witness": example_json(row.example),
    }


def _what(question: Question) -> str:
    if question.side is None:
        return "results"
    return f"accepted by {question.side} alone"
