"""The kinds of pages, of their sections, blocks and pieces."""

from __future__ import annotations

from enum import StrEnum


class PageKind(StrEnum):
    """A page of the profile, or one that describes operators of ONNX."""

    PROFILE = "profile"
    REFERENCE = "reference"


class SectionKind(StrEnum):
    """The sections that pages of the profile have; FAMILY is the heading of a family, OTHER anything else."""

    CONTENTS = "contents"
    REVISION = "revision"
    SIGNATURE = "signature"
    RESTRICTIONS = "restrictions"
    FUNCTION = "function"
    EXAMPLES = "examples"
    ERRORS = "errors"
    ATTRIBUTES = "attributes"
    INPUTS = "inputs"
    OUTPUTS = "outputs"
    CONSTRAINTS = "constraints"
    FAMILY = "family"
    OTHER = ""


class BlockKind(StrEnum):
    """The kinds of blocks."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    ITEM = "item"
    TABLE = "table"
    QUOTE = "quote"
    CODE = "code"
    MATH = "math"
    HTML = "html"


class InlineKind(StrEnum):
    """The kinds of pieces of a line; a mark is a piece of HTML."""

    TEXT = "text"
    CODE = "code"
    MATH = "math"
    LINK = "link"
    ANCHOR = "anchor"
    MARK = "mark"
    BREAK = "break"
