"""The outcome for the formulas of a page that are about one clause."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sonnx_verify.errors import Span
from sonnx_verify.logic.verdict import FINDINGS, GOOD


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of the formulas of a page that are about one clause: a verdict of what was read, or empty and why
    nothing was; the lines of a finding. `text` is what was read, in the language: the verdict is of that, and of the
    page no more than its reader finds it to say the same."""

    verdict: str
    unread: str
    text: str
    finding: tuple[str, ...] = ()
    span: Span | None = None
    assumed: str = ""
    """The names that are taken to mean on the page what they mean in the formal text."""
    definitions: tuple[tuple[str, int], ...] = ()
    """The definitions of the page that it was read with: the name, and the line."""
    names: tuple[str, ...] = ()
    """The names of the formal text that it was read with."""

    @property
    def rank(self) -> int:
        """Among those of one formula in the sections of a family: worse ones first. What could not be read in one of
        them is not proved, whatever came of the others."""
        return 0 if self.verdict in FINDINGS else 3 if self.verdict in GOOD else 1 if self.verdict else 2


def worst(by_formula: Iterable[Outcome]) -> Outcome:
    """That of several formulas about one clause: of those that were read, the worst. One that was not read takes
    nothing from another."""
    return min(by_formula, key=lambda made: (not made.verdict, made.rank))
