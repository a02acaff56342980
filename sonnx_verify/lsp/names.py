"""What the names at a place of a formal text mean."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from sonnx_verify.errors import Span, UserError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.kinds import BOOL, INDEX, Kind, Kinds, of_declaration, of_type
from sonnx_verify.language.project import Project
from sonnx_verify.lsp.documents import Desk, Document
from sonnx_verify.lsp.positions import Moved, Place
from sonnx_verify.lsp.symbols import Symbol, items_of, of_file

_WORD = re.compile(r"[A-Za-z_]\w*")
_TAG = re.compile(r"\[[A-Za-z_][\w., ]*\]")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a line: the columns, counted from 1, from which and before which it stands."""

    text: str
    start: int
    end: int


def is_said(line: str, column: int) -> bool:
    """Whether a column of a formal text is within a sentence or a comment, whose words are no names."""
    before = line[: column - 1]
    return before.count('"') % 2 == 1 or "--" in before.split('"')[-1]


def word_at(line: str, column: int) -> Word | None:
    """The name at a column, or just before it; a tag in brackets where it is within one that begins a line."""
    if (tag := _TAG.match(line.strip())) and (start := line.index("[")) < column <= start + len(tag[0]) + 1:
        inner = _nearest(_WORD, line, column, start + len(tag[0]))
        return inner or Word(tag[0].strip("[]"), start + 1, start + len(tag[0]) + 1)
    return _nearest(_WORD, line, column, len(line))


def _nearest(pattern: re.Pattern[str], line: str, column: int, end: int) -> Word | None:
    found = [m for m in pattern.finditer(line, 0, end) if m.start() < column <= m.end() + 1]
    return Word(found[-1][0], found[-1].start() + 1, found[-1].end() + 1) if found else None


@dataclass
class Formal:
    """A formal text with what it can use, for questions about places in it. `tree` may be that of an earlier text."""

    desk: Desk
    document: Document
    tree: s.File
    text: str

    @classmethod
    def of(cls, desk: Desk, document: Document) -> Formal | None:
        """None where it never could be read."""
        known = desk.tree(document)
        return None if known is None else cls(desk, document, *known)

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
        for let in (item for item in items_of(self.tree) if isinstance(item, s.Let)):
            kind = kinds.of(let.body)
            kinds = kinds.having({let.name: kind})
            found[let.name] = Symbol(let.name, "let", _shown(kind), "", self.document.path, let.span, kind)
        return found

    @cached_property
    def results(self) -> Kinds:
        """The kinds of what definitions, orders and operators give."""
        operators = {f.name: f for u in self.project.units if (f := u.file) is not None and f.outputs}
        results = {name: of_declaration(file.outputs[0]) for name, file in operators.items()}
        for file in (*(f for _, f in self.used), self.tree):
            results |= {d.name: of_type(d.result) for d in file.definitions}
            results |= {u.name: of_type(u.result) for u in file.undefined}
            results |= dict.fromkeys((o.name for o in file.orders), BOOL)
        return Kinds({}, results)

    def symbol(self, name: str, place: Place) -> Symbol | None:
        """What a name means at a place of the tree's text."""
        local = self.locals(place)
        return local.get(name) or self.known.get(name) or self.operator(name)

    def operator(self, name: str, namespace: str = "", version: int | None = None) -> Symbol | None:
        """The operator of a name, if there is one."""
        with suppress(UserError):
            unit = (
                self.project.find(namespace, name, version) if namespace else self.project.operator(name)
            ) or self.project.find("onnx", name, version)
            if unit is not None and unit.file is not None:
                made = ", ".join(f"{d.name} : {of_declaration(d)}" for d in unit.file.inputs)
                kind = f"({made})"
                return Symbol(name, f"operator {unit.operator}", kind, unit.file.title, unit.path, unit.file.span)
        return None

    def locals(self, place: Place) -> dict[str, Symbol]:
        """The names that are bound around a place, the innermost of each name."""
        found: dict[str, Symbol] = {}
        kinds = self.results.having(_values(self.known))
        offset = self._offset(place)

        def bind(name: str, what: str, kind: Kind | None, span: Span) -> None:
            found[name] = Symbol(name, what, _shown(kind), "", self.document.path, span, kind)

        item = next((i for i in items_of(self.tree) if self._holds(i, offset)), None)
        match item:
            case s.Definition():
                for one in item.parameters:
                    bind(one.name, "parameter", of_declaration(one), one.span)
            case s.Rule() if item.index:
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
        for node in self._path(item, offset):
            binders = s.bound_by(node)
            for binder in binders.binders if binders is not None else ():
                kind = kinds.member(binder.domain)
                kinds = kinds.having({binder.name: kind})
                bind(binder.name, "bound", kind, binder.span)
        return found

    def expression(self, place: Place) -> tuple[s.Node, Kind] | None:
        """The smallest expression around a place that is more than a name, with its kind."""
        offset = self._offset(place)
        item = next((i for i in items_of(self.tree) if self._holds(i, offset)), None)
        kinds = self.results.having(_values({**self.known, **self.locals(place)}))
        for node in reversed(self._path(item, offset)):
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
        starts = [0]
        for line in self.text.split("\n"):
            starts.append(starts[-1] + len(line) + 1)
        return starts

    def _offset(self, place: Place) -> int:
        return self._starts[min(place[0], len(self._starts)) - 1] + place[1] - 1

    def _extent(self, span: Span) -> tuple[int, int]:
        start = self._offset((span.line, span.column))
        return start, start + span.length

    def _holds(self, item: Any, offset: int) -> bool:
        spans = [node.span for node in _nodes(item)]
        if isinstance(getattr(item, "span", None), Span):
            spans.append(item.span)
        extents = [self._extent(span) for span in spans]
        return bool(extents) and min(a for a, _ in extents) <= offset <= max(b for _, b in extents)

    def _path(self, item: Any, offset: int) -> list[s.Part]:
        """The expressions of an item around a place, the outermost first."""
        found: list[s.Part] = []
        level = _nodes(item) if item is not None else []
        while level:
            inside = [n for n in level if self._extent(n.span)[0] <= offset <= self._extent(n.span)[1]]
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
    return "" if kind is None or not kind.is_whole else str(kind)


def _nodes(item: Any) -> list[s.Part]:
    """The outermost expressions in an item, in the order of the text."""
    if isinstance(item, s.KINDS):
        return [item]
    if isinstance(item, tuple | list):
        return [node for one in item for node in _nodes(one)]
    if is_dataclass(item) and not isinstance(item, Span):
        return [node for f in fields(item) for node in _nodes(getattr(item, f.name))]
    return []
