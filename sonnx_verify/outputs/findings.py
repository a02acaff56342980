"""Findings with the sentences of their pages."""

from __future__ import annotations

from pathlib import Path

from sonnx_verify.outputs.console import finding_lines
from sonnx_verify.pages.reading.sentences import page_sentence
from sonnx_verify.results.result import Result


def quoted_finding(result: Result, root: Path) -> list[str]:
    """A finding in full, with the sentence of the page for its clause; `root` is the folder of the project."""
    sentence = page_sentence(result.place.file, root, result.section, result.tag) if result.title else ""
    return finding_lines(result, sentence)
