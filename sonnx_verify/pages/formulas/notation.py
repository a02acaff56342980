"""The meaning of a page's names in the language: those of the formal text, and those that the page defines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass, field

from sonnx_verify.language.context import Library
from sonnx_verify.language.functions import FUNCTIONS
from sonnx_verify.pages.formulas.words import Unread, Word

_MEMBER = re.compile(r"([A-Za-z]+)(\d+)")
_SIZES = {"d": ("size", 1), "n": ("rank", 0), "r": ("rank", 0)}
"""The letters that the profile writes before the name of a tensor, as in dX for its sizes, nX and rX for its rank; with
the number of axes that are written below."""


def identity(name: str, below: Sized, arguments: Sized | None) -> tuple[str, int, int | None]:
    """The identity of a definition: a page may define `f`, `f(a)` and `f_k(a)`, each as something else."""
    return (name, len(below), None if arguments is None else len(arguments))


@dataclass(frozen=True, slots=True)
class Named:
    """A name with what is written at it: values below it, as arguments, and in square brackets, one list for each."""

    name: str
    below: list[str]
    arguments: list[str] | None
    reads: list[list[str]]

    @property
    def key(self) -> tuple[str, int, int | None]:
        """The identity of the definition that it would have on the page."""
        return identity(self.name, self.below, self.arguments)

    @property
    def indices(self) -> list[list[str]]:
        """The indices that it is read at: `X_m[i]` is the element i of the member m."""
        return [*([value] for value in self.below), *self.reads]


@dataclass(frozen=True, slots=True)
class Macro:
    """A definition of a page: the number of names below its name, of those in brackets, and the words that it stands
    for."""

    below: int
    arguments: int | None
    parameters: tuple[str, ...]
    body: tuple[Word, ...]
    line: int = field(default=0, compare=False)

    def key(self, name: str) -> tuple[str, int, int | None]:
        """The identity of the definition with a name: `f(a)` and `f(a, b)` may both be defined."""
        return (name, self.below, self.arguments)


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
    """True where `max` and `min` are of elements: then they are what the formal text calls maximum and minimum."""

    @classmethod
    def of(cls, names: Iterable[str], library: Library, constraints: Iterable[str]) -> Notation:
        """The notation of a formal text with these names of inputs, attributes and `let` items, and these tags
        of constraints, in their order."""
        functions = frozenset(library.definitions) | frozenset(FUNCTIONS)
        return cls(frozenset(names), functions, frozenset(library.facts), tuple(constraints))

    def fold(self, name: str) -> str:
        """The function that takes the greatest, the least or the sum of a set."""
        if not self.of_elements:
            return name
        # `max` of the language is of integers alone; `maximum` of the library says what NaN and signed zeros give.
        return {"max": "maximum", "min": "minimum"}.get(name, name)

    def sure(self, name: str) -> str:
        """The name. Raises Unread where the page says more about it than can be read."""
        if name in self.doubtful:
            raise Unread(f"the page says more about `{name}` than can be read")
        return name

    def knows(self, name: str) -> bool:
        """Return whether the formal text has the name."""
        return name in self.names

    def define(self, name: str, macro: Macro) -> None:
        """Take in what the page defines."""
        self.macros[macro.key(name)] = macro

    def is_function(self, name: str) -> bool:
        """Return whether brackets after a name are around arguments."""
        # Whatever is read of a name in doubt, Unread is raised for it (`sure`): as for any name without arguments.
        if name in self.doubtful:
            return False
        if any(name == of and arguments is not None for of, _, arguments in self.macros):
            return True
        return name in self.functions and name not in self.names

    def defined(self, named: Named) -> Macro | None:
        """The definition on the page of a name that the formal text does not have."""
        # A name of both keeps the meaning of the formal text: that the page defines it alike is proved by itself.
        if self.knows(named.name):
            return None
        return self.macros.get(named.key)

    def member(self, name: str, local: Mapping[str, str]) -> tuple[str, str] | None:
        """The name and the number of a member: X and 0 of `X0`, Z and m of `Zm` where m is bound."""
        if self.knows(name):
            return None
        found = _MEMBER.fullmatch(name)
        if found is not None and self.knows(found[1]):
            return self.sure(found[1]), found[2]
        # `Zm` is a member where m is bound; elsewhere it is a name of its own, and unknown.
        if self.knows(name[:-1]) and name[-1] in local:
            return self.sure(name[:-1]), local[name[-1]]
        return None


def read_of(text: str, reads: Sequence[Sequence[str]]) -> str:
    """A name, or another value, read at some indices one after the other."""
    for at in reads:
        # One value may be the number of a member or a whole index, as i of `Y[i]`; several are coordinates.
        text += f"[{at[0]}]" if len(at) == 1 else f"[[{', '.join(at)}]]"
    return text


def call_of(name: str, arguments: Sequence[str]) -> str:
    """A function on some arguments."""
    return f"{name}({', '.join(arguments)})"


def sizes_of(notation: Notation, name: str, below: Sequence[str], local: Mapping[str, str]) -> str | None:
    """`dX_k`, `dX_{m,k}`, `nX`: the size on an axis, the rank, of a tensor or of a member of a list of tensors."""
    kind, axes = _SIZES.get(name[:1], ("", 0))
    tensor, rest = name[1:], list(below)
    if not kind or name in notation.doubtful:
        return None
    member = notation.member(tensor, local)
    if member is not None:
        text = f"{member[0]}[{member[1]}]"
    elif notation.knows(tensor):
        text = notation.sure(tensor)
        # `dX_{m,k}`: the first index is that of the member, the second the axis.
        if len(rest) > axes:
            text = f"{tensor}[{rest.pop(0)}]"
    else:
        return None
    if len(rest) != axes:
        raise Unread(f"`{name}` is written with other indices than a {kind} has")
    return f"{text}.shape[{rest[0]}]" if axes else f"rank({text})"
