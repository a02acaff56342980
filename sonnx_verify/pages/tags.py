"""Tags of a page: what is stated under which name, in both styles that pages have, with what real pages deviate by."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from sonnx_verify.errors import Span
from sonnx_verify.pages.blocks import Block, Cell, Inline

OLD = re.compile(r"(?P<letter>GR|R|C|E)(?P<old_number>\d+|[A-Z])(?!\w)")
NEW = re.compile(
    r"E_(?P<operator>[A-Za-z]\w*?)_(?P<family>REAL|FLOAT|INT|UINT)_(?P<what>FUNC\w*?|CONSTR\w*?)_(?P<number>\d+)(?!\w)",
    re.IGNORECASE,
)
_LABEL = re.compile(rf"\s*(?P<written>\[?\s*(?P<name>{NEW.pattern}|{OLD.pattern})\s*\]?)\s*[:.]?\s*", re.IGNORECASE)
_DETAIL = re.compile(r"\s*(Statement|Rationale|Origin)\s*:\s*", re.IGNORECASE)
_END = re.compile(r"\s*\[?END\]?\s*", re.IGNORECASE)
KINDS = {"GR": "general restriction", "R": "restriction", "C": "constraint", "E": "error"}


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag where it is defined: `kind` of KINDS, or `function` for what says how a value comes about; `written` is
    what stands there, with brackets; `anchors` are those that stand with it."""

    name: str
    kind: str
    style: str
    written: str
    span: Span
    statement: Cell
    origin: Cell | None = None
    anchors: tuple[Inline, ...] = ()
    details: dict[str, Cell] = field(default_factory=dict, compare=False)

    @property
    def number(self) -> str:
        """The number or letter, as it is written."""
        made = NEW.fullmatch(self.name) or OLD.fullmatch(self.name)
        assert made is not None
        return made["number"] if self.style == "new" else made["old_number"]


def kind_of(name: str) -> str:
    """What a tag of that name is about: one of KINDS, or `function` for how a value comes about; empty for no tag."""
    if new := NEW.fullmatch(name):
        return "function" if new["what"].upper().startswith("FUNC") else "constraint"
    old = OLD.fullmatch(name)
    return KINDS[old["letter"]] if old else ""


def tags_of(blocks: Sequence[Block]) -> list[Tag]:
    """The tags that are defined in some blocks, in their order: in rows of tables, as items of lists, and between a
    mark with the tag and one that says END."""
    made: list[Tag] = []
    for n, block in enumerate(blocks):
        if block.kind == "table":
            made += [tag for row in block.rows[1:] if (tag := _of_row(row)) is not None]
        elif block.kind == "item":
            tag = _of_item(blocks, n)
            made += [] if tag is None else [tag]
        elif (opened := _opening(block)) is not None:
            made.append(_of_marks(blocks, n, *opened))
    return made


def _of_row(row: Sequence[Cell]) -> Tag | None:
    if not row:
        return None
    label = _LABEL.fullmatch(row[0].plain)
    if label is None:
        return None
    blank = Cell(row[0].span)
    statement = row[1] if len(row) > 1 else blank
    return _tag(label, row[0], statement, row[2] if len(row) > 2 else None)


def _of_item(blocks: Sequence[Block], n: int) -> Tag | None:
    """An item that begins with a tag: its title, and what is said of it in items below."""
    block = blocks[n]
    label = _LABEL.match(block.cell.plain)
    if label is None or "[" not in label["written"] and not block.cell.plain[label.end("written") :].startswith(":"):
        return None
    details: dict[str, Cell] = {}
    for below in blocks[n + 1 :]:
        if below.kind not in ("item", "paragraph") or below.level <= block.level:
            break
        if named := _DETAIL.match(below.cell.plain):
            details[named[1].lower()] = _without(below.cell, named.end())
    title = _without(block.cell, label.end())
    return _tag(label, block.cell, details.get("statement", title), details.get("origin"), details)


def _opening(block: Block) -> tuple[re.Match[str], int] | None:
    """The tag that a mark of a paragraph says, and after which piece."""
    inlines = block.cell.inlines
    for n, inline in enumerate(inlines):
        if inline.kind == "text" and n and inlines[n - 1].kind == "mark":
            label = _LABEL.fullmatch(inline.text)
            if label is not None and "[" in label["written"]:
                return label, n
    return None


def _of_marks(blocks: Sequence[Block], n: int, label: re.Match[str], after: int) -> Tag:
    """What stands between a mark with a tag and the next one, or the one that says END."""
    first = blocks[n].cell
    pieces: list[Inline] = []
    for block in blocks[n:]:
        if block.kind == "heading" or (block is not blocks[n] and _opening(block) is not None):
            break
        inlines = first.inlines[after + 1 :] if block is blocks[n] else tuple(block.inlines)
        end = next((k for k, i in enumerate(inlines) if i.kind == "text" and _END.fullmatch(i.text)), None)
        pieces += inlines[:end]
        if end is not None:
            break
        pieces.append(Inline("break", " ", block.span))
    return _tag(label, first, Cell(first.span, tuple(pieces)), None)


def _tag(
    label: re.Match[str], cell: Cell, statement: Cell, origin: Cell | None, details: dict[str, Cell] | None = None
) -> Tag:
    name = label["name"]
    style = "new" if NEW.fullmatch(name) else "old"
    anchors = tuple(cell.of("anchor"))
    written = next((i for i in cell.inlines if name in i.text), None)
    span = cell.span if written is None else written.span
    return Tag(name, kind_of(name.upper()), style, label["written"], span, statement, origin, anchors, details or {})


def _without(cell: Cell, count: int) -> Cell:
    """A cell without so many characters of what it says at its beginning."""
    left = count
    made: list[Inline] = []
    for inline in cell.inlines:
        length = 0 if inline.kind in ("mark", "anchor") else len(inline.text)
        if left >= length:
            left -= length
            continue
        made.append(replace(inline, text=inline.text[left:]) if left else inline)
        left = 0
    return Cell(made[0].span if made else cell.span, tuple(made))
