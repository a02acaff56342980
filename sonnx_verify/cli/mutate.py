"""`mutate`: the outcomes of mutants, compared with their records or written to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing

import click

from sonnx_verify.authoring.mutation.baseline import Baseline
from sonnx_verify.authoring.mutation.chosen import chosen, mutations_in, project_of
from sonnx_verify.authoring.mutation.judge import ALIVE, Fate, Outcome
from sonnx_verify.authoring.mutation.kept import KeptOutcomes, resumed
from sonnx_verify.authoring.mutation.mutation import Mutation, sample
from sonnx_verify.authoring.mutation.processes import judged
from sonnx_verify.authoring.mutation.record_files import (
    UPDATE,
    from_here,
    gone,
    judges_in,
    known_mutants,
    refuse_other_project,
    write_mutants,
)
from sonnx_verify.authoring.mutation.records import TextRecord, record_changes, row
from sonnx_verify.cli.options import (
    FORMAT,
    JOBS,
    complete_identity,
    exclusive,
    guarded,
    paint_of_output,
    print_json,
    tell,
)
from sonnx_verify.errors import UsageError
from sonnx_verify.language.files import Unit
from sonnx_verify.outputs.mutants import in_full, mutants_json, summary
from sonnx_verify.outputs.wanted import Form
from sonnx_verify.progress import is_silent, shown
from sonnx_verify.solving.check.run import usable_cores
from sonnx_verify.solving.solvers import Solvers
from sonnx_verify.stores.killers import Killers


@click.command()
@click.argument("specs", nargs=-1, metavar="[SPEC]...", shell_complete=complete_identity)
@click.option("--sample", "size", type=click.IntRange(1), metavar="N", help="Judge only N mutants, chosen by a hash.")
@JOBS
@click.option("--short", is_flag=True, help="Search for counterexamples only; a mutant that needs a proof survives.")
@click.option("--update-records", is_flag=True, help="Write the outcomes to mutants.json in their folders.")
@click.option("--frozen", is_flag=True, help="Fail if any outcome differs from the records.")
@click.option("--verbose", "-v", is_flag=True, help="Print every mutant, not only the survivors.")
@FORMAT
@guarded
def mutate(
    specs: tuple[str, ...],
    *,
    size: int | None,
    jobs: int | None,
    short: bool,
    update_records: bool,
    frozen: bool,
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
    _refuse(size=size, short=short, update=update_records, frozen=frozen)
    outcomes: list[Outcome] = []
    killers = Killers.opened()
    with Solvers() as solvers:
        project = project_of(specs)
        if update_records:
            refuse_other_project(project.root)
        records = known_mutants(project.root)
        baseline = Baseline(project, solvers, judges_in(project, records))
        found = list(chosen(baseline, specs))
        whole = [unit for unit, line in found if line is None and size is None]
        if update_records and len(whole) < len(found):
            raise UsageError("a record has all mutants of a text", cure="name no line, or drop --update-records")
        baseline.prepare(unit.place for unit, _ in found)
        every: list[Mutation] = []
        for unit, line in found:
            every += mutations_in(baseline, unit, line)
        mutations = sample(every, size)
        if not mutations:
            cure = "name a library or an operator, or one of their lines (theorems are not mutated)"
            raise UsageError("nothing to mutate here", cure=cure)
        hints, cores = _hints(mutations, records, killers), jobs or usable_cores()
        if update_records and not verbose and form is Form.TEXT:
            kept = KeptOutcomes.opened(baseline)
            decided = resumed(kept, mutations, lambda left: judged(baseline, left, cores, hints=hints))
        else:
            decided = judged(baseline, mutations, cores, short=short, hints=hints)
        with closing(decided), killers:
            for outcome in shown(decided, len(mutations), "mutants"):
                outcomes.append(outcome)
                if outcome.verdict is Fate.KILLED:
                    killers.keep(outcome.mutation.source.name, outcome.mutation.name, outcome.killer)
                is_shown = verbose or outcome.verdict in ALIVE
                if is_shown and form is Form.TEXT:
                    click.echo("\n".join(in_full(outcome, paint_of_output())))
    changed = None
    left = gone(records, project.root, [unit.shown for unit in whole] if specs else None)
    if frozen:
        changed = record_changes(records, outcomes, [unit.shown for unit in whole])
        changed += [f"{name}: in the records, but there is no such text" for name in left]
    _print_end(outcomes, changed, form)
    if changed:
        click.echo(f"the records differ from this run\n  to fix: {UPDATE}", err=True)
    if update_records:
        # Somebody may have written a reason since: this took minutes.
        now = known_mutants(project.root)
        made = {unit.shown: _record(baseline, unit, now.get(unit.shown), outcomes) for unit in whole}
        for path in write_mutants(project.root, made, left):
            tell(f"wrote {from_here(path)}")
        for name in left:
            tell(f"removed the record of {name}: there is no such text")
    # A survivor that the records have is known: only a change is a finding then.
    if frozen:
        return int(bool(changed))
    return _status(outcomes)


def _refuse(*, size: int | None, short: bool, update: bool, frozen: bool) -> None:
    """Raise UsageError for options that do not go together."""
    if update and frozen:
        raise exclusive("--update-records", "--frozen")
    if update and size is not None:
        raise UsageError("a record has all mutants of a text", cure="drop --sample, or --update-records")
    if short and (update or frozen):
        option = "--update-records" if update else "--frozen"
        raise UsageError("a short look does not show that a mutant survives", cure=f"drop --short, or {option}")


def _hints(mutations: Iterable[Mutation], records: Mapping[str, TextRecord], killers: Killers) -> dict[str, str]:
    """The killer that each mutant had in an earlier run: it nearly always kills it in this one."""
    found: dict[str, str] = {}
    known: dict[str, Mapping[str, str]] = {}
    for mutation in mutations:
        name = mutation.source.name
        # Of a text without judges the first statement that fails counts, in any run: it makes its operator one.
        if name not in records or records[name].judges is None:
            continue
        if name not in known:
            known[name] = killers.find(name)
        if mutation.name in known[name]:
            found[mutation.identity] = known[name][mutation.name]
    return found


def _record(baseline: Baseline, unit: Unit, before: TextRecord | None, outcomes: Sequence[Outcome]) -> TextRecord:
    """The record of a text of which all mutants were judged: by the judges that it had, else by those that it needs."""
    own = [outcome for outcome in outcomes if outcome.mutation.source.name == unit.shown]
    judges: Sequence[str] | None = None if before is None else before.judges
    if judges is None:
        judges = baseline.judges(unit.place, {outcome.killer for outcome in own if outcome.killer})
    return TextRecord.of(((outcome.mutation, row(outcome)) for outcome in own), judges).explained(before)


def _print_end(outcomes: Sequence[Outcome], changed: list[str] | None, form: Form) -> None:
    """Print the numbers of mutants, and what differs from the records where they are compared."""
    if form is Form.JSON:
        print_json(mutants_json(outcomes, changed))
        return
    if not is_silent():
        click.echo("\n".join(summary(outcomes)))
    if changed is not None:
        click.echo("\n".join(changed) or "matches the records")


def _status(outcomes: Sequence[Outcome]) -> int:
    """1 for a mutant that survives, else 3 for one of which it is not known."""
    verdicts = {outcome.verdict for outcome in outcomes}
    if Fate.SURVIVING in verdicts:
        return 1
    if Fate.NOT_SHOWN in verdicts:
        return 3
    return 0
