"""A process that outlives the one that started it, and takes away what that left behind: programs and folders.

A process that is killed cannot do so itself, and the programs of other people that it ran need not end with it.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path


class Guard:
    """Once this process has ended, however it did, or has closed the guard, the processes of the groups that it was
    told of are killed, and the folders are removed."""

    def __init__(self) -> None:
        # A session of its own: what ends the group of this process, as Ctrl-C does, must not end the guard.
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def folder(self, path: Path) -> None:
        """Guard a folder."""
        self._tell("folder", str(path))

    def group(self, number: int) -> None:
        """Guard a group of processes."""
        self._tell("group", number)

    def ended(self, number: int) -> None:
        """Leave a group alone, which has ended: its number may become that of another."""
        self._tell("ended", number)

    def close(self) -> None:
        """Have everything taken away, and wait for it."""
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.close()
        self._process.wait()

    def _tell(self, what: str, value: object) -> None:
        assert self._process.stdin is not None
        # Somebody may have killed the guard: the work goes on without it.
        with suppress(OSError):
            self._process.stdin.write(json.dumps([what, value]).encode() + b"\n")
            self._process.stdin.flush()


def watch(lines: Iterable[bytes]) -> None:
    """Hear what is guarded, and take it away when there is nothing more to hear."""
    folders: list[str] = []
    groups: set[int] = set()
    for line in lines:
        # The last line may have been cut off.
        with suppress(ValueError):
            what, value = json.loads(line)
            match what:
                case "folder":
                    folders.append(value)
                case "group":
                    groups.add(value)
                case "ended":
                    groups.discard(value)
    for group in groups:
        with suppress(OSError):
            os.killpg(group, signal.SIGKILL)
    # In Python 3.11 a folder is removed by a function that calls itself, and programs can nest folders deep.
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(1 << 16)
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
    # So many calls of C do not fit on the stack: whoever goes on in this process is not to be allowed them.
    sys.setrecursionlimit(before)


if __name__ == "__main__":
    # A signal to everybody, as at the end of a session, must not come before the work is done.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    watch(sys.stdin.buffer)
