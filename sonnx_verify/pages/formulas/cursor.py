"""The words of a sentence and the place of the next one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Self

from sonnx_verify.pages.formulas.notation import Notation
from sonnx_verify.pages.formulas.words import END, Unread, Word

DEEP = 40
"""The levels of a formula that are read: nobody writes more."""


LONG, EXPANSIONS = 20_000, 1_000
"""The longest formula, and the most definitions put in place of their names, that anybody reads."""


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
    def _next(self) -> Word:
        return self.words[self.place] if self.place < len(self.words) else END

    def _whole(self, read: Callable[[], str]) -> str:
        made = read()
        self._skip(",")
        self._end()
        return made

    def _end(self) -> None:
        if self._next is not END:
            raise Unread(f"`{self._next.text}` is not read here")

    def _is(self, *signs: str) -> bool:
        return self._next.kind == "sign" and self._next.text in signs

    def _skip(self, *signs: str) -> bool:
        found = self._is(*signs)
        self.place += found
        return found

    def _comes_after_comma(self, sign: str) -> bool:
        """Whether `, and` stands here, or the like."""
        return self._is(",") and self.words[self.place + 1 : self.place + 2] == [Word("sign", sign)]

    def _expect(self, sign: str) -> None:
        if not self._skip(sign):
            raise Unread(f"`{sign}` is missing before `{self._next.text or 'the end'}`")

    def _part(self, start: int, end: int) -> Self:
        if self.depth > DEEP:
            raise Unread("it is too deep")
        return replace(self, words=self.words[start:end], place=0, depth=self.depth + 1)

    def _group(self) -> Self:
        """The words of a group of LaTeX, or the one word where there is none."""
        if self._next.kind != "open":
            if self._next.kind in ("name", "number") and len(self._next.text) > 1:
                raise Unread(f"LaTeX takes the first character of `{self._next.text}` alone: it lacks braces")
            self.place += 1
            return self._part(self.place - 1, self.place)
        start = self.place + 1
        self.place = closing(self.words, self.place)
        return self._part(start, self.place - 1)


def opens(word: Word) -> int:
    if word.kind == "open" or word.text in ("(", "{", "begin cases"):
        return 1
    return -1 if word.kind == "close" or word.text in (")", "}", "end cases") else 0


def closing(words: Sequence[Word], start: int) -> int:
    """The place after what closes the bracket at a place. Raises Unread where nothing does."""
    end = closes(words, start)
    if end is None:
        raise Unread(f"`{words[start].text}` is not closed")
    return end


def closes(words: Sequence[Word], start: int) -> int | None:
    """The same; None where nothing does."""
    opening = words[start].text
    closing_sign = {"(": ")", "{": "}", "[": "]"}.get(opening, "}")
    depth = 0
    for n in range(start, len(words)):
        depth += {opening: 1, closing_sign: -1}.get(words[n].text, 0)
        if depth == 0:
            return n + 1
    return None


def split(words: Sequence[Word], sign: str) -> list[list[Word]]:
    """The words between a sign, without what is empty at the end."""
    made: list[list[Word]] = [[]]
    for word in words:
        if word.kind == "sign" and word.text == sign:
            made.append([])
        else:
            made[-1].append(word)
    return made if made[-1] else made[:-1]


def without_commas(words: Sequence[Word]) -> Sequence[Word]:
    """The words without a comma at their end."""
    return words[:-1] if words and words[-1].text == "," else words


def grouped(text: str) -> str:
    """An expression that can stand anywhere: in brackets, where it has none and is more than one word."""
    if " " not in text and text[0] != "-":
        return text  # signs stand between spaces
    depth = 0
    for n, character in enumerate(text):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth == 0 and n < len(text) - 1:
            return f"({text})"
    return text
