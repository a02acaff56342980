"""Attributes written on a command line, as values of their kinds."""

from __future__ import annotations

import json

from sonnx_verify.errors import UsageError
from sonnx_verify.kernel.variables import GREATEST, LOWEST
from sonnx_verify.language import syntax as s
from sonnx_verify.language.constants import TYPES_BY_CODE, type_code
from sonnx_verify.logic import floats
from sonnx_verify.logic.sorts import ELEMENT_TYPES, FloatSort
from sonnx_verify.results.concrete import Concrete
from sonnx_verify.solving.inputs.arguments import tensor_argument

_SHAPES = {
    "int": "an integer",
    "ints": "a list of integers such as [0, 1]",
    "float": "a number",
    "floats": "a list of numbers such as [0.5, 1]",
    "string": "a text",
    "strings": 'a list of texts such as ["A", "B"]',
    "type": "a type such as int8, or its number in ONNX",
}


_SAMPLES = {
    "int": "N",
    "ints": "[N, N]",
    "float": "NUMBER",
    "floats": "[NUMBER, NUMBER]",
    "string": "TEXT",
    "strings": '["TEXT", "TEXT"]',
    "tensor": "TYPE:VALUES",
    "type": "TYPE",
}


def attribute_sample(declaration: s.Declaration) -> str:
    """The form of an attribute on a command line."""
    return _SAMPLES.get(_kind(declaration), "VALUE")


_RANGE = f"write an integer from {LOWEST} to {GREATEST}, as ONNX stores them"


class _TooWide(ValueError):
    """An integer of more than 64 bits."""


def _kind(declaration: s.Declaration) -> str:
    return {"list of int": "ints", "list of float": "floats", "list of string": "strings"}.get(
        str(declaration.type), declaration.type.name
    )


def attribute_argument(declaration: s.Declaration, text: str) -> Concrete:
    """The value of an attribute: `1`, `[0, 1]`, `0.5`, `nan`, `SAME`, after the kind that is declared. UsageError says
    what is wrong with anything else."""
    kind = _kind(declaration)
    if kind == s.TypeWord.TENSOR:
        return tensor_argument(declaration.name, text)
    try:
        value = _value(kind, text)
    except _TooWide:
        raise UsageError(f"{declaration.name}: `{text}` is beyond 64 bits", cure=_RANGE) from None
    except (ValueError, RecursionError):
        value = None
    if value is None:
        wanted = _SHAPES.get(kind, f"a {kind}")
        raise UsageError(f"{declaration.name}: `{text}` is not {wanted}", cure=f"write {wanted}")
    return value


def _value(kind: str, text: str) -> Concrete | None:
    """The value that is written; None, or an error of Python's, where it is none of the kind."""
    if kind == "string":
        # Half of a surrogate pair comes from a shell in another encoding, and can be printed nowhere.
        text.encode()
        return text
    if kind == s.TypeWord.TYPE:
        if text in ELEMENT_TYPES and ELEMENT_TYPES[text] in TYPES_BY_CODE.values():
            return type_code(ELEMENT_TYPES[text])
        return _number("int", text)
    if kind in ("int", "float"):
        return _number(kind, text)
    if kind == "strings":
        return _texts(text)
    items = json.loads(text.strip(), parse_float=str, parse_int=str, parse_constant=str)
    if isinstance(items, list) and all(isinstance(item, str) for item in items):
        return tuple(_number(kind.removesuffix("s"), item) for item in items)
    return None


def _texts(text: str) -> tuple[str, ...] | None:
    """A list of texts; None where it is none."""
    items = json.loads(text.strip())
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        return None
    for item in items:
        item.encode()
    return tuple(items)


def _number(kind: str, text: str) -> int:
    """An integer of 64 bits, or the bits of the nearest float. ValueError for anything else."""
    # ONNX keeps an attribute of floats in single precision.
    if kind == "float":
        sort = ELEMENT_TYPES["float"]
        assert isinstance(sort, FloatSort)
        return floats.parse(sort, text.lower().replace("infinity", "inf"))
    value = int(text)
    if not LOWEST <= value <= GREATEST:
        raise _TooWide
    return value
