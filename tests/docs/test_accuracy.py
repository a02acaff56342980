"""The page of measured errors: its tables and histograms; and the records that it is made of are whole."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from sonnx_verify.conformance.records.accuracy import ERRORS, Entry, Recorded
from tools import accuracy

ROOT = Path(__file__).resolve().parents[2]
OPERATOR = re.compile(r"^operator (\w+) version (\d+)", re.MULTILINE)


def test_the_records_are_whole() -> None:
    """Both runtimes on the same operators of the profile, all with floats; files as the command writes them, in the
    folders of the operators; each element in one class of its histogram."""
    records = ERRORS.all([ROOT])
    assert [record.target for record in records] == ["onnx.reference", "onnxruntime"]
    texts = [path.read_text("utf-8") for path in (ROOT / "spec" / "sonnx").rglob("*.sonnx")]
    floats = [text for text in texts if re.search(r"^types float +=", text, re.MULTILINE)]
    names = {f"sonnx.{'-'.join(OPERATOR.findall(text)[0])}" for text in floats}
    for path in ERRORS.files(ROOT):
        assert path.read_text("utf-8") == ERRORS.written(ERRORS.read(path, ROOT))
        assert path.parts[-4:-2] == ("sonnx", path.parts[-3])
    for record in records:
        assert record.operators.keys() == records[0].operators.keys() <= names
        assert len(record.operators) > 30
        for row in (row for entry in record.operators.values() for row in entry.rows):
            assert row["measured"] == sum(one["elements"] for one in row["histogram"])
            assert row["nearest"] <= row["measured"]


def row(**more: Any) -> dict[str, Any]:
    """A row of a record: three elements, one of them off by 1.5 ulps."""
    worst = {"ulps": 1.5, "inputs": {"X": {"dtype": "float", "shape": [9], "elements": "spread", "seed": 7}}}
    worst |= {"attributes": {}, "index": [2], "exact": "1", "got": 1.5}
    made = {"type": "float", "output": "Y", "least": 9, "most": 100, "measured": 100, "nearest": 99, "mean": 0.25}
    made |= {"worst": worst, "histogram": [{"up_to": 0.5, "elements": 99}, {"up_to": 2.0, "elements": 1}]}
    return made | {"not_finite": 0, "differ": 0, "open": 3, "undecided": 0} | more


def test_table_and_histogram() -> None:
    """Each figure stands in its column; a class with one element has a bar, and an empty one has none."""
    text = accuracy.section([Recorded("own", "1", {"user.Foo-1": Entry(0, 40, (row(),))})])

    assert "| float | 9 to 100 | 100; 3 for which any value conforms | 99 % | 1.5 | 0.25 |" in text
    assert "`X = float (9) spread of seed 7; at [2]` |" in text
    lines = text.partition("```text\n")[2].splitlines()[:5]
    assert lines == [
        "float, 9 to 100 elements read: 100 results by error in ulps",
        "  exact              0",
        f"  up to 0.5         99  {'█' * 40}",
        "  up to 1            0",
        "  up to 2            1  ▏",
    ]


def test_without_errors_there_is_no_histogram() -> None:
    """That of exact elements is a sentence; so is a target that has no type of floats."""
    exact = row()["worst"] | {"ulps": 0.0}
    entry = Entry(0, 40, (row(worst=exact, histogram=[{"up_to": 0.0, "elements": 100}]),))
    text = accuracy.section([Recorded("own", "1", {"a": entry, "b": Entry(0, 40, ())})])

    assert "All elements are exact." in text
    assert "Not measured: the target supports no floating-point type" in text
    assert "```" not in text
    assert "seed" not in text
