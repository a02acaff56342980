"""`diff`: of two texts, or of the project and a commit."""

from __future__ import annotations

import click

from sonnx_verify.api.differences import decide_difference, recorded_difference
from sonnx_verify.cli.options import (
    FORMAT,
    JOBS,
    OPSET,
    TIMEOUT,
    complete_operator,
    guarded,
    named,
    print_json,
    refuse_beside,
    refuse_without,
    tell,
    tell_cache_problem,
)
from sonnx_verify.cli.since import since, status_of
from sonnx_verify.errors import UsageError
from sonnx_verify.language.named import here
from sonnx_verify.outputs.difference import difference_json
from sonnx_verify.outputs.wanted import Form
from sonnx_verify.results.difference import difference_lines
from sonnx_verify.timeouts import seconds_each


@click.command()
@click.argument("first", metavar="[A]", required=False, shell_complete=complete_operator)
@click.argument("second", metavar="[B]", required=False, shell_complete=complete_operator)
@click.option("--fail-on-change", is_flag=True, help="Exit with status 1 if the meaning differs; for jobs.")
@click.option("--no-records", is_flag=True, help="Decide anew; ignore the record.")
@click.option("--update-records", is_flag=True, help="Decide the differences of all versions not yet recorded.")
@click.option("--frozen", is_flag=True, help="Decide all recorded differences anew; fail if one has changed.")
@JOBS
@OPSET
@FORMAT
@TIMEOUT
@guarded
def diff(
    first: str | None,
    second: str | None,
    form: Form,
    *,
    fail_on_change: bool,
    no_records: bool,
    update_records: bool,
    frozen: bool,
    jobs: int | None,
    opset: int | None,
) -> int:
    """Compare two specifications, or the project with a commit.

    A and B are versions or texts of one operator, or a profile and its standard: prints what only one of them accepts,
    and whether they allow the same results where both do. With one argument, a commit, branch or tag: compares each
    operator with its version in that commit. A difference that is recorded beside the later text is read from there.
    With --update-records or --frozen, A is an operator whose records are meant, by default all.

    \b
    Examples:
      sonnx-verify diff onnx.Max-12 onnx.Max-13
    """
    if update_records or frozen:
        from sonnx_verify.cli.records import check_records, update

        option = "--update-records" if update_records else "--frozen"
        refuse_beside(option, "jobs", "first")
        if seconds_each() is not None:
            raise UsageError(f"{option} does not go with --timeout", cure="leave one of them out")
        return update(first, jobs) if update_records else check_records(first, jobs)
    if first is None:
        raise UsageError("nothing is named", cure="name two operators, or a commit: `sonnx-verify diff HEAD`")
    # Of one name it is a commit: a text is compared with another one, not with itself.
    if second is None:
        refuse_without("B", "opset", "no_records", "jobs")
        return since(first, form, fail_on_change=fail_on_change)
    project = here()
    one, other = named(project, first, opset), named(project, second, opset)
    recorded = None if no_records else recorded_difference(project, (one, other))
    if recorded is None:
        found = decide_difference(project, (one, other), jobs, tell_cache_problem)
    else:
        found, place = recorded
        tell(f"recorded in {place}; --no-records decides it anew")
    if form is Form.JSON:
        print_json(difference_json(found))
    else:
        click.echo("\n".join([f"{first} and {second}", *difference_lines(found)]))
    return status_of([found], fail_on_change=fail_on_change)
