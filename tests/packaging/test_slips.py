"""tools/slips.py: which slips there are in a text, and what the tests of a folder say."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tools.changed_tests import modules
from tools.slips import ROOT, changed, drawn, failing, in_turn, slips_of

TEXT = '''"""Not this: 1 < 2."""
from dataclasses import dataclass


@dataclass(frozen=True)
class Place:
    """A line with a column."""

    line: int = 1


def first(ä, b):
    if not (ä or b) and ä is not b:
        raise ValueError("both")
    b += len(ä) - 1
    return ä if (b) <= 3 else (
        True
    )
'''


def test_slips_of_a_text() -> None:
    """Each at its place, whatever brackets and letters are around it, and none in documentation or of a class."""
    found = {(s.line, s.kind, s.after.strip()) for s in slips_of("a.py", TEXT)}

    assert found == {
        (9, "number", "line: int = 2"),
        (13, "and, or", "if not (ä and b) and ä is not b:"),
        (13, "and, or", "if not (ä or b) or ä is not b:"),
        (13, "not", "if  (ä or b) and ä is not b:"),
        (13, "comparison", "if not (ä or b) and ä is b:"),
        (14, "statement", "pass"),
        (15, "statement", "pass"),
        (15, "sign", "b += len(ä) + 1"),
        (15, "number", "b += len(ä) - 2"),
        (16, "comparison", "return ä if (b) < 3 else ("),
        (16, "number", "return ä if (b) <= 4 else ("),
        (17, "truth", "False"),
    }


def test_slips_that_are_drawn() -> None:
    """The same ones again; of every package that can have one; each is a program, and a different one."""
    slips = drawn(1, 40)
    packages = {name.split(".")[1] for name in modules() if name.startswith("sonnx_verify.") and name.count(".") > 1}

    assert slips == drawn(1, 40) != drawn(2, 40)
    assert packages <= {slip.file.split("/")[1] for slip in slips}
    for slip in slips:
        assert ast.dump(ast.parse(changed(slip))) != ast.dump(ast.parse((ROOT / slip.file).read_text("utf-8")))


def test_the_order_of_tests() -> None:
    """Those of its own folder first, then the nearest; each once, and none that needs other systems."""
    own, *others = in_turn("sonnx_verify.playground.guard")
    every = [*own, *(test for tests in others for test in tests)]

    assert {test.split("/")[1] for test in own} == {"playground"}
    assert "tests/golden/test_golden.py" in every
    assert len(every) == len(set(every))
    assert not [test for test in every if "integrations" in test]


def test_the_test_that_fails_is_named(tmp_path: Path) -> None:
    """The first failure; nothing where all pass, or where there is none to run."""
    (tmp_path / "test_one.py").write_text("def test_good(): pass\n\ndef test_bad(): assert not 1\n", "utf-8")

    assert failing(tmp_path, ["test_one.py"]) == "test_one.py::test_bad"
    assert failing(tmp_path, ["test_one.py::test_good"]) is None
    assert failing(tmp_path, ["test_one.py", "-k", "nobody"]) is None


def test_a_test_that_never_ends_notices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A slip may make a loop endless."""
    monkeypatch.setattr("tools.slips.PATIENCE", 1)
    (tmp_path / "test_one.py").write_text("def test_one():\n    while True:\n        pass\n", "utf-8")

    assert failing(tmp_path, ["test_one.py"]) == "none: it takes too long"
