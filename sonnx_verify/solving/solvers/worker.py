"""The process that holds one solver: `python -m sonnx_verify.solving.solvers.worker NAME BYTES PARENT`.

Reads `(text, budget, want)` from standard input, writes the Answer to standard output, until its input closes.
It has so many bytes of address space, and lives no longer than the process that started it. A solver may crash, leak
or hang; all of that stays here.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import signal
import sys

from sonnx_verify.solving.solvers import wire
from sonnx_verify.solving.solvers.limits import MARGIN_SECONDS, WALL_CLOCK_SECONDS
from sonnx_verify.solving.solvers.registry import ADAPTERS

_PR_SET_PDEATHSIG = 1  # linux/prctl.h


def serve(name: str, memory: int, parent: int) -> None:
    """Answer queries with solver `name` until standard input closes, with at most `memory` bytes."""
    die_with_parent()
    if os.getppid() != parent:  # it ended before, with a query in the pipe perhaps
        return
    # Before the limit: a library that finds no room while it is loaded ends the process without a word.
    with contextlib.suppress(ImportError):
        importlib.import_module(ADAPTERS[name].MODULE)
    limit_memory(memory)
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


def limit_memory(memory: int) -> None:
    """Let this process have at most so many bytes of address space, or fewer where that is the limit already. A system
    that has no such limit, or refuses to lower it, is left as it is."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    allowed = min([memory, *(limit for limit in (soft, hard) if limit != resource.RLIM_INFINITY)])
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_AS, (allowed, hard))


def die_with_parent() -> None:
    """On Linux: be killed at once when the thread that started us ends, even in the middle of a query.

    Elsewhere the closed input ends us, after the current query.
    """
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
