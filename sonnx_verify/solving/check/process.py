"""One of several processes that decide obligations, seen from inside, and what it says to the one that started it."""

from __future__ import annotations

import os
import pickle
import traceback
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from typing import Any, Protocol

from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.solving.check.limits import NO_MEMORY, Limits, confine
from sonnx_verify.solving.check.record import Record
from sonnx_verify.solving.check.steps import finished
from sonnx_verify.solving.solvers import Solvers

NEXT, RECORD, DONE, DEFECT = "next", "record", "done", "defect"
"""What a process says: what is next? A record: its number, what solvers answered, its parts. Nothing is left to do. A
defect, by its traceback."""


class Numbered(Protocol):
    """Obligations by their numbers."""

    def __getitem__(self, number: int, /) -> Obligation: ...


def serve(
    pipe: Connection,
    parent: int,
    obligations: Numbered,
    solvers: Solvers,
    limits: Limits,
    alone: bool,
    idle: float | None = None,
    parts: Callable[[Record], dict[str, Any]] = Record.parts,
) -> None:
    """Decide what the pipe names, and send the parts of each record with its number, until the other end is closed, or
    nothing came for `idle` seconds.

    A process that is `alone` with an obligation knows what needs too much memory; else it ends. A defect is sent as
    the text of its traceback.
    """
    confine(limits)
    try:
        with solvers.again() as mine:
            while True:
                given = _given(pipe, parent, obligations, mine, idle)
                for number, record in finished(given, mine, limits.seconds, memory=alone):
                    # Pickled once: who hands it on need not make terms of it.
                    pipe.send((RECORD, number, record.queries, pickle.dumps(parts(record), pickle.HIGHEST_PROTOCOL)))
                pipe.send((DONE,))
    except (EOFError, BrokenPipeError):
        return  # nobody wants it any more
    except MemoryError:
        os._exit(NO_MEMORY)
    except Exception:
        pipe.send((DEFECT, traceback.format_exc()))


def _given(
    pipe: Connection, parent: int, obligations: Numbered, solvers: Solvers, idle: float | None
) -> Iterator[tuple[int, Obligation]]:
    """What the parent names until it says None. The next one is asked for when one is begun, so that it is there when
    it is wanted."""
    while True:
        if os.getppid() != parent or not pipe.poll(idle):
            raise EOFError
        message = pipe.recv()
        if message is None:
            return
        number, learned = message
        solvers.learn(learned)
        pipe.send((NEXT,))
        yield number, obligations[number]
