"""The model of a page, whatever it is written in: blocks of inline pieces, each with its place."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from sonnx_verify.pages.reading.kinds import BlockKind, InlineKind, PageForm
from sonnx_verify.sources import Source, Span


@dataclass(frozen=True, slots=True)
class Inline:
    """A piece of a line. `target` is the target of a link, or the name of an anchor."""

    kind: InlineKind
    text: str
    span: Span
    target: str = ""

    @property
    def is_seen(self) -> bool:
        """Return whether a reader sees it."""
        # HTML that a page has among its words, such as `<a id="c1"></a>`, gives a place a name and shows nothing.
        return self.kind not in (InlineKind.MARK, InlineKind.ANCHOR)

    @property
    def is_words(self) -> bool:
        """Return whether it is text or code."""
        return self.kind in (InlineKind.TEXT, InlineKind.CODE)

    @property
    def leads_within(self) -> bool:
        """Return whether it is a link into its own page."""
        # A link to `other.md#c1` speaks of another page's tags: rules about tags of this page do not look at it.
        return self.kind is InlineKind.LINK and self.target.startswith("#")


@dataclass(frozen=True, slots=True)
class Cell:
    """Inline pieces that belong together: a paragraph, a heading, a cell of a table."""

    span: Span
    inlines: tuple[Inline, ...] = ()

    @property
    def text(self) -> str:
        """The text that a reader sees, formulas between dollars and code between back-ticks."""
        return "".join(map(_shown, self.inlines)).strip()

    @property
    def plain(self) -> str:
        """The same without marks of code and formulas."""
        return "".join(inline.text for inline in self.inlines if inline.is_seen).strip()

    def of(self, *kinds: InlineKind) -> list[Inline]:
        """The pieces of some kinds."""
        return [i for i in self.inlines if i.kind in kinds]


@dataclass(frozen=True, slots=True)
class Block:
    """A block of a page. `level` is that of a heading, else the depth in lists, 1 for an item of an outermost list. A
    table has its `rows`, the first the header; others have a `cell`.
    `quoted` says whether it is in a quotation, `raw` is the text of what is not made of inline pieces, `last` the
    number of its last line, 0 where nobody says."""

    kind: BlockKind
    cell: Cell
    level: int = 0
    rows: tuple[tuple[Cell, ...], ...] = ()
    raw: str = ""
    quoted: bool = False
    last: int = 0

    @property
    def span(self) -> Span:
        """The place where it begins."""
        return self.cell.span

    @property
    def is_prose(self) -> bool:
        """Return whether it is a paragraph or an item of a list."""
        return self.kind in (BlockKind.PARAGRAPH, BlockKind.ITEM)

    @property
    def header(self) -> tuple[Cell, ...]:
        """The first row of a table; empty for anything else."""
        return next(iter(self.rows), ())

    @property
    def cells(self) -> Iterator[Cell]:
        """All its cells."""
        # A table has a cell too, which is empty: so that each block has a place.
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
    form: PageForm
    blocks: list[Block] = field(default_factory=list)
    problems: list[tuple[Span, str]] = field(default_factory=list)

    @property
    def cells(self) -> Iterator[Cell]:
        """All its cells."""
        for block in self.blocks:
            yield from block.cells

    def inlines(self, kinds: Collection[InlineKind]) -> Iterator[Inline]:
        """All inline pieces of some kinds, in their order."""
        return (i for block in self.blocks for i in block.inlines if i.kind in kinds)


def _shown(inline: Inline) -> str:
    # With their marks: a rule that looks for `Y` in the words must not find the Y of a formula.
    match inline.kind:
        case InlineKind.MATH:
            return f"${inline.text}$"
        case InlineKind.CODE:
            return f"`{inline.text}`"
        case InlineKind.MARK | InlineKind.ANCHOR:
            return ""
        case _:
            return inline.text
