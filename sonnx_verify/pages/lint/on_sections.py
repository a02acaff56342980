"""Rules on sections: which there are, in which order, and what the Contents say of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator
from itertools import pairwise, zip_longest

from sonnx_verify.logic.sorts import ELEMENT_TYPES
from sonnx_verify.pages.lint.finding import Edit, Found, Severity, edit, rule, rule_on
from sonnx_verify.pages.lint.visits import families, sections
from sonnx_verify.pages.reading.blocks import Block
from sonnx_verify.pages.reading.kinds import BlockKind, InlineKind, SectionKind
from sonnx_verify.pages.reading.page import ORDER, Page, Section, slug
from sonnx_verify.sources import Span

_TYPES = re.compile(
    r"(?<![\w#])(?:u?int(?:2|4|8|16|32|64)|b?float(?:8|16|32|64)?|double|bool|string|complex(?:64|128)"
    r"|U?INT(?:2|4|8|16|32|64)|FP(?:8|16|32|64)|B?FLOAT(?:16|32|64)?|BF16|DOUBLE|BOOL|STRING|COMPLEX(?:64|128))(?!\w)"
)
_MEANT = {"fp16": "float16", "fp32": "float", "fp64": "double", "float32": "float", "float64": "double",
          "bf16": "bfloat16"}  # fmt: skip  # a table
"""The element types under other names, in small letters: those of numpy and of other formats."""
_INPUTS_AND_OUTPUTS = "inputs and outputs"
Listing = tuple[Block, list[tuple[Span, str]]]
"""A heading or an entry of the Contents, with the types that it names and where."""


def _closed_tables(page: Page) -> Iterator[Block]:
    """The tables whose first row ends with a bar. In a quotation the lines begin with other marks."""
    for block in page.text.blocks:
        if block.kind is not BlockKind.TABLE or block.quoted:
            continue
        if page.source.line(block.span.line).rstrip().endswith("|"):
            yield block


def _listings(page: Page) -> Iterator[Listing]:
    """The headings and entries of the Contents that name types. The title of an example speaks of its values, and of
    the names that a library has for their types."""
    for section in page.sections:
        if SectionKind.EXAMPLES in (section.kind, section.within):
            continue
        blocks = [section.heading]
        if section.kind is SectionKind.CONTENTS:
            blocks += section.blocks
        for block in blocks:
            if words := _TYPES.findall(block.cell.plain):
                yield block, _places(block, words)


@rule_on(families, "section-missing", Severity.WARNING)
def missing(family_sections: list[Section]) -> Found:
    """A family lacks a section that every family has: its content is specified nowhere."""
    family, *others = family_sections
    present = {section.kind for section in others}
    # One section for both is read as that of the inputs.
    if any(section.title.lower().startswith(_INPUTS_AND_OUTPUTS) for section in others):
        present.add(SectionKind.OUTPUTS)
    lacking = [kind for kind in ORDER if kind not in present]
    if lacking and not refers(family, others):
        shown = ", ".join(_SHOWN[kind] for kind in lacking)
        yield family.heading.span, f"{family.short} has no section {shown}", "add it, even if it says `none`"


def refers(family: Section, sections: list[Section]) -> bool:
    """Return whether a family says nothing but that it is as another one."""
    if any(section.kind in ORDER for section in sections):
        return False
    # "See the definition [here](#float)": on real pages whole families are such a sentence.
    return any(_leads_within(block) for block in family.blocks)


def _leads_within(block: Block) -> bool:
    return any(inline.leads_within for inline in block.inlines)


_SHOWN = {
    SectionKind.SIGNATURE: "Signature",
    SectionKind.RESTRICTIONS: "Restrictions",
    SectionKind.FUNCTION: "Function",
    SectionKind.EXAMPLES: "Examples",
    SectionKind.ERRORS: "Error conditions",
    SectionKind.ATTRIBUTES: "Attributes",
    SectionKind.INPUTS: "Inputs",
    SectionKind.OUTPUTS: "Outputs",
}


@rule_on(families, "section-order", Severity.NOTE)
def order(family_sections: list[Section]) -> Found:
    """A section of a family is placed before one that it follows on pages of the profile."""
    last = -1
    for section in family_sections:
        # Examples may stand below what they are examples of.
        if section.kind not in ORDER or section.kind is SectionKind.EXAMPLES:
            continue
        place = ORDER.index(section.kind)
        if place < last:
            yield section.heading.span, f"{section.short} is placed after {_SHOWN[ORDER[last]]}", "move it up"
        # One section too late makes one finding, not one for each section that stands before it.
        last = max(last, place)


@rule_on(sections, "section-old-name", Severity.NOTE)
def old_name(section: Section) -> Found:
    """A section has a name from older pages."""
    title = section.title.strip()
    if title.lower() == "informal specification":
        made = edit(section.heading.span, title, "Function")
        yield section.heading.span, "`Informal specification` is now called `Function`", "rename it", made


@rule_on(_closed_tables, "table-pipe", Severity.NOTE)
def pipe(table: Block) -> Found:
    """A row of a table does not end with the bar that its first row ends with."""
    source = table.span.source
    for number in range(table.span.line + 1, table.last + 1):
        line = source.line(number).rstrip()
        if not line.endswith("|"):
            last = Span(source, number, max(1, len(line)))
            made = (Edit(Span(source, number, len(line) + 1, 0), "", " |"),)
            yield last, "the row does not end with a bar, but the first row does", "add it", made


@rule("section-empty", Severity.WARNING)
def empty(page: Page) -> Found:
    """A heading has nothing below it: no text, and no deeper heading."""
    for section, after in zip_longest(page.sections, page.sections[1:]):
        if not section.blocks and (after is None or not _belongs(after, section)):
            yield section.heading.span, f"`{section.short}` is empty", "fill it, or remove it"


def _belongs(after: Section, section: Section) -> bool:
    """Return whether a section belongs to the one before: its heading is deeper, or, on some pages, as high, as that of
    constraints, and of the sections of a family."""
    if after.heading.level > section.heading.level or after.kind is SectionKind.CONSTRAINTS:
        return True
    return section.kind is SectionKind.FAMILY and after.kind in ORDER


@rule("family-missing", Severity.WARNING)
def no_family(page: Page) -> Found:
    """No heading names the operator and a family, as in `**Max** (int, int)`, though the page has sections of one, or
    no heading at all."""
    # A page of guidelines has headings, and none of them is of a section: it is about no operator.
    like_a_family = any(section.kind in ORDER or not section.title for section in page.sections)
    if not page.families and (like_a_family or not page.sections):
        yield page.start, "no heading names the operator and its types", "write a heading such as **Max** (int, int)"


@rule("contents-disagree", Severity.WARNING)
def contents(page: Page) -> Found:
    """The Contents leave out a family, or announce one that does not exist."""
    listed = next((s for s in page.sections if s.kind is SectionKind.CONTENTS), None)
    if listed is not None:
        yield from _families_left_out(page, listed)
        yield from _entries_without_link(listed)
    elif page.families:
        yield page.start, "the Contents are missing", "add a list with a link to each family"


def _families_left_out(page: Page, listed: Section) -> Found:
    """The families that no link of the Contents leads to."""
    targets: set[str] = set()
    for block in listed.blocks:
        targets.update(inline.target[1:] for inline in block.inlines if inline.leads_within)
    # Pages put the anchor of a family into its heading, or on a line of its own above.
    above = {id(block): before for before, block in pairwise(page.text.blocks)}
    for family in page.families:
        heading = family.heading
        pieces = [*heading.inlines]
        if id(heading) in above:
            pieces += above[id(heading)].inlines
        names = {piece.target for piece in pieces if piece.kind is InlineKind.ANCHOR}
        # Without an anchor the family cannot be linked to but by the name that a code host makes up.
        if names and targets.isdisjoint({*names, slug(heading.cell.plain)}):
            yield heading.span, f"{family.short} is not in the Contents", "add a link to it"


def _entries_without_link(listed: Section) -> Found:
    """The entries of the Contents that name a type and lead nowhere."""
    for item in listed.blocks:
        linked = any(inline.kind is InlineKind.LINK for inline in item.inlines)
        if item.kind is BlockKind.ITEM and not linked and _TYPES.search(item.cell.plain):
            yield item.span, "an entry of the Contents has no link", "link it to its family"


@rule_on(_listings, "type-unknown", Severity.ERROR)
def unknown_type(listing: Listing) -> Found:
    """A type in a heading or in the Contents is not the name of an ONNX element type."""
    block, found = listing
    meant = {word: _meant(word) for _, word in found if word not in _KNOWN}
    if not meant:
        return
    shown = ", ".join(f"`{word}`" for word in list(meant)[:_MANY])
    if len(meant) > _MANY:
        shown += f" and {len(meant) - _MANY} more"
    is_none = "is not an element type" if len(meant) == 1 else "are not element types"
    fix = f"write {', '.join(dict.fromkeys(meant.values()))}"
    # Links lead to a heading by its words: to change them would break the links of other pages.
    edits: tuple[Edit, ...] = ()
    if block.kind is not BlockKind.HEADING:
        edits = tuple(Edit(span, word, meant[word]) for span, word in found if meant.get(word) in _KNOWN)
    yield block.span, f"{shown} {is_none}", fix, edits


_MANY = 5
"""The most words that are told by name."""
_KNOWN: Collection[str | None] = {
    *ELEMENT_TYPES, "int", "string", "complex64", "complex128", "int2", "int4", "uint2", "uint4",
} - {"real"}  # fmt: skip  # a table


def _meant(word: str) -> str:
    low = word.lower()
    return _MEANT.get(low, low)


@rule_on(_listings, "type-twice", Severity.WARNING)
def type_twice(listing: Listing) -> Found:
    """A list of types names one twice."""
    block, found = listing
    # The heading of a family names a type for each input: `Add (int8, int8)`.
    if block.kind is BlockKind.HEADING:
        return
    counts = Counter(word for _, word in found)
    twice = [word for word, count in counts.items() if count > 1]
    for word in twice:
        edits: list[Edit] = []
        for span in [span for span, other in found if other == word][1:]:
            edits += _left_out(span)
        yield block.span, f"`{word}` is listed twice", "list it once", tuple(edits)


def _left_out(span: Span) -> Iterator[Edit]:
    """The edit that takes a type with the comma before it from a list."""
    line = span.source.line(span.line)
    start, end = span.column - 1, span.column - 1 + span.length
    # In code both back-ticks go, or none: `int8`, `int8` becomes `int8`.
    found = re.search(r",\s*(`?)$", line[:start])
    if found is not None and line[end:].startswith(found[1]):
        old = line[found.start() : end] + found[1]
        yield Edit(Span(span.source, span.line, found.start() + 1, len(old)), old, "")


def _places(block: Block, words: list[str]) -> list[tuple[Span, str]]:
    """The places of words in a block, one after the other; of a word that is not found, that of the block."""
    source, number, last = block.span.source, block.span.line, max(block.last, block.span.line)
    column, made = block.span.column - 1, []
    for word in words:
        pattern = re.compile(rf"(?<![\w#]){re.escape(word)}\b")
        found = pattern.search(source.line(number), column)
        # An entry may go on in further lines. Words are found in their order, so that a word that stands twice has two
        # places.
        while found is None and number < last:
            number, column = number + 1, 0
            found = pattern.search(source.line(number), column)
        if found is None:
            made.append((block.span, word))
            continue
        column = found.end()
        made.append((Span(source, number, found.start() + 1, len(word)), word))
    return made


RULES = (missing, order, old_name, pipe, empty, no_family, contents, unknown_type, type_twice)
