"""Messages survive the pipe, whatever the pieces they arrive in."""

import io

import pytest

from sonnx_verify.solving.solvers import wire


def test_messages_follow_each_other() -> None:
    """Two messages in one buffer are read one after the other, each with its own length."""
    data = wire.frame("first") + wire.frame(("second", 2))
    first = wire.unframe(data)

    assert first is not None
    assert first[0] == "first"
    assert wire.unframe(data[first[1] :]) == (("second", 2), len(data) - first[1])


def test_every_part_is_incomplete() -> None:
    """No proper beginning of a message is taken for a message."""
    data = wire.frame("message")

    assert [wire.unframe(data[:size]) for size in range(len(data))] == [None] * len(data)


def test_end_of_stream() -> None:
    """A stream that ends between or amid messages raises EOFError."""
    data = wire.frame("message")

    for size in range(len(data)):
        with pytest.raises(EOFError):
            wire.read(io.BytesIO(data[:size]))
    assert wire.read(io.BytesIO(data)) == "message"
