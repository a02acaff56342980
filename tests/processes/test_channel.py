"""Messages survive the way, whatever the pieces they arrive in, and a silent reader stops nobody."""

from __future__ import annotations

import pickle
import socket
import struct
import time

import pytest

from sonnx_verify.processes.channel import Channel, ready


def framed(message: object) -> bytes:
    """A message as it goes over the socket: written here once more, so that a slip in the format is seen."""
    body = pickle.dumps(message)
    return struct.pack(">Q", len(body)) + body


def test_messages_follow_each_other() -> None:
    """Two messages in one piece are read one after the other, each with its own length."""
    channel, theirs = Channel.pair()
    theirs.sendall(framed("first") + framed(("second", 2)))

    assert (channel.receive(5), channel.receive(5)) == ("first", ("second", 2))


@pytest.mark.parametrize("size", range(len(framed("message"))))
def test_every_part_is_incomplete(size: int) -> None:
    """No proper beginning of a message is taken for one: it is waited for, and lost where the other end closes."""
    channel, theirs = Channel.pair()
    theirs.sendall(framed("message")[:size])

    with pytest.raises(TimeoutError):
        channel.receive(0)
    theirs.close()
    with pytest.raises(EOFError):
        channel.receive(5)


def test_in_pieces() -> None:
    channel, theirs = Channel.pair()
    # A socket is a stream: nothing keeps the pieces in which something was written.
    for n in framed("message"):
        assert not channel.ready
        theirs.send(bytes([n]))
        channel.pump()

    assert channel.receive(0) == "message"


def test_what_was_said_before_the_end_is_heard() -> None:
    """Also where the other end leaves something unread, which its system takes for a broken connection."""
    channel, theirs = Channel.pair()
    channel.post("unread")
    theirs.sendall(framed("last words"))
    theirs.close()

    assert channel.receive(5) == "last words"
    with pytest.raises(EOFError):
        channel.receive(5)


# Bytes that are no pickle, and a pickle that names what is not here.
@pytest.mark.parametrize("body", [b"no pickle", b"cno_such_module\nname\n."])
def test_bytes_that_are_no_message(body: bytes) -> None:
    channel, theirs = Channel.pair()
    theirs.sendall(struct.pack(">Q", len(body)) + body + framed("behind them"))

    # Nothing behind them is believed either: whoever wrote them is no end of ours.
    with pytest.raises(EOFError):
        channel.receive(5)


def test_a_silent_reader_stops_nobody() -> None:
    """Bytes that do not fit into the socket are kept, and go while somebody waits."""
    channel, theirs = Channel.pair()
    large = bytes(1 << 22)  # many times the buffer of a socket
    begin = time.monotonic()
    channel.post(large)
    with pytest.raises(TimeoutError):
        channel.receive(0.01)
    assert channel.waits_to_write
    assert time.monotonic() - begin < 5

    other = Channel(theirs)
    while not other.ready:
        ready([channel, other], 0)
    assert other.receive(0) == large


def test_posting_to_nobody() -> None:
    """That the other end is closed is told by reading."""
    channel, theirs = Channel.pair()
    theirs.close()
    channel.post(bytes(1 << 20))
    channel.post("more")

    with pytest.raises(EOFError):
        channel.receive(5)


def test_ready_are_those_with_a_message_or_an_end() -> None:
    pairs = [Channel.pair() for _ in range(3)]
    pairs[0][1].sendall(framed("a"))
    pairs[2][1].shutdown(socket.SHUT_WR)
    while len(found := ready([channel for channel, _ in pairs], 5)) < 2:
        continue

    assert found == [pairs[0][0], pairs[2][0]]
