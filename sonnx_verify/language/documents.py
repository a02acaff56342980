"""Documents: text with places at which a line may end, and their best layout for a given width.

A group is printed on one line if it fits there; otherwise the line ends at each of its own break places, and the groups
in it are tried in turn. So an expression ends its lines at the loosest operator first. This is the pretty printer of
Oppen and Wadler, with comments that end a line wherever they stand. Not trusted: layout.py checks what comes of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

WIDTH = 120


@dataclass(frozen=True, slots=True)
class Word:
    """A token of the text, or a comment's neighbour: `place` is its number among the tokens of the file."""

    text: str
    place: int


@dataclass(frozen=True, slots=True)
class Space:
    """A number of blanks, unless the line ends here."""

    width: int = 1


@dataclass(frozen=True, slots=True)
class Line:
    """A line end, or `flat` when the group around it is on one line; `hard`: always a line end."""

    flat: int = 1
    hard: bool = False


@dataclass(frozen=True, slots=True)
class Joined:
    parts: tuple[Doc, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """On one line if that fits and nothing in it asks for a line end. `first`, `last`: the places of its words."""

    body: Doc
    first: int
    last: int
    hard: bool


@dataclass(frozen=True, slots=True)
class Nest:
    """Lines that begin inside are indented by that much more."""

    by: int
    body: Doc


@dataclass(frozen=True, slots=True)
class Align:
    """Lines that begin inside are indented as far as the place where it begins."""

    body: Doc


Doc = Word | Space | Line | Joined | Group | Nest | Align
SPACE, LINE, SOFT, HARD = Space(), Line(), Line(0), Line(0, hard=True)


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment, `--` included. `own` says that it stands on a line of its own, `blank` that a blank line is above."""

    text: str
    own: bool
    blank: bool = False


Comments = Mapping[int, Sequence[Comment]]
"""By the place of the word that they follow."""


def join(*parts: Doc) -> Doc:
    """One after the other."""
    return Joined(parts)


def group(*parts: Doc) -> Doc:
    """One after the other, on one line if that fits."""
    body = Joined(parts)
    places = [w.place for w in _words(body)]
    return Group(body, min(places), max(places), _is_hard(body))


def nest(*parts: Doc) -> Doc:
    """One after the other, with lines indented by two more."""
    return Nest(2, Joined(parts))


def align(*parts: Doc) -> Doc:
    """One after the other, with lines indented as far as the first part."""
    return Align(Joined(parts))


def _words(doc: Doc) -> Iterable[Word]:
    """The first and the last word, at least: groups know theirs."""
    # Not recursive, here and below: a chain of 5,000 operands is a document of that depth.
    stack: list[Doc] = [doc]
    while stack:
        match stack.pop():
            case Word() as word:
                yield word
            case Group(first=first, last=last):
                yield Word("", first)
                yield Word("", last)
            case Joined(parts=parts):
                stack.extend(parts)
            case Nest(body=body) | Align(body=body):
                stack.append(body)


def _is_hard(doc: Doc) -> bool:
    stack: list[Doc] = [doc]
    while stack:
        match stack.pop():
            case Line(hard=True) | Group(hard=True):
                return True
            case Joined(parts=parts):
                stack.extend(parts)
            case Nest(body=body) | Align(body=body):
                stack.append(body)
    return False


Item = tuple[int, bool, Doc]
"""A document that is still to print: its indentation, its being on one line, and itself."""


class _Printer:
    def __init__(self, comments: Comments, width: int) -> None:
        self.comments, self.width = comments, width
        self.lines: list[str] = []
        self.current = ""
        self.fresh = True
        self.blanks = 0
        self.must_end = False
        self.waiting: list[str] = []

    def print(self, doc: Doc, indent: int) -> list[str]:
        self.current = " " * indent
        stack: list[Item] = [(indent, False, doc)]
        while stack:
            i, flat, part = stack.pop()
            match part:
                case Word():
                    self.word(part, i)
                case Space(width=width):
                    self.blanks += width
                case Line(flat=width, hard=hard):
                    if flat and not hard and not self.must_end:
                        self.blanks += width
                    else:
                        self.end_line(i)
                case Joined(parts=parts):
                    stack.extend((i, flat, p) for p in reversed(parts))
                case Nest(by=by, body=body):
                    stack.append((i + by, flat, body))
                case Align(body=body):
                    # Behind a comment the line ends here, so there is no column yet to align with.
                    column = self.column()
                    if self.must_end:
                        column = i + 2
                    stack.append((column, flat, body))
                case Group(body=body):
                    stack.append((i, flat or self.one_line(part, i, stack), body))
        return [*self.lines, self.current]

    def column(self) -> int:
        if self.fresh:
            return len(self.current)
        return len(self.current) + self.blanks

    def word(self, word: Word, indent: int) -> None:
        if self.must_end:
            self.end_line(indent)
        # Blanks at the beginning of a line are its indentation, which `current` has already.
        if not self.fresh:
            self.current += " " * self.blanks
        self.current += word.text
        self.fresh, self.blanks = False, 0
        for comment in self.comments.get(word.place, ()):
            if comment.own or self.must_end:
                self.waiting.append(comment.text)
            else:
                self.current += f"  {comment.text}"
            self.must_end = True

    def end_line(self, indent: int) -> None:
        if not self.fresh:
            self.lines.append(self.current)
        self.lines += [" " * indent + comment for comment in self.waiting]
        self.current, self.fresh, self.blanks = " " * indent, True, 0
        self.must_end, self.waiting = False, []

    def one_line(self, part: Group, indent: int, rest: list[Item]) -> bool:
        """Return whether a group is printed on one line: it fits, with all up to the next line end behind it."""
        # A comment inside ends a line, so such a group has several. One behind its last word does not: it may stick
        # out.
        if part.hard or any(place in self.comments for place in range(part.first, part.last)):
            return False
        start = self.column()
        if self.must_end:
            start = indent
        room = self.width - start
        stack: list[tuple[bool, Doc]] = [(True, part.body)]
        below = len(rest)
        while room >= 0:
            if not stack:
                if below == 0:
                    return True
                below -= 1
                stack.append((rest[below][1], rest[below][2]))
            flat, doc = stack.pop()
            match doc:
                case Word(text=text, place=place):
                    room -= len(text)
                    if place in self.comments:
                        return room >= 0
                case Space(width=width):
                    room -= width
                case Line(flat=width, hard=hard):
                    if hard or not flat:
                        return True
                    room -= width
                case Joined(parts=parts):
                    stack.extend((flat, p) for p in reversed(parts))
                case Nest(body=body) | Align(body=body) | Group(body=body):
                    stack.append((flat, body))
        return False


def printed(doc: Doc, comments: Comments, indent: int = 0, width: int = WIDTH) -> list[str]:
    """The lines of a document. A comment ends the line it follows, or stands on lines of its own below it."""
    return _Printer(comments, width).print(doc, indent)


def on_one_line(doc: Doc) -> str:
    """The document without line ends."""
    parts: list[str] = []
    blanks = 0
    stack: list[Doc] = [doc]
    while stack:
        match stack.pop():
            case Word(text=text):
                parts.append(" " * blanks + text)
                blanks = 0
            case Space(width=width) | Line(flat=width):
                blanks += width
            case Joined(parts=inner):
                stack.extend(reversed(inner))
            case Nest(body=body) | Align(body=body) | Group(body=body):
                stack.append(body)
    return "".join(parts)
