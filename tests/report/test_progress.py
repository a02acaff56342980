"""A line on the terminal says how far a long command is; elsewhere there is none."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from sonnx_verify import progress
from sonnx_verify.progress import shown

ROOT = Path(__file__).parents[2]


def test_a_terminal_is_told(tmp_path: Path) -> None:
    """Standard error counts the obligations and is clear at the end; standard output is as it is elsewhere."""
    (tmp_path / "few.sonnx").write_text('theory few "Few"\n\ntheorem one "one" : 1 = 1\n', "utf-8")
    command = [sys.executable, "-m", "sonnx_verify", "check", "few.sonnx"]
    place = dict(os.environ)
    outer, inner = pty.openpty()
    on_terminal = subprocess.run(command, cwd=tmp_path, env=place, stdout=subprocess.PIPE, stderr=inner, check=True)
    os.close(inner)
    told = os.read(outer, 10_000).decode()
    os.close(outer)
    elsewhere = subprocess.run(command, cwd=tmp_path, env=place, capture_output=True, check=True)

    assert "0 of 2 obligations" in told
    assert "2 of 2 obligations" in told
    assert told.endswith("\r\x1b[K")
    assert on_terminal.stdout == elsewhere.stdout
    assert elsewhere.stderr == b""


def test_it_is_cleared_when_left_early(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """What ends a command early leaves no line behind."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    for number in (items := shown(iter(range(3)), 3, "numbers")):
        if number == 1:
            items.close()  # type: ignore[attr-defined]  # a generator, as every function with yield makes
            break

    assert capsys.readouterr().err.endswith("\r\x1b[K")


def test_a_log_has_lines_of_its_own(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Where nothing can be written over, a line now and then says how far it is, and what comes; the last says
    nothing."""
    monkeypatch.setattr(progress, "LOG_SECONDS", 0.0)
    assert list(shown(iter(range(3)), 3, "numbers", ["zero", "one", "two"])) == [0, 1, 2]
    assert capsys.readouterr().err == "after 0 s: 1 of 3 numbers  one\nafter 0 s: 2 of 3 numbers  two\n"

    progress.be_silent(silent=True)
    list(shown(iter(range(3)), 3, "numbers"))
    progress.be_silent(silent=False)
    assert capsys.readouterr().err == ""
