"""The errors of a target by type and size, in words and as parts of a histogram: what the command line, the documents
and the report share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sonnx_verify.conformance.judgement.accuracy import EDGES
from sonnx_verify.outputs.tensors import attribute_words, tensor_words
from sonnx_verify.results.values import shape_text

Row = Mapping[str, Any]
"""The errors for one type, output and class of sizes, as JSON has them."""


@dataclass(frozen=True, slots=True)
class Bin:
    """A class of a histogram: what is in it, how many elements, and which part of all that is, in percent."""

    name: str
    elements: int
    percent: float


def bins(row: Row) -> list[Bin]:
    """The classes of the histogram, from exact on to the last one that has an element."""
    counts = {one["up_to"]: one["elements"] for one in row["histogram"]}
    every = max(1, row["measured"])
    made = [Bin(end_words(end), n := counts.get(end, 0), 100 * n / every) for end in (*map(float, EDGES), None)]
    while made and not made[-1].elements:
        made.pop()
    return made


def end_words(end: float | None) -> str:
    """The name of the class up to an end: `exact`, `up to 0.5`, `more than 128`."""
    if end is None:
        return f"more than {float(EDGES[-1]):g}"
    if end == 0:
        return "exact"
    return f"up to {end:g}"


def histogram_words(row: Row) -> str:
    """The classes that have elements: `exact: 12, up to 0.5: 940, up to 1: 3`."""
    return ", ".join(f"{one.name}: {one.elements}" for one in bins(row) if one.elements)


def type_words(row: Row, rows: Sequence[Row]) -> str:
    """The types of a row, with the output where the rows are of several."""
    if len({one["output"] for one in rows}) == 1:
        return str(row["type"])
    return f"{row['type']}, {row['output']}"


def size_words(row: Row) -> str:
    """The class of sizes: `up to 8`, `1,001 to 10,000`."""
    if not row["least"]:
        return f"up to {row['most']:,}"
    return f"{row['least']:,} to {row['most']:,}"


def share_words(row: Row) -> str:
    """The share of the elements that are correctly rounded. It is 100 % of all alone, and 0 % of none."""
    measured, nearest = row["measured"], row["nearest"]
    if not measured:
        return ""
    # Down to a tenth of a percent, so that what is not all does not look like all.
    tenths = 1000 * nearest // measured
    if nearest and not tenths:
        return "< 0.1 %"
    return f"{tenths / 10:g} %"


def figures(row: Row) -> str:
    """The figures in one line: `120 elements, 97.5 % correctly rounded, worst 1.5, mean 0.26`."""
    if row["worst"] is None:
        return "nothing measured"
    return (
        f"{row['measured']:,} elements, {share_words(row)} correctly rounded,"
        f" worst {row['worst']['ulps']:g}, mean {row['mean']:g}"
    )


def notes(row: Row) -> Iterator[str]:
    """The elements that were not measured, and why."""
    if row["not_finite"]:
        yield f"{row['not_finite']:,} NaN or infinite ({row['differ']:,} nonconforming)"
    if row["open"]:
        yield f"{row['open']:,} for which any value conforms"
    if row["undecided"]:
        yield f"{row['undecided']:,} whose exact value is undecided"


def worst_input(row: Row) -> str:
    """The input of the greatest error in one line: `data = float (3, 40) spread of seed 7, axes = int64 (1) [1]`; and
    the index of the element in an output of several."""
    worst = row["worst"]
    if worst is None:
        return ""
    parts = [f"{name} = {_tensor(tensor)}" for name, tensor in worst["inputs"].items()]
    parts += [f"{name} = {attribute_words(value)}" for name, value in worst["attributes"].items()]
    where = f"; at {worst['index']}" if worst["index"] else ""
    return ", ".join(parts) + where


def _tensor(tensor: Mapping[str, Any]) -> str:
    """A tensor with its elements, or one that follows from a seed."""
    if "seed" not in tensor or "data" in tensor:
        return tensor_words(tensor)
    return f"{tensor['dtype']} {shape_text(tensor['shape'])} {tensor['elements']} of seed {tensor['seed']}"
