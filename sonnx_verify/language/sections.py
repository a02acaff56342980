"""The sections of a `types` line, and the line of a section: for pages and lists. Nothing trusted uses it."""

from __future__ import annotations

from sonnx_verify.language import syntax as s
from sonnx_verify.language.families import instances


def sections_of(file: s.File, line: str) -> frozenset[str]:
    """The names of the sections of a `types` line of T, and that line, which is the section of what is asked of it
    once."""
    return frozenset((line, *(x.name for x in instances(file) if x.line == line)))


def line_of_section(file: s.File, section: str) -> str | None:
    """The name of the `types` line of T that a section is of; None where there is no such section."""
    return next((x.line for x in instances(file) if x.name == section), None)
