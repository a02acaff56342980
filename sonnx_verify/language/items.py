"""The items of texts, and those that an item rests on, seen by their words: rather too many than too few. A word that
happens to be the name of an item counts as a use of it; that costs time, and a use that is missed would recall an old
answer for a new text.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lark import Token, Tree

from sonnx_verify.errors import SpecificationError
from sonnx_verify.language.parser import tree_of
from sonnx_verify.sources import Source

_NAMED = ("define", "order", "order_by_classes", "theorem", "axiom")
"""Items that others name. All else in a file counts for each item of it."""
_PARTS = re.compile(r'("[^"\n]*")|--[^\n]*|[ \t\r\n]+')


def _words(tree: Tree[Token]) -> frozenset[str]:
    return frozenset(str(token) for token in tree.scan_values(lambda value: isinstance(value, Token)))


@dataclass(frozen=True, slots=True)
class _Item:
    text: str
    words: frozenset[str]

    def with_(self, other: _Item | None) -> _Item:
        if other is None:
            return self
        return _Item(f"{other.text}\n{self.text}", other.words | self.words)


@dataclass(slots=True)
class Items:
    """The items of some texts: those with a name, and what else each file says."""

    _named: dict[Path, dict[str, _Item]] = field(default_factory=dict)
    _rest: dict[Path, _Item] = field(default_factory=dict)

    @classmethod
    def of(cls, texts: Mapping[Path, str]) -> Items:
        """The items of files by their paths. A text that is not in the grammar is one item."""
        made = cls()
        for path, text in texts.items():
            made._add(path, text)
        return made

    def _add(self, path: Path, text: str) -> None:
        named = self._named[path] = {}
        self._rest[path] = _Item("", frozenset())
        try:
            tree = tree_of(Source(path.name, text))
        except SpecificationError:
            self._rest[path] = _Item(text, frozenset())
            return
        for item in tree.children:
            assert isinstance(item, Tree)
            said = _Item(_plain(text[item.meta.start_pos : item.meta.end_pos]), _words(item))
            name = next((str(t) for t in item.children if isinstance(t, Token)), "")
            # What has no name, such as `use` and `types`, counts for all items of the file.
            if item.data in _NAMED and name:
                # Two of one name, each for a family, are one.
                named[name] = said.with_(named.get(name))
            else:
                self._rest[path] = said.with_(self._rest[path])

    def digest(self, path: Path, name: str, among: Iterable[Path], operators: Mapping[str, Iterable[Path]]) -> str:
        """A hash of an item of a file and of all that it rests on; of the whole file where it has none of that name.

        It may rest on items of the files `among`, and always does on what they say beside these; `operators` says in
        which files the operator of a name is.
        """
        places = list(among)
        begun: Iterable[str] = self._named[path]
        if name in self._named[path]:
            begun = [name]
        todo = [(path, n) for n in begun]
        # All that files say beside their named items counts: `types`, `use`, clauses. It has the name "" here.
        todo += ((p, "") for p in places)
        seen: dict[tuple[Path, str], str] = {}
        while todo:
            place = todo.pop()
            if place in seen:
                continue
            item = self._item(*place)
            seen[place] = item.text
            for word in item.words:
                todo += ((p, word) for p in places if word in self._named[p])
                for p in operators.get(word, ()):
                    if p in places:
                        todo += ((p, n) for n in self._named[p])
        rows = sorted((p.as_posix(), n, text) for (p, n), text in seen.items())
        return hashlib.sha256(repr(rows).encode("utf-8", "surrogatepass")).hexdigest()

    def _item(self, path: Path, name: str) -> _Item:
        if not name:
            return self._rest[path]
        return self._named[path][name]


def _plain(text: str) -> str:
    """The text without comments, and with single blanks, but for what is quoted."""
    # So a comment, or a line that was wrapped, forgets no answer.
    return _PARTS.sub(lambda found: found[1] or " ", text).strip()
