"""Rules on sections: which there are, in which order, and what the Contents say of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import zip_longest

from sonnx_verify.errors import Span
from sonnx_verify.logic.sorts import ELEMENT_TYPES
from sonnx_verify.pages.lint.finding import Edit, Found, Severity, edit, rule
from sonnx_verify.pages.reading.blocks import Block, Inline
from sonnx_verify.pages.reading.kinds import BlockKind, InlineKind, SectionKind
from sonnx_verify.pages.reading.page import ORDER, Page, Section, slug

_TYPES = re.compile(
    r"(?<![\w#])(?:u?int(?:2|4|8|16|32|64)|b?float(?:8|16|32|64)?|double|bool|string|complex(?:64|128)"
    r"|U?INT(?:2|4|8|16|32|64)|FP(?:8|16|32|64)|B?FLOAT(?:16|32|64)?|BF16|DOUBLE|BOOL|STRING|COMPLEX(?:64|128))(?!\w)"
)
_MEANT = {"fp16": "float16", "fp32": "float", "fp64": "double", "float32": "float", "float64": "double",
          "bf16": "bfloat16"}  # fmt: skip  # a table
"""The element types under other names, in small letters."""


@rule("section-missing", Severity.WARNING)
def missing(page: Page) -> Found:
    """A family lacks a section that every family has; what it would say is said nowhere."""
    for family, *sections in page.by_family[1:]:
        present = {section.kind for section in sections}
        if any(section.title.lower().startswith("inputs and outputs") for section in sections):
            present.add(SectionKind.OUTPUTS)
        lacking = [kind for kind in ORDER if kind not in present]
        if lacking and not refers(family, sections):
            shown = ", ".join(_SHOWN[kind] for kind in lacking)
            yield family.heading.span, f"{family.short} has no section {shown}", "add it, though it says `none`"


def refers(family: Section, sections: list[Section]) -> bool:
    """Whether a family says nothing but that it is as another one."""
    if any(section.kind in ORDER for section in sections):
        return False
    return any(inline.leads_within for block in family.blocks for inline in block.inlines)


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


@rule("section-order", Severity.NOTE)
def order(page: Page) -> Found:
    """A section of a family stands before one that it comes after on pages of the profile."""
    for sections in page.by_family[1:]:
        last = -1
        for section in sections:
            if section.kind in ORDER and section.kind is not SectionKind.EXAMPLES:
                place = ORDER.index(section.kind)
                if place < last:
                    yield section.heading.span, f"{section.short} stands after {_SHOWN[ORDER[last]]}", "move it up"
                last = max(last, place)


@rule("section-old-name", Severity.NOTE)
def old_name(page: Page) -> Found:
    """A section has the name that it had on older pages."""
    for section in page.sections:
        if section.title.strip().lower() == "informal specification":
            made = edit(section.heading.span, section.title.strip(), "Function")
            yield section.heading.span, "`Informal specification` is called `Function` now", "rename it", made


@rule("table-pipe", Severity.NOTE)
def pipe(page: Page) -> Found:
    """A row of a table does not end with the bar that its first row ends with."""
    for block in page.text.blocks:
        if block.kind is not BlockKind.TABLE or block.quoted:
            continue
        if not page.source.line(block.span.line).rstrip().endswith("|"):
            continue
        for number in range(block.span.line + 1, block.last + 1):
            line = page.source.line(number).rstrip()
            if not line.endswith("|"):
                last = Span(page.source, number, max(1, len(line)))
                made = (Edit(Span(page.source, number, len(line) + 1, 0), "", " |"),)
                yield last, "the row has no bar at its end, and the first row has", "add it", made


@rule("section-empty", Severity.WARNING)
def empty(page: Page) -> Found:
    """A heading has nothing below it: no text, and no deeper heading."""
    for section, after in zip_longest(page.sections, page.sections[1:]):
        if section.blocks or (after is not None and after.heading.level > section.heading.level):
            continue
        if after is not None and _belongs(after, section):
            continue
        yield section.heading.span, f"nothing stands below `{section.short}`", "fill it, or remove it"


def _belongs(after: Section, section: Section) -> bool:
    """Whether a section belongs to the one before though its heading is as high: on some pages constraints do, and the
    sections of a family."""
    if after.kind is SectionKind.CONSTRAINTS:
        return True
    return section.kind is SectionKind.FAMILY and after.kind in ORDER


@rule("family-missing", Severity.WARNING)
def no_family(page: Page) -> Found:
    """No heading names the operator and a family, as in `**Max** (int, int)`, though the page has sections of one, or
    no heading at all."""
    like_a_family = any(section.kind in ORDER or not section.title for section in page.sections)
    if not page.families and (like_a_family or not page.sections):
        yield page.start, "no heading names the operator and its types", "write a heading such as **Max** (int, int)"


@rule("contents-disagree", Severity.WARNING)
def contents(page: Page) -> Found:
    """The Contents leave out a family, or announce one that is not there."""
    listed = next((s for s in page.sections if s.kind is SectionKind.CONTENTS), None)
    if listed is None:
        if page.families:
            yield page.start, "there are no Contents", "add a list with a link to each family"
        return
    inlines = [inline for block in listed.blocks for inline in block.inlines]
    targets = {inline.target[1:] for inline in inlines if inline.leads_within}
    before = _before(page)
    for family in page.families:
        names = {i.target for i in before.get(id(family.heading), ())}
        names |= {i.target for i in family.heading.cell.of(InlineKind.ANCHOR)}
        if names and not names & targets and slug(family.heading.cell.plain) not in targets:
            yield family.heading.span, f"{family.short} is not in the Contents", "add a link to it"
    for item in listed.blocks:
        linked = any(inline.kind is InlineKind.LINK for inline in item.inlines)
        if item.kind is BlockKind.ITEM and not linked and _TYPES.search(item.cell.plain):
            yield item.span, "an entry of the Contents has no link", "link it to its family"


def _before(page: Page) -> dict[int, list[Inline]]:
    """The anchors in the block before each heading."""
    pairs = zip(page.text.blocks, page.text.blocks[1:], strict=False)
    headings = [(above, block) for above, block in pairs if block.kind is BlockKind.HEADING]
    return {id(block): [i for i in above.inlines if i.kind is InlineKind.ANCHOR] for above, block in headings}


@rule("type-unknown", Severity.ERROR)
def unknown_type(page: Page) -> Found:
    """A type in a heading or in the Contents is none of the element types that ONNX has under that name."""
    for block, found in _typed(page):
        words = list(dict.fromkeys(word for _, word in found))
        wrong = [w for w in words if w not in _KNOWN]
        if wrong:
            meant = {w: _meant(w) for w in wrong}
            edits = [Edit(span, word, meant[word]) for span, word in found if word in meant and meant[word] in _KNOWN]
            more = f" and {len(wrong) - _MANY} more" if len(wrong) > _MANY else ""
            shown = ", ".join(f"`{w}`" for w in wrong[:_MANY]) + more
            is_none = "is no element type" if len(wrong) == 1 else "are no element types"
            fix = f"write {', '.join(dict.fromkeys(meant.values()))}"
            yield block.span, f"{shown} {is_none}", fix, tuple(edits) if block.kind is not BlockKind.HEADING else ()


_MANY = 5
"""The most words that are told by name."""
_KNOWN = {*ELEMENT_TYPES, "int", "string", "complex64", "complex128", "int2", "int4", "uint2", "uint4"} - {"real"}


def _meant(word: str) -> str:
    low = word.lower()
    return _MEANT.get(low, low)


@rule("type-twice", Severity.WARNING)
def type_twice(page: Page) -> Found:
    """A list of types names one twice."""
    for block, found in _typed(page):
        words = [word for _, word in found]
        if block.kind is not BlockKind.HEADING:
            for word in dict.fromkeys(w for w in words if words.count(w) > 1):
                others = [span for span, w in found if w == word][1:]
                edits = [made for span in others for made in _left_out(span)]
                yield block.span, f"`{word}` is listed twice", "list it once", tuple(edits)


def _left_out(span: Span) -> Iterator[Edit]:
    """The edit that takes a type with the comma before it from a list."""
    line = span.source.line(span.line)
    start = span.column - 1
    found = re.search(r",\s*`?$", line[:start])
    tick = "`" if found and found[0].endswith("`") else ""
    if found is not None and line[start + span.length :].startswith(tick):
        old = line[found.start() : start + span.length] + tick
        yield Edit(Span(span.source, span.line, found.start() + 1, len(old)), old, "")


def _typed(page: Page) -> list[tuple[Block, list[tuple[Span, str]]]]:
    """The headings and entries of the Contents, with the types that they name and where."""
    made = []
    for section in page.sections:
        for block in (section.heading, *(section.blocks if section.kind is SectionKind.CONTENTS else ())):
            words = _TYPES.findall(block.cell.plain)
            if words:
                made.append((block, _places(block, words)))
    return made


def _places(block: Block, words: list[str]) -> list[tuple[Span, str]]:
    """The places of words in a block, one after the other; of a word that is not found, that of the block."""
    source, number, last = block.span.source, block.span.line, max(block.last, block.span.line)
    column, made = block.span.column - 1, []
    for word in words:
        pattern = re.compile(rf"(?<![\w#]){re.escape(word)}\b")
        found = pattern.search(source.line(number), column)
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
