"""Rules on what a page states by formulas: it says what the formal text says, and what it claims is so."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from sonnx_verify.errors import Span, UserError
from sonnx_verify.lint.finding import Found, rule
from sonnx_verify.lint.replays import Replays
from sonnx_verify.pages.page import Page

_LOOKED_AT = 20_000
"""How many inputs are tried for each formula. `trace` proves it of all."""


@rule("formula-differs", "error", slow=True)
def differs(page: Page) -> Found:
    """What the page states under a tag, or of the elements of an output, by a formula is not what the clause of the
    formal text says: some input tells them apart."""
    for kind, tag, span, input_ in page.once(_refuted):
        if kind == "page":
            message = f"what the page states of {tag} is not what the formal text states: {input_}"
            yield span, message, "correct one of them"


@rule("claim-false", "error", slow=True)
def claim(page: Page) -> Found:
    """The page says that a restriction or a constraint rules something out, or ensures it, and some input that it
    allows shows that it does not."""
    for kind, tag, span, input_ in page.once(_refuted):
        if kind == "claim":
            yield span, f"{tag.partition(',')[0]} allows what is said to be impossible here: {input_}", "correct it"


def _refuted(page: Page) -> list[tuple[str, str, Span, str]]:
    """Of each formula that an input refutes: its kind, its tag, where it stands, and the input."""
    # Tags are those of the text beside the page, not of one that is installed. What is wrong with it, `check` says.
    if page.path is not None and page.path.with_suffix(".sonnx").is_file():
        with suppress(UserError):
            replays = Replays(page)
            return [] if replays.unit is None else list(_each(replays, page))
    return []


def _each(replays: Replays, page: Page) -> Iterator[tuple[str, str, Span, str]]:
    # Reading a page needs neither the language nor its meaning.
    from sonnx_verify.check.record import Shown
    from sonnx_verify.counterexample.search import Search
    from sonnx_verify.formulas.agreement import agreements
    from sonnx_verify.report.values import shown_lines

    assert replays.unit is not None
    for one in agreements(replays.project, replays.unit, page):
        if one.statement is None:
            continue
        variables = one.statement.variables
        for claim in one.statement.claims:
            found = Search(variables, claim.refutation, _LOOKED_AT).first()
            if found is not None:
                lines = shown_lines(Shown(variables, found, ""))
                yield one.kind, one.tag, one.span, "; ".join(" ".join(line.split()) for line in lines)
                break
