"""The verdict of each line that has obligations, for icons beside the lines and for hints behind them.

The protocol has no icons. A client that says `showsMarks` is sent the notification `sonnx-verify/verdicts` with the
marks of a document whenever they may be others than before; every other client has inlay hints and code lenses.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, unique
from typing import Any

from lsprotocol.types import InlayHint, Range

from sonnx_verify.background.messages import Row
from sonnx_verify.lsp.diagnostics import as_json, is_wrong
from sonnx_verify.lsp.documents import Document
from sonnx_verify.lsp.lenses import in_brackets
from sonnx_verify.lsp.verdicts import Verdicts

METHOD = "sonnx-verify/verdicts"


@unique
class LineState(IntEnum):
    """The state of a line is the greatest of those of its obligations."""

    PROVED = 0
    STALE = 1
    """Proved of an earlier text, and not decided again."""
    EXPECTED = 2
    """A finding that a draft says it has."""
    UNDECIDED = 3
    REFUTED = 4


_SIGNS = {
    LineState.PROVED: "✓",
    LineState.STALE: "○",
    LineState.EXPECTED: "✗",
    LineState.UNDECIDED: "?",
    LineState.REFUTED: "✗",
}


@dataclass(frozen=True, slots=True)
class Mark:
    """A line, counted from 1, with its state, and that in words."""

    line: int
    state: LineState
    title: str


def marks(document: Document, verdicts: Verdicts | None) -> list[Mark]:
    """The marks of a text, by their lines."""
    if verdicts is None:
        return []
    lines: dict[int, list[tuple[LineState, Row]]] = {}
    for row, line, current in verdicts.shown(document.lines.plain):
        lines.setdefault(line, []).append((_state(row, current=current), row))
    made = []
    for line, rows in sorted(lines.items()):
        state = max(one for one, _ in rows)
        made.append(Mark(line, state, _title(state, [row for one, row in rows if one == state])))
    return made


def _state(row: Row, *, current: bool) -> LineState:
    if row.finding and not row.surprising:
        return LineState.EXPECTED
    if row.finding and is_wrong(row):
        return LineState.REFUTED
    if row.finding:
        return LineState.UNDECIDED
    if current:
        return LineState.PROVED
    return LineState.STALE


def _title(state: LineState, rows: list[Row]) -> str:
    """`proved, holds` of a line without findings; `refuted: covered (int)` of the worst ones of another."""
    verdicts = ", ".join(dict.fromkeys(row.verdict for row in rows))
    if state is LineState.PROVED:
        return verdicts
    if state is LineState.STALE:
        return f"{verdicts} before the last edit"
    kinds = ", ".join(dict.fromkeys(row.kind for row in rows))
    title = f"{verdicts}: {kinds}{in_brackets(row.section for row in rows)}"
    if state is LineState.EXPECTED:
        return f"{title}, as expected"
    return title


def notification(document: Document, verdicts: Verdicts | None) -> dict[str, Any]:
    """The parameters of the notification: for each line its range, its state as a word, a title."""
    found = []
    for mark in marks(document, verdicts):
        where = as_json(document.lines.whole_line(mark.line))
        found.append({"range": where, "state": mark.state.name.lower(), "title": mark.title})
    return {"uri": document.uri, "version": document.version, "lines": found}


def hints(document: Document, verdicts: Verdicts | None, within: Range) -> list[InlayHint]:
    """The marks of some lines in words, each behind its line."""
    found = []
    for mark in marks(document, verdicts):
        end = document.lines.whole_line(mark.line).end
        if within.start.line <= end.line <= within.end.line:
            found.append(InlayHint(end, f"{_SIGNS[mark.state]} {mark.title}", padding_left=True))
    return found
