"""The signature on a page: inputs and outputs, attributes with defaults, the version that it is based on."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

from sonnx_verify.pages.reading.blocks import Block, Cell
from sonnx_verify.pages.reading.kinds import InlineKind, SectionKind
from sonnx_verify.pages.reading.page import Page, Section
from sonnx_verify.sources import Span

_WRITTEN = re.compile(r"\\(?:text|textbf|textit|mathrm|mathbf|operatorname|mbox|texttt)\s*\{((?:[^{}]|\\_)*)\}")
_DOTS = re.compile(r"\\(?:l|c)?dots\b|…")
_CALL = re.compile(r"\s*(?P<operator>[A-Za-z]\w*)\s*\((?P<inputs>[^()]*)\)")
# `version 13`, `opset: 13`, `Max-13` at the end of a line.
_VERSION = re.compile(r"\b(?:version|opset)\s*:?\s*(\d+)|\b[A-Z][A-Za-z]+[- ](\d+)\s*$", re.IGNORECASE)
# The address of an operator on ONNX's own pages, with the anchor of the version.
_LINKED = re.compile(r"onnx__(?P<operator>\w+)\.html#(?:l-onnx-op-)?[a-z]\w*?-(?P<version>\d+)$")
_DEFAULT = re.compile(
    r"\bdefaults?(?:\s+value)?(?:\s+(?:is|of|to))?\s*[:=]?\s*(?:set to\s*)?[`'\"$(]*"
    r"(?P<value>[-+]?\d+(?:\.\d+)?|[A-Z][A-Z_]{2,})"
)
_KINDS = (
    ("ints", r"lists? of (?:positive )?int|\bints\b|int(?:eger)?\[\]"),
    ("floats", r"lists? of (?:float|real)|\bfloats\b"),
    ("strings", r"lists? of string|\bstrings\b"), ("int", r"\bint(?:eger|64)?\b"), ("float", r"\bfloat\b|\breal\b"),
    ("string", r"\bstring\b"), ("tensor", r"\btensor\b"),
)  # fmt: skip  # a table
"""Words for the kinds of attributes, lists before what they are lists of."""


@dataclass(frozen=True, slots=True)
class Signature:
    """`Y = Op(X, [B])` as a page writes it: names in order; `variadic` where dots stand among the inputs."""

    operator: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    variadic: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Documented:
    """An attribute, an input or an output that has a heading of its own. `kind` is that of an attribute as ONNX names
    it, empty where the page does not say; `default` as it is written, with its place."""

    name: str
    kind: str
    span: Span
    default: str = ""
    default_span: Span | None = None


@dataclass(frozen=True, slots=True)
class Based:
    """The version of ONNX that a page says it is based on."""

    version: int
    span: Span


def words(text: str) -> str:
    """LaTeX and Markdown as words: without dollars and back-ticks, upright text as it is."""
    made = re.sub(r"[$`*]", "", text)
    # \text{\texttt{x}} is written too.
    for _ in range(2):
        made = _WRITTEN.sub(lambda m: m[1], made)
    made = re.sub(r"\\[,;:! ]|\\quad", " ", _DOTS.sub("...", made)).replace("\\", "")
    return re.sub(r"([_^])\{(\w*)\}", r"\1\2", made)


def signature_of(sections: Sequence[Section]) -> Signature | None:
    """The signature of a family: the first line of its section `Signature` that calls something."""
    for section in sections:
        if section.kind is not SectionKind.SIGNATURE:
            continue
        for cell in section.cells:
            if (found := _call(cell)) is not None:
                return found
    return None


def _call(cell: Cell) -> Signature | None:
    # Each equals sign has what stands before it, back to the one before or a colon, on its left: of `Signature: Z = Y
    # = Max(X)` the output is Y.
    for left, right in pairwise(words(cell.text).split("=")):
        found = _CALL.match(right)
        if found is not None:
            inputs = _names(found["inputs"])
            outputs = _names(left.rpartition(":")[2])
            variadic = _DOTTED in inputs
            return Signature(found["operator"], _dotless(inputs), _dotless(outputs), variadic, cell.span)
    return None


_DOTTED = "..."


def _dotless(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(name for name in names if name != _DOTTED)


def _names(text: str) -> list[str]:
    # Brackets around an input say that it is optional, parentheses around outputs that they are several.
    parts = (part.strip() for part in re.sub(r"[\[\]()]", " ", text).split(","))
    return [part for part in parts if part]


def documented(sections: Sequence[Section], kind: SectionKind) -> list[Documented]:
    """The attributes, inputs or outputs that have a heading of their own in the section of that kind."""
    return [_documented(section, below) for section, below in _subsections(sections, kind)]


def _subsections(sections: Sequence[Section], kind: SectionKind) -> list[tuple[Section, list[Block]]]:
    """The headings just below that of a section, each with all that stands below it."""
    made: list[tuple[Section, list[Block]]] = []
    # `outer` is the level of the section of that kind, `inner` that of the headings just below it, as far as the one
    # that was read last tells them: the first may be of any level.
    outer, inner = _OUTSIDE, _OUTSIDE
    below: list[Block] = []
    for section in sections:
        depth = section.heading.level
        if depth <= outer:
            outer = depth if section.kind is kind else _OUTSIDE
            inner, below = _OUTSIDE, []
        elif depth <= inner and not _CONSTRAINTS.match(section.title):
            inner, below = depth, [*section.blocks]
            made.append((section, below))
        else:
            below += section.blocks
    return made


_CONSTRAINTS = re.compile(r"\W*constraints?\b", re.IGNORECASE)
"""A heading that stands below that of an attribute, or as high as it: it belongs to the attribute either way."""
_OUTSIDE = sys.maxsize
"""A level that no heading has."""


def _documented(section: Section, below: Sequence[Block]) -> Documented:
    name, _, said = words(section.heading.cell.text).partition(":")
    name, parenthesis, more = name.partition("(")
    kind = next((k for k, pattern in _KINDS if re.search(pattern, said + more)), "")
    cells = chain.from_iterable(block.cells for block in (section.heading, *below))
    for cell in cells:
        if found := _DEFAULT.search(words(cell.text)):
            return Documented(name.strip(), kind, section.heading.span, found["value"], cell.span)
    return Documented(name.strip(), kind, section.heading.span)


def based_on(page: Page) -> Based | None:
    """The version of ONNX that a page names before its first family, in words or in a link."""
    # Below a family a version is one that a sentence compares with.
    for section in page.sections:
        if section.kind is SectionKind.FAMILY:
            break
        for cell in (section.heading.cell, *section.cells):
            if (found := _in_words(cell)) is not None:
                return found
    for link in page.links:
        if linked := _LINKED.search(link.target):
            return Based(int(linked["version"]), link.span)
    return None


def _in_words(cell: Cell) -> Based | None:
    text = words(cell.text)
    targets = [link.target for link in cell.of(InlineKind.LINK)]
    # `version 2.0` alone is one of the page, of a tool or of anything.
    if "onnx" not in "\n".join([text.lower(), *targets]):
        return None
    found = _VERSION.search(text)
    return None if found is None else Based(int(found[1] or found[2]), cell.span)
