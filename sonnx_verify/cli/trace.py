"""`trace`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from sonnx_verify.api.asked import Asked
from sonnx_verify.api.cache import opened
from sonnx_verify.api.decided import Decided
from sonnx_verify.authoring.mutation.table import PLACE, read_table
from sonnx_verify.cli.comparing import outcomes_of
from sonnx_verify.errors import UsageError
from sonnx_verify.language.places import root_here, shown_as
from sonnx_verify.language.reach import unchanged
from sonnx_verify.outputs.trace import as_csv, markdown, readings
from sonnx_verify.pages.reading.page import Page
from sonnx_verify.pages.reading.read import read_page
from sonnx_verify.pages.render.formal import Formal
from sonnx_verify.pages.render.opened import formal_of_file
from sonnx_verify.pages.render.quotes import quotes_of
from sonnx_verify.pages.trace import Row, matrix
from sonnx_verify.progress import shown
from sonnx_verify.results.result import Result
from sonnx_verify.solving.solvers import Solvers


def trace(what: Sequence[str], form: str, jobs: int | None) -> int:
    """Print the matrix of pages, or of all pages of folders. Returns 1 where something is missing or refuted, 3 where
    something is undecided."""
    pages = list(dict.fromkeys(path for name in what for path in _pages(Path(name))))
    rows: list[Row] = []
    with unchanged(root_here(), [path.with_suffix(".sonnx") for path in pages]):
        for path in pages:
            rows += _rows(path, jobs)
    if form == "csv":
        click.echo(as_csv(rows), nl=False)
    else:
        click.echo("\n".join(["# Traceability", *markdown(rows), "", *readings(rows), *_summary(rows)]))
    statuses = {row.status for row in rows}
    return 1 if 1 in statuses else 3 if 3 in statuses else 0


def _pages(path: Path) -> list[Path]:
    if path.suffix == ".sonnx":
        raise UsageError(f"{path} is a formal text, no page", cure="name the page that it names")
    if not path.is_dir():
        return [path]
    found = [p for p in sorted(path.rglob("*.md")) if p.with_suffix(".sonnx").is_file()]
    if not found:
        raise UsageError(f"{path} has no page with a formal text", cure="name a page, or another folder")
    return found


def _rows(path: Path, jobs: int | None) -> list[Row]:
    """The rows of a page. UsageError where no formal text names it."""
    beside = path.with_suffix(".sonnx")
    asked = Asked.of([str(beside)]) if beside.is_file() else None
    page = read_page(path, shown_as(path, Path.cwd()))
    if asked is None:
        raise UsageError(f"{path} has no formal text beside it", cure=f"write {beside.name}, which names the page")
    formal = formal_of_file(beside)
    if formal.file.page is None or formal.file.page.name != path.name:
        raise UsageError(f'{beside} does not name {path.name}', cure=f'write `page "{path.name}"` in it')
    cache = opened(asked.root, asked.further, Solvers().versions())
    with Solvers(kept=None if cache is None else cache.answers) as solvers:
        decided = Decided(asked, cache, jobs)
        results = list(shown(decided.results(solvers), len(decided), "obligations"))
        for error in decided.errors:
            raise error
        made = rows_of(path, page, formal, results, asked.root, solvers, jobs)
    if cache is not None:
        cache.close()
    return made


def rows_of(
    path: Path, page: Page, formal: Formal, results: Sequence[Result], root: Path, solvers: Solvers, jobs: int | None
) -> list[Row]:
    """The rows of a page and the text beside it, whose obligations are results already."""
    beside = path.with_suffix(".sonnx")
    compared = outcomes_of(beside, page, solvers, jobs)
    table = root / PLACE
    mutants = read_table(table).rows if table.is_file() else {}
    quotes = quotes_of(page.source, path.parent, formal_of_file)
    # A quotation of another text, or of another version, says nothing of this one.
    said = [(name, item, *family) for q in quotes if q.holds for name, item, *family in [q.what.split()]]
    quoted = {(item, *family) for name, item, *family in said if name == beside.name}
    return matrix(page, formal, results, mutants, quoted, compared)


def _summary(rows: Sequence[Row]) -> list[str]:
    gaps = [row for row in rows if row.gap]
    refuted = [row for row in rows if row.status == 1 and not row.gap]
    open_ = [row for row in rows if row.status == 3]
    quoted = sum(row.quoted for row in rows)
    proved = sum(row.outcome is not None and row.outcome.verdict == "proved" for row in rows)
    lines = [f"{len(rows)} rows: {proved} of which the formula, as it is read, is proved equivalent to the clause"]
    lines[0] += f", {quoted} quoted there"
    lines[0] += f"; {len(gaps)} with a gap, {len(refuted)} with a finding, {len(open_)} undecided"
    lines += [f"- {row.operator}, {row.family}: {row.tag}: {row.gap}" for row in gaps]
    for row in rows:
        if row.outcome is not None and row.outcome.verdict not in ("", "proved"):
            head = f"- {row.operator}, {row.family}: {row.tag}: the page states, as it was read: {row.outcome.text}"
            lines += [head, "", *(f"      {line}" for line in row.outcome.finding), ""]
    return lines
