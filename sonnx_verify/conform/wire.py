"""Messages between the command and the child process that runs a target: a JSON header, then raw bytes. Calls, and what
came of them, as such messages."""

from __future__ import annotations

import json
import struct
from typing import Any, BinaryIO

from sonnx_verify.conform.calls import Array, Call, Got, Presentation

_LENGTHS = struct.Struct(">II")


def pack(header: dict[str, Any], blobs: list[bytes]) -> bytes:
    """A message; the lengths of the blobs go with the header."""
    head = json.dumps({**header, "blobs": [len(b) for b in blobs]}).encode()
    body = b"".join(blobs)
    return _LENGTHS.pack(len(head), len(body)) + head + body


def unpack(head: bytes, body: bytes) -> tuple[dict[str, Any], list[bytes]]:
    """Header and blobs of a message whose parts were read."""
    header: dict[str, Any] = json.loads(head)
    blobs, start = [], 0
    for length in header.pop("blobs"):
        blobs.append(body[start : start + length])
        start += length
    return header, blobs


def lengths(prefix: bytes) -> tuple[int, int]:
    """How long header and body are, from the first `PREFIX` bytes."""
    head, body = _LENGTHS.unpack(prefix)
    return head, body


PREFIX = _LENGTHS.size


def read(stream: BinaryIO) -> tuple[dict[str, Any], list[bytes]] | None:
    """The next message; None at the end of the stream."""
    prefix = stream.read(PREFIX)
    if len(prefix) < PREFIX:
        return None
    head, body = lengths(prefix)
    return unpack(stream.read(head), stream.read(body))


# ---------------------------------------------------------------------------------------------------- calls and answers


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


def told(problem: BaseException) -> str:
    """The exception in one line."""
    text = " ".join(str(problem).split())
    return f"{type(problem).__name__}: {text}" if text else type(problem).__name__
