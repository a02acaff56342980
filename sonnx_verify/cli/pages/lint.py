"""`page lint`: the mistakes in pages."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import click
from msgspec import UNSET

from sonnx_verify.api.files import pages_of
from sonnx_verify.cli.options import LINKS, REPORTS, RUN_FORMAT, guarded, print_json
from sonnx_verify.outputs.page_findings import FindingJson, FixedJson, LintJson, finding_texts, members_of
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
@click.option("--fix", is_flag=True, help="Fix mechanical mistakes in the files.")
@click.option("--no-cache", is_flag=True, help="Ignore the results of earlier runs.")
@click.option(
    "--dependents", is_flag=True, help="Lint the pages of named formal texts and of their dependents; for hooks."
)
@RUN_FORMAT
@REPORTS
@LINKS
@guarded
def lint(
    pages: tuple[str, ...],
    *,
    fix: bool,
    no_cache: bool,
    dependents: bool,
    form: Form,
    reports: tuple[str, ...],
    links: tuple[str, ...],
) -> int:
    """Report mistakes in pages.

    PAGE is a file or a folder. Checks tags, anchors, links, sections and words, and compares statements with the
    formal text next to the page.

    \b
    Examples:
      sonnx-verify page lint spec/sonnx/max/max.md
    """
    with ExitStack() as settings:
        if no_cache:
            settings.enter_context(without_cache())
        wanted = Wanted.of(form, reports, links)
        if dependents:
            # Only a hook needs what finds the users of a text.
            from sonnx_verify.api.dependents import pages_with_dependents

            return _lint(pages_with_dependents(pages), wanted, fix=fix)
        return _lint(pages_of(pages), wanted, fix=fix)


def _lint(pages: Sequence[Path], wanted: Wanted, *, fix: bool) -> int:
    # A report that is written over a page would be the end of the page.
    wanted.refuse(pages)
    fixed: list[Finding] = []
    findings: list[Finding] = []
    rows: list[FindingJson] = []
    for path in pages:
        page, done = _read(path, fix=fix)
        here = findings_of(page)
        # By identity: two findings may say the same of one place, and only one of them has edits.
        mends = set(map(id, fixable(page, here)))
        rows += [FindingJson(*members_of(f), id(f) in mends) for f in here]
        fixed += done
        findings += here
    summary = f"{counted_text(len(pages), 'page')}, {counted_text(len(findings), 'finding')}"
    if fix:
        summary += f", {len(fixed)} fixed"
    if wanted.needs_run:
        from sonnx_verify.outputs.of_lint import run_of_lint

        click.echo(wanted.finish(run_of_lint([p.as_posix() for p in pages], findings, [summary])), nl=False)
    if wanted.form is Form.JSON:
        print_json(LintJson(rows, [FixedJson(*members_of(f)) for f in fixed] if fix else UNSET))
    elif wanted.is_text:
        lines = [f"{f.span}: fixed: {f.message} [{f.rule}]" for f in fixed] + finding_texts(findings)
        click.echo("\n".join([*lines, summary]))
    return int(any(f.severity is not Severity.NOTE for f in findings))


def _read(path: Path, *, fix: bool) -> tuple[Page, list[Finding]]:
    """A page, and the findings that were mended in its file."""
    name, data = path.as_posix(), page_bytes(path)
    if not fix:
        return page_from(name, data, path), []
    changed, done, page = mended(name, data, path)
    # A file that needs nothing keeps its time, by which other tools see what changed.
    if changed != data:
        replace_file(path, changed)
    return page, done
