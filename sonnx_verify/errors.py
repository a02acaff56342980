"""The mistakes of a user, each with its place in the source, its cause and its cure.

Whatever is raised as a `UserError` is printed and ends a command with 2; anything else is a defect of the tool. A
message goes to terminals and CI servers, and quotes text that anybody may have written: signs of control in it are
written out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from typing import TypeAlias

INSTALL = "pip install 'sonnx-verify[onnx]', in a clone pip install -e '.[onnx]'"
"""The cure where packages of ONNX are missing."""


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


_SHOWN = 110
"""The characters of a line that are shown."""
_QUOTED = 60
"""The characters of a quotation that are shown."""
# C0 and C1 controls, the separators of lines and paragraphs, and those that turn the direction of text (UAX #9), which
# would show a line in another order than it has.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


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

    def quote(self) -> str:
        """The source line with a caret line below it; a long line is shown around the caret."""
        # One character for one, so that the caret stays below what it is about: a tab would be up to eight columns.
        text = _CONTROL.sub("\N{REPLACEMENT CHARACTER}", self.source.line(self.line).replace("\t", " "))
        start = max(0, min(self.column - 60, len(text) - _SHOWN))
        shown = text[start : start + _SHOWN]
        before, behind = "..." * (start > 0), "..." * (start + _SHOWN < len(text))
        margin = f"{self.line:>5} | "
        indent = " " * (len(margin) + len(before) + self.column - 1 - start)
        width = max(1, min(self.length, len(shown) - (self.column - 1 - start)))
        return f"{margin}{before}{shown}{behind}\n{indent}{'^' * width}"


@dataclass(frozen=True, slots=True)
class Replacement:
    """The correction of a mistake: at its place `new` belongs instead of `old`."""

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class NewUse:
    """The correction of a mistake: the text lacks a line that uses this library."""

    library: str


Correction: TypeAlias = Replacement | NewUse


class Cure(str):
    """A cure in words, with the correction of the text where that is certain: an editor offers it."""

    # A text, as all other cures are: of a hundred places that make an error, few know a correction.
    correction: Correction | None

    def __new__(cls, words: str, correction: Correction | None = None) -> Cure:
        made = super().__new__(cls, words)
        made.correction = correction
        return made


class UserError(Exception):
    """A mistake in what the user gave; the message says the cause, `cure` what to change, `correction` the edit that
    does it, where that is certain."""

    def __init__(self, message: str, span: Span | None = None, cure: str = "") -> None:
        super().__init__(message)
        # The words alone: records and JSON take plain texts.
        self.message, self.span, self.cure = message, span, str(cure)
        self.correction: Correction | None = None
        if isinstance(cure, Cure):
            self.correction = cure.correction

    def __str__(self) -> str:
        message = in_line(_shortened(self.message))
        parts = [f"error: {message}"]
        if self.span:
            # `file:line:column: error:`, the form of compilers, which editors and CI servers find places in.
            parts = [f"{self.span}: error: {message}", self.span.quote()]
        if self.cure:
            parts.append(f"  to fix: {in_line(_shortened(self.cure))}")
        return "\n".join(parts)


def in_line(text: str) -> str:
    """The text with line ends and other signs of control written out: the name of a file may hold them, and what they
    say, to a terminal or to a CI server, is nothing that this tool says."""
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def _shortened(text: str) -> str:
    """The text with what is quoted in it cut to a length that can be read."""

    def cut(quoted: re.Match[str]) -> str:
        if len(quoted[1]) <= _QUOTED:
            return quoted[0]
        return f"`{quoted[1][:_QUOTED]}...`"

    # Short quotations are matched too: else the words between two of them would be taken for one.
    return re.sub(r"`([^`]*)`", cut, text)


class UsageError(UserError):
    """A mistake in the command line or in an argument of the public API."""


class SpecificationError(UserError):
    """A mistake in a specification: syntax, a name, a type, an arity."""


class MissingFile(UserError):
    """A file that does not exist or cannot be read."""


class NoResult(UserError):
    """An operator has no determined result for an input. `tag` and `sentence` are those of the clause that says so,
    empty where none does; `explanation` are the lines that `eval` prints."""

    def __init__(self, message: str, tag: str = "", sentence: str = "", explanation: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.tag, self.sentence, self.explanation = tag, sentence, explanation

    def __str__(self) -> str:
        return "\n".join([super().__str__(), *(f"  {line}" for line in self.explanation)])


class ClauseViolated(NoResult):
    """An input violates a restriction or a constraint, or an error applies to it."""


class LeftUnspecified(NoResult):
    """The specification leaves open what an input gives, or which shape."""


def add_once(errors: list[UserError], error: UserError) -> None:
    """Add an error, unless there is one of its place: what is wrong there is told of one version and section alone."""
    if _place(error) not in map(_place, errors):
        errors.append(error)


def _place(error: UserError) -> object:
    span = error.span
    if span is None:
        return error.message
    return span.source.name, span.line, span.column


# No text of the library has a thirtieth of this; a file of gigabytes, named by mistake, shall not be read.
MAX_SPEC_BYTES = 1 << 20


def read_source(path: Path, shown: str | None = None) -> Source:
    """The text of a specification file. Raises UserError with the file's name for what is not a readable text."""
    name = shown or path.as_posix()
    try:
        size = path.stat().st_size
        if not path.is_file():
            raise MissingFile(f"{name} is not a file", cure="name a .sonnx file")
        if size > MAX_SPEC_BYTES:
            raise SpecificationError(
                f"{name} has {size} bytes, more than the {MAX_SPEC_BYTES} that a specification may have",
                cure="split it into several files",
            )
        data = path.read_bytes()
    except OSError as problem:
        raise MissingFile(
            f"{name} cannot be read: {problem.strerror}", cure="check the path and its permissions"
        ) from None
    return source_of(name, data)


def source_of(name: str, data: bytes) -> Source:
    """The bytes of a specification as a text with LF line ends and no byte order mark. Raises SpecificationError for
    what is not a readable text."""
    try:
        name.encode()
    except UnicodeEncodeError:
        shown = name.encode("utf-8", "backslashreplace").decode()
        raise SpecificationError(f"the name of {shown} is not UTF-8", cure="rename the file") from None
    # Without a mark and with LF, lines and columns are the same on every system, and so is every hash of a text.
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as problem:
        line = data[: problem.start].count(b"\n") + 1
        raise SpecificationError(
            f"{name} is not UTF-8 text: byte {problem.start}, on line {line}", cure="save the file as UTF-8"
        ) from None
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise SpecificationError(f"{name} is not text: it has a NUL character on line {line}", cure="check the path")
    return Source(name, text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n"))
