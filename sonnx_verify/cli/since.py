"""`diff REF`: the operators whose meaning differs from that in a commit, each with an input that shows it."""

from __future__ import annotations

import click

from sonnx_verify.api.asked import Asked
from sonnx_verify.api.asking import asking
from sonnx_verify.api.changed import projects_since
from sonnx_verify.cli.options import print_json
from sonnx_verify.equivalence.since import differences_since
from sonnx_verify.outputs.wanted import Form
from sonnx_verify.results.answer_json import example_json
from sonnx_verify.results.difference import Answer, Difference, Row, change
from sonnx_verify.solving.solvers import Solvers


def since(ref: str, form: Form) -> int:
    """Print the operators of the project whose meaning differs from that in a commit. Return 3 if something is not
    known."""
    with asking() as solvers:
        found = changes(ref, Asked.of(()), solvers)
    if form is Form.JSON:
        print_json({"ref": ref, "operators": [_as_json(name, one) for name, one in found.items()]})
    else:
        click.echo("\n".join(lines(ref, found)))
    if not all(one.decided for one in found.values()):
        return 3
    return 0


def changes(ref: str, asked: Asked, solvers: Solvers) -> dict[str, Difference]:
    """The difference of each operator whose text, or what that rests on, is otherwise than in a commit.
    UsageError where there is no such commit."""
    return differences_since(ref, *projects_since(ref, asked), solvers)


def lines(ref: str, found: dict[str, Difference]) -> list[str]:
    """The lines for a person."""
    if not found:
        return [f"no operator's text changed since {ref}"]
    made = [f"since {ref}:"]
    for operator, one in found.items():
        # A text that was laid out anew, or split into definitions, is told too: that it means the same was proved.
        if one.answer is Answer.SAME:
            made.append(f"{operator}: its text, or one that it uses, changed; it means the same, proved")
        else:
            made.append(operator)
        made += [f"  {_line(one, row)}" for row in _changed(one)]
    return made


def _changed(found: Difference) -> list[Row]:
    return [row for row in found.rows if row.answer is not Answer.SAME]


def _line(found: Difference, row: Row) -> str:
    said = " ".join(change(found, row)).rstrip()
    if not row.section:
        return said
    return f"{row.section}: {said}".rstrip()


def _as_json(operator: str, found: Difference) -> dict[str, object]:
    return {
        "operator": operator,
        "same": found.answer is Answer.SAME,
        "changes": [
            {
                "section": row.section or None,
                "what": change(found, row)[0],
                "said": _line(found, row),
                "known": row.answer is not Answer.UNKNOWN,
                "witness": example_json(row.example),
            }
            for row in _changed(found)
        ],
    }
