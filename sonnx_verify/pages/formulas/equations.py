"""An equation of a page that says what a name is, and what is written at the name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sonnx_verify.pages.formulas.notation import Macro, identity
from sonnx_verify.pages.formulas.words import Unread, Word, WordKind, formula_words, sign
from sonnx_verify.pages.reading.blocks import Inline
from sonnx_verify.sources import Span

_EQUALS, _COMMA = sign("="), sign(",")
_CLOSES = {"(": ")", "[": "]"}


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
        return self.macro.key(self.name)

    @property
    def scope(self) -> object:
        """The part of the page in which it may be given once, and the identity of what it defines."""
        # What comes out is given once in each family, other names alike wherever they are defined.
        return (self.family, self.key) if self.reads else self.key

    @property
    def meaning(self) -> object:
        """The identity of what it says. Of what comes out, a second equation counts even if it says the same."""
        return self.span if self.reads else self.macro


@dataclass(frozen=True, slots=True)
class Left:
    """A name with names at it, as the left side of a definition: those below it, in round and in square brackets. The
    words go on at `end`."""

    name: str
    below: tuple[str, ...]
    arguments: tuple[str, ...] | None
    reads: tuple[str, ...]
    end: int


def is_bare(piece: Inline) -> bool:
    """Return whether a formula is a name with names at it and nothing else."""
    try:
        words = formula_words(piece.text)
    except Unread:
        return False
    made = left_of(words)
    return made is not None and made.end == len(words)


def equation(piece: Inline, family: str) -> Defined | None:
    """A formula that says what a name is: the name, indices below it and in brackets, `=`, and what it is."""
    try:
        words = formula_words(piece.text)
    except Unread:
        return None
    left = left_of(words)
    if left is None or words[left.end : left.end + 1] != [_EQUALS]:
        return None
    body = words[left.end + 1 :]
    # A formula may end with the comma of the sentence around it.
    while body and body[-1] == _COMMA:
        body.pop()
    parameters = (*left.below, *(left.arguments or ()))
    # `f(k, k) = k` says what f is on the diagonal alone.
    names = (*parameters, *left.reads)
    if not body or len(set(names)) < len(names):
        return None
    _, below, arguments = identity(left.name, left.below, left.arguments)
    macro = Macro(below, arguments, parameters, tuple(body), piece.span.line)
    return Defined(left.name, macro, left.reads, piece.span, family)


def left_of(words: Sequence[Word]) -> Left | None:
    """The name, with names at it, that some words begin with; None where they begin otherwise, as with `f(0)`."""
    if not words or not words[0].is_name:
        return None
    below: list[str] = []
    arguments: list[str] | None = None
    reads: list[str] = []
    place = 1
    # Names alone: `n_0 = 3` says what n is at one place, and is no definition of n.
    while place < len(words) and words[place].text in ("_", "(", "["):
        mark = words[place].text
        found, place = _names_at(words, place)
        if not found:
            return None
        match mark:
            case "_":
                below += found
            case "(":
                arguments = [*(arguments or ()), *found]
            case _:
                reads += found
    taken = None if arguments is None else tuple(arguments)
    return Left(words[0].text, tuple(below), taken, tuple(reads), place)


def _names_at(words: Sequence[Word], place: int) -> tuple[list[str], int]:
    """The names behind an index mark or in a bracket, and the place behind; no names where anything else is there."""
    mark = words[place].text
    place += 1
    if mark == "_":
        # LaTeX takes one word after the mark, or a group in braces.
        if words[place : place + 1] and words[place].kind is WordKind.NAME:
            return [words[place].text], place + 1
        place += 1
    found: list[str] = []
    while place < len(words) and words[place].kind is WordKind.NAME:
        found.append(words[place].text)
        place += 1
        if words[place : place + 1] != [_COMMA]:
            break
        place += 1
    if place >= len(words) or not _closes(words[place], mark):
        return [], place
    return found, place + 1


def _closes(word: Word, mark: str) -> bool:
    """Return whether a word ends the names that a mark begins."""
    if mark == "_":
        return word.kind is WordKind.CLOSE
    return word.text == _CLOSES[mark]
