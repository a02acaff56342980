"""tests/nightly.toml: each group has tests that there are and a reason, and is run by the nightly soak."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

TESTS = Path(__file__).resolve().parents[1]
GROUPS: list[dict[str, Any]] = tomllib.loads((TESTS / "nightly.toml").read_text("utf-8"))["nightly"]
NAMES = [name for group in GROUPS for way in ("tests", "keep", "leave") for name in group.get(way, ())]
"""The tests of the list. Whether cases that are named are there, conftest.py asks when it collects their test."""


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: str(group["reason"]))
def test_a_group_says_why_and_what_stays(group: dict[str, Any]) -> None:
    """It has a reason, and one way to choose."""
    assert len(group["reason"]) > 20
    assert group.keys() - {"reason"} in ({"tests"}, {"tests", "one_in"}, {"keep"}, {"leave"})
    assert all(cases for way in ("keep", "leave") for cases in group.get(way, {}).values())


def test_the_list_names_tests_that_there_are() -> None:
    """Functions that pytest collects, each in one group."""
    assert len(NAMES) == len(set(NAMES))
    for file in sorted({name.partition("::")[0] for name in NAMES}):
        tree = ast.parse((TESTS.parent / file).read_text("utf-8"))
        tests = {f"{file}::{node.name}" for node in tree.body if isinstance(node, ast.FunctionDef)}
        assert {name for name in NAMES if name.startswith(f"{file}::")} <= tests


TEXT = """
import pytest

@pytest.mark.parametrize("n", range(20))
def test_share(n): pass

@pytest.mark.parametrize("n", range(20))
def test_one_at_least(n): pass

@pytest.mark.parametrize("n", range(3))
def test_kept(n): pass

@pytest.mark.parametrize("n", range(3))
def test_left(n): pass

def test_whole(): pass

def test_stays(): pass
"""
"""A test for each way to choose, and one that is not in the list."""
LIST = """
nightly = [
    {reason = "r", one_in = 4, tests = ["tests/test_one.py::test_share"]},
    {reason = "r", one_in = 900, tests = ["tests/test_one.py::test_one_at_least"]},
    {reason = "r", keep = {"tests/test_one.py::test_kept" = ["1"]}},
    {reason = "r", leave = {"tests/test_one.py::test_left" = ["1", "2"]}},
    {reason = "r", tests = ["tests/test_one.py::test_whole"]},
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
    marks = "markers =\n    soak: x\n    thinned(n): x\n"
    pytester.makeini(f"[pytest]\naddopts = -q --strict-markers --import-mode=importlib -m 'not soak'\n{marks}")
    return pytester


def ran(project: pytest.Pytester, *arguments: str) -> list[str]:
    """The cases that a run has, by their names."""
    done = project.runpytest_subprocess("-vv", *arguments)
    return re.findall(r"::(test_\S+) PASSED", done.stdout.str())


def test_what_a_group_leaves_to_the_night(project: pytest.Pytester) -> None:
    """It is said how much that is; a case that is asked for by its name runs."""
    stays = ran(project)
    names = [name.partition("[")[0] for name in stays]
    assert 1 <= names.count("test_share") <= 10
    assert names.count("test_one_at_least") == 1
    assert [name for name in stays if "share" not in name and "least" not in name] == [
        "test_kept[1]",
        "test_left[0]",
        "test_stays",
    ]
    done = project.runpytest_subprocess()
    done.stdout.fnmatch_lines([f"{48 - len(stays)} cases of 5 tests run nightly, or in `make soak`"])
    for case in ("test_share[3]", "test_kept[0]", "test_left[1]"):
        assert ran(project, f"tests/test_one.py::{case}") == [case]


def test_the_shares_of_the_night_have_all_that_is_left(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each case once, in a share or in every change."""
    every = ran(project)
    for turn in range(3):
        monkeypatch.setenv("SONNX_SOAK_SHARE", f"{turn}/3")
        every += ran(project, "-m", "soak")

    assert len(every) == len(set(every)) == 48


def test_a_case_that_is_named_has_to_be_there(project: pytest.Pytester) -> None:
    """Otherwise none of its kind would stay."""
    path = project.path / "tests" / "nightly.toml"
    path.write_text(path.read_text("utf-8").replace('["1"]', '["1", "one"]'), "utf-8")
    done = project.runpytest_subprocess()

    assert done.ret == pytest.ExitCode.USAGE_ERROR
    done.stderr.fnmatch_lines(["*nightly.toml: tests/test_one.py::test_kept has no case one"])
