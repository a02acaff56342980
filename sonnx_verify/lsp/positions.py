"""Places of texts as editors count them.

Editors count lines and columns from 0, and columns in units of an encoding, UTF-16 where nothing else was agreed. The
tool counts both from 1, columns in characters, in a text with LF line ends and without a byte order mark.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from lsprotocol.types import Position, PositionEncodingKind, Range

from sonnx_verify.sources import Span

_END = re.compile(r"\r\n|\n|\r")
_MARK = "\ufeff"
_MOST = 1000
"""The most lines between two edits that are compared one by one: the time for that grows with their square."""

Place = tuple[int, int]
"""Line and column, both counted from 1, the column in characters."""


def units(text: str, encoding: str) -> int:
    """The number of units of an encoding in a text."""
    match encoding:
        case PositionEncodingKind.Utf32:
            return len(text)
        case PositionEncodingKind.Utf8:
            return len(text.encode("utf-8", "surrogatepass"))
        case _:
            # UTF-16 writes a character above U+FFFF as a pair of surrogates: 𝔸 counts twice, ∀ once.
            return len(text) + sum(c > "\uffff" for c in text)


@dataclass(frozen=True)
class Lines:
    """The text of a document as an editor has it, and its lines without their ends."""

    text: str
    encoding: str = PositionEncodingKind.Utf16
    lines: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "lines", tuple(_END.split(self.text)))

    @property
    def end_of_line(self) -> str:
        """The end of its lines: that of the first one."""
        found = _END.search(self.text)
        if found is None:
            return "\n"
        return found[0]

    @property
    def plain(self) -> str:
        """The text as the tool reads it."""
        return "\n".join(self.lines).removeprefix(_MARK)

    def _skipped(self, line: int) -> int:
        """The characters of a line that editors count and the tool does not: a byte order mark."""
        return int(line == 1 and self.text.startswith(_MARK))

    def line(self, number: int) -> str:
        """The line of that number, counted from 1, as the tool reads it; nothing where there is none."""
        if not 0 < number <= len(self.lines):
            return ""
        return self.lines[number - 1][self._skipped(number) :]

    def position(self, line: int, column: int) -> Position:
        """The tool's place as the editor's; the end of the line, or of the text, for what lies behind it."""
        if line > len(self.lines):
            return Position(len(self.lines) - 1, units(self.lines[-1], self.encoding))
        before = self.lines[max(line, 1) - 1][: max(column, 1) - 1 + self._skipped(line)]
        return Position(max(line, 1) - 1, units(before, self.encoding))

    def place(self, position: Position) -> Place:
        """The editor's place as the tool's. Within a character it is that character's."""
        line = min(position.line, len(self.lines) - 1) + 1
        column, passed = 0, 0
        # Character by character: a client may ask for a place within one, between its two surrogates.
        for character in self.lines[line - 1]:
            passed += units(character, self.encoding)
            if passed > position.character:
                break
            column += 1
        return line, max(column - self._skipped(line), 0) + 1

    def range(self, span: Span) -> Range:
        """The range of a span. It may go over several lines, each end of which is one character."""
        # A span counts LF as one character, and here a line may end with CRLF: so it is followed line by line.
        line, column, left = span.line, span.column, max(span.length, 1)
        while line < len(self.lines) and column - 1 + left > len(self.line(line)):
            left -= len(self.line(line)) - (column - 1) + 1
            line, column = line + 1, 1
            if left <= 0:
                # It ends with the end of a line.
                line, column, left = line - 1, len(self.line(line - 1)) + 1, 0
                break
        return Range(self.position(span.line, span.column), self.position(line, column + left))

    def whole_line(self, number: int) -> Range:
        """A line from its first character that is no blank to its last."""
        text = self.line(number)
        start = len(text) - len(text.lstrip()) + 1
        return Range(self.position(number, start), self.position(number, max(len(text.rstrip()) + 1, start)))


@dataclass(frozen=True, slots=True)
class Moved:
    """The lines of an earlier text in a later one: what is above the first line that differs stays, what is below the
    last one keeps its distance from the end; between them those lines are found that are the same.

    Somebody who types changes one line, which is found in a pass over the text; only two edits at a distance, or a
    replacement, need a comparison of what is between them.
    """

    above: int
    below: int
    before: int
    after: int
    between_them: dict[int, int]

    @classmethod
    def between(cls, before: str, after: str) -> Moved:
        """From one text to another."""
        old, new = before.split("\n"), after.split("\n")
        most = min(len(old), len(new))
        above = next((n for n in range(most) if old[n] != new[n]), most)
        below = next((n for n in range(most - above) if old[-1 - n] != new[-1 - n]), most - above)
        rest, now = old[above : len(old) - below], new[above : len(new) - below]
        found: dict[int, int] = {}
        if max(len(rest), len(now)) <= _MOST:
            for a, b, size in SequenceMatcher(None, rest, now, autojunk=False).get_matching_blocks():
                # Blank lines are all alike: that two are the same says nothing.
                found |= {above + a + n + 1: above + b + n + 1 for n in range(size) if rest[a + n].strip()}
        return cls(above, below, len(old), len(new), found)

    def line(self, number: int) -> int | None:
        """The number of a line now; None for one that was edited."""
        if number <= self.above:
            return number
        if number > self.before - self.below:
            return number + self.after - self.before
        return self.between_them.get(number)
