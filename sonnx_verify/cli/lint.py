"""`lint`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path

import click

from sonnx_verify.errors import Span, UsageError
from sonnx_verify.outputs.wanted import Wanted
from sonnx_verify.pages.lint.finding import Finding, Severity
from sonnx_verify.pages.lint.mend import fixable, mended
from sonnx_verify.pages.lint.rules import findings_of
from sonnx_verify.pages.reading.page import Page
from sonnx_verify.pages.reading.read import page_bytes, page_from
from sonnx_verify.results.text import counted_text
from sonnx_verify.stores.folder import replace_file
from sonnx_verify.stores.store import without_cache

_PLACES = 12
"""So many lines are told where a finding is there again."""


def lint(what: Sequence[str], wanted: Wanted, fix: bool = False, cached: bool = True) -> int:
    """Print what is wrong with pages, or with those of folders; with `fix` after mending what is mechanical. Returns 1
    where more than notes was found."""
    with nullcontext() if cached else without_cache():
        return _lint(what, wanted, fix)


def _lint(what: Sequence[str], wanted: Wanted, fix: bool) -> int:
    pages = list(dict.fromkeys(path for name in what for path in _pages(Path(name))))
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
    if wanted.form == "json":
        told: dict[str, object] = {"findings": rows}
        if fix:
            told["fixed"] = [_row(f) for f in fixed]
        click.echo(json.dumps(told, indent=1, ensure_ascii=False))
    elif wanted.is_text:
        lines = [f"{f.span}: fixed: {f.message} [{f.rule}]" for f in fixed] + shown_findings(findings)
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


def _pages(path: Path) -> Iterator[Path]:
    if path.suffix == ".sonnx":
        raise UsageError(f"{path} is a formal text, no page", cure="name its page; `check` is for formal texts")
    if not path.is_dir():
        yield path
        return
    found = sorted([*path.rglob("*.md"), *path.rglob("*.rst")])
    if not found:
        raise UsageError(f"{path} has no page", cure="name a file, or a folder with files *.md or *.rst")
    yield from found


def shown_findings(findings: list[Finding]) -> list[str]:
    """Each finding with its line, those that say the same together."""
    return [_shown(alike) for alike in _grouped(findings)]


def _grouped(findings: list[Finding]) -> list[list[Finding]]:
    """The findings, those of a page together that say the same of several places."""
    made: dict[tuple[str, str, str, str], list[Finding]] = {}
    for finding in findings:
        made.setdefault((finding.span.source.name, finding.rule, finding.message, finding.fix), []).append(finding)
    return list(made.values())


def _shown(alike: list[Finding]) -> str:
    finding = alike[0]
    lines = [
        f"{finding.span}: {finding.severity}: {finding.message} [{finding.rule}]",
        finding.span.quote(),
    ]
    if alike[1:]:
        lines.append(f"  also on {_lines([f.span for f in alike[1:]])}")
    if finding.fix:
        lines.append(f"  to fix: {finding.fix}")
    return "\n".join(lines)


def _lines(spans: list[Span]) -> str:
    numbers = list(dict.fromkeys(span.line for span in spans))
    told = ", ".join(map(str, numbers[:_PLACES]))
    more = f" and {len(numbers) - _PLACES} more" if len(numbers) > _PLACES else ""
    return f"line {told}" if len(numbers) == 1 else f"lines {told}{more}"


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
