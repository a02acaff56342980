"""`conform`."""

from __future__ import annotations

import json
from dataclasses import dataclass

import click

from sonnx_verify.api.conforming import answered
from sonnx_verify.cli.vectors import named
from sonnx_verify.conform.compare import LEVELS
from sonnx_verify.conform.ledger import FOLDER, changes, updated
from sonnx_verify.conform.record import STATUS
from sonnx_verify.conform.target import Target
from sonnx_verify.conform.tested import Settings
from sonnx_verify.errors import UsageError
from sonnx_verify.language.named import find_operator, here
from sonnx_verify.outputs.conformance import conformance_json, conformance_lines
from sonnx_verify.outputs.wanted import Wanted
from sonnx_verify.stores.folder import write_file


@dataclass(frozen=True, slots=True)
class Keep:
    """Whether the ledger is written, or held against."""

    update: bool = False
    frozen: bool = False


def conform(operator: str, against: str, settings: Settings, bound: str, keep: Keep, wanted: Wanted) -> int:
    """Hold the target against the specification, and print how they agree. Returns the status of docs/conform.md."""
    if keep.update and keep.frozen:
        raise UsageError("--frozen holds against the ledger that --update-ledger writes", cure="give one of them")
    project = here()
    unit = find_operator(project, operator)
    target = Target.of(against)
    wanted.refuse([unit.path], (project.root / FOLDER).glob("*.json"))
    if keep.update and settings.types:
        raise UsageError("the ledger has all types of an operator", cure="drop --types, or --update-ledger")
    answer = answered(project, unit, target, settings, bound)
    differences = changes(project.root, target, answer) if keep.frozen else []
    if wanted.needs_run:
        from sonnx_verify.outputs.of_conform import run_of_conform

        span = None if unit.file is None else unit.file.span
        click.echo(wanted.finish(run_of_conform(answer, differences, keep.frozen, span)), nl=False)
    if wanted.form == "json":
        more = {"changes": differences} if keep.frozen else {}
        click.echo(json.dumps(conformance_json(answer) | more, indent=1, ensure_ascii=False))
    elif wanted.is_text:
        click.echo("\n".join(conformance_lines(answer)))
        if keep.frozen:
            click.echo("\n".join(["", *(differences or ["as the ledger has it"])]))
    if keep.update:
        path, text = updated(project.root, target, answer)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, text)
    if keep.frozen:
        return 1 if differences else 0
    return STATUS[answer.verdict]


def settings_of(
    types: str, level: str, seed: int, random: int, seconds: float, short: bool, test_only: bool
) -> Settings:
    """What the options say."""
    return Settings(tuple(named(types)), LEVELS.index(level), seed, random, seconds, short, test_only)
