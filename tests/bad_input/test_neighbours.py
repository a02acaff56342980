"""A file that cannot be read takes nothing from the others: every command works on these, or says which file it is."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from sonnx_verify.cli import main

GOOD = """operator Good version 1 user
types int = int8 int16
input X : tensor of T
output Y : tensor of T
[C1] constraint "a vector" : rank(X) = 1
[E1] error "no vector" : when C1 fails
shape Y = X.shape
value Y[i] = X[i]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A good text beside one without an end, one with a word that is not one, and one with an undefined name."""
    (tmp_path / "good.sonnx").write_text(GOOD, "utf-8")
    (tmp_path / "bad.sonnx").write_text(GOOD.replace("Good", "Bad").replace("value", "valu"), "utf-8")
    (tmp_path / "cut.sonnx").write_text("operator", "utf-8")
    (tmp_path / "law.sonnx").write_text('theory law "L"\ntheorem one "one" : zzz = 1\n', "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        ("check user.Good", 2, "cut.sonnx was not checked"),
        ("check user.Goo", 2, "cut.sonnx was not checked"),
        ("check user.Bad", 2, "unexpected `valu`"),
        ("check good.sonnx --verbose", 0, "no surprises"),
        ("check user.Good-1.int/C1/satisfiable", 2, "1 holds"),
        ("explain user.Good", 0, "user.Good-1 (user), good.sonnx"),
        ("explain user.Goo", 2, "cut.sonnx:1:9"),
        ("explain user.Bad", 2, "unexpected `valu`"),
        ("explain user.Good/C1", 0, "user.Good-1/C1, constraint: a vector"),
        ("explain user.Good --list", 2, "user.Good-1.int/C1/independent"),
        ("explain onnx.Max-13 --list", 0, "onnx.Max-13.int/max/determined"),
        ("explain user.Good --terms", 0, "section int"),
        ("explain user.Goo --terms", 2, "unknown operator user.Goo"),
        ("eval user.Good --input X=int8:[1]", 0, "Y = int8 (1) [1]"),
        ("eval user.Bad --input X=int8:[1]", 2, "unexpected `valu`"),
        ("eval user.Goo --input X=int8:[1]", 2, "did you mean user.Good?"),
        ("diff user.Good user.Bad", 2, "unexpected `valu`"),
        ("diff --update-records", 2, "error:"),
        ("mutate user.Good", 2, "error:"),
        ("mutate user.Goo", 2, "error:"),
        ("export user.Good", 0, '"operator": "user.Good-1"'),
        ("fmt --check .", 2, "complete the item"),
        ("evidence --out made", 2, "there are errors in the texts"),
        ("report --out made", 2, "error:"),
    ],
)
def test_beside_files_that_cannot_be_read(folder: Path, words: str, status: int, said: str) -> None:
    done = CliRunner().invoke(main, shlex.split(words))

    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    assert said in done.output
    assert done.exit_code == status
