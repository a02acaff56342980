"""What a page is made of, whatever it is written in: blocks of inline pieces, each with its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from sonnx_verify.errors import Source, Span


@dataclass(frozen=True, slots=True)
class Inline:
    """A piece of a line. `kind` is text, code, math, link, anchor, mark (a piece of HTML) or break; `target` is where
    a link leads to, or the name of an anchor."""

    kind: str
    text: str
    span: Span
    target: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """Inline pieces that belong together: a paragraph, a heading, a cell of a table."""

    span: Span
    inlines: tuple[Inline, ...] = ()

    @property
    def text(self) -> str:
        """What a reader sees, formulas between dollars and code between back-ticks."""
        return "".join(map(_shown, self.inlines)).strip()

    @property
    def plain(self) -> str:
        """The same without marks of code and formulas."""
        return "".join(i.text for i in self.inlines if i.kind not in ("mark", "anchor")).strip()

    def of(self, *kinds: str) -> list[Inline]:
        """The pieces of some kinds."""
        return [i for i in self.inlines if i.kind in kinds]


@dataclass(frozen=True, slots=True)
class Block:
    """A block of a page. `kind` is heading, paragraph, item, table, quote, code, math or html; `level` that of a
    heading, else how deep it lies in lists, 1 for an item of one that is in none. A table has its `rows`, the first the
    header; others have a `cell`.
    `quoted` says whether it stands in a quotation, `raw` is the text of what is not made of inline pieces, `last` the
    number of its last line, 0 where nobody says."""

    kind: str
    cell: Cell
    level: int = 0
    rows: tuple[tuple[Cell, ...], ...] = ()
    raw: str = ""
    quoted: bool = False
    last: int = 0

    @property
    def span(self) -> Span:
        """Where it begins."""
        return self.cell.span

    @property
    def cells(self) -> Iterator[Cell]:
        """All its cells."""
        yield self.cell
        for row in self.rows:
            yield from row

    @property
    def inlines(self) -> Iterator[Inline]:
        """All its inline pieces."""
        for cell in self.cells:
            yield from cell.inlines


@dataclass(slots=True)
class Text:
    """A page as blocks. `problems` are what could not be read, in words, with the place."""

    source: Source
    form: str
    blocks: list[Block] = field(default_factory=list)
    problems: list[tuple[Span, str]] = field(default_factory=list)

    def inlines(self, kinds: Iterable[str]) -> Iterator[Inline]:
        """All inline pieces of some kinds, in their order."""
        wanted = frozenset(kinds)
        return (i for block in self.blocks for i in block.inlines if i.kind in wanted)


def _shown(inline: Inline) -> str:
    match inline.kind:
        case "math":
            return f"${inline.text}$"
        case "code":
            return f"`{inline.text}`"
        case "mark" | "anchor":
            return ""
        case _:
            return inline.text
