"""Edits of the lines that change: to the layout of `fmt`, or to any other text."""

from __future__ import annotations

import difflib

from lsprotocol.types import Position, Range, TextEdit

from sonnx_verify.language.layout import layout
from sonnx_verify.lsp.documents import Document
from sonnx_verify.lsp.positions import units


def edits(document: Document) -> list[TextEdit]:
    """The edits that give a formal text its one layout; its line ends stay as they are. Raises UserError for one that
    cannot be read."""
    return edits_to(document, layout(document.source()))


def edits_to(document: Document, made: str) -> list[TextEdit]:
    """The edits that make another text of a document; its line ends stay as they are."""
    lines = document.lines
    # A text ends with the end of its last line, so the last piece is empty.
    before, after = lines.plain.split("\n"), made.split("\n")
    found = []
    # Edits of what changes, not one of everything: an editor keeps the cursor and the folds in lines that no edit has.
    for what, a, b, c, d in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if what == "equal":
            continue
        new, end = after[c:d], lines.end_of_line
        if b < len(before):
            text = "".join(line + end for line in new)
            found.append(TextEdit(Range(lines.position(a + 1, 1), lines.position(b + 1, 1)), text))
        elif a > 0:
            # To the end of the text: with the end of the line before.
            start = lines.position(a, len(before[a - 1]) + 1)
            found.append(TextEdit(Range(start, _end(document)), "".join(end + line for line in new)))
        else:
            found.append(TextEdit(Range(lines.position(1, 1), _end(document)), end.join(new)))
    return found


def _end(document: Document) -> Position:
    # An editor clips a place behind the end, but the protocol wants the end itself.
    lines = document.lines
    return Position(len(lines.lines) - 1, units(lines.lines[-1], lines.encoding))
