"""Values of inputs, outputs and attributes as plain data, and how they are printed: as text and as JSON.

A `Value` holds nothing but numbers, texts and truth values, so that it can be kept, sent and compared. Elements of
floats are bit patterns, as in logic/sorts.py; a fraction is written out, as `1/3`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType

from sonnx_verify.logic import decimals, floats
from sonnx_verify.logic.sorts import ELEMENT_TYPES, FLOATS, INTEGERS, MINIFLOATS, REAL, FloatSort, Sort
from sonnx_verify.results.concrete import Concrete, ConcreteTensor
from sonnx_verify.results.dtypes import dtype_of
from sonnx_verify.results.written import one_of, said

EXACT = 1 << 53
"""Integers beyond this are strings in JSON, where many readers hold numbers as doubles."""
STRING, INT, SET = "string", "int", "set"
"""The names of types that are no element types: texts, mathematical integers, sets of these."""
Element = bool | int | str


class ValueKind(StrEnum):
    """The kinds of values."""

    TENSOR = "tensor"
    SHAPE = "shape"
    INDEX = "index"
    SET = "set"
    LIST = "list"
    ELEMENT = "element"
    NUMBER = "number"


@dataclass(frozen=True, slots=True)
class Value:
    """A value. `dtype` is ONNX's name of the type of its elements, `shape` has the sizes from the left, `elements` are
    in row-major order; a single element or number has the shape (). `lacks` are the declared facts that do not hold of
    a tensor."""

    kind: ValueKind
    dtype: str
    shape: tuple[int, ...]
    elements: tuple[Element, ...]
    lacks: tuple[str, ...] = ()

    @property
    def array(self) -> Any:
        """The value as a numpy array of its shape, floats bit for bit; one of objects where numpy has no such type."""
        return array_of(ELEMENT_TYPES.get(self.dtype, REAL), self.shape, self.elements)

    @classmethod
    def of(cls, sort: Sort, kind: ValueKind, value: Concrete) -> Value:
        """The value of a declared name, whose declaration says the sort and the kind."""
        # A value shows what it is, but for tuples: shapes, indices and lists are told apart by their declaration.
        match value:
            case ConcreteTensor():
                lacks = tuple(sorted(value.lacks))
                return cls(ValueKind.TENSOR, value.sort.name, value.shape, _plain(value.elements), lacks)
            case frozenset():
                return cls(ValueKind.SET, SET, (len(value),), _plain(sorted(value)))
            case tuple():
                return cls(kind, sort.name, (len(value),), _plain(value))
            case _:
                return cls(kind, sort.name, (), _plain([value]))


def array_of(sort: Sort, shape: Sequence[int], elements: Sequence[object]) -> Any:
    """Row-major elements as a numpy array, floats bit for bit; of reals it is one of objects."""
    import numpy as np

    if sort == REAL:
        return np.array(elements, object).reshape(shape)
    dtype = dtype_of(sort.name)
    if isinstance(sort, FloatSort):
        return np.array(elements, f"u{sort.width // 8}").view(dtype).reshape(shape)
    return np.array(elements, dtype).reshape(shape)


def _plain(elements: Sequence[object]) -> tuple[Element, ...]:
    return tuple(str(e) if isinstance(e, Fraction) else e for e in elements)  # type: ignore[misc]


# ----------------------------------------------------------------------------------------------------------------- text


def element_text(dtype: str, value: object) -> str:
    """An element as a person writes it."""
    sort = ELEMENT_TYPES.get(dtype)
    if isinstance(sort, FloatSort):
        assert isinstance(value, int)
        return decimals.show(sort, value)
    if dtype == STRING:
        return f'"{value}"'
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)


def shape_text(shape: Sequence[int]) -> str:
    """`()`, `(2)`, `(2, 3)`."""
    return f"({', '.join(map(str, shape))})"


_EMPTY = 1000


def nested(items: Sequence[Any], shape: Sequence[int]) -> Any:
    """Row-major items as lists in lists; the item itself for rank 0. Of a shape that has no elements, but more than
    `_EMPTY` rows, no row is written."""
    if not shape:
        return items[0]
    if not items and math.prod(shape[: shape.index(0)]) > _EMPTY:
        return []
    # Each item of the first axis takes as many elements as the rest of the shape has.
    step = math.prod(shape[1:])
    return [nested(items[n * step : (n + 1) * step], shape[1:]) for n in range(shape[0])]


def value_text(value: Value) -> str:
    """The value as a person writes it: `int8 (2) [0, 0]`, `shape (2, 3)`, `[1, 2]`, `3`."""
    texts = [element_text(value.dtype, e) for e in value.elements]
    match value.kind:
        case ValueKind.TENSOR:
            body = str(nested(texts, value.shape)).replace("'", "")
            lacks = "".join(f", not {fact}" for fact in value.lacks)
            return f"{value.dtype} {shape_text(value.shape)} {body}{lacks}"
        case ValueKind.SET:
            return "{" + ", ".join(texts) + "}"
        case ValueKind.INDEX:
            return f"index [{', '.join(texts)}]"
        case ValueKind.SHAPE:
            return f"shape ({', '.join(texts)})"
        case ValueKind.LIST:
            return f"[{', '.join(texts)}]"
        case ValueKind.ELEMENT if value.dtype != STRING:
            return f"{value.dtype} {texts[0]}"
        case ValueKind.ELEMENT | ValueKind.NUMBER:
            return texts[0]


def tensor_text(tensor: ConcreteTensor) -> str:
    """Type, shape and elements, then the facts that do not hold of it."""
    return value_text(Value.of(tensor.sort, ValueKind.TENSOR, tensor))


# ----------------------------------------------------------------------------------------------------------------- JSON


class ValueJson(Struct, frozen=True):
    """A tensor, a shape, a number or an element."""

    dtype: Annotated[
        str,
        one_of(
            "ONNX's name of the element type; `shape` for a shape; `int` for a number; `string` for a text.",
            [
                *(sort.name for sort in (*INTEGERS, *FLOATS, *MINIFLOATS)),
                "bool",
                "real",
                "shape",
                "index",
                "set",
                "int",
                "string",
            ],
        ),
    ]
    shape: Annotated[
        list[Annotated[int, Meta(ge=0)]],
        said("The sizes of the axes; [] for rank 0, a number or an element."),
    ]
    data: Annotated[Any, said("The elements, nested as the shape says; the element itself for [].")]
    bits: Annotated[Any, said("The bit patterns of the elements of floats, nested like data.")] = UNSET
    facts: Annotated[
        dict[str, Annotated[bool, said("Always false.", extra_json_schema={"const": False})]] | UnsetType,
        said(
            "The declared facts that do not hold of the tensor; absent if all hold.",
            extra_json_schema={"minProperties": 1},
        ),
    ] = UNSET


AttributeJson = (
    Annotated[bool | int | float | str, said("A number, a truth value or a text.")]
    | Annotated[list[bool | int | float | str], said("A list of numbers or of texts.")]
    | ValueJson
)
"""The value of an attribute."""


def element_json(dtype: str, value: object) -> bool | int | float | str:
    """An element in JSON: strings for what a JSON number cannot hold."""
    sort = ELEMENT_TYPES.get(dtype)
    if isinstance(sort, FloatSort):
        assert isinstance(value, int)
        number = floats.to_float(sort, value)
        # JSON has no NaN and no infinity, and many readers take -0.0 for the integer 0.
        is_negative_zero = number == 0 and math.copysign(1, number) < 0
        if is_negative_zero or not math.isfinite(number):
            return decimals.show(sort, value)
        return number
    if isinstance(value, bool | str):
        return value
    if isinstance(value, int) and abs(value) <= EXACT:
        return value
    return str(value)


def bits_json(dtype: str, elements: Sequence[Element]) -> list[str] | None:
    """The bit patterns of floats in hexadecimal; None for other elements."""
    sort = ELEMENT_TYPES.get(dtype)
    if not isinstance(sort, FloatSort):
        return None
    return [f"0x{e:0{sort.width // 4}x}" for e in elements]


def value_json(value: Value) -> ValueJson:
    """A value of any kind, with its type and shape."""
    # The numbers of a shape or an index are mathematical integers: the kind stands in place of a type.
    is_place = value.kind in (ValueKind.SHAPE, ValueKind.INDEX)
    bits = bits_json(value.dtype, value.elements) if value.kind is ValueKind.TENSOR else None
    return ValueJson(
        value.kind.value if is_place else value.dtype,
        list(value.shape),
        _data(value),
        UNSET if bits is None else nested(bits, value.shape),
        {fact: False for fact in value.lacks} or UNSET,
    )


def attribute_json(value: Value) -> AttributeJson:
    """The value of an attribute: a tensor like that of an input; else a number or a text, or a list of such."""
    if value.kind is ValueKind.TENSOR:
        return value_json(value)
    data: AttributeJson = _data(value)
    return data


def tensor_json(tensor: ConcreteTensor) -> ValueJson:
    """A tensor, with its type and shape."""
    return value_json(Value.of(tensor.sort, ValueKind.TENSOR, tensor))


def _data(value: Value) -> Any:
    return nested([element_json(value.dtype, e) for e in value.elements], value.shape)
