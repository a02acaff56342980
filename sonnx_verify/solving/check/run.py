"""Decide obligations, in this process or in several: the records come in the order of the text."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator, Sequence
from functools import partial
from typing import Protocol

from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.processes.child import can_fork
from sonnx_verify.processes.limits import Limits
from sonnx_verify.solving.check.forked import Forked
from sonnx_verify.solving.check.hints import NO_HINTS, Hinting
from sonnx_verify.solving.check.record import Record
from sonnx_verify.solving.check.steps import finished
from sonnx_verify.solving.check.uses import Uses
from sonnx_verify.solving.solvers import Solvers


class Executor(Protocol):
    """Decides obligations: here, in processes, elsewhere."""

    def __call__(self, obligations: Sequence[Obligation], solvers: Solvers) -> Iterator[tuple[int, Record]]:
        """The records with the numbers of their obligations, in any order, each as soon as it is known. The records
        are the same whoever decides. Where others decide, they have solvers of their own like the given ones."""
        ...


def here(
    obligations: Sequence[Obligation], solvers: Solvers, hinting: Hinting = NO_HINTS
) -> Iterator[tuple[int, Record]]:
    """Decides in this process."""
    return finished(iter(enumerate(obligations)), solvers, hinting=hinting)


def usable_cores() -> int:
    """The number of cores this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))  # In a container fewer than the machine has.
    return os.cpu_count() or 1


def run(
    obligations: Sequence[Obligation],
    solvers: Solvers,
    needed: Sequence[Obligation] = (),
    jobs: int = 1,
    executor: Executor | None = None,
    limits: Limits | None = None,
    hinting: Hinting = NO_HINTS,
) -> Generator[Record, None, None]:
    """The records of the obligations, each as soon as it and all before it are known.

    `needed` are others that these use: they are decided too, and not reported. With several `jobs` as many processes
    decide, held to `limits`. Where processes cannot be forked, because the system has no such thing or this process
    has threads, there is one. An `executor` decides instead of these, without hints. Raises UserError, before anything
    is decided, where obligations use each other in a circle.
    """
    every = [*needed, *obligations]
    uses = Uses(every)
    # An obligation that has its answer needs no process.
    jobs = min(jobs, sum(obligation.answer is None for obligation in every))
    if executor is None:
        executor = partial(here, hinting=hinting)
        if jobs > 1 and can_fork():
            executor = Forked(jobs, limits or Limits(), hinting)
    # Records come in any order, and are handed out in that of the text: a report is the same whoever was faster. One is
    # held back until all that it rests on is known, since its verdict may change with that.
    records: dict[int, Record] = {}
    place = len(needed)
    for number, record in executor(every, solvers):
        records[number] = record
        uses.know(record)
        while place < len(every) and place in records and uses.settled(every[place]):
            yield uses.joined(records.pop(place))
            place += 1
