"""Decide obligations, in this process or in several: the records come in the order of the text."""

from __future__ import annotations

import gc
import os
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager

from sonnx_verify.check.processes import can_fork, decided_in_processes
from sonnx_verify.check.record import Record
from sonnx_verify.check.steps import finished
from sonnx_verify.check.uses import Uses
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.solvers import Solvers


def usable_cores() -> int:
    """How many cores this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run(
    obligations: Sequence[Obligation], solvers: Solvers, needed: Sequence[Obligation] = (), jobs: int = 1
) -> Generator[Record, None, None]:
    """The records of the obligations, each as soon as it and all before it are known.

    `needed` are others that these use: they are decided too, and not reported. With several `jobs` as many processes
    decide, each with solvers of its own like the given ones; the records are the same. Where processes cannot be
    forked, because the system has no such thing or this process has threads, there is one. Raises UserError, before
    anything is decided, where obligations use each other in a circle.
    """
    every = [*needed, *obligations]
    uses = Uses(every)
    open_ones = sum(obligation.answer is None for obligation in every)
    jobs = min(jobs, open_ones)
    if jobs > 1 and can_fork():
        known = decided_in_processes(every, solvers, jobs)
    else:
        known = finished(iter(enumerate(every)), solvers)
    records: dict[int, Record] = {}
    place = len(needed)
    for number, record in known:
        records[number] = record
        uses.know(record)
        while place < len(every) and place in records and uses.settled(every[place]):
            yield uses.joined(records.pop(place))
            place += 1


@contextmanager
def seldom_collected() -> Iterator[None]:
    """While terms are made: they are never garbage, so looking for garbage among them is a good part of the time."""
    before = gc.get_threshold()
    gc.set_threshold(10_000_000, 10, 10)
    try:
        yield
    finally:
        gc.set_threshold(*before)
