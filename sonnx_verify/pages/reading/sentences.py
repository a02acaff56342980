"""The sentence of the page for a clause of the formal text that names it."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from pathlib import Path

from sonnx_verify.errors import UserError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.families import families
from sonnx_verify.language.parser import parse
from sonnx_verify.language.places import installed_library
from sonnx_verify.language.sections import line_of_section
from sonnx_verify.pages.reading.families import ANY, call_families, family_of
from sonnx_verify.pages.reading.page import Page
from sonnx_verify.pages.reading.read import read_page
from sonnx_verify.pages.reading.tags import Tag
from sonnx_verify.source_files import read_source


@dataclass(frozen=True, slots=True)
class Sentence:
    """The statement of a page under a tag, with its place."""

    text: str
    file: str
    line: int


def tag_of(page: Page, family: str, name: str) -> Tag | None:
    """The tag of a family of the page; where no family is named, the first of that name."""
    # A page without families has all its sections in the first list.
    for sections in page.by_family[1:] or page.by_family:
        if family and sections and family_of(sections[0]) not in (family, ANY):
            continue
        tags = chain.from_iterable(section.tags for section in sections)
        found = next((tag for tag in tags if tag.name == name), None)
        if found is not None:
            return found
    return None


def sentence_of(file: s.File, root: Path, section: str, name: str) -> Sentence | None:
    """The statement of the page that a formal text names, under a tag of a family or of that of an element type; None
    if the text names no page, or the page has no such tag. Messages show the text from `root`, or from the installed
    library, on."""
    if file.page is None or file.span is None:
        return None
    # The page is named as it lies from the text.
    shown = Path(file.span.source.name).parent / file.page.name
    lines = (line for line, _, types in families(file) if section == line or section in types)
    family = next(lines, None) or line_of_section(file, section) or section
    for folder in (root, installed_library()):
        page = _page_at(folder / shown)
        if page is None:
            continue
        call_families(page, file)
        if (tag := tag_of(page, family, name)) is not None:
            return Sentence(stated(tag), shown.as_posix(), tag.span.line)
    return None


def stated(tag: Tag) -> str:
    """The words of a tag in one line, links as what they show."""
    return re.sub(r"\s+", " ", tag.statement.text).strip()


def page_sentence(source: str, root: Path, section: str, tag: str) -> str:
    """The statement of the page of a formal text under a tag, with its place; empty if there is none. `source` is the
    formal text as messages show it."""
    for folder in (root, installed_library()):
        if not (folder / source).is_file():
            continue
        # What is wrong with the text was told where it was read.
        with suppress(UserError):
            found = sentence_of(parse(read_source(folder / source, source)), root, section, tag)
            if found is not None:
                return f"{found.file}:{found.line} {found.text}"
        break
    return ""


def _page_at(path: Path) -> Page | None:
    # A page that changes while an editor is open is read again; time and size tell.
    with suppress(OSError):
        seen = path.stat()
        return _read(path, seen.st_mtime_ns, seen.st_size)
    return None


@lru_cache(maxsize=64)
def _read(path: Path, changed: int, size: int) -> Page | None:
    with suppress(UserError):
        return read_page(path)
    return None
