"""The rows of a traceability matrix: a page, the formal text beside it, its verdicts, mutants and quotations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from sonnx_verify.api.asked import Asked
from sonnx_verify.api.cache import opened, solvers_with
from sonnx_verify.api.compared import Deciding
from sonnx_verify.api.decided import everything
from sonnx_verify.authoring.mutation.mutations import items_of
from sonnx_verify.authoring.mutation.record_files import read_mutants
from sonnx_verify.authoring.mutation.records import TextRecord
from sonnx_verify.errors import UsageError
from sonnx_verify.language.places import shown_as
from sonnx_verify.pages.formulas.outcome import Decide, outcomes_of
from sonnx_verify.pages.reading.page import Page
from sonnx_verify.pages.reading.read import read_page
from sonnx_verify.pages.render.formal import Formal
from sonnx_verify.pages.render.opened import formal_of_file
from sonnx_verify.pages.render.quotes import quotes_of
from sonnx_verify.pages.trace import Row, matrix
from sonnx_verify.results.result import Result
from sonnx_verify.solving.solvers import Solvers
from sonnx_verify.sources import Span


def rows_of_page(path: Path, jobs: int | None) -> list[Row]:
    """The rows of a page. UsageError where no formal text names it."""
    beside = path.with_suffix(".sonnx")
    shown_name = shown_as(path, Path.cwd())
    if not beside.is_file():
        read_page(path, shown_name)  # a page that is not there is told before the text that is not beside it
        raise UsageError(f"{path} has no formal text next to it", cure=f"write {beside.name}, which names the page")
    asked = Asked.of([str(beside)])
    page = read_page(path, shown_name)
    formal = formal_of_file(beside)
    # Else the text would be traced to sentences that were written for another one.
    if formal.file.page is None or formal.file.page.name != path.name:
        raise UsageError(f"{beside} does not name {path.name}", cure=f'write `page "{path.name}"` in it')
    cache = opened(asked.root, asked.further, Solvers().versions())
    with solvers_with(cache) as solvers:
        results = everything(asked, cache, solvers, jobs)
        decide = Deciding(solvers, jobs or 1, cache).formulas(beside, page)
        made = rows_of(path, page, formal, results, asked.root, decide)
    if cache is not None:
        cache.close()
    return made


def rows_of(path: Path, page: Page, formal: Formal, results: Sequence[Result], root: Path, decide: Decide) -> list[Row]:
    """The rows of a page and the text beside it, whose obligations are results already. `decide` decides what the page
    says in formulas."""
    beside = path.with_suffix(".sonnx")
    compared = outcomes_of(beside, page, decide)
    quoted: set[tuple[str, ...]] = set()
    for quote in quotes_of(page.source, path.parent, formal_of_file):
        name = quote.what.split()[0]
        # A quotation of another text, or of another version, says nothing of this one.
        if quote.holds and name == beside.name:
            quoted |= quote.items
    return matrix(page, formal, results, _killed_in(root, formal), quoted, compared)


def _killed_in(root: Path, formal: Formal) -> Callable[[Span], tuple[int, int]]:
    """For the place of a clause the number of its mutants that were killed, and of all that could be."""
    assert formal.file.span is not None
    source = formal.file.span.source
    record = read_mutants(root).get(source.name, TextRecord())
    items = list(items_of(source))

    def killed(span: Span) -> tuple[int, int]:
        found = [record.of_item(name) for name, start, end in items if start <= span.start < end]
        return sum(some for some, _ in found), sum(every for _, every in found)

    return killed
