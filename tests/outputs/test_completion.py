"""A shell completes commands, and the names of operators and obligations."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from sonnx_verify.cli import main

OWN = """\
operator Keep version 3 user
types int = int8

input  X : tensor of T
output Y : tensor of T

[C1] constraint "X is a vector"    : rank(X) = 1
[E1] error      "X is no vector"   : when C1 fails

shape Y    = X.shape
value Y[i] = X[i]
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "keep.sonnx").write_text(OWN, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def completed(*words: str) -> list[str]:
    """What bash is given for the last of some words."""
    environment = {
        "_SONNX_VERIFY_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(("sonnx-verify", *words)),
        "COMP_CWORD": str(len(words)),
    }
    done = CliRunner(env=environment).invoke(main, [], prog_name="sonnx-verify", catch_exceptions=False)
    return [line for line in done.stdout.splitlines() if line]


def test_commands() -> None:
    assert completed("e") == ["plain,explain", "plain,eval", "plain,export", "plain,evidence"]
    assert completed("page", "l") == ["plain,lint"]
    assert completed("lis") == []  # an old name


@pytest.mark.parametrize("command", ["check", "explain", "report", "evidence", "mutate"])
def test_identities(command: str) -> None:
    """One's own, and those of the installed library."""
    assert completed(command, "user.") == ["plain,user.Keep-3"]
    assert completed(command, "sonnx.Mi") == ["plain,sonnx.Min-13"]
    assert completed(command, "proofs.int") == ["plain,proofs.integer_arithmetic", "plain,proofs.integers"]
    assert completed(command, "user.Keep-3.int/C1/c") == ["plain,user.Keep-3.int/C1/covered"]
    assert completed(command, "user.Keep-3/C") == ["plain,user.Keep-3/C1"]
    assert completed(command, "./ke") == ["file,./ke"]


@pytest.mark.parametrize("command", ["eval", "diff", "conform", "vectors"])
def test_operators(command: str) -> None:
    assert completed(command, "user.") == ["plain,user.Keep-3"]
    assert completed(command, "onnx.Min-1") == ["plain,onnx.Min-12", "plain,onnx.Min-13"]
    assert completed(command, "proofs.") == []


def test_a_text_with_a_mistake(folder: Path) -> None:
    """It has no names; those of the others are completed."""
    (folder / "bad.sonnx").write_text("operator", "utf-8")
    (folder / "sonnx-verify.toml").write_text("no TOML", "utf-8")

    assert completed("check", "user.") == ["plain,user.Keep-3"]
