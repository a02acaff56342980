"""Whether something stands on a page where what it says is all that is said: what is in doubt is not read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sonnx_verify.pages.reading.blocks import Block, Cell
from sonnx_verify.pages.reading.kinds import BlockKind, InlineKind, SectionKind
from sonnx_verify.pages.reading.page import NAMES, ORDER, Page, Section
from sonnx_verify.pages.reading.sentences import family_of
from sonnx_verify.pages.reading.tags import DETAIL, LABEL, Tag

PARTS = frozenset({"shape of the result", "elements of the result", "axes that are reduced"})
"""The headings below Function under which something may be defined."""
SCOPED = re.compile(
    r"\b(?:if|when|where|unless|otherwise|except|case|only|not|without|older?|earlier|former|draft|withdrawn|wrong)\b"
    r"|\[\^",
    re.IGNORECASE,
)
"""Words that tell of a condition, or that what stands below does not hold at all; and footnotes."""
_FAMILY = re.compile(r"\w+ \(\w+(?:, ?\w+)*\)")
_OF_NAME = re.compile(r"[\w\\{}$,.\s]+: [\w$\\, ]+")
_TAG_COLUMN = re.compile(r"tags?|(?:restriction|constraint|error|error condition)s?", re.IGNORECASE)
_COLUMNS = frozenset({"statement", "origin", "rationale"})
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_HARMLESS = re.compile(
    r"</?(?:b|i|em|strong|sub|sup|code)>|<br\s*/?>|</a>|<a\s+(?:id|name)\s*=\s*[\"']?[\w.-]+[\"']?\s*/?>", re.IGNORECASE
)
_INDENTED = re.compile(r"\s|[-+*] |\d+[.)] |>")


def why_family_unread(page: Page, family: str) -> str:
    """Why nothing of a family is read, empty where it may be."""
    headings = [section for section in page.families if family_of(section) == family]
    if len(headings) > 1:
        return f"the page has {len(headings)} headings of the family {family}"
    if any(_FAMILY.fullmatch(section.title.strip()) is None for section in headings):
        return f"the heading of the family {family} says more than its types"
    return page.once(_why_page_unread)


def _why_page_unread(page: Page) -> str:
    for section in page.sections:
        if _INDENTED.match(page.source.line(section.heading.span.line)):
            return f"the heading on line {section.heading.span.line} stands in an item or a quotation"
    for block in page.text.blocks:
        if (mark := next(_changing(block), None)) is not None:
            return f"{mark} on line {block.span.line} may change what is said"
    return ""


def _changing(block: Block) -> Iterator[str]:
    """Pieces of HTML that hide, strike out or group what is around them."""
    if block.kind is BlockKind.HTML:
        pieces = re.findall(r"<[^>]*>?", _COMMENT.sub("", block.raw))
        yield from (piece for piece in pieces if not _HARMLESS.fullmatch(piece))
    for cell in block.cells if block.kind is not BlockKind.HTML else ():
        marks = [_COMMENT.sub("", mark.text) for mark in cell.of(InlineKind.MARK)]
        # What is struck through within a cell is seen by whoever reads the cell.
        closed = marks.count("<s>") == marks.count("</s>")
        for mark in marks:
            if mark and not _HARMLESS.fullmatch(mark) and not (closed and mark in ("<s>", "</s>")):
                yield mark


def is_known(page: Page, section: Section) -> bool:
    """Whether the headings above a place are those of sections that pages of the profile have, up to its family."""
    level = None
    before = page.sections[: page.sections.index(section) + 1]
    for one in reversed(before):
        if one.kind is SectionKind.FAMILY:
            return one is section.family
        if level is None or one.heading.level < level:
            level = one.heading.level
            if not _is_known(one):
                return False
    return section.family is None


def _is_known(section: Section) -> bool:
    title = section.title.strip().strip(":.*_ ").lower()
    if section.within is SectionKind.FUNCTION and title in PARTS:
        return True
    listing = section.within in (SectionKind.ATTRIBUTES, SectionKind.INPUTS, SectionKind.OUTPUTS)
    if listing and section.kind is SectionKind.OTHER:
        return _OF_NAME.fullmatch(section.title.strip()) is not None and not SCOPED.search(title)
    return title in ("constraints", "constraint") or NAMES.get(title) in ORDER


def why_tag_unread(page: Page, family: str, sections: Sequence[Section], tag: Tag) -> str:
    """Why what stands under a tag of a family is not read, empty where it may be."""
    if why := why_family_unread(page, family):
        return why
    if sum(t.name == tag.name for section in sections for t in section.tags) > 1:
        return f"{tag.name} stands more than once in its family"
    if tag.further:
        return "what it states goes on below"
    section = next((s for s in sections if any(t is tag for t in s.tags)), None)
    if section is None or not is_known(page, section):
        return "it stands under a heading that is not known"
    place = next((n for n, b in enumerate(section.blocks) if any(i.span == tag.span for i in b.inlines)), None)
    if place is None:
        return "where it stands is not known"
    block, before = section.blocks[place], _before(section.blocks, place)
    if block.quoted:
        return "it stands in a quotation"
    if before is not None and before.kind is BlockKind.PARAGRAPH and before.cell.text.endswith(":"):
        return "what stands above it may limit it"
    if block.kind is BlockKind.TABLE:
        return _why_row_unread(block)
    return _why_item_unread(section.blocks, place, tag) if block.kind is BlockKind.ITEM else "it is no item and no row"


def seen(blocks: Sequence[Block]) -> list[Block]:
    """The blocks that a reader sees: not anchors, not comments."""
    return [b for b in blocks if b.kind is not BlockKind.HTML and (b.rows or b.raw or b.cell.text)]


def _before(blocks: Sequence[Block], place: int) -> Block | None:
    """The block that a reader sees above a list, or above a block that is in none."""
    above = seen(blocks[:place])
    while above and blocks[place].kind is BlockKind.ITEM and above[-1].kind is BlockKind.ITEM:
        above.pop()
    return above[-1] if above else None


def _why_row_unread(table: Block) -> str:
    if table.level:
        return "it stands in an item"
    first, *others = [cell.plain.strip().lower() for cell in table.rows[0]]
    if not _TAG_COLUMN.fullmatch(first) or others.count("statement") != 1:
        return "its table has no column of tags, or none of statements"
    if not _COLUMNS.issuperset(others) or len(set(others)) < len(others):
        return "its table has a column that is not known"
    if not all(_is_label(row[0]) for row in table.rows[1:]):
        return "its table has a row without a tag"
    return ""


def _is_label(cell: Cell) -> bool:
    return LABEL.fullmatch(cell.plain) is not None


def _why_item_unread(blocks: Sequence[Block], place: int, tag: Tag) -> str:
    block = blocks[place]
    label = LABEL.match(block.cell.plain)
    if block.level != 1 or label is None or label["name"] != tag.name:
        return "it stands below another item"
    for other in reversed(blocks[:place]):
        if other.kind is not BlockKind.ITEM and not other.level:
            break
        if other.level == 1 and not LABEL.match(other.cell.plain):
            return "its list has an item without a tag"
    details: list[str] = []
    for below in blocks[place + 1 :]:
        if below.level <= block.level or below.kind not in (BlockKind.ITEM, BlockKind.PARAGRAPH):
            break
        named = DETAIL.match(below.cell.plain)
        if named is None or below.kind is not BlockKind.ITEM or below.level != block.level + 1:
            return "what stands below it is no detail of it"
        details.append(named[1].lower())
    if len(set(details)) < len(details):
        return "it has a detail twice"
    if "statement" in details and SCOPED.search(block.cell.plain[label.end() :]):
        return "its title may limit it"
    return ""
