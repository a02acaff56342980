"""The records of lint: a finding with its place and mends, and the rule that makes it.

A rule is a function from a page to the places where it trips, with a name and a severity; most rules look at one thing
after the other (a tag, a link, a formula), and say so by a visit of visits.py. This module knows none of the rules:
rules.py lists all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from sonnx_verify.pages.reading.kinds import PageKind
from sonnx_verify.pages.reading.page import Page
from sonnx_verify.sources import Span

Visited = TypeVar("Visited")


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
    """A replacement of the text at a place: a length of 0 inserts before it. The text there has to be `old`."""

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
        # Place first, as a reader goes down the page. The rule and the message make the order total, so that output
        # does not depend on the order in which rules ran.
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
    name: str, severity: Severity, pages: frozenset[PageKind] = PROFILE, *, slow: bool = False
) -> Callable[[Callable[[Page], Found]], Rule]:
    """Return a decorator that makes a rule of a function; the function's docstring says when the rule trips."""

    def made(look: Callable[[Page], Found]) -> Rule:
        return Rule(name, severity, " ".join((look.__doc__ or "").split()), pages, look, slow)

    return made


def rule_on(
    visit: Callable[[Page], Iterable[Visited]],
    name: str,
    severity: Severity,
    pages: frozenset[PageKind] = PROFILE,
    *,
    slow: bool = False,
) -> Callable[[Callable[[Visited], Found]], Rule]:
    """Return a decorator like `rule`, of a function that looks at one of the things that a visit finds on a page."""

    def made(look: Callable[[Visited], Found]) -> Rule:
        def on_page(page: Page) -> Found:
            for visited in visit(page):
                yield from look(visited)

        # The docstring is that of the rule: readers never see this function.
        on_page.__doc__ = look.__doc__
        return rule(name, severity, pages, slow=slow)(on_page)

    return made


def edit(piece: Span, old: str, new: str) -> tuple[Edit, ...]:
    """The edit of a text where it stands first in a piece or after it on its line; none where it is not found."""
    line = piece.source.line(piece.line)
    # The span of a piece may begin before its text: behind a back-tick, an opening bracket, the marks of a heading.
    column = line.find(old, piece.column - 1)
    if column < 0:
        return ()
    return (Edit(Span(piece.source, piece.line, column + 1, len(old)), old, new),)
