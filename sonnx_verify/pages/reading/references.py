"""Blocks of reStructuredText or plain text as references: follows the headings and labels of a page."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field, replace
from itertools import chain

from sonnx_verify.pages.reading import labels
from sonnx_verify.pages.reading.blocks import Block, Text
from sonnx_verify.pages.reading.code_examples import example_of
from sonnx_verify.pages.reading.cursor import after
from sonnx_verify.pages.reading.kinds import BlockKind, EntryOption, InlineKind, PageForm, Part, VersionField
from sonnx_verify.pages.reading.reference import (
    Attribute,
    Constraint,
    Parameter,
    Reference,
    Version,
    default_of,
)
from sonnx_verify.sources import Span

# `inputs...` is the name of a variadic input on some pages.
_NAME = re.compile(r"\s*(?P<name>\w+(?:\.{3})?)\s*")
_CONSTRUCTOR = re.compile(rf"({'|'.join(chain.from_iterable(labels.CONSTRUCTORS.values()))})\s*\(")
_BEHIND = re.compile(r"(?P<opens>\()|\s*(?:in\b|属于|から|∈|:|-|–)\s*")
"""A parenthesis, or the sign before the kind or the types of an entry."""


@dataclass(slots=True)
class Entry:
    """`groups` stand between parentheses, `rest` after a dash, a colon or a word for `in`."""

    name: str
    span: Span
    groups: list[str]
    rest: str
    description: list[str] = field(default_factory=list)

    @property
    def options(self) -> frozenset[EntryOption]:
        """The options that the groups name: several may stand between one pair of parentheses."""
        words = chain.from_iterable(group.split(",") for group in self.groups)
        found = (labels.named(labels.OPTIONS, word) for word in words)
        return frozenset(option for option in found if option is not None)

    @property
    def told(self) -> str:
        """The description as a line."""
        return " ".join(" ".join(self.description).split())


def of_item(block: Block) -> Entry | None:
    """The entry that an item of a list is: its header goes up to a colon, or is all that stands there."""
    text = block.cell.text
    # `X (optional) - T: the data`: behind the colon stands the description.
    header = text[: _colon(text)]
    made = _entry(header, block.span)
    if made is not None and len(header) < len(text):
        made.description.append(text[len(header) + 1 :])
    return made


def _entry(header: str, span: Span) -> Entry | None:
    text = labels.narrow(header).replace("`", "")
    name = _NAME.match(text)
    if name is None:
        return None
    made = Entry(name["name"], after(span, name["name"], 3), [], "")
    n = name.end()
    while (behind := _BEHIND.search(text, n)) and behind["opens"]:
        n = _group(made, text, behind.start())
    if behind is None:
        return made
    rest = text[behind.end() :]
    kind, _, inside = rest.partition("(")
    # `axis - int (default is 0)` is an attribute: its kind stands before what is between parentheses. `X -
    # tensor(int8)` has types, which are all that follows.
    if not labels.named(labels.KINDS, kind) or (inside and not kind.endswith(" ")):
        made.rest = rest.strip()
        return made
    made.rest = kind.strip()
    n = behind.end() + len(kind)
    while (start := text.find("(", n)) >= 0:
        n = _group(made, text, start)
    return made


def _group(made: Entry, text: str, start: int) -> int:
    """Keep what stands between parentheses, and return the place after them."""
    end = _closing(text, start)
    made.groups.append(text[start + 1 : end].strip())
    return end + 1


def types_in(text: str) -> tuple[list[str], str]:
    """The types that a text lists, as ONNX's table writes them, and what is left that is none."""
    made: list[str] = []
    # What is left between types is for the caller to tell: a word that ONNX's table does not have as a type.
    left, n = "", 0
    while found := _CONSTRUCTOR.search(text, n):
        end = _closing(text, found.end() - 1)
        left += text[n : found.start()]
        made.append(canonical(text[found.start() : end + 1]))
        n = end + 1
    return made, " ".join(re.sub(r"[\s(),;:.|、]+", " ", left + text[n:]).split())


def canonical(written: str) -> str:
    """A type as ONNX's table writes it: of a tensor its elements alone, without blanks, in English."""
    text = "".join(written.split())
    text = _CONSTRUCTOR.sub(lambda m: f"{labels.named(labels.CONSTRUCTORS, m[1])}(", text)
    return re.sub(r"^tensor\((\w+)\)\Z", r"\1", text)


def _colon(text: str) -> int:
    """The place of the colon that ends a header: outside parentheses, before a blank. The length, if none."""
    depth = 0
    for n, character in enumerate(labels.narrow(text)):
        depth += (character == "(") - (character == ")")
        # The colon of `https://...` ends nothing. After a Chinese one no blank is written.
        ends = text[n] == "：" or not text[n + 1 : n + 2].strip()
        if character == ":" and depth <= 0 and ends:
            return n
    return len(text)


def _closing(text: str, start: int) -> int:
    """The place where the parenthesis closes that opens at a place; the end, if it does not."""
    depth = 0
    for n in range(start, len(text)):
        depth += (text[n] == "(") - (text[n] == ")")
        if depth == 0:
            return n
    return len(text)


_SAID = re.compile(r"\bDefault value is\s+(?P<value>`+[^`]+`+|\[[^\]]*\]|\S+?)\.?\s*$", re.IGNORECASE)
"""The end of the description of an attribute that has a default, on pages without kinds."""
_ANCHOR = re.compile(r"[a-z]-(\d+)$", re.IGNORECASE)
"""The end of an anchor of ONNX's pages, as in l-onnx-op-max-13."""
_MAIN = {"main": "", "ai.onnx": ""}
"""Other names of the main domain."""


def references(text: Text) -> list[Reference]:
    """The operators that a page describes, in their order; none, if it is no reference page."""
    return _Reader().read(text)


class _Reader:
    """Goes through the blocks. A version begins at its heading; a heading that is the name of an operator begins one
    if a part of a version comes below it."""

    def __init__(self) -> None:
        self._made: dict[tuple[str, str], Reference] = {}
        self._version: Version | None = None
        self._level = 0
        self._part: Part | None = None
        self._part_level = 0
        self._entries: list[Entry] = []
        self._entry_level = sys.maxsize
        self._title = ""
        self._anchors: list[tuple[int, Span]] = []
        self._problems: list[tuple[Span, str]] = []

    def read(self, text: Text) -> list[Reference]:
        """All blocks."""
        for block in text.blocks:
            if block.kind is BlockKind.HEADING:
                self._heading(block)
            elif self._version is not None:
                # In reStructuredText parts begin with a word in bold, which is a paragraph.
                may_open = text.form is PageForm.RST and block.kind is BlockKind.PARAGRAPH and block.level == 0
                if not (may_open and self._label(self._version, block)):
                    self._block(self._version, block)
            anchors = _numbers_in(block)
            # A block of HTML between an anchor and its heading does not part them.
            if anchors or block.kind is not BlockKind.HTML:
                self._anchors = anchors
        self._close()
        return list(self._made.values())

    # ------------------------------------------------------------------------------------------------------ headings

    def _heading(self, block: Block) -> None:
        title = block.cell.plain
        version = self._version
        inside = version is not None and block.level > self._level
        opens = labels.VERSION.match(title)
        # `Inputs` might be the name of an operator, and headings below a version are titles of examples and the like.
        if opens is None and not inside and labels.named(labels.SECTIONS, title) is None:
            opens = labels.OPERATOR.match(title)
        if opens is not None:
            self._open(block, opens)
        elif version is None or not inside:
            self._close()
        elif not self._label(version, block):
            self._unknown(version, block)

    def _unknown(self, version: Version, block: Block) -> None:
        """A heading below a version that names no part."""
        if self._part is Part.EXAMPLES and block.level > self._part_level:
            self._title = block.cell.plain
        elif self._part is None or block.level <= self._part_level:
            self._leave(version)
            self._part = Part.OTHER

    def _open(self, block: Block, found: re.Match[str]) -> None:
        self._close()
        named = found.groupdict()
        written = named["domain"] or named.get("in") or ""
        span = after(block.span, named["name"], 2)
        self._version = Version(named["name"], _domain(written), span)
        self._version.deprecated = named["deprecated"] is not None
        self._level, self._part = block.level, None
        if "version" in named:
            # The anchor stands above, or in the heading.
            self._version.numbers += [(int(named["version"]), span), *self._anchors]

    def _close(self) -> None:
        """Ends the version, and keeps it if it has parts."""
        if self._version is None:
            return
        version, self._version = self._version, None
        self._leave(version)
        problems, self._problems = self._problems, []
        # A heading that looks like the name of an operator, as `Broadcasting`, has none.
        if not version.sections:
            return
        key = (version.domain, version.operator)
        kept = self._made.setdefault(key, Reference(version.operator, version.domain, []))
        kept.versions.append(version)
        kept.problems += problems
        if version.since is None:
            kept.problems.append(
                (version.span, f"it does not say since which version of ONNX this {version.operator} exists")
            )

    def _label(self, version: Version, block: Block) -> bool:
        """Return whether a block names a part of the version, which then begins."""
        title = block.cell.plain
        part = labels.named(labels.SECTIONS, title)
        is_heading = block.kind is BlockKind.HEADING
        # `Examples:` in a paragraph is a sentence of the summary.
        if part is None or (not is_heading and title.endswith(":")):
            return False
        self._leave(version)
        self._part, self._title = part, ""
        self._part_level = block.level if is_heading else self._level + 1
        version.sections.setdefault(part, block.span)
        return True

    # --------------------------------------------------------------------------------------------------------- parts

    def _block(self, version: Version, block: Block) -> None:
        match self._part:
            case None | Part.SUMMARY:
                # Some pages write the summary just below the heading of the version.
                if block.is_prose:
                    version.summary.append(block.cell)
            case Part.VERSION:
                self._fact(version, block)
            case Part.ATTRIBUTES | Part.INPUTS | Part.OUTPUTS | Part.TYPES:
                self._item(block)
            case Part.EXAMPLES:
                self._example(version, block)

    def _fact(self, version: Version, block: Block) -> None:
        """An entry or a sentence below `Version`."""
        text = labels.narrow(block.cell.plain)
        version.deprecated |= labels.DEPRECATED.search(text) is not None
        if block.kind is BlockKind.ITEM:
            self._field(version, block, text)
        elif block.kind is BlockKind.PARAGRAPH and (said := labels.SINCE.search(text)):
            version.numbers.append((int(said["version"]), after(block.span, said["version"], 4)))

    def _field(self, version: Version, block: Block, text: str) -> None:
        name, _, value = text.partition(":")
        value = value.strip()
        match labels.named(labels.FIELDS, name):
            case VersionField.SINCE_VERSION if value.isdecimal():
                version.numbers.append((int(value), after(block.span, value, 2)))
            case VersionField.SINCE_VERSION:
                self._problems.append((block.span, f"`{value}` is not a version"))
            case VersionField.DOMAIN:
                version.domain = _domain(value)

    def _item(self, block: Block) -> None:
        """An entry of a list, or what belongs to the one before."""
        # Items deeper than that of the entry are of its description.
        if block.kind is BlockKind.ITEM and block.level <= self._entry_level:
            entry = of_item(block)
            if entry is None:
                self._problems.append((block.span, "the entry has no name"))
                return
            self._entries.append(entry)
            self._entry_level = block.level
        elif self._entries and block.is_prose:
            self._entries[-1].description.append(block.cell.text)

    def _example(self, version: Version, block: Block) -> None:
        if block.kind is BlockKind.CODE:
            version.examples.append(example_of(self._title, block))
        elif block.is_prose:
            self._title = block.cell.plain

    def _leave(self, version: Version) -> None:
        """Ends a part: its entries, with their descriptions, become what they are."""
        entries = self._entries
        match self._part:
            case Part.ATTRIBUTES:
                version.attributes += map(self._attribute, entries)
            case Part.INPUTS:
                version.inputs += map(self._parameter, entries)
            case Part.OUTPUTS:
                version.outputs += map(self._parameter, entries)
            case Part.TYPES:
                version.types += map(self._constraint, entries)
        self._entries, self._part, self._entry_level = [], None, sys.maxsize

    def _attribute(self, entry: Entry) -> Attribute:
        kind = labels.named(labels.KINDS, entry.rest) or ""
        if entry.rest and not kind:
            self._problems.append((entry.span, f"`{entry.rest}` is not an attribute kind"))
        required = EntryOption.REQUIRED in entry.options
        made = Attribute(entry.name, kind, required, None, None, entry.told, entry.span, entry.span)
        said = next(filter(None, map(labels.DEFAULT.match, entry.groups)), None) or _SAID.search(entry.told)
        if said is None:
            return made
        written = said["value"].strip()
        try:
            default = default_of(written, kind)
        except ValueError:
            self._problems.append((entry.span, f"the default `{written}` of {entry.name} is not of kind {kind}"))
            return made
        # The value may stand earlier on the page in other words: it is looked for behind those that announce it.
        place = after(after(entry.span, said[0].split()[0]), written.strip("`'\" "))
        return replace(made, written=written, default=default, default_span=place)

    def _parameter(self, entry: Entry) -> Parameter:
        options = (EntryOption.VARIADIC, EntryOption.OPTIONAL)
        option = next((option.value for option in options if option in entry.options), "")
        if not entry.rest:
            self._problems.append((entry.span, f"{entry.name} has no type"))
        return Parameter(entry.name, canonical(entry.rest), option, entry.told, entry.span)

    def _constraint(self, entry: Entry) -> Constraint:
        types, left = types_in(entry.rest)
        if left:
            self._problems.append((entry.span, f"the type of {entry.name} cannot be read: `{left[:60]}`"))
        elif not types:
            self._problems.append((entry.span, f"{entry.name} lists no type"))
        return Constraint(entry.name, tuple(types), entry.told, entry.span)


def _domain(written: str) -> str:
    """A domain by its name in ONNX's table, where that of the main one is empty."""
    return _MAIN.get(written, written)


def _numbers_in(block: Block) -> list[tuple[int, Span]]:
    """The versions that the anchors of a block name."""
    made: list[tuple[int, Span]] = []
    for inline in block.inlines:
        found = _ANCHOR.search(inline.target)
        if found is not None and inline.kind is InlineKind.ANCHOR:
            made.append((int(found[1]), inline.span))
    return made
