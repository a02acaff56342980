"""Tags of a page: what is stated under which name, in both styles that pages have, with what real pages deviate by."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from sonnx_verify.pages.reading.blocks import Block, Cell, Inline
from sonnx_verify.pages.reading.cursor import after
from sonnx_verify.pages.reading.kinds import BlockKind, InlineKind, SectionKind, TagKind, TagStyle
from sonnx_verify.sources import Span

# R1, T2.1, GR3, RA: one of the letters, then a number or one more letter. C1D is none.
OLD = re.compile(r"(?P<letter>GR|R|C|E|T|t)(?P<old_number>\d+(?:\.\d+)*|[A-Z])(?!\w)")
# E_Max_CONSTR_1, E_Max_int_FUNC_2: the operator, perhaps a family, what it states, a number.
NEW = re.compile(
    r"E_(?P<operator>[A-Za-z]\w*?)(?:_(?P<family>[A-Za-z]+\d*))?"
    r"_(?P<what>(?:FUNC|CONSTR|RESTR|ERR)\w*?)_(?P<number>\d+)(?!\w)",
    re.IGNORECASE,
)
_NAME = re.compile(rf"(?-i:{OLD.pattern})|(?i:{NEW.pattern})")
_OPEN, _CLOSE = r"(?P<open>[\[(])", r"[\])]"
# `[R1]`, `(R1)` or `R1:`, alone or before a sentence. A bracket that is not closed is for rules on tags to tell.
LABEL = re.compile(rf"\s*(?P<written>{_OPEN}?\s*(?P<name>{_NAME.pattern})\s*{_CLOSE}?)\s*(?P<colon>:)?\.?\s*")
DETAIL = re.compile(r"\s*(Statement|Rationale|Origin)\s*:\s*", re.IGNORECASE)
# What ends a statement between marks: `[END]`, or `END` in bold.
_END = re.compile(r"\s*\[?END\]?\s*", re.IGNORECASE)
_AFTER = re.compile(rf"\s*{_OPEN}(?P<name>R\d+)\]\s*[.;]?\s*")
_IN_FORMULA = re.compile(r"\\(?:text|texttt|textbf|mathtt|tag)\{\s*\[(?P<name>T\d+)\]\s*\}")
_OF_LETTERS = {
    "GR": TagKind.GENERAL_RESTRICTION,
    "R": TagKind.RESTRICTION,
    "C": TagKind.CONSTRAINT,
    "E": TagKind.ERROR,
    "T": TagKind.FUNCTION,
    "t": TagKind.FUNCTION,
}
"""The letters that tags of the old style begin with."""
_OF_WORDS = {
    "FUN": TagKind.FUNCTION,
    "CON": TagKind.CONSTRAINT,
    "RES": TagKind.RESTRICTION,
    "ERR": TagKind.ERROR,
}
"""The beginnings of the words in tags of the new style: pages write CONSTR, CONSTRAINT and CONSTRAINTS alike."""
STATING = (
    SectionKind.RESTRICTIONS,
    SectionKind.ERRORS,
    SectionKind.ATTRIBUTES,
    SectionKind.INPUTS,
    SectionKind.OUTPUTS,
)
"""The sections whose paragraphs may begin with a tag and state something under it."""


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag where it is defined. `written` is what stands there, with brackets; `anchors` are those that stand with it.
    `closed` is false where a mark opens its statement and none ends it; `further` says that more stands below it than
    its details."""

    name: str
    kind: TagKind
    style: TagStyle
    written: str
    span: Span
    statement: Cell
    origin: Cell | None = None
    anchors: tuple[Inline, ...] = ()
    details: dict[str, Cell] = field(default_factory=dict, compare=False)
    closed: bool = True
    further: bool = False

    @property
    def cells(self) -> list[Cell]:
        """All that is said under it."""
        made = [self.statement]
        if self.origin is not None:
            made.append(self.origin)
        return [*made, *self.details.values()]

    @property
    def number(self) -> str:
        """The number or letter, as it is written."""
        if self.style is TagStyle.NEW:
            return self.name.rpartition("_")[2]
        # R1, T2.1, RA: one letter stands before the number, but for GR1.
        return self.name.removeprefix("G")[1:]


def kind_of(name: str) -> TagKind | None:
    """The kind of a tag of that name; None if it is no name of a tag."""
    found = _NAME.fullmatch(name)
    return None if found is None else _kind(found)


def _kind(found: re.Match[str]) -> TagKind:
    """The kind of the tag that a match of _NAME or LABEL names."""
    if found["what"]:
        return _OF_WORDS[found["what"][:3].upper()]
    return _OF_LETTERS[found["letter"]]


def tags_of(blocks: Sequence[Block], section: SectionKind = SectionKind.OTHER) -> list[Tag]:
    """The tags that are defined in some blocks, in their order: in rows of tables, as items of lists, at the end of
    restrictions, in formulas, and between a mark with the tag and one that says END. `section` is the kind of the
    section that the blocks stand in."""
    made: list[Tag] = []
    for n, block in enumerate(blocks):
        tag: Tag | None = None
        match block.kind:
            case BlockKind.TABLE:
                made += _of_table(block, section)
            case BlockKind.ITEM | BlockKind.PARAGRAPH:
                tag = _of_item(blocks, n, section) or _after_item(block, section) or _of_marks(blocks, n)
            case BlockKind.HTML:
                # An HTML block that holds nothing but the mark is no paragraph for the parser.
                tag = _of_marks(blocks, n)
        if tag is not None:
            made.append(tag)
        made += _in_formulas(block)
    return made


# ------------------------------------------------------------------------------------------------- tables and lists


def _of_table(table: Block, section: SectionKind) -> Iterator[Tag]:
    heads = [cell.plain.lower() for cell in table.header]
    first = next(iter(heads), "")
    # A table of restrictions may stand under any heading: its own head says more than that of the section.
    if first.startswith("restriction"):
        section = SectionKind.RESTRICTIONS
    elif first.startswith("error"):
        section = SectionKind.ERRORS
    columns = _columns(heads)
    for row in table.rows[1:]:
        tag = _of_row(row, section, columns)
        if tag is not None:
            yield tag


def _columns(heads: Sequence[str]) -> tuple[int, int]:
    """The columns of the statement and of its origin: by their heads, else the second and the third."""
    others = heads[1:]
    statement = heads.index("statement", 1) if "statement" in others else 1
    if "origin" in others:
        return statement, heads.index("origin", 1)
    if statement == 1:
        return statement, 2
    # Beside a statement in another column, the third may be anything: this column is none that a row has.
    return statement, max(3, len(heads))


def _of_row(row: Sequence[Cell], section: SectionKind, columns: tuple[int, int]) -> Tag | None:
    # A name that is a link leads to where the tag is defined. A row of reStructuredText may have no cells of its own,
    # where all of them span rows.
    if not row or row[0].of(InlineKind.LINK):
        return None
    label = LABEL.fullmatch(row[0].plain)
    if label is None or not _sure(label, section, row=True):
        return None
    cells = dict(enumerate(row))
    statement, origin = columns
    return _tag(label, row[0], cells.get(statement, Cell(row[0].span)), cells.get(origin))


def _sure(label: re.Match[str], section: SectionKind, *, row: bool = False) -> bool:
    """Return whether it is a tag beyond doubt: names of types and of variables look like some of the old style."""
    marked = bool(row or label["open"] or label["colon"])
    if label["number"]:
        return marked or section in STATING
    # T1 and T2 are type constraints of ONNX, on nearly every page.
    if label["letter"] in ("T", "t"):
        return label["open"] == "["
    # RA and CC may be any two letters.
    if not label["old_number"][0].isdigit():
        return section in (SectionKind.RESTRICTIONS, SectionKind.ERRORS)
    return marked


def _of_item(blocks: Sequence[Block], n: int, section: SectionKind) -> Tag | None:
    """An item, or a paragraph among what is stated, that begins with a tag: its title, and what is said of it in items
    below."""
    block = blocks[n]
    label = LABEL.match(block.cell.plain)
    if label is None or not _sure(label, section) or _begins_with_link(block.cell):
        return None
    is_paragraph = block.kind is BlockKind.PARAGRAPH
    if is_paragraph and (section not in STATING or not label["open"]):
        return None
    details: dict[str, Cell] = {}
    # The end of a paragraph's statement is not marked: what follows may belong to it.
    further = is_paragraph
    for below in blocks[n + 1 :]:
        if not below.is_prose or below.level <= block.level:
            further |= _goes_on(block, below)
            break
        named = DETAIL.match(below.cell.plain)
        if named is None:
            further = True
        else:
            details[named[1].lower()] = _without(below.cell, named.end())
    statement = details.get("statement", _without(block.cell, label.end()))
    made = _tag(label, block.cell, statement, details.get("origin"), _anchors_above(blocks, n))
    return replace(made, details=details, further=further)


def _goes_on(block: Block, below: Block) -> bool:
    """Return whether a block that is no deeper than an item still belongs to it: a paragraph, a formula, a table."""
    if below.kind is BlockKind.PARAGRAPH:
        return below.level == block.level > 0
    return below.kind not in (BlockKind.ITEM, BlockKind.HEADING)


def _begins_with_link(cell: Cell) -> bool:
    for inline in cell.inlines:
        if inline.is_seen and inline.text.strip():
            return inline.kind is InlineKind.LINK
    return False


def _after_item(block: Block, section: SectionKind) -> Tag | None:
    """A restriction that ends with its tag: `The rank is at least 1 [R2].`"""
    if section is not SectionKind.RESTRICTIONS or block.kind is not BlockKind.ITEM:
        return None
    inlines = block.cell.inlines
    worded = (n for n, inline in enumerate(inlines) if inline.is_words and inline.text.strip(" ."))
    place = max(worded, default=None)
    if place is None:
        return None
    last = inlines[place]
    label = _AFTER.search(last.text)
    # The first tag that is found has to be the end: `[R1] and [R2]` names two, and defines none.
    if label is None or label.end() < len(last.text):
        return None
    pieces = inlines[:place]
    before = last.text[: label.start()]
    if before.strip():
        pieces = (*pieces, replace(last, text=before))
    written = label[0].strip(" .;")
    statement = Cell(block.span, pieces)
    return Tag(label["name"], TagKind.RESTRICTION, TagStyle.OLD, written, _inside(last, label), statement)


# ----------------------------------------------------------------------------------------------- formulas and marks


def _in_formulas(block: Block) -> Iterator[Tag]:
    """Formulas with tags in them, as `\\texttt{[T2]}`."""
    pieces = block.cell.of(InlineKind.MATH)
    # Some pages set formulas as code.
    if block.kind is BlockKind.CODE:
        pieces = [Inline(InlineKind.MATH, block.raw, block.span)]
    for piece in pieces:
        for found in _IN_FORMULA.finditer(piece.text):
            name, statement = found["name"], Cell(piece.span, (piece,))
            yield Tag(name, TagKind.FUNCTION, TagStyle.OLD, f"[{name}]", _inside(piece, found), statement)


def _inside(piece: Inline, found: re.Match[str]) -> Span:
    """The place of a match in a piece."""
    start = piece.span
    if lines := found.string.count("\n", 0, found.start()):
        start = Span(start.source, start.line + lines, 1)
    # The text of a formula or of code may begin on the line after its fence: two lines are looked at.
    place = after(start, found[0].strip(), 2)
    return piece.span if place is start else place


def _opening(block: Block) -> tuple[re.Match[str], int] | None:
    """The tag that a mark of a paragraph says, and the number of the piece that it is."""
    inlines = block.cell.inlines
    for n, inline in enumerate(inlines):
        if not inline.is_words or (n and inlines[n - 1].kind is not InlineKind.MARK):
            continue
        label = LABEL.fullmatch(inline.text)
        if label is None or label["open"] != "[":
            continue
        # `<b>[R1]</b>` opens a statement. Without a mark before it, `[R1]` is a reference, but [t1] is none.
        if n or label["letter"] == "t":
            return label, n
    return None


def _of_marks(blocks: Sequence[Block], n: int) -> Tag | None:
    """The statement between a mark with a tag and the next one, or that with END. In the old style, its block."""
    opened = _opening(blocks[n])
    if opened is None:
        return None
    label, place = opened
    letter = label["letter"]
    end = _END
    if letter == "t":
        end = re.compile(rf"\s*\[/{re.escape(label['name'])}\]\s*")
    first = blocks[n].cell
    pieces: list[Inline] = []
    closed = False
    for block, inlines in _bodies(blocks[n:], place, letter):
        stop = next((k for k, inline in enumerate(inlines) if inline.is_words and end.fullmatch(inline.text)), None)
        pieces += inlines[:stop]
        closed = stop is not None
        if closed:
            break
        pieces.append(Inline(InlineKind.BREAK, " ", block.span))
    made = _tag(label, first, Cell(first.span, tuple(pieces)), None, _anchors_above(blocks, n))
    # Old pages have no END: there the end of the block is that of the statement.
    return replace(made, closed=closed or made.style is TagStyle.OLD)


def _bodies(blocks: Sequence[Block], place: int, letter: str | None) -> Iterator[tuple[Block, tuple[Inline, ...]]]:
    """The blocks that a statement may go on over, each with its pieces, of the first those behind its mark. In the new
    style, which has no letter, they end at the next mark; those of [t1] may hold others."""
    first, *others = blocks
    yield first, first.cell.inlines[place + 1 :]
    if letter not in (None, "t"):
        return
    for block in others:
        if block.kind is BlockKind.HEADING or (letter is None and _opening(block)):
            return
        yield block, tuple(block.inlines)


# ------------------------------------------------------------------------------------------------------------ parts


def _tag(label: re.Match[str], cell: Cell, statement: Cell, origin: Cell | None, above: tuple[Inline, ...] = ()) -> Tag:
    """The tag that stands in a cell; `above` are anchors that stand before it and belong to it."""
    name = label["name"]
    style = TagStyle.NEW if label["number"] else TagStyle.OLD
    span = next((inline.span for inline in cell.inlines if inline.is_seen and name in inline.text), cell.span)
    own = cell.of(InlineKind.ANCHOR)
    if cell.of(InlineKind.BREAK):
        # Those on the last line of several are of what comes next.
        own = own[: len(own) - len(_own_line(cell.inlines))]
    return Tag(name, _kind(label), style, label["written"], span, statement, origin, (*above, *own))


def _anchors_above(blocks: Sequence[Block], n: int) -> tuple[Inline, ...]:
    if n == 0:
        return ()
    return _own_line(blocks[n - 1].cell.inlines)


def _own_line(inlines: Sequence[Inline]) -> tuple[Inline, ...]:
    """The anchors on the last line of a block, if nothing else stands on it: they are of what comes next."""
    made: list[Inline] = []
    for inline in reversed(inlines):
        if inline.kind is InlineKind.BREAK:
            break
        if inline.kind is InlineKind.ANCHOR:
            made.insert(0, inline)
        elif inline.is_seen and inline.text.strip():
            return ()
    return tuple(made)


def _without(cell: Cell, count: int) -> Cell:
    """A cell without the first characters that a reader sees, and without the anchors before what is left: those are
    of its tag."""
    left = count
    made: list[Inline] = []
    for inline in cell.inlines:
        length = len(inline.text) if inline.is_seen else 0
        if inline.kind is InlineKind.ANCHOR or 0 < left >= length:
            left -= length
            continue
        made.append(replace(inline, text=inline.text[left:]))
        left = 0
    return Cell(next((inline.span for inline in made), cell.span), tuple(made))
