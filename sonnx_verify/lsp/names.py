"""The meaning of the names at a place of a formal text.

A text that is being typed is rarely right, so nothing here is an error: what cannot be read or typed is left out, and
places of the open text are looked for in the last one that could be parsed.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

from sonnx_verify.errors import UserError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.kinds import BOOL, INDEX, INT, Kind, Kinds, of_declaration, of_type
from sonnx_verify.language.parser import tree_of
from sonnx_verify.language.project import Project
from sonnx_verify.language.words import CONTEXTUAL, KEYWORDS, tokens_of
from sonnx_verify.lsp.documents import Desk, Document
from sonnx_verify.lsp.positions import Moved, Place
from sonnx_verify.lsp.symbols import Symbol, items_of, of_file
from sonnx_verify.sources import Source, Span

_WORD = re.compile(r"[A-Za-z_]\w*")
_TAG = re.compile(r"\[[A-Za-z_][\w., ]*\]")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a line: the columns, counted from 1, from which and before which it stands."""

    text: str
    start: int
    end: int


def is_said(line: str, column: int) -> bool:
    """True if a column of a formal text is within a sentence or a comment, whose words are no names."""
    # Neither goes over a line, and `--` within quotes begins no comment.
    before = line[: column - 1]
    return before.count('"') % 2 == 1 or "--" in before.split('"')[-1]


def word_at(line: str, column: int) -> Word | None:
    """The name at a column, or just before it; a tag in brackets where it is within one that begins a line."""
    tag = _TAG.match(line.strip())
    if tag is not None:
        start = line.index("[")
        end = start + len(tag[0])
        if start < column <= end + 1:
            # `[C1, C2]` has a word at each of its tags, and at the comma stands for both.
            return _nearest(line, column, end) or Word(tag[0].strip("[]"), start + 1, end + 1)
    return _nearest(line, column, len(line))


def _nearest(line: str, column: int, end: int) -> Word | None:
    """The word at a column, of two that meet there the later one."""
    found = [m for m in _WORD.finditer(line, 0, end) if m.start() < column <= m.end() + 1]
    if not found:
        return None
    return Word(found[-1][0], found[-1].start() + 1, found[-1].end() + 1)


@dataclass
class Formal:
    """A formal text with what it can use, for questions about places in it. `tree` may be that of an earlier text."""

    desk: Desk
    document: Document
    tree: s.File
    text: str

    @classmethod
    def of(cls, desk: Desk, document: Document) -> Formal | None:
        """The text of a document; None if it never could be read."""
        known = desk.tree(document)
        if known is None:
            return None
        return cls(desk, document, *known)

    @cached_property
    def project(self) -> Project:
        """The project around it."""
        return self.desk.project(self.document.root)

    @cached_property
    def used(self) -> list[tuple[Path, s.File]]:
        """The libraries that it uses, and those that they use; what cannot be read is left out."""
        found: dict[Path, s.File] = {}

        def add(path: Path, file: s.File) -> None:
            for use in file.uses:
                # Each by itself: of a library that is missing the others are still known.
                with suppress(UserError):
                    other = self.project.files.library(path, use.name, use.span)
                    if other not in found:
                        found[other] = self.project.files.read(other)
                        add(other, found[other])

        add(self.document.path, self.tree)
        return list(found.items())

    @cached_property
    def known(self) -> dict[str, Symbol]:
        """All that has a name everywhere in it. A name of its own goes before one of a library."""
        found: dict[str, Symbol] = {}
        for path, file in self.used:
            found |= {symbol.name: symbol for symbol in of_file(file, path, shared=True)}
            found[file.name] = Symbol(file.name, file.kind, "", file.title, path, file.span)
        for symbol in of_file(self.tree, self.document.path, shared=False):
            found[symbol.name] = symbol
        kinds = self.results.having(_values(found))
        # In the order of the text: a let may use those above it.
        for let in (item for item in items_of(self.tree) if isinstance(item, s.Let)):
            kind = kinds.of(let.body)
            kinds = kinds.having({let.name: kind})
            found[let.name] = Symbol(let.name, "let", _shown(kind), "", self.document.path, let.span, kind)
        return found

    @cached_property
    def results(self) -> Kinds:
        """The kinds of the results of definitions, orders and operators."""
        results: dict[str, Kind] = {}
        for unit in self.project.units:
            # A call of an operator stands for its first output.
            if unit.file is not None and unit.file.outputs:
                results[unit.file.name] = of_declaration(unit.file.outputs[0])
        # The text last, whose names hide those of libraries.
        for file in (*(file for _, file in self.used), self.tree):
            results |= {d.name: of_type(d.result) for d in file.definitions}
            results |= {u.name: of_type(u.result) for u in file.undefined}
            results |= dict.fromkeys((o.name for o in file.orders), BOOL)
        return Kinds({}, results)

    def symbol(self, name: str, place: Place) -> Symbol | None:
        """The meaning of a name at a place of the tree's text."""
        local = self.locals(place)
        return local.get(name) or self.known.get(name) or self.operator(name)

    def operator(self, name: str, namespace: str = "", version: int | None = None) -> Symbol | None:
        """The operator of a name, if there is one."""
        unit = None
        with suppress(UserError):
            unit = self.project.find(namespace, name, version) if namespace else self.project.operator(name)
            # The standard has operators that no profile has yet.
            unit = unit or self.project.find("onnx", name, version)
        if unit is None or unit.file is None:
            return None
        made = ", ".join(f"{d.name} : {of_declaration(d)}" for d in unit.file.inputs)
        return Symbol(name, f"operator {unit.operator}", f"({made})", unit.file.title, unit.path, unit.file.span)

    def locals(self, place: Place) -> dict[str, Symbol]:
        """The names that are bound around a place, the innermost of each name."""
        found: dict[str, Symbol] = {}
        kinds = self.results.having(_values(self.known))
        offset = self.offset(place)

        def bind(name: str, what: str, kind: Kind | None, span: Span) -> None:
            found[name] = Symbol(name, what, _shown(kind), "", self.document.path, span, kind)

        item = self._item_at(offset)
        match item:
            case s.Definition():
                for one in item.parameters:
                    bind(one.name, "parameter", of_declaration(one), one.span)
            case s.Rule():
                if item.number:
                    bind(item.number, "number of a member", INT, item.span)
                if item.index:
                    bind(item.index, "index", INDEX, item.span)
            case s.OrderDefinition():
                for name in (item.x, item.y):
                    bind(name, "element", Kind("T"), item.span)
            case s.Theorem():
                for one in item.declarations:
                    bind(one.name, "for every", of_declaration(one), one.span)
                for taken in item.taken:
                    bind(taken.name, "take", kinds.having(_values(found)).of(taken.body), taken.span)
        kinds = kinds.having(_values(found))
        # From the outside in: `for all k in 0 .. n : for all k in 0 .. m : ...` means the second k inside.
        for node in self._path(item, offset):
            binders = s.bound_by(node)
            if binders is None:
                continue
            for binder in binders.binders:
                kind = kinds.member(binder.domain)
                kinds = kinds.having({binder.name: kind})
                bind(binder.name, "bound", kind, binder.span)
        return found

    def expression(self, place: Place) -> tuple[s.Node, Kind] | None:
        """The smallest expression around a place that is more than a name, with its kind."""
        offset = self.offset(place)
        kinds = self.results.having(_values({**self.known, **self.locals(place)}))
        for node in reversed(self._path(self._item_at(offset), offset)):
            # Parts of a syntax tree that are no expressions: `0 .. n` has no kind, its ends have.
            if isinstance(node, s.Range | s.Binder | s.Binders | s.Default | s.Setting):
                continue
            kind = kinds.of(node)
            if kind is not None and kind.is_whole:
                return node, kind
        return None

    # -------------------------------------------------------------------------------------------------- places

    @cached_property
    def moved(self) -> Moved:
        """From the text of the tree to the one that is open."""
        return Moved.between(self.text, self.document.lines.plain)

    def before(self, place: Place) -> Place:
        """A place of the open text in that of the tree: the same line where it is among what was edited."""
        back = Moved.between(self.document.lines.plain, self.text)
        return (back.line(place[0]) or place[0], place[1])

    @cached_property
    def _starts(self) -> list[int]:
        # Spans have lines and columns; only as offsets do spans over several lines compare.
        starts = [0]
        for line in self.text.split("\n"):
            starts.append(starts[-1] + len(line) + 1)
        return starts

    def offset(self, place: Place) -> int:
        """The number of characters before a place of the tree's text."""
        return self._starts[min(place[0], len(self._starts)) - 1] + place[1] - 1

    def place(self, offset: int) -> Place:
        """The place of a character of the tree's text, by its number."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def _extent(self, span: Span) -> tuple[int, int]:
        start = self.offset((span.line, span.column))
        return start, start + span.length

    def is_word(self, word: Word, place: Place) -> bool:
        """True for a word of the language at a place of the tree's text: an input may be called `input`."""
        if word.text not in KEYWORDS | CONTEXTUAL:
            return False
        offset = self.offset((place[0], word.start))
        return offset not in self._names

    @cached_property
    def _names(self) -> set[int | None]:
        """The beginnings of the names in the text of the tree."""
        tokens = tokens_of(tree_of(Source(self.document.shown, self.text)))
        return {token.start_pos for token in tokens if token.type == "NAME"}

    def _item_at(self, offset: int) -> Any:
        """The item of the text around a place."""
        return next((item for item in items_of(self.tree) if self._holds(item, offset)), None)

    def _holds(self, item: Any, offset: int) -> bool:
        # An item's own span may be that of its head alone, so its expressions count too.
        spans = [node.span for node in _nodes(item)]
        if isinstance(getattr(item, "span", None), Span):
            spans.append(item.span)
        if not spans:
            return False
        starts, ends = zip(*map(self._extent, spans), strict=True)
        return bool(min(starts) <= offset <= max(ends))

    def _is_inside(self, node: s.Part, offset: int) -> bool:
        start, end = self._extent(node.span)
        return start <= offset <= end

    def _path(self, item: Any, offset: int) -> list[s.Part]:
        """The expressions of an item around a place, the outermost first."""
        found: list[s.Part] = []
        level = _nodes(item)
        while level:
            inside = [node for node in level if self._is_inside(node, offset)]
            if not inside:
                break
            # Where two meet, the place belongs to the one that begins there.
            found.append(inside[-1])
            level = list(s.children(inside[-1]))
        return found


def _values(symbols: Mapping[str, Symbol]) -> dict[str, Kind | None]:
    """The kinds of the names that stand for values."""
    return {name: symbol.value for name, symbol in symbols.items() if symbol.value is not None}


def _shown(kind: Kind | None) -> str:
    """A kind as it is written, if all of it is known."""
    if kind is None or not kind.is_whole:
        return ""
    return str(kind)


def _nodes(item: Any) -> list[s.Part]:
    """The outermost expressions in an item, in the order of the text."""
    if isinstance(item, s.KINDS):
        return [item]
    inside: Iterable[Any] = ()
    if isinstance(item, tuple | list):
        inside = item
    elif is_dataclass(item) and not isinstance(item, Span):
        inside = (getattr(item, f.name) for f in fields(item))
    return list(chain.from_iterable(map(_nodes, inside)))
