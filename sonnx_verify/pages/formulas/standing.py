"""The places of a page where something says all that is said: what is in doubt is not read.

A statement may be limited from anywhere: by a heading above it, a paragraph that ends with a colon, a column of its
table, an item below it, a piece of HTML that hides or strikes out. Each function here gives a reason not to read, in
words; empty where there is none. tests/formulas/test_not_the_same.py has the page for each reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sonnx_verify.pages.reading.blocks import Block, Cell
from sonnx_verify.pages.reading.families import family_of
from sonnx_verify.pages.reading.kinds import BlockKind, InlineKind, SectionKind
from sonnx_verify.pages.reading.page import NAMES, ORDER, Page, Section, tags_in
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
    """The reason why nothing of a family is read, empty where it may be."""
    headings = [section for section in page.families if family_of(section) == family]
    # Which of the two a tag belongs to, a link to it does not say.
    if len(headings) > 1:
        return f"the page has {len(headings)} headings of the family {family}"
    # "Max (int, int), where c is 1" limits all that stands below.
    if any(_FAMILY.fullmatch(section.title.strip()) is None for section in headings):
        return f"the heading of the family {family} says more than its types"
    return page.once(_why_page_unread)


def _why_page_unread(page: Page) -> str:
    for section in page.sections:
        # A heading in an item ends with the item, and its section does not.
        if _INDENTED.match(page.source.line(section.heading.span.line)):
            return f"the heading on line {section.heading.span.line} is in an item or a quotation"
    for block in page.text.blocks:
        for mark in _changing(block):
            return f"{mark} on line {block.span.line} may change the meaning"
    return ""


def _changing(block: Block) -> Iterator[str]:
    """Pieces of HTML that hide, strike out or group what is around them."""
    if block.kind is BlockKind.HTML:
        pieces = re.findall(r"<[^>]*>?", _COMMENT.sub("", block.raw))
        yield from (piece for piece in pieces if not _HARMLESS.fullmatch(piece))
        return
    for cell in block.cells:
        marks = [_COMMENT.sub("", mark.text) for mark in cell.of(InlineKind.MARK)]
        harmless = {""}
        # What is struck through within a cell is seen by whoever reads the cell.
        if marks.count("<s>") == marks.count("</s>"):
            harmless = {"", "<s>", "</s>"}
        yield from (mark for mark in marks if mark not in harmless and not _HARMLESS.fullmatch(mark))


def is_known(page: Page, section: Section) -> bool:
    """Return whether all headings above a place, up to its family, are of sections that pages of the profile have."""
    lowest: int | None = None
    before = page.sections[: page.sections.index(section) + 1]
    for one in reversed(before):
        if one.kind is SectionKind.FAMILY:
            return one is section.family
        # Only what is higher than all below it is around the place; others are its neighbours.
        if lowest is not None and one.heading.level >= lowest:
            continue
        lowest = one.heading.level
        if not _is_known(one):
            return False
    return section.family is None


def _is_known(section: Section) -> bool:
    title = section.title.strip().strip(":.*_ ").lower()
    if section.within is SectionKind.FUNCTION and title in PARTS:
        return True
    listing = section.within in (SectionKind.ATTRIBUTES, SectionKind.INPUTS, SectionKind.OUTPUTS)
    if listing and section.kind is SectionKind.OTHER:
        # `$axes$: tensor of int64` is the heading of an input; "$axes$: if given" limits what stands below.
        return _OF_NAME.fullmatch(section.title.strip()) is not None and not SCOPED.search(title)
    return title in ("constraints", "constraint") or NAMES.get(title) in ORDER


def why_tag_unread(page: Page, family: str, sections: Sequence[Section], tag: Tag) -> str:
    """The reason why what stands under a tag of a family is not read, empty where it may be."""
    if why := why_family_unread(page, family):
        return why
    # A reader may find either of them, and a link leads to one.
    if [other.name for other in tags_in(sections)].count(tag.name) > 1:
        return f"{tag.name} occurs more than once in its family"
    if tag.further:
        return "its statement continues below"
    section = next(section for section in sections if tag in section.tags)
    if not is_known(page, section):
        return "it is under an unknown heading"
    place = _place_of(section.blocks, tag)
    if place is None:
        return "its position is unknown"
    block, before = section.blocks[place], _before(section.blocks, place)
    if block.quoted:
        return "it is in a quotation"
    # "Where c is 1:" and a list of tags below.
    if before is not None and before.kind is BlockKind.PARAGRAPH and before.cell.text.endswith(":"):
        return "the text above it may limit it"
    match block.kind:
        case BlockKind.TABLE:
            return _why_row_unread(block)
        case BlockKind.ITEM:
            return _why_item_unread(section.blocks, place, tag)
        case _:
            # Where the statement of a paragraph ends, nobody says.
            return "it is neither an item nor a row"


def _place_of(blocks: Sequence[Block], tag: Tag) -> int | None:
    """The block that a tag stands in."""
    for n, block in enumerate(blocks):
        if any(inline.span == tag.span for inline in block.inlines):
            return n
    return None


def seen(blocks: Sequence[Block]) -> list[Block]:
    """The blocks that a reader sees: not anchors, not comments."""
    return [block for block in blocks if block.kind is not BlockKind.HTML and _is_seen(block)]


def _is_seen(block: Block) -> bool:
    return bool(block.rows or block.raw or block.cell.text)


def _before(blocks: Sequence[Block], place: int) -> Block | None:
    """The block that a reader sees above a list, or above a block that is in none."""
    above = seen(blocks[:place])
    if blocks[place].kind is BlockKind.ITEM:
        # Of the items of its own list the first one is as limited as the last.
        while above and above[-1].kind is BlockKind.ITEM:
            above.pop()
    return above[-1] if above else None


def _why_row_unread(table: Block) -> str:
    # The item may say when the table holds.
    if table.level:
        return "it is in an item"
    first, *others = [cell.plain.strip().lower() for cell in table.rows[0]]
    if not _TAG_COLUMN.fullmatch(first) or others.count("statement") != 1:
        return "its table has no column of tags, or none of statements"
    # "Except for" as the head of a column changes every row.
    if not _COLUMNS.issuperset(others) or len(set(others)) < len(others):
        return "its table has a column that is not known"
    # A row without a tag goes on with the statement above it, or says something of those below.
    if not all(_is_label(row[0]) for row in table.rows[1:]):
        return "its table has a row without a tag"
    return ""


def _is_label(cell: Cell) -> bool:
    return LABEL.fullmatch(cell.plain) is not None


def _why_item_unread(blocks: Sequence[Block], place: int, tag: Tag) -> str:
    block = blocks[place]
    label = LABEL.match(block.cell.plain)
    if block.level != 1 or label is None or label["name"] != tag.name:
        return "it is below another item"
    if not all(map(_begins_with_tag, _items_above(blocks[:place]))):
        return "its list has an item without a tag"
    details: list[str] = []
    for below in blocks[place + 1 :]:
        if below.level <= block.level or below.kind not in (BlockKind.ITEM, BlockKind.PARAGRAPH):
            break
        named = DETAIL.match(below.cell.plain)
        # "or $b = 0$" below the statement belongs to it, whatever it is called.
        if named is None or below.kind is not BlockKind.ITEM or below.level != block.level + 1:
            return "the text below it is not a detail of it"
        details.append(named[1].lower())
    if len(set(details)) < len(details):
        return "it has a detail twice"
    # "- [C1] only if c is 1" above "Statement: ...".
    if "statement" in details and SCOPED.search(block.cell.plain[label.end() :]):
        return "its title may limit it"
    return ""


def _items_above(blocks: Sequence[Block]) -> Iterator[Block]:
    """The items of a list that stand above its end, from the last to the first."""
    for block in reversed(blocks):
        if block.kind is not BlockKind.ITEM and not block.level:
            return
        if block.level == 1:
            yield block


def _begins_with_tag(block: Block) -> bool:
    return LABEL.match(block.cell.plain) is not None
