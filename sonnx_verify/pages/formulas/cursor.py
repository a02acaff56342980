"""The words of a sentence and the place of the next one.

What is read moves the place behind it; `at`, `peek` and `find` only look. A part of the words, as those in brackets, is
read by a cursor of its own, so that nothing in it can reach beyond the bracket that closes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Self

from sonnx_verify.pages.formulas.notation import Notation
from sonnx_verify.pages.formulas.words import END, Unread, Word, WordKind

DEEP = 40
"""The levels of a formula that are read: nobody writes more."""
LONG, EXPANSIONS = 20_000, 1_000
"""The longest formula, and the most definitions put in place of their names, that anybody reads."""
_DEPTHS = {"(": 1, "{": 1, "begin cases": 1, ")": -1, "}": -1, "end cases": -1}
"""Square brackets are not among them: `[0, n[` is an interval, and closes none."""
_CLOSES = {"(": ")", "{": "}", "[": "]"}


@dataclass(slots=True)
class Cursor:
    """The words that are read, and the place of the next one. `local` has the names that are bound here, with what
    they stand for in the language; `within` the definitions of the page whose bodies enclose this one."""

    words: Sequence[Word]
    notation: Notation
    local: Mapping[str, str] = field(default_factory=dict)
    within: tuple[object, ...] = ()
    fresh: Iterator[int] = field(default_factory=count)
    place: int = 0
    depth: int = 0
    budget: Iterator[int] = field(default_factory=lambda: iter(range(EXPANSIONS)))
    """The number of definitions of the page that may still be put in place of their names."""

    @property
    def ahead(self) -> Word:
        """The next word, END behind the last one."""
        return self.peek(0)

    def peek(self, further: int) -> Word:
        """The word that is so many places further than the next one."""
        place = self.place + further
        return self.words[place] if place < len(self.words) else END

    def take(self) -> str:
        """The text of the next word; the place moves behind it."""
        text = self.ahead.text
        self.place += 1
        return text

    def at(self, *signs: str) -> bool:
        """Return whether one of some signs comes next."""
        return self.ahead.kind is WordKind.SIGN and self.ahead.text in signs

    def skip(self, *signs: str) -> bool:
        """Move behind one of some signs, and tell whether it was there."""
        found = self.at(*signs)
        self.place += found
        return found

    def skip_word(self, word: Word) -> bool:
        """Move behind a word, and tell whether it was there."""
        found = self.ahead == word
        self.place += found
        return found

    def expect(self, word: Word) -> None:
        """Move behind a word. Raises Unread where it is not there."""
        if not self.skip_word(word):
            raise Unread(f"`{word.text}` is missing before `{self.ahead.text or 'the end'}`")

    def end(self) -> None:
        """Raise Unread unless all words are read."""
        if self.ahead is not END:
            raise Unread(f"`{self.ahead.text}` is not read here")

    def whole(self, read: Callable[[], str]) -> str:
        """All the words, read by a method. Raises Unread where something is left."""
        made = read()
        # The comma before what stands around the formula: "$a = b$, where ..." is split at `where`.
        self.skip(",")
        self.end()
        return made

    def find(self, *texts: str) -> int | None:
        """The place of the first word from here on that is one of some texts, None where none is."""
        for n in range(self.place, len(self.words)):
            if self.words[n].text in texts:
                return n
        return None

    def on(self, words: Sequence[Word]) -> Self:
        """A cursor on other words, with what is known here."""
        return replace(self, words=words, place=0)

    def part(self, start: int, end: int) -> Self:
        """A cursor on some of the words."""
        # Python itself would run out of its stack: 500 brackets around a name are a formula too.
        if self.depth > DEEP:
            raise Unread("it is nested too deeply")
        return replace(self, words=self.words[start:end], place=0, depth=self.depth + 1)

    def bracketed(self) -> Self:
        """A cursor on the words in the bracket that comes next; the place moves behind what closes it."""
        start = self.place
        self.place = closing(self.words, start)
        return self.part(start + 1, self.place - 1)

    def group(self) -> Self:
        """The words of a group of LaTeX, or the one word where there is none."""
        if self.ahead.kind is WordKind.OPEN:
            return self.bracketed()
        if self.ahead.kind in (WordKind.NAME, WordKind.NUMBER) and len(self.ahead.text) > 1:
            raise Unread(f"LaTeX takes the first character of `{self.ahead.text}` alone: it lacks braces")
        self.place += 1
        return self.part(self.place - 1, self.place)


def opens(word: Word) -> int:
    """The change of depth at a word: 1 where it opens a bracket, -1 where it closes one."""
    return _DEPTHS.get(word.text, 0)


def closing(words: Sequence[Word], start: int) -> int:
    """The place after what closes the bracket at a place. Raises Unread where nothing does."""
    end = closes(words, start)
    if end is None:
        raise Unread(f"`{words[start].text}` is not closed")
    return end


def closes(words: Sequence[Word], start: int) -> int | None:
    """The place after what closes the bracket at a place, None where nothing does."""
    opening = words[start].text
    changes = {opening: 1, _CLOSES.get(opening, "}"): -1}
    depth = 0
    for n in range(start, len(words)):
        depth += changes.get(words[n].text, 0)
        if depth == 0:
            return n + 1
    return None


def split(words: Sequence[Word], at: Word) -> list[list[Word]]:
    """The words between a sign, without what is empty at the end."""
    made: list[list[Word]] = [[]]
    for word in words:
        if word == at:
            made.append([])
        else:
            made[-1].append(word)
    # LaTeX allows `\\` behind the last row.
    if not made[-1]:
        made.pop()
    return made


def without_comma(words: Sequence[Word]) -> Sequence[Word]:
    """The words without a comma at their end."""
    return words[:-1] if words and words[-1].text == "," else words


def grouped(text: str) -> str:
    """An expression that can stand anywhere: in brackets, where it has none and is more than one word."""
    if " " not in text and text[0] != "-":
        return text  # signs stand between spaces
    depth = 0
    for n, character in enumerate(text):
        depth += {"(": 1, ")": -1}.get(character, 0)
        # `(a) + (b)` begins and ends with a bracket too: the first one must be closed by the last character.
        if depth == 0 and n < len(text) - 1:
            return f"({text})"
    return text
