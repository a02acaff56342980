"""Decide many obligations in one process: while the solvers work on one, another goes on."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field

from sonnx_verify.errors import UserError
from sonnx_verify.interpreter import TooLarge
from sonnx_verify.logic.nodes import forget, number_of_terms
from sonnx_verify.logic.verdict import UNDECIDED, VerdictName, undecided
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.processes.limits import ended_after_work
from sonnx_verify.solving.check.decide import Decider
from sonnx_verify.solving.check.hints import NO_HINTS, Hinting
from sonnx_verify.solving.check.record import Record
from sonnx_verify.solving.solvers import Query, Solvers
from sonnx_verify.timeouts import OutOfTime, ending

AHEAD = 8
"""The greatest number of obligations in flight."""
MANY_TERMS = 60_000
"""The number of new terms after which those of a text are forgotten: some 40 MB."""

Steps = Generator[list[Query], None, Record]


@dataclass(slots=True)
class _Running:
    """An obligation on its way, with its number: what it waits for and since which step, or its record. `spent` are
    the seconds that were worked on it here."""

    number: int
    obligation: Obligation
    steps: Steps
    waiting: list[Query] = field(default_factory=list)
    since: int = 0
    spent: float = 0.0
    end: float | None = None
    """The moment when its time is over, by the clock of `time.monotonic`."""
    record: Record | None = None
    in_time: bool = True

    @property
    def ready(self) -> bool:
        """Return whether it could go on now."""
        return all(query.done() for query in self.waiting)

    def advance(self, solvers: Solvers, seconds: float | None, *, memory: bool) -> None:
        """To the next queries, or to the record.

        A mistake that only shows while a statement is built is the record's `error`; what is too deep is unknown, and
        so is what needs too much `memory`, where that is a record and not raised.
        """
        began = time.process_time()
        if seconds is not None:
            seconds -= self.spent
        try:
            with ended_after_work(seconds), ending(self.end):
                self.waiting = next(self.steps)
        except StopIteration as end:
            record: Record = end.value
            # What is found for one obligation serves the others: an answer that a clock ended may be behind any of
            # them from then on.
            record.repeatable = solvers.repeatable
            if record.verdict.name in UNDECIDED:
                record.struck = tuple(solvers.struck)
            self.record = record
        except UserError as error:
            self.record = Record(self.obligation, undecided(VerdictName.UNKNOWN, error.message), error=error)
        except OutOfTime:
            self.give_up(solvers)
        except (RecursionError, MemoryError, TooLarge) as problem:
            if isinstance(problem, MemoryError) and not memory:
                raise
            reason = f"too large to process ({type(problem).__name__})"
            self.record = Record(self.obligation, undecided(VerdictName.UNKNOWN, reason))
        self.spent += time.process_time() - began

    def wait(self, solvers: Solvers) -> None:
        """Wait for what was asked, or until the time is over."""
        try:
            with ending(self.end):
                for query in self.waiting:
                    query.result()
        except OutOfTime:
            self.give_up(solvers)

    def give_up(self, solvers: Solvers) -> None:
        """Conclude that it is not known: its time is over."""
        self.in_time = False
        solvers.give_up()
        self.steps.close()
        self.record = Record(self.obligation, undecided(VerdictName.UNKNOWN, str(OutOfTime())))


def finished(
    upcoming: Iterator[tuple[int, Obligation]],
    solvers: Solvers,
    seconds: float | None = None,
    *,
    memory: bool = True,
    hinting: Hinting = NO_HINTS,
) -> Iterator[tuple[int, Record]]:
    """The records of numbered obligations, each as soon as it is known.

    The first that can go on does. Only when none can is another one begun, and only when `AHEAD` are on their way, or
    none is left, is there a wait: for what was asked first. The kernel ends the process when it works for longer than
    `seconds` at one of them. That there is not enough memory is a record, or without `memory` raised: which of those
    on their way needs so much is not known.
    """
    # One decider for all: claims that several obligations share are expanded once, and their witnesses found once. What
    # is found depends on the claim alone, so records do not depend on what else is on its way.
    decider = Decider(solvers, hinting)
    begun: list[_Running] = []
    subject, kept = "", number_of_terms()
    step = 0
    ahead = AHEAD
    if solvers.seconds is not None:
        ahead = 1  # an obligation would be charged for the time of those beside it
    while True:
        running = next((r for r in begun if r.ready), None)
        if running is None and len(begun) < ahead and (more := next(upcoming, None)) is not None:
            # Texts share little.
            if more[1].subject != subject and number_of_terms() - kept > MANY_TERMS:
                decider = Decider(solvers, hinting)
                forget()
                kept = number_of_terms()
            subject = more[1].subject
            running = _Running(*more, decider.decide(more[1]))
            if solvers.seconds is not None:
                running.end = time.monotonic() + solvers.seconds
            begun.append(running)
        if running is None:
            if not begun:
                return
            # What was asked first is answered first, as a rule.
            running = min(begun, key=lambda r: r.since)
            running.wait(solvers)
        if running.record is None:
            running.advance(solvers, seconds, memory=memory)
        running.since = step = step + 1
        if running.record is not None:
            begun.remove(running)
            if not running.in_time:
                decider = Decider(solvers, hinting)  # what it was in the middle of may be half made
            if solvers.texts is not None:
                running.record.texts = {sha256: solvers.texts[sha256] for sha256 in running.record.queries}
            yield running.number, running.record
