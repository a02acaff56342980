"""The committed result of `make soak` is one of every part that there is, each well."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

TESTS = Path(__file__).parents[1]


def soak() -> ModuleType:
    """The module, which is a script."""
    spec = importlib.util.spec_from_file_location("soak_of_the_project", TESTS / "soak.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_part_has_a_result() -> None:
    module = soak()
    result = json.loads((TESTS / "soak.json").read_text("utf-8"))

    assert list(result) == list(module.PARTS)
    assert [name for name, of in result.items() if not module.is_good(of)] == []


@pytest.mark.parametrize(
    "part",
    [
        {"exit": 1},
        {"exit": -9, "as the ledger has it": 9, "otherwise": 1},
        {"exit": 0, "as the ledger has it": 9, "otherwise": 1},
        {"exit": 0, "as the ledger has it": 0, "otherwise": 0},
        {"exit": 0, "passed": 3, "failed": 1},
        {"exit": 0, "passed": 0, "failed": 0},
    ],
)
def test_a_part_that_did_not_pass(part: dict[str, int]) -> None:
    """Also one that a signal ended, or in which nothing was looked at."""
    assert not soak().is_good(part)


def test_each_name_has_its_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once in as many runs as there are shares."""
    module = soak()
    monkeypatch.setattr(module, "RESULT", tmp_path / "soak.json")
    names = [f"file {n}" for n in range(200)]
    seen: list[str] = []
    for _ in range(module.SHARES["mutants"]):
        share = module.shared("mutants", names)
        module.RESULT.write_text(json.dumps({"mutants": {"share": module.turn_of("mutants")}}), "utf-8")
        assert share
        seen += share

    assert sorted(seen) == sorted(names)
