"""Values that a text writes out: integers, decimals, texts and lists of them, as the default of an attribute. Trusted.

A default that were read wrongly would give a theorem about an operator that nobody has: it is read exactly, as a
fraction, and only then rounded to the type of the attribute.
"""

from __future__ import annotations

from fractions import Fraction

from sonnx_verify.kernel.values import Constant
from sonnx_verify.language import syntax as s
from sonnx_verify.language.complaints import texts as complaints
from sonnx_verify.logic import floats
from sonnx_verify.logic.sorts import ELEMENT_TYPES, INT, STRING, FloatSort, Sort

LONGEST = 400
"""The greatest number of digits that a number may be written with: Python refuses to convert much longer ones."""
GREATEST_EXPONENT = 1024
"""The greatest exponent of a power that is written out."""
LOWEST, GREATEST = -(2**63), 2**63 - 1
"""The range of an integer attribute: AttributeProto has it as an int64."""

_CODES = {
    "float": 1, "uint8": 2, "int8": 3, "uint16": 4, "int16": 5, "int32": 6, "int64": 7, "bool": 9, "float16": 10,
    "double": 11, "uint32": 12, "uint64": 13, "bfloat16": 16, "float8e4m3fn": 17, "float8e5m2": 19, "uint4": 21,
    "int4": 22, "uint2": 25, "int2": 26,
}  # fmt: skip  # a table
"""The numbers that ONNX has for element types, in `TensorProto.DataType`."""
TYPES_BY_CODE = {code: ELEMENT_TYPES[name] for name, code in _CODES.items()}
"""The element types by their numbers."""


def type_code(sort: Sort) -> int:
    """The number of an element type in a model."""
    return _CODES[sort.name]


def default_of(declaration: s.Declaration, sort: Sort, *, listed: bool) -> Constant:
    """The default of an attribute, in the form of its sort. SpecificationError where it does not fit."""
    node = declaration.default
    assert node is not None
    inner = s.bare(node)
    if isinstance(inner, s.Listed) is not listed:
        raise complaints.list_or_value(declaration, node.span, listed=listed)
    if isinstance(inner, s.Listed):
        return tuple(_fitting(declaration.name, part, sort) for part in inner.items)  # type: ignore[return-value]  # all of one sort
    return _fitting(declaration.name, inner, sort)


def _fitting(name: str, node: s.Expression, sort: Sort) -> int | str:
    value = written_out(node)
    if sort == STRING and isinstance(value, str):
        return value
    if isinstance(sort, FloatSort) and isinstance(value, Fraction):
        # To nearest, ties to even, once: `default 0.1` is the float32 that a protobuf of the model would hold.
        return floats.round_to_nearest(sort, value)
    if sort == INT and isinstance(value, Fraction) and value.denominator == 1 and not _is_decimal(node):
        if LOWEST <= value <= GREATEST:
            return int(value)
        raise complaints.too_wide(name, node.span)
    raise complaints.not_a_literal(name, sort, node.span)


def _is_decimal(node: s.Expression) -> bool:
    """Return whether it is `1.0`, which is no integer though its value is one."""
    return isinstance(s.bare(node), s.Decimal)


def written_out(node: s.Expression) -> Fraction | str | None:
    """The number or text that an expression writes out, or None when it is computed."""
    match s.bare(node):
        case s.Integer(digits=digits) | s.Decimal(digits=digits):
            if len(digits) <= LONGEST:
                return Fraction(digits)
            return None
        case s.Quoted(text=text):
            return text
        case s.Negative(inner=inner):
            value = written_out(inner)
            if isinstance(value, Fraction):
                return -value
            return None
        case s.Power() as power:
            return _power(written_out(power.base), exponent_of(power))
        case _:
            return None


def exponent_of(node: s.Power) -> int | None:
    """The exponent of a power; None beyond GREATEST_EXPONENT."""
    # Without a limit `2^9999999` would hang whoever reads the text, before any proof begins; and Python refuses to read
    # a number of thousands of digits.
    if len(node.exponent) > LONGEST or int(node.exponent) > GREATEST_EXPONENT:
        return None
    return int(node.exponent)


def _power(base: Fraction | str | None, exponent: int | None) -> Fraction | None:
    if isinstance(base, Fraction) and base.denominator == 1 and exponent is not None:
        return base**exponent
    return None
