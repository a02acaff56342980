"""`lint`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

import click

from sonnx_verify.api.files import pages_of
from sonnx_verify.cli.options import REPORTS, RUN_FORMAT, guarded
from sonnx_verify.outputs.page_findings import finding_texts
from sonnx_verify.outputs.wanted import Form, Wanted
from sonnx_verify.pages.lint.finding import Finding, Severity
from sonnx_verify.pages.lint.mend import fixable, mended
from sonnx_verify.pages.lint.rules import findings_of
from sonnx_verify.pages.reading.page import Page
from sonnx_verify.pages.reading.read import page_bytes, page_from
from sonnx_verify.results.text import counted_text
from sonnx_verify.stores.folder import replace_file
from sonnx_verify.stores.store import without_cache


@click.command()
@click.argument("pages", nargs=-1, required=True, metavar="PAGE...")
@click.option("--fix", is_flag=True, help="Mend what is mechanical, in the files.")
@click.option("--no-cache", is_flag=True, help="Try every formula, whatever earlier runs found.")
@RUN_FORMAT
@REPORTS
@guarded
def lint(pages: tuple[str, ...], fix: bool, no_cache: bool, form: Form, reports: tuple[str, ...]) -> int:
    """Say what is wrong with pages of the profile, or with those of folders: tags, anchors, links, sections, words."""
    with without_cache() if no_cache else nullcontext():
        return _lint(pages, Wanted.of(form, reports), fix)


def _lint(what: Sequence[str], wanted: Wanted, fix: bool) -> int:
    pages = pages_of(what)
    wanted.refuse(pages)
    fixed: list[Finding] = []
    findings: list[Finding] = []
    rows: list[dict[str, object]] = []
    for path in pages:
        page, done = _read(path, fix)
        here = findings_of(page)
        mends = set(map(id, fixable(page, here)))
        rows += [{**_row(f), "fixable": id(f) in mends} for f in here]
        fixed += done
        findings += here
    count = f", {len(fixed)} fixed" if fix else ""
    summary = f"{counted_text(len(pages), 'page')}, {counted_text(len(findings), 'finding')}{count}"
    if wanted.needs_run:
        from sonnx_verify.outputs.of_lint import run_of_lint

        click.echo(wanted.finish(run_of_lint([p.as_posix() for p in pages], findings, [summary])), nl=False)
    if wanted.form is Form.JSON:
        told: dict[str, object] = {"findings": rows}
        if fix:
            told["fixed"] = [_row(f) for f in fixed]
        click.echo(json.dumps(told, indent=1, ensure_ascii=False))
    elif wanted.is_text:
        lines = [f"{f.span}: fixed: {f.message} [{f.rule}]" for f in fixed] + finding_texts(findings)
        click.echo("\n".join([*lines, summary]))
    return 1 if any(f.severity is not Severity.NOTE for f in findings) else 0


def _read(path: Path, fix: bool) -> tuple[Page, list[Finding]]:
    """A page, and what was mended in its file."""
    name, data = path.as_posix(), page_bytes(path)
    if not fix:
        return page_from(name, data, path), []
    changed, done, page = mended(name, data, path)
    if changed != data:
        replace_file(path, changed)
    return page, done


def _row(finding: Finding) -> dict[str, object]:
    span = finding.span
    return {
        "file": span.source.name,
        "line": span.line,
        "column": span.column,
        "rule": finding.rule,
        "severity": finding.severity,
        "message": finding.message,
        "fix": finding.fix or None,
    }
