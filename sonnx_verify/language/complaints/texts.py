"""The mistakes of texts as such: what is not read, stands at no place for it, or is there twice. Not trusted.

Whoever raises one of these has found that there is a mistake; all that the functions choose is its words.
"""

from __future__ import annotations

from sonnx_verify.errors import SpecificationError
from sonnx_verify.language import syntax as s
from sonnx_verify.sources import Source, Span

_NAME_PARTS = "give parts of it names with `let` or `define`"


# ------------------------------------------------------------------------------------------------------ what is read


def empty(source: Source) -> SpecificationError:
    """A file without a text."""
    cure = "begin with a line such as `operator NAME version 1 draft`"
    return SpecificationError(f"{source.name} is empty", Span(source, 1, 1), cure)


def no_header(source: Source) -> SpecificationError:
    """A file that does not say what it is."""
    cure = 'begin with `operator NAME version N profile`, `library NAME "..."` or `theory NAME "..."`'
    return SpecificationError("the file has no header", Span(source, 1, 1), cure)


def two_headers(header: s.Header, kind: s.FileKind) -> SpecificationError:
    """A second header."""
    return SpecificationError(
        f"the file is already a {kind}", header.span, "write one operator, library or theory per file"
    )


def item_of_operators(kind: s.FileKind, span: Span) -> SpecificationError:
    """An item of an operator in another file."""
    return SpecificationError(f"a {kind} cannot contain this item", span, "move it to an operator, or write a `define`")


def in_sentence(message: str, span: Span) -> SpecificationError:
    """A mistake in the sentence of a `for all`."""
    return SpecificationError(
        f"in the sentence after `otherwise`: {message}", span, "write an expression in the braces"
    )


def joined_words(text: str, span: Span) -> SpecificationError:
    """A word that was taken for two."""
    return SpecificationError(f"unexpected `{text}`", span, "put a blank behind the keyword in it")


def too_many_digits(most: int, span: Span) -> SpecificationError:
    """A version or the like that is too long."""
    return SpecificationError(f"the number has more than {most} digits", span, "write a shorter one")


def too_many_parts(most: int, span: Span) -> SpecificationError:
    """An expression with too many operands."""
    return SpecificationError(f"the expression has more than {most} parts", span, _NAME_PARTS)


def too_deep(most: int, span: Span) -> SpecificationError:
    """An expression that is nested too deep."""
    return SpecificationError(f"the expression is nested more than {most} deep", span, _NAME_PARTS)


def reserved(name: str, span: Span) -> SpecificationError:
    """A keyword as a name."""
    return SpecificationError(f"`{name}` cannot be a name", span, "it is a keyword: choose another name")


def version_of_nothing(item: s.Difference) -> SpecificationError:
    """A version in a file without an operator."""
    return SpecificationError(
        f"`version {item.version}` has no operator before it",
        item.span,
        "begin the file with `operator NAME version N standard`; only operators have versions",
    )


def change_of_nothing(word: str, span: Span) -> SpecificationError:
    """A change above the first version."""
    return SpecificationError(
        f"`{word}` stands outside of a version",
        span,
        f"write `version N` above it, or the item without `{word}`",
    )


def not_a_change(difference: s.Difference, span: Span) -> SpecificationError:
    """An item below a version that is no change."""
    return SpecificationError(
        f"this item under `version {difference.version}` does not say what it changes",
        span,
        "write `add` or `replace` before it, or put it above the first `version`",
    )


def not_changeable(word: str, span: Span) -> SpecificationError:
    """A change of something that is no item of an operator."""
    return SpecificationError(f"`{word}` takes an item of an operator", span, "such as `add let A = 1`")


def two_parameters(parameter: s.Declaration) -> SpecificationError:
    """Two parameters of one name."""
    return SpecificationError(f"two parameters are called `{parameter.name}`", parameter.span, "rename one of them")


def two_lines(types: s.Types) -> SpecificationError:
    """Two `types` lines of one name."""
    return SpecificationError(f"types `{types.name}` are listed twice", types.span, "merge the two lists")
