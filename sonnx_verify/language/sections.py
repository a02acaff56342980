"""The sections of a `types` line, and the line of a section: for pages and lists. Nothing trusted uses it."""

from __future__ import annotations

from sonnx_verify.language import syntax as s
from sonnx_verify.language.families import families, instances, is_for, lines_named


def sections_of(file: s.File, line: str) -> frozenset[str]:
    """The names of the sections of a `types` line of T, and that line, which is the section of what is asked of it
    once."""
    return frozenset((line, *(x.name for x in instances(file) if x.line == line)))


def belongs(file: s.File, item: s.Clause | s.Rule | s.Let | s.Definition, line: str) -> bool:
    """Return whether an item belongs to the sections of a `types` line of T; without a line, whether to all."""
    for name, family, types in families(file):
        if line and name == line:
            return is_for(lines_named(file), item.family, family, types, item.span)
    return item.family in ("", line)


def line_of_section(file: s.File, section: str) -> str | None:
    """The name of the `types` line of T that a section is of; None where there is no such section."""
    return next((x.line for x in instances(file) if x.name == section), None)
