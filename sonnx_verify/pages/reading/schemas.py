"""ONNX's signatures of its operators: the committed table that pages are compared with."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

# The table is committed: pages are checked without the package onnx, and alike with any version of it.
_TABLE = Path(__file__).with_name("schemas.json")


@dataclass(frozen=True, slots=True)
class Parameter:
    """An input or output: `type` is a type variable or an element type; `option` is empty, optional or variadic."""

    name: str
    type: str
    option: str


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute: `kind` as ONNX names it, in small letters; `default` is None where ONNX gives none."""

    name: str
    kind: str
    required: bool
    default: Any


@dataclass(frozen=True, slots=True)
class Schema:
    """A version of an operator. `arity` are the least and the most inputs, then outputs; None for no bound. `types`
    are the element types of each type variable; what is no tensor is written as ONNX writes it, as `seq(tensor(x))`."""

    operator: str
    version: int
    deprecated: bool
    types: dict[str, tuple[str, ...]]
    inputs: tuple[Parameter, ...]
    outputs: tuple[Parameter, ...]
    arity: tuple[int, int | None, int, int | None]
    attributes: tuple[Attribute, ...]

    @property
    def elements(self) -> frozenset[str]:
        """All types that some input or output may have."""
        named = {p.type for p in (*self.inputs, *self.outputs)}
        return frozenset(t for name in named for t in self.types.get(name, (name,)))


@cache
def operators() -> dict[str, tuple[int, ...]]:
    """The versions of each operator of ONNX's main domain, oldest first."""
    made: dict[str, list[int]] = {}
    for key in _rows():
        name, _, version = key.rpartition("-")
        made.setdefault(name, []).append(int(version))
    return {name: tuple(sorted(versions)) for name, versions in made.items()}


@cache
def schema(operator: str, opset: int | None = None) -> Schema | None:
    """The operator of that name in an opset, by default in the newest; None where ONNX has none."""
    # An opset has the newest version that is not newer than it: opset 14 has version 6 of LeakyRelu.
    versions = [v for v in operators().get(operator, ()) if opset is None or v <= opset]
    if not versions:
        return None
    row = _rows()[f"{operator}-{versions[-1]}"]
    return Schema(
        operator,
        versions[-1],
        row["deprecated"],
        {name: tuple(types.split()) for name, types in row["types"].items()},
        tuple(Parameter(*p) for p in row["inputs"]),
        tuple(Parameter(*p) for p in row["outputs"]),
        tuple(row["arity"]),
        tuple(Attribute(*a) for a in row["attributes"]),
    )


@cache
def _rows() -> dict[str, dict[str, Any]]:
    made: dict[str, dict[str, Any]] = json.loads(_TABLE.read_text("utf-8"))
    return made
