"""Write the tables and histograms of docs/accuracy.md from the records in proofs/accuracy/.

    python tools/accuracy.py

`sonnx-verify conform ... --update-accuracy` makes the records; nothing is measured here. Text outside
`<!-- generated -->` and `<!-- end -->` is written by hand and kept. The same records give the same page.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from sonnx_verify.conformance.accuracy_record import Recorded, Row, read_records  # noqa: E402  # runs without an installation
from sonnx_verify.outputs.accuracy import bins, notes, share_words, size_words, type_words, worst_input  # noqa: E402  # as above

PAGE = ROOT / "docs" / "accuracy.md"
_SECTION = re.compile(r"(^<!-- generated -->\n).*?(^<!-- end -->$)", re.MULTILINE | re.DOTALL)
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


def page() -> str:
    """The page with fresh tables."""
    made = section(read_records(ROOT))
    return _SECTION.sub(lambda found: f"{found[1]}\n{made}\n{found[2]}", PAGE.read_text("utf-8"))


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
