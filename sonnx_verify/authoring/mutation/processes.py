"""Mutants judged in several processes: each takes some, says what came of them and ends, with all the terms it made."""

from __future__ import annotations

import multiprocessing
import os
import traceback
from collections import deque
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, fields
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from typing import Any

from sonnx_verify.authoring.mutation.baseline import Baseline
from sonnx_verify.authoring.mutation.judge import Judge, Outcome
from sonnx_verify.authoring.mutation.slip import Slip
from sonnx_verify.solving.check.forked import begun, can_fork, settled
from sonnx_verify.solving.check.limits import NO_MEMORY, Limits, confine, ended_after, how_ended

_AT_ONCE = 6
"""How many mutants a process takes: terms are never garbage, so a process that took all would grow and grow."""
LIMITS = Limits(seconds=3600.0)
"""Of a process for one mutant, by the clock: it waits for solvers most of the time. None of ours takes minutes."""


def judged(
    baseline: Baseline,
    slips: Sequence[Slip],
    jobs: int,
    short: bool = False,
    hints: Mapping[str, str] | None = None,
    limits: Limits = LIMITS,
) -> Generator[Outcome, None, None]:
    """What comes of each mutant, in their order: the same for any number of `jobs`. `hints` name the killer that is
    tried first. Where processes cannot be forked there is one, this one."""
    hints = hints or {}
    if jobs == 1 or len(slips) < 2 or not can_fork():
        judge = Judge(baseline, short)
        yield from (judge.judge(slip, hints.get(slip.identity, "")) for slip in slips)
        return
    processes = _Processes(baseline, slips, short, hints, limits)
    try:
        yield from processes.outcomes(jobs)
    finally:
        processes.end()


@dataclass(slots=True)
class _Share:
    """A process, and the numbers of the mutants that it has still to judge."""

    process: ForkProcess
    numbers: deque[int]


class _Processes:
    def __init__(
        self, baseline: Baseline, slips: Sequence[Slip], short: bool, hints: Mapping[str, str], limits: Limits
    ) -> None:
        self._baseline, self._slips, self._short, self._hints, self._limits = baseline, slips, short, hints, limits
        self._running: dict[Connection, _Share] = {}
        self._known: dict[int, Outcome] = {}

    def outcomes(self, jobs: int) -> Generator[Outcome, None, None]:
        """What comes of each mutant, in their order."""
        size = max(1, min(_AT_ONCE, len(self._slips) // jobs))
        todo = deque(range(len(self._slips)))
        for number in range(len(self._slips)):
            while number not in self._known:
                while todo and len(self._running) < jobs:
                    self._begin(deque(todo.popleft() for _ in range(min(size, len(todo)))))
                for pipe in wait(list(self._running)):
                    assert isinstance(pipe, Connection)
                    todo.extendleft(reversed(self._take(pipe)))
            yield self._known.pop(number)

    def end(self) -> None:
        """End what still runs."""
        for share in self._running.values():
            share.process.kill()
            share.process.join()

    def _begin(self, numbers: deque[int]) -> None:
        ours, theirs = multiprocessing.Pipe(duplex=False)
        slips = [self._slips[n] for n in numbers]
        parts = (os.getpid(), self._baseline, slips, self._short, self._hints, self._limits)
        try:
            self._running[ours] = _Share(begun(_serve, theirs, *parts), numbers)
        finally:
            theirs.close()

    def _take(self, pipe: Connection) -> list[int]:
        """What a process says: what came of the next mutant or, at its end, nothing. What it was at when the system
        ended it is not shown, and what it had not begun is for another one. A defect in it is raised as
        RuntimeError."""
        share = self._running[pipe]
        try:
            message: Any = pipe.recv()
        except (EOFError, OSError):
            del self._running[pipe]
            pipe.close()
            share.process.join()
            if share.numbers:
                number = share.numbers.popleft()
                reason = f"the process that judged it {how_ended(share.process.exitcode or 0, self._limits)}"
                self._known[number] = Outcome(self._slips[number], "not shown", reason=reason)
            return list(share.numbers)
        if isinstance(message, str):
            raise RuntimeError(f"a process that judges mutants failed\n{message}")
        number = share.numbers.popleft()
        self._known[number] = Outcome(self._slips[number], **message)
        return []


def _serve(
    pipe: Connection,
    parent: int,
    baseline: Baseline,
    slips: Sequence[Slip],
    short: bool,
    hints: Mapping[str, str],
    limits: Limits,
) -> None:
    if not settled(parent):
        return
    confine(limits)
    try:
        with baseline.solvers.again() as baseline.solvers:
            judge = Judge(baseline, short)
            for slip in slips:
                with ended_after(limits.seconds):
                    outcome = judge.judge(slip, hints.get(slip.identity, ""))
                pipe.send({f.name: getattr(outcome, f.name) for f in fields(outcome) if f.name != "slip"})
    except BrokenPipeError:
        return
    except MemoryError:
        os._exit(NO_MEMORY)
    except Exception:
        pipe.send(traceback.format_exc())
