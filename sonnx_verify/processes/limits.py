"""Limits of a process, and how it ended.

All of them only guard, so no verdict but `unknown` may come from one. The kernel enforces them: code that hangs, or a
library that has no memory, need not heed anything else.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

NO_MEMORY = 77
"""The exit status of a process that has no memory left."""
_PR_SET_PDEATHSIG = 1  # linux/prctl.h
WAITING = 10
"""The seconds of the clock, for each second of the processor, after which a process that waits is taken to hang."""


_CLOCKS = (signal.SIGALRM, signal.SIGPROF)
"""The signals of the timers."""


@dataclass(frozen=True, slots=True)
class Limits:
    """`seconds` of work at one task; `memory` in bytes.

    The defaults are so generous that no machine is slow enough for them to matter: in a check of the whole library no
    obligation took a process more than four seconds of its own. Two processes held 1.3 GiB each at the end of it, since
    terms are never given up: one that has no memory left is replaced, and only what needs so much alone is not decided.
    """

    seconds: float = 600.0
    memory: int = 4 << 30


def confine(limits: Limits) -> None:
    """Hold this process to the limits; `ended_after` starts the clock. On Linux alone its memory is limited."""
    # A handler in Python would run only between two of its instructions, and a solver may never come back to them.
    for clock in _CLOCKS:
        signal.signal(clock, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _CLOCKS)
    # Not RLIMIT_AS: libraries reserve addresses that they never use, which cost no memory.
    lower(resource.RLIMIT_DATA, limits.memory)
    threading.excepthook = _of_thread


def lower(kind: int, size: int) -> None:
    """Lower a limit of this process, such as RLIMIT_AS, to `size`, unless it is lower already. A system that refuses to
    is left as it is."""
    soft, hard = resource.getrlimit(kind)
    # RLIM_INFINITY is -1, which would win every minimum.
    finite = [limit for limit in (soft, hard) if limit != resource.RLIM_INFINITY]
    allowed = min([size, *finite])
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(kind, (allowed, hard))


@contextmanager
def ended_after(seconds: float | None) -> Iterator[None]:
    """Have the kernel end this process if the block takes longer."""
    if seconds is None:
        yield
        return
    # 0 would switch the timer off.
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.001))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


@contextmanager
def ended_after_work(seconds: float | None) -> Iterator[None]:
    """Have the kernel end this process if the block takes more of the processor, or waits for many times as long."""
    if seconds is None:
        yield
        return
    # Two timers: the clock goes on while other processes work, and the processor's stands still while this one waits.
    with ended_after(seconds * WAITING):
        signal.setitimer(signal.ITIMER_PROF, max(seconds, 0.001))
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)


def seconds_worked(pid: int) -> float | None:
    """The seconds of the processor that a process has taken; None where the system does not say."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            # Behind the name in parentheses, which may hold anything: utime and stime are the fields 14 and 15.
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def die_with_parent() -> None:
    """On Linux: be killed at once when the thread that started this process ends. Elsewhere a process ends when it next
    waits for a message."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def how_confined_ended(status: int, limits: Limits) -> str:
    """Say how a process ended that was held to the limits."""
    if -status in _CLOCKS:
        return f"had not come to an end after {limits.seconds:g} seconds"
    if status == NO_MEMORY:
        return "had no memory left"
    return how_ended(status)


def how_ended(status: int) -> str:
    """Say how a process ended. `status` is negative for a signal."""
    if status >= 0:
        return f"ended with status {status}"
    try:
        return f"ended by {signal.Signals(-status).name}"
    except ValueError:
        return f"ended by signal {-status}"


def _of_thread(raised: threading.ExceptHookArgs) -> None:
    """End the process if a thread that serves a solver has no memory: nothing that it says is worth waiting for."""
    if issubclass(raised.exc_type, MemoryError):
        os._exit(NO_MEMORY)
    threading.__excepthook__(raised)
