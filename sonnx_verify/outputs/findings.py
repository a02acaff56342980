"""Findings with the sentences of their pages."""

from __future__ import annotations

from pathlib import Path

from sonnx_verify.outputs.console import finding_lines
from sonnx_verify.outputs.paint import PLAIN, Paint
from sonnx_verify.pages.reading.sentences import page_sentence
from sonnx_verify.results.result import Result


def quoted_finding(result: Result, root: Path, paint: Paint = PLAIN) -> list[str]:
    """A finding in full, with the sentence of the page for its clause; `root` is the folder of the project."""
    # A result without a title is of no clause: the page says nothing of it.
    if not result.title:
        return finding_lines(result, paint=paint)
    sentence = page_sentence(result.place.file, root, result.section, result.tag)
    return finding_lines(result, sentence, paint)
