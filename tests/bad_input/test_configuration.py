"""Defaults of options from a file, and what can be wrong with it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from sonnx_verify.cli import main

TEXT = """\
operator Keep version 1 user
types int = int8

input  X : tensor of T
output Y : tensor of T

shape Y    = X.shape
value Y[i] = X[i]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "keep.sonnx").write_text(TEXT, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words: str) -> Result:
    return CliRunner().invoke(main, words, prog_name="sonnx-verify", catch_exceptions=False)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("sonnx-verify.toml", 'format = "json"\n'),
        ("sonnx-verify.toml", '[explain]\nformat = "json"\n'),
        ("pyproject.toml", '[tool.sonnx-verify]\nformat = "json"\n'),
        ("pyproject.toml", '[tool.sonnx-verify.explain]\nformat = "json"\n'),
    ],
)
def test_a_default(folder: Path, name: str, text: str) -> None:
    """The command line goes before it; an old name of a command has the defaults of the new one."""
    (folder / name).write_text(text, "utf-8")

    assert json.loads(run("explain", "--list").stdout)["obligations"]
    assert json.loads(run("list").stdout)["obligations"]
    assert run("explain", "--list", "--format", "text").stdout.startswith("user.Keep-1/")


def test_the_environment_goes_before(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "sonnx-verify.toml").write_text("[check]\njobs = 1\nverbose = true\n", "utf-8")
    monkeypatch.setenv("SONNX_VERIFY_JOBS", "many")

    assert "'many'" in run("check").stderr
    monkeypatch.delenv("SONNX_VERIFY_JOBS")
    assert run("check").stdout.startswith("holds       user.Keep-1/")


def test_the_nearest_file_up_to_the_repository(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What stands above it is of somebody else."""
    (folder / "sonnx-verify.toml").write_text('format = "json"\n', "utf-8")
    below = folder / "one" / "two"
    below.mkdir(parents=True)
    (below / "keep.sonnx").write_text(TEXT, "utf-8")
    monkeypatch.chdir(below)
    assert run("explain", "--list").stdout.startswith("user.Keep-1/")

    (folder / ".git").mkdir()
    assert run("explain", "--list").stdout.startswith("{")

    (below / "pyproject.toml").write_text("[tool.sonnx-verify]\n", "utf-8")
    assert run("explain", "--list").stdout.startswith("user.Keep-1/")


def test_a_table_of_a_command_below_another(folder: Path) -> None:
    (folder / "page.md").write_text("# Page\n", "utf-8")
    (folder / "sonnx-verify.toml").write_text('[page.lint]\nformat = "json"\n[cache.stats]\nformat = "json"\n', "utf-8")

    assert run("page", "lint", "page.md").stdout.startswith("{")
    assert run("lint", "page.md").stdout.startswith("{")
    assert json.loads(run("cache", "stats").stdout)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "[check]\njobs = 0\n",
            "sonnx-verify.toml:2:1: error: `jobs`: 0 is not in the range 1<=x<=256.\n"
            "    2 | jobs = 0\n        ^^^^\n  to fix: see the help of the command\n",
        ),
        (
            "colour = 1\n",
            "sonnx-verify.toml:1:1: error: unknown setting `colour`\n    1 | colour = 1\n        ^^^^^^\n",
        ),
        ("[check]\ntypes = 'int8'\n", "sonnx-verify.toml:2:1: error: `check` has no setting `types`\n"),
        ("[check]\nupdate-ledger = true\n", "sonnx-verify.toml:2:1: error: `check` has no setting `update-ledger`\n"),
        ("[chekc]\njobs = 1\n", "sonnx-verify.toml:1:2: error: unknown command `chekc`\n    1 | [chekc]\n"),
        ("verbose = 1\n", "sonnx-verify.toml:1:1: error: `verbose` is true or false\n"),
        ("format = ['json']\n", "sonnx-verify.toml:1:1: error: `format` is a number or a text\n"),
        ("link = 'docs=x'\n", "sonnx-verify.toml:1:1: error: `link` is a list\n"),
        (
            "\n  color = 'blue'\n",
            "sonnx-verify.toml:2:3: error: `color`: 'blue' is not one of 'auto', 'always', 'never'.",
        ),
        ("jobs = inf\n", "sonnx-verify.toml:1:1: error: `jobs` cannot be inf\n"),
        ("jobs = nan\n", "sonnx-verify.toml:1:1: error: `jobs`: nan is not a valid integer range.\n"),
        (f"a = {'[' * 100_000}", "sonnx-verify.toml:1:1: error: this is nested too deeply\n"),
        ("check = 1\n", "sonnx-verify.toml:1:1: error: unknown setting `check`\n"),
        ("jobs = \n", "sonnx-verify.toml:1:8: error: this is not TOML: Invalid value\n"),
        ("\0", "error: sonnx-verify.toml is not text: "),
    ],
)
def test_a_mistake(folder: Path, text: str, said: str) -> None:
    """It has a place, a caret and a cure; the help is printed all the same."""
    (folder / "sonnx-verify.toml").write_text(text, "utf-8")
    done = run("check")

    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(said)
    assert "\n  to fix: " in done.stderr
    assert run("check", "--help").exit_code == run("help", "check").exit_code == 0


def test_other_files_are_no_matter(folder: Path) -> None:
    """A pyproject.toml that says nothing of this tool may be wrong."""
    (folder / "pyproject.toml").write_text("this is not TOML", "utf-8")

    assert run("explain", "--list").exit_code == 0
