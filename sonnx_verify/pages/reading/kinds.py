"""The kinds of pages, of their sections, blocks and pieces, and of the tags on them.

All are texts as well: findings and JSON print them as they are.
"""

from __future__ import annotations

from enum import StrEnum


class PageKind(StrEnum):
    """A page of the profile, or one that describes operators of ONNX."""

    PROFILE = "profile"
    REFERENCE = "reference"


class PageForm(StrEnum):
    """The language that a page is written in."""

    MARKDOWN = "markdown"
    RST = "rst"
    PLAIN = "plain"


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


class TagKind(StrEnum):
    """The kinds of statements under a tag; FUNCTION is one about how a value comes about."""

    GENERAL_RESTRICTION = "general restriction"
    RESTRICTION = "restriction"
    CONSTRAINT = "constraint"
    ERROR = "error"
    FUNCTION = "function"


class TagStyle(StrEnum):
    """Tags are written as E_Abs_FUNC_1 on new pages, and as R1 on old ones."""

    NEW = "new"
    OLD = "old"


class TokenKind(StrEnum):
    """The kinds of tokens of a formula: a NAME of letters and digits, a WORD in upright letters, a MACRO by its name
    without backslash, a MARK of one character; OPEN and CLOSE are the braces of groups."""

    NAME = "name"
    NUMBER = "number"
    WORD = "word"
    MACRO = "macro"
    MARK = "mark"
    OPEN = "open"
    CLOSE = "close"


class Part(StrEnum):
    """The parts of a version of an operator on reference pages; OTHER has a heading that is none of them."""

    VERSION = "version"
    SUMMARY = "summary"
    ATTRIBUTES = "attributes"
    INPUTS = "inputs"
    OUTPUTS = "outputs"
    TYPES = "types"
    EXAMPLES = "examples"
    DIFFERENCES = "differences"
    FUNCTION = "function"
    OTHER = "other"


class VersionField(StrEnum):
    """The entries below the heading of a version that are read."""

    DOMAIN = "domain"
    SINCE_VERSION = "since_version"


class EntryOption(StrEnum):
    """The words between parentheses behind the name of an input, output or attribute."""

    OPTIONAL = "optional"
    VARIADIC = "variadic"
    REQUIRED = "required"
    HETEROGENEOUS = "heterogeneous"
