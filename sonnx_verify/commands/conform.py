"""`conform`."""

from __future__ import annotations

import json
from dataclasses import dataclass

import click

from sonnx_verify.commands.select import find_operator, here
from sonnx_verify.errors import UsageError
from sonnx_verify.implementations.compare import LEVELS
from sonnx_verify.implementations.record import STATUS, Conformance
from sonnx_verify.implementations.target import Target
from sonnx_verify.implementations.tested import Settings, tested
from sonnx_verify.language.families import types_of
from sonnx_verify.language.files import Unit
from sonnx_verify.language.project import Project
from sonnx_verify.report.conformance import conformance_json, conformance_lines


def conform(operator: str, against: str, settings: Settings, keep: object, form: str) -> int:
    """Hold the target against the specification, and print how they agree. Returns the status of docs/conform.md."""
    project = here()
    unit = find_operator(project, operator)
    target = Target.of(against)
    _check_types(unit, settings.types)
    answer = answered(project, unit, target, settings)
    if form == "json":
        click.echo(json.dumps(conformance_json(answer), indent=1, ensure_ascii=False))
    else:
        click.echo("\n".join(conformance_lines(answer)))
    return STATUS[answer.verdict]


def answered(project: Project, unit: Unit, target: Target, settings: Settings) -> Conformance:
    """What is found of the target."""
    return tested(project, unit, target, settings)


def _check_types(unit: Unit, types: tuple[str, ...]) -> None:
    assert unit.file is not None
    known = [t for t in types_of(unit.file, "T") if t != "real"]
    for name in types:
        if name not in known:
            raise UsageError(f"{unit.operator} has no type `{name}`", cure=f"use some of {', '.join(known)}")
