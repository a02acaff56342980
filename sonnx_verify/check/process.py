"""One of several processes that decide obligations, seen from inside."""

from __future__ import annotations

import gc
import os
import signal
import traceback
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection

from sonnx_verify.check.steps import finished
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.solvers import Solvers
from sonnx_verify.solvers.worker import die_with_parent


def serve(
    pipe: Connection, others: Sequence[Connection], parent: int, obligations: Sequence[Obligation], solvers: Solvers
) -> None:
    """Decide what the pipe names until it says None, and send the parts of each record with its number.

    `others` are ends of pipes that only the parent may hold, else nobody would notice its end. A defect is sent as the
    text of its traceback.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    die_with_parent()
    if os.getppid() != parent:  # it ended before
        return
    for other in others:
        other.close()
    # What was made before the fork stays: looking through it would copy its pages.
    gc.freeze()
    try:
        with solvers.again() as mine:
            for number, record in finished(_given(pipe, parent, obligations, mine), mine):
                pipe.send((number, record.parts()))
    except (EOFError, BrokenPipeError):
        return  # nobody wants it any more
    except MemoryError:
        os._exit(1)  # as when the system had ended us
    except Exception:
        pipe.send(traceback.format_exc())


def _given(
    pipe: Connection, parent: int, obligations: Sequence[Obligation], solvers: Solvers
) -> Iterator[tuple[int, Obligation]]:
    """What the parent names. The next one is asked for when one is begun, so that it is there when it is wanted."""
    while os.getppid() == parent and (message := pipe.recv()) is not None:
        number, learned = message
        solvers.learn(learned)
        pipe.send(None)
        yield number, obligations[number]
