"""A finding, and the rules that make them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sonnx_verify.errors import Span
from sonnx_verify.pages.reading.page import Page

SEVERITIES = ("error", "warning", "note")
"""From what makes a page say something wrong or nothing, over what misleads, to what a reviewer may let pass."""
PROFILE = ("profile",)
REFERENCE = ("reference",)
EVERY = PROFILE + REFERENCE
"""Kinds of pages that a rule may be about."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Another text for what stands somewhere; with a length of 0, before it. What stands there has to be `old`."""

    span: Span
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule found: where, in words, and what to do about it. `edits` mend it, where that is mechanical."""

    rule: str
    severity: str
    span: Span
    message: str
    fix: str = ""
    edits: tuple[Edit, ...] = ()

    @property
    def key(self) -> tuple[str, int, int, str, str]:
        """The order in which findings are told."""
        return (self.span.source.name, self.span.line, self.span.column, self.rule, self.message)


Found = Iterator[tuple[Span, str, str] | tuple[Span, str, str, tuple[Edit, ...]]]
"""Places, what is wrong there, what to do, and the edits that do it."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: its name, how severe what it finds is, in a sentence what it is about, which kinds of pages it is for,
    and what looks. A `slow` one evaluates the formal text."""

    name: str
    severity: str
    about: str
    pages: tuple[str, ...]
    look: Callable[[Page], Found]
    slow: bool = False


RULES: dict[str, Rule] = {}
"""All rules by their names."""


def edit(piece: Span, old: str, new: str) -> tuple[Edit, ...]:
    """The edit of a text where it stands first in a piece or after it on its line; none where it is not found."""
    line = piece.source.line(piece.line)
    column = line.find(old, piece.column - 1)
    if column < 0 or not old:
        return ()
    return (Edit(Span(piece.source, piece.line, column + 1, len(old)), old, new),)


def rule(
    name: str, severity: str, pages: tuple[str, ...] = PROFILE, slow: bool = False
) -> Callable[[Callable[[Page], Found]], Callable[[Page], Found]]:
    """Makes a rule of a function, whose docstring says what it is about."""

    def made(look: Callable[[Page], Found]) -> Callable[[Page], Found]:
        assert name not in RULES and severity in SEVERITIES and set(pages) <= set(EVERY) and look.__doc__
        RULES[name] = Rule(name, severity, " ".join(look.__doc__.split()), pages, look, slow)
        return look

    return made


def findings_of(page: Page, slow: bool = True) -> list[Finding]:
    """What all rules find, or only those that are not slow, and what could not be read, in the order of places."""
    from sonnx_verify.pages.lint import (  # noqa: F401  # they fill RULES
        on_code_examples,
        on_code_results,
        on_equivalence,
        on_examples,
        on_formal,
        on_formulas,
        on_links,
        on_questions,
        on_reference,
        on_reference_text,
        on_schema,
        on_sections,
        on_statements,
        on_tags,
        on_wording,
    )

    made = [Finding("unreadable", "error", span, why) for span, why in page.text.problems]
    for one in RULES.values() if page.text.blocks or not made else ():
        if page.kind in one.pages and (slow or not one.slow):
            made += [Finding(one.name, one.severity, *found) for found in one.look(page)]
    return sorted(set(made), key=lambda f: f.key)
