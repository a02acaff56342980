"""A finding, and the rules that make them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sonnx_verify.errors import Span
from sonnx_verify.pages.page import Page

SEVERITIES = ("error", "warning", "note")
"""From what makes a page say something wrong or nothing, over what misleads, to what a reviewer may let pass."""
PROFILE = ("profile",)
REFERENCE = ("reference",)
EVERY = PROFILE + REFERENCE
"""Kinds of pages that a rule may be about."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule found: where, in words, and what to do about it."""

    rule: str
    severity: str
    span: Span
    message: str
    fix: str = ""

    @property
    def key(self) -> tuple[str, int, int, str, str]:
        """The order in which findings are told."""
        return (self.span.source.name, self.span.line, self.span.column, self.rule, self.message)


Found = Iterator[tuple[Span, str, str]]
"""Places, what is wrong there, and what to do."""


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
    from sonnx_verify.lint import (  # noqa: F401  # they fill RULES
        on_code_examples,
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
    )

    made = [Finding("unreadable", "error", span, why) for span, why in page.text.problems]
    for one in RULES.values() if page.text.blocks else ():
        if page.kind in one.pages and (slow or not one.slow):
            made += [Finding(one.name, one.severity, span, message, fix) for span, message, fix in one.look(page)]
    return sorted(set(made), key=lambda f: f.key)
