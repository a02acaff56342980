"""Decide many obligations: the solvers work on all of them at once, the records come in the order of the text."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence

from sonnx_verify.check.decide import Decider
from sonnx_verify.check.record import Record
from sonnx_verify.errors import UserError
from sonnx_verify.logic.verdict import undecided
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.solvers import Query, Solvers

AHEAD = 24


Steps = Generator[list[Query], None, Record]


def run(obligations: Sequence[Obligation], solvers: Solvers) -> Iterator[Record]:
    """The records, each as soon as it and all before it are known. `AHEAD` obligations are begun beforehand.

    A mistake that only shows while a statement is built is the record's `error`; what is too deep is unknown.
    """
    decider = Decider(solvers)
    begun: list[Record | tuple[Obligation, Steps]] = []
    upcoming = iter(obligations)
    for _ in obligations:
        while len(begun) < AHEAD and (obligation := next(upcoming, None)) is not None:
            steps = decider.decide(obligation)
            begun.append(_advance(obligation, steps) or (obligation, steps))
        first = begun.pop(0)
        record = first if isinstance(first, Record) else None
        while record is None:
            assert isinstance(first, tuple)
            record = _advance(*first)
        yield record


def _advance(obligation: Obligation, steps: Steps) -> Record | None:
    """To the next queries; the record when there are none."""
    try:
        next(steps)
    except StopIteration as end:
        record: Record = end.value
        return record
    except UserError as error:
        return Record(obligation, undecided("unknown", error.message), error=error)
    except (RecursionError, MemoryError) as problem:
        return Record(obligation, undecided("unknown", f"too large to work on ({type(problem).__name__})"))
    return None
