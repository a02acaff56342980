"""Messages between two processes: a length of eight bytes, then a pickle, over a pair of connected sockets.

Both ends are this package in the same installation; nothing else may write to these sockets. Writing never waits for
the other end, so a child that reads nothing cannot stop its parent: `post` keeps what does not fit, and whoever waits
for an answer sends the rest meanwhile. The channel is no process's standard input or output, which belong to whatever
code runs there.

Not trusted with answers of solvers: these say which text they are to (results/answer.py). A record of another process
is handed in as what it is.
"""

from __future__ import annotations

import os
import pickle
import select
import socket
import struct
import time
import weakref
from collections.abc import Sequence
from typing import Any

_LENGTH = struct.Struct(">Q")
# A system call takes no more than what fits into a socket's buffer, which Linux makes about this large.
_PIECE = 1 << 18


class Channel:
    """One end. At most one thread reads, and at most one writes."""

    def __init__(self, end: socket.socket) -> None:
        # A solver at work reads nothing for minutes; its parent has to go on writing to the others meanwhile.
        end.settimeout(0)
        self._socket = end
        self._unsent = bytearray()
        self._received = bytearray()
        self._closed = False

    @classmethod
    def pair(cls) -> tuple[Channel, socket.socket]:
        """Our end, and the socket that a child makes its own end of. Raises OSError."""
        ours, theirs = socket.socketpair()
        channel = cls(ours)
        _ours.add(channel)
        return channel, theirs

    def fileno(self) -> int:
        return self._socket.fileno()

    @property
    def waits_to_write(self) -> bool:
        """True if there is something to write that did not fit yet."""
        return bool(self._unsent)

    @property
    def ready(self) -> bool:
        """True if `receive` would return, or raise EOFError, at once."""
        return self._closed or self._whole() is not None

    def post(self, message: object) -> None:
        """Send a message, as far as it fits; the rest goes while somebody waits for an answer.

        A closed other end is not noticed here: it may have answered before it ended, so reading tells.
        """
        body = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
        self._unsent += _LENGTH.pack(len(body)) + body
        self._write()

    def send(self, message: object) -> None:
        """Send a message, and wait until all of it is written."""
        self.post(message)
        poll = select.poll()
        poll.register(self, select.POLLOUT)
        while self._unsent:
            poll.poll()
            self._write()

    def receive(self, seconds: float | None = None) -> Any:
        """The next message. Raises TimeoutError after so many seconds, EOFError when the other end is closed, also amid
        a message, and for bytes that are no message: nothing behind them can be trusted either."""
        if not ready([self], seconds):
            raise TimeoutError
        end = self._whole()
        if end is None:
            raise EOFError
        try:
            message = pickle.loads(memoryview(self._received)[_LENGTH.size : end])
        except MemoryError:
            # This process has none left, which says nothing of the bytes: they may well be a message.
            raise
        except Exception as problem:
            # Reading a pickle runs what it names, so that anything may be raised: ImportError, TypeError, IndexError.
            raise EOFError("no message") from problem
        del self._received[:end]
        return message

    def pump(self) -> None:
        """Read what is there, and write what fits."""
        self._write()
        while not self._closed:
            try:
                piece = self._socket.recv(_PIECE)
            except BlockingIOError:
                return
            except ConnectionResetError:
                # The other end was closed with bytes of ours unread; to a reader that is the end, as b"" is.
                piece = b""
            self._received += piece
            self._closed = not piece

    def close(self) -> None:
        """Close this end. Harmless when repeated."""
        self._closed = True
        self._socket.close()

    def _write(self) -> None:
        while self._unsent:
            try:
                sent = self._socket.send(memoryview(self._unsent)[:_PIECE])
            except BlockingIOError:
                return
            except OSError:
                # Nobody reads any more. Keeping the bytes would have `ready` wait for a socket that never takes them.
                self._unsent.clear()
                return
            del self._unsent[:sent]

    def _whole(self) -> int | None:
        """The end of the first message, where all of it was received."""
        if len(self._received) < _LENGTH.size:
            return None
        end = _LENGTH.size + int(_LENGTH.unpack_from(self._received)[0])
        if len(self._received) < end:
            return None
        return end


def ready(channels: Sequence[Channel], seconds: float | None = None) -> list[Channel]:
    """The channels with a message, or with a closed other end, once there are any; none after so many seconds."""
    until = None
    if seconds is not None:
        until = time.monotonic() + seconds
    while not (found := [channel for channel in channels if channel.ready]):
        # Not `select`, which refuses descriptors above 1023.
        poll = select.poll()
        for channel in channels:
            # A socket can nearly always be written to: asked for without need, this would never wait.
            poll.register(channel, select.POLLIN | select.POLLOUT * channel.waits_to_write)
        if not poll.poll(_milliseconds_to(until)):
            return []
        # A part of a message makes nobody ready, so the time that is left is counted anew.
        for channel in channels:
            channel.pump()
    return found


def _milliseconds_to(until: float | None) -> float | None:
    """The time to wait for; None, for ever, without an end."""
    if until is None:
        return None
    return max(0.0, until - time.monotonic()) * 1000


# Weak, since an end that nobody holds any more is closed when it is collected; this set must not keep it open.
_ours: weakref.WeakSet[Channel] = weakref.WeakSet()
"""The ends that this process has of channels to its children."""


def _forget() -> None:
    """In a process that was forked: only the parent may hold its ends, else nobody would notice that it ended."""
    for channel in list(_ours):
        channel.close()
    _ours.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
