"""The program in which targets run: `python -m sonnx_verify.implementations.child KIND NAME`.

Calls come in on standard input, answers go out on what was standard output when it began. The target has neither:
what it prints goes nowhere, what it reads is empty. What kills this process, or keeps it, is an answer too, which the
process that started it gives.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, BinaryIO

from sonnx_verify.implementations import wire
from sonnx_verify.implementations.calls import Array, Call, Got, Presentation

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
        ready = {"ready": False, "why": told(problem)}
    _send(answers, ready, [])
    if run is None:
        return 0
    while (message := wire.read(calls)) is not None:
        header, blobs = message
        got = run(call_of(header, blobs))
        _send(answers, *of_got(got))
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
    from sonnx_verify.implementations import runners

    made: tuple[Callable[[Call], Got], str] = runners.RUNNERS[kind](name)
    return made


def told(problem: BaseException) -> str:
    """The exception in one line."""
    text = " ".join(str(problem).split())
    return f"{type(problem).__name__}: {text}" if text else type(problem).__name__


def _send(stream: BinaryIO, header: dict[str, Any], blobs: list[bytes]) -> None:
    stream.write(wire.pack(header, blobs))
    stream.flush()


def of_call(call: Call) -> tuple[dict[str, Any], list[bytes]]:
    """A call as a message."""
    rows = [[name, None if a is None else [a.dtype, list(a.shape)]] for name, a in call.inputs]
    shown = call.presentation
    header = {
        "inputs": rows,
        "attributes": [[name, _plain(value)] for name, value in call.attributes],
        "presentation": [shown.offset, shown.form, shown.nans],
    }
    return header, [call.model, *(a.data for _, a in call.inputs if a is not None)]


def call_of(header: dict[str, Any], blobs: list[bytes]) -> Call:
    """The message as a call again."""
    model, *data = blobs
    rest = iter(data)
    inputs = tuple(
        (name, None if row is None else Array(row[0], tuple(row[1]), next(rest))) for name, row in header["inputs"]
    )
    attributes = tuple((name, _from_plain(value)) for name, value in header["attributes"])
    return Call(inputs, attributes, Presentation(*header["presentation"]), model)


def _plain(value: Any) -> Any:
    """Floats in hexadecimal: JSON has no infinity."""
    if isinstance(value, float):
        return {"float": value.hex()}
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value


def _from_plain(value: Any) -> Any:
    if isinstance(value, dict):
        return float.fromhex(value["float"])
    return [_from_plain(item) for item in value] if isinstance(value, list) else value


def of_got(got: Got) -> tuple[dict[str, Any], list[bytes]]:
    """What came of a call as a message."""
    rows = [None if a is None else [a.dtype, list(a.shape)] for a in got.outputs]
    header = {"kind": got.kind, "outputs": rows, "said": got.said, "changed": list(got.changed)}
    return header, [a.data for a in got.outputs if a is not None]


def got_of(header: dict[str, Any], blobs: list[bytes]) -> Got:
    """The message as what came of a call again."""
    rest = iter(blobs)
    outputs = tuple(None if r is None else Array(r[0], tuple(r[1]), next(rest)) for r in header["outputs"])
    return Got(header["kind"], outputs, header["said"], tuple(header["changed"]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
