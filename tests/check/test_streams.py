"""Standard streams that are closed, or take no more."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

linux = pytest.mark.skipif(sys.platform != "linux", reason="/dev/full is a device of Linux")


def shell(foo: Path, words: str) -> subprocess.CompletedProcess[str]:
    """A command with its redirections, as a shell has them, in the folder of a text."""
    command = f"{sys.executable} -m sonnx_verify {words}"
    return subprocess.run(["sh", "-c", command], cwd=foo.parent, capture_output=True, text=True, check=False)


@linux
@pytest.mark.parametrize(
    "words", ["check >/dev/full", "explain --list foo.sonnx >/dev/full", "check --format json >/dev/full"]
)
def test_what_is_printed_cannot_be_written(foo: Path, words: str) -> None:
    """One line says so, and the status."""
    done = shell(foo, words)
    told = "error: cannot write to standard output: No space left on device\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", told)


@linux
def test_errors_cannot_be_written(foo: Path) -> None:
    """Without a stream for errors the status alone tells."""
    assert shell(foo, "check nowhere.sonnx 2>/dev/full").returncode == 2
    # What goes well says nothing there, and is not disturbed.
    assert shell(foo, "check foo.sonnx 2>/dev/full").returncode == 0


@pytest.mark.skipif(sys.platform == "win32", reason="a shell that closes streams")
@pytest.mark.parametrize("closed", ["2>&-", "<&- 2>&-", "<&- >&- 2>&-", ">&-"])
def test_closed_streams(foo: Path, closed: str) -> None:
    """No file takes their place: what is decided is the same."""
    done = shell(foo, f"check --report junit=found.xml {closed}")
    assert done.returncode == 0, done.stderr
    assert 'tests="4"' in foo.with_name("found.xml").read_text("utf-8")
    assert (">&-" in closed.replace("2>&-", "")) is (done.stdout == "")
    assert shell(foo, f"check nowhere.sonnx {closed}").returncode == 2


@pytest.mark.thinned
@pytest.mark.skipif(sys.platform == "win32", reason="names that Windows does not have")
@pytest.mark.parametrize("words", ["check", "check --format github", "list", "fmt --check .", "check 'd\n::error::x'"])
@pytest.mark.parametrize("end", ["value Y[i] = X[i", "value Y[i] = if rank(X) = 0 then X[i] else X[0]"])
def test_no_name_of_a_file_is_a_line_of_its_own(foo: Path, words: str, end: str) -> None:
    """A CI server reads lines that begin with `::` as commands, a terminal what begins with an escape."""
    text = foo.read_text("utf-8").replace("value Y[i] = X[i]", f"{end} -- \x1b[31m")
    foo.with_name("d\n::warning::q\x1b[2J.sonnx").write_text(text.replace("Foo", "Bar"), "utf-8")
    done = shell(foo, words)
    lines = [*done.stdout.splitlines(), *done.stderr.splitlines()]

    assert done.returncode in ((0, 1, 2) if words.startswith("list") else (1, 2))
    assert not any(line.startswith("::warning::q") or "\x1b" in line for line in lines), lines
    assert not any(line.startswith("::error::x") for line in lines)
