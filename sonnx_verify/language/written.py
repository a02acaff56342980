"""Values that an example writes out, as elements, lists and tensors of a sort. Trusted.

Read exactly: a decimal is a fraction until it is rounded, once, to the type that it is written for. An element that
its type lacks is NoElement at its place; nothing is cut off or wrapped around.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from sonnx_verify.errors import SpecificationError
from sonnx_verify.kernel.variables import GREATEST, LOWEST
from sonnx_verify.language import syntax as s
from sonnx_verify.language.constants import LONGEST
from sonnx_verify.logic import floats
from sonnx_verify.logic.sorts import BOOL, INT, REAL, STRING, FloatSort, IntegerSort, Sort
from sonnx_verify.results.concrete import ConcreteTensor, numel
from sonnx_verify.results.text import counted_text
from sonnx_verify.sources import Span

# Two quantifiers over the indices of one tensor are a million steps of the evaluator.
MOST = 1024
"""The elements of a tensor in an example, and the items of a list."""


class NoElement(SpecificationError):
    """An element that its type lacks. The text is well formed: only this example is wrong."""


def element_of(datum: s.Datum | s.DatumList, sort: Sort, span: Span) -> object:
    """The element that is written. Raises NoElement where the sort lacks it, SpecificationError for a list."""
    if isinstance(datum, s.DatumList):
        raise SpecificationError(f"expected one value of type {sort.name}, found a list", span, "write one value")
    if datum.kind is not _kind(sort):
        raise _not_one(datum, sort, span)
    try:
        return _element(datum.text, sort)
    except (ValueError, ZeroDivisionError):
        raise _not_one(datum, sort, span) from None


def _kind(sort: Sort) -> s.DatumKind:
    """The kind of what is written of a sort."""
    if sort == BOOL:
        return s.DatumKind.TRUTH
    if sort == STRING:
        return s.DatumKind.TEXT
    return s.DatumKind.NUMBER


def _element(text: str, sort: Sort) -> object:
    """ValueError for what is none of the sort, or longer than anybody writes."""
    if sort == BOOL:
        return text == "true"
    if sort == STRING:
        return text
    if len(text) > LONGEST:
        raise ValueError("too long")
    match sort:
        case FloatSort():
            value = floats.parse(sort, text)
            # An infinity is written as one: 70000 rounds to it, and is no float16.
            if floats.is_infinite(sort, value) and "inf" not in text.lower():
                raise ValueError("beyond the type")
            return value
        case IntegerSort():
            lowest, greatest = sort.lowest, sort.greatest
        case _ if sort == INT:
            # ONNX stores an integer attribute in 64 bits.
            lowest, greatest = LOWEST, GREATEST
        case _ if sort == REAL:
            return _real(text)
        case _:
            raise ValueError(f"no value of {sort} is written")
    value = int(text)
    if not lowest <= value <= greatest:
        raise ValueError("beyond the type")
    return value


def _real(text: str) -> Fraction:
    # Fraction("1e999999999") would fill the memory before anybody saw it.
    if "e" in text and len(text.partition("e")[2]) > 4:
        raise ValueError("too large")
    return Fraction(text)


def _not_one(datum: s.Datum, sort: Sort, span: Span) -> NoElement:
    shown = f'"{datum.text}"' if datum.kind is s.DatumKind.TEXT else datum.text
    if len(shown) > 40:
        shown = f"{shown[:40]}..."
    return NoElement(f"{shown} is not a value of type {sort.name}", span, f"write a value of {sort.name}")


def list_of(datum: s.Datum | s.DatumList, sort: Sort, span: Span) -> tuple[object, ...]:
    """The list that is written, as an attribute has it. Raises SpecificationError where it is none of the sort."""
    if not isinstance(datum, s.DatumList):
        raise SpecificationError(f"expected a list, found {datum.text}", span, "write a list such as [0, 1]")
    _check_number(len(datum.items), span)
    return tuple(element_of(item, sort, span) for item in datum.items)


def tensor_of(value: s.TensorValue, sort: Sort, facts: tuple[str, ...], span: Span) -> ConcreteTensor:
    """The tensor that is written, of a sort and with these facts. Raises SpecificationError where it is none."""
    if value.type != sort.name:
        raise SpecificationError(f"expected {sort.name}, found {value.type}", span, f"write {sort.name} (...) [...]")
    shape = _shape(value, span)
    leaves = list(_leaves(value.data))
    _check_number(len(leaves), span)
    _check_nested(value.data, shape, span)
    for fact in value.lacks:
        if fact not in facts:
            cure = f"its facts: {', '.join(facts)}" if facts else "remove it: no fact is declared of it"
            raise SpecificationError(f"`{fact}` is not a fact about this tensor", span, cure)
    elements = tuple(element_of(leaf, sort, span) for leaf in leaves)
    return ConcreteTensor(sort, shape, elements, frozenset(value.lacks))


def _shape(value: s.TensorValue, span: Span) -> tuple[int, ...]:
    """The shape that is written, or that the lists have."""
    if value.sizes is None:
        shape: list[int] = []
        data = value.data
        # Along the first items: that the others are like them is checked against the shape.
        while isinstance(data, s.DatumList):
            shape.append(len(data.items))
            if not data.items:
                break
            data = data.items[0]
        return tuple(shape)
    if not all(size.isdigit() and len(size) <= len(str(GREATEST)) for size in value.sizes):
        raise SpecificationError("a shape has sizes such as (2, 3)", span, "write integers that are not negative")
    return tuple(map(int, value.sizes))


def _leaves(data: s.Datum | s.DatumList) -> Iterator[s.Datum]:
    if isinstance(data, s.Datum):
        yield data
        return
    for item in data.items:
        yield from _leaves(item)


def _check_nested(data: s.Datum | s.DatumList, shape: tuple[int, ...], span: Span) -> None:
    """Check that lists are nested as a shape says, down to the first size of 0."""
    level = [data]
    for axis, size in enumerate(shape):
        for one in level:
            if not isinstance(one, s.DatumList) or len(one.items) != size:
                raise _misshapen(shape, f"axis {axis} has {_found(one)}, not {counted_text(size, 'item')}", span)
        level = [item for one in level if isinstance(one, s.DatumList) for item in one.items]
        if not numel(shape[: axis + 1]):
            return
    if any(isinstance(one, s.DatumList) for one in level):
        raise _misshapen(shape, "the lists are nested more deeply", span)


def _found(data: s.Datum | s.DatumList) -> str:
    if isinstance(data, s.DatumList):
        return counted_text(len(data.items), "item")
    return "a single value"


def _misshapen(shape: tuple[int, ...], found: str, span: Span) -> SpecificationError:
    sizes = ", ".join(map(str, shape))
    return SpecificationError(f"the shape is ({sizes}), but {found}", span, "correct one of them")


def _check_number(count: int, span: Span) -> None:
    if count > MOST:
        raise SpecificationError(f"an example has at most {MOST} values for a name", span, "write a smaller example")
