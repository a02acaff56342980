"""The table of ONNX's signatures is what the installed onnx says, and is read as such."""

from __future__ import annotations

import runpy
from pathlib import Path

from sonnx_verify.pages.reading.schemas import operators, schema

ROOT = Path(__file__).parents[2]


def test_the_table_is_that_of_onnx() -> None:
    """Every version of every operator of the main domain that the installed onnx knows."""
    script = runpy.run_path(str(ROOT / "tools" / "schemas.py"))

    assert script["TABLE"].read_text("utf-8") == script["written"](), "if this is meant: python tools/schemas.py"


def test_versions_are_found_by_opset() -> None:
    """The newest version that is not newer than the opset."""
    found = schema("Clip", 12)

    assert operators()["Clip"] == (1, 6, 11, 12, 13)
    assert found is not None
    assert (found.version, found.arity) == (12, (1, 3, 1, 1))
    assert [p.option for p in found.inputs] == ["", "optional", "optional"]
    assert "bfloat16" not in found.elements
    assert "int8" in found.elements
    assert schema("Clip", 0) is None
    assert schema("Max", 26) == schema("Max")
    assert schema("max") is None
