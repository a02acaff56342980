"""Page and formal text side by side: the clauses that a tag of the page is about, and the tags of a clause."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sonnx_verify.errors import UserError
from sonnx_verify.language import syntax as s
from sonnx_verify.lsp.documents import Desk, Document
from sonnx_verify.lsp.names import Formal
from sonnx_verify.lsp.symbols import items_of
from sonnx_verify.pages.reading.families import family_of
from sonnx_verify.pages.reading.page import Page, Section
from sonnx_verify.pages.reading.tags import NEW, OLD, Tag

TAG = re.compile(rf"(?<!\w)(?:{NEW.pattern}|{OLD.pattern})")


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
        return None
    return Beside(path, formal)


def page_beside(desk: Desk, formal: Formal) -> Page | None:
    """The page that a formal text names, or that has its name."""
    if formal.document.file is None:
        return None
    file = formal.document.file
    path = file.with_suffix(".md")
    if formal.tree.page is not None:
        path = file.parent / formal.tree.page.name
    with suppress(OSError, ValueError):
        if desk.at(path) is not None or path.is_file():
            return desk.page(path)
    return None


def tag_at(line: str, column: int) -> str:
    """The tag of a page at a column, counted from 1; empty where there is none."""
    # An editor asks for the place between two characters: behind the last one of a tag is still at the tag.
    found = [m[0] for m in TAG.finditer(line) if m.start() < column <= m.end() + 1]
    if not found:
        return ""
    return found[-1]


def clauses_of(tree: s.File, tag: str, family: str = "") -> list[s.Clause]:
    """The clauses of a tag, those of a family only where there are such."""
    clauses = [item for item in items_of(tree) if isinstance(item, s.Clause)]
    named = [clause for clause in clauses if tag in clause.tags.split(",")]
    if not family:
        return named
    # A clause without a family holds in each of them.
    return [clause for clause in named if clause.family in ("", family)] or named


def family_at(page: Page, line: int) -> str:
    """The family that the section around a line of a page speaks of; empty where it is none's."""
    above = [section for section in page.sections if section.heading.span.line <= line]
    if not above:
        return ""
    return _name(above[-1].family)


def tags_of(page: Page, tag: str, family: str = "") -> Iterator[tuple[Tag, str]]:
    """The places where a page defines a tag, each with its family."""
    for section in page.sections:
        name = _name(section.family)
        if family and name and name != family:
            continue
        for one in section.tags:
            if one.name == tag:
                yield one, name


def _name(family: Section | None) -> str:
    if family is None:
        return ""
    return family_of(family)
