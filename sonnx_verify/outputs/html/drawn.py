"""Tensors as grids of cells, with those marked in which two results differ."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from math import prod
from operator import getitem
from typing import Any

from sonnx_verify.outputs.conformance import set_words, wrote_words
from sonnx_verify.outputs.tensors import tensor_words
from sonnx_verify.results.values import shape_text

MOST = 256
"""The most cells that are drawn."""
_PRIME = "'"
"""The end of the name of an output's second result, in statements about two results of one input."""


@dataclass(frozen=True, slots=True)
class Cell:
    """An element as it is written; its bits, where it is a float; whether the other result has another one here."""

    text: str
    bits: str = ""
    differs: bool = False


@dataclass(frozen=True, slots=True)
class Slice:
    """The last two axes at an index of all before them: rows of cells."""

    index: str
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, slots=True)
class Drawn:
    """A named tensor. `note` says what else is to be known: that it is empty, too large to draw, or lacks a fact."""

    name: str
    dtype: str
    shape: str
    slices: tuple[Slice, ...] = ()
    note: str = ""
    other_shape: bool = False


def drawn(name: str, value: Mapping[str, Any], other: Mapping[str, Any] | None = None) -> Drawn:
    """A value as JSON output has it. With another result of the same name, where the two differ."""
    shape = [int(size) for size in value["shape"]]
    facts = [f"not {fact}" for fact, holds in value.get("facts", {}).items() if not holds]
    other_shape = other is not None and list(other["shape"]) != shape
    count = prod(shape)
    slices: tuple[Slice, ...] = ()
    # A tensor without elements to show, as one of complex numbers, has type and sizes alone.
    if "data" not in value:
        pass
    elif count == 0:
        facts = ["no elements", *facts]
    elif count > MOST:
        facts = [f"{count} elements, not drawn", *facts]
    else:
        # Elements at one place are compared; results of different shapes have none.
        if other_shape or (other is not None and "data" not in other):
            other = None
        slices = tuple(_slices(value, other, shape))
    return Drawn(name, value["dtype"], shape_text(shape), slices, ", ".join(facts), other_shape)


def _slices(value: Mapping[str, Any], other: Mapping[str, Any] | None, shape: Sequence[int]) -> Iterator[Slice]:
    # A vector is drawn as one row, a number as one cell.
    axes = min(len(shape), 2)
    rows, columns = ([1, 1, *shape])[-2:]
    for index in itertools.product(*map(range, shape[:-2])):
        made = []
        for row in range(rows):
            places = ((*index, *(row, column)[2 - axes :]) for column in range(columns))
            made.append(tuple(_cell(value, other, place) for place in places))
        head = "" if len(shape) < 3 else f"[{', '.join(map(str, index))}, :, :]"
        yield Slice(head, tuple(made))


def _cell(value: Mapping[str, Any], other: Mapping[str, Any] | None, place: Sequence[int]) -> Cell:
    """The element at a place, which differs if another value has another one there. Floats are compared by their bits:
    -0.0 and 0.0 differ, and two NaNs are the same."""
    data, bits = _at(value.get("data"), place), _at(value.get("bits"), place)
    differs = False
    if other is not None and bits is not None:
        differs = bits != _at(other.get("bits"), place)
    elif other is not None:
        differs = _text(data) != _text(_at(other.get("data"), place))
    return Cell(_text(data), bits or "", differs)


def _at(nested: Any, index: Sequence[int]) -> Any:
    # Only floats have bits.
    if nested is None:
        return None
    return reduce(getitem, index, nested)


def _text(element: object) -> str:
    # NaN, infinities and texts are texts in JSON already.
    if isinstance(element, str):
        return element
    if isinstance(element, dict):
        return tensor_words(element)
    return json.dumps(element, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Result:
    """A result of an input, under its name. `notes` say what its tensors do not show."""

    head: str
    tensors: tuple[Drawn, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Example:
    """An input with each result that comes of it."""

    inputs: tuple[Drawn, ...]
    attributes: tuple[tuple[str, str], ...]
    omitted: tuple[str, ...]
    results: tuple[Result, ...]
    broken: str = ""
    minimal: bool = False


def of_shown(shown: Mapping[str, Any]) -> Example:
    """A witness or counterexample. An output and the one with a prime are two results of one input."""
    outputs = shown["outputs"]
    firsts, seconds = [], []
    for name, value in outputs.items():
        if name.endswith(_PRIME):
            seconds.append(drawn(name, value, outputs.get(name.removesuffix(_PRIME))))
        else:
            firsts.append(drawn(name, value, outputs.get(f"{name}{_PRIME}")))
    named = [("result", firsts)]
    if seconds:
        named = [("one result", firsts), ("another result", seconds)]
    return Example(
        tuple(drawn(name, value) for name, value in shown["inputs"].items()),
        tuple((name, _text(value)) for name, value in shown["attributes"].items()),
        tuple(shown["omitted"]),
        tuple(Result(head, tuple(one)) for head, one in named if one),
        shown.get("broken") or "",
        bool(shown.get("minimal")),
    )


def of_divergence(found: Mapping[str, Any]) -> Example:
    """The expected result of a runtime, and the one that it gave."""
    expected, got = found["expected"].get("outputs", {}), found["got"].get("outputs", {})
    results = []
    # Each is drawn against the other: both mark the elements in which they differ.
    for head, own, other in (("expected", expected, got), ("got", got, expected)):
        tensors = tuple(drawn(name, value, other.get(name)) for name, value in own.items())
        results.append(Result(head, tensors, (*set_words(found[head]), *wrote_words(found[head]))))
    return Example(
        tuple(drawn(name, value) for name, value in found["inputs"].items()),
        tuple((name, _text(value)) for name, value in found["attributes"].items()),
        tuple(found["omitted"]),
        tuple(one for one in results if one.tensors),
    )
