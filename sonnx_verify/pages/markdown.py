"""Markdown as blocks: tables, HTML and formulas between dollars, as code hosts show them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any
from urllib.parse import unquote

from sonnx_verify.errors import Source, Span
from sonnx_verify.pages.blocks import Block, Cell, Inline, Text
from sonnx_verify.pages.cursor import Cursor

_ANCHOR = re.compile(r"""<a\s+(?:id|name)\s*=\s*["']?([^"'>\s]+)""", re.IGNORECASE)


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
        self._cursor = Cursor(source)

    def blocks(self, tokens: Sequence[Any]) -> Iterator[Block]:
        """One after the other, tables whole."""
        level, quotes, depth, first = 0, 0, 0, False
        rows: list[tuple[Cell, ...]] = []
        row: list[Cell] | None = None
        table = self._cursor.here
        for token in tokens:
            if token.map is not None:
                self._cursor.within(token.map[0] + 1, token.map[1])
            quoted = quotes > 0
            match token.type:
                case "heading_open":
                    level = int(token.tag[1:])
                case "blockquote_open" | "blockquote_close":
                    quotes += token.nesting
                case "list_item_open" | "list_item_close":
                    depth, first = depth + token.nesting, token.nesting > 0
                case "table_open":
                    rows, table = [], self._cursor.here
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
        start = self._cursor.found(content.strip().split("\n")[0])
        inlines: list[Inline] = []
        if kind == "math":
            inlines.append(Inline("math", content.strip(), start))
        elif kind == "html":
            inlines += self._html(content)
        return Block(kind, Cell(start, tuple(inlines)), raw=content, quoted=quoted)

    def _cell(self, token: Any) -> Cell:
        """The inline pieces of a token."""
        start = self._cursor.found(token.content.split("\n")[0].strip())
        self._cursor.back_to(start)
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
                    made.append(Inline("break", " ", self._cursor.here))
                case "link_open" | "image":
                    target = str(child.attrs.get("href", child.attrs.get("src", "")))
                    targets.append((target, self._cursor.found("[" if child.info != "auto" else target), len(made)))
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
        self._cursor.found(target)
        return Inline("link", shown, start, unquote(target))

    def _html(self, content: str) -> Iterator[Inline]:
        start = self._cursor.found(content.split("\n")[0])
        for match in _ANCHOR.finditer(content):
            yield Inline("anchor", "", start, match[1])
        yield Inline("mark", content, start)

    def _piece(self, kind: str, text: str) -> Inline:
        return Inline(kind, text, self._cursor.found(text.split("\n")[0]))
