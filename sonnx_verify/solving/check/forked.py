"""Processes that are forked: obligations, which hold functions, are there already."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.context import ForkProcess

from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.solving.check.limits import Limits
from sonnx_verify.solving.check.process import serve
from sonnx_verify.solving.check.processes import Child, Processes
from sonnx_verify.solving.check.record import Record, of_outcome
from sonnx_verify.solving.check.shares import Shares
from sonnx_verify.solving.solvers import Solvers, stock
from sonnx_verify.solving.solvers.worker import die_with_parent


def can_fork() -> bool:
    """Whether processes can be forked: a fork copies no thread, but may copy a lock that a thread holds."""
    stock.emptied()  # each that is kept has a thread
    return "fork" in multiprocessing.get_all_start_methods() and threading.active_count() == 1


def begun(work: Callable[..., None], *arguments: object) -> ForkProcess:
    """A process that is forked to do some work. Raises OSError where the system has none."""
    process = multiprocessing.get_context("fork").Process(target=work, args=arguments, daemon=True)
    # An interrupt from the keyboard is for this process alone: it ends the others.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        process.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return process


def settled(parent: int) -> bool:
    """What such a process does first: it leaves interrupts to its parent, and ends with it. Whether that is there."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    die_with_parent()
    # What was made before the fork stays: looking through it would copy its pages.
    gc.freeze()
    return os.getppid() == parent


@dataclass(frozen=True, slots=True)
class Forked:
    """Decides in several processes, each with solvers like the given ones. RuntimeError for a defect in one."""

    jobs: int
    limits: Limits

    def __call__(self, obligations: Sequence[Obligation], solvers: Solvers) -> Iterator[tuple[int, Record]]:
        """The records of the obligations with their numbers, each as soon as it is known."""
        home = _Home(obligations, solvers, self.limits)
        for number, outcome in Processes(Shares(obligations), home, self.jobs, self.limits).outcomes():
            yield number, of_outcome(obligations[number], outcome)


@dataclass(frozen=True, slots=True)
class _Fork:
    process: ForkProcess
    pipe: Connection

    def kill(self) -> None:
        self.process.kill()

    def join(self) -> int:
        self.process.join()
        return self.process.exitcode or 0


class _Home:
    def __init__(self, obligations: Sequence[Obligation], solvers: Solvers, limits: Limits) -> None:
        self._obligations, self._solvers, self._limits = obligations, solvers, limits
        self._pipes: list[Connection] = []

    def start(self, alone: bool) -> _Fork:
        ours, theirs = multiprocessing.Pipe()
        self._pipes = [p for p in self._pipes if not p.closed]
        # Ends of pipes that only this process may hold, else nobody would notice its end.
        others = [ours, *self._pipes]
        parts = (os.getpid(), self._obligations, self._solvers, self._limits, alone)
        try:
            process = begun(_forked, theirs, others, *parts)
        except OSError:
            ours.close()
            raise
        finally:
            theirs.close()
        self._pipes.append(ours)
        return _Fork(process, ours)

    def done(self, child: Child) -> None:
        child.pipe.close()
        child.join()


def _forked(
    pipe: Connection,
    others: Sequence[Connection],
    parent: int,
    obligations: Sequence[Obligation],
    solvers: Solvers,
    limits: Limits,
    alone: bool,
) -> None:
    """What a forked process does."""
    if not settled(parent):
        return
    for other in others:
        other.close()
    serve(pipe, parent, obligations, solvers, limits, alone)
