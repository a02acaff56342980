"""Quotations of a formal text on a page: between two marks stands what it renders to, and nothing else. That is an
item, or one section after the other.

<!-- render: max.sonnx Y.value -->
...
<!-- /render -->

<!-- render: max.sonnx #types #signature int -->
...
<!-- /render -->
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from sonnx_verify.errors import SpecificationError, UserError
from sonnx_verify.pages.reading.families import ANY
from sonnx_verify.pages.reading.markdown import html_lines
from sonnx_verify.pages.render.formal import Formal, Item, fenced
from sonnx_verify.pages.render.markdown import SECTIONS, contents, lines_of, section, section_items
from sonnx_verify.sources import Source, Span

_OPEN = re.compile(r"^\s*<!--\s*render\s*:\s*(?P<what>.*?)\s*-->\s*$")
_CLOSE = re.compile(r"^\s*<!--\s*/\s*render\s*-->\s*$")
_WHAT = re.compile(r"(?P<file>\S+?)(?:@(?P<version>\d{1,9}))?\s+(?P<item>#\w+(?:\s+#\w+)*|\S+)(?:\s+(?P<family>\w+))?")

Opened = Callable[[Path, int | None], Formal]
"""A function that gives the formal text of a file, of one of its versions."""


@dataclass(frozen=True, slots=True)
class Quote:
    """A quotation: the place of its first mark, its words, the items that it shows, each with its family where it is
    shown for one, the lines that stand between the marks, by their numbers from 0, and what should stand there."""

    span: Span
    what: str
    items: frozenset[tuple[str, ...]]
    first: int
    last: int
    is_: str
    should: str

    @property
    def holds(self) -> bool:
        """Return whether it says what the formal text says."""
        return self.is_ == self.should


def quotes_of(source: Source, folder: Path, opened: Opened) -> list[Quote]:
    """The quotations of a page that stands in a folder. Raises UserError at the mark of one that cannot be renewed."""
    lines = source.text.split("\n")
    made = []
    for first, last, what in _marked(source, lines):
        span = Span(source, first, 1, len(lines[first - 1]))
        items, should = _shown(span, what, folder, opened)
        made.append(Quote(span, what, items, first, last, "\n".join(lines[first:last]), should))
    return made


def renewed(source: Source, quotes: list[Quote]) -> str:
    """The page with each quotation as it should be."""
    lines = source.text.split("\n")
    # From the last one on: the lines before it keep their numbers.
    for quote in reversed(quotes):
        lines[quote.first : quote.last] = quote.should.split("\n")
    return "\n".join(lines)


def _marked(source: Source, lines: list[str]) -> Iterator[tuple[int, int, str]]:
    """The lines between marks, from the one after the first mark, and what that says. What stands in code, or in a
    comment, is no mark; a quotation may hold a fence that does not end."""
    marks = [n for n, line in enumerate(lines) if _OPEN.match(line) or _CLOSE.match(line)]
    # Most pages quote nothing, and need not be parsed once more.
    html = html_lines(source) if marks else frozenset()
    opened: tuple[int, str] | None = None
    for number in marks:
        line = lines[number]
        found = _OPEN.match(line)
        # A formula that holds a fence hides the mark behind it from the parser: an open quotation ends there.
        if number not in html and (found or opened is None):
            continue
        span = Span(source, number + 1, 1, len(line))
        if found and opened is None:
            opened = (number + 1, found["what"])
        elif found:
            raise SpecificationError("a quotation begins in a quotation", span, "end the first with `<!-- /render -->`")
        elif opened is None:
            raise SpecificationError("no quotation begins above this", span, "remove the mark, or begin one above it")
        else:
            yield opened[0], number, opened[1]
            opened = None
    if opened is not None:
        span = Span(source, opened[0], 1, len(lines[opened[0] - 1]))
        raise SpecificationError("the quotation has no end", span, "write `<!-- /render -->` below it")


def _shown(span: Span, what: str, folder: Path, opened: Opened) -> tuple[frozenset[tuple[str, ...]], str]:
    """The items that a mark asks for, and what they render to."""
    found = _WHAT.fullmatch(what)
    if found is None:
        raise SpecificationError(
            f"`{what}` does not name an item of a formal text",
            span,
            "write a file and an item, such as `max.sonnx Y.value`, or sections, such as `max.sonnx #signature int`",
        )
    try:
        version = found["version"]
        formal = opened(folder / found["file"], int(version) if version else None)
    except UserError as problem:
        # A file that is not there has no place: it is told at the mark that names it.
        if problem.span is None:
            raise type(problem)(problem.message, span, problem.cure) from None
        raise
    family = found["family"] or ""
    if found["item"].startswith("#"):
        return _sections(span, formal, [x.strip() for x in found["item"][1:].split("#")], family)
    shown = (found["item"], family) if family else (found["item"],)
    return frozenset({shown}), fenced(_item(span, formal, found["item"], family).formula)


def _sections(span: Span, formal: Formal, names: list[str], family: str) -> tuple[frozenset[tuple[str, ...]], str]:
    known = ("contents", *SECTIONS)
    unknown = [name for name in names if name not in known]
    if unknown:
        raise SpecificationError(f"a page has no section `#{unknown[0]}`", span, f"there are #{', #'.join(known)}")
    every = lines_of(formal)
    # The list of contents is of all lines of types, unless the page has one section for any of them.
    lines = [family] if family else every
    if not {*lines}.issubset({*every, ANY}) or (not family and names != ["contents"]):
        wrong = f"the formal text has no types `{family}`" if family else "no types are named"
        raise SpecificationError(wrong, span, f"write {', '.join(dict.fromkeys((*every, ANY)))} behind the sections")
    made = [contents(formal, lines) if name == "contents" else section(formal, name, family) for name in names]
    shown = {item for name in names for item in section_items(formal, name, family)}
    # A blank line keeps tables and lists apart from the marks, in every reader of Markdown.
    return frozenset(shown), "\n".join(["", "\n\n".join(made), ""])


def _item(span: Span, formal: Formal, name: str, family: str) -> Item:
    items = [i for i in formal.items() if i.formula]
    named = [i for i in items if i.name == name]
    if not named:
        known = dict.fromkeys(i.name for i in items)
        # A name that is near to none is answered with all.
        nearest = get_close_matches(name, known, 3, 0.5) or known
        raise SpecificationError(f"the formal text has no `{name}`", span, f"it has {', '.join(nearest)}")
    fit = named
    if family:
        fit = [i for i in named if i.family in ("", family)]
    # An item for all families has one formula, whatever family the mark names.
    if len(fit) == 1:
        return fit[0]
    families = ", ".join(i.family for i in named if i.family)
    if not fit:
        raise SpecificationError(f"`{name}` is not given for {family}", span, f"it is for {families}")
    raise SpecificationError(f"`{name}` is given for several families", span, f"add one of them: {families}")
