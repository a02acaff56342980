"""Entries of reference pages: a name, what stands between parentheses behind it, a kind or types, a description."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from sonnx_verify.errors import Span
from sonnx_verify.pages.reading import labels
from sonnx_verify.pages.reading.blocks import Block
from sonnx_verify.pages.reading.cursor import after

_NAME = re.compile(r"\s*(?P<name>\w+(?:\.{3})?)\s*")
_CONSTRUCTOR = re.compile(rf"({'|'.join(w for words in labels.CONSTRUCTORS.values() for w in words)})\s*\(")
_MEMBER = re.compile(r"\s*(?:in\b|属于|から|∈|:|-|–)\s*")


@dataclass(slots=True)
class Entry:
    """`groups` stand between parentheses, `rest` after a dash, a colon or a word for `in`."""

    name: str
    span: Span
    groups: list[str]
    rest: str
    description: list[str] = field(default_factory=list)

    @property
    def options(self) -> frozenset[str]:
        """The members of labels.OPTIONS that the groups name."""
        words = (w for group in self.groups for w in group.split(","))
        return frozenset(filter(None, (labels.named(labels.OPTIONS, w) for w in words)))

    @property
    def told(self) -> str:
        """The description as a line."""
        return " ".join(" ".join(self.description).split())


def of_item(block: Block) -> Entry | None:
    """The entry that an item of a list is: its header goes up to a colon, or is all that stands there."""
    text = block.cell.text
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
    while n < len(text):
        if text[n] == "(" and not made.rest:
            end = _closing(text, n)
            made.groups.append(text[n + 1 : end].strip())
            n = end + 1
        elif sign := _MEMBER.match(text, n):
            rest = text[sign.end() :]
            # The kind of an attribute stands before what is between parentheses; types are all that follows.
            kind, _, behind = rest.partition("(")
            if labels.named(labels.KINDS, kind) and (kind.endswith(" ") or not behind):
                made.rest = kind.strip()
                n = sign.end() + len(kind)
                while (start := text.find("(", n)) >= 0:
                    n = _closing(text, start) + 1
                    made.groups.append(text[start + 1 : n - 1].strip())
            else:
                made.rest = rest.strip()
            break
        else:
            n += 1
    return made


def types_in(text: str) -> tuple[list[str], str]:
    """The types that a text lists, as ONNX's table writes them, and what is left that is none."""
    made: list[str] = []
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
    text = _CONSTRUCTOR.sub(lambda m: labels.named(labels.CONSTRUCTORS, m[1]) + "(", text)
    inner = re.fullmatch(r"tensor\((\w+)\)", text)
    return inner[1] if inner else text


def _colon(text: str) -> int:
    """The place of the colon that ends a header: outside parentheses, before a blank. The length, if none."""
    depth = 0
    for n, character in enumerate(labels.narrow(text)):
        depth += (character == "(") - (character == ")")
        if character == ":" and depth <= 0 and (n + 1 == len(text) or text[n + 1].isspace() or text[n] == "："):
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
