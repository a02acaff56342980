"""Obligations are decided in several processes, each with solvers of its own, by their numbers.

Here the processes are forks of this one, so that obligations, which hold functions, are there already; on a cluster
(`remote.py`) they read the texts. What decides is the same function, `decide`.

Trusted: a record that is taken for that of another obligation would be a wrong verdict.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from sonnx_verify.logic.status import Status
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.processes.channel import Channel
from sonnx_verify.processes.child import Child, forked
from sonnx_verify.processes.limits import Limits
from sonnx_verify.processes.pool import Pool, Result, given, serve
from sonnx_verify.solving.check.hints import NO_HINTS, Hinting
from sonnx_verify.solving.check.record import Record, of_outcome
from sonnx_verify.solving.check.shares import Shares
from sonnx_verify.solving.check.steps import finished
from sonnx_verify.solving.solvers import Solvers

if TYPE_CHECKING:
    from sonnx_verify.solving.check.gathered import Gathered


class Numbered(Protocol):
    """Obligations by their numbers. What a number may stand for beside them is a task that is done when it is asked
    for, and goes back as it is."""

    def __getitem__(self, number: int, /) -> Obligation | Gathered: ...


@dataclass(frozen=True, slots=True)
class Deciding:
    """The way in which a process decides. One that is `alone` with an obligation knows what needs too much memory; any
    other ends. It ends too when nothing came for `idle` seconds."""

    limits: Limits
    alone: bool
    hinting: Hinting = NO_HINTS
    idle: float | None = None


@dataclass(frozen=True, slots=True)
class Forked:
    """Decides in several processes, each with solvers like the given ones. RuntimeError for a defect in one."""

    jobs: int
    limits: Limits
    hinting: Hinting = NO_HINTS

    def __call__(self, obligations: Sequence[Obligation], solvers: Solvers) -> Iterator[tuple[int, Record]]:
        """The records of the obligations with their numbers, each as soon as it is known."""
        # What has its answer stays here: a record that comes back is believed only beside what solvers said to it, and
        # they said nothing to what was recalled.
        answered = [(number, one) for number, one in enumerate(obligations) if one.answer is not None]
        yield from finished(iter(answered), solvers)
        numbers = [number for number, one in enumerate(obligations) if one.answer is None]
        asked = [obligations[number] for number in numbers]
        # A fork whose parent is gone ends by itself: nobody would take its records.
        parent = os.getpid()

        def start(alone: bool) -> Child:  # noqa: FBT001  # as a pool calls it
            return forked(decide, parent, asked, solvers, Deciding(self.limits, alone, self.hinting))

        for place, outcome in Pool(Shares(asked), start, self.jobs, self.limits).outcomes():
            # By its number: the obligation stays here, so a record can't bring another one with it.
            yield numbers[place], of_outcome(asked[place], outcome)


def decide(
    channel: Channel,
    parent: int,
    obligations: Numbered,
    solvers: Solvers,
    how: Deciding,
    parts: Callable[[Record], dict[str, Any]] = Record.parts,
) -> None:
    """Decide what a pool gives, and send the parts of each record."""

    def learning() -> Iterator[tuple[int, Obligation]]:
        for task in given(channel, parent, early=True, idle=how.idle):
            mine.learn(task.news)  # Before the task, which may ask what others were told already.
            found = obligations[task.number]
            if isinstance(found, Obligation):
                yield task.number, found
            else:
                channel.send(Result(task.number, pickle.dumps(found, pickle.HIGHEST_PROTOCOL)))

    def work() -> None:
        while True:
            for number, record in finished(learning(), mine, how.limits.seconds, memory=how.alone, hinting=how.hinting):
                body = pickle.dumps(parts(record), pickle.HIGHEST_PROTOCOL)
                channel.send(Result(number, body, _definite(record.queries)))

    # Solvers of its own: threads and channels of the others stay with the process that was forked.
    with solvers.again() as mine:
        serve(channel, how.limits, work)


def _definite(queries: Mapping[str, Mapping[str, Status]]) -> dict[str, Mapping[str, str]]:
    """The answers that others need not ask for: a clock or a crash says nothing of the query."""
    return {sha256: answers for sha256, answers in queries.items() if Status.UNKNOWN not in answers.values()}
