"""`mutate`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import click

from sonnx_verify.authoring.mutation.baseline import Baseline
from sonnx_verify.authoring.mutation.judge import Outcome
from sonnx_verify.authoring.mutation.processes import judged
from sonnx_verify.authoring.mutation.slip import Slip, sample
from sonnx_verify.authoring.mutation.slips import slips_of
from sonnx_verify.authoring.mutation.table import RENEW, changes, read_table, table_of
from sonnx_verify.errors import UsageError
from sonnx_verify.language.files import Unit
from sonnx_verify.language.named import here
from sonnx_verify.language.places import root_here
from sonnx_verify.language.project import Project
from sonnx_verify.language.reach import Reach
from sonnx_verify.outputs.mutants import in_full, mutants_json, summary
from sonnx_verify.paths import resolved
from sonnx_verify.progress import shown
from sonnx_verify.solving.check.run import usable_cores
from sonnx_verify.solving.solvers import Solvers
from sonnx_verify.stores.folder import refuse_other_file, refuse_unwritable, write_file


def mutate(
    what: Sequence[str],
    size: int | None,
    jobs: int | None,
    short: bool,
    out: str | None,
    against: str | None,
    verbose: bool,
    form: str,
) -> int:
    """Judge the mutants of some specifications and print what came of them. Returns the exit status."""
    table = read_table(Path(against)) if against is not None else None
    hints = {} if table is None else {i: r["by"] for i, r in table.rows.items() if "by" in r}
    if out is not None:
        refuse_unwritable(Path(out))
        refuse_other_file(Path(out), b"{")
    before = read_table(Path(out)) if out is not None and Path(out).exists() else None
    outcomes: list[Outcome] = []
    with Solvers() as solvers:
        baseline = Baseline(_project_of(what), solvers)
        chosen = list(_chosen(baseline, what))
        baseline.prepare(unit.place for unit, _ in chosen)
        slips = sample([slip for unit, line in chosen for slip in _slips(baseline, unit, line)], size)
        if not slips:
            cure = "name a library or an operator, or a line of one that says something; theorems are left alone"
            raise UsageError("there is nothing to get wrong here", cure=cure)
        decided = judged(baseline, slips, usable_cores() if jobs is None else jobs, short, hints)
        with closing(decided):
            for outcome in shown(decided, len(slips), "mutants"):
                outcomes.append(outcome)
                if form == "text" and (verbose or outcome.verdict in ("surviving", "not shown")):
                    click.echo("\n".join(in_full(outcome)))
    changed = [] if table is None else changes(table, outcomes, short)
    if form == "json":
        click.echo(json.dumps(mutants_json(outcomes), indent=1, ensure_ascii=False))
    else:
        click.echo("\n".join(summary(outcomes)))
        if table is not None:
            click.echo("\n".join(changed) or "as the table says")
    if changed:
        click.echo(f"the table {against} is not what this run found\n  to fix: {RENEW}", err=True)
    if out is not None:
        whole = [u.shown for u, line in chosen if line is None] if size is None else []
        write_file(Path(out), table_of(outcomes, before, whole).text())
    if table is not None:
        return 1 if changed else 0
    verdicts = {o.verdict for o in outcomes}
    return 1 if "surviving" in verdicts else 3 if "not shown" in verdicts else 0


def _project_of(what: Sequence[str]) -> Project:
    """The project of the current folder, or the installed one when the folder has no specification; for a text that is
    in neither, the folder that it is in."""
    known = {u.place for u in here().units}
    root = root_here()
    for name in what:
        path, _ = _with_line(name)
        if path.suffix == ".sonnx" and path.is_file() and resolved(path) not in known:
            root = path.parent
            break
        if path.is_dir() and not any(resolved(path) in place.parents for place in known):
            root = path
            break
    # Read once: what is edited meanwhile is no slip.
    reach = Reach.of(root, ())
    return Project.open(root, reach.texts, closed=True) if reach.snapshot() is not None else Project.open(root)


def _with_line(name: str) -> tuple[Path, int | None]:
    """A path, and the line that is named behind it."""
    path, _, number = name.rpartition(":")
    # No text has so many lines that more digits matter.
    return (Path(path), int(number[:12])) if path and re.fullmatch("[0-9]+", number) else (Path(name), None)


def _chosen(baseline: Baseline, what: Sequence[str]) -> Iterator[tuple[Unit, int | None]]:
    """One unit of each file that is named, with the line where one is; else of each library and each profile."""
    units = list({u.place: u for u in baseline.project.units}.values())
    if not what:
        kinds = ("library", "profile", "user")
        yield from ((u, None) for u in units if u.file is not None and u.file.kind in kinds)
        return
    for name in what:
        named, line = _with_line(name)
        found = [u for u in units if resolved(named) in (u.place, *u.place.parents)]
        named_so = [u for u in baseline.project.units if u.operator == name or u.operator.startswith(f"{name}-")]
        found = found or [u for u in units if u.place in {n.place for n in named_so}]
        if not found:
            raise UsageError(
                f"there is no specification {name} in this project", cure="name a .sonnx file of it, or FILE:LINE"
            )
        yield from ((u, line) for u in found)


def _slips(baseline: Baseline, unit: Unit, line: int | None) -> list[Slip]:
    assert unit.file is not None
    assert unit.file.span is not None
    orders = {name: order.family for name, order in baseline.project.library(unit).orders.items()}
    return [s for s in slips_of(unit.file.span.source, orders) if line in (None, s.line)]
