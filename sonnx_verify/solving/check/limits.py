"""What a process that decides may take: how long it may be at one obligation, and how much memory.

Both only guard. A wall clock, since a defect that hangs need not do anything that could be counted; and so generous
that no machine is slow enough for it to matter: in a check of the whole library no obligation took a process more than
four seconds of its own. What two processes held at the end of it was 1.3 GiB each, since terms are never given up: one
that has no memory left is replaced, and only what needs so much by itself is not decided.
"""

from __future__ import annotations

import os
import resource
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

NO_MEMORY = 77
"""The status with which a process ends that has no memory left."""


@dataclass(frozen=True, slots=True)
class Limits:
    """`seconds` of a process's own work at one obligation, while solvers work not counted; `memory` in bytes."""

    seconds: float = 600.0
    memory: int = 4 << 30


def confine(limits: Limits) -> None:
    """Hold this process to them. On Linux alone its memory is limited; elsewhere the system ends it when it likes."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGALRM})
    _limit_data(limits.memory)
    threading.excepthook = _of_thread


def _limit_data(size: int) -> None:
    """Allow this process so many bytes of data, or fewer where it is held to fewer already. Linux alone heeds it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    allowed = min(n for n in (size, soft, hard) if n != resource.RLIM_INFINITY)
    resource.setrlimit(resource.RLIMIT_DATA, (allowed, hard))


@contextmanager
def ended_after(seconds: float | None) -> Iterator[None]:
    """The kernel ends this process when what is done here takes longer: code that hangs may not heed anything else."""
    if seconds is None:
        yield
        return
    # 0 would switch the timer off.
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.001))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def how_ended(code: int, limits: Limits) -> str:
    """How a process ended, by its exit status, negative for a signal."""
    if code == -signal.SIGALRM:
        return f"had not come to an end after {limits.seconds:g} seconds"
    if code == NO_MEMORY:
        return "had no memory left"
    return f"was killed by signal {-code}" if code < 0 else f"ended with status {code}"


def _of_thread(raised: threading.ExceptHookArgs) -> None:
    """A thread that serves a solver failed: without memory nothing that this process says is worth waiting for."""
    if issubclass(raised.exc_type, MemoryError):
        os._exit(NO_MEMORY)
    threading.__excepthook__(raised)
