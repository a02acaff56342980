"""Markdown as blocks: tables, HTML and formulas between dollars, as code hosts show them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Any
from urllib.parse import unquote

from sonnx_verify.pages.reading.blocks import Block, Cell, Inline, Text
from sonnx_verify.pages.reading.kinds import BlockKind, InlineKind, PageForm
from sonnx_verify.sources import Source, Span

_ANCHOR = re.compile(r"""<a\s+(?:id|name)\s*=\s*["']?([^"'>\s]+)""", re.IGNORECASE)
_LEADS = re.compile(r"""<(?:a|img)\b[^<>]*?\s(?:href|src)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^"'>\s]+))""", re.IGNORECASE)
_WORD = re.compile(r"\w{2,}")


@cache
def _parser() -> Any:
    from markdown_it import MarkdownIt
    from mdit_py_plugins.dollarmath import dollarmath_plugin

    # What code hosts add to CommonMark and pages use: tables, strikethrough, formulas between dollars. GitHub sets
    # `$ x $` as well.
    made = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    return made.use(dollarmath_plugin, allow_space=True, double_inline=True)


def read_markdown(source: Source) -> Text:
    """The blocks of a page."""
    return Text(source, PageForm.MARKDOWN, list(_Reader(source).blocks(_parser().parse(source.text))))


_SEALED = re.compile(r"\s*<(?:!--|pre\b|script\b|style\b|textarea\b)", re.IGNORECASE)


def html_lines(source: Source) -> frozenset[int]:
    """The lines, from 0, on which HTML stands that can be told line by line: those of code are none, nor what goes on
    of a comment."""
    found: set[int] = set()
    for token in _parser().parse(source.text):
        if token.type == "html_block" and token.map is not None:
            first, end = token.map
            if _SEALED.match(token.content):
                end = first + 1
            found.update(range(first, end))
    return frozenset(found)


class _Reader:
    """Turns the parser's tokens, which know lines alone, into blocks whose pieces know their columns: each is looked
    for on the lines of its token, after the one before."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._starts = [0, *(match.end() for match in re.finditer("\n", source.text)), len(source.text) + 1]
        self._cursor, self._end = 0, len(source.text)
        self._quotes = 0
        self._depth = 0

    def blocks(self, tokens: Sequence[Any]) -> Iterator[Block]:
        """One after the other, tables whole."""
        # The level of the heading that is open, 0 outside of one; and whether the next paragraph makes an item.
        level, first = 0, False
        rest = iter(tokens)
        for token in rest:
            self._enter(token)
            match token.type:
                case "heading_open":
                    level = int(token.tag[1:])
                case "blockquote_open" | "blockquote_close":
                    self._quotes += token.nesting
                case "list_item_open" | "list_item_close":
                    self._depth += token.nesting
                    first = token.nesting > 0
                case "table_open":
                    yield self._table(token, rest)
                case "inline" if level:
                    yield replace(self._block(BlockKind.HEADING, token, self._cell(token)), level=level)
                    level = 0
                case "inline":
                    kind = BlockKind.ITEM if first else BlockKind.PARAGRAPH
                    yield self._block(kind, token, self._cell(token))
                    first = False
                case "fence" if token.info.strip().lower() == "math":
                    # Code hosts set such a fence as a formula.
                    yield self._raw(BlockKind.MATH, token)
                case "fence" | "code_block":
                    yield self._raw(BlockKind.CODE, token)
                case "html_block":
                    yield self._raw(BlockKind.HTML, token)
                case "math_block" | "math_block_label":
                    yield self._raw(BlockKind.MATH, token)

    def _block(self, kind: BlockKind, token: Any, cell: Cell) -> Block:
        return Block(kind, cell, self._depth, quoted=self._quotes > 0, last=token.map[1])

    def _table(self, opening: Any, rest: Iterator[Any]) -> Block:
        """The table that begins with a token; takes its tokens from the rest."""
        start = self._at(self._cursor)
        rows: list[list[Cell]] = []
        in_row = False
        for token in rest:
            # The tokens of all cells have the line of their row: each is looked for behind the one before.
            self._enter(token, anew=not in_row)
            match token.type:
                case "tr_open":
                    rows.append([])
                    in_row = True
                case "tr_close":
                    in_row = False
                case "inline":
                    rows[-1].append(self._cell(token))
                case "table_close":
                    break
        return replace(self._block(BlockKind.TABLE, opening, Cell(start)), rows=tuple(map(tuple, rows)))

    # -------------------------------------------------------------------------------------------------------- pieces

    def _raw(self, kind: BlockKind, token: Any) -> Block:
        """A block that is not made of inline pieces. A formula is one, and HTML may hold anchors."""
        content = token.content.strip("\n")
        start = self._found(content.strip().split("\n")[0])
        inlines: list[Inline] = []
        if kind is BlockKind.MATH:
            inlines.append(Inline(InlineKind.MATH, content.strip(), start))
        elif kind is BlockKind.HTML:
            inlines += self._html(content)
        return replace(self._block(kind, token, Cell(start, tuple(inlines))), raw=content)

    def _cell(self, token: Any) -> Cell:
        """The inline pieces of a token."""
        start = self._found(token.content.split("\n")[0].strip())
        self._cursor = self._offset(start)
        made: list[Inline] = []
        targets: list[tuple[str, Span, int]] = []
        for child in token.children or []:
            match child.type:
                case "text":
                    if child.content:
                        made.append(self._piece(InlineKind.TEXT, child.content))
                case "code_inline":
                    made.append(self._piece(InlineKind.CODE, child.content))
                case "math_inline" | "math_inline_double":
                    made.append(self._piece(InlineKind.MATH, child.content))
                case "softbreak" | "hardbreak":
                    made.append(Inline(InlineKind.BREAK, " ", self._at(self._cursor)))
                case "link_open" | "image":
                    target = str(child.attrs.get("href", child.attrs.get("src", "")))
                    # `<https://...>` has no brackets.
                    opening = target if child.info == "auto" else "["
                    targets.append((target, self._found(opening), len(made)))
                    if child.type == "image":
                        made.append(self._link(targets, made, child.content))
                case "link_close":
                    made.append(self._link(targets, made))
                case "html_inline":
                    made += self._html(child.content)
                # What is struck through does not hold: whoever reads sentences has to see it.
                case "s_open":
                    made.append(Inline(InlineKind.MARK, "<s>", self._at(self._cursor)))
                case "s_close":
                    made.append(Inline(InlineKind.MARK, "</s>", self._at(self._cursor)))
        return Cell(start, tuple(made))

    def _link(self, targets: list[tuple[str, Span, int]], made: list[Inline], text: str | None = None) -> Inline:
        """A link, as one piece in place of those that it is made of."""
        target, start, first = targets.pop()
        inner = made[first:]
        del made[first:]
        shown = "".join(inline.text for inline in inner if inline.is_seen) if text is None else text
        made += [i for i in inner if i.kind is InlineKind.ANCHOR]
        # An address in angle brackets or with escapes does not stand on the page as the parser has it.
        if target and self._source.text.find(target, self._cursor, self._end) >= 0:
            self._found(target)
        return Inline(InlineKind.LINK, shown, start, unquote(target))

    def _html(self, content: str) -> Iterator[Inline]:
        start = self._found(content.split("\n")[0])
        for match in _ANCHOR.finditer(content):
            yield Inline(InlineKind.ANCHOR, "", self._within(start, match), match[1])
        for match in _LEADS.finditer(content):
            target = unquote(match[1] or match[2] or match[3] or "")
            yield Inline(InlineKind.LINK, "", self._within(start, match), target)
        yield Inline(InlineKind.MARK, content, start)

    def _piece(self, kind: InlineKind, text: str) -> Inline:
        return Inline(kind, text, self._found(text.split("\n")[0]))

    # -------------------------------------------------------------------------------------------------------- places

    def _enter(self, token: Any, *, anew: bool = True) -> None:
        """Look on the lines of a token from now on, if it has some: from their beginning, or after what was found
        last."""
        if token.map is None:
            return
        first, last = token.map
        # A token in a row has the lines of the row: the cursor is not set back to their beginning.
        start, self._end = self._starts[first], self._starts[min(last, len(self._starts) - 1)] - 1
        if anew or not start <= self._cursor <= self._end:
            self._cursor = start

    def _found(self, text: str) -> Span:
        """The place of a text, looked for after what was found last; of what stands there in other characters, that
        of its first word, or of what was found last."""
        find = self._source.text.find
        start = find(text, self._cursor, self._end) if text else -1
        if start < 0 and (word := _WORD.search(text)) is not None:
            text = word[0]
            start = find(text, self._cursor, self._end)
        if start < 0:
            return self._at(self._cursor)
        self._cursor = start + len(text)
        return self._at(start, max(1, len(text)))

    def _within(self, start: Span, match: re.Match[str]) -> Span:
        """The place of what was found in a piece of HTML that begins somewhere; of one on several lines, the first."""
        if "\n" in match.string[: match.end()]:
            return start
        return Span(self._source, start.line, start.column + match.start(), match.end() - match.start())

    def _at(self, offset: int, length: int = 1) -> Span:
        line = bisect_right(self._starts, offset)
        return Span(self._source, line, offset - self._starts[line - 1] + 1, length)

    def _offset(self, span: Span) -> int:
        return self._starts[span.line - 1] + span.column - 1
