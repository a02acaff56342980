"""The matrix of a page as Markdown and as CSV."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator

from sonnx_verify.logic.verdict import VerdictName
from sonnx_verify.pages.formulas.outcome import Outcome
from sonnx_verify.pages.trace import NOT_ON_PAGE, STATED, Row
from sonnx_verify.results.text import framed
from sonnx_verify.sources import Span

COLUMNS = (
    "operator", "family", "tag", "kind", "page", "sentence", "reading", "formal", "formula", "quoted", "agrees",
    "proofs", "examples", "mutants_killed", "mutants", "gap",
)  # fmt: skip  # a table
_FORMULA = frozenset("=+-@\t\r")
"""The beginnings that a cell may not have: spreadsheets evaluate it."""


def markdown(rows: Iterable[Row]) -> Iterator[str]:
    """A table for each operator and family. What the page does not quote has its clause beside its sentence, for a
    reviewer to compare."""
    head = ""
    for row in rows:
        own = f"## {row.operator}, {row.family or 'all types'}"
        if own != head:
            head = own
            yield from ("", head, "", "| Tag | Page | Formal text | Proofs | Tests |", "|---|---|---|---|---|")
        # A clause without a proof is the gap that a reviewer looks for: it stands out.
        yield f"| {row.tag} | {_page(row)} | {_formal(row)} | {proofs(row) or '**none**'} | {tests(row)} |"


def _place(span: Span | None) -> str:
    return "" if span is None else f"{span.source.name}:{span.line}"


def _page(row: Row) -> str:
    if row.gap == NOT_ON_PAGE:
        return f"**{NOT_ON_PAGE}**"
    # Shapes and values need not have a statement of their own.
    if row.page is None:
        return "—"
    return f"{_place(row.page)} {_cell(row.sentence)}".strip()


def _formal(row: Row) -> str:
    if row.formal is None:
        return "**no clause**"
    place, why = _place(row.formal), equivalence(row)
    if is_same(row):
        return f"{place} {why}"
    # Claims about the whole text have a place and no formula.
    if not row.formula:
        return place
    return f"{place} ${_cell(row.formula)}${framed(' (', _cell(why), ')')}"


def is_same(row: Row) -> bool:
    """Return whether the page says the same as the clause by its making: it quotes it. A proof about a formula is one
    about its reading, and that this is what the page says nobody proved."""
    return row.quoted and (row.outcome is None or row.outcome.verdict in ("", "proved"))


def equivalence(row: Row) -> str:
    """The state of the comparison of the page and the clause, or the reason why there is none; empty if there is
    nothing to say."""
    outcome = row.outcome
    if outcome is not None and outcome.verdict == VerdictName.PROVED:
        # The reader takes the first sentence of a statement: the others are not compared.
        first = "its first sentence, " if re.search(r"[.;]\s+\S", row.sentence) else ""
        return f"{first}as it is read, proved equivalent{framed(', where ', outcome.assumed)}"
    if outcome is not None and outcome.verdict:
        return f"{outcome.verdict}: see below"
    if row.quoted:
        return "quoted on the page"
    if outcome is not None and outcome.unread and row.kind in STATED:
        return f"the page is not read: {outcome.unread}"
    return ""


def readings(rows: Iterable[Row]) -> Iterator[str]:
    """A line for each row whose formula was read: what it was read as, and with which names. Whether that is what the
    page says is for a reviewer to see."""
    read = [(row, row.outcome) for row in rows if row.outcome is not None and row.outcome.verdict]
    if not read:
        return
    yield "What the page was read as, for a reviewer to compare with what it says:"
    yield ""
    for row, outcome in read:
        place = framed(" (", _place(outcome.span or row.page), ")")
        head = f"- {row.operator}, {row.family}: {row.tag}{place} is read as: `{outcome.text}`"
        yield "; ".join([head, *_names(outcome)])
    yield ""


def _names(outcome: Outcome) -> Iterator[str]:
    if outcome.definitions:
        yield "defined on the page: " + ", ".join(f"{name} (line {line})" for name, line in outcome.definitions)
    if outcome.names:
        yield f"as in the formal text: {', '.join(outcome.names)}"


def proofs(row: Row) -> str:
    """The kinds of obligations by verdict."""
    return "; ".join(f"{verdict}: {', '.join(kinds)}" for verdict, kinds in row.proofs.items())


def tests(row: Row) -> str:
    """The examples of the page that show it, and the mutations in it that were noticed."""
    # Without either, nothing but proofs speaks for the clause.
    made = []
    if row.examples:
        made.append(f"examples on lines {', '.join(map(str, row.examples))}")
    if row.mutants[1]:
        made.append(f"{row.mutants[0]} of {row.mutants[1]} mutations killed")
    return "; ".join(made) or "—"


# A bar ends a cell, and so does the end of a line.
def _cell(text: str) -> str:
    """Text in a cell of a table: on one line, without bars."""
    return " ".join(text.replace("|", "\\|").split())


def as_csv(rows: Iterable[Row]) -> str:
    """A line for each row, below the names of the columns. No cell begins with a sign that a spreadsheet takes for the
    beginning of a formula: an apostrophe stands before it."""
    made = io.StringIO()
    writer = csv.writer(made, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        writer.writerow(map(_inert, _cells(row)))
    return made.getvalue()


def _cells(row: Row) -> Iterator[str | int]:
    """A row in the order of COLUMNS."""
    text, verdict = _comparison(row.outcome)
    yield from (row.operator, row.family, row.tag, row.kind, _place(row.page), row.sentence, text)
    yield from (_place(row.formal), " ".join(row.formula.split()), "yes" if row.quoted else "no", verdict)
    yield from (proofs(row), " ".join(map(str, row.examples)), *row.mutants, row.gap)


def _comparison(outcome: Outcome | None) -> tuple[str, str]:
    """The reading of a statement, and the verdict on it."""
    if outcome is None:
        return "", ""
    if not outcome.verdict:
        return "", f"not read: {outcome.unread}"
    return outcome.text, outcome.verdict


def _inert(cell: str | int) -> str | int:
    if isinstance(cell, str) and cell[:1] in _FORMULA:
        return f"'{cell}"
    return cell
