"""Messages between the command and the child process that runs a target: a JSON header, then raw bytes."""

from __future__ import annotations

import json
import struct
from typing import Any, BinaryIO

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
