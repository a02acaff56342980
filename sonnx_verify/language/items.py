"""The items of texts, and which of them an item rests on, seen by their words: rather too many than too few."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lark import Token, Tree

from sonnx_verify.errors import Source, SpecificationError
from sonnx_verify.language.parser import tree_of

_NAMED = ("define", "order", "order_by_classes", "theorem")
"""Items that others name. All else in a file counts for each item of it."""
_WORD = re.compile(r"[A-Za-z_]\w*")
_COMMENT = re.compile(r'("[^"\n]*")|--[^\n]*')


@dataclass(slots=True)
class Items:
    """The items of some texts: those with a name, and what else each file says."""

    _named: dict[Path, dict[str, str]] = field(default_factory=dict)
    _rest: dict[Path, str] = field(default_factory=dict)

    @classmethod
    def of(cls, texts: Mapping[Path, str]) -> Items:
        """The items of files by their paths. A text that is not in the grammar is one item."""
        made = cls()
        for path, text in texts.items():
            made._add(path, text)
        return made

    def _add(self, path: Path, text: str) -> None:
        named = self._named[path] = {}
        try:
            tree = tree_of(Source(path.name, text))
        except SpecificationError:
            self._rest[path] = _plain(text)
            return
        rest = []
        for item in tree.children:
            said = _plain(text[item.meta.start_pos : item.meta.end_pos]) if isinstance(item, Tree) else str(item)
            name = next((str(t) for t in item.children if isinstance(t, Token)), "") if isinstance(item, Tree) else ""
            if isinstance(item, Tree) and item.data in _NAMED and name:
                # Two of one name, each for a family, are one.
                named[name] = f"{named.get(name, '')}\n{said}"
            else:
                rest.append(said)
        self._rest[path] = "\n".join(rest)

    def digest(self, path: Path, name: str, among: Iterable[Path], operators: Mapping[str, Iterable[Path]]) -> str:
        """A hash of an item of a file and of all that it rests on; of the whole file where it has none of that name.

        It may rest on items of the files `among`; `operators` says in which files the operator of a name is.
        """
        places = list(among)
        todo = [(path, n) for n in ("", *([name] if name in self._named[path] else self._named[path]))]
        seen: dict[tuple[Path, str], str] = {}
        while todo:
            place = todo.pop()
            if place in seen:
                continue
            seen[place] = said = self._named[place[0]][place[1]] if place[1] else self._rest[place[0]]
            todo.append((place[0], ""))
            for word in set(_WORD.findall(said)):
                todo += ((p, word) for p in places if word in self._named[p])
                todo += ((p, n) for p in operators.get(word, ()) if p in places for n in ("", *self._named[p]))
        rows = sorted((p.as_posix(), n, text) for (p, n), text in seen.items())
        return hashlib.sha256(repr(rows).encode()).hexdigest()


def _plain(text: str) -> str:
    """The text without comments, and with single spaces."""
    return " ".join(_COMMENT.sub(lambda found: found[1] or " ", text).split())
