"""`page trace`: the statements of pages beside the items of their formal texts."""

from __future__ import annotations

from collections.abc import Sequence

import click

from sonnx_verify.api.files import traced_pages_of
from sonnx_verify.api.tracing import rows_of_page
from sonnx_verify.cli.options import JOBS, format_option, guarded
from sonnx_verify.language.places import root_here
from sonnx_verify.language.reach import unchanged
from sonnx_verify.logic.verdict import VerdictName
from sonnx_verify.outputs.console import finding_lines
from sonnx_verify.outputs.trace import as_csv, markdown, readings
from sonnx_verify.outputs.wanted import Form
from sonnx_verify.pages.trace import Row


@click.command()
@click.argument("pages", nargs=-1, required=True, metavar="PAGE...")
@format_option(Form.MARKDOWN, Form.CSV)
@JOBS
@guarded
def trace(pages: tuple[str, ...], form: Form, jobs: int | None) -> int:
    """Trace each tag of a page to its clause, proof and tests.

    PAGE is a file or a folder. A tag without a clause, a clause that is not on the page, and a clause without a proof
    are gaps: the exit status is 1.

    \b
    Examples:
      sonnx-verify page trace spec/sonnx/max/max.md
    """
    found = traced_pages_of(pages)
    rows: list[Row] = []
    # A text that changes meanwhile would have its formulas beside verdicts of what it said before.
    with unchanged(root_here(), [path.with_suffix(".sonnx") for path in found]):
        for path in found:
            rows += rows_of_page(path, jobs)
    if form is Form.CSV:
        click.echo(as_csv(rows), nl=False)
    else:
        click.echo("\n".join(["# Traceability", *markdown(rows), "", *readings(rows), *_summary(rows)]))
    # Neither the sum nor the maximum: a gap is worse than an open question.
    statuses = {row.status for row in rows}
    if 1 in statuses:
        return 1
    if 3 in statuses:
        return 3
    return 0


def _summary(rows: Sequence[Row]) -> list[str]:
    gaps = [row for row in rows if row.gap]
    refuted = [row for row in rows if row.status == 1 and not row.gap]
    open_ = [row for row in rows if row.status == 3]
    # A clause that the page quotes as it is rendered needs no proof that the two say the same.
    quoted = sum(row.quoted for row in rows)
    proved = sum(row.outcome is not None and row.outcome.verdict == VerdictName.PROVED for row in rows)
    lines = [f"{len(rows)} rows: {proved} of which the formula, as it is read, is proved equivalent to the clause"]
    lines[0] += f", {quoted} quoted there"
    lines[0] += f"; {len(gaps)} with a gap, {len(refuted)} with a finding, {len(open_)} undecided"
    lines += [f"- {row.operator}, {row.family}: {row.tag}: {row.gap}" for row in gaps]
    for row in rows:
        if row.outcome is None:
            continue
        result = row.outcome.result
        if result is not None and result.verdict is not VerdictName.PROVED:
            head = f"- {row.operator}, {row.family}: {row.tag}: the page states, as it was read: {row.outcome.text}"
            lines += [head, "", *(f"      {line}" for line in finding_lines(result)), ""]
    return lines
