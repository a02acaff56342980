"""`explain --gaps`: what a standard leaves open."""

from __future__ import annotations

from collections.abc import Sequence

import click

from sonnx_verify.api.asking import asking
from sonnx_verify.api.gaps import Gap, GapsJson, OperatorGapsJson, gap_json, gaps_of
from sonnx_verify.cli.options import named, print_json, tell_cache_problem
from sonnx_verify.errors import UsageError
from sonnx_verify.language.named import here
from sonnx_verify.language.syntax import FileKind, Reach
from sonnx_verify.outputs.wanted import Form
from sonnx_verify.results.example import given_texts
from sonnx_verify.results.text import counted_text, framed
from sonnx_verify.results.values import tensor_text
from sonnx_verify.solving.check.telling import example_of
from sonnx_verify.solving.inputs.decided_by import DecidedBy, Decision
from sonnx_verify.solving.inputs.open_results import Result
from sonnx_verify.solving.inputs.outcome_lines import reach_lines


def gaps(operators: Sequence[str], form: Form) -> int:
    """Print each gap on a line: the smallest input, two results that conform, and how the profile decides."""
    project = here()
    units = [named(project, name) for name in operators]
    # Only a standard states what it leaves open; a profile decides, and is shown with the gap.
    for unit in units:
        if unit.file is not None and unit.file.kind is not FileKind.STANDARD:
            cure = "name one, such as onnx.Max-13"
            raise UsageError(f"{unit.operator} is not a standard operator", cure=cure)
    with asking(tell_cache_problem) as solvers:
        answers = [(unit, gaps_of(project, unit, solvers)) for unit in units]
    if form is Form.JSON:
        made = [
            OperatorGapsJson(unit.operator, [gap_json(gap) for gap in found], rest) for unit, (found, rest) in answers
        ]
        print_json(GapsJson(made))
    else:
        for unit, (found, rest) in answers:
            click.echo(f"{unit.operator}: {counted_text(len(found), 'gap') if found else 'no gaps'}")
            for gap in found:
                click.echo(f"  {_as_text(gap)}")
            for one in rest:
                click.echo(f"  not shown: {one.id} ({one.reason})")
    # A gap is an answer: it is the standard's, and nothing in the texts is wrong.
    return 3 if any(rest for _, (_, rest) in answers) else 0


def _as_text(gap: Gap) -> str:
    obligation, example = gap.record.obligation, example_of(gap.record.witness)
    assert example is not None
    head = obligation.tag
    # A value that is left open may be open for some types alone; a shape has none.
    if obligation.section and gap.item.reach is Reach.VALUE:
        head += f" [{obligation.section}]"
    if gap.item.rule.title:
        head += f" ({gap.item.rule.title})"
    results = "results such as " + " or ".join(_result_text(result) for result in gap.results)
    return f"{head}: {', '.join(given_texts(example.given))}; {results}; {_decision_text(gap.decision)}"


def _result_text(result: Result) -> str:
    if result is None:
        return "an error"
    return ", ".join(f"{name} = {tensor_text(tensor)}" for name, tensor in result.items())


def _decision_text(made: Decision | None) -> str:
    if made is None:
        return "no profile operator decides it"
    if made.kind is DecidedBy.VALUE:
        among = [line.strip() for sets in made.sets.values() for line in reach_lines(sets)]
        return f"{made.operator} decides {_result_text(dict(made.outputs))}{framed(' (', ', '.join(among), ')')}"
    reason = ": ".join(part for part in (made.tag, made.title) if part)
    # By a restriction, an error or a type: then the profile accepts no input of that kind.
    return f"{made.operator} decides by {made.kind} {reason}"
