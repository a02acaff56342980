"""What a dask worker runs: for each of its threads a process of its own that decides, held to limits.

A thread could not be ended, and terms are not made by several threads at once. What is sent to and fro stays pickled
here: this process makes no terms.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import threading
import traceback
from collections import deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path

from sonnx_verify.solving.check.processes import Child, Outcome, Processes
from sonnx_verify.solving.check.remote_process import Task

_START_SECONDS = 120.0
"""How long a process may take to say which versions it has."""
_SILENT = "it did not start"

_lock = threading.Lock()
_idle: dict[str, list[_Spawned]] = {}
"""Processes that have read the texts of a run, and have nothing to do."""
_over: set[str] = set()
"""Runs that nobody waits for any more."""
_starter = ThreadPoolExecutor(1)
"""Starts processes: on Linux the kernel ends them with the thread that started them, and others come and go."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """That the versions here are others than those of the run."""

    versions: dict[str, str]


@dataclass(frozen=True, slots=True)
class Defect:
    """That something failed which is no mistake of a user, by its traceback: an exception dask may fail to send."""

    text: str


def handed(packed: bytes) -> bytes:
    """The texts, as a task of their own: they are sent once, and not lost with a worker."""
    return packed


def decide(
    packed: bytes, run: str, task: Task, expected: dict[str, str], numbers: Sequence[int]
) -> list[Outcome] | Refusal | Defect:
    """What came of the numbered obligations of a run, or why nothing is decided here."""
    home = _Home(packed, run, task, expected)
    found: list[Outcome] = []
    try:
        for outcome in Processes(_Line(deque(numbers)), home, 1, task.limits).outcomes():
            found.append(outcome)
            if run in _over:
                break
        return found
    except _Refused as refused:
        return Refusal(refused.versions)
    except Exception:
        return Defect(traceback.format_exc())


def end(run: str) -> None:
    """End the processes of a run, those at work as soon as they have decided something."""
    with _lock:
        _over.add(run)
        ended = _idle.pop(run, [])
    for child in ended:
        child.kill()
        child.join()


@dataclass(frozen=True, slots=True)
class _Line:
    """Numbers in a line, for one process after the other."""

    numbers: deque[int]

    def __bool__(self) -> bool:
        return bool(self.numbers)

    def next(self, process: int) -> int | None:
        return self.numbers.popleft() if self.numbers else None

    def give_back(self, process: int) -> None:
        """Nothing that was not begun was given."""


class _Refused(Exception):
    def __init__(self, versions: dict[str, str]) -> None:
        super().__init__(versions)
        self.versions = versions


@dataclass(frozen=True, slots=True)
class _Spawned:
    """A process, and the folder with its copies of the texts."""

    popen: subprocess.Popen[bytes]
    pipe: Connection
    folder: Path
    alone: bool

    def kill(self) -> None:
        self.popen.kill()

    def join(self) -> int:
        self.pipe.close()
        code = self.popen.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
        return code


class _Home:
    """Starts processes for a run, or hands out those that are idle."""

    def __init__(self, packed: bytes, run: str, task: Task, expected: dict[str, str]) -> None:
        self._packed, self._run, self._task, self._expected = packed, run, task, expected

    def start(self, alone: bool) -> Child:
        while not alone:
            with _lock:
                idle = _idle.get(self._run)
                child = idle.pop() if idle else None
            if child is None:
                break
            if child.popen.poll() is None:
                return child
            child.join()
        return self._spawn(alone)

    def done(self, child: Child) -> None:
        assert isinstance(child, _Spawned)
        with _lock:
            kept = not child.alone and self._run not in _over
            if kept:
                _idle.setdefault(self._run, []).append(child)
        if not kept:
            child.join()

    def _spawn(self, alone: bool) -> _Spawned:
        """A new process that has the texts. Raises OSError, and _Refused where it would decide by other rules."""
        from distributed import get_worker

        folder = Path(tempfile.mkdtemp(prefix="sonnx-verify-", dir=get_worker().local_directory))
        ours, theirs = Pipe()
        try:
            popen = _starter.submit(_started, theirs, folder).result()
        except OSError:
            ours.close()
            shutil.rmtree(folder, ignore_errors=True)
            raise
        finally:
            theirs.close()
        child = _Spawned(popen, ours, folder, alone)
        try:
            ours.send((self._task.solvers, alone))
            if not ours.poll(_START_SECONDS):
                raise OSError(0, _SILENT)
            found = ours.recv()
            if found != self._expected:
                raise _Refused(found)
            ours.send(self._task)
            ours.send_bytes(self._packed)
        except (_Refused, EOFError, OSError) as problem:
            child.kill()
            code = child.join()
            if isinstance(problem, _Refused):
                raise
            silent = isinstance(problem, OSError) and problem.strerror == _SILENT
            raise OSError(0, _SILENT if silent else f"the new one ended with status {code}") from None
        return child


def _started(pipe: Connection, folder: Path) -> subprocess.Popen[bytes]:
    # The process finds what we find, from any folder. Without -P it would also import from the current folder.
    path = os.pathsep.join(os.path.abspath(entry) for entry in sys.path)
    module = "sonnx_verify.solving.check.remote_process"
    return subprocess.Popen(
        [sys.executable, "-P", "-m", module, str(pipe.fileno()), str(os.getpid()), str(folder)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": path},
        pass_fds=[pipe.fileno()],
    )
