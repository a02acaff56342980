"""What a text can use, and the helpers that every part of the elaborator needs."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from sonnx_verify.errors import Source, Span, SpecificationError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.context import Context
from sonnx_verify.language.parser import parse_expression
from sonnx_verify.language.values import (
    Items,
    Members,
    Outcome,
    Position,
    Results,
    SetOf,
    Shape,
    Tensor,
    Value,
)
from sonnx_verify.logic.operators import GROUPS
from sonnx_verify.logic.sorts import BOOL, ELEMENT, ELEMENT_TYPES, INT, FloatSort, IntegerSort, Sort
from sonnx_verify.logic.terms import Term


@dataclass(frozen=True, slots=True)
class Lemma:
    """A theorem that a proof can use: where it stands, what its text can use, and the obligation that it is, for a
    family, some element types, and the types of the other type variables; None where it is not stated for them.
    `typed` says whether its text lists types for T."""

    theorem: s.Theorem
    file: s.File
    library: Callable[[], Library]
    id: Callable[[str, tuple[Sort, ...], Mapping[str, Sort]], str | None]
    typed: bool


@dataclass(frozen=True, slots=True)
class Setting:
    """The value of an attribute in a call."""

    value: Value
    span: Span


@dataclass(frozen=True, slots=True)
class Call:
    """An operator's name with arguments and settings. The path leads to it, through the calls of definitions."""

    name: str
    values: list[Value]
    settings: Mapping[str, Setting]
    path: tuple[Span, ...]

    @property
    def span(self) -> Span:
        """Where it stands."""
        return self.path[-1]


@dataclass(frozen=True, slots=True)
class Library:
    """What a file can use: definitions by name (one for each family), orders, facts, general restrictions."""

    definitions: Mapping[str, list[s.Definition]] = field(default_factory=dict)
    orders: Mapping[str, s.OrderDefinition] = field(default_factory=dict)
    facts: Mapping[str, str] = field(default_factory=dict)
    generals: Mapping[str, s.General] = field(default_factory=dict)
    undefined: Mapping[str, s.Undefined] = field(default_factory=dict)
    lemmas: Mapping[str, Lemma] = field(default_factory=dict)
    operators: Callable[[Call, Context], Outcome | None] = lambda *_: None
    operator_names: Callable[[], Sequence[str]] = tuple
    defined_in: Callable[[str], str] = lambda _: ""
    """The library, not used here, that defines a name."""


MACHINE = IntegerSort | FloatSort
FUNCTIONS = frozenset(GROUPS["float"] | {"rank", "count", "div", "mod", "axes", "indices", "given"})


def fits(value: Value, wanted: s.Type) -> bool:
    """Whether a value is of the type."""
    match value, wanted.name:
        case Term(), "int":
            return value.sort == INT
        case Term(), "bool":
            return value.sort == BOOL
        case Term(), "T":
            return value.sort == ELEMENT or value.sort.name in ELEMENT_TYPES
        case Term(), _:
            return value.sort.name == wanted.name
        case Shape(), "shape":
            return True
        case Position(), "index":
            return True
        case Tensor(), "tensor":
            assert wanted.of is not None
            return wanted.of.name == "T" or value.sort.name == wanted.of.name
        case Items(), "list":
            return same_kind(value.kind, str(wanted.of))
        case SetOf(), "set":
            assert wanted.of is not None
            return fits(value.body, wanted.of)
        case Members(), "set":
            return str(wanted.of) == "int"
        case Results(), "set":
            assert wanted.of is not None
            return wanted.of.name in ("T", value.sort.name)
        case _:
            return False


@cache
def holes(node: s.Node) -> tuple[s.Node, ...]:
    """The expressions in braces in the sentence of a `for all`."""
    found = []
    for text in re.findall(r"\{([^{}]*)\}", node.text[0]):
        try:
            found.append(parse_expression(Source(node.span.source.name, text)))
        except SpecificationError as problem:
            raise SpecificationError(
                f"in the sentence after `otherwise`: {problem.message}", node.span, "write an expression in the braces"
            ) from None
    return tuple(found)


def same_kind(kind: str, wanted: str) -> bool:
    """Whether what a list holds, by its name, is what is wanted; T stands for any element."""
    return kind == wanted or (wanted.split()[-1] == "T" and kind.split()[:-1] == wanted.split()[:-1])


def binders_of(node: s.Node) -> list[s.Node | None]:
    """The binders, and at the end the condition or None."""
    where = next((p.parts[0] for p in node.parts if p.kind == "where"), None)
    return [*(p for p in node.parts if p.kind == "binder"), where]


def a_kind(kind: str) -> str:
    """The kind with its article."""
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"


def text_of(node: s.Node) -> str:
    """The expression as it is written, on one line."""
    span = node.span
    return " ".join(span.source.text[span.start : span.start + span.length].split())
