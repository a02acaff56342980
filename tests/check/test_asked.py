"""The names on a command line: each word names something, or nothing is decided."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from sonnx_verify.cli import main


@pytest.fixture
def folder(foo: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(foo.parent)
    return foo.parent


def run(*args: str) -> Result:
    return CliRunner().invoke(main, list(args), catch_exceptions=False)


DECIDING = ["check", "report --out site", "evidence --out e.tar.gz"]


@pytest.mark.thinned(2)
@pytest.mark.parametrize("command", [*DECIDING, "list"])
@pytest.mark.parametrize(
    ("other", "nothing"),
    [("foo.sonnx", "nosuch"), ("user.Foo-1", "user.Nothing-1*"), ("user.Foo-1.int/*", "user.Foo-1/covered")],
)
def test_each_word_names_something(folder: Path, command: str, other: str, nothing: str) -> None:
    """Beside one that does: what was mistyped would not be decided, and nobody would know."""
    for words in ((other, nothing), (nothing, other), (nothing,)):
        done = run(*command.split(), *words)
        assert done.exit_code == 2
        assert f"unknown obligation {nothing}\n" in done.stderr
    assert [path.name for path in folder.iterdir()] == ["foo.sonnx"]


def test_also_where_it_is_known(folder: Path) -> None:
    """A mistyped pattern is refused too if an earlier run decided all of the text."""
    assert run("check").exit_code == 0
    assert run("check", "foo.sonnx", "user.Bar*").exit_code == 2
    assert run("check", "user.Foo-1", "user.Foo-1.int/*").exit_code == 0


# What a slash makes a path, although no file is there: `a` has no point, so it is no namespace.
@pytest.mark.parametrize("name", ["spec/drafts", "nowhere/", "a/b.c/d"])
def test_a_path_is_told_as_one(folder: Path, name: str) -> None:
    done = run("check", "foo.sonnx", name)
    assert done.exit_code == 2
    assert f"there is no file or folder {Path(name)}\n" in done.stderr


@pytest.mark.parametrize(
    "words", ["check", "explain", "fmt", "export", "mutate", "page lint", "coverage", "prove", "eval"]
)
def test_an_empty_name(folder: Path, words: str) -> None:
    """As a path it would be all of the folder: a script whose variable is not set would check, or format, it all."""
    done = run(*words.split(), "")

    assert done.exit_code == 2
    assert done.stderr == "error: an empty name\n  to fix: write a name, or leave it out\n"


@pytest.mark.parametrize("command", [*DECIDING, "check --frozen", "watch"])
def test_where_there_is_no_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    """The installed library is not checked instead: a job in the wrong folder would be green."""
    monkeypatch.chdir(tmp_path)
    done = run(*command.split())
    assert done.exit_code == 2
    assert "there is no specification here\n" in done.stderr
    # Named, the library may be meant.
    assert run("check", "common.layout/spec/well-formed").exit_code == 0
    assert list(tmp_path.iterdir()) == []


def test_a_project_below_a_hidden_folder(foo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A project may lie below a hidden folder; a hidden folder in it is no part of it."""
    place = foo.parent / ".cache" / "project"
    (place / ".old").mkdir(parents=True)
    (place / ".old" / "bad.sonnx").write_text("operator", "utf-8")
    foo.rename(place / "foo.sonnx")
    monkeypatch.chdir(place)
    assert run("check").exit_code == 0


@pytest.mark.parametrize("command", ["check", "explain --list", "fmt --check"])
def test_a_hidden_folder_of_a_named_one(folder: Path, command: str) -> None:
    """What is installed there is no part of the project, also where the project is named as a folder."""
    (folder / ".venv" / "lib").mkdir(parents=True)
    (folder / ".venv" / "lib" / "bad.sonnx").write_text("operator", "utf-8")
    run("fmt", "foo.sonnx")

    assert run(*command.split(), ".").exit_code == run(*command.split(), "foo.sonnx").exit_code == 0
    assert run(*command.split(), ".venv").exit_code == 2
