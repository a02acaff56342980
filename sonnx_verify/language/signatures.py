"""ONNX's signatures of its operators: the committed table `spec/onnx/signatures.json`. Trusted.

`tools/schemas.py` writes the table. Each version of an operator has one line in it, an object with short keys; what
there is none of has no key:

| key | holds |
|---|---|
| `i`, `o` | inputs and outputs: name, type or type variable, and `optional` or `variadic` |
| `n` | the least and the most inputs, then outputs; null for no bound |
| `r` | attributes that have to be given: name and kind |
| `a` | the other attributes: name, kind, and the default where ONNX has one that JSON can hold |
| `t` | type variables, each with the name of its list of types |
| `x` | groups of attributes and inputs of which a node has exactly one |
| `d` | 1 if the operator is deprecated from this version on |

A list of types stands once in the table, under its name. Only the lines that are asked for are decoded.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

_HEAD = '{\n "form": 2,\n'
_KEYS = re.compile(r'^  "(\w+)-(\d+)": ', re.MULTILINE)


class Option(StrEnum):
    """The number of tensors that an input or output stands for, as ONNX names it."""

    SINGLE = ""
    OPTIONAL = "optional"
    VARIADIC = "variadic"


@dataclass(frozen=True, slots=True)
class Parameter:
    """An input or output: `type` is a type variable or an element type."""

    name: str
    type: str
    option: Option


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute: `kind` as ONNX names it, in small letters; `default` is None where ONNX gives none."""

    name: str
    kind: str
    required: bool
    default: Any = None


@dataclass(frozen=True, slots=True)
class Schema:
    """A version of an operator. `arity` are the least and the most inputs, then outputs; None for no bound. `types`
    are the element types of each type variable; what is no tensor is written as ONNX writes it, as `seq(tensor(x))`.
    `exactly_one` are groups of attributes and inputs: a node has one of each."""

    operator: str
    version: int
    deprecated: bool
    types: dict[str, tuple[str, ...]]
    inputs: tuple[Parameter, ...]
    outputs: tuple[Parameter, ...]
    arity: tuple[int, int | None, int, int | None]
    attributes: tuple[Attribute, ...]
    exactly_one: tuple[tuple[str, ...], ...] = ()

    @property
    def elements(self) -> frozenset[str]:
        """All types that some input or output may have."""
        named = {p.type for p in (*self.inputs, *self.outputs)}
        return frozenset(t for name in named for t in self.types.get(name, (name,)))


class Table:
    """The text of a table. One of another form than this version's knows no operator."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.is_readable = text.startswith(_HEAD)

    def operators(self) -> dict[str, tuple[int, ...]]:
        """The versions of each operator of ONNX's main domain, oldest first."""
        made: dict[str, list[int]] = {}
        if self.is_readable:
            for name, version in _KEYS.findall(self._text):
                made.setdefault(name, []).append(int(version))
        return {name: tuple(sorted(versions)) for name, versions in made.items()}

    def schema(self, operator: str, version: int) -> Schema | None:
        """The operator at exactly that version; None where ONNX has none."""
        row = self._entry(f"{operator}-{version}") if self.is_readable else None
        if row is None:
            return None
        attributes = [Attribute(name, kind, required=True) for name, kind in row.get("r", ())]
        attributes += [_attribute(*one) for one in row.get("a", ())]
        return Schema(
            operator,
            version,
            "d" in row,
            {variable: tuple(self._entry(name).split()) for variable, name in row.get("t", {}).items()},
            _parameters(row.get("i", ())),
            _parameters(row.get("o", ())),
            tuple(row["n"]),
            tuple(sorted(attributes, key=lambda a: a.name)),
            tuple(tuple(group) for group in row.get("x", ())),
        )

    def _entry(self, key: str) -> Any:
        """The value of a line; None where there is no such line."""
        begin = self._text.find(f'\n  "{key}": ')
        if begin < 0:
            return None
        end = self._text.index("\n", begin + 1)
        line = self._text[begin:end].rstrip(",")
        return json.loads(f"{{{line}}}")[key]


def _parameters(rows: Iterable[list[str]]) -> tuple[Parameter, ...]:
    return tuple(Parameter(name, kind, Option(*option or ("",))) for name, kind, *option in rows)


def _attribute(name: str, kind: str, default: Any = None) -> Attribute:
    return Attribute(name, kind, required=False, default=default)


_WHOLE = {"seq": "sequences", "optional": "optionals", "map": "maps"}
"""The names of types of ONNX that are no types of elements, by their beginning."""


def word_of(onnx_type: str) -> str:
    """The word for a type: its own name, or `sequences` for a sequence of whatever type, and so on."""
    return _WHOLE.get(onnx_type.partition("(")[0], onnx_type)
