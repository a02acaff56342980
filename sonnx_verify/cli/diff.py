"""`diff`."""

from __future__ import annotations

import json
from typing import Any

import click

from sonnx_verify.api.asking import asking
from sonnx_verify.api.select import used_in
from sonnx_verify.language.named import find_operator, here
from sonnx_verify.language.project import Project
from sonnx_verify.obligations.difference import Pair, obligations_of, pair_of, types_alone
from sonnx_verify.progress import shown
from sonnx_verify.results.answer_json import example_json
from sonnx_verify.results.example import given_texts
from sonnx_verify.solving.check.record import Record
from sonnx_verify.solving.check.run import run
from sonnx_verify.solving.check.telling import example_of
from sonnx_verify.solving.check.uses import needed_by
from sonnx_verify.solving.solvers import Solvers

SAME = {"base": "violated", "other": "violated", "results": "proved"}
"""The verdict that says that there is no difference, by the role of an obligation."""
DIFFERS = {"base": "holds", "other": "holds", "results": "refuted"}


def diff(a: str, b: str, form: str) -> int:
    """Compare two specifications of one operator: input that one alone accepts, results that one alone allows."""
    project = here()
    pair = pair_of(find_operator(project, a), find_operator(project, b))
    with asking() as solvers:
        roles, records = decided(project, pair, solvers)
    if form == "json":
        click.echo(json.dumps(_as_json(pair, roles, records), indent=1, ensure_ascii=False))
    else:
        click.echo("\n".join([f"{a} and {b}", *as_text(pair, roles, records)]))
    answered = all(r.verdict.name in (SAME[role], DIFFERS[role]) for role, r in zip(roles, records, strict=True))
    return 0 if answered else 3


def decided(project: Project, pair: Pair, solvers: Solvers, jobs: int = 1) -> tuple[list[str], list[Record]]:
    """The roles and records of the obligations that a difference is made of. Raises UserError where a text is
    wrong."""
    found = list(obligations_of(project, pair))
    obligations = [obligation for _, obligation in found]
    answers = run(obligations, solvers, needed_by(obligations, used_in(project)), jobs)
    records = list(shown(answers, len(obligations), "answers"))
    for record in records:
        if record.error is not None:
            raise record.error
    return [role for role, _ in found], records


def _types(pair: Pair) -> dict[str, list[str]]:
    """The types that each has alone, by operator; those of another variable than T with its name."""
    found: dict[str, list[str]] = {pair.base.operator: [], pair.other.operator: []}
    for variable, alone in types_alone(pair).items():
        for types, listed in zip(alone, found.values(), strict=True):
            listed += types if variable == "T" else [f"{variable} = {name}" for name in types]
    return found


def as_text(pair: Pair, roles: list[str], records: list[Record]) -> list[str]:
    """A line for each way in which the two differ, or are proved not to."""
    base, other = pair.base.operator, pair.other.operator
    lines = []
    for name, alone in _types(pair).items():
        if alone:
            lines.append(f"  types of {name} alone: {' '.join(alone)}")
    for name in pair.moved:
        lines.append(f"  `{name}` is an input of {base} and an attribute of {other}")
    for name in pair.alone:
        lines.append(f"  `{name}` is there in {base} alone; below it has its default, or is left out")
    for role, record in zip(roles, records, strict=True):
        section = f"{record.obligation.section}: " if record.obligation.section else ""
        lines.append(f"  {section}{_answer(pair, role, record)}")
    return lines


def _answer(pair: Pair, role: str, record: Record) -> str:
    name = record.verdict.name
    if role == "results":
        if name == SAME[role]:
            return "where both accept, proved to allow the same results"
        what = "allow different results"
    else:
        who = (pair.base if role == "base" else pair.other).operator
        if name == SAME[role]:
            return f"nothing is accepted by {who} alone, proved"
        what = f"accepted by {who} alone"
    if name != DIFFERS[role]:
        return f"{what}? {name}: {record.verdict.reason or record.note}"
    return f"{what}: {shown_difference(pair, record)}"


def shown_difference(pair: Pair, record: Record) -> str:
    """The input, and the result that one of them allows, on one line."""
    example = example_of(record.counterexample or record.witness)
    assert example is not None
    given, made = given_texts(example.given), given_texts(example.outputs)
    if record.counterexample is None:
        return ", ".join(given)
    base, other = pair.names_of_both
    refusing = other if example.broken.startswith(f"{other} ") else base
    return f"{', '.join(given)}: {', '.join(made)}, which {refusing} does not allow"


def _as_json(pair: Pair, roles: list[str], records: list[Record]) -> dict[str, Any]:
    return {
        "base": pair.base.operator,
        "other": pair.other.operator,
        "types_alone": _types(pair),
        "moved": list(pair.moved),
        "alone": list(pair.alone),
        "differences": [_record_json(role, record) for role, record in zip(roles, records, strict=True)],
    }


def _record_json(role: str, record: Record) -> dict[str, Any]:
    name = record.verdict.name
    same = True if name == SAME[role] else False if name == DIFFERS[role] else None
    return {
        "section": record.obligation.section or None,
        "what": {"base": "accepted by base alone", "other": "accepted by other alone", "results": "results"}[role],
        "differs": None if same is None else not same,
        "verdict": name,
        "scope": record.scope or None,
        "reason": record.verdict.reason or None,
        "witness": example_json(example_of(record.counterexample or record.witness)),
    }
