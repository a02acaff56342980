"""The page of measured errors of runtimes, tables and histograms, from their records.

`sonnx-verify conform ... --update-accuracy` makes the records; nothing is measured here. The same records give the same
page.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from sonnx_verify.conformance.records.accuracy import ERRORS, Recorded, Row  # noqa: E402  # runs without an installation
from sonnx_verify.outputs.accuracy import bins, notes, share_words, size_words, type_words, worst_input  # noqa: E402  # as above

HEAD = """\
# Accuracy of runtimes

How far the floats of two runtimes are from the exact values of the specifications, by operator, element type and size.
These are measurements, not verdicts: the [findings](findings/index.md) list where a runtime is wrong;
[conform.md](conform.md#accuracy) explains what is measured and how.

- **Errors** are in ulps: the distance from the exact value, divided by the spacing of floats there. A correctly rounded
  element is off by at most 0.5.
- **elements read** is the number of input elements per element of the result, rounded up. For a sum it is the number of
  summands.
- **measured** is the number of result elements, **correctly rounded** the share that is the float nearest to the exact
  value, rounded down.
- **greatest** and **mean** are errors in ulps. The input of the greatest error is given by its shape and the [seed of
  its elements](vectors.md#large-vectors); `at` is the index in the result.

A sum of numbers of both signs may be far smaller than its summands. Then its ulps are small, and an error of many ulps
may be within the bound that the specification allows, which grows with the sum of the magnitudes. This does not affect
sums of `magnitudes`, which are never negative.

A runtime does not support the types that are not listed. The figures come from one machine: on another processor a
runtime may add in another order. The [records](records.md#accuracy) hold more digits of the exact values, and the
results.

"""
_WIDTH = 40
"""The length of the bar of all elements."""
_HEADS = ("type", "elements read", "measured", "correctly rounded", "greatest", "mean", "input of the greatest error")


def section(records: Sequence[Recorded]) -> str:
    """The tables and histograms, operator by operator, and of each target by target."""
    names = sorted({name for record in records for name in record.operators})
    lines: list[str] = []
    for name in names:
        lines += [f"## {name}", ""]
        for record in records:
            if name in record.operators:
                lines += _of_target(record, record.operators[name].rows)
    return "\n".join(lines)


def _of_target(record: Recorded, rows: Sequence[Row]) -> Iterator[str]:
    yield f"### {record.target} {record.version}".rstrip()
    yield ""
    if not rows:
        yield "Not measured: the target supports no floating-point type here."
        yield ""
        return
    yield from _table(rows)
    yield ""
    differing = [row for row in rows if row["worst"] is not None and row["worst"]["ulps"]]
    if not differing:
        yield "All elements are exact."
        yield ""
        return
    yield "```text"
    for number, row in enumerate(differing):
        if number:
            yield ""
        yield from _histogram(row, rows)
    yield "```"
    yield ""


def _table(rows: Sequence[Row]) -> Iterator[str]:
    yield f"| {' | '.join(_HEADS)} |"
    yield f"|{'---|' * len(_HEADS)}"
    for row in rows:
        yield f"| {' | '.join(_cells(row, rows))} |"


def _cells(row: Row, rows: Sequence[Row]) -> Iterator[str]:
    yield type_words(row, rows)
    yield size_words(row)
    yield "; ".join([f"{row['measured']:,}", *notes(row)])
    worst = row["worst"]
    if worst is None:
        yield from ("", "", "", "")
        return
    yield share_words(row)
    yield f"{worst['ulps']:g}"
    yield f"{row['mean']:g}"
    yield f"`{worst_input(row)}`" if worst["ulps"] else ""


def _histogram(row: Row, rows: Sequence[Row]) -> Iterator[str]:
    """A bar for each class of errors."""
    about = f"{type_words(row, rows)}, {size_words(row)} elements read"
    yield f"{about}: {row['measured']:,} results by error in ulps"
    for one in bins(row):
        bar = "█" * round(_WIDTH * one.percent / 100)
        # A class with an element has a bar.
        if one.elements and not bar:
            bar = "▏"
        yield f"  {one.name:<13} {one.elements:>6,}  {bar}".rstrip()


def pages() -> dict[str, str]:
    """The text of the file."""
    return {"accuracy.md": HEAD + section(ERRORS.all([ROOT])).rstrip("\n") + "\n"}
