"""Blocks of reStructuredText or plain text as references: follows the headings and labels of a page."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from sonnx_verify.errors import Span
from sonnx_verify.pages.reading import labels
from sonnx_verify.pages.reading.blocks import Block, Text
from sonnx_verify.pages.reading.code_examples import example_of
from sonnx_verify.pages.reading.cursor import after
from sonnx_verify.pages.reading.entries import Entry, canonical, of_item, types_in
from sonnx_verify.pages.reading.kinds import BlockKind, InlineKind
from sonnx_verify.pages.reading.reference import (
    Attribute,
    Constraint,
    Parameter,
    Reference,
    Version,
    default_of,
)

_SAID = re.compile(r"\bDefault value is\s+(?P<value>`+[^`]+`+|\[[^\]]*\]|\S+?)\.?\s*$", re.IGNORECASE)
"""The end of the description of an attribute that has a default, on pages without kinds."""
_LONGEST_LABEL = 60
_MAIN = ("", "main", "ai.onnx")


def references(text: Text) -> list[Reference]:
    """The operators that a page describes, in their order; none, where it is no reference page."""
    return _Reader().read(text)


class _Reader:
    """Goes through the blocks. A version begins at its heading; a heading that is the name of an operator begins one
    where a part of a version comes below it."""

    def __init__(self) -> None:
        self._made: dict[tuple[str, str], Reference] = {}
        self._version: Version | None = None
        self._level = 0
        self._section = ""
        self._section_level = 0
        self._entries: list[Entry] = []
        self._entry_level = 0
        self._title = ""
        self._anchors: list[tuple[int, Span]] = []
        self._problems: list[tuple[Span, str]] = []

    def read(self, text: Text) -> list[Reference]:
        """All blocks."""
        for block in text.blocks:
            if block.kind is BlockKind.HEADING:
                self._heading(block)
            elif text.form == "rst" and block.kind is BlockKind.PARAGRAPH and not block.level and self._label(block):
                # There parts begin with a word in bold.
                pass
            elif self._version is not None:
                self._block(self._version, block)
            self._anchors = [
                (int(made[1]), i.span)
                for i in block.inlines
                if i.kind is InlineKind.ANCHOR and (made := re.search(r"[a-z]-(\d+)$", i.target, re.IGNORECASE))
            ] or ([] if block.kind is not BlockKind.HTML else self._anchors)
        self._close()
        return list(self._made.values())

    # ------------------------------------------------------------------------------------------------------ headings

    def _heading(self, block: Block) -> None:
        title = block.cell.plain
        version = labels.VERSION.match(title)
        inside = self._version is not None and block.level > self._level
        if version or (not inside and labels.OPERATOR.match(title) and not labels.named(labels.SECTIONS, title)):
            self._open(block, title)
        elif not inside:
            self._close()
        elif not self._label(block):
            if self._section == "examples" and block.level > self._section_level:
                self._title = title
            elif block.level <= self._section_level or not self._section:
                self._leave()
                self._section = "other"

    def _open(self, block: Block, title: str) -> None:
        self._close()
        made = labels.VERSION.match(title) or labels.OPERATOR.match(title)
        assert made is not None
        named = made.groupdict()
        domain = named["domain"] or named.get("in") or ""
        span = after(block.span, named["name"], 2)
        self._version = Version(named["name"], "" if domain in _MAIN else domain, span)
        self._version.deprecated = named["deprecated"] is not None
        self._level, self._section = block.level, ""
        if "version" in named:
            number = int(named["version"])
            self._version.numbers.append((number, span))
        # The anchor stands above, or in the heading.
        self._version.numbers += self._anchors if "version" in named else []

    def _close(self) -> None:
        """Ends the version, and keeps it where it has parts."""
        self._leave()
        version, self._version = self._version, None
        if version is not None and version.sections:
            key = (version.domain, version.operator)
            kept = self._made.setdefault(key, Reference(version.operator, version.domain, []))
            kept.versions.append(version)
            kept.problems += self._problems
            if version.since is None:
                kept.problems.append((version.span, f"nothing says since when this version of {version.operator} is"))
        self._problems = []

    def _label(self, block: Block) -> bool:
        """Whether a block names a part of the version, which then begins."""
        title = block.cell.plain
        section = labels.named(labels.SECTIONS, title) if len(title) < _LONGEST_LABEL else ""
        if not section or self._version is None or (block.kind is BlockKind.PARAGRAPH and title.endswith(":")):
            return False
        self._leave()
        self._section, self._title = section, ""
        self._section_level = block.level if block.kind is BlockKind.HEADING else self._level + 1
        self._version.sections.setdefault(section, block.span)
        return True

    # --------------------------------------------------------------------------------------------------------- parts

    def _block(self, version: Version, block: Block) -> None:
        match self._section:
            case "":
                version.summary += [block.cell] if block.kind in (BlockKind.PARAGRAPH, BlockKind.ITEM) else []
            case "summary":
                version.summary += [block.cell] if block.kind in (BlockKind.PARAGRAPH, BlockKind.ITEM) else []
            case "version":
                self._fact(version, block)
            case "attributes" | "inputs" | "outputs" | "types":
                self._part(version, block)
            case "examples":
                self._example(version, block)

    def _fact(self, version: Version, block: Block) -> None:
        """An entry or a sentence below `Version`."""
        text = labels.narrow(block.cell.plain)
        version.deprecated |= labels.DEPRECATED.search(text) is not None
        name, _, value = text.partition(":")
        value = value.strip()
        match labels.named(labels.FIELDS, name) if block.kind is BlockKind.ITEM else "":
            case "since_version" if value.isdecimal():
                version.numbers.append((int(value), after(block.span, value, 2)))
            case "since_version":
                self._problems.append((block.span, f"`{value}` is no version"))
            case "domain":
                version.domain = "" if value in _MAIN else value
            case "" if block.kind is BlockKind.PARAGRAPH and (said := labels.SINCE.search(text)):
                version.numbers.append((int(said["version"]), after(block.span, said["version"], 4)))

    def _part(self, version: Version, block: Block) -> None:
        """An entry of a list, or what belongs to the one before."""
        if block.kind is BlockKind.ITEM and (not self._entries or 0 < block.level <= self._entry_level):
            self._entry(of_item(block), block.span, block.level)
        elif self._entries and block.kind in (BlockKind.PARAGRAPH, BlockKind.ITEM):
            self._entries[-1].description.append(block.cell.text)

    def _entry(self, entry: Entry | None, span: Span, level: int) -> None:
        if entry is None:
            self._problems.append((span, "the entry has no name"))
        else:
            self._entries.append(entry)
            self._entry_level = level

    def _example(self, version: Version, block: Block) -> None:
        if block.kind is BlockKind.CODE:
            version.examples.append(example_of(self._title, block))
        elif block.kind in (BlockKind.PARAGRAPH, BlockKind.ITEM):
            self._title = block.cell.plain

    def _leave(self) -> None:
        """Ends a part: its entries, with their descriptions, become what they are."""
        make: dict[str, Callable[[Entry], Any]] = {
            "attributes": self._attribute, "inputs": self._parameter, "outputs": self._parameter,
            "types": self._constraint,
        }  # fmt: skip  # a table
        if self._version is not None and self._section in make:
            made = getattr(self._version, self._section)
            made += [make[self._section](entry) for entry in self._entries]
        self._entries, self._section, self._entry_level = [], "", 0

    def _attribute(self, entry: Entry) -> Attribute:
        kind = labels.named(labels.KINDS, entry.rest)
        if entry.rest and not kind:
            self._problems.append((entry.span, f"`{entry.rest}` is no kind of attributes"))
        said = next(filter(None, map(labels.DEFAULT.match, entry.groups)), None) or _SAID.search(entry.told)
        written = said["value"].strip() if said else None
        default = None
        if written is not None:
            try:
                default = default_of(written, kind)
            except ValueError:
                self._problems.append((entry.span, f"the default `{written}` of {entry.name} is no {kind}"))
                written = None
        place = entry.span
        if said and written:
            place = after(after(entry.span, said[0].split()[0]), written.strip("`'\" "))
        required = "required" in entry.options
        return Attribute(entry.name, kind, required, written, default, entry.told, entry.span, place)

    def _parameter(self, entry: Entry) -> Parameter:
        option = next((o for o in ("variadic", "optional") if o in entry.options), "")
        if not entry.rest:
            self._problems.append((entry.span, f"nothing says what type {entry.name} has"))
        return Parameter(entry.name, canonical(entry.rest), option, entry.told, entry.span)

    def _constraint(self, entry: Entry) -> Constraint:
        types, left = types_in(entry.rest)
        if left or not types:
            shown = f"`{left[:60]}` is no type" if left else "no type is listed"
            self._problems.append((entry.span, f"of {entry.name}, {shown}"))
        return Constraint(entry.name, tuple(types), entry.told, entry.span)
