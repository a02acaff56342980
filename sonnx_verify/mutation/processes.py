"""Mutants judged in several processes: each takes some, says what came of them and ends, with all the terms it made."""

from __future__ import annotations

import multiprocessing
import os
import traceback
from collections.abc import Generator, Mapping, Sequence
from dataclasses import fields
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from typing import Any

from sonnx_verify.check.forked import begun, can_fork, settled
from sonnx_verify.mutation.baseline import Baseline
from sonnx_verify.mutation.judge import Judge, Outcome
from sonnx_verify.mutation.slip import Slip

_AT_ONCE = 6
"""How many mutants a process takes: terms are never garbage, so a process that took all would grow and grow."""


def judged(
    baseline: Baseline, slips: Sequence[Slip], jobs: int, short: bool = False, hints: Mapping[str, str] | None = None
) -> Generator[Outcome, None, None]:
    """What comes of each mutant, in their order: the same for any number of `jobs`. `hints` name the killer that is
    tried first. Where processes cannot be forked there is one, this one."""
    hints = hints or {}
    if jobs == 1 or len(slips) < 2 or not can_fork():
        judge = Judge(baseline, short)
        yield from (judge.judge(slip, hints.get(slip.identity, "")) for slip in slips)
        return
    size = max(1, min(_AT_ONCE, len(slips) // jobs))
    running: dict[Connection, tuple[ForkProcess, int]] = {}
    known: dict[int, Outcome] = {}
    given = done = 0
    try:
        while done < len(slips):
            while given < len(slips) and len(running) < jobs:
                pipe, process = _begin(baseline, slips[given : given + size], short, hints)
                running[pipe] = process, given
                given += size
            ready = wait(list(running))
            for pipe in [p for p in running if p in ready]:
                _take(pipe, running, known, slips, size)
            while done in known:
                yield known.pop(done)
                done += 1
    finally:
        for process, _ in running.values():
            process.kill()
            process.join()


def _begin(
    baseline: Baseline, slips: Sequence[Slip], short: bool, hints: Mapping[str, str]
) -> tuple[Connection, ForkProcess]:
    ours, theirs = multiprocessing.Pipe(duplex=False)
    try:
        return ours, begun(_serve, theirs, os.getpid(), baseline, slips, short, hints)
    finally:
        theirs.close()


def _take(
    pipe: Connection,
    running: dict[Connection, tuple[ForkProcess, int]],
    known: dict[int, Outcome],
    slips: Sequence[Slip],
    size: int,
) -> None:
    """What a process says: of one mutant more, or, at its end, nothing. A defect in it is raised as RuntimeError; what
    it was at when the system ended it is not shown."""
    process, first = running[pipe]
    try:
        message: Any = pipe.recv()
    except (EOFError, OSError):
        del running[pipe]
        pipe.close()
        process.join()
        for number in range(first, min(first + size, len(slips))):
            if number not in known and process.exitcode:
                reason = f"the process that worked on it ended with status {process.exitcode}"
                known[number] = Outcome(slips[number], "not shown", reason=reason)
        return
    if isinstance(message, str):
        raise RuntimeError(f"a process that judges mutants failed\n{message}")
    place, parts = message
    known[first + place] = Outcome(slips[first + place], **parts)


def _serve(
    pipe: Connection, parent: int, baseline: Baseline, slips: Sequence[Slip], short: bool, hints: Mapping[str, str]
) -> None:
    if not settled(parent):
        return
    try:
        with baseline.solvers.again() as baseline.solvers:
            judge = Judge(baseline, short)
            for place, slip in enumerate(slips):
                outcome = judge.judge(slip, hints.get(slip.identity, ""))
                parts = {f.name: getattr(outcome, f.name) for f in fields(outcome) if f.name != "slip"}
                pipe.send((place, parts))
    except BrokenPipeError:
        return
    except MemoryError:
        os._exit(1)
    except Exception:
        pipe.send(traceback.format_exc())
