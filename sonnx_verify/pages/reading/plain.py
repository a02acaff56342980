"""Reference pages as plain text, as they come out of a reader or a translator: lines without marks of headings, with
bullets, and perhaps with stars around what was bold."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sonnx_verify.errors import Source, Span
from sonnx_verify.pages.reading import labels
from sonnx_verify.pages.reading.blocks import Block, Cell, Inline, Text
from sonnx_verify.pages.reading.kinds import BlockKind, InlineKind

_BULLET = re.compile(r"(?P<indent>[ \t]*)(?P<mark>[•‣◦●·*–-])[ \t]+(?=\S)")
_PIECE = re.compile(r"\*\*|`([^`\n]+)`")
_CODE = re.compile(r"\s*(?:import |from \w+ import |#|\w+(?:\.\w+)*\s*=[^=]|\w+(?:\.\w+)*\()")
_TITLE, _VERSION, _SECTION = 1, 2, 3
"""Levels of headings: an operator, a version of it, a part of that."""


def read_plain(source: Source) -> Text:
    """The blocks of a page."""
    return Text(source, "plain", list(_blocks(source)))


def _blocks(source: Source) -> Iterator[Block]:
    lines = source.text.split("\n")
    indents: list[int] = []
    section, n = "", 0
    while n < len(lines):
        line = lines[n]
        if not line.strip():
            n += 1
            continue
        alone = (n == 0 or not lines[n - 1].strip()) and (n + 1 == len(lines) or not lines[n + 1].strip())
        level = _heading(line) if alone and _indent(line) == 0 else 0
        if level == _TITLE and not _opens(lines, n):
            level = 0
        if level:
            section, indents = labels.named(labels.SECTIONS, line.replace("**", "")), []
            yield Block(BlockKind.HEADING, _cell(source, n, n + 1), level)
            n += 1
            continue
        bullet = _BULLET.match(line)
        if section == "examples" and bullet is None and _CODE.match(line):
            end = _code_end(lines, n)
            yield _code(source, lines, n, end)
            n = end
            continue
        end = n + 1
        while end < len(lines) and lines[end].strip() and not _BULLET.match(lines[end]):
            end += 1
        if bullet is not None:
            indent = _indent(line)
            indents = [*(i for i in indents if i < indent), indent]
            yield Block(BlockKind.ITEM, _cell(source, n, end, bullet.end()), len(indents))
        else:
            # What stands farther to the right than a bullet belongs to it.
            indents = [i for i in indents if i < _indent(line)]
            yield Block(BlockKind.PARAGRAPH, _cell(source, n, end), len(indents))
        n = end


def _heading(line: str) -> int:
    """The level of the heading that a line is, where it is one."""
    text = line.strip().replace("**", "")
    if labels.VERSION.match(text):
        return _VERSION
    if labels.named(labels.SECTIONS, text):
        return _SECTION
    return _TITLE if labels.OPERATOR.match(text) else 0


def _opens(lines: list[str], n: int) -> bool:
    """Whether the name of an operator is a title: it stands first, or above a version."""
    after = next((line for line in lines[n + 1 :] if line.strip()), "")
    return not any(line.strip() for line in lines[:n]) or _heading(after) == _VERSION


def _code_end(lines: list[str], n: int) -> int:
    """The end of code that begins on a line: before a bullet, a heading, or words that stand alone."""
    end = n + 1
    while end < len(lines):
        line = lines[end]
        before = not lines[end - 1].strip()
        after = end + 1 == len(lines) or not lines[end + 1].strip()
        if before and after and (_heading(line) in (_VERSION, _SECTION) or re.fullmatch(r"\w+", line)):
            break
        end += 1
    return end


def _code(source: Source, lines: list[str], n: int, end: int) -> Block:
    return Block(BlockKind.CODE, Cell(Span(source, n + 1, _indent(lines[n]) + 1)), raw="\n".join(lines[n:end]).rstrip())


def _cell(source: Source, first: int, end: int, column: int = 0) -> Cell:
    """The pieces of some lines, from a column of the first on."""
    made: list[Inline] = []
    for n in range(first, end):
        line = source.line(n + 1)
        start = column if n == first and column else _indent(line)
        if n > first:
            made.append(Inline(InlineKind.BREAK, " ", Span(source, n + 1, 1)))
        made += _pieces(source, n + 1, start, line.rstrip())
    return Cell(made[0].span if made else Span(source, first + 1, 1), tuple(made))


def _pieces(source: Source, number: int, start: int, line: str) -> Iterator[Inline]:
    for mark in [*_PIECE.finditer(line, start), None]:
        text = line[start : mark.start() if mark else len(line)]
        if text:
            yield Inline(InlineKind.TEXT, text, Span(source, number, start + 1, len(text)))
        if mark:
            kind, inner, shift = (InlineKind.CODE, mark[1], 1) if mark[1] else (InlineKind.MARK, mark[0], 0)
            yield Inline(kind, inner, Span(source, number, mark.start() + 1 + shift, len(inner)))
            start = mark.end()


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
