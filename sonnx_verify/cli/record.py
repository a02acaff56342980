"""`record`: writes all that is found out about an operator into its folders.

Exit status: 0 if all steps are done, or with --frozen nothing differs; 1 if the verdicts have to be decided first, or a
record differs; 2 for an error; 3 if with --frozen something stayed undecided, or could not be compared here.
"""

from __future__ import annotations

from collections.abc import Sequence

import click

from sonnx_verify.api.recording import Done, Operator, Step, done, steps_of
from sonnx_verify.cli.options import JOBS, complete_operator, guarded
from sonnx_verify.language.named import here
from sonnx_verify.progress import is_silent, shown
from sonnx_verify.results.text import counted_text
from sonnx_verify.solving.check.run import usable_cores

_LINES = 12
"""The most lines of a step that are shown: its command prints the others."""
_COMPARED = {0: "the same", 1: "differs", 3: "undecided"}
"""The result of a comparison, by the exit status of its command."""


@click.command()
@click.argument("operator", metavar="OP", shell_complete=complete_operator)
@click.option("--frozen", is_flag=True, help="Compare the records with a run; write nothing.")
@JOBS
@guarded
def record(operator: str, jobs: int | None, *, frozen: bool) -> int:
    """Make all records of an operator in its folders.

    Verdicts and hints, mutants, runs on each runtime, measured errors, differences of versions, quotations of the page:
    what is stale is made anew, and the rest is left as it is. Ends with what somebody has to decide: what is found,
    unless a commit has the record of it.

    \b
    Examples:
      sonnx-verify record Abs
      sonnx-verify record Abs --frozen
    """
    found = Operator.of(here(), operator)
    steps = steps_of(found)
    ended: list[Done] = []
    for one in shown(done(found, steps, jobs or usable_cores(), compare=frozen), len(steps), "steps"):
        ended.append(one)
        if not is_silent():
            click.echo(_line(one, frozen=frozen))
    click.echo("\n".join(["", *_end(found, steps, ended, frozen=frozen)]))
    if any(one.failed for one in ended):
        return 2
    if not frozen:
        return int(bool(_left(steps, ended)))
    if any(one.status == 1 for one in ended):
        return 1
    # What was not run, or not decided, does not agree.
    return 3 if any(one.status for one in ended) or any(step.missing for step in steps) else 0


def _line(one: Done, *, frozen: bool) -> str:
    """A line for a step that is done."""
    if one.failed:
        return f"failed: {one.step.title}"
    if one.seconds is None:
        return f"as it was: {one.step.title}"
    word = _COMPARED[one.status] if frozen else "written"
    return f"{word}: {one.step.title}, {one.seconds:.0f} s"


def _left(steps: Sequence[Step], ended: Sequence[Done]) -> list[Step]:
    """The steps that wait for a decision about those before them."""
    begun = {one.step.title for one in ended}
    return [step for step in steps if not step.missing and step.title not in begun]


def _end(operator: Operator, steps: Sequence[Step], ended: Sequence[Done], *, frozen: bool) -> list[str]:
    """The list of all that somebody has to decide, or to install or write before all is recorded."""
    lines = [f"left out: {step.title}: {step.missing}" for step in steps if step.missing]
    for folder, missing in operator.missing():
        lines.append(f"missing: {missing} in {folder}")
    # With --frozen each difference from a record is told, whoever committed it.
    open_ones = operator.undecided(ended) if not frozen else (one for one in ended if one.status)
    told = sorted(open_ones, key=lambda one: steps.index(one.step))
    for one in told:
        said = [line for line in one.said.splitlines() if line]
        shown_lines = said[:_LINES]
        if rest := len(said) - len(shown_lines):
            options = one.step.comparing or () if frozen else ()
            command = " ".join(("sonnx-verify", *one.step.command, *options))
            shown_lines.append(f"... {counted_text(rest, 'line')} more: {command}")
        lines += [f"{one.step.title}:", *(f"  {line}" for line in shown_lines)]
    if (left := _left(steps, ended)) and not frozen:
        lines.append(f"left out until these verdicts are settled: {', '.join(step.title for step in left)}")
    elif told and not frozen:
        lines.append("what a record says is decided once it is committed")
    if not lines:
        return ["the records are as in a run" if frozen else "nothing is left to decide"]
    return ["to decide:" if not frozen else "differs, or was not compared:", *lines]
