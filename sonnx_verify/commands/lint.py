"""`lint`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from sonnx_verify.errors import UsageError
from sonnx_verify.lint.finding import Finding, findings_of
from sonnx_verify.pages.read import read_page
from sonnx_verify.report.console import counted_text


def lint(what: Sequence[str], form: str) -> int:
    """Print what is wrong with pages, or with those of folders. Returns 1 where more than notes was found."""
    pages = list(dict.fromkeys(path for name in what for path in _pages(Path(name))))
    findings = [finding for path in pages for finding in findings_of(read_page(path))]
    if form == "json":
        click.echo(json.dumps({"findings": [_row(f) for f in findings]}, indent=1, ensure_ascii=False))
    else:
        for finding in findings:
            span, fix = finding.span, f"\n  to fix: {finding.fix}" if finding.fix else ""
            click.echo(f"{span}: {finding.severity}: {finding.message} [{finding.rule}]\n{span.quote()}{fix}")
        click.echo(f"{counted_text(len(pages), 'page')}, {counted_text(len(findings), 'finding')}")
    return 1 if any(f.severity != "note" for f in findings) else 0


def _pages(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
        return
    found = sorted([*path.rglob("*.md"), *path.rglob("*.rst")])
    if not found:
        raise UsageError(f"{path} has no page", cure="name a file, or a folder with files *.md or *.rst")
    yield from found


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
