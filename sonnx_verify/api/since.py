"""The operators of a project whose meaning differs from that in a commit, and the lines about them."""

from __future__ import annotations

from collections.abc import Mapping

from sonnx_verify.api.asked import Asked
from sonnx_verify.api.changed import projects_since
from sonnx_verify.equivalence.since import differences_since
from sonnx_verify.results.difference import Answer, Difference, Row, change
from sonnx_verify.solving.solvers import Solvers


def differences(ref: str, asked: Asked, solvers: Solvers) -> dict[str, Difference]:
    """The difference of each operator whose text, or a text that it uses, differs from that in a commit. UsageError
    where there is no such commit."""
    return differences_since(ref, *projects_since(ref, asked), solvers)


def difference_lines_since(ref: str, found: Mapping[str, Difference]) -> list[str]:
    """The lines for a person."""
    if not found:
        return [f"no operator's text changed since {ref}"]
    made = [f"since {ref}:"]
    for operator, one in found.items():
        # A text that was laid out anew, or split into definitions, is listed too: that it means the same was proved.
        if one.answer is Answer.SAME:
            made.append(f"{operator}: its text, or one that it uses, changed; it means the same, proved")
        else:
            made.append(operator)
        made += [f"  {line_of(one, row)}" for row in changed_rows(one)]
    return made


def changed_rows(found: Difference) -> list[Row]:
    """The rows that are not proved to be the same."""
    return [row for row in found.rows if row.answer is not Answer.SAME]


def line_of(found: Difference, row: Row) -> str:
    """A row on one line, with its section."""
    said = " ".join(change(found, row)).rstrip()
    if not row.section:
        return said
    return f"{row.section}: {said}".rstrip()
