"""The process that holds one solver: `python -m sonnx_verify.solvers.worker NAME`.

Reads `(text, budget, want)` from standard input, writes the Answer to standard output, until its input closes.
A solver may crash, leak or hang; all of that stays here.
"""

from __future__ import annotations

import os
import resource
import signal
import sys

from . import wire
from .limits import MARGIN_SECONDS, MEMORY, WALL_CLOCK_SECONDS
from .registry import ADAPTERS

_PR_SET_PDEATHSIG = 1  # linux/prctl.h


def serve(name: str) -> None:
    """Answer queries with solver `name` until standard input closes."""
    die_with_parent()
    limit_memory(MEMORY)
    # What a solver prints must not get among the messages.
    with os.fdopen(os.dup(1), "wb", buffering=0) as replies:
        os.dup2(2, 1)
        while True:
            try:
                text, budget, want = wire.read(sys.stdin.buffer)
            except EOFError:
                return
            # cvc5 keeps the interpreter lock while it works, so only the kernel can end a query that nobody awaits.
            signal.setitimer(signal.ITIMER_REAL, WALL_CLOCK_SECONDS + 2 * MARGIN_SECONDS)
            answer = ADAPTERS[name].ask(text, budget, want)
            signal.setitimer(signal.ITIMER_REAL, 0)
            try:
                replies.write(wire.frame(answer))
            except BrokenPipeError:
                return


def limit_memory(size: int) -> None:
    """Allow this process so many bytes of data, or fewer where it is held to fewer already. Linux alone heeds it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    allowed = min(n for n in (size, soft, hard) if n != resource.RLIM_INFINITY)
    resource.setrlimit(resource.RLIMIT_DATA, (allowed, hard))


def die_with_parent() -> None:
    """On Linux: be killed at once when the thread that started us ends, even in the middle of a query.

    Elsewhere the closed input ends us, after the current query.
    """
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


if __name__ == "__main__":
    serve(sys.argv[1])
