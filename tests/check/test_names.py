"""A name of an operator means the same to every command and in every folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from sonnx_verify.cli import main

OWN = """\
operator Keep version 3 user
types int = int8 int16

input  X : tensor of T
output Y : tensor of T

shape Y    = X.shape
value Y[i] = X[i]
"""


@pytest.fixture(params=["empty", "own"])
def folder(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder without a specification, and one with its own."""
    if request.param == "own":
        (tmp_path / "keep.sonnx").write_text(OWN, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def printed(*words: str) -> str:
    done = CliRunner().invoke(main, words, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


# Each name once, and each folder: a list of the library takes a second.
@pytest.mark.thinned
@pytest.mark.parametrize(
    ("bare", "full"),
    [
        ("sonnx.Min", "sonnx.Min-13"),
        ("sonnx.Min.int/C1", "sonnx.Min-13.int/C1"),
        ("onnx.ReduceMax.int", "onnx.ReduceMax-20.int"),
        ("drafts.Max.int/C1/*", "drafts.Max-13.int/C1/*"),
    ],
)
def test_a_name_without_a_version_is_the_newest(folder: Path, bare: str, full: str) -> None:
    listed = printed("explain", "--list", bare).splitlines()

    assert listed == printed("explain", "--list", full).splitlines()
    assert all(line.startswith(full.removesuffix("/*")) for line in listed)


def test_the_installed_library_is_known(folder: Path) -> None:
    """Of it the obligations that are named are decided, and no others."""
    listed = printed("explain", "--list", "proofs.integers.int").splitlines()

    assert printed("check", "proofs.integers.int").startswith(f"{len(listed)} obligations: ")
    assert printed("explain", "sonnx.Min").startswith("sonnx.Min-13 (profile), spec/sonnx/min/min.sonnx\n")
    assert printed("mutate", "sonnx.Min", "--sample", "1", "--short").startswith("1 mutation: ")


def test_one_s_own_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "keep.sonnx").write_text(OWN, "utf-8")
    (tmp_path / "older.sonnx").write_text(OWN.replace("version 3", "version 2"), "utf-8")
    monkeypatch.chdir(tmp_path)

    assert printed("explain", "--list", "user.Keep") == printed("explain", "--list", "user.Keep-3")
    assert "user.Keep-2" not in printed("explain", "--list", "user.Keep")
    assert "user.Keep-2" in printed("explain", "--list", "user.Keep*")
    assert "sonnx." not in printed("explain", "--list", "*")


def test_a_name_of_nothing(folder: Path) -> None:
    done = CliRunner().invoke(main, ["check", "sonnx.Mim"])

    assert done.exit_code == 2
    assert done.stderr.startswith("error: unknown obligation sonnx.Mim\n")


def test_two_files_that_define_one_operator_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is checked, and a note says which two they are: nothing else shows that one of them is never used."""
    for name in ("a", "b"):
        (tmp_path / f"{name}.sonnx").write_text(OWN, "utf-8")
    monkeypatch.chdir(tmp_path)
    note = "note: a.sonnx and b.sonnx both define user.Keep-3; each is checked on its own\n"

    both = CliRunner().invoke(main, ["check"])
    assert (both.exit_code, both.stderr) == (0, note)
    assert CliRunner().invoke(main, ["check", "a.sonnx"]).stderr == ""
    assert CliRunner().invoke(main, ["check", "--quiet"]).stderr == ""
    assert CliRunner().invoke(main, ["check", "--format", "json"]).stderr == ""
