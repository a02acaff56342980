"""The part of a run on a dask worker: for each of its threads a process of its own that decides, held to limits.

A thread could not be ended, and terms are not made by several threads at once. The process is a program that reads the
texts in a folder, and is kept for the rest of the run. What is sent to and fro stays pickled in the worker itself,
which makes no terms.
"""

from __future__ import annotations

import os
import pickle
import shutil
import tempfile
import threading
import traceback
import zlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from sonnx_verify.interpreter import allow_deep_calls, seldom_collected
from sonnx_verify.processes.channel import Channel
from sonnx_verify.processes.child import Child, Program
from sonnx_verify.processes.limits import Limits, how_ended
from sonnx_verify.processes.pool import Line, Outcome, Pool
from sonnx_verify.solving.check import forked
from sonnx_verify.solving.check.texts import Reread, Texts
from sonnx_verify.solving.solvers import Solvers
from sonnx_verify.stores.store import without_trees
from sonnx_verify.stores.tool import digest_of
from sonnx_verify.version import __version__

_START_SECONDS = 120.0
"""The time in which a process has to report its versions."""
_IDLE_SECONDS = 120.0
"""The idle time after which such a process ends by itself: its client may have been killed."""

_lock = threading.Lock()
_idle: dict[str, list[Child]] = {}
"""Processes that have read the texts of a run, and have nothing to do."""
_over: set[str] = set()
"""Runs that nobody waits for any more."""
_starter = ThreadPoolExecutor(1)
"""Starts processes: on Linux the kernel ends them with the thread that started them, and others come and go."""


@dataclass(frozen=True, slots=True)
class Task:
    """The orders of a process beside the texts: its solvers, and what it may take."""

    solvers: tuple[str, ...]
    budget: int
    patience: float
    limits: Limits


@dataclass(frozen=True, slots=True)
class Refusal:
    """The error that the versions here differ from those of the run."""

    versions: dict[str, str]


@dataclass(frozen=True, slots=True)
class Defect:
    """A failure that is not a user's mistake, by its traceback: an exception dask may fail to send."""

    text: str


def versions(solvers: tuple[str, ...]) -> dict[str, str]:
    """The versions that have to be the same wherever obligations of one run are decided. The code stands for Python and
    the libraries too, and in a checkout may change while the version stays."""
    with Solvers(solvers) as pool:
        found = {name: version or "not installed" for name, version in pool.versions().items()}
    return {"sonnx-verify": f"{__version__} (code {digest_of()[:12]})", **found}


def packed(texts: Texts) -> bytes:
    """The texts as they are sent."""
    return zlib.compress(pickle.dumps(texts, pickle.HIGHEST_PROTOCOL))


def handed(packed: bytes) -> bytes:
    """The texts, as a task of their own: they are sent once, and not lost with a worker."""
    return packed


def decide(
    packed: bytes, run: str, task: Task, expected: dict[str, str], numbers: Sequence[int]
) -> list[Outcome] | Refusal | Defect:
    """The outcomes of the numbered obligations of a run, or the reason why nothing is decided here."""
    home = _Home(packed, run, task, expected)
    found: list[Outcome] = []
    try:
        for outcome in Pool(Line(numbers), home.start, 1, task.limits, done=home.done).outcomes():
            found.append(outcome)
            if run in _over:
                break  # Nobody waits for the rest.
        return found
    except _Refused as refused:
        return Refusal(refused.versions)
    except Exception:
        return Defect(traceback.format_exc())


def end(run: str) -> None:
    """End the processes of a run, those at work as soon as they have decided something."""
    # One that is at work has no time to be asked: it sees that the run is over when it has an outcome.
    with _lock:
        _over.add(run)
        ended = _idle.pop(run, [])
    for child in ended:
        child.end()


class _Refused(Exception):
    def __init__(self, versions: dict[str, str]) -> None:
        super().__init__(versions)
        self.versions = versions


class _Home:
    """Starts processes for a run, or hands out those that are idle."""

    def __init__(self, packed: bytes, run: str, task: Task, expected: dict[str, str]) -> None:
        self._packed, self._run, self._task, self._expected = packed, run, task, expected
        self._alone: list[Child] = []

    def start(self, alone: bool) -> Child:  # noqa: FBT001  # as a pool calls it
        """A process that has the texts. Raises OSError, and _Refused where it would decide by other rules."""
        if alone:
            self._alone.append(child := self._spawned(alone=True))
            return child
        while (kept := self._kept()) is not None:
            if kept.alive():
                return kept
            kept.end()
        return self._spawned(alone=False)

    def _kept(self) -> Child | None:
        with _lock:
            idle = _idle.get(self._run)
            if not idle:
                return None
            return idle.pop()

    def done(self, child: Child) -> None:
        """Keep it, unless it was alone with one obligation."""
        with _lock:
            # One that was alone is there for an obligation that needs much memory, and is not used again.
            kept = child not in self._alone and self._run not in _over
            if kept:
                _idle.setdefault(self._run, []).append(child)
        if not kept:
            child.end()

    def _spawned(self, *, alone: bool) -> Child:
        from distributed import get_worker

        # Below the worker's own folder, which goes with the worker.
        folder = Path(tempfile.mkdtemp(prefix="sonnx-verify-", dir=get_worker().local_directory))
        solvers, parent = self._task.solvers, os.getpid()
        try:
            child = _starter.submit(lambda: Program().start(_serve, solvers, folder, parent, alone=alone)).result()
        except OSError:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        child.closing.callback(shutil.rmtree, folder, ignore_errors=True)
        try:
            # Before it is given anything: another version could read the task as something else.
            found = child.receive(_START_SECONDS)
            if found != self._expected:
                raise _Refused(found)
            child.post((self._task, self._packed))
            return child
        except TimeoutError:
            child.end()
            raise OSError(0, "it did not start") from None
        except EOFError:
            raise OSError(0, f"the new one {how_ended(child.ended())}") from None
        except _Refused:
            child.end()
            raise


def _serve(channel: Channel, solvers: tuple[str, ...], folder: Path, parent: int, *, alone: bool) -> None:
    """Say which versions are here, take a task and texts, and decide."""
    allow_deep_calls()
    channel.send(versions(solvers))
    try:
        # Only from here on both ends are known to mean the same by it.
        task, sent = channel.receive()
    except EOFError:
        return
    texts: Texts = pickle.loads(zlib.decompress(sent))
    # Whoever asks knows nothing of the cache here, and may not want one.
    with seldom_collected(), without_trees():
        project = Reread(texts, folder)
        pool = Solvers(task.solvers, task.budget, patience=task.patience)
        how = forked.Deciding(task.limits, alone, idle=_IDLE_SECONDS)
        forked.decide(channel, parent, project, pool, how, project.parts)
