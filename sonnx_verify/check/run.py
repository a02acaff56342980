"""Decide many obligations: the solvers work on many at once, the records come in the order of the text."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field

from sonnx_verify.check.decide import Decider
from sonnx_verify.check.record import Record
from sonnx_verify.errors import UserError
from sonnx_verify.logic.verdict import undecided
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.solvers import Query, Solvers

AHEAD = 24


Steps = Generator[list[Query], None, Record]


@dataclass(slots=True)
class _Running:
    """An obligation on its way: what it waits for, or its record."""

    obligation: Obligation
    steps: Steps
    waiting: list[Query] = field(default_factory=list)
    record: Record | None = None

    @property
    def ready(self) -> bool:
        """Whether it could go on now."""
        return self.record is None and all(query.done() for query in self.waiting)

    def advance(self) -> None:
        """To the next queries, or to the record.

        A mistake that only shows while a statement is built is the record's `error`; what is too deep is unknown.
        """
        try:
            self.waiting = next(self.steps)
        except StopIteration as end:
            self.record = end.value
        except UserError as error:
            self.record = Record(self.obligation, undecided("unknown", error.message), error=error)
        except (RecursionError, MemoryError) as problem:
            reason = f"too large to work on ({type(problem).__name__})"
            self.record = Record(self.obligation, undecided("unknown", reason))


def run(obligations: Sequence[Obligation], solvers: Solvers) -> Iterator[Record]:
    """The records, each as soon as it and all before it are known.

    `AHEAD` obligations are on their way at once. The first that can go on does; only when none can is there a wait.
    """
    decider = Decider(solvers)
    begun: list[_Running] = []
    upcoming = iter(obligations)
    for _ in obligations:
        while len(begun) < AHEAD and (obligation := next(upcoming, None)) is not None:
            begun.append(_Running(obligation, decider.decide(obligation)))
        while begun[0].record is None:
            running = next((r for r in begun if r.ready), None)
            if running is None:
                for query in begun[0].waiting:
                    query.result()
                running = begun[0]
            running.advance()
        yield begun.pop(0).record  # type: ignore[misc]  # the loop above ends with a record
