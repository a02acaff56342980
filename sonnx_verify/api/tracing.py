"""The rows of a traceability matrix: a page, the formal text beside it, its verdicts, mutants and quotations."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sonnx_verify.api.asked import Asked
from sonnx_verify.api.cache import opened
from sonnx_verify.api.decided import Decided
from sonnx_verify.authoring.mutation.table import PLACE, read_table
from sonnx_verify.errors import UsageError
from sonnx_verify.language.places import shown_as
from sonnx_verify.pages.formulas.outcome import outcomes_of
from sonnx_verify.pages.reading.page import Page
from sonnx_verify.pages.reading.read import read_page
from sonnx_verify.pages.render.formal import Formal
from sonnx_verify.pages.render.opened import formal_of_file
from sonnx_verify.pages.render.quotes import quotes_of
from sonnx_verify.pages.trace import Row, matrix
from sonnx_verify.progress import shown
from sonnx_verify.results.result import Result
from sonnx_verify.solving.solvers import Solvers


def rows_of_page(path: Path, jobs: int | None) -> list[Row]:
    """The rows of a page. UsageError where no formal text names it."""
    beside = path.with_suffix(".sonnx")
    asked = Asked.of([str(beside)]) if beside.is_file() else None
    page = read_page(path, shown_as(path, Path.cwd()))
    if asked is None:
        raise UsageError(f"{path} has no formal text beside it", cure=f"write {beside.name}, which names the page")
    formal = formal_of_file(beside)
    if formal.file.page is None or formal.file.page.name != path.name:
        raise UsageError(f"{beside} does not name {path.name}", cure=f'write `page "{path.name}"` in it')
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
    processes = 1 if jobs is None else jobs
    compared = outcomes_of(beside, page, solvers, processes, lambda records, total: shown(records, total, "formulas"))
    table = root / PLACE
    mutants = read_table(table).rows if table.is_file() else {}
    quotes = quotes_of(page.source, path.parent, formal_of_file)
    # A quotation of another text, or of another version, says nothing of this one.
    said = [(name, item, *family) for q in quotes if q.holds for name, item, *family in [q.what.split()]]
    quoted = {(item, *family) for name, item, *family in said if name == beside.name}
    return matrix(page, formal, results, mutants, quoted, compared)
