"""Names of formulas, with what is written at them, as text of the language."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from sonnx_verify.pages.formulas.cursor import DEEP, LONG, Cursor, closes, closing, grouped
from sonnx_verify.pages.formulas.notation import call_of, read_of, sizes_of
from sonnx_verify.pages.formulas.words import Unread, Word


@dataclass(slots=True)
class Names(Cursor, ABC):
    """Reads names. What the page defines by a formula is put in their place."""

    @abstractmethod
    def value_or_set(self) -> str:
        """All the words as a value or as a set. Raises Unread."""

    @abstractmethod
    def _sum(self) -> str:
        """The longest value that comes next."""

    def _named(self, word: Word) -> str:
        """A name with what is written at it: indices below it, in brackets, arguments."""
        below: list[str] = []
        arguments: list[str] | None = None
        reads: list[list[str]] = []
        if self._is("_"):
            self.place += 1
            below = self._group()._values()
        if self._is("(") and word.text not in self.local and self.notation.is_function(word.text):
            start, self.place = self.place, closing(self.words, self.place)
            arguments = self._part(start + 1, self.place - 1)._values()
        while self._is("[") and not self._ends_interval():
            start, self.place = self.place, closing(self.words, self.place)
            reads.append(self._part(start + 1, self.place - 1)._values())
        return self._meant(word.text, below, arguments, reads)

    def _ends_interval(self) -> bool:
        """Whether the bracket that comes next closes an interval: nothing closes it."""
        return closes(self.words, self.place) is None

    def _values(self) -> list[str]:
        made = [self._sum()]
        while self._skip(","):
            made.append(self._sum())
        self._end()
        return made

    def _meant(self, name: str, below: list[str], arguments: list[str] | None, reads: list[list[str]]) -> str:
        if name in self.local:
            if arguments is not None:
                raise Unread(f"`{name}` is no function")
            return read_of(self.local[name], [*([b] for b in below), *reads])
        self.notation.sure(name)
        macro = self.notation.defined(name, len(below), None if arguments is None else len(arguments))
        if macro is not None:
            self.notation.used.add((name, macro.line))
            if (key := (name, macro.below, macro.arguments)) in self.within:
                raise Unread(f"`{name}` is defined by itself")
            given = dict(zip(macro.parameters, (*below, *(arguments or ())), strict=True))
            if next(self.budget, None) is None:
                raise Unread("what the page defines expands to more than is read")
            local = {parameter: grouped(text) for parameter, text in given.items()}
            within, depth = (*self.within, key), self.depth + 1
            body = type(self)(macro.body, self.notation, local, within, self.fresh, 0, depth, self.budget)
            if self.depth > DEEP:
                raise Unread("it is too deep")
            made = body.value_or_set()
            if len(made) > LONG:
                raise Unread("what the page defines expands to more than is read")
            return read_of(grouped(made), reads)
        if arguments is not None:
            if name not in self.notation.functions:
                raise Unread(f"`{name}` is written with other indices where it is defined")
            return read_of(call_of(name, [*below, *arguments]), reads)
        found = self.notation.member(name, self.local)
        if found is not None:
            name, own = found
            return read_of(name, [[own], *([b] for b in below), *reads])
        if (sizes := sizes_of(self.notation, name, below, self.local)) is not None:
            return read_of(sizes, reads)
        if not self.notation.knows(name):
            raise Unread(f"`{name}` is not known here")
        return read_of(name, [*([b] for b in below), *reads])
