"""The mistakes of texts as such: what is not read, stands at no place for it, or is there twice. Not trusted.

Whoever raises one of these has found that there is a mistake; all that the functions choose is its words.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from sonnx_verify.errors import SpecificationError
from sonnx_verify.language import syntax as s
from sonnx_verify.logic.sorts import INT, STRING, Sort
from sonnx_verify.sources import Source, Span

_OTHER_TYPES = {
    "half": "float16",
    "float32": "float",
    "float64": "double",
    "boolean": "bool",
    "long": "int64",
    "byte": "uint8",
}
"""Names of types elsewhere, each with ONNX's."""
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


# ------------------------------------------------------------------------------------------- defaults of attributes


def list_or_value(declaration: s.Declaration, span: Span, *, listed: bool) -> SpecificationError:
    """A default that is a list where one value belongs, or the other way round."""
    wanted = "one value"
    if listed:
        wanted = "a list"
    return SpecificationError(f"the default of `{declaration.name}` must be {wanted}", span, f"write {wanted}")


def too_wide(name: str, span: Span) -> SpecificationError:
    """A default beyond the integers of ONNX."""
    return SpecificationError(
        f"the default of `{name}` does not fit in 64 bits", span, "integer attributes have 64 bits"
    )


def not_a_literal(name: str, sort: Sort, span: Span) -> SpecificationError:
    """A default that is not written out, or is of another type."""
    kind = {INT: "an integer", STRING: 'a text in "quotes"'}.get(sort, "a number")
    return SpecificationError(f"the default of `{name}` is not a literal of type {sort}", span, f"write {kind}")


# ------------------------------------------------------------------------------------------------------ `types` lines


def of_some_types(word: str, listed: Iterable[str], types: Collection[str], span: Span | None) -> SpecificationError:
    """An item that belongs to some of the types of a section only."""
    found = ", ".join(types) or "of any type"
    return SpecificationError(
        f"`for {word}` is about {', '.join(listed)} alone, and the elements here are {found}",
        span,
        f"list the types of `{word}` in a line of their own",
    )


def type_as_variable(variable: str, span: Span | None) -> SpecificationError:
    """A type variable with the name of a type."""
    return SpecificationError(f"`{variable}` is a type, not a variable", span, "choose another name for it")


def type_twice(name: str, variable: str, span: Span | None) -> SpecificationError:
    """A type that is listed twice."""
    return SpecificationError(f"{name} is listed twice for `{variable}`", span, "list each type once")


def unknown_types(name: str, unknown: Iterable[str], known: Iterable[str], span: Span | None) -> SpecificationError:
    """Words in a `types` line that are no types."""
    listed = list(unknown)
    cure = "use " + ", ".join(known)
    if other := next((word for word in listed if word in _OTHER_TYPES), None):
        # No correction: the line itself may be called so, and an editor would rename it.
        cure = f"write `{_OTHER_TYPES[other]}`, its name in ONNX"
    return SpecificationError(f"unknown element types in `types {name}`: {', '.join(listed)}", span, cure)


def mixed_families(name: str, families: Iterable[str], span: Span | None) -> SpecificationError:
    """A `types` line with types of several families."""
    return SpecificationError(
        f"`types {name}` mixes the families {', '.join(sorted(families))}", span, "write one line for each family"
    )


# ------------------------------------------------------------------------------------------------------------ versions


def falling(version: int, last: int, span: Span) -> SpecificationError:
    """A version below the one before it."""
    return SpecificationError(
        f"version {version} follows version {last}", span, "order the versions from oldest to newest"
    )


def edition_twice(edition: str, version: int, span: Span) -> SpecificationError:
    """A version, or a text of it, that is there already."""
    return SpecificationError(
        f"{edition} is defined twice",
        span,
        f"write a higher number, or name another text of it: `version {version} text NAME`",
    )


def one_identity(other: str, text: str, span: Span) -> SpecificationError:
    """Two texts whose sections cannot be told apart."""
    return SpecificationError(
        f"the texts {other} and {text} have the same identity",
        span,
        "choose a name that does not begin with that of another text and a point",
    )


def without_name(item: s.Using) -> SpecificationError:
    """A change of a `using` line."""
    return SpecificationError(
        "a `using` line has no name, so a version cannot change it",
        item.used[0].span,
        "write it above the first `version`",
    )


def already_there(item: str, span: Span) -> SpecificationError:
    """An `add` of an item that there is."""
    return SpecificationError(f"{item} already exists", span, "write `replace` instead of `add`")


def already_listed(name: str, member: str, span: Span) -> SpecificationError:
    """An `add` of a type that a line has."""
    return SpecificationError(f"`types {name}` already lists {member}", span, "remove it")


def already_an_input(name: str, span: Span) -> SpecificationError:
    """A `move` of an attribute that has the name of an input."""
    return SpecificationError(f"input {name} already exists", span, "remove the attribute instead")


def ambiguous(item: str, count: int, span: Span) -> SpecificationError:
    """A `replace` of one of several items."""
    return SpecificationError(
        f"{item} is ambiguous: there are {count}", span, "one of them cannot be distinguished from the others"
    )


def removed_twice(name: str, member: str, known: Iterable[str], span: Span) -> SpecificationError:
    """A type that is removed twice."""
    return SpecificationError(f"{member} is removed twice from `types {name}`", span, "it has " + " ".join(known))


def not_listed(name: str, member: str, known: Iterable[str], span: Span) -> SpecificationError:
    """A type that is removed, and is not there."""
    return SpecificationError(f"`types {name}` does not list {member}", span, "it has " + " ".join(known))


# ------------------------------------------------------------------------------------------------- names of a project


def unknown_library(name: str, span: Span) -> SpecificationError:
    """A `use` of a library that there is not."""
    return SpecificationError(
        f"unknown library `{name}`", span, f"put {name}.sonnx next to this file, or correct the name"
    )


def not_a_library(use: s.Use, kind: s.FileKind) -> SpecificationError:
    """A `use` of an operator."""
    return SpecificationError(f"`{use.name}` is a {kind}, not a library", use.span, "use a library")


def circular_use(file: s.File, above: Sequence[str]) -> SpecificationError:
    """Files that use each other."""
    cycle = " -> ".join([*above[above.index(file.path) :], file.path])
    return SpecificationError(
        f"circular `use`: {cycle}",
        next((use.span for use in file.uses), file.span),
        "move the shared part into a third file",
    )


def order_twice(order: s.OrderDefinition) -> SpecificationError:
    """Two orders of one name."""
    return SpecificationError(f"order `{order.name}` is defined twice", order.span, "rename one")


def definition_twice(definition: s.Definition, other: s.Definition) -> SpecificationError:
    """Two definitions of one name for one family."""
    return SpecificationError(
        f"`{definition.name}` is defined twice; the other definition is at {other.span}",
        definition.span,
        "rename one, or give each a family",
    )


def theorem_twice(theorem: s.Theorem, other: s.Theorem) -> SpecificationError:
    """Two theorems of one name."""
    return SpecificationError(
        f"theorem `{theorem.name}` is defined twice; the other definition is at {other.span}",
        theorem.span,
        "rename one",
    )


def operator_twice(operator: str, file: s.File, other: s.File) -> SpecificationError:
    """Two operators of one name and version."""
    return SpecificationError(
        f"operator {operator} is defined twice; the other definition is at {other.span}",
        file.span,
        "rename one of them, or work in a folder that has only one of them",
    )
