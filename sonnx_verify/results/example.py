"""Concrete input that shows something: the witness of a statement, or a counterexample to it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sonnx_verify.logic.sorts import ELEMENT_TYPES
from sonnx_verify.results.shown import Shown
from sonnx_verify.results.values import Value, ValueKind, value_text

NOTHING = "no input is given"
"""The words for an example of families without members alone."""


class Role(StrEnum):
    """The role that a name has in an operator."""

    INPUT = "input"
    ATTRIBUTE = "attribute"
    OUTPUT = "output"


@dataclass(frozen=True, slots=True)
class Given:
    """A name with its value; the members of a variadic input stand one by one, as X0, X1, ..."""

    name: str
    role: Role
    value: Value


@dataclass(frozen=True, slots=True)
class Omitted:
    """An input or attribute that is not given, and the value that it has then, if it has one."""

    name: str
    default: Value | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Example(Shown):
    """Concrete input, replayed by the reference evaluator before it is shown.

    `given` are inputs and attributes, `outputs` what comes of them (Y' is a second result), each in the order of the
    text; `unasked` are optional outputs that are not asked for. `minimal` says whether it is the smallest there is in
    the order of docs/design.md. `broken` is the sentence that it violates; of a witness, what it makes true. Where that
    is a read, `read` says which index is read, and of which shape.
    """

    given: tuple[Given, ...]
    outputs: tuple[Given, ...]
    omitted: tuple[Omitted, ...]
    unasked: tuple[str, ...]
    minimal: bool
    broken: str
    read: str = ""

    def __repr__(self) -> str:
        return f"<{example_line(self)}>"

    @property
    def arrays(self) -> dict[str, Any]:
        """Inputs, attributes and outputs by name, as numpy arrays."""
        return {one.name: one.value.array for one in (*self.given, *self.outputs)}

    @property
    def text(self) -> str:
        """The example with a line for each name."""
        return "\n".join(example_lines(self))


def _rows(example: Example) -> list[tuple[str, str]]:
    """Names with what they are, inputs and attributes first; what is left out last."""
    rows = [(one.name, value_text(one.value)) for one in (*example.given, *example.outputs)]
    for omitted in example.omitted:
        default = "" if omitted.default is None else f", so {value_text(omitted.default)}"
        rows.append((omitted.name, f"not given{default}"))
    rows += [(name, "not asked for") for name in example.unasked]
    return rows


def example_lines(example: Example) -> list[str]:
    """`X0 = int8 (2) [0, 0]`, a line for each name."""
    rows = _rows(example)
    # Values stand below each other, so that shapes can be compared.
    width = max((len(name) for name, _ in rows), default=0)
    return [f"{name:<{width}} = {text}" for name, text in rows] or [NOTHING]


def example_line(example: Example) -> str:
    """The same on one line."""
    return ", ".join(f"{name} = {text}" for name, text in _rows(example)) or NOTHING


_TYPE = re.compile(rf"\b(?:{'|'.join(ELEMENT_TYPES)})\b")
_TRUTH = {"false": "0", "true": "1"}


def masked_input(example: Example | None) -> str:
    """The input with every element type written as T, and truth values as numbers: examples of two types that have the
    same one show the same. Empty without an example."""
    if example is None:
        return ""
    text = _TYPE.sub("T", ", ".join(given_texts(example.given)))
    return re.sub(r"\b(?:false|true)\b", lambda found: _TRUTH[found[0]], text)


def read_outside(example: Example | None) -> str:
    """Of an example in which an index is read outside, the shapes and the attributes of the input; else empty."""
    return shapes_given(example) if example is not None and example.read else ""


def shapes_given(example: Example | None) -> str:
    """The shapes of tensors, and other values as they are."""
    if example is None:
        return ""
    values = ((one.name, one.value) for one in example.given)
    return ", ".join(
        f"{name} = {value.shape if value.kind is ValueKind.TENSOR else value_text(value)}" for name, value in values
    )


def given_texts(given: Sequence[Given]) -> list[str]:
    """`X0 = int8 (2) [0, 0]` for each of some names."""
    return [f"{one.name} = {value_text(one.value)}" for one in given]
