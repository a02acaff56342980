"""The process in which targets run, seen from inside: calls come in, their results go out.

What kills this process, or keeps it, is an answer too, which the process that started it gives.
"""

from __future__ import annotations

import resource

from sonnx_verify.conformance.targets.calls import TargetKind, raised_text
from sonnx_verify.conformance.targets.runners import RUNNERS
from sonnx_verify.processes.channel import Channel
from sonnx_verify.processes.limits import lower

MEMORY = 8 << 30
"""The address space of a target, in bytes."""


def serve(channel: Channel, kind: TargetKind, name: str) -> None:
    """Say whether the target can be used, as its version or the reason; then answer calls until the channel closes."""
    lower(resource.RLIMIT_AS, MEMORY)
    # A crash is an expected answer: it is to leave no file in the user's folder.
    lower(resource.RLIMIT_CORE, 0)
    try:
        run, version = RUNNERS[kind](name)
    except Exception as problem:  # an import runs any code, which raises anything
        channel.send((False, raised_text(problem)))
        return
    channel.send((True, version))
    while True:
        try:
            number, call = channel.receive()
        except EOFError:
            return
        channel.send((number, run(call)))
