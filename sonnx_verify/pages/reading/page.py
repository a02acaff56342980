"""A page of the profile: its families, sections, tags, anchors and links, in one model whatever it is written in.

Blocks go in, a page comes out. Kinds of sections are guessed from headings, since pages call them by many names; rules
on pages, not this module, say which names are wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TypeVar

from sonnx_verify.pages.reading.blocks import Block, Cell, Inline, Text
from sonnx_verify.pages.reading.kinds import BlockKind, InlineKind, PageForm, PageKind, SectionKind
from sonnx_verify.pages.reading.reference import Reference
from sonnx_verify.pages.reading.references import references
from sonnx_verify.pages.reading.tags import Tag, tags_of
from sonnx_verify.sources import Source, Span

_LONG = 60
Made = TypeVar("Made")


ORDER = (
    SectionKind.SIGNATURE,
    SectionKind.RESTRICTIONS,
    SectionKind.FUNCTION,
    SectionKind.EXAMPLES,
    SectionKind.ERRORS,
    SectionKind.ATTRIBUTES,
    SectionKind.INPUTS,
    SectionKind.OUTPUTS,
)
"""The sections of a family, in the order that pages of the profile have."""
_OF_FAMILY = frozenset({*ORDER, SectionKind.CONSTRAINTS})
NAMES = {
    "contents": SectionKind.CONTENTS,
    "revision": SectionKind.REVISION,
    "signature": SectionKind.SIGNATURE,
    "restrictions": SectionKind.RESTRICTIONS,
    "function": SectionKind.FUNCTION,
    "informal specification": SectionKind.FUNCTION,
    "examples": SectionKind.EXAMPLES,
    "example": SectionKind.EXAMPLES,
    "error conditions": SectionKind.ERRORS,
    "error condition": SectionKind.ERRORS,
    "errors": SectionKind.ERRORS,
    "attributes": SectionKind.ATTRIBUTES,
    "inputs": SectionKind.INPUTS,
    "outputs": SectionKind.OUTPUTS,
}
"""Headings in small letters, and the sections that they open."""
_ALIASES = (
    (re.compile(r"(?:sonnx |specific |profile )?restrictions?"), SectionKind.RESTRICTIONS),
    (re.compile(r"informal spec\w*|functions?"), SectionKind.FUNCTION),
    (re.compile(r"examples?\b.*"), SectionKind.EXAMPLES),
    (re.compile(r"errors?(?: conditions?)?"), SectionKind.ERRORS),
    (re.compile(r"attributes?"), SectionKind.ATTRIBUTES),
    (re.compile(r"inputs?(?: (?:and|&) outputs?)?"), SectionKind.INPUTS),
    (re.compile(r"outputs?"), SectionKind.OUTPUTS),
    (re.compile(r"constraints?"), SectionKind.CONSTRAINTS),
    (re.compile(r"revisions?(?: history)?"), SectionKind.REVISION),
)
"""Other headings, in small letters. Inputs and outputs may share a section."""
_OWN = (SectionKind.FAMILY, SectionKind.RESTRICTIONS, SectionKind.ERRORS, SectionKind.SIGNATURE)
"""The sections that pages of the profile alone have."""
_LATEX = re.compile(r"\\(?:text|textbf|textit|texttt|mathbf|mathrm|mathtt|operatorname)\*?\{([^{}]*)\}")
# `**Max** (float, double)`, `Operator Max (real)`.
_FAMILY = re.compile(r"^\W*(?:operator\W+)?(?P<name>[A-Za-z]\w*)\W*(?:operator\W*)?\((?P<types>[^()]+)\)\W*$", re.I)
# `Max operator`, `Operator: Max`.
_TITLE = re.compile(r"^\W*(?:operator\W+(?P<after>[A-Za-z]\w*)|(?P<before>[A-Za-z]\w*)\W+operator)\W*$", re.I)


@dataclass
class Section:
    """A heading and what stands below it up to the next one. `family` is the heading of the family that it belongs to;
    `within` is its kind, or that of the section of ORDER that it is a part of; `called` is the name of a family in
    the formal text, once that is known (families.py)."""

    heading: Block
    kind: SectionKind
    family: Section | None = None
    blocks: list[Block] = field(default_factory=list)
    tags: list[Tag] = field(default_factory=list)
    within: SectionKind = SectionKind.OTHER
    called: str = ""

    @property
    def cells(self) -> Iterator[Cell]:
        """The cells below its heading."""
        for block in self.blocks:
            yield from block.cells

    @property
    def text(self) -> str:
        """The text below its heading."""
        return " ".join(cell.text for cell in self.cells)

    @cached_property
    def title(self) -> str:
        """The heading as a reader sees it."""
        return _LATEX.sub(r"\1", self.heading.cell.plain)

    @property
    def short(self) -> str:
        """The same, cut to a length that can be read in a sentence."""
        if len(self.title) <= _LONG:
            return self.title
        return f"{self.title[: _LONG - 3]}..."


@dataclass
class Page:
    """A page. `operator` is the one that its families name, empty where none does; `path` is where it stands;
    `references` are the operators of ONNX that it describes as reference pages do."""

    text: Text
    path: Path | None
    sections: list[Section]
    operator: str
    references: list[Reference] = field(default_factory=list)
    kind: PageKind = PageKind.PROFILE
    _kept: dict[Callable[[Page], object], object] = field(default_factory=dict, repr=False, compare=False)

    def once(self, make: Callable[[Page], Made]) -> Made:
        """The result of a function on the page, made once: several rules ask for it."""
        if make not in self._kept:
            self._kept[make] = make(self)
        return self._kept[make]  # type: ignore[return-value]  # it is what this function made

    @property
    def source(self) -> Source:
        """The text that it was read from."""
        return self.text.source

    @cached_property
    def lines(self) -> list[int]:
        """The offsets at which its lines begin."""
        return [0, *(found.end() for found in re.finditer("\n", self.source.text))]

    @property
    def start(self) -> Span:
        """Its first place."""
        return Span(self.source, 1, 1)

    @cached_property
    def families(self) -> list[Section]:
        """The headings of its families."""
        return [s for s in self.sections if s.kind is SectionKind.FAMILY]

    @property
    def in_families(self) -> list[Section]:
        """The sections of all families, with their headings."""
        return [section for section in self.sections if section.family is not None]

    @cached_property
    def tags(self) -> list[Tag]:
        """All tags, where they are defined."""
        return [tag for section in self.sections for tag in section.tags]

    @cached_property
    def anchors(self) -> dict[str, Span]:
        """The names that links can lead to: anchors, and what code hosts make of headings."""
        made: dict[str, Span] = {}
        often: dict[str, int] = {}
        for section in self.sections:
            name = slug(section.heading.cell.plain)
            count = often[name] = often.get(name, -1) + 1
            # Of two headings `Inputs`, code hosts call the second inputs-1.
            made.setdefault(f"{name}-{count}" if count else name, section.heading.span)
        for inline in self.text.inlines([InlineKind.ANCHOR]):
            made.setdefault(inline.target, inline.span)
        return made

    @cached_property
    def links(self) -> list[Inline]:
        """Its links."""
        return list(self.text.inlines([InlineKind.LINK]))

    @cached_property
    def by_family(self) -> list[list[Section]]:
        """The sections of each family, its heading first; before them those of none."""
        made: dict[int, list[Section]] = {id(None): []}
        for section in self.sections:
            made.setdefault(id(section.family), []).append(section)
        return list(made.values())


def page_of(text: Text, path: Path | None = None) -> Page:
    """The page that some blocks make."""
    sections: list[Section] = []
    for block in text.blocks:
        if block.kind is BlockKind.HEADING:
            sections.append(Section(block, _kind(block)))
        elif sections:
            sections[-1].blocks.append(block)
        else:
            # What stands before the first heading belongs to one without a title.
            untitled = Block(BlockKind.HEADING, type(block.cell)(Span(text.source, 1, 1)))
            sections.append(Section(untitled, SectionKind.OTHER, None, [block]))
    operator = _families(sections)
    _belonging(sections)
    for section in sections:
        section.tags = tags_of(section.blocks, section.within)
    # ONNX's pages in Markdown are not read as reference pages.
    if text.form is PageForm.MARKDOWN:
        return Page(text, path, sections, operator)
    # A page of the profile in another form has families, or sections that only such pages have.
    own = any(section.kind in _OWN for section in sections)
    return Page(text, path, sections, operator, references(text), PageKind.PROFILE if own else PageKind.REFERENCE)


def _families(sections: list[Section]) -> str:
    """Marks the headings of families, and gives the name of the operator. They are those that name it and, between
    parentheses, types; on a page without such, that which calls it an operator."""
    # `**Max** (float16, float)` names a family; without such, the first `Max operator` is that of the one there is.
    named = [(section, found["name"]) for section, found in _titled(sections, _FAMILY)]
    if not named:
        titled = islice(_titled(sections, _TITLE), 1)
        named = [(section, found["after"] or found["before"]) for section, found in titled]
    if not named:
        return ""
    # Headings of inputs and outputs may name their types too, deeper down.
    top = min(section.heading.level for section, _ in named)
    operator = next(name for section, name in named if section.heading.level == top)
    for section, name in named:
        if section.heading.level == top or name.lower() == operator.lower():
            section.kind = SectionKind.FAMILY
    return operator


def _titled(sections: Iterable[Section], pattern: re.Pattern[str]) -> Iterator[tuple[Section, re.Match[str]]]:
    """The sections of no other kind whose titles match a pattern."""
    for section in sections:
        found = pattern.match(section.title)
        if found is not None and section.kind is SectionKind.OTHER:
            yield section, found


def _belonging(sections: list[Section]) -> None:
    """Says of each section which family it belongs to, and of which section it is a part."""
    family: Section | None = None
    around: list[Section] = []
    for section in sections:
        level = section.heading.level
        # A heading ends all sections that are as deep as it, or deeper.
        while around and around[-1].heading.level >= level:
            around.pop()
        # On some pages the sections of a family stand as high as its heading.
        if section.kind is SectionKind.FAMILY:
            family, around = section, []
        elif family is not None and level <= family.heading.level and section.kind not in _OF_FAMILY:
            family = None
        if section.kind in ORDER:
            around.append(section)
        section.family = family
        section.within = next((one.kind for one in reversed(around)), SectionKind.OTHER)


def cells_of(sections: Iterable[Section]) -> Iterator[Cell]:
    """The cells below the headings of some sections."""
    for section in sections:
        yield from section.cells


def tags_in(sections: Iterable[Section]) -> list[Tag]:
    """The tags that some sections define."""
    made: list[Tag] = []
    for section in sections:
        made += section.tags
    return made


def slug(title: str) -> str:
    """The anchor that code hosts give a heading."""
    return re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")


def _kind(heading: Block) -> SectionKind:
    title = heading.cell.plain.strip().strip(":.*_ ").lower()
    if title in NAMES:
        return NAMES[title]
    return next((kind for pattern, kind in _ALIASES if pattern.fullmatch(title)), SectionKind.OTHER)
