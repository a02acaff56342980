"""`diff REF`: the operators whose meaning differs from that in a commit, each with an input that shows it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import click

from sonnx_verify.api.asked import Asked
from sonnx_verify.api.asking import asking
from sonnx_verify.api.since import difference_lines_since, differences
from sonnx_verify.cli.options import print_json, tell_cache_problem
from sonnx_verify.outputs.difference import since_json
from sonnx_verify.outputs.wanted import Form
from sonnx_verify.results.difference import Answer, Difference


def since(ref: str, form: Form, *, fail_on_change: bool) -> int:
    """Print the operators of the project whose meaning differs from that in a commit, each as soon as it is known.
    Return 3 if something is not known; with `fail_on_change`, 1 if a meaning changed."""
    seen: list[tuple[str, Difference]] = []

    def noting(found: Iterator[tuple[str, Difference]]) -> Iterator[tuple[str, Difference]]:
        for one in found:
            seen.append(one)
            yield one

    with asking(tell_cache_problem) as solvers:
        found = noting(differences(ref, Asked.of(()), solvers))
        if form is Form.JSON:
            print_json(since_json(ref, found))
        else:
            for line in difference_lines_since(ref, found):
                click.echo(line)
    return status_of((one for _, one in seen), fail_on_change=fail_on_change)


def status_of(found: Iterable[Difference], *, fail_on_change: bool) -> int:
    """The exit status: 1 for a change if `fail_on_change`, 3 if anything is unknown, else 0."""
    listed = list(found)
    # A difference is an answer, not a finding: versions are made to differ. A job may say otherwise.
    if fail_on_change and any(one.answer is Answer.DIFFERENT for one in listed):
        return 1
    if not all(one.decided for one in listed):
        return 3
    return 0
