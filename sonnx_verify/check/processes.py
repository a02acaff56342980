"""Several processes decide: each is given an obligation when it has nothing else to do, by its number.

They are forked, so that obligations, which hold functions, are there already; what comes back are the parts of records.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from typing import Any

from sonnx_verify.check.process import serve
from sonnx_verify.check.record import Record
from sonnx_verify.check.shares import Shares
from sonnx_verify.logic.verdict import undecided
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.solvers import Solvers

ATTEMPTS = 2
"""How often an obligation is begun that a process ended at; the second time by a process of its own."""


def can_fork() -> bool:
    """Whether processes can be forked: a fork copies no thread, but may copy a lock that a thread holds."""
    return "fork" in multiprocessing.get_all_start_methods() and threading.active_count() == 1


@dataclass(slots=True)
class _Process:
    """A process, our end of the pipe to it, and the numbers of what it was given and has not answered."""

    number: int
    process: ForkProcess
    pipe: Connection
    alone: bool
    given: dict[int, None] = field(default_factory=dict)
    learned: int = 0
    """How much of the news about answers of solvers it was told."""


def decided_in_processes(
    obligations: Sequence[Obligation], solvers: Solvers, jobs: int
) -> Iterator[tuple[int, Record]]:
    """The records of the obligations with their numbers, each as soon as it is known.

    No solver of `solvers` is asked: each process has its own like these. What a process was at when it ended is begun
    once more; if that one ends too, its record is unknown. A defect in a process is raised here as RuntimeError.
    """
    made = _Processes(obligations, solvers, jobs)
    try:
        yield from made.records()
    finally:
        made.end()


class _Processes:
    def __init__(self, obligations: Sequence[Obligation], solvers: Solvers, jobs: int) -> None:
        self._obligations, self._solvers, self._jobs = obligations, solvers, jobs
        self._todo = Shares(obligations)
        self._again: deque[int] = deque()
        self._attempts: dict[int, int] = {}
        self._running: list[_Process] = []
        self._started = 0
        self._answers: dict[str, dict[str, str]] = {}
        self._news: list[str] = []

    def records(self) -> Iterator[tuple[int, Record]]:
        while self._running or self._todo or self._again:
            while (self._todo or self._again) and len(self._running) < self._jobs:
                problem = self._start()
                if problem is not None and not self._running:
                    yield from self._given_up(problem)
                if problem is not None:
                    break
            for pipe in wait([p.pipe for p in self._running]):
                process = next(p for p in self._running if p.pipe is pipe)
                try:
                    message = process.pipe.recv()
                except (EOFError, OSError):
                    yield from self._ended(process)
                else:
                    yield from self._received(process, message)

    def _start(self) -> OSError | None:
        """One process more, or why there can't be one."""
        ours, theirs = multiprocessing.Pipe()
        others = [p.pipe for p in self._running]
        context = multiprocessing.get_context("fork")
        arguments = (theirs, [ours, *others], os.getpid(), self._obligations, self._solvers)
        process = context.Process(target=serve, args=arguments, daemon=True)
        # An interrupt from the keyboard is for this process alone: it ends the others.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            process.start()
        except OSError as problem:
            ours.close()
            return problem
        else:
            self._started += 1
            self._running.append(_Process(self._started, process, ours, bool(self._again)))
        finally:
            theirs.close()
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        self._give(self._running[-1])
        return None

    def _give(self, process: _Process) -> None:
        """The next obligation for a process, with what others were told by solvers; None when there is none for it."""
        message: Any = None
        number: int | None
        if process.alone and not process.given and self._again:
            number = self._again.popleft()
        else:
            number = None if process.alone else self._todo.next(process.number)
        if number is not None:
            process.given[number] = None
            news = {sha256: self._answers[sha256] for sha256 in self._news[process.learned :]}
            process.learned = len(self._news)
            message = (number, news)
        try:
            process.pipe.send(message)
        except OSError:  # it has ended: reading from it will tell
            return

    def _received(self, process: _Process, message: Any) -> Iterator[tuple[int, Record]]:
        if message is None:
            self._give(process)
            return
        if isinstance(message, str):
            raise RuntimeError(f"a process that decides obligations failed\n{message}")
        number, parts = message
        del process.given[number]
        record = Record.of_parts(self._obligations[number], parts)
        for sha256, answers in record.queries.items():
            known = self._answers.get(sha256, {})
            if len(answers) > len(known) and set(answers.values()) <= {"sat", "unsat"}:
                self._answers[sha256] = answers
                self._news.append(sha256)
        yield number, record

    def _ended(self, process: _Process) -> Iterator[tuple[int, Record]]:
        """It had nothing left to do; or what it was at is begun once more."""
        self._running.remove(process)
        self._todo.give_back(process.number)
        process.pipe.close()
        process.process.join()
        code = process.process.exitcode or 0
        for number in process.given:
            self._attempts[number] = self._attempts.get(number, 0) + 1
            if self._attempts[number] < ATTEMPTS:
                self._again.append(number)
            else:
                how = f"was killed by signal {-code}" if code < 0 else f"ended with status {code}"
                yield number, self._unknown(number, f"the process that worked on it {how}")

    def _given_up(self, problem: OSError) -> Iterator[tuple[int, Record]]:
        while (number := self._again.popleft() if self._again else self._todo.next(0)) is not None:
            yield number, self._unknown(number, f"no process could be started for it: {problem.strerror}")

    def _unknown(self, number: int, reason: str) -> Record:
        return Record(self._obligations[number], undecided("unknown", reason))

    def end(self) -> None:
        """End all that still run. Their solvers end with them."""
        for process in self._running:
            process.process.kill()
        for process in self._running:
            process.process.join()
            process.pipe.close()
        self._running.clear()
