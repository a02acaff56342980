"""Tensors as grids of cells, with those marked in which two results differ."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sonnx_verify.outputs.conformance import set_words, wrote_words
from sonnx_verify.results.values import shape_text

MOST = 256
"""More cells than this are not drawn."""


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
    count = 1
    for size in shape:
        count *= size
    if "data" not in value or count > MOST or not count:
        what = ""
        if "data" in value:
            what = f"{count} elements, not drawn" if count else "no elements"
        note = ", ".join(filter(None, [what, *facts]))
        return Drawn(name, value["dtype"], shape_text(shape), (), note, other_shape)
    compared = None if other is None or other_shape or "data" not in other else other
    slices = tuple(_slices(value, compared, shape))
    return Drawn(name, value["dtype"], shape_text(shape), slices, ", ".join(facts), other_shape)


def _slices(value: Mapping[str, Any], other: Mapping[str, Any] | None, shape: Sequence[int]) -> Iterator[Slice]:
    rows, columns = ([1, 1, *shape])[-2:]
    for index in itertools.product(*map(range, shape[:-2])):
        place = [_at(value.get(part), index) for part in ("data", "bits")]
        against = [None, None] if other is None else [_at(other.get(part), index) for part in ("data", "bits")]
        made = []
        for row in range(rows):
            line = []
            for column in range(columns):
                inside = (row, column)[2 - min(len(shape), 2) :]
                data, bits = (_at(part, inside) for part in place)
                data_there, bits_there = (_at(part, inside) for part in against)
                differs = other is not None and (
                    bits != bits_there if bits is not None else _text(data) != _text(data_there)
                )
                line.append(Cell(_text(data), bits or "", differs))
            made.append(tuple(line))
        head = "" if len(shape) < 3 else f"[{', '.join(map(str, index))}, :, :]"
        yield Slice(head, tuple(made))


def _at(nested: Any, index: Sequence[int]) -> Any:
    for place in index:
        if nested is None:
            return None
        nested = nested[place]
    return nested


def _text(element: object) -> str:
    return element if isinstance(element, str) else json.dumps(element, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Result:
    """What comes of an input, under what it is called. `notes` say what its tensors do not show."""

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
    results = []
    for name, value in outputs.items():
        other = outputs.get(f"{name}'") if not name.endswith("'") else outputs.get(name[:-1])
        results.append(drawn(name, value, other))
    firsts = tuple(one for one in results if not one.name.endswith("'"))
    seconds = tuple(one for one in results if one.name.endswith("'"))
    named = [("one result", firsts), ("another result", seconds)] if seconds else [("result", firsts)]
    return Example(
        tuple(drawn(name, value) for name, value in shown["inputs"].items()),
        tuple((name, _text(value)) for name, value in shown["attributes"].items()),
        tuple(shown["omitted"]),
        tuple(Result(head, one) for head, one in named if one),
        shown.get("broken") or "",
        bool(shown.get("minimal")),
    )


def of_divergence(found: Mapping[str, Any]) -> Example:
    """What was expected of a runtime and what it gave."""
    expected, got = found["expected"].get("outputs", {}), found["got"].get("outputs", {})
    results = []
    for head, own, other in (("expected", expected, got), ("got", got, expected)):
        tensors = tuple(drawn(name, value, other.get(name)) for name, value in own.items())
        results.append(Result(head, tensors, (*set_words(found[head]), *wrote_words(found[head]))))
    return Example(
        tuple(drawn(name, value) for name, value in found["inputs"].items()),
        tuple((name, _text(value)) for name, value in found["attributes"].items()),
        tuple(found["omitted"]),
        tuple(one for one in results if one.tensors),
    )
