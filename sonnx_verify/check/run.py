"""Decide many obligations: the solvers work on all of them at once, the records come in the order of the text."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence

from sonnx_verify.check.decide import Decider
from sonnx_verify.check.record import Record
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.solvers import Query, Solvers

AHEAD = 24


def run(obligations: Sequence[Obligation], solvers: Solvers) -> Iterator[Record]:
    """The records, each as soon as it and all before it are known. `AHEAD` obligations are begun beforehand."""
    decider = Decider(solvers)
    begun: list[Record | Generator[list[Query], None, Record]] = []
    upcoming = iter(obligations)
    for _ in obligations:
        while len(begun) < AHEAD and (obligation := next(upcoming, None)) is not None:
            begun.append(_begin(decider.decide(obligation)))
        first = begun.pop(0)
        yield first if isinstance(first, Record) else _finish(first)


def _begin(steps: Generator[list[Query], None, Record]) -> Record | Generator[list[Query], None, Record]:
    """To the first queries, or to the end when there are none."""
    try:
        next(steps)
    except StopIteration as end:
        record: Record = end.value
        return record
    return steps


def _finish(steps: Generator[list[Query], None, Record]) -> Record:
    while True:
        try:
            next(steps)
        except StopIteration as end:
            record: Record = end.value
            return record
