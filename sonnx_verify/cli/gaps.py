"""`gaps`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import click

from sonnx_verify.api.asking import asking
from sonnx_verify.api.select import used_in
from sonnx_verify.errors import UsageError
from sonnx_verify.language.context import Context
from sonnx_verify.language.files import Unit
from sonnx_verify.language.meaning import LeftOpen
from sonnx_verify.language.named import find_operator, here
from sonnx_verify.language.project import Project
from sonnx_verify.logic.sorts import ELEMENT
from sonnx_verify.obligations.gaps import gap_tag
from sonnx_verify.results.answer_json import example_json
from sonnx_verify.results.example import given_texts
from sonnx_verify.results.values import tensor_json, tensor_text
from sonnx_verify.solving.check.collect import of_unit
from sonnx_verify.solving.check.record import Record
from sonnx_verify.solving.check.run import run
from sonnx_verify.solving.check.telling import example_of
from sonnx_verify.solving.check.uses import needed_by
from sonnx_verify.solving.inputs.decided_by import Decision, decision, profile_of
from sonnx_verify.solving.inputs.open_results import Result, open_results
from sonnx_verify.solving.solvers import Solvers


@dataclass(frozen=True, slots=True)
class Gap:
    """An item that a standard leaves open: its record, two results, and how the profile decides it."""

    record: Record
    item: LeftOpen
    results: tuple[Result, Result]
    decision: Decision | None


def gaps(operators: Sequence[str], form: str) -> int:
    """Show what standards leave open: for each gap the smallest input, two results, and how the profile decides."""
    project = here()
    units = [find_operator(project, name) for name in operators]
    for unit in units:
        if unit.file is not None and unit.file.kind != "standard":
            raise UsageError(f"{unit.operator} is no standard operator", cure="name one of onnx, as `onnx.Op-13`")
    with asking() as solvers:
        answers = [(unit, found_in(project, unit, solvers)) for unit in units]
    if form == "json":
        made = [{"operator": unit.operator, "gaps": [as_json(g) for g in found]} for unit, found in answers]
        click.echo(json.dumps({"operators": made}, indent=1, ensure_ascii=False))
    else:
        for unit, found in answers:
            click.echo(f"{unit.operator}: {len(found) or 'no'} {'gap' if len(found) == 1 else 'gaps'}")
            for gap in found:
                click.echo(f"  {_as_text(gap)}")
    return 0


def found_in(project: Project, unit: Unit, solvers: Solvers) -> list[Gap]:
    """The gaps of a standard operator, in the order of its text. Raises UserError where one is not decided."""
    return [gap_of(project, unit, record) for record in records_of(project, unit, solvers)]


def records_of(project: Project, unit: Unit, solvers: Solvers) -> list[Record]:
    """What came of each thing that a standard operator says is left open, in the order of its text."""
    wanted = [o for o in of_unit(project, unit) if o.kind == "gap"]
    return list(run(wanted, solvers, needed_by(wanted, used_in(project))))


def gap_of(project: Project, unit: Unit, record: Record) -> Gap:
    """The gap of a record. Raises UserError where no input shows it."""
    if record.error is not None:
        raise record.error
    obligation = record.obligation
    sort = obligation.types[0] if obligation.types else ELEMENT
    meaning = project.meaning(unit, Context(obligation.family, sort, variables=obligation.variables))
    item = next(x for x in meaning.left_open if gap_tag(meaning.file, x.rule) == obligation.tag)
    if record.witness is None:
        raise UsageError(f"{record.id} is {record.verdict.name}: {record.verdict.reason}", cure="run `check` on it")
    assignment = record.witness.found.assignment
    profile = profile_of(project, unit)
    return Gap(
        record,
        item,
        open_results(project, unit, meaning, item, assignment),
        None if profile is None else decision(project, profile, meaning, assignment, sort),
    )


def _as_text(gap: Gap) -> str:
    obligation, example = gap.record.obligation, example_of(gap.record.witness)
    assert example is not None
    section = f" [{obligation.section}]" if obligation.section and gap.item.reach == "value" else ""
    title = f" ({gap.item.rule.title})" if gap.item.rule.title else ""
    results = " or ".join(_result_text(r) for r in gap.results)
    decided = "no profile operator decides it" if gap.decision is None else _decision_text(gap.decision)
    return f"{obligation.tag}{section}{title}: {', '.join(given_texts(example.given))}; {results}; {decided}"


def _result_text(result: Result) -> str:
    if result is None:
        return "an error"
    return ", ".join(f"{name} = {tensor_text(tensor)}" for name, tensor in result.items())


def _decision_text(made: Decision) -> str:
    if made.kind == "value":
        return f"{made.operator} decides {_result_text(dict(made.outputs))}"
    return f"{made.operator} decides by {made.kind} {made.tag}{': ' if made.tag and made.title else ''}{made.title}"


def as_json(gap: Gap) -> dict[str, Any]:
    """A gap in JSON."""
    made = gap.decision
    return {
        "id": gap.record.id,
        "tag": gap.record.obligation.tag,
        "section": gap.record.obligation.section or None,
        "reach": gap.item.reach,
        "sentence": gap.item.rule.title or None,
        "origin": gap.item.rule.origin or None,
        "witness": example_json(example_of(gap.record.witness)),
        "results": [None if r is None else {n: tensor_json(t) for n, t in r.items()} for r in gap.results],
        "decided_by": None
        if made is None
        else {
            "operator": made.operator,
            "kind": made.kind,
            "tag": made.tag or None,
            "sentence": made.title or None,
            "outputs": {name: tensor_json(tensor) for name, tensor in made.outputs},
        },
    }
