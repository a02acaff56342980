"""Entries of reference pages: a name, what stands between parentheses behind it, a kind or types, a description."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import chain

from sonnx_verify.errors import Span
from sonnx_verify.pages.reading import labels
from sonnx_verify.pages.reading.blocks import Block
from sonnx_verify.pages.reading.cursor import after
from sonnx_verify.pages.reading.kinds import EntryOption

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
