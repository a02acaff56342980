"""Page and formal text side by side: which tag of the one is which clause of the other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sonnx_verify.errors import Source, UserError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.parser import parse
from sonnx_verify.language.places import shown_as
from sonnx_verify.lsp.documents import Desk, Document
from sonnx_verify.lsp.names import Formal
from sonnx_verify.lsp.symbols import items_of
from sonnx_verify.pages.reading.page import Page, Section
from sonnx_verify.pages.reading.sentences import family_of
from sonnx_verify.pages.reading.tags import NEW, OLD, Tag

_TAG = re.compile(rf"(?<!\w)(?:{NEW.pattern}|{OLD.pattern})")


@dataclass(frozen=True, slots=True)
class Beside:
    """The formal text beside a page: its file, what it says, and the text that says it."""

    path: Path
    formal: Formal


def formal_beside(desk: Desk, page: Document) -> Beside | None:
    """The formal text of a page, of its name in its folder, as the editor has it or as it is written."""
    if page.file is None:
        return None
    path = page.file.with_suffix(".sonnx")
    document = desk.at(path)
    if document is None:
        with suppress(UserError, OSError):
            if path.is_file():
                lines = desk.lines(path)
                document = Document(path.absolute().as_uri(), "sonnx", None, lines, page.root, path)
    if document is None:
        return None
    formal = Formal.of(desk, document)
    if formal is None:
        with suppress(UserError):
            text = document.lines.plain
            formal = Formal(desk, document, parse(Source(shown_as(path, page.root), text)), text)
    return None if formal is None else Beside(path, formal)


def page_beside(desk: Desk, formal: Formal) -> Page | None:
    """The page that a formal text names, or that has its name."""
    if formal.document.file is None:
        return None
    file = formal.document.file
    name = formal.tree.page.name if formal.tree.page is not None else file.with_suffix(".md").name
    path = file.parent / name
    with suppress(OSError, ValueError):
        if desk.at(path) is not None or path.is_file():
            return desk.page(path)
    return None


def tag_at(line: str, column: int) -> str:
    """The tag of a page at a column, counted from 1; empty where there is none."""
    found = [m for m in _TAG.finditer(line) if m.start() < column <= m.end() + 1]
    return found[-1][0] if found else ""


def clauses_of(tree: s.File, tag: str, family: str = "") -> list[s.Clause]:
    """The clauses of a tag, those of a family only where there are such."""
    named = [i for i in items_of(tree) if isinstance(i, s.Clause) and tag in i.tags.split(",")]
    return [c for c in named if c.family in ("", family)] or named if family else named


def family_at(page: Page, line: int) -> str:
    """The family that the section around a line of a page speaks of; empty where it is none's."""
    above = [s for s in page.sections if s.heading.span.line <= line]
    return _name(above[-1].family) if above else ""


def tags_of(page: Page, tag: str, family: str = "") -> Iterator[tuple[Tag, str]]:
    """Where a page defines a tag, with the family."""
    for section in page.sections:
        for one in section.tags:
            name = _name(section.family)
            if one.name == tag and (not family or not name or name == family):
                yield one, name


def _name(family: Section | None) -> str:
    return "" if family is None else family_of(family)
