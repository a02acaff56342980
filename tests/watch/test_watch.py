"""`watch` checks again what changes, and ends with what it found last."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 300.0
"""How many seconds something may take before it is taken for lost."""
TEXT = 'theory numbers "About numbers."\n\ntheorem one "c"\n  for n : int\n  : n + 0 = n\n'
OTHER = 'theory others "About other numbers."\n\ntheorem two "c"\n  for n : int\n  : 0 + n = n\n'


class Watch:
    """A process that watches, and the lines that it prints."""

    def __init__(self, folder: Path, *what: str) -> None:
        command = [sys.executable, "-m", "sonnx_verify", "check", "--watch", *what, "--every", "0.05", "--jobs", "1"]
        # Python keeps lines for a pipe back, which a test would wait for in vain.
        environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
        self.process = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        # A thread reads, since a pipe has no time limit: a test that waits for a line that never comes has to fail.
        self._lines: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)
        self._lines.put(None)

    def said(self) -> str:
        """The output until it waits for changes, or to its end."""
        found = []
        while (line := self._lines.get(timeout=PATIENCE)) is not None:
            found.append(line)
            if "waiting for changes" in line:
                break
        return "".join(found)

    def interrupted(self) -> int:
        """The exit status after Ctrl-C."""
        self.process.send_signal(signal.SIGINT)
        assert "Traceback" not in self.said()
        return self.process.wait(PATIENCE)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "numbers.sonnx").write_text(TEXT, "utf-8")
    (tmp_path / "others.sonnx").write_text(OTHER, "utf-8")
    return tmp_path


@pytest.fixture
def watching(folder: Path) -> Iterator[Watch]:
    made = Watch(folder)
    yield made
    made.process.kill()
    made.process.wait()


def test_a_text_as_it_changes(watching: Watch, folder: Path) -> None:
    """Failures are printed, verdicts that changed, errors, and obligations that are gone; no line about other files."""
    path = folder / "numbers.sonnx"
    assert "checked numbers.sonnx, others.sonnx" in watching.said()

    path.write_text(TEXT.replace("= n\n", "= n + n\n"), "utf-8")
    said = watching.said()
    assert "refuted user.numbers/one/theorem" in said
    assert "n = " in said
    assert "checked numbers.sonnx" in said
    # The theorem of the other file, which nobody touched.
    assert "two" not in said

    # Half a text, as an editor may leave it for a moment: an error, and the verdicts of before stay.
    path.write_text(TEXT[:-4], "utf-8")
    said = watching.said()
    assert "numbers.sonnx:" in said
    assert "error" in said
    assert "gone" not in said
    assert "1 surprise, 1 error: numbers.sonnx was not checked;" in said

    path.write_text(TEXT, "utf-8")
    said = watching.said()
    assert "proved      user.numbers/one/theorem" in said
    assert "(it was refuted)" in said

    path.unlink()
    assert "gone        user.numbers/one/theorem" in watching.said()

    path.write_text(TEXT, "utf-8")
    assert "proved      user.numbers/one/theorem  (new)" in watching.said()
    assert watching.interrupted() == 0


@pytest.mark.parametrize("what", [(), ("numbers.sonnx",)])
def test_all_of_it_is_gone_for_a_moment(folder: Path, what: tuple[str, ...]) -> None:
    """As while another branch is fetched: what comes back is checked."""
    (folder / "others.sonnx").unlink()
    watching = Watch(folder, *what)
    try:
        assert "checked numbers.sonnx" in watching.said()
        (folder / "numbers.sonnx").rename(folder / "numbers.away")
        assert "gone        user.numbers/one/theorem" in watching.said()
        (folder / "numbers.away").rename(folder / "numbers.sonnx")
        assert "proved      user.numbers/one/theorem  (new)" in watching.said()
        assert watching.interrupted() == 0
    finally:
        watching.process.kill()
        watching.process.wait()


def test_the_exit_status_is_that_of_the_last_state(watching: Watch, folder: Path) -> None:
    """A finding in what was checked last ends it with 1, whatever was there before."""
    watching.said()
    (folder / "others.sonnx").write_text(OTHER.replace("= n\n", "= 1\n"), "utf-8")
    assert "refuted" in watching.said()

    assert watching.interrupted() == 1


def test_a_page_as_it_changes(folder: Path) -> None:
    """Findings about a page are printed when it is saved."""
    page = folder / "numbers.md"
    page.write_text("# **Max** (int, int)\n", "utf-8")
    watch = Watch(folder)
    assert "TODO" not in watch.said()

    # Nothing but the page changes, so no verdict is asked for.
    page.write_text("# **Max** (int, int)\n\nTODO: the rest\n", "utf-8")
    said = watch.said()
    assert "numbers.md:3:1: " in said
    assert "looked at numbers.md: " in said
    assert watch.interrupted() == 1


def test_two_files_of_one_identity(folder: Path) -> None:
    """The result of one is no answer for the other."""
    (folder / "again.sonnx").write_text(TEXT.replace("= n\n", "= n + n\n"), "utf-8")
    watching = Watch(folder)
    try:
        said = watching.said()
        assert "refuted user.numbers/one/theorem" in said
        assert "1 surprise" in said
        (folder / "again.sonnx").unlink()
        assert "gone        user.numbers/one/theorem" in watching.said()
        assert watching.interrupted() == 0
    finally:
        watching.process.kill()
        watching.process.wait()
