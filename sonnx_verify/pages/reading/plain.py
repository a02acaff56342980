"""Reference pages as plain text, as they come out of a reader or a translator: lines without marks of headings, with
bullets, and perhaps with stars around what was bold.

A text goes in, blocks come out; any text can be read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sonnx_verify.pages.reading import labels
from sonnx_verify.pages.reading.blocks import Block, Cell, Inline, Text
from sonnx_verify.pages.reading.kinds import BlockKind, InlineKind, PageForm, Part
from sonnx_verify.sources import Source, Span

# The bullets of browsers and readers, by depth, and those of people.
_BULLET = re.compile(r"(?P<indent>[ \t]*)(?P<mark>[•‣◦●·*–-])[ \t]+(?=\S)")
_PIECE = re.compile(r"\*\*|`([^`\n]+)`")
# The beginning of a statement of Python: an import, a comment, an assignment, a call.
_CODE = re.compile(r"\s*(?:import |from \w+ import |#|\w+(?:\.\w+)*\s*=[^=]|\w+(?:\.\w+)*\()")
_TITLE, _VERSION, _SECTION = 1, 2, 3
"""Levels of headings: an operator, a version of it, a part of that."""


def read_plain(source: Source) -> Text:
    """The blocks of a page."""
    return Text(source, PageForm.PLAIN, list(_blocks(source)))


def _blocks(source: Source) -> Iterator[Block]:
    lines = source.text.split("\n")
    # The indents of the bullets that are open, outermost first.
    indents: list[int] = []
    part: Part | None = None
    n = 0
    while n < len(lines):
        line = lines[n]
        indent = _indent(line)
        level = _heading_at(lines, n)
        # A line that begins with a bullet is an item even among code: it is the title of the next example.
        bullet = _BULLET.match(line)
        end = n + 1
        if _is_blank(line):
            pass
        elif level:
            part, indents = labels.named(labels.SECTIONS, line.replace("**", "")), []
            yield Block(BlockKind.HEADING, _cell(source, n, end), level)
        elif part is Part.EXAMPLES and bullet is None and _CODE.match(line):
            end = _code_end(lines, n)
            yield _code(source, lines, n, end)
        elif bullet is None:
            end = _paragraph_end(lines, n)
            # A paragraph that is farther to the right than a bullet belongs to it.
            indents = _left_of(indent, indents)
            yield Block(BlockKind.PARAGRAPH, _cell(source, n, end), len(indents))
        else:
            end = _paragraph_end(lines, n)
            indents = [*_left_of(indent, indents), indent]
            yield Block(BlockKind.ITEM, _cell(source, n, end, bullet.end()), len(indents))
        n = end


def _is_blank(line: str) -> bool:
    return not line.strip()


def _left_of(indent: int, indents: Sequence[int]) -> list[int]:
    return [one for one in indents if one < indent]


def _heading_at(lines: Sequence[str], n: int) -> int:
    """The level of the heading that stands on a line; 0 if none does. Headings are not indented and stand alone."""
    line = lines[n]
    level = _heading(line)
    if level == 0 or _indent(line) > 0 or not _stands_alone(lines, n):
        return 0
    if level == _TITLE and not _opens(lines, n):
        return 0
    return level


def _stands_alone(lines: Sequence[str], n: int) -> bool:
    return all(map(_is_blank, [*lines[max(0, n - 1) : n], *lines[n + 1 : n + 2]]))


def _heading(line: str) -> int:
    """The level of the heading that a line may be, by its words; 0 if it can be none."""
    text = line.strip().replace("**", "")
    if labels.VERSION.match(text):
        return _VERSION
    if labels.named(labels.SECTIONS, text):
        return _SECTION
    return _TITLE if labels.OPERATOR.match(text) else 0


def _opens(lines: Sequence[str], n: int) -> bool:
    """Return whether the name of an operator is a title: it stands first, or above a version. Elsewhere a single word
    with a capital letter may be the name of an example, or a sentence."""
    after = next((line for line in lines[n + 1 :] if line.strip()), "")
    return _heading(after) == _VERSION or all(map(_is_blank, lines[:n]))


def _paragraph_end(lines: Sequence[str], n: int) -> int:
    """The line after the paragraph that begins on a line: a blank one, or a bullet."""
    for end in range(n + 1, len(lines)):
        if _is_blank(lines[end]) or _BULLET.match(lines[end]):
            return end
    return len(lines)


def _code_end(lines: Sequence[str], n: int) -> int:
    """The end of code that begins on a line: before a version, a part, or a word that stands alone, which is the title
    of the next example. Names of operators are such words too."""
    for end in range(n + 1, len(lines)):
        line = lines[end]
        if not _stands_alone(lines, end):
            continue
        if _heading(line) in (_VERSION, _SECTION) or re.fullmatch(r"\w+", line):
            return end
    return len(lines)


def _code(source: Source, lines: list[str], n: int, end: int) -> Block:
    return Block(BlockKind.CODE, Cell(Span(source, n + 1, _indent(lines[n]) + 1)), raw="\n".join(lines[n:end]).rstrip())


def _cell(source: Source, first: int, end: int, column: int = 0) -> Cell:
    """The pieces of some lines, from a column of the first on."""
    made: list[Inline] = []
    for n in range(first, end):
        line = source.line(n + 1)
        start = max(column, _indent(line))
        if n > first:
            made.append(Inline(InlineKind.BREAK, " ", Span(source, n + 1, 1)))
        # The column is one behind the bullet, which stands on the first line alone.
        column = 0
        made += _pieces(source, n + 1, start, line.rstrip())
    return Cell(next((inline.span for inline in made), Span(source, first + 1, 1)), tuple(made))


def _pieces(source: Source, number: int, start: int, line: str) -> Iterator[Inline]:
    for mark in _PIECE.finditer(line, start):
        yield from _text(source, number, start, line[: mark.start()])
        code, column = mark[1], mark.start() + 1
        if code:
            yield Inline(InlineKind.CODE, code, Span(source, number, column + 1, len(code)))
        else:
            yield Inline(InlineKind.MARK, mark[0], Span(source, number, column, len(mark[0])))
        start = mark.end()
    yield from _text(source, number, start, line)


def _text(source: Source, number: int, start: int, line: str) -> Iterator[Inline]:
    """The text on a line from a place on, if there is any."""
    text = line[start:]
    if text:
        yield Inline(InlineKind.TEXT, text, Span(source, number, start + 1, len(text)))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
