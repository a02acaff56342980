"""Places of pieces, for parsers that do not tell them: each is looked for after the one before."""

from __future__ import annotations

from bisect import bisect_right

from sonnx_verify.sources import Source, Span

_FAR = 4000
"""The farthest that a piece may be behind the one before: if it is not found there, it is written in other
characters."""


class Cursor:
    """The place up to which a text has been read."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._starts = [0]
        for line in source.text.split("\n"):
            self._starts.append(self._starts[-1] + len(line) + 1)
        self._offset = 0
        self._end = len(source.text)

    @property
    def here(self) -> Span:
        """The place that was read up to."""
        return self._at(self._offset)

    def within(self, first: int, last: int) -> None:
        """Reads on to a line, counted from 1, unless that was passed; what is looked for stands not below the last."""
        # Never back: a parser may tell the line where a paragraph begins after its pieces were found.
        self._offset = max(self._offset, self._starts[min(max(first, 1), len(self._starts)) - 1])
        self._end = self._starts[min(max(last, 1), len(self._starts) - 1)]

    def back_to(self, span: Span) -> None:
        """Goes to a place."""
        self._offset = self._starts[span.line - 1] + span.column - 1

    def found(self, text: str) -> Span:
        """The place of a text, looked for after what was found last; of what stands there in other characters, the
        place of that."""
        end = max(min(self._end, self._offset + _FAR), self._offset) + len(text)
        start = self._source.text.find(text, self._offset, end)
        # `&amp;` is shown as `&`: the cursor stays, or all later pieces would be looked for too far on.
        if start < 0:
            return self.here
        self._offset = start + len(text)
        return self._at(start, max(1, len(text)))

    def _at(self, offset: int, length: int = 1) -> Span:
        line = bisect_right(self._starts, offset)
        return Span(self._source, line, offset - self._starts[line - 1] + 1, length)


def after(span: Span, text: str, lines: int = 40) -> Span:
    """The first place of a text from a place on, within some lines; else that place."""
    if not text:
        return span
    start = span.column - 1
    for number in range(span.line, span.line + lines):
        column = span.source.line(number).find(text, start)
        if column >= 0:
            return Span(span.source, number, column + 1, len(text))
        # The column is one of the first line.
        start = 0
    return span
