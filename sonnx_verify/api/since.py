"""The operators of a project whose meaning differs from that in a commit, and the lines about them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sonnx_verify.api.asked import Asked
from sonnx_verify.api.changed import projects_since
from sonnx_verify.equivalence.since import differing_since
from sonnx_verify.progress import shown
from sonnx_verify.results.difference import Answer, Difference, axioms_of, changed_rows, folded, line_since, proved_with
from sonnx_verify.solving.solvers import Solvers


def differences(ref: str, asked: Asked, solvers: Solvers) -> Iterator[tuple[str, Difference]]:
    """The difference of each operator whose text, or a text that it uses, differs from that in a commit, by its name
    and as soon as it is known. UsageError where there is no such commit."""
    listed = differing_since(ref, *projects_since(ref, asked))
    decided = ((one.name, one.decide(solvers)) for one in listed)
    return shown(decided, len(listed), "operators", [one.name for one in listed])


def difference_lines_since(ref: str, found: Iterable[tuple[str, Difference]]) -> Iterator[str]:
    """The lines for a person, each as soon as it is known."""
    is_first = True
    for operator, one in found:
        if is_first:
            yield f"since {ref}:"
            is_first = False
        # A text that was laid out anew, or split into definitions, is listed too: that it means the same was proved.
        if one.answer is Answer.SAME:
            proved = proved_with(axioms_of(one))
            yield f"{operator}: its text, or one that it uses, changed; it means the same, {proved}"
        else:
            yield operator
        if one.edited:
            yield f"  edited: {', '.join(one.edited)}"
        yield from (f"  {sections}{line_since(one, row)}" for sections, row in folded(changed_rows(one)))
    if is_first:
        yield f"no operator's text changed since {ref}"
