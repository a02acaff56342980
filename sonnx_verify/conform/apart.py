"""Work that runs other people's code, in a process of its own: it may take that with it, not this one."""

from __future__ import annotations

import multiprocessing
import os
import pickle
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import TypeVar

from sonnx_verify.solving.check.forked import begun, can_fork, settled

T = TypeVar("T")


class Ended(Exception):
    """The process ended, or was ended, without an answer. The message says how."""


def apart(work: Callable[[], T], seconds: float) -> T:
    """What the work gives. Raises Ended. Where no process can be forked it is done in this one."""
    if not can_fork():
        return work()
    ours, theirs = multiprocessing.Pipe(duplex=False)
    process = begun(_do, theirs, os.getpid(), work)
    theirs.close()
    try:
        if not ours.poll(seconds):
            raise Ended(f"no answer in {seconds:g} seconds")
        answer: T = pickle.loads(ours.recv_bytes())
        return answer
    except EOFError:
        process.join()
        raise Ended("it ends its process") from None
    finally:
        process.kill()
        process.join()
        ours.close()


def _do(pipe: Connection, parent: int, work: Callable[[], object]) -> None:
    if settled(parent):
        pipe.send_bytes(pickle.dumps(work()))
