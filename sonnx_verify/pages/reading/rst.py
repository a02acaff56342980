"""reStructuredText as blocks. Nothing that a page names is opened: no file, no address."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from sonnx_verify.pages.reading.blocks import Block, Cell, Inline, Text
from sonnx_verify.pages.reading.cursor import Cursor
from sonnx_verify.pages.reading.kinds import BlockKind, InlineKind, PageForm
from sonnx_verify.sources import Source, Span

if TYPE_CHECKING:
    from docutils import nodes

MOST_CHARACTERS = 1 << 20
"""A page that has more is not read: the parser takes a minute and more for it."""
_LONGEST_LINE = 100_000
_MOST_SEARCHED = 300_000
"""The most characters times marks of a paragraph that is looked through: the parser looks from each mark that is not
closed to the end."""
_MOST_CALLS = 900
_WARNING = 2
"""The level from which on docutils means that something is wrong."""
_SPHINX = re.compile(
    r"(?:py:)?(?:func|class|meth|mod|attr|data|exc|obj)|toctree|ref|doc|any|term|option|envvar|version\w+|deprecated"
    r"|seealso|only|tabs?|tab-\w+|grid|card|auto\w+|currentmodule|literalinclude|plot|gdot|runpython|exref|cmdref"
)
"""Directives and roles of Sphinx and of what extends it: that docutils does not know them is nobody's mistake."""
_UNKNOWN = re.compile(r'(?:Unknown (?:directive type|interpreted text role)|No (?:directive|role) entry for) "([^"]*)"')


def read_rst(source: Source) -> Text:
    """The blocks of a page; what the parser reports is a problem of it."""
    made = Text(source, PageForm.RST)
    if len(source.text) > MOST_CHARACTERS:
        why = f"it has more than {MOST_CHARACTERS} characters of reStructuredText, and is not read"
        made.problems.append((Span(source, 1, 1), why))
        return made
    try:
        with _no_deeper():
            document = _parsed(source)
            made.blocks += _Reader(source, document, made.problems).blocks(document, _At())
    except RecursionError:
        made.problems.append((Span(source, 1, 1), "it is nested too deep to be read"))
    except Exception as problem:  # a parser of others, on files of others: whatever it trips on is a finding
        made.problems.append((Span(source, 1, 1), f"it cannot be read to its end: {type(problem).__name__}"))
    return made


@contextmanager
def _no_deeper() -> Iterator[None]:
    """Allow as many calls from here on in every process: the same page is too deep in all of them."""
    frame, depth = inspect.currentframe(), -1
    while frame is not None:
        frame, depth = frame.f_back, depth + 1
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(depth + _MOST_CALLS)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def _parsed(source: Source) -> nodes.document:
    from docutils import frontend, utils
    from docutils.parsers.rst import Parser, roles

    known: dict[str, object] = vars(roles)["_roles"]

    settings = frontend.get_default_settings(Parser)
    settings.file_insertion_enabled = False
    # What stands between the lines of a page is kept as text and goes nowhere; files and addresses it may not name.
    settings.raw_enabled = True
    settings.report_level, settings.halt_level, settings.warning_stream = _WARNING, 5, False
    settings.syntax_highlight = "none"
    settings.line_length_limit = _LONGEST_LINE
    document = utils.new_document(source.name, settings)
    kept = dict(known)
    try:
        # No transforms: they would expand what a page defines by itself, which may be large, and lose places.
        Parser(inliner=_bounded()).parse(source.text, document)
    finally:
        # A page may define roles, which docutils keeps for all that it reads.
        known.clear()
        known.update(kept)
    return document


def _bounded() -> Any:
    """Docutils' reader of paragraphs, that takes those as text that would take too long. An instance, since it looks
    its patterns up in its own class alone."""
    from docutils import nodes
    from docutils.parsers.rst import states

    made: Any = states.Inliner()
    parse = made.parse

    def bounded(text: str, lineno: int, memo: Any, parent: Any) -> Any:
        if len(text) * sum(map(text.count, "*`|_[")) <= _MOST_SEARCHED:
            return parse(text, lineno, memo, parent)
        why = "the paragraph is long, with many marks, and is read as text"
        return [nodes.Text(text)], [memo.reporter.warning(why, line=lineno)]

    made.parse = bounded
    return made


@dataclass(frozen=True, slots=True)
class _At:
    """The place of a block: `level` is that of its section, `depth` that of its list, `quoted` says that it stands in
    a quotation."""

    level: int = 0
    depth: int = 0
    quoted: bool = False


class _Reader:
    """Turns docutils' tree, which knows lines of some nodes alone, into blocks whose pieces know their columns."""

    def __init__(self, source: Source, document: nodes.document, problems: list[tuple[Span, str]]) -> None:
        from docutils import nodes

        self._nodes = nodes
        self._source = source
        self._cursor = Cursor(source)
        self._problems = problems
        self._targets: dict[str, str] = {}
        for node in document.findall(nodes.target):
            self._targets |= dict.fromkeys(node["names"], node.get("refuri", ""))

    def blocks(self, parent: nodes.Element, at: _At) -> Iterator[Block]:
        """Those of a node's children. This recurses for what holds blocks; a page is as deep as these calls."""
        n = self._nodes
        for node in parent.children:
            if not isinstance(node, n.Element):
                continue
            self._enter(node)
            match node:
                case n.section():
                    yield from self.blocks(node, replace(at, level=at.level + 1))
                case n.topic() | n.sidebar() if "contents" in node["classes"]:
                    # A list of links to headings, that code hosts make anew.
                    pass
                case n.bullet_list() | n.enumerated_list() | n.definition_list() | n.field_list() | n.option_list():
                    for item in node.children:
                        yield from self._item(item, replace(at, depth=at.depth + 1))
                case n.block_quote():
                    yield from self.blocks(node, replace(at, quoted=True))
                case n.table():
                    yield self._table(node, at)
                case n.system_message():
                    self._problem(node)
                case n.comment() | n.substitution_definition() | n.pending() | n.decoration():
                    pass
                case n.TextElement() | n.image():
                    yield from self._leaf(node, at)
                case _:
                    yield from self.blocks(node, at)

    def _enter(self, node: nodes.Element) -> None:
        """Look on the lines of a node from now on."""
        n = self._nodes
        if node.line is not None and isinstance(node, (n.TextElement, n.raw)):
            # The line of a heading is that of the rule below it; that of what has parts may be where it ends.
            length = (node.rawsource or node.astext()).count("\n") + 4
            self._cursor.within(node.line - isinstance(node, n.title), node.line + length)

    def _leaf(self, node: nodes.Element, at: _At) -> Iterator[Block]:
        """The block of a node that holds no others."""
        n = self._nodes
        match node:
            case n.title():
                yield Block(BlockKind.HEADING, self._cell(node), max(1, at.level), quoted=at.quoted)
            case n.literal_block() | n.doctest_block():
                yield self._raw(BlockKind.CODE, node, at)
            case n.math_block():
                yield self._raw(BlockKind.MATH, node, at)
            case n.raw():
                yield self._raw(BlockKind.HTML, node, at)
            case n.target():
                anchors = tuple(self._anchors(node))
                if anchors:
                    yield Block(BlockKind.HTML, Cell(anchors[0].span, anchors), raw=node.rawsource, quoted=at.quoted)
            case _:
                yield Block(BlockKind.PARAGRAPH, self._cell(node), at.depth, quoted=at.quoted)

    def _item(self, item: nodes.Node, at: _At) -> Iterator[Block]:
        """An item of a list: the first of its paragraphs says that it is one."""
        if isinstance(item, self._nodes.system_message):
            self._problem(item)
        elif isinstance(item, self._nodes.Element):
            opened = False
            for block in self.blocks(item, at):
                # A list or code may stand first in an item: its paragraph comes later.
                if not opened and block.kind is BlockKind.PARAGRAPH and block.level == at.depth:
                    opened = True
                    yield Block(BlockKind.ITEM, block.cell, at.depth, quoted=at.quoted)
                else:
                    yield block

    def _table(self, node: nodes.Element, at: _At) -> Block:
        rows = tuple(tuple(self._entries(row, at)) for row in node.findall(self._nodes.row))
        start = next((cell.span for cell in chain.from_iterable(rows)), self._cursor.here)
        return Block(BlockKind.TABLE, Cell(start), rows=rows, quoted=at.quoted)

    def _entries(self, row: nodes.Element, at: _At) -> Iterator[Cell]:
        """The cells of a row, each with the pieces of all blocks in it."""
        for entry in row.children:
            assert isinstance(entry, self._nodes.Element)
            inner = [*chain.from_iterable(block.cells for block in self.blocks(entry, _At(quoted=at.quoted)))]
            place = next((cell.span for cell in inner), self._cursor.here)
            yield Cell(place, tuple(chain.from_iterable(cell.inlines for cell in inner)))

    def _problem(self, node: nodes.Element) -> None:
        text = next((child.astext() for child in node.children), "")
        unknown = _UNKNOWN.search(text)
        if node.get("level", 0) >= _WARNING and not (unknown and _SPHINX.fullmatch(unknown[1])):
            last = self._source.text.count("\n") + 1
            place = Span(self._source, min(max(1, node.get("line") or 1), last), 1)
            self._problems.append((place, " ".join(text.split())))

    # -------------------------------------------------------------------------------------------------------- pieces

    def _raw(self, kind: BlockKind, node: nodes.Element, at: _At) -> Block:
        content = node.astext()
        start = self._cursor.found(content.strip().partition("\n")[0].rstrip())
        inlines: tuple[Inline, ...] = ()
        if kind is BlockKind.MATH:
            inlines = (Inline(InlineKind.MATH, content.strip(), start),)
        return Block(kind, Cell(start, inlines), at.depth, raw=content, quoted=at.quoted)

    def _cell(self, node: nodes.Element) -> Cell:
        lines = (node.rawsource or node.astext()).split("\n")
        start = self._cursor.found(lines[0].strip())
        self._cursor.back_to(start)
        made = tuple(self._inlines(node))
        return Cell(start, made)

    def _inlines(self, parent: nodes.Element) -> Iterator[Inline]:
        n = self._nodes
        # An image that stands alone is a block and its own piece.
        children = [parent] if isinstance(parent, n.image) else parent.children
        for node in children:
            match node:
                case n.Text():
                    yield from self._lines(node.astext())
                case n.literal():
                    yield self._piece(InlineKind.CODE, node.astext())
                case n.math():
                    yield self._piece(InlineKind.MATH, node.astext())
                case n.reference():
                    shown = node.astext()
                    yield Inline(InlineKind.LINK, shown, self._cursor.found(shown.split("\n")[0]), self._to(node))
                case n.image():
                    yield Inline(InlineKind.LINK, node.get("alt", ""), self._cursor.found(node["uri"]), node["uri"])
                case n.target():
                    # The address of a link that stands in the text is a target too, and no place to lead to.
                    if not node.get("refuri"):
                        yield from self._anchors(node)
                        yield from self._inlines(node)
                case n.raw():
                    yield self._piece(InlineKind.MARK, node.astext())
                case n.system_message():
                    self._problem(node)
                case n.Element():
                    yield from self._inlines(node)

    def _lines(self, text: str) -> Iterator[Inline]:
        for number, line in enumerate(text.split("\n")):
            if number:
                yield Inline(InlineKind.BREAK, " ", self._cursor.here)
            if line:
                yield self._piece(InlineKind.TEXT, line)

    def _piece(self, kind: InlineKind, text: str) -> Inline:
        return Inline(kind, text, self._cursor.found(text.split("\n")[0]))

    def _anchors(self, node: nodes.Element) -> Iterator[Inline]:
        if node.get("refuri"):
            return
        start = self._cursor.found(node.rawsource.split("\n")[0].strip())
        for name in node["names"]:
            yield Inline(InlineKind.ANCHOR, "", start, name)

    def _to(self, node: nodes.Element) -> str:
        """The target of a reference: an address, or a name of the page."""
        if "refuri" in node:
            return str(node["refuri"])
        name = str(node.get("refname", node.get("refid", "")))
        slug = re.sub(r"[^\w\- ]", "", name).replace(" ", "-")
        if name not in self._targets:
            # A heading of that title, which code hosts give an anchor.
            return f"#{slug}"
        return self._targets[name] or f"#{name}"
