"""Findings with the sentences of their pages."""

from __future__ import annotations

from pathlib import Path

from sonnx_verify.errors import UserError, quoted
from sonnx_verify.outputs.console import finding_lines
from sonnx_verify.outputs.paint import PLAIN, Paint
from sonnx_verify.pages.reading.sentences import page_sentence
from sonnx_verify.results.kinds import Kind
from sonnx_verify.results.place import Place
from sonnx_verify.results.result import Result
from sonnx_verify.source_files import read_source
from sonnx_verify.sources import Span


def quoted_finding(result: Result, root: Path | None, paint: Paint = PLAIN) -> list[str]:
    """A finding in full, with the sentence of the page for its clause; `root` is the folder of the project. Without it
    no file is read."""
    if root is None:
        return finding_lines(result, paint=paint)
    # An example is a line of values: the wrong one is shown.
    if result.kind is Kind.EXAMPLE:
        head, place, *rest = finding_lines(result, paint=paint) or ["", ""]
        return [line for line in (head, place, *_quote(result.place, root), *rest) if line]
    # A result without a title is of no clause: the page says nothing of it.
    if not result.title:
        return finding_lines(result, paint=paint)
    sentence = page_sentence(result.place.file, root, result.section, result.tag)
    return finding_lines(result, sentence, paint)


def _quote(place: Place, root: Path) -> list[str]:
    """The line of a place with a caret line below it; nothing where the file is not there any more."""
    try:
        source = read_source(root / place.file, place.file)
    except UserError:
        return []
    return quoted(Span(source, place.line, place.column, place.length)).split("\n")
