"""The verdicts of obligations above the clauses that they are about."""

from __future__ import annotations

from collections.abc import Iterable

from lsprotocol.types import CodeLens, Command

from sonnx_verify.background.messages import Row
from sonnx_verify.lsp.diagnostics import finding_text
from sonnx_verify.lsp.documents import Document
from sonnx_verify.lsp.verdicts import Verdicts

SHOW = "sonnx-verify.showVerdicts"
"""The command that shows verdicts with their counterexamples, given the URI of a document and identities."""


def lenses(document: Document, verdicts: Verdicts | None) -> list[CodeLens]:
    """The lenses of a text: for each line with obligations one for those of a kind with one verdict; good ones of a
    line share one."""
    if verdicts is None:
        return []
    # A clause has four obligations in each section, most of them proved: a lens for each would push the text apart.
    grouped: dict[tuple[int, str, str, bool], list[Row]] = {}
    for row, line, current in verdicts.shown(document.lines.plain):
        # The empty strings sort the good ones of a line before what was found there.
        verdict, kind = "", ""
        if row.finding:
            verdict, kind = row.verdict.value, row.kind.value
        grouped.setdefault((line, verdict, kind, current), []).append(row)
    made = []
    for (line, verdict, kind, current), rows in sorted(grouped.items(), key=lambda item: item[0]):
        title = _good(rows)
        if kind:
            title = f"{verdict}: {kind}{_sections(rows)}, show why"
        if not current:
            title += " (outdated)"
        command = Command(title, SHOW, arguments=[document.uri, [row.id for row in rows]])
        made.append(CodeLens(document.lines.whole_line(line), command))
    return made


def _good(rows: list[Row]) -> str:
    """`proved: total, covered (int, float); holds: independent (int)`."""
    # By verdicts: `proved` is about all input, `holds` about the existence of some.
    kinds: dict[str, dict[str, None]] = {}
    for row in rows:
        kinds.setdefault(row.verdict, {})[row.kind] = None
    return "; ".join(f"{verdict}: {', '.join(names)}" for verdict, names in kinds.items()) + _sections(rows)


def _sections(rows: list[Row]) -> str:
    return in_brackets(row.section for row in rows)


def in_brackets(names: Iterable[str]) -> str:
    """Names in brackets, each once, behind a blank; nothing where there are none."""
    listed = [name for name in dict.fromkeys(names) if name]
    if not listed:
        return ""
    return f" ({', '.join(listed)})"


def shown(verdicts: Verdicts | None, identities: list[str]) -> str:
    """The findings about some obligations, with the counterexample of each that has one."""
    if verdicts is None:
        return ""
    # A lens may be clicked while a check of a text without the obligation ends.
    known = [verdicts.rows[name][1] for name in identities if name in verdicts.rows]
    return "\n\n".join(map(finding_text, known))
