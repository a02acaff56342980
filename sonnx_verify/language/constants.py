"""Values that a text writes out: integers, decimals, texts and lists of them, as the default of an attribute."""

from __future__ import annotations

from fractions import Fraction

from sonnx_verify.errors import SpecificationError
from sonnx_verify.language import syntax as s
from sonnx_verify.logic import floats
from sonnx_verify.logic.sorts import INT, STRING, FloatSort, Sort

Constant = int | str | tuple[int, ...] | tuple[str, ...]
"""A value in the form of its sort: a float as its bits."""

LOWEST, GREATEST = -(2**63), 2**63 - 1
"""What an attribute of ONNX can hold as an integer."""


def default_of(declaration: s.Declaration, listed: bool, sort: Sort) -> Constant:
    """The default of an attribute, in the form of its sort. SpecificationError where it does not fit."""
    node = declaration.default
    assert node is not None
    inner = _bare(node)
    if (inner.kind == "listed") is not listed:
        wanted = "a list" if listed else "one value"
        raise SpecificationError(
            f"the default of `{declaration.name}` has to be {wanted}", node.span, f"write {wanted}"
        )
    if listed:
        return tuple(_fitting(declaration.name, part, sort) for part in inner.parts[0].parts)  # type: ignore[return-value]  # all of one sort
    return _fitting(declaration.name, inner, sort)


def _fitting(name: str, node: s.Node, sort: Sort) -> int | str:
    value = written_out(node)
    if sort == STRING and isinstance(value, str):
        return value
    if isinstance(sort, FloatSort) and isinstance(value, Fraction):
        return floats.round_to_nearest(sort, value)
    if sort == INT and isinstance(value, Fraction) and value.denominator == 1 and _bare(node).kind != "decimal":
        if LOWEST <= value <= GREATEST:
            return int(value)
        raise SpecificationError(
            f"the default of `{name}` has more than 64 bits", node.span, "an attribute holds integers of 64 bits"
        )
    kind = {INT: "an integer", STRING: 'a text in "quotes"'}.get(sort, "a number")
    raise SpecificationError(f"the default of `{name}` is no {sort}", node.span, f"write {kind}, written out")


def written_out(node: s.Node) -> Fraction | str | None:
    """The number or text that an expression writes out, or None when it is computed."""
    node = _bare(node)
    match node.kind:
        case "integer" | "decimal":
            return Fraction(node.text[0]) if len(node.text[0]) <= 400 else None
        case "text_value":
            return node.text[0][1:-1]
        case "negative":
            value = written_out(node.parts[0])
            return -value if isinstance(value, Fraction) else None
        case "power":
            base, exponent = written_out(node.parts[0]), int(node.text[0])
            whole = isinstance(base, Fraction) and base.denominator == 1 and exponent <= 1024
            return base**exponent if isinstance(base, Fraction) and whole else None
        case _:
            return None


def _bare(node: s.Node) -> s.Node:
    """The expression without parentheses."""
    while node.kind == "group":
        node = node.parts[0]
    return node
