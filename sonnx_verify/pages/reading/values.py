"""Values that pages write: numbers, lists in brackets, and matrices of LaTeX, as elements in a shape."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import prod

from sonnx_verify.pages.reading.signature import words

_TOKEN = re.compile(
    r"(?P<begin>begin\s*\{[a-zA-Z]*(?:matrix|array)\*?\}(?:\{[lcr|]*\})?)|(?P<end>end\s*\{[a-zA-Z]*(?:matrix|array)\*?\})"
    r"|(?P<row>ROW)|(?P<cell>&)|(?P<open>[\[(])|(?P<close>[\])])|(?P<comma>,)"
    r"|(?P<number>[-+]?\s*(?:\d+(?:\.\d+|\.(?=\s*(?:[],&]|ROW|end\b)))?(?:e[-+]?\d+)?|\.\d+|inf(?:ty|inity)?\b|nan\b)|true\b|false\b)|(?P<blank>\s+)",
    re.IGNORECASE,
)
Nested = str | list["Nested"]


@dataclass(frozen=True, slots=True)
class Written:
    """A value as a page writes it: elements in order, as text that numbers are read from, in a shape. `row` says that
    it is a matrix of one line, which some pages write for a list."""

    shape: tuple[int, ...]
    elements: tuple[str, ...]
    row: bool = False

    def shaped(self, shape: tuple[int, ...]) -> Written | None:
        """The same elements in another shape; None where they do not fit it."""
        return Written(shape, self.elements) if prod(shape) == len(self.elements) else None


def value_at(text: str, start: int = 0) -> tuple[Written, int] | None:
    """The value that begins at a place of plain text, and the place after it; None where there is none."""
    reader = _Reader(text, start)
    try:
        found = reader.value()
        shape = _shape(found)
    except _Unread:
        return None
    return Written(shape, tuple(_flat(found)), reader.single), reader.end


def plain(latex: str) -> str:
    """LaTeX as the text that values are read from."""
    made = re.sub(r"\\\\(?:\[[^\]]*(?:em|ex|pt|mm|cm)\])?", " ROW ", latex).replace("\\infty", "inf")
    return words(made)


def shape_in(text: str) -> tuple[int, ...] | None:
    """`(2, 3)` as a shape; None where it is none."""
    found = re.fullmatch(r"\s*\(\s*((?:\d+\s*(?:,\s*\d+\s*)*,?)?)\s*\)\s*", text)
    return None if found is None else tuple(int(n) for n in re.findall(r"\d+", found[1]))


class _Unread(Exception):
    """There is no value here."""


class _Reader:
    """Reads one value. `single` says that the outermost is a matrix of one line."""

    def __init__(self, text: str, start: int) -> None:
        self._text = text
        self.end = start
        self.single = False
        self._depth = 0

    def value(self) -> Nested:
        """A number, a list or a matrix. Raises _Unread."""
        kind, shown = self._next()
        if kind == "number":
            return re.sub(r"\s+|^\+", "", shown).lower()
        self._depth += 1
        if self._depth > 16:
            raise _Unread
        if kind == "open":
            found = self._list({"[": "]", "(": ")"}[shown])
        elif kind == "begin":
            found = self._matrix()
        else:
            raise _Unread
        self._depth -= 1
        return found

    def _list(self, close: str) -> Nested:
        made: list[Nested] = []
        while True:
            if self._peek() == ("close", close):
                self._next()
                return made
            made.append(self.value())
            kind, _ = self._peek()
            if kind == "comma":
                self._next()
            elif kind != "close":
                raise _Unread

    def _matrix(self) -> Nested:
        rows: list[list[Nested]] = [[]]
        while True:
            kind, _ = self._peek()
            if kind == "end":
                self._next()
                break
            if kind in ("row", "cell", "comma"):
                self._next()
                if kind == "row":
                    rows.append([])
            else:
                rows[-1].append(self.value())
        rows = [row for row in rows if row] or [[]]
        if len(rows) == 1:
            # A matrix of matrices lists them; one line of numbers is a list, on most pages.
            self.single = self._depth == 1 and not any(isinstance(cell, list) for cell in rows[0])
            return rows[0] if not (len(rows[0]) == 1 and isinstance(rows[0][0], list)) else [rows[0][0]]
        if all(len(row) == 1 and isinstance(row[0], list) for row in rows):
            return [row[0] for row in rows]
        return [list(row) for row in rows]

    def _peek(self) -> tuple[str, str]:
        place = self.end
        try:
            return self._next()
        finally:
            self.end = place

    def _next(self) -> tuple[str, str]:
        while found := _TOKEN.match(self._text, self.end):
            self.end = found.end()
            if found.lastgroup != "blank":
                return str(found.lastgroup), found[0]
        raise _Unread


def _shape(found: Nested) -> tuple[int, ...]:
    if isinstance(found, str):
        return ()
    inner = {_shape(one) for one in found}
    if len(inner) > 1:
        raise _Unread
    return (len(found), *(inner.pop() if inner else ()))


def _flat(found: Nested) -> list[str]:
    return [found] if isinstance(found, str) else [e for one in found for e in _flat(one)]
