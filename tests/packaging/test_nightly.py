"""tests/nightly.toml: each entry is a test that there is, has a reason, and is run by the nightly soak."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path
from typing import Any

import pytest

TESTS = Path(__file__).resolve().parents[1]
ENTRIES: list[dict[str, Any]] = tomllib.loads((TESTS / "nightly.toml").read_text("utf-8"))["nightly"]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: str(entry["test"]))
def test_an_entry_names_a_test(entry: dict[str, Any]) -> None:
    """A function that pytest collects, or a file; with a reason, and with one way to choose what stays."""
    file, _, name = entry["test"].partition("::")
    tree = ast.parse((TESTS.parent / file).read_text("utf-8"))
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}

    assert Path(file).match("tests/*/test_*.py") or Path(file).match("tests/*/*/test_*.py")
    assert not name or name in functions
    assert len(entry["reason"]) > 20
    assert entry.keys() - {"test", "reason"} in (set(), {"keep"}, {"one_in"})
    assert name or entry.keys() == {"test", "reason"}


def test_an_entry_is_the_only_one_of_its_test() -> None:
    names = [entry["test"] for entry in ENTRIES]

    assert names == sorted(set(names))
    assert not {name.partition("::")[0] for name in names if "::" in name} & set(names)


TEXT = """
import pytest

@pytest.mark.parametrize("n", range(20))
def test_share(n): pass

@pytest.mark.parametrize("n", range(3))
def test_kept(n): pass

def test_whole(): pass
"""
"""Three tests, each with an entry."""
LIST = """
nightly = [
    {test = "tests/test_one.py::test_share", reason = "r", one_in = 4},
    {test = "tests/test_one.py::test_kept", reason = "r", keep = ["1"]},
    {test = "tests/test_one.py::test_whole", reason = "r"},
    {test = "tests/test_file.py", reason = "r"},
]
"""
pytest_plugins = ["pytester"]


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    """Tests with a list, below the conftest.py of the project."""
    folder = pytester.mkdir("tests")
    (folder / "conftest.py").write_text((TESTS / "conftest.py").read_text("utf-8"), "utf-8")
    (folder / "nightly.toml").write_text(LIST, "utf-8")
    (folder / "test_one.py").write_text(TEXT, "utf-8")
    (folder / "test_file.py").write_text("def test_more(): pass\n", "utf-8")
    marks = "markers =\n    soak: x\n    thinned(n): x\n"
    pytester.makeini(f"[pytest]\naddopts = -q --strict-markers --import-mode=importlib -m 'not soak'\n{marks}")
    return pytester


def test_what_an_entry_leaves_to_the_night(project: pytest.Pytester) -> None:
    """It is said how much that is; a case that is asked for by its name runs."""
    done = project.runpytest_subprocess()
    assert done.ret == 0
    passed, left = done.parseoutcomes()["passed"], done.parseoutcomes()["deselected"]
    assert passed + left == 25
    assert 2 <= passed <= 10
    done.stdout.fnmatch_lines([f"{left} cases of 4 tests run nightly, or in `make soak`"])

    assert project.runpytest_subprocess("-m", "soak").parseoutcomes()["passed"] == left
    assert project.runpytest_subprocess("tests/test_one.py::test_share[3]").parseoutcomes() == {"passed": 1}
    assert project.runpytest_subprocess("tests/test_one.py::test_kept[1]").parseoutcomes() == {"passed": 1}


def test_a_case_that_is_kept_has_to_be_there(project: pytest.Pytester) -> None:
    """Otherwise none of its kind would be left."""
    path = project.path / "tests" / "nightly.toml"
    path.write_text(path.read_text("utf-8").replace('["1"]', '["1", "one"]'), "utf-8")
    done = project.runpytest_subprocess()

    assert done.ret == pytest.ExitCode.USAGE_ERROR
    done.stderr.fnmatch_lines(["*nightly.toml: tests/test_one.py::test_kept has no case one"])
