"""The meaning of a page's names in the language: those of the formal text, and those that the page defines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from sonnx_verify.language.context import Library
from sonnx_verify.language.functions import FUNCTIONS
from sonnx_verify.pages.formulas.words import Unread, Word

_MEMBER = re.compile(r"([A-Za-z]+)(\d+)")
_SIZES = {"d": "sizes", "n": "rank", "r": "rank"}
"""The letters that the profile writes before the name of a tensor: its sizes dX, its rank nX or rX."""


@dataclass(frozen=True, slots=True)
class Macro:
    """What a page defines by a formula: the names below its name, then those in brackets, and the words that it stands
    for."""

    below: int
    arguments: int | None
    parameters: tuple[str, ...]
    body: tuple[Word, ...]
    line: int = field(default=0, compare=False)


@dataclass(slots=True)
class Notation:
    """The names of a formal text, the functions that it can call, the facts and the constraints that it has, and what
    the page defines."""

    names: frozenset[str]
    functions: frozenset[str]
    facts: frozenset[str]
    constraints: tuple[str, ...]
    macros: dict[tuple[str, int, int | None], Macro] = field(default_factory=dict)
    doubtful: frozenset[str] = frozenset()
    """Names of which the page says something that is not read: they mean what nobody knows."""
    used: set[tuple[str, int]] = field(default_factory=set)
    """The definitions of the page that were read since this was emptied: names and lines."""
    of_elements: bool = False
    """Whether `max` and `min` are of elements: then they are what the formal text calls maximum and minimum."""

    @classmethod
    def of(cls, names: Iterable[str], library: Library, constraints: Iterable[str]) -> Notation:
        """That of a formal text with these names of inputs, attributes and what its `let` items give, and these tags
        of constraints, in their order."""
        functions = frozenset(library.definitions) | frozenset(FUNCTIONS)
        return cls(frozenset(names), functions, frozenset(library.facts), tuple(constraints))

    def fold(self, name: str) -> str:
        """The function that takes the greatest, the least or the sum of a set."""
        return {"max": "maximum", "min": "minimum"}.get(name, name) if self.of_elements else name

    def sure(self, name: str) -> str:
        """The name. Raises Unread where the page says more of it than is read, whatever the formal text says of it."""
        if name in self.doubtful:
            raise Unread(f"the page says more of `{name}` than is read")
        return name

    def knows(self, name: str) -> bool:
        """Whether the formal text has the name."""
        return name in self.names

    def define(self, name: str, macro: Macro) -> None:
        """Take in what the page defines."""
        self.macros[(name, macro.below, macro.arguments)] = macro

    def is_function(self, name: str) -> bool:
        """Whether brackets after a name are around arguments."""
        if name in self.doubtful:
            return False
        if any(name == of and arguments is not None for of, _, arguments in self.macros):
            return True
        return name in self.functions and name not in self.names

    def defined(self, name: str, below: int, arguments: int | None) -> Macro | None:
        """The definition on the page of a name that the formal text does not have."""
        return None if self.knows(name) else self.macros.get((name, below, arguments))

    def member(self, name: str, local: Mapping[str, str]) -> tuple[str, str] | None:
        """Of X0, or of Zm where m is bound, the name and the number."""
        if self.knows(name):
            return None
        if (found := _MEMBER.fullmatch(name)) and self.knows(found[1]):
            return self.sure(found[1]), found[2]
        if len(name) > 1 and self.knows(name[:-1]) and name[-1] in local:
            return self.sure(name[:-1]), local[name[-1]]
        return None


def read_of(text: str, reads: Sequence[Sequence[str]]) -> str:
    """A name, or another value, read at some indices one after the other."""
    for at in reads:
        if not at:
            raise Unread("an index is empty")
        text += f"[{at[0]}]" if len(at) == 1 else f"[[{', '.join(at)}]]"
    return text


def call_of(name: str, arguments: Sequence[str]) -> str:
    """A function on some arguments."""
    return f"{name}({', '.join(arguments)})"


def sizes_of(notation: Notation, name: str, below: Sequence[str], local: Mapping[str, str]) -> str | None:
    """`dX_k`, `dX_{m,k}`, `nX`: the size on an axis, the rank, of a tensor or of a member of a list of tensors."""
    what, tensor = _SIZES.get(name[:1]), name[1:]
    if what is None or not tensor or name in notation.doubtful:
        return None
    rest = list(below)
    if (found := notation.member(tensor, local)) is not None:
        text = f"{found[0]}[{found[1]}]"
    elif notation.knows(tensor):
        text = notation.sure(tensor)
        if len(rest) > (what == "sizes"):
            text = f"{tensor}[{rest.pop(0)}]"
    else:
        return None
    if len(rest) != (what == "sizes"):
        raise Unread(f"`{name}` is written with other indices than a {'size' if what == 'sizes' else 'rank'} has")
    return f"{text}.shape[{rest[0]}]" if what == "sizes" else f"rank({text})"
