"""The program in which targets run: `python -m sonnx_verify.conform.child KIND NAME`.

Calls come in on standard input, answers go out on what was standard output when it began. The target has neither:
what it prints goes nowhere, what it reads is empty. What kills this process, or keeps it, is an answer too, which the
process that started it gives.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, BinaryIO

from sonnx_verify.conform import wire
from sonnx_verify.conform.calls import Call, Got

MEMORY = 8 << 30
"""How much address space a target has, in bytes."""


def main(arguments: Sequence[str]) -> int:
    """Answer calls until there are no more."""
    kind, name = arguments
    calls, answers = _take_streams()
    _limit_memory()
    ready: dict[str, Any] = {"ready": True}
    run: Callable[[Call], Got] | None = None
    try:
        run, ready["version"] = _runner(kind, name)
    except Exception as problem:
        ready = {"ready": False, "why": wire.told(problem)}
    _send(answers, ready, [])
    if run is None:
        return 0
    while (message := wire.read(calls)) is not None:
        header, blobs = message
        got = run(wire.call_of(header, blobs))
        _send(answers, *wire.of_got(got))
    return 0


def _take_streams() -> tuple[BinaryIO, BinaryIO]:
    """Standard input and output for the messages alone: the target gets the null device in their places."""
    calls, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDWR)
    for place in (0, 1):
        os.dup2(null, place)
    return calls, answers


def _limit_memory() -> None:
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (ImportError, ValueError, OSError):
        pass


def _runner(kind: str, name: str) -> tuple[Callable[[Call], Got], str]:
    """What runs a call, and which version of the target that is."""
    from sonnx_verify.conform import runners

    made: tuple[Callable[[Call], Got], str] = runners.RUNNERS[kind](name)
    return made


def _send(stream: BinaryIO, header: dict[str, Any], blobs: list[bytes]) -> None:
    stream.write(wire.pack(header, blobs))
    stream.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
