"""One layout for each text: `sonnx-verify fmt`.

The layout depends on nothing but the tokens, the comments between them and the blank lines between items, and keeps all
of these; so it lays out its own result in the same way. That is checked of every text, before anyone sees the result:
`fmt` writes into files that people wrote, and no mistake of a rule may change what they say.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lark import Lark, Token, Tree, UnexpectedInput

from sonnx_verify.errors import UserError
from sonnx_verify.language.comments import Gap, comments_of, gaps, moved
from sonnx_verify.language.documents import WIDTH, Comment, Comments, Joined, on_one_line, printed
from sonnx_verify.language.layout_rules import RULES, item_of
from sonnx_verify.language.layouts import Item, Layouts, one_tag
from sonnx_verify.language.parser import check_syntax
from sonnx_verify.language.tables import parser
from sonnx_verify.language.words import tokens_of
from sonnx_verify.sources import Source

MAX_PADDING = 40
"""No row is widened by more than that to align it with others."""

_HEADER = ("operator", "refines", "page")
_NOTHING = Joined(())


def grammar() -> Lark:
    """A parser that keeps every token."""
    return parser(keep_all_tokens=True)


def layout(source: Source, width: int = WIDTH) -> str:
    """The text in its one layout, for lines of that many columns. Raises SpecificationError where the text is not in
    the grammar."""
    check_syntax(source)
    tree = grammar().parse(source.text)
    tokens = tokens_of(tree)
    between = gaps(source.text, tokens)
    lines = [line for part in _sections(_pieces(tree, tokens, between, width), width) for line in part.lines()]
    lines += _above(between[-1].comments, 0, first=not lines)
    text = "".join(f"{line}\n" for line in lines)
    _check_kept(source, tree, tokens, text)
    return text


@dataclass(frozen=True, slots=True)
class _Piece:
    """An item with what it looks like: `row` when it fits on one line, else `lines`; `after` ends its last line."""

    item: Item
    row: tuple[str, ...]
    lines: tuple[str, ...]
    above: tuple[str, ...]
    apart: bool
    after: str


def _pieces(tree: Tree[Token], tokens: Sequence[Token], between: Sequence[Gap], width: int) -> Iterator[_Piece]:
    layouts = Layouts(tokens, RULES)
    place = 0
    rule = ""
    for number, node in enumerate(tree.children):
        assert isinstance(node, Tree)
        first, place = place, place + len(tokens_of(node))
        inner = {n: list(between[n + 1].comments) for n in range(first, place - 1)}
        layouts.leading, layouts.trailing = set(), set()
        item = item_of(layouts, node)
        comments = moved(inner, layouts.leading, layouts.trailing)
        gap = between[first]
        blank = gap.blank or any(c.blank for c in gap.comments)
        # `refines` and `page` belong to the `operator` line above them, and are indented below it.
        under = rule in _HEADER and node.data in _HEADER[1:] and not blank
        indent, rule = 2 * under, str(node.data)
        above = _above(gap.comments, indent, first=not number)
        # A text does not begin with a blank line, unless a comment stands above it.
        if gap.blank and (number or above):
            above.append("")
        row, lines = _laid(item, comments, indent, width)
        after = [c.text for c in between[place].comments if not c.own]
        yield _Piece(item, row, lines, tuple(above), bool(above), "".join(after))


def _above(comments: Sequence[Comment], indent: int, *, first: bool) -> list[str]:
    """The lines of the comments between two items, without the one at the end of the first item's line."""
    lines: list[str] = []
    for comment in comments:
        if comment.own:
            lines += [""] * (comment.blank and not (first and not lines)) + [" " * indent + comment.text]
    return lines


def _laid(item: Item, comments: Comments, indent: int, width: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if item.cells and not comments:
        # Two cells may be missing in one row and there in the next: an empty one keeps the columns of both.
        cells = tuple(on_one_line(cell or _NOTHING) for cell in item.cells)
        if len(" ".join(c for c in cells if c)) <= width:
            return cells, ()
    return (), tuple(printed(item.paragraph, comments, indent, width))


class _Section:
    """Rows that are aligned with each other, or one item that is not a row."""

    def __init__(self, first: _Piece, width: int) -> None:
        self.pieces = [first]
        self.width = width
        self.columns = [len(cell) for cell in first.row[:-1]]
        self.shortest, self.tail = _head(first.row), len("".join(first.row[-1:]))

    def takes(self, piece: _Piece) -> bool:
        """Take the item into the section if it is of the same kind, directly below, and can be aligned without making a
        line too long or too loose. Tell whether it was."""
        last = self.pieces[-1]
        if not (last.row and piece.row) or last.item.kind != piece.item.kind or piece.apart:
            return False
        columns = [max(w, len(cell)) for w, cell in zip(self.columns, piece.row, strict=False)]
        head = sum(w + 1 for w in columns if w)
        shortest, tail = min(self.shortest, _head(piece.row)), max(self.tail, len(piece.row[-1]))
        if head + tail > self.width or head - shortest > MAX_PADDING:
            return False
        self.columns, self.shortest, self.tail = columns, shortest, tail
        self.pieces.append(piece)
        return True

    def lines(self) -> list[str]:
        bodies = [self._body(piece) for piece in self.pieces]
        width = max((len(b[-1]) for b, p in zip(bodies, self.pieces, strict=True) if p.after), default=0)
        found: list[str] = []
        for piece, body in zip(self.pieces, bodies, strict=True):
            if piece.after:
                body[-1] = f"{body[-1].ljust(width)}  {piece.after}"
            found += [*piece.above, *body]
        return found

    def _body(self, piece: _Piece) -> list[str]:
        if piece.row:
            return [self._row(piece.row)]
        return list(piece.lines)

    def _row(self, cells: tuple[str, ...]) -> str:
        head = [cell.ljust(w) for cell, w in zip(cells, self.columns, strict=False) if w]
        return " ".join([*head, cells[-1]])


def _head(row: tuple[str, ...]) -> int:
    """The columns before a row's last cell when it is not aligned."""
    return sum(len(cell) + 1 for cell in row[:-1] if cell)


def _sections(pieces: Iterator[_Piece], width: int) -> Iterator[_Section]:
    section: _Section | None = None
    for piece in pieces:
        if section is None or not section.takes(piece):
            if section is not None:
                yield section
            section = _Section(piece, width)
    if section is not None:
        yield section


def _check_kept(source: Source, tree: Tree[Token], tokens: Sequence[Token], text: str) -> None:
    """Raises UserError if the layout says anything else than the text, or lost a comment."""
    try:
        again = grammar().parse(text)
    except UnexpectedInput:
        again = Tree("start", [])
    found = tokens_of(again)
    same = _shape(again) == _shape(tree) and [one_tag(t) for t in found] == [one_tag(t) for t in tokens]
    if not same or comments_of(text, found) != comments_of(source.text, tokens):
        raise UserError(f"formatting would change the meaning of {source.name}", cure="report it with its text")


def _shape(tree: Tree[Token]) -> list[str]:
    """The rules of a tree and the kinds of its tokens, with its brackets."""
    found: list[str] = []
    stack: list[Token | Tree[Token] | str] = [tree]
    while stack:
        match stack.pop():
            case Token(type=kind):
                found.append(kind)
            case Tree(data=rule, children=children):
                found += [str(rule), "("]
                stack += [")", *reversed(children)]
            case word:
                found.append(str(word))
    return found
