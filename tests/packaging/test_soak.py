"""The committed result of `make soak` is one of every part that there is, each well."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

TESTS = Path(__file__).parents[1]


def test_every_part_has_a_result() -> None:
    spec = importlib.util.spec_from_file_location("soak_of_the_project", TESTS / "soak.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    result = json.loads((TESTS / "soak.json").read_text("utf-8"))

    assert list(result) == list(module.PARTS)
    assert [name for name, of in result.items() if of.get("exit") or of.get("failed") or not of.get("passed", 1)] == []
