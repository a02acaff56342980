"""Inputs and attributes of an operator as a page writes them: a JSON object from names to values.

An input is a number or nested lists of them, of the first element type that the text has for it, or
`{"type": "float16", "data": [1, 2]}`. JSON has no NaN: it is written `"nan"`. No value names a file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sonnx_verify.errors import UsageError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.families import types_of
from sonnx_verify.logic.sorts import ELEMENT_TYPES

_DEEPEST = 64
"""The most lists in one another: ONNX bounds no rank, and nobody writes a tensor of more axes."""


@dataclass(frozen=True, slots=True)
class Values:
    """The values by name, as the command line writes them: `inputs` as `TYPE:VALUES`, `shapes` as `NAME=SIZES`,
    `attributes` as `NAME=VALUE`."""

    inputs: Mapping[str, str]
    shapes: tuple[str, ...]
    attributes: tuple[str, ...]


def values_of(file: s.File, text: str, *, sizes: bool) -> Values:
    """The values that a page gives for an operator. Where they are `sizes`, a list for an input is its shape. Raises
    UsageError for what is no value."""
    given = _object(text)
    attributes = {declared.name for declared in file.attributes}
    inputs: dict[str, str] = {}
    shapes: list[str] = []
    settings: list[str] = []
    types = _chosen_types(file, given)
    for name, value in given.items():
        if not re.fullmatch(r"\w+", name):
            raise UsageError(f"`{name}` is not a name", cure="use the names of the inputs and attributes")
        if name in attributes:
            settings.append(f"{name}={_plain(name, value)}")
        elif sizes and isinstance(value, list):
            shapes.append(f"{name}={','.join(_size(name, item) for item in value)}")
        else:
            inputs[name] = _tensor(file, name, value, types)
    return Values(inputs, tuple(shapes), tuple(settings))


def _object(text: str) -> dict[str, Any]:
    try:
        # The texts of numbers are kept: 0.1 is rounded once, to the type of its input.
        made = json.loads(text or "{}", parse_float=str, parse_int=str, parse_constant=str)
    except RecursionError:
        raise UsageError("the lists are too deep", cure=f"nest at most {_DEEPEST}") from None
    except ValueError as problem:
        cure = 'write an object such as {"X": [1, 2], "low": 0}, and NaN as "nan"'
        raise UsageError(f"this is not JSON: {problem}", cure=cure) from None
    if not isinstance(made, dict):
        raise UsageError("the values are not a JSON object", cure='write {"NAME": VALUE}')
    return made


def _declared(file: s.File, name: str) -> s.Declaration | None:
    """The declaration of an input: its own, or that of the variadic input that it is a member of."""
    for declared in file.inputs:
        member = declared.high is not None and re.fullmatch(rf"{re.escape(declared.name)}\d+", name)
        if declared.name == name or member:
            return declared
    return None


def _element_name(file: s.File, name: str) -> str:
    """The element type that an input is declared with, or its type variable; empty where it has none."""
    declared = _declared(file, name)
    if declared is None or declared.type.of is None:
        return ""
    return declared.type.of.name


def _chosen_types(file: s.File, given: Mapping[str, Any]) -> dict[str, str]:
    """The type of each type variable of which some input names the type."""
    chosen: dict[str, str] = {}
    for name, value in given.items():
        if isinstance(value, dict) and "type" in value:
            chosen.setdefault(_element_name(file, name), str(value["type"]))
    return chosen


def _tensor(file: s.File, name: str, value: Any, chosen: Mapping[str, str]) -> str:
    """The tensor as `TYPE:VALUES`, which is never the name of a file: what follows the type is JSON."""
    element = _element_name(file, name)
    kind = element
    if element not in ELEMENT_TYPES:
        kind = chosen.get(element) or next(iter(types_of(file, element)), "")
    if isinstance(value, dict):
        if "data" not in value or value.keys() - {"type", "data"}:
            raise UsageError(f"{name}: an input is a list, or has `type` and `data`", cure="write a list of numbers")
        kind, value = str(value.get("type", kind)), value["data"]
    if kind not in ELEMENT_TYPES:
        cure = f'write {{"{name}": {{"type": "float", "data": [1, 2]}}}}'
        raise UsageError(f"{name}: unknown element type `{kind}`", cure=cure)
    _refuse_deep(name, value)
    return f"{kind}:{json.dumps(value)}"


def _refuse_deep(name: str, value: Any) -> None:
    depth, level = 0, [value]
    while level := [item for one in level if isinstance(one, list) for item in one]:
        depth += 1
        if depth > _DEEPEST:
            raise UsageError(f"{name}: the lists are too deep", cure=f"nest at most {_DEEPEST}")


def _plain(name: str, value: Any) -> str:
    """An attribute as the command line writes it."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return json.dumps(value)
    raise UsageError(f"{name} is an attribute", cure="write a number, a text, or a list of numbers")


def _size(name: str, value: Any) -> str:
    if isinstance(value, str) and re.fullmatch(r"\w+", value):
        return value
    raise UsageError(f"{name}: a size is a number or a name", cure=f'write {{"{name}": ["N", 3]}}')
