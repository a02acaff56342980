"""Markdown as blocks: tables, HTML and formulas between dollars, as code hosts show them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any
from urllib.parse import unquote

from sonnx_verify.errors import Source, Span
from sonnx_verify.pages.blocks import Block, Cell, Inline, Text

_ANCHOR = re.compile(r"""<a\s+(?:id|name)\s*=\s*["']?([^"'>\s]+)""", re.IGNORECASE)
_FAR = 4000
"""So far on a piece may be after the one before: what is not found there is written in other characters."""


@cache
def _parser() -> Any:
    from markdown_it import MarkdownIt
    from mdit_py_plugins.dollarmath import dollarmath_plugin

    made = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    return made.use(dollarmath_plugin, allow_space=True, double_inline=True)


def read_markdown(source: Source) -> Text:
    """The blocks of a page."""
    return Text(source, "markdown", list(_Reader(source).blocks(_parser().parse(source.text))))


class _Reader:
    """Turns the parser's tokens, which know lines alone, into blocks whose pieces know their columns: each is looked
    for in the text after the one before."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._starts = [0]
        for line in source.text.split("\n"):
            self._starts.append(self._starts[-1] + len(line) + 1)
        self._cursor = 0

    def blocks(self, tokens: Sequence[Any]) -> Iterator[Block]:
        """One after the other, tables whole."""
        level, quotes, depth, first = 0, 0, 0, False
        rows: list[tuple[Cell, ...]] = []
        row: list[Cell] | None = None
        table = Span(self._source, 1, 1)
        for token in tokens:
            if token.map is not None:
                self._cursor = max(self._cursor, self._starts[token.map[0]])
            quoted = quotes > 0
            match token.type:
                case "heading_open":
                    level = int(token.tag[1:])
                case "blockquote_open" | "blockquote_close":
                    quotes += token.nesting
                case "list_item_open" | "list_item_close":
                    depth, first = depth + token.nesting, token.nesting > 0
                case "table_open":
                    rows, table = [], self._at(self._cursor)
                case "tr_open":
                    row = []
                case "tr_close":
                    rows.append(tuple(row or ()))
                    row = None
                case "table_close":
                    yield Block("table", Cell(table), rows=tuple(rows), quoted=quoted)
                case "inline" if row is not None:
                    row.append(self._cell(token))
                case "inline" if level:
                    yield Block("heading", self._cell(token), level, quoted=quoted)
                    level = 0
                case "inline":
                    kind = "item" if first else "paragraph"
                    yield Block(kind, self._cell(token), depth, quoted=quoted)
                    first = False
                case "fence" if token.info.strip().lower() == "math":
                    yield self._raw("math", token, quoted)
                case "fence" | "code_block":
                    yield self._raw("code", token, quoted)
                case "html_block":
                    yield self._raw("html", token, quoted)
                case "math_block" | "math_block_label":
                    yield self._raw("math", token, quoted)

    # -------------------------------------------------------------------------------------------------------- pieces

    def _raw(self, kind: str, token: Any, quoted: bool) -> Block:
        """What is not made of inline pieces. A formula is one, and HTML may hold anchors."""
        content = token.content.strip("\n")
        start = self._found(content.strip().split("\n")[0])
        inlines: list[Inline] = []
        if kind == "math":
            inlines.append(Inline("math", content.strip(), start))
        elif kind == "html":
            inlines += self._html(content)
        return Block(kind, Cell(start, tuple(inlines)), raw=content, quoted=quoted)

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
                        made.append(self._piece("text", child.content))
                case "code_inline":
                    made.append(self._piece("code", child.content))
                case "math_inline" | "math_inline_double":
                    made.append(self._piece("math", child.content))
                case "softbreak" | "hardbreak":
                    made.append(Inline("break", " ", self._at(self._cursor)))
                case "link_open" | "image":
                    target = str(child.attrs.get("href", child.attrs.get("src", "")))
                    targets.append((target, self._found("[" if child.info != "auto" else target), len(made)))
                    if child.type == "image":
                        made.append(self._link(targets, made, child.content))
                case "link_close":
                    made.append(self._link(targets, made))
                case "html_inline":
                    made += self._html(child.content)
        return Cell(start, tuple(made))

    def _link(self, targets: list[tuple[str, Span, int]], made: list[Inline], text: str | None = None) -> Inline:
        """A link, as one piece in place of those that it is made of."""
        target, start, first = targets.pop()
        inner = made[first:]
        del made[first:]
        shown = "".join(i.text for i in inner) if text is None else text
        self._found(target)
        return Inline("link", shown, start, unquote(target))

    def _html(self, content: str) -> Iterator[Inline]:
        start = self._found(content.split("\n")[0])
        for match in _ANCHOR.finditer(content):
            yield Inline("anchor", "", start, match[1])
        yield Inline("mark", content, start)

    def _piece(self, kind: str, text: str) -> Inline:
        return Inline(kind, text, self._found(text.split("\n")[0]))

    # -------------------------------------------------------------------------------------------------------- places

    def _found(self, text: str) -> Span:
        """The place of a text, looked for after what was found last; of what stands there in other characters, the
        place of that."""
        start = self._source.text.find(text, self._cursor)
        if start < 0 or (text and start > self._cursor + _FAR):
            return self._at(self._cursor)
        self._cursor = start + len(text)
        return self._at(start, max(1, len(text)))

    def _at(self, offset: int, length: int = 1) -> Span:
        line = bisect_right(self._starts, offset)
        return Span(self._source, line, offset - self._starts[line - 1] + 1, length)

    def _offset(self, span: Span) -> int:
        return self._starts[span.line - 1] + span.column - 1
