"""What came of the formulas of a page that are about one clause."""

from __future__ import annotations

from dataclasses import dataclass

from sonnx_verify.errors import Span
from sonnx_verify.logic.verdict import FINDINGS, GOOD


@dataclass(frozen=True, slots=True)
class Agreed:
    """What came of the formulas of a page that are about one clause: a verdict, or empty and why they were not read;
    the lines of a finding. `text` is what was read, in the language."""

    verdict: str
    unread: str
    text: str
    finding: tuple[str, ...] = ()
    span: Span | None = None
    assumed: str = ""
    """Which names are taken to mean on the page what they mean in the formal text."""

    @property
    def rank(self) -> int:
        """Worse ones first; what was not read last."""
        return 3 if not self.verdict else 0 if self.verdict in FINDINGS else 2 if self.verdict in GOOD else 1
