"""`diff REF`: the operators whose meaning differs from that in a commit, each with an input that shows it."""

from __future__ import annotations

import click

from sonnx_verify.api.asked import Asked
from sonnx_verify.api.asking import asking
from sonnx_verify.api.since import changed_rows, difference_lines_since, differences, line_of
from sonnx_verify.cli.options import print_json, tell_cache_problem
from sonnx_verify.outputs.wanted import Form
from sonnx_verify.results.answer_json import example_json
from sonnx_verify.results.difference import Answer, Difference, change


def since(ref: str, form: Form) -> int:
    """Print the operators of the project whose meaning differs from that in a commit. Return 3 if something is not
    known."""
    with asking(tell_cache_problem) as solvers:
        found = differences(ref, Asked.of(()), solvers)
    if form is Form.JSON:
        print_json({"ref": ref, "operators": [_as_json(name, one) for name, one in found.items()]})
    else:
        click.echo("\n".join(difference_lines_since(ref, found)))
    if not all(one.decided for one in found.values()):
        return 3
    return 0


def _as_json(operator: str, found: Difference) -> dict[str, object]:
    return {
        "operator": operator,
        "same": found.answer is Answer.SAME,
        "changes": [
            {
                "section": row.section or None,
                "what": change(found, row)[0],
                "said": line_of(found, row),
                "known": row.answer is not Answer.UNKNOWN,
                "witness": example_json(row.example),
            }
            for row in changed_rows(found)
        ],
    }
