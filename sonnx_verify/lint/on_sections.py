"""Rules on sections: which there are, in which order, and what the Contents say of them."""

from __future__ import annotations

import re

from sonnx_verify.lint.finding import Found, rule
from sonnx_verify.logic.sorts import ELEMENT_TYPES
from sonnx_verify.pages.blocks import Block, Inline
from sonnx_verify.pages.page import ORDER, Page, Section

_TYPES = re.compile(r"\b(?:u?int(?:4|8|16|32|64)|b?float(?:16|32|64)?|bfloat16|double|bool|string|complex(?:64|128))\b")


@rule("section-missing", "warning")
def missing(page: Page) -> Found:
    """A family lacks a section that every family has; what it would say is said nowhere."""
    for family, *sections in page.by_family[1:]:
        present = {section.kind for section in sections}
        lacking = [kind for kind in ORDER if kind not in present]
        if lacking:
            shown = ", ".join(_SHOWN[kind] for kind in lacking)
            yield family.heading.span, f"{family.title} has no section {shown}", "add it, though it says `none`"


_SHOWN = {
    "signature": "Signature", "restrictions": "Restrictions", "function": "Function", "examples": "Examples",
    "errors": "Error conditions", "attributes": "Attributes", "inputs": "Inputs", "outputs": "Outputs",
}  # fmt: skip


@rule("section-order", "note")
def order(page: Page) -> Found:
    """A section of a family stands before one that it comes after on pages of the profile."""
    for sections in page.by_family[1:]:
        last = -1
        for section in sections:
            if section.kind in ORDER:
                place = ORDER.index(section.kind)
                if place < last:
                    yield section.heading.span, f"{section.title} stands after {_SHOWN[ORDER[last]]}", "move it up"
                last = max(last, place)


@rule("section-old-name", "note")
def old_name(page: Page) -> Found:
    """A section has the name that it had on older pages."""
    for section in page.sections:
        if section.title.strip().lower() == "informal specification":
            yield section.heading.span, "`Informal specification` is called `Function` now", "rename it"


@rule("section-empty", "warning")
def empty(page: Page) -> Found:
    """A heading has nothing below it: no text, and no deeper heading."""
    for section, after in zip(page.sections, [*page.sections[1:], None], strict=True):
        if section.blocks or (after is not None and after.heading.level > section.heading.level):
            continue
        yield section.heading.span, f"nothing stands below `{section.title}`", "fill it, or remove it"


@rule("family-missing", "warning")
def no_family(page: Page) -> Found:
    """No heading names the operator and a family, as in `**Max** (int, int)`."""
    if not page.families:
        yield page.start, "no heading names the operator and its types", "write a heading such as **Max** (int, int)"


@rule("contents-disagree", "warning")
def contents(page: Page) -> Found:
    """The Contents leave out a family, or announce one that is not there."""
    listed = next((s for s in page.sections if s.kind == "contents"), None)
    if listed is None:
        if page.families:
            yield page.start, "there are no Contents", "add a list with a link to each family"
        return
    targets = {i.target[1:] for b in listed.blocks for i in b.inlines if i.kind == "link" and i.target.startswith("#")}
    for family in page.families:
        names = {i.target for i in _before(page, family)} | {i.target for i in family.heading.cell.of("anchor")}
        if names and not names & targets:
            yield family.heading.span, f"{family.title} is not in the Contents", "add a link to it"
    for item in listed.blocks:
        if item.kind == "item" and _TYPES.search(item.cell.plain) and not any(i.kind == "link" for i in item.inlines):
            yield item.span, "an entry of the Contents has no link", "link it to its family"


def _before(page: Page, family: Section) -> list[Inline]:
    """The anchors just above the heading of a family."""
    blocks = page.text.blocks
    place = next(n for n, b in enumerate(blocks) if b is family.heading)
    return [i for i in blocks[place - 1].inlines if i.kind == "anchor"] if place else []


@rule("type-unknown", "error")
def unknown_type(page: Page) -> Found:
    """A type in a heading or in the Contents is none of the element types that operators of the profile have."""
    known = set(ELEMENT_TYPES) - {"real"}
    for block, words in _typed(page):
        for word in dict.fromkeys(words):
            if word not in known and word not in ("int", "string") and not word.startswith("complex"):
                yield block.span, f"`{word}` is no element type", f"use one of {', '.join(sorted(known))}"


@rule("type-twice", "warning")
def type_twice(page: Page) -> Found:
    """A list of types names one twice."""
    for block, words in _typed(page):
        if block.kind != "heading":
            for word in dict.fromkeys(w for w in words if words.count(w) > 1):
                yield block.span, f"`{word}` is listed twice", "list it once"


def _typed(page: Page) -> list[tuple[Block, list[str]]]:
    """The headings and entries of the Contents, with the types that they name."""
    made = []
    for section in page.sections:
        blocks = [section.heading, *(section.blocks if section.kind == "contents" else ())]
        made += [(b, _TYPES.findall(b.cell.plain)) for b in blocks]
    return made
