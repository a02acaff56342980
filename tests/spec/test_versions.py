"""The table of the versions that have a text: it is of every version that ONNX has, and says why."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from sonnx_verify.language.project import Project
from sonnx_verify.obligations.signatures import Table

ROOT = Path(__file__).parents[2]
ONNX = ROOT / "spec" / "onnx"
TABLE = tomllib.loads((ONNX / "versions.toml").read_text("utf-8"))


@pytest.mark.parametrize("operator", TABLE)
def test_every_version_has_a_text_or_a_reason(operator: str) -> None:
    """Each version is in the table once, the one in force among those with a text."""
    row = TABLE[operator]
    texts, left_out = (set(map(int, row.get(kind, {}))) for kind in ("texts", "left_out"))
    known = set(Table((ONNX / "signatures.json").read_text("utf-8")).operators()[operator])

    assert texts | left_out == known
    assert not texts & left_out
    assert max(known) in texts
    assert all((*row["texts"].values(), *row.get("left_out", {}).values()))
    assert row.get("planned", True) is True


def test_the_texts_are_those_of_the_table() -> None:
    """Each operator of the table has all of the texts that the table names, and no other; those planned have none."""
    made: dict[str, set[int]] = {}
    for unit in Project.open(ROOT).units:
        if unit.namespace == "onnx" and unit.file is not None and unit.file.version is not None:
            made.setdefault(unit.file.name, set()).add(unit.file.version)

    assert made == {name: set(map(int, row["texts"])) for name, row in TABLE.items() if "planned" not in row}
