"""The model of a reference page: each version of an operator with its signature, types, attributes and examples."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from typing import Any

from sonnx_verify.pages.reading.blocks import Cell
from sonnx_verify.pages.reading.code_examples import Example
from sonnx_verify.pages.reading.kinds import Part
from sonnx_verify.sources import Span


@dataclass(frozen=True, slots=True)
class Attribute:
    """`kind` as ONNX's table names it, empty where the page does not say it; `written` is the default as it stands
    there and `default` its value, both None where there is none."""

    name: str
    kind: str
    required: bool
    written: str | None
    default: Any
    description: str
    span: Span
    default_span: Span


@dataclass(frozen=True, slots=True)
class Parameter:
    """An input or output: `type` is a type variable, or a type as ONNX's table writes it; `option` is empty, optional
    or variadic."""

    name: str
    type: str
    option: str
    description: str
    span: Span


@dataclass(frozen=True, slots=True)
class Constraint:
    """A type variable, and its element types in the order of the page."""

    variable: str
    types: tuple[str, ...]
    description: str
    span: Span


@dataclass(slots=True)
class Version:
    """A version of an operator. `numbers` are all places that say which: the heading, a field, a sentence, an anchor.
    `sections` are the parts that it has, with their places. `domain` is empty for the main one."""

    operator: str
    domain: str
    span: Span
    numbers: list[tuple[int, Span]] = field(default_factory=list)
    deprecated: bool = False
    summary: list[Cell] = field(default_factory=list)
    attributes: list[Attribute] = field(default_factory=list)
    inputs: list[Parameter] = field(default_factory=list)
    outputs: list[Parameter] = field(default_factory=list)
    types: list[Constraint] = field(default_factory=list)
    examples: list[Example] = field(default_factory=list)
    sections: dict[Part, Span] = field(default_factory=dict)

    @property
    def since(self) -> int | None:
        """The number of the version, as the first place says it that does."""
        return self.numbers[0][0] if self.numbers else None


@dataclass(slots=True)
class Reference:
    """An operator with the versions of it that a page has, in their order. `problems` are what cannot be read."""

    operator: str
    domain: str
    versions: list[Version]
    problems: list[tuple[Span, str]] = field(default_factory=list)

    @property
    def span(self) -> Span:
        """The place of the first of its versions."""
        return self.versions[0].span


def default_of(written: str, kind: str) -> Any:
    """The value of a default as it is written, with or without marks of code around it, for an attribute of that kind;
    a text where it is no number, and the kind is none of numbers, or unknown. Raises ValueError for what is none of
    that kind."""
    text = written.strip().strip("`").strip()
    quoted = re.fullmatch(r"(['\"])(.*)\1", text)
    # `(1, 1)` in parentheses is a list or one value, `"a"` in quotes a text.
    inner = quoted[2] if quoted else re.sub(r"^\((.*)\)$", r"\1", text)
    if kind == "string":
        return inner
    made = _literal(inner)
    # The kinds of lists in ONNX's table are those of their members with an s: ints, floats, strings.
    if kind.endswith("s") and isinstance(made, list):
        return [_element(item, kind[:-1]) for item in made]
    if kind in _NUMBERS:
        return _element(made, kind)
    # A text between quotes is that text, whatever is written in it; quotes around a number are marks of code.
    if quoted and not kind and isinstance(made, str):
        return inner
    return made


_NUMBERS: dict[str, type[int] | type[float]] = {"int": int, "float": float}


def _literal(text: str) -> Any:
    """The value of a text as Python or C++ write it: with True or true, 1.0 or 1.0f; the text if it is none."""
    written = re.sub(r"\b(true|false)\b", lambda found: found[1].capitalize(), text.removesuffix("f"))
    try:
        made = ast.literal_eval(written)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return text
    return list(made) if isinstance(made, tuple) else made


def _element(value: Any, kind: str) -> Any:
    number = _NUMBERS.get(kind)
    if number is None:
        return value
    if isinstance(value, str):
        # `inf` and `nan` are no literals of Python, but texts that float reads.
        value = number(value)
    # `True` is an int in Python, and counts as 1.
    if not isinstance(value, int | float):
        raise ValueError(f"{value} is no {kind}")
    return value
