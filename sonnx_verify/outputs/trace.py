"""The matrix of a page as Markdown and as CSV."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator

from sonnx_verify.pages.formulas.outcome import Outcome
from sonnx_verify.pages.trace import STATED, Row

COLUMNS = (
    "operator", "family", "tag", "kind", "page", "sentence", "reading", "formal", "formula", "quoted", "agrees",
    "proofs", "examples", "mutants_killed", "mutants", "gap",
)  # fmt: skip  # a table
_FORMULA = frozenset("=+-@\t\r")
"""What a cell may not begin with: spreadsheets evaluate it."""


def markdown(rows: Iterable[Row]) -> Iterator[str]:
    """A table for each operator and family. What the page does not quote has its clause beside its sentence, for a
    reviewer to compare."""
    head = ""
    for row in rows:
        if head != (head := f"## {row.operator}, {row.family or 'all types'}"):
            yield from ("", head, "", "| Tag | Page | Formal text | Proofs | Tests |", "|---|---|---|---|---|")
        yield f"| {row.tag} | {_page(row)} | {_formal(row)} | {proofs(row) or '**none**'} | {tests(row)} |"


def _page(row: Row) -> str:
    if row.page is None:
        return "**not on the page**" if row.gap == "not on the page" else "—"
    place = f"{row.page.source.name}:{row.page.line}"
    return f"{place} {_cell(row.sentence)}".strip()


def _formal(row: Row) -> str:
    if row.formal is None:
        return "**no clause**"
    place, why = f"{row.formal.source.name}:{row.formal.line}", equivalence(row)
    if is_same(row):
        return f"{place} {why}"
    says = f" ({_cell(why)})" if why else ""
    return f"{place} ${_cell(row.formula)}${says}" if row.formula else place


def is_same(row: Row) -> bool:
    """Return whether the page says the same as the clause by its making: it quotes it. A proof about a formula is one
    about its reading, and that this is what the page says nobody proved."""
    return row.quoted and (row.outcome is None or row.outcome.verdict in ("", "proved"))


def equivalence(row: Row) -> str:
    """What is known of the page and the clause, or why nothing is; empty where there is nothing to say."""
    if row.outcome is not None and row.outcome.verdict == "proved":
        first = "its first sentence, " if re.search(r"[.;]\s+\S", row.sentence) else ""
        where = f", where {row.outcome.assumed}" if row.outcome.assumed else ""
        return f"{first}as it is read, proved equivalent{where}"
    if row.outcome is not None and row.outcome.verdict:
        return f"{row.outcome.verdict}: see below"
    if row.quoted:
        return "quoted on the page"
    if row.outcome is not None and row.outcome.unread and row.kind in STATED:
        return f"the page is not read: {row.outcome.unread}"
    return ""


def readings(rows: Iterable[Row]) -> Iterator[str]:
    """A line for each row whose formula was read: what it was read as, and with which names. Whether that is what the
    page says is for a reviewer to see."""
    read = [row for row in rows if row.outcome is not None and row.outcome.verdict]
    if read:
        yield "What the page was read as, for a reviewer to compare with what it says:"
        yield ""
        for row in read:
            assert row.outcome is not None
            span = row.outcome.span or row.page
            place = "" if span is None else f" ({span.source.name}:{span.line})"
            head = f"- {row.operator}, {row.family}: {row.tag}{place} is read as: `{row.outcome.text}`"
            yield "; ".join([head, *_names(row.outcome)])
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
    """The examples of the page that show it, and the slips in it that were noticed."""
    made = []
    if row.examples:
        made.append(f"examples on lines {', '.join(map(str, row.examples))}")
    if row.mutants[1]:
        made.append(f"{row.mutants[0]} of {row.mutants[1]} slips killed")
    return "; ".join(made) or "—"


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
        writer.writerow(
            _inert(cell)
            for cell in (
                row.operator,
                row.family,
                row.tag,
                row.kind,
                "" if row.page is None else f"{row.page.source.name}:{row.page.line}",
                row.sentence,
                "" if row.outcome is None or not row.outcome.verdict else row.outcome.text,
                "" if row.formal is None else f"{row.formal.source.name}:{row.formal.line}",
                " ".join(row.formula.split()),
                "yes" if row.quoted else "no",
                "" if row.outcome is None else row.outcome.verdict or f"not read: {row.outcome.unread}",
                proofs(row),
                " ".join(map(str, row.examples)),
                row.mutants[0],
                row.mutants[1],
                row.gap,
            )
        )
    return made.getvalue()


def _inert(cell: str | int) -> str | int:
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in _FORMULA else cell
