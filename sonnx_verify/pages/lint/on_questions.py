"""Rules on what a page does not say yet: its open questions, and quotations that are not what the formal text says."""

from __future__ import annotations

import re

from sonnx_verify.errors import UserError
from sonnx_verify.pages.lint.finding import Found, Severity, rule
from sonnx_verify.pages.reading.kinds import BlockKind
from sonnx_verify.pages.reading.page import Page

_OPEN = re.compile(r"\W*open question\b\W*(?P<about>[^):]*)", re.IGNORECASE)


@rule("question-open", Severity.WARNING)
def question(page: Page) -> Found:
    """A question that `sonnx-verify new` wrote, or an author, is still open: what it asks is decided nowhere."""
    for block in page.text.blocks:
        if block.kind in (BlockKind.HEADING, BlockKind.CODE):
            continue
        for cell in block.cells:
            if found := _OPEN.match(cell.plain):
                about = found["about"].strip() or "something"
                yield cell.span, f"{about}: this is still open", "decide it, and put what is decided in its place"


@rule("quotation-differs", Severity.ERROR, slow=True)
def quotation(page: Page) -> Found:
    """What a page quotes of a formal text is not what that says, or the formal text has no such item."""
    if page.path is None or "<!--" not in page.source.text or "render" not in page.source.text:
        return
    from sonnx_verify.pages.render.opened import formal_of_file
    from sonnx_verify.pages.render.quotes import quotes_of

    try:
        quotes = quotes_of(page.source, page.path.parent, formal_of_file)
    except UserError as problem:
        span = problem.span if problem.span is not None and problem.span.source is page.source else page.start
        yield span, problem.message, problem.cure
        return
    for quote in quotes:
        if not quote.holds:
            yield quote.span, f"the quotation of {quote.what} differs", "renew it with `sonnx-verify render --write`"


RULES = (question, quotation)
