"""A page of the profile: its families, sections, tags, anchors and links, in one model whatever it is written in."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from sonnx_verify.errors import Source, Span
from sonnx_verify.pages import labels
from sonnx_verify.pages.blocks import Block, Inline, Text
from sonnx_verify.pages.reference import Reference
from sonnx_verify.pages.references import references
from sonnx_verify.pages.tags import Tag, tags_of

Made = TypeVar("Made")
ORDER = ("signature", "restrictions", "function", "examples", "errors", "attributes", "inputs", "outputs")
"""The sections of a family, in the order that pages of the profile have."""
NAMES = {
    "contents": "contents",
    "revision": "revision",
    "signature": "signature",
    "restrictions": "restrictions",
    "function": "function",
    "informal specification": "function",
    "examples": "examples",
    "example": "examples",
    "error conditions": "errors",
    "error condition": "errors",
    "errors": "errors",
    "attributes": "attributes",
    "inputs": "inputs",
    "outputs": "outputs",
}
"""What headings say, in small letters, and which section they open."""
_FAMILY = re.compile(r"^\W*(?P<name>[A-Za-z]\w*)\W*\((?P<types>[^()]+)\)\s*$")


@dataclass(slots=True)
class Section:
    """A heading and what stands below it up to the next one. `kind` is that of NAMES, `family` for the heading of a
    family, or empty; `family` is the one that it belongs to."""

    heading: Block
    kind: str
    family: Section | None = None
    blocks: list[Block] = field(default_factory=list)
    tags: list[Tag] = field(default_factory=list)

    @property
    def title(self) -> str:
        """The heading as a reader sees it."""
        return self.heading.cell.plain


@dataclass(slots=True)
class Page:
    """A page. `operator` is the one that its families name, empty where none does; `path` is where it stands;
    `references` are the operators of ONNX that it describes as reference pages do. `kind` is `profile` for a page of
    the profile, `reference` for one that describes what ONNX has."""

    text: Text
    path: Path | None
    sections: list[Section]
    operator: str
    references: list[Reference] = field(default_factory=list)
    kind: str = "profile"
    _kept: dict[Callable[[Page], object], object] = field(default_factory=dict, repr=False, compare=False)

    def once(self, make: Callable[[Page], Made]) -> Made:
        """What a function makes of the page, made once: several rules ask for it."""
        if make not in self._kept:
            self._kept[make] = make(self)
        return self._kept[make]  # type: ignore[return-value]  # it is what this function made

    @property
    def source(self) -> Source:
        """The text that it was read from."""
        return self.text.source

    @property
    def start(self) -> Span:
        """Its first place."""
        return Span(self.source, 1, 1)

    @property
    def families(self) -> list[Section]:
        """The headings of its families."""
        return [s for s in self.sections if s.kind == "family"]

    @property
    def tags(self) -> list[Tag]:
        """All tags, where they are defined."""
        return [tag for section in self.sections for tag in section.tags]

    @property
    def anchors(self) -> dict[str, Span]:
        """The names that links can lead to: anchors, and what code hosts make of headings."""
        made: dict[str, Span] = {}
        for section in self.sections:
            made.setdefault(slug(section.title), section.heading.span)
        for inline in self.text.inlines(["anchor"]):
            made.setdefault(inline.target, inline.span)
        return made

    @property
    def links(self) -> Iterator[Inline]:
        """Its links."""
        return self.text.inlines(["link"])

    @property
    def by_family(self) -> list[list[Section]]:
        """The sections of each family, its heading first; before them those of none."""
        made: dict[int, list[Section]] = {id(None): []}
        for section in self.sections:
            made.setdefault(id(section.family), []).append(section)
        return list(made.values())


def page_of(text: Text, path: Path | None = None) -> Page:
    """The page that some blocks make."""
    sections: list[Section] = []
    family: Section | None = None
    for block in text.blocks:
        if block.kind == "heading":
            kind = _kind(block)
            section = Section(block, kind)
            if kind == "family":
                family = section
            elif family is not None and block.level <= family.heading.level:
                family = None
            section.family = family
            sections.append(section)
        elif sections:
            sections[-1].blocks.append(block)
        else:
            # What stands before the first heading belongs to one without a title.
            sections.append(Section(Block("heading", type(block.cell)(Span(text.source, 1, 1))), "", None, [block]))
    for section in sections:
        section.tags = tags_of(section.blocks)
    named = [m["name"] for s in sections if s.kind == "family" and (m := _FAMILY.match(s.title))]
    found = references(text)
    # Pages of the profile are in Markdown, and have families, or sections that only they have, or are not filled yet.
    own = any(s.kind in ("family", "restrictions", "errors", "signature") for s in sections)
    kind = "reference" if not own and (found or text.form != "markdown") else "profile"
    return Page(text, path, sections, named[0] if named else "", found, kind)


def slug(title: str) -> str:
    """The anchor that code hosts give a heading."""
    return re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")


def _kind(heading: Block) -> str:
    title = heading.cell.plain.strip().rstrip(":").lower()
    if title in NAMES:
        return NAMES[title]
    section, said = labels.section_of(title)
    if said and section in NAMES:
        # Of reference pages: `Inputs (1 - 5)`.
        return NAMES[section]
    return "family" if _FAMILY.match(heading.cell.plain) and not labels.OPERATOR.match(heading.cell.plain) else ""
