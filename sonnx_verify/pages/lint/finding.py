"""The records of lint: a finding with its place and mends, and the rule that makes it.

A rule is a function from a page to the places where it trips, with a name and a severity. This module knows none of
them: rules.py lists all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from sonnx_verify.errors import Span
from sonnx_verify.pages.reading.kinds import PageKind
from sonnx_verify.pages.reading.page import Page


class Severity(StrEnum):
    """An error makes a page say something wrong or nothing; a warning misleads; a note a reviewer may let pass."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


PROFILE = frozenset((PageKind.PROFILE,))
REFERENCE = frozenset((PageKind.REFERENCE,))
EVERY = PROFILE | REFERENCE
"""The kinds of pages that a rule may be about."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Another text for what stands somewhere; with a length of 0, before it. What stands there has to be `old`."""

    span: Span
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Finding:
    """A place where a rule trips, in words, and what to do about it. `edits` mend it, where that is mechanical."""

    rule: str
    severity: Severity
    span: Span
    message: str
    fix: str = ""
    edits: tuple[Edit, ...] = ()

    @property
    def key(self) -> tuple[str, int, int, str, str]:
        """The order in which findings are printed."""
        return (self.span.source.name, self.span.line, self.span.column, self.rule, self.message)


Found = Iterator[tuple[Span, str, str] | tuple[Span, str, str, tuple[Edit, ...]]]
"""Places, each with what is wrong there, what to do, and the edits that do it."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: its name, the severity of its findings, a sentence on when it trips, the kinds of pages that it is for,
    and the function that looks. A `slow` rule evaluates the formal text."""

    name: str
    severity: Severity
    about: str
    pages: frozenset[PageKind]
    look: Callable[[Page], Found]
    slow: bool

    def findings(self, page: Page) -> Iterator[Finding]:
        """The findings of the rule on a page."""
        for found in self.look(page):
            yield Finding(self.name, self.severity, *found)


def rule(
    name: str, severity: Severity, pages: frozenset[PageKind] = PROFILE, slow: bool = False
) -> Callable[[Callable[[Page], Found]], Rule]:
    """Return a decorator that makes a rule of a function; the function's docstring says when the rule trips."""

    def made(look: Callable[[Page], Found]) -> Rule:
        return Rule(name, severity, " ".join((look.__doc__ or "").split()), pages, look, slow)

    return made


def edit(piece: Span, old: str, new: str) -> tuple[Edit, ...]:
    """The edit of a text where it stands first in a piece or after it on its line; none where it is not found."""
    line = piece.source.line(piece.line)
    column = line.find(old, piece.column - 1)
    if column < 0 or not old:
        return ()
    return (Edit(Span(piece.source, piece.line, column + 1, len(old)), old, new),)
