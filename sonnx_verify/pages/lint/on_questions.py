"""Rules on what a page does not say yet: its open questions, and quotations that are not what the formal text says."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sonnx_verify.errors import UserError
from sonnx_verify.pages.lint.finding import Found, Severity, rule, rule_on
from sonnx_verify.pages.lint.visits import blocks_below_headings, in_cells
from sonnx_verify.pages.reading.blocks import Cell
from sonnx_verify.pages.reading.kinds import BlockKind
from sonnx_verify.pages.reading.page import Page

_OPEN = re.compile(r"\A\W*open question\b\W*(?P<about>[^):]*)", re.IGNORECASE)
_MARK = re.compile(r"<!--[\s/]*render")
"""The beginning of the marks around a quotation."""


def _prose(page: Page) -> Iterator[Cell]:
    """The cells in which an author may ask something: a heading may be about open questions, and asks none."""
    for block in blocks_below_headings(page):
        if block.kind is not BlockKind.CODE:
            yield from block.cells


@rule_on(in_cells(_prose, _OPEN), "question-open", Severity.WARNING)
def question(asked: tuple[Cell, re.Match[str]]) -> Found:
    """A question from `sonnx-verify new`, or from an author, is still open: its answer is not specified."""
    cell, found = asked
    about = found["about"].strip() or "something"
    yield cell.span, f"{about} is still open", "decide it, and replace it by the decision"


@rule("quotation-differs", Severity.ERROR, slow=True)
def quotation(page: Page) -> Found:
    """A quotation differs from the formal text, or the formal text has no such item."""
    # Few pages have one, and to read the formal text takes longer than the page.
    if page.path is None or not _MARK.search(page.source.text):
        return
    from sonnx_verify.pages.render.opened import formal_of_file
    from sonnx_verify.pages.render.quotes import quotes_of

    try:
        quotes = quotes_of(page.source, page.path.parent, formal_of_file)
    except UserError as problem:
        # The slip may be in the formal text: then its place is none of this page.
        span = problem.span
        if span is None or span.source is not page.source:
            span = page.start
        yield span, problem.message, problem.cure
        return
    for quote in quotes:
        if not quote.holds:
            yield (
                quote.span,
                f"the quotation of {quote.what} is out of date",
                "update it with `sonnx-verify page render --write`",
            )


RULES = (question, quotation)
