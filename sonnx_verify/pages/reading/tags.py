"""Tags of a page: what is stated under which name, in both styles that pages have, with what real pages deviate by."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from sonnx_verify.errors import Span
from sonnx_verify.pages.reading.blocks import Block, Cell, Inline
from sonnx_verify.pages.reading.kinds import BlockKind, InlineKind, SectionKind

OLD = re.compile(r"(?P<letter>GR|R|C|E|T|t)(?P<old_number>\d+(?:\.\d+)*|[A-Z])(?!\w)")
NEW = re.compile(
    r"E_(?P<operator>[A-Za-z]\w*?)(?:_(?P<family>[A-Za-z]+\d*))?"
    r"_(?P<what>(?:FUNC|CONSTR|RESTR|ERR)\w*?)_(?P<number>\d+)(?!\w)",
    re.IGNORECASE,
)
_OPEN, _CLOSE = r"(?P<open>[\[(])", r"[\])]"
LABEL = re.compile(
    rf"\s*(?P<written>{_OPEN}?\s*(?P<name>(?-i:{OLD.pattern})|(?i:{NEW.pattern}))\s*{_CLOSE}?)\s*(?P<colon>:)?\.?\s*"
)
DETAIL = re.compile(r"\s*(Statement|Rationale|Origin)\s*:\s*", re.IGNORECASE)
_END = re.compile(r"\s*\[?END\]?\s*", re.IGNORECASE)
_AFTER = re.compile(rf"\s*{_OPEN}(?P<name>R\d+)\]\s*[.;]?\s*")
_IN_FORMULA = re.compile(r"\\(?:text|texttt|textbf|mathtt|tag)\{\s*\[(?P<name>T\d+)\]\s*\}")
KINDS = {
    "GR": "general restriction", "R": "restriction", "C": "constraint", "E": "error", "T": "function", "t": "function",
}  # fmt: skip  # a table
_WHAT = {"FUNC": "function", "CONS": "constraint", "REST": "restriction", "ERR": "error"}
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
    """A tag where it is defined: `kind` of KINDS, or `function` for what says how a value comes about; `written` is
    what stands there, with brackets; `anchors` are those that stand with it. `closed` is false where a mark opens its
    statement and none ends it."""

    name: str
    kind: str
    style: str
    written: str
    span: Span
    statement: Cell
    origin: Cell | None = None
    anchors: tuple[Inline, ...] = ()
    details: dict[str, Cell] = field(default_factory=dict, compare=False)
    closed: bool = True
    further: bool = False
    """Whether more stands below it than its details."""

    @property
    def cells(self) -> list[Cell]:
        """All that is said under it."""
        return [self.statement, *([self.origin] if self.origin is not None else []), *self.details.values()]

    @property
    def number(self) -> str:
        """The number or letter, as it is written."""
        made = NEW.fullmatch(self.name) or OLD.fullmatch(self.name)
        assert made is not None
        return made["number"] if self.style == "new" else made["old_number"]


def kind_of(name: str) -> str:
    """The kind of a tag of that name: one of KINDS, or `function` for how a value comes about; empty for no tag."""
    if new := NEW.fullmatch(name):
        return next(kind for start, kind in _WHAT.items() if new["what"].upper().startswith(start))
    old = OLD.fullmatch(name)
    return KINDS[old["letter"]] if old else ""


def tags_of(blocks: Sequence[Block], kind: SectionKind = SectionKind.OTHER) -> list[Tag]:
    """The tags that are defined in some blocks, in their order: in rows of tables, as items of lists, at the end of
    restrictions, in formulas, and between a mark with the tag and one that says END. `kind` is what the section is
    about that they stand in."""
    made: list[Tag] = []
    for n, block in enumerate(blocks):
        if block.kind is BlockKind.TABLE:
            named = _headed(block, kind)
            columns = _columns(block)
            made += [tag for row in block.rows[1:] if (tag := _of_row(row, named, columns)) is not None]
            continue
        if block.kind in (BlockKind.ITEM, BlockKind.PARAGRAPH, BlockKind.HTML):
            tag = None
            if block.kind is not BlockKind.HTML:
                tag = _of_item(blocks, n, kind) or _after_item(block, kind)
            if tag is None and (opened := _opening(block)) is not None:
                tag = _of_marks(blocks, n, *opened)
            if tag is not None:
                made.append(tag)
        made += _in_formulas(block)
    return made


def _headed(table: Block, kind: SectionKind) -> SectionKind:
    """The section that the head of a table's first column speaks of, else the one that it stands in."""
    head = table.rows[0][0].plain.lower() if table.rows and table.rows[0] else ""
    if head.startswith("restriction"):
        return SectionKind.RESTRICTIONS
    return SectionKind.ERRORS if head.startswith("error") else kind


def _columns(table: Block) -> tuple[int, int]:
    """The columns of the statement and of its origin: by their heads, else the second and the third."""
    heads = [cell.plain.strip().lower() for cell in (table.rows[0] if table.rows else ())]
    statement = heads.index("statement", 1) if "statement" in heads[1:] else 1
    if "origin" in heads[1:]:
        return statement, heads.index("origin", 1)
    # Beside a statement in another column, the third may be anything.
    return statement, 2 if statement == 1 else max(3, len(heads))


def _of_row(row: Sequence[Cell], kind: SectionKind, columns: tuple[int, int]) -> Tag | None:
    label = LABEL.fullmatch(row[0].plain) if row and not row[0].of(InlineKind.LINK) else None
    if label is None or not _sure(label, kind, row=True):
        return None
    statement, origin = (row[n] if n < len(row) else None for n in columns)
    return _tag(label, row[0], statement or Cell(row[0].span), origin)


def _sure(label: re.Match[str], kind: SectionKind, *, row: bool = False) -> bool:
    """Whether it is a tag beyond doubt: names of types and of variables look like some of the old style."""
    if label["number"]:
        return bool(row or label["open"] or label["colon"] or kind in STATING)
    if label["letter"] in ("T", "t"):
        return label["open"] == "["
    if not label["old_number"][0].isdigit():
        return kind in (SectionKind.RESTRICTIONS, SectionKind.ERRORS)
    return row or bool(label["open"] or label["colon"])


def _of_item(blocks: Sequence[Block], n: int, kind: SectionKind) -> Tag | None:
    """An item, or a paragraph among what is stated, that begins with a tag: its title, and what is said of it in items
    below."""
    block = blocks[n]
    label = LABEL.match(block.cell.plain)
    if label is None or not _sure(label, kind) or _first(block.cell).kind is InlineKind.LINK:
        return None
    if block.kind is BlockKind.PARAGRAPH and (kind not in STATING or not label["open"]):
        return None
    details: dict[str, Cell] = {}
    further = block.kind is BlockKind.PARAGRAPH  # where a paragraph's statement ends is not said
    for below in blocks[n + 1 :]:
        if below.kind not in (BlockKind.ITEM, BlockKind.PARAGRAPH) or below.level <= block.level:
            inside = below.kind is BlockKind.PARAGRAPH and below.level == block.level > 0
            further = further or inside or below.kind not in (BlockKind.ITEM, BlockKind.PARAGRAPH, BlockKind.HEADING)
            break
        named = DETAIL.match(below.cell.plain)
        if named:
            details[named[1].lower()] = _without(below.cell, named.end())
        further = further or not named
    title = _without(block.cell, label.end())
    anchors = _own_line(blocks[n - 1].cell.inlines) if n else ()
    made = _tag(label, block.cell, details.get("statement", title), details.get("origin"), details, anchors)
    return replace(made, further=further)


def _first(cell: Cell) -> Inline:
    """The first piece that a reader sees."""
    seen = (inline for inline in cell.inlines if inline.is_seen and inline.text.strip())
    return next(seen, Inline(InlineKind.TEXT, "", cell.span))


def _own_line(inlines: Sequence[Inline]) -> tuple[Inline, ...]:
    """The anchors on the last line of a block, where nothing else stands on it: they are of what comes next."""
    made: list[Inline] = []
    for inline in reversed(inlines):
        if inline.kind is InlineKind.BREAK:
            break
        if inline.kind is InlineKind.ANCHOR:
            made.insert(0, inline)
        elif inline.kind is not InlineKind.MARK and inline.text.strip():
            return ()
    return tuple(made)


def _after_item(block: Block, kind: SectionKind) -> Tag | None:
    """A restriction that ends with its tag."""
    if kind is not SectionKind.RESTRICTIONS or block.kind is not BlockKind.ITEM:
        return None
    last = next((i for i in reversed(block.cell.inlines) if i.is_words and i.text.strip(" .")), None)
    if last is None:
        return None
    label = _AFTER.search(last.text)
    if label is None or label.end() < len(last.text):
        return None
    pieces = list(block.cell.inlines)
    before = last.text[: label.start()]
    pieces[pieces.index(last) :] = [replace(last, text=before)] if before.strip() else []
    written = label[0].strip(" .;")
    statement = Cell(block.span, tuple(pieces))
    return Tag(label["name"], "restriction", "old", written, _inside(last, label), statement)


def _in_formulas(block: Block) -> Iterator[Tag]:
    """Formulas with tags in them, as `\\texttt{[T2]}`."""
    pieces = block.cell.of(InlineKind.MATH)
    if block.kind is BlockKind.CODE:
        pieces = [Inline(InlineKind.MATH, block.raw, block.span)]
    for piece in pieces:
        for found in _IN_FORMULA.finditer(piece.text):
            statement = Cell(piece.span, (replace(piece, kind=InlineKind.MATH),))
            yield Tag(found["name"], "function", "old", f"[{found['name']}]", _inside(piece, found), statement)


def _inside(piece: Inline, found: re.Match[str]) -> Span:
    """The place of a match in a piece."""
    source = piece.span.source
    text = found[0].strip()
    number = piece.span.line + found.string.count("\n", 0, found.start())
    for line in (number, number + 1):
        column = source.line(line).find(text, piece.span.column - 1 if line == piece.span.line else 0)
        if column >= 0:
            return Span(source, line, column + 1, len(text))
    return piece.span


def _opening(block: Block) -> tuple[re.Match[str], int] | None:
    """The tag that a mark of a paragraph says, and after which piece."""
    inlines = block.cell.inlines
    for n, inline in enumerate(inlines):
        begins = n == 0 or inlines[n - 1].kind is InlineKind.MARK
        if begins and inline.is_words and "[" in inline.text:
            label = LABEL.fullmatch(inline.text)
            if label is not None and label["open"] == "[" and (n or label["letter"] == "t"):
                return label, n
    return None


def _of_marks(blocks: Sequence[Block], n: int, label: re.Match[str], after: int) -> Tag:
    """The statement between a mark with a tag and the next one, or that with END. In the old style, its block."""
    first = blocks[n].cell
    pieces: list[Inline] = []
    closed = False
    end = _END if label["letter"] != "t" else re.compile(rf"\s*\[/{re.escape(label['name'])}\]\s*")
    for block in blocks[n : n + 1] if label["letter"] in ("T", "R", "C", "E", "GR") else blocks[n:]:
        if block.kind is BlockKind.HEADING or (block is not blocks[n] and label["letter"] != "t" and _opening(block)):
            break
        inlines = first.inlines[after + 1 :] if block is blocks[n] else tuple(block.inlines)
        stop = next((k for k, i in enumerate(inlines) if i.is_words and end.fullmatch(i.text)), None)
        pieces += inlines[:stop]
        if stop is not None:
            closed = True
            break
        pieces.append(Inline(InlineKind.BREAK, " ", block.span))
    anchors = _own_line(blocks[n - 1].cell.inlines) if n else ()
    made = _tag(label, first, Cell(first.span, tuple(pieces)), None, anchors=anchors)
    return made if closed or made.style == "old" else replace(made, closed=False)


def _tag(
    label: re.Match[str],
    cell: Cell,
    statement: Cell,
    origin: Cell | None,
    details: dict[str, Cell] | None = None,
    anchors: tuple[Inline, ...] = (),
) -> Tag:
    name = label["name"]
    style = "new" if label["number"] else "old"
    written = next((i for i in cell.inlines if i.is_seen and name in i.text), None)
    span = cell.span if written is None else written.span
    own = tuple(cell.of(InlineKind.ANCHOR))
    # Those on the last line of the cell are of what comes next.
    after = _own_line(cell.inlines)
    if len(after) < len(own):
        own = own[: len(own) - len(after)]
    elif any(i.kind is InlineKind.BREAK for i in cell.inlines):
        own = ()
    return Tag(name, kind_of(name), style, label["written"], span, statement, origin, anchors + own, details or {})


def _without(cell: Cell, count: int) -> Cell:
    """A cell without so many characters of what it says at its beginning."""
    left = count
    made: list[Inline] = []
    for inline in cell.inlines:
        length = 0 if inline.kind in (InlineKind.MARK, InlineKind.ANCHOR) else len(inline.text)
        if left >= length and (left or inline.kind is InlineKind.ANCHOR):
            left -= length
            continue
        made.append(replace(inline, text=inline.text[left:]) if left else inline)
        left = 0
    return Cell(made[0].span if made else cell.span, tuple(made))
