"""What a guard is told of goes with the process that told it, also where that is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sonnx_verify.processes.guard import Guard, watch

ROOT = Path(__file__).parents[2]
STARTS = """
import os, signal, subprocess, sys
from pathlib import Path
from sonnx_verify.processes.guard import Guard

folder = Path(sys.argv[1])
folder.mkdir()
guard = Guard()
guard.folder(folder)
sleep = subprocess.Popen(["sleep", "1000"], start_new_session=True)
guard.group(sleep.pid)
print(sleep.pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def runs(number: int) -> bool:
    """Whether there is such a process, and it is no zombie."""
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    state = subprocess.run(["ps", "-o", "state=", "-p", str(number)], capture_output=True, text=True, check=False)
    return state.stdout.strip() not in ("", "Z")


def comes(what: Callable[[], bool]) -> bool:
    """Whether something is so within a minute."""
    until = time.monotonic() + 60
    while not what():
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


@pytest.fixture
def sleeper() -> subprocess.Popen[bytes]:
    """A process in a group of its own."""
    return subprocess.Popen(["sleep", "1000"], start_new_session=True)


def test_of_a_killed_process_nothing_is_left(tmp_path: Path) -> None:
    """Neither a folder nor a process of its own group."""
    folder = tmp_path / "made"
    command = [sys.executable, "-c", STARTS, str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)

    assert done.returncode == -signal.SIGKILL
    assert comes(lambda: not folder.exists() and not runs(int(done.stdout)))


def test_a_closed_guard_has_taken_all_away(tmp_path: Path, sleeper: subprocess.Popen[bytes]) -> None:
    """Closing it waits for that."""
    folder = tmp_path / "made"
    folder.mkdir()
    guard = Guard()
    guard.folder(folder)
    guard.group(sleeper.pid)
    guard.close()

    assert not folder.exists()
    assert sleeper.wait(60) == -signal.SIGKILL


def test_folders_in_folders(tmp_path: Path) -> None:
    """As deep as a program can nest them."""
    folder = tmp_path / "made"
    nest = "import os\nfor _ in range(1500): os.mkdir('d'); os.chdir('d')"
    folder.mkdir()
    subprocess.run([sys.executable, "-c", nest], cwd=folder, check=True)
    guard = Guard()
    guard.folder(folder)
    guard.close()

    assert not folder.exists()


def test_a_group_that_ended_is_left_alone(sleeper: subprocess.Popen[bytes]) -> None:
    """Its number may be that of another group by now."""
    guard = Guard()
    guard.group(sleeper.pid)
    guard.ended(sleeper.pid)
    guard.close()

    assert runs(sleeper.pid)
    sleeper.kill()
    sleeper.wait()


def test_a_line_that_was_cut_off(tmp_path: Path) -> None:
    """What was said before holds, and the process that watched allows as many calls as before."""
    (tmp_path / "made").mkdir()
    before = sys.getrecursionlimit()
    watch([f'["folder", "{tmp_path}/made"]\n'.encode(), b'["group", 1'])

    assert not (tmp_path / "made").exists()
    assert sys.getrecursionlimit() == before
