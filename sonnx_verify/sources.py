"""The texts of specifications, and places in them. Trusted."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

# C0 and C1 controls, the separators of lines and paragraphs, and those that turn the direction of text (UAX #9), which
# would show a line in another order than it has.
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


# A span is made for each token and knows its line alone. Few texts are asked about at once, and a source is a frozen
# record, which compares by its text: so the lines are kept here, of the last texts.
@lru_cache(maxsize=8)
def _lines(text: str) -> list[str]:
    return text.split("\n")


@lru_cache(maxsize=8)
def _starts(text: str) -> list[int]:
    return list(accumulate((len(line) + 1 for line in _lines(text)), initial=0))


@dataclass(frozen=True, slots=True)
class Source:
    """A text and the name under which it is shown."""

    name: str
    text: str

    def line(self, number: int) -> str:
        """The line of that number, counted from 1, or nothing."""
        lines = _lines(self.text)
        if not 0 < number <= len(lines):
            return ""
        return lines[number - 1]


@dataclass(frozen=True, slots=True)
class Span:
    """A place: line and column counted from 1, and how many characters."""

    source: Source
    line: int
    column: int
    length: int = 1

    def __str__(self) -> str:
        return f"{in_line(self.source.name)}:{self.line}:{self.column}"

    @property
    def start(self) -> int:
        """The place counted in characters from the beginning of the text."""
        starts = _starts(self.source.text)
        return starts[min(self.line, len(starts)) - 1] + self.column - 1

    @property
    def text(self) -> str:
        """The characters of the place, as far as its line goes."""
        return self.source.line(self.line)[self.column - 1 : self.column - 1 + self.length]


def in_line(text: str) -> str:
    """The text with line ends and other signs of control written out: the name of a file may hold them, and what they
    say, to a terminal or to a CI server, is nothing that this tool says."""
    return CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)
