"""Findings with the sentences of their pages."""

from __future__ import annotations

from pathlib import Path

from sonnx_verify.pages.reading.sentences import quoted
from sonnx_verify.solving.check.record import Record
from sonnx_verify.solving.check.telling import finding


def quoted_finding(record: Record, root: Path) -> list[str]:
    """The same, with the sentence of the page for a clause; `root` is the folder of the project."""
    obligation = record.obligation
    return quoted(finding(record), obligation.span.source.name, root, obligation.section, obligation.tag)
