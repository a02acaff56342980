"""Places of the tool and places of an editor are the same places."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol.types import Position, Range

from sonnx_verify.lsp.positions import Lines, Moved
from sonnx_verify.sources import Source, Span

TEXTS = st.lists(st.text(st.sampled_from("ab é𝔸\u2028"), max_size=5), min_size=1, max_size=4)
ENDS = st.sampled_from(["\n", "\r\n", "\r"])
ENCODINGS = st.sampled_from(["utf-8", "utf-16", "utf-32"])
WIDTHS = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}
UNIT = {"utf-8": 1, "utf-16": 2, "utf-32": 4}


@given(TEXTS, ENDS, ENCODINGS, st.booleans(), st.data())
def test_there_and_back(lines: list[str], end: str, encoding: str, mark: bool, data: st.DataObject) -> None:
    """A character is found where an editor that encodes the line counts it, and is the same on the way back."""
    text = ("\ufeff" if mark else "") + end.join(lines)
    made = Lines(text, encoding)
    number = data.draw(st.integers(1, len(lines)))
    column = data.draw(st.integers(1, len(lines[number - 1]) + 1))
    before = ("\ufeff" if mark and number == 1 else "") + lines[number - 1][: column - 1]

    position = made.position(number, column)

    assert position == Position(number - 1, len(before.encode(WIDTHS[encoding])) // UNIT[encoding])
    assert made.place(position) == (number, column)


def test_plain() -> None:
    """The text that the tool reads has LF line ends and no byte order mark."""
    lines = Lines("\ufeffa\r\nb\rc\n")

    assert (lines.plain, lines.end_of_line) == ("a\nb\nc\n", "\r\n")


@pytest.mark.parametrize(
    ("length", "end"), [(1, (0, 2)), (2, (0, 3)), (3, (0, 3)), (4, (1, 1)), (5, (1, 1)), (6, (2, 1)), (99, (2, 1))]
)
def test_range(length: int, end: tuple[int, int]) -> None:
    """A span may go over lines, whose ends count as one character, and no further than the text."""
    lines = Lines("abc\r\nd\r\n\u00e9")

    found = lines.range(Span(Source("t", lines.plain), 1, 2, length))

    assert found == Range(Position(0, 1), Position(*end))


@pytest.mark.parametrize(("line", "character"), [(99, 0), (0, 99), (1, 2_000_000_000)])
def test_outside(line: int, character: int) -> None:
    """A place outside the text is one of its ends."""
    lines = Lines("ab\ncd")

    number, column = lines.place(Position(line, character))

    assert 1 <= number <= 2
    assert 1 <= column <= 3


def test_moved() -> None:
    """Lines above and below an edit are found again; the edited one is not."""
    moved = Moved.between("a\nb\nc\nd", "a\nX\nY\nZ\nc\nd")

    assert [moved.line(n) for n in (1, 2, 3, 4)] == [1, None, 5, 6]


def test_moved_between_edits() -> None:
    """Lines between two edited ones are found."""
    moved = Moved.between("a\nb\nc\nd", "+\na\nb\nX\nd")

    assert [moved.line(n) for n in (1, 2, 3, 4)] == [2, 3, None, 5]
