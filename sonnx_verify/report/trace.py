"""The matrix of a page as Markdown and as CSV."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator

from sonnx_verify.trace.matrix import STATED, Row

COLUMNS = (
    "operator", "family", "tag", "kind", "page", "sentence", "formal", "formula", "quoted", "agrees", "proofs",
    "examples", "mutants_killed", "mutants", "gap",
)  # fmt: skip


def markdown(rows: Iterable[Row]) -> Iterator[str]:
    """A table for each operator and family. What the page does not quote has its clause below its sentence, for a
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
    place, same, why = f"{row.formal.source.name}:{row.formal.line}", is_same(row), agreement(row)
    if same:
        return f"{place} {why}"
    says = f" ({_cell(why)})" if why else ""
    return f"{place} ${_cell(row.formula)}${says}" if row.formula else place


def is_same(row: Row) -> bool:
    """Whether the page says what the clause says: it is proved, or the page quotes it."""
    if row.agreed is not None and row.agreed.verdict:
        return row.agreed.verdict == "proved"
    return row.quoted


def agreement(row: Row) -> str:
    """How the page and the clause agree, or why that is not known; empty where there is nothing to say."""
    if row.agreed is not None and row.agreed.verdict == "proved":
        first = "its first sentence " if re.search(r"[.;]\s+\S", row.sentence) else ""
        where = f", where {row.agreed.assumed}" if row.agreed.assumed else ""
        return f"{first}proved to say the same{where}"
    if row.agreed is not None and row.agreed.verdict:
        return f"{row.agreed.verdict}: see below"
    if row.quoted:
        return "quoted on the page"
    if row.agreed is not None and row.agreed.unread and row.kind in STATED:
        return f"the page is not read: {row.agreed.unread}"
    return ""


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
    """A line for each row, below the names of the columns."""
    made = io.StringIO()
    writer = csv.writer(made, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        writer.writerow(
            [
                row.operator,
                row.family,
                row.tag,
                row.kind,
                "" if row.page is None else f"{row.page.source.name}:{row.page.line}",
                row.sentence,
                "" if row.formal is None else f"{row.formal.source.name}:{row.formal.line}",
                " ".join(row.formula.split()),
                "yes" if row.quoted else "no",
                "" if row.agreed is None else row.agreed.verdict or f"not read: {row.agreed.unread}",
                proofs(row),
                " ".join(map(str, row.examples)),
                row.mutants[0],
                row.mutants[1],
                row.gap,
            ]
        )
    return made.getvalue()
