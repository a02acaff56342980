"""The verdicts of obligations above the clauses that they are about."""

from __future__ import annotations

from lsprotocol.types import CodeLens, Command

from sonnx_verify.lsp.diagnostics import finding_text
from sonnx_verify.lsp.documents import Document
from sonnx_verify.lsp.verdicts import Row, Verdicts

SHOW = "sonnx-verify.showVerdicts"
"""The command that shows verdicts with their counterexamples, given the URI of a document and identities."""


def lenses(document: Document, verdicts: Verdicts | None) -> list[CodeLens]:
    """For each line with obligations one lens for those of a kind with one verdict; good ones of a line share one."""
    if verdicts is None:
        return []
    grouped: dict[tuple[int, str, str, bool], list[Row]] = {}
    for row, line, current in verdicts.shown(document.lines.plain):
        kind = row["kind"] if row["finding"] else ""
        grouped.setdefault((line, "" if not kind else row["verdict"], kind, current), []).append(row)
    made = []
    for (line, verdict, kind, current), rows in sorted(grouped.items(), key=lambda item: item[0]):
        title = f"{verdict}: {kind}{_sections(rows)}: show why" if kind else _good(rows)
        arguments = [document.uri, [row["id"] for row in rows]]
        command = Command(title + ("" if current else " (of an earlier text)"), SHOW, arguments=arguments)
        made.append(CodeLens(document.lines.whole_line(line), command))
    return made


def _good(rows: list[Row]) -> str:
    """`proved: total, covered (int, float); holds: independent (int)`."""
    kinds: dict[str, dict[str, None]] = {}
    for row in rows:
        kinds.setdefault(row["verdict"], {})[row["kind"]] = None
    return "; ".join(f"{verdict}: {', '.join(names)}" for verdict, names in kinds.items()) + _sections(rows)


def _sections(rows: list[Row]) -> str:
    names = list(dict.fromkeys(row["section"] for row in rows if row["section"]))
    return f" ({', '.join(names)})" if names else ""


def shown(verdicts: Verdicts | None, identities: list[str]) -> str:
    """What is told of some obligations, with the counterexample of each that has one."""
    rows = verdicts.rows if verdicts is not None else {}
    return "\n\n".join(finding_text(rows[name][1]) for name in identities if name in rows)
