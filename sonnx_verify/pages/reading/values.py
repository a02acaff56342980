"""Values that pages write: numbers, lists in brackets, and matrices of LaTeX, as elements in a shape."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from math import prod

from sonnx_verify.pages.reading.signature import words

# `1.` is a number only before what ends a value: in `is 1. Next` the point ends the sentence.
_TOKEN = re.compile(
    r"(?P<begin>begin\s*\{[a-zA-Z]*(?:matrix|array)\*?\}(?:\{[lcr|]*\})?)|(?P<end>end\s*\{[a-zA-Z]*(?:matrix|array)\*?\})"
    r"|(?P<row>ROW)|(?P<cell>&)|(?P<open>[\[(])|(?P<close>[\])])|(?P<comma>,)"
    r"|(?P<number>[-+]?\s*(?:\d+(?:\.\d+|\.(?=\s*(?:[],&]|ROW|end\b)))?(?:e[-+]?\d+)?|\.\d+|inf(?:ty|inity)?\b|nan\b)|true\b|false\b)|(?P<blank>\s+)",
    re.IGNORECASE,
)
Nested = str | list["Nested"]
_DEEPEST = 16
"""A value that is nested deeper is none that a reader could follow."""


class _Kind(StrEnum):
    """The groups of _TOKEN: matrices begin and end, and have rows of cells; lists open and close, and have commas."""

    BEGIN = "begin"
    END = "end"
    ROW = "row"
    CELL = "cell"
    OPEN = "open"
    CLOSE = "close"
    COMMA = "comma"
    NUMBER = "number"
    BLANK = "blank"


@dataclass(frozen=True, slots=True)
class Written:
    """A value as a page writes it: elements in order, as text that numbers are read from, in a shape. `row` and
    `column` say that it is a matrix of one line, or of one column, which some pages write for a list."""

    shape: tuple[int, ...]
    elements: tuple[str, ...]
    row: bool = False
    column: bool = False

    def shaped(self, shape: tuple[int, ...]) -> Written | None:
        """The same elements in another shape; None where they do not fit it."""
        if prod(shape) != len(self.elements):
            return None
        return Written(shape, self.elements)


def value_at(text: str, start: int = 0) -> tuple[Written, int] | None:
    """The value that begins at a place of plain text, and the place after it; None where there is none."""
    reader = _Reader(text, start)
    try:
        found = reader.value()
        shape = _shape(found)
    except _Unread:
        return None
    return Written(shape, tuple(_flat(found)), reader.row, reader.column), reader.end


def plain(latex: str) -> str:
    """LaTeX as the text that values are read from."""
    # `\\` ends a row of a matrix, perhaps with the space below it: `\\[1ex]`.
    made = re.sub(r"\\\\(?:\[[^\]]*(?:em|ex|pt|mm|cm)\])?", " ROW ", latex).replace("\\infty", "inf")
    return words(made)


def shape_in(text: str) -> tuple[int, ...] | None:
    """`(2, 3)` as a shape; None where it is none."""
    found = re.fullmatch(r"\s*\(\s*((?:\d+\s*(?:,\s*\d+\s*)*,?)?)\s*\)\s*", text)
    return None if found is None else tuple(int(n) for n in re.findall(r"\d+", found[1]))


class _Unread(Exception):
    """There is no value here."""


class _Reader:
    """Reads one value. `row` and `column` say that the outermost is a matrix of one line, or of one column."""

    def __init__(self, text: str, start: int) -> None:
        self._text = text
        self.end = start
        self.row = self.column = False
        self._depth = 0

    def value(self) -> Nested:
        """A number, a list or a matrix. Raises _Unread."""
        kind, shown = self._next()
        if kind is _Kind.NUMBER:
            return re.sub(r"\s+|^\+", "", shown).lower()
        # The depth is bounded: a page may have thousands of brackets, and this recurses.
        self._depth += 1
        if self._depth > _DEEPEST:
            raise _Unread
        match kind:
            case _Kind.OPEN:
                found = self._list({"[": "]", "(": ")"}[shown])
            case _Kind.BEGIN:
                found = self._matrix()
            case _:
                raise _Unread
        self._depth -= 1
        return found

    def _list(self, close: str) -> Nested:
        made: list[Nested] = []
        while self._peek() != (_Kind.CLOSE, close):
            made.append(self.value())
            match self._peek():
                case _Kind.COMMA, _:
                    self._next()
                case _Kind.CLOSE, _:
                    # Of the other sort, it is no value: the loop reads on and fails.
                    pass
                case _:
                    raise _Unread
        self._next()
        return made

    def _matrix(self) -> Nested:
        rows: list[list[Nested]] = [[]]
        while True:
            match self._peek()[0]:
                case _Kind.END:
                    self._next()
                    break
                case _Kind.ROW:
                    self._next()
                    rows.append([])
                case _Kind.CELL | _Kind.COMMA:
                    self._next()
                case _:
                    rows[-1].append(self.value())
        # The end of a line may stand behind the last row too.
        rows = [row for row in rows if row] or [[]]
        first = rows[0]
        # A matrix of matrices lists them; one line of numbers is a list, on most pages.
        if all(len(row) == 1 and isinstance(row[0], list) for row in rows):
            return [row[0] for row in rows]
        if len(rows) > 1:
            self.column = self._depth == 1 and all(len(row) == 1 for row in rows)
            return [*rows]
        self.row = self._depth == 1 and not any(isinstance(cell, list) for cell in first)
        return first

    def _peek(self) -> tuple[_Kind, str]:
        place = self.end
        try:
            return self._next()
        finally:
            self.end = place

    def _next(self) -> tuple[_Kind, str]:
        while found := _TOKEN.match(self._text, self.end):
            self.end = found.end()
            kind = _Kind(str(found.lastgroup))
            if kind is not _Kind.BLANK:
                return kind, found[0]
        raise _Unread


def _shape(found: Nested) -> tuple[int, ...]:
    if isinstance(found, str):
        return ()
    inner = {_shape(one) for one in found}
    if len(inner) > 1:
        raise _Unread
    # An empty list is one of numbers: nothing says more.
    return (len(found), *next(iter(inner), ()))


def _flat(found: Nested) -> list[str]:
    if isinstance(found, str):
        return [found]
    return [*chain.from_iterable(map(_flat, found))]
