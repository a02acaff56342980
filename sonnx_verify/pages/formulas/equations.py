"""An equation of a page that says what a name is, and what is written at the name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sonnx_verify.errors import Span
from sonnx_verify.pages.formulas.notation import Macro
from sonnx_verify.pages.formulas.words import Unread, Word, formula_words
from sonnx_verify.pages.reading.blocks import Inline


@dataclass(frozen=True, slots=True)
class Defined:
    """`name` with what is written at it `= body`; `reads` are the names in square brackets. `family` is which family
    of the page it stands in."""

    name: str
    macro: Macro
    reads: tuple[str, ...]
    span: Span
    family: str

    @property
    def key(self) -> tuple[str, int, int | None]:
        """The identity of the definition: its name, and the number of names that are written at it."""
        return (self.name, self.macro.below, self.macro.arguments)


def is_bare(piece: Inline) -> bool:
    """Whether a formula is a name with names at it and nothing else."""
    try:
        words = formula_words(piece.text)
    except Unread:
        return False
    made = left(words)
    return made is not None and made[-1] == len(words)


def equation(piece: Inline, family: str) -> Defined | None:
    """A formula that says what a name is: the name, indices below it and in brackets, `=`, and what it is."""
    try:
        words = formula_words(piece.text)
    except Unread:
        return None
    found = left(words)
    if found is None:
        return None
    below, arguments, reads, place = found
    if words[place : place + 1] != [Word("sign", "=")]:
        return None
    body = tuple(words[place + 1 :])
    while body and body[-1] == Word("sign", ","):
        body = body[:-1]
    parameters = (*below, *(arguments or ()))
    if not body or len({*parameters, *reads}) < len(parameters) + len(reads):
        return None
    macro = Macro(len(below), None if arguments is None else len(arguments), parameters, body, piece.span.line)
    return Defined(words[0].text, macro, tuple(reads), piece.span, family)


def left(words: Sequence[Word]) -> tuple[list[str], list[str] | None, list[str], int] | None:
    """The names below the name that some words begin with, those in its brackets, those that it is read at, and the
    place behind; None where it is no name with names at it."""
    if not words or words[0].kind not in ("name", "said"):
        return None
    below: list[str] = []
    arguments: list[str] | None = None
    reads: list[str] = []
    place = 1
    while place < len(words) and words[place].text in ("_", "(", "["):
        mark = words[place].text
        place += 1
        if mark == "_" and words[place : place + 1] and words[place].kind == "name":
            below.append(words[place].text)
            place += 1
            continue
        if mark == "_":
            place += 1
        found: list[str] = []
        while place < len(words) and words[place].kind == "name":
            found.append(words[place].text)
            place += 1
            if words[place : place + 1] != [Word("sign", ",")]:
                break
            place += 1
        closes = {"_": "close", "(": ")", "[": "]"}[mark]
        if not found or place >= len(words) or closes not in (words[place].kind, words[place].text):
            return None
        place += 1
        if mark == "_":
            below += found
        elif mark == "(":
            arguments = [*(arguments or ()), *found]
        else:
            reads += found
    return below, arguments, reads, place
