"""`mutate`: the outcomes of mutants, compared with a table or written to it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import click

from sonnx_verify.authoring.mutation.baseline import Baseline
from sonnx_verify.authoring.mutation.chosen import chosen, mutations_in, project_of
from sonnx_verify.authoring.mutation.judge import ALIVE, Fate, Outcome
from sonnx_verify.authoring.mutation.mutation import Mutation, sample
from sonnx_verify.authoring.mutation.processes import judged
from sonnx_verify.authoring.mutation.table import RENEW, read_table, table_changes, table_of
from sonnx_verify.cli.options import FORMAT, JOBS, complete_identity, guarded, paint_of_output, print_json
from sonnx_verify.errors import UsageError
from sonnx_verify.outputs.mutants import in_full, mutants_json, summary
from sonnx_verify.outputs.wanted import Form
from sonnx_verify.progress import is_silent, shown
from sonnx_verify.solving.check.run import usable_cores
from sonnx_verify.solving.solvers import Solvers
from sonnx_verify.stores.folder import refuse_other_file, refuse_unwritable, write_file


@click.command()
@click.argument("specs", nargs=-1, metavar="[SPEC]...", shell_complete=complete_identity)
@click.option("--sample", "size", type=click.IntRange(1), metavar="N", help="Judge only N mutants, chosen by a hash.")
@JOBS
@click.option("--short", is_flag=True, help="Search for counterexamples only; a mutant that needs a proof survives.")
@click.option("--out", type=click.Path(dir_okay=False), metavar="FILE", help="Write the table of outcomes to FILE.")
@click.option(
    "--against",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Fail if any outcome differs from the table in FILE.",
)
@click.option("--verbose", "-v", is_flag=True, help="Print every mutant, not only the survivors.")
@FORMAT
@guarded
def mutate(
    specs: tuple[str, ...],
    *,
    size: int | None,
    jobs: int | None,
    short: bool,
    out: str | None,
    against: str | None,
    verbose: bool,
    form: Form,
) -> int:
    """Mutate specifications and report the mutants that survive.

    SPEC is a file, FILE:LINE, a folder or an operator. Without it: every library, standard and profile. A mutant
    that no obligation refutes shows what the specification leaves unsaid.

    \b
    Examples:
      sonnx-verify mutate spec/common/strides.sonnx:10
      sonnx-verify mutate sonnx.Min-13 --sample 2 --short
    """
    table, before = None, None
    hints: dict[str, str] = {}
    if against is not None:
        # The statement that killed a mutant in the last run nearly always kills it in this one: it is tried first.
        table = read_table(Path(against))
        hints = {identity: row["by"] for identity, row in table.rows.items() if "by" in row}
    if out is not None:
        # Before hours of work. A table begins with a brace; any other file was named by mistake.
        refuse_unwritable(Path(out))
        refuse_other_file(Path(out), b"{")
        if Path(out).exists():
            before = read_table(Path(out))
    outcomes: list[Outcome] = []
    with Solvers() as solvers:
        baseline = Baseline(project_of(specs), solvers)
        found = list(chosen(baseline, specs))
        baseline.prepare(unit.place for unit, _ in found)
        every: list[Mutation] = []
        for unit, line in found:
            every += mutations_in(baseline, unit, line)
        mutations = sample(every, size)
        if not mutations:
            cure = "name a library or an operator, or one of their lines (theorems are not mutated)"
            raise UsageError("nothing to mutate here", cure=cure)
        decided = judged(baseline, mutations, jobs or usable_cores(), short=short, hints=hints)
        with closing(decided):
            for outcome in shown(decided, len(mutations), "mutants"):
                outcomes.append(outcome)
                is_shown = verbose or outcome.verdict in ALIVE
                if is_shown and form is Form.TEXT:
                    click.echo("\n".join(in_full(outcome, paint_of_output())))
    changed = None
    if table is not None:
        changed = table_changes(table, outcomes, short=short)
    _print_end(outcomes, changed, form)
    if changed:
        click.echo(f"{against} differs from this run\n  to fix: {RENEW}", err=True)
    if out is not None:
        # Of a sample, or of a line, the other rows of a text are still those of an earlier run.
        whole = []
        if size is None:
            whole = [unit.shown for unit, line in found if line is None]
        write_file(Path(out), table_of(outcomes, before, whole).text())
    # A survivor that the table has is known: only a change is a finding then.
    if table is not None:
        return int(bool(changed))
    return _status(outcomes)


def _print_end(outcomes: Sequence[Outcome], changed: list[str] | None, form: Form) -> None:
    """Print the numbers of mutants, and what differs from a table where the run is held against one."""
    if form is Form.JSON:
        print_json(mutants_json(outcomes, changed))
        return
    if not is_silent():
        click.echo("\n".join(summary(outcomes)))
    if changed is not None:
        click.echo("\n".join(changed) or "matches the table")


def _status(outcomes: Sequence[Outcome]) -> int:
    """1 for a mutant that survives, else 3 for one of which it is not known."""
    verdicts = {outcome.verdict for outcome in outcomes}
    if Fate.SURVIVING in verdicts:
        return 1
    if Fate.NOT_SHOWN in verdicts:
        return 3
    return 0
