"""A terminal is shown colours, progress and a table; whatever else reads the output gets plain lines."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
from pathlib import Path

import pytest

WRONG = """\
operator Keep version 1 user
types int = int8 int16

input  X : tensor of T
output Y : tensor of T

[C1] constraint "X is a vector" : rank(X) = 1

shape Y    = X.shape
value Y[i] = X[i]
"""
COLOR = "\x1b["


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "keep.sonnx").write_text(WRONG, "utf-8")
    return tmp_path


def at_a_terminal(folder: Path, *words: str, **environment: str) -> str:
    """What a command writes to a terminal, which is its standard output and standard error."""
    ours, theirs = pty.openpty()
    plain = {name: value for name, value in os.environ.items() if name not in ("CI", "NO_COLOR", "FORCE_COLOR")}
    running = subprocess.Popen(
        [sys.executable, "-m", "sonnx_verify", *words],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        env={**plain, "TERM": "xterm", **environment},
    )
    os.close(theirs)
    made = b""
    try:
        while select.select([ours], [], [], 120)[0]:
            try:
                more = os.read(ours, 1 << 16)
            except OSError:  # the other end is closed
                break
            if not more:
                break
            made += more
    finally:
        running.kill()
        running.wait()
        os.close(ours)
    return made.decode().replace("\r\n", "\n")


def to_a_file(folder: Path, *words: str, **environment: str) -> str:
    """What it writes where no person looks."""
    done = subprocess.run(
        [sys.executable, "-m", "sonnx_verify", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        check=False,
    )
    return done.stdout


def test_a_person_sees_colours_progress_and_a_table(folder: Path) -> None:
    seen = at_a_terminal(folder, "check")

    assert f"{COLOR}1;31m!{COLOR}0m {COLOR}1;31mrefuted{COLOR}0m {COLOR}1muser.Keep-1.int/C1/covered{COLOR}0m\n" in seen
    # The line of progress names what is decided, and is written over.
    assert "\r\x1b[K0 of " in seen
    assert "obligations  user.Keep-1" in seen
    assert "surprises" in seen
    assert seen.rstrip().endswith("1 surprise:\n  refuted user.Keep-1.int/C1/covered")


@pytest.mark.parametrize(
    ("words", "environment"),
    [(("--color", "never"), {}), ((), {"NO_COLOR": "1"}), ((), {"CI": "true"}), ((), {"TERM": "dumb"})],
)
def test_plain_lines_where_colours_are_not_wanted(
    folder: Path, words: tuple[str, ...], environment: dict[str, str]
) -> None:
    """Those that a file gets, byte for byte."""
    lines = to_a_file(folder, "check", "--quiet")
    seen = at_a_terminal(folder, "check", "--quiet", *words, **environment)

    assert COLOR not in lines
    assert COLOR not in seen
    assert seen == lines
    assert "refuted user.Keep-1.int/C1/covered\n" in seen


@pytest.mark.soak
def test_colours_can_be_forced(folder: Path) -> None:
    wanted = to_a_file(folder, "check", "--color", "always")

    assert COLOR in wanted
    assert to_a_file(folder, "check", FORCE_COLOR="1") == wanted
    assert COLOR not in to_a_file(folder, "check", "--color", "never", FORCE_COLOR="1")
    assert COLOR not in to_a_file(folder, "check", "--format", "json", "--color", "always")


@pytest.mark.soak
def test_verdicts_of_other_commands_have_colours(folder: Path) -> None:
    """Those on an implementation, and those on mutants; the words are the same without."""
    (folder / "kept.py").write_text("def twice(X):\n    return X * 2\n", "utf-8")
    conform = ("conform", "user.Keep", "--against", "python:kept:twice")

    told = to_a_file(folder, *conform, "--color", "always")
    assert f"python:kept:twice: {COLOR}1;31mrefuted{COLOR}0m\n" in told
    assert told.replace(f"{COLOR}1;31m", "").replace(f"{COLOR}1m", "").replace(f"{COLOR}0m", "") == to_a_file(
        folder, *conform
    )
    assert f"{COLOR}1;31msurviving {COLOR}0m keep.sonnx:2:12" in to_a_file(folder, "mutate", "--color", "always")


@pytest.mark.soak
def test_the_number_of_workers_changes_nothing(folder: Path) -> None:
    made = [
        to_a_file(folder, "check", "--no-cache", "--color", c, "--jobs", j) for c in ("never", "always") for j in "12"
    ]

    assert made[0] == made[1]
    assert made[2] == made[3]
