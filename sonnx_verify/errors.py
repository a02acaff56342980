"""The mistakes of a user, each with its place in the source, its cause and its cure.

Whatever is raised as a `UserError` is printed and ends a command with 2; anything else is a defect of the tool. A
message goes to terminals and CI servers, and quotes text that anybody may have written: signs of control in it are
written out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

from sonnx_verify.sources import CONTROL, Span, in_line


def install(extra: str) -> str:
    """The cure where the packages of an extra are missing."""
    return f"pip install 'sonnx-verify[{extra}]', in a clone pip install -e '.[{extra}]'"


INSTALL = install("onnx")
"""The cure where packages of ONNX are missing."""

_SHOWN = 110
"""The characters of a line that are shown."""
_QUOTED = 60
"""The characters of a quotation that are shown."""


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
            parts = [f"{self.span}: error: {message}", quoted(self.span)]
        if self.cure:
            parts.append(f"  to fix: {in_line(_shortened(self.cure))}")
        return "\n".join(parts)


def quoted(span: Span) -> str:
    """The source line with a caret line below it; a long line is shown around the caret."""
    # One character for one, so that the caret stays below what it is about: a tab would be up to eight columns.
    text = CONTROL.sub("\N{REPLACEMENT CHARACTER}", span.source.line(span.line).replace("\t", " "))
    start = max(0, min(span.column - 60, len(text) - _SHOWN))
    shown = text[start : start + _SHOWN]
    before, behind = "..." * (start > 0), "..." * (start + _SHOWN < len(text))
    margin = f"{span.line:>5} | "
    indent = " " * (len(margin) + len(before) + span.column - 1 - start)
    width = max(1, min(span.length, len(shown) - (span.column - 1 - start)))
    return f"{margin}{before}{shown}{behind}\n{indent}{'^' * width}"


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
