"""Messages between the pool and its workers: a length of eight bytes, then a pickle.

Both ends are this package in the same installation; nothing else may write to these pipes.
"""

from __future__ import annotations

import pickle
import struct
from typing import Any, BinaryIO

_LENGTH = struct.Struct(">Q")


def frame(message: object) -> bytes:
    """`message` as it goes over the pipe."""
    body = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(body)) + body


def unframe(data: bytes | bytearray) -> tuple[Any, int] | None:
    """The first message in `data` and the number of bytes it took; None while it is incomplete.

    Raises what pickle raises when the bytes are not ours.
    """
    if len(data) < _LENGTH.size:
        return None
    end = _LENGTH.size + _LENGTH.unpack_from(data)[0]
    return (pickle.loads(data[_LENGTH.size : end]), end) if len(data) >= end else None


def read(stream: BinaryIO) -> Any:
    """The next message of a blocking stream. Raises EOFError when the other end is closed, also amid a message."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    body = stream.read(_LENGTH.unpack(head)[0])
    if len(body) < _LENGTH.unpack(head)[0]:
        raise EOFError
    return pickle.loads(body)
