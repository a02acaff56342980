"""The outline of a formal text: its header, below that its items, below a version what it changes; and the names that a
workspace declares."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import assert_never

from lsprotocol.types import DocumentSymbol, Location, Range, SymbolKind, WorkspaceSymbol

from sonnx_verify.errors import UserError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.parser import items_of, place_of
from sonnx_verify.language.places import installed_library
from sonnx_verify.lsp.documents import Desk, Document, uri_of
from sonnx_verify.lsp.names import Formal
from sonnx_verify.lsp.symbols import of_file
from sonnx_verify.sources import Source, Span

_MOST = 200
"""The most names that a search gives: an editor shows few, and asks again with each letter."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """An item of the outline: its name, what is said beside it, its kind."""

    name: str
    detail: str
    kind: SymbolKind


@dataclass(frozen=True, slots=True)
class _Placed:
    """An entry with the characters that its item has, and the place that its name is shown at."""

    entry: _Entry
    start: int
    end: int
    head: Span
    opens: bool
    """True if the items behind it stand below it: a header, or a version."""


def outline(desk: Desk, document: Document) -> list[DocumentSymbol]:
    """The outline of a formal text; of one that cannot be read as it was read last, at the places of now."""
    formal = Formal.of(desk, document)
    if formal is None:
        return []
    try:
        items = items_of(Source(document.shown, formal.text))
    except UserError:
        return []
    placed = list(_placed(items, formal.text))
    found: list[DocumentSymbol] = []
    above: list[list[DocumentSymbol]] = [found]
    for number, one in enumerate(placed):
        end = one.end
        if one.opens:
            # To the end of the last item that stands below it.
            closing = (n for n in range(number + 1, len(placed)) if _closes(placed[n], one))
            end = placed[next(closing, len(placed)) - 1].end
            above = above[: 1 if _is_header(one) else 2]
        symbol = _symbol(formal, one, end)
        if symbol is None:
            continue
        above[-1].append(symbol)
        if one.opens:
            below: list[DocumentSymbol] = []
            symbol.children = below
            above.append(below)
    return found


def _is_header(one: _Placed) -> bool:
    return one.entry.kind in (SymbolKind.Class, SymbolKind.Module, SymbolKind.Namespace)


def _closes(other: _Placed, one: _Placed) -> bool:
    return other.opens and not _is_header(one)


def _symbol(formal: Formal, one: _Placed, end: int) -> DocumentSymbol | None:
    lines = formal.document.lines
    (first, column), (last, behind) = formal.place(one.start), formal.place(end)
    now, until = formal.moved.line(first), formal.moved.line(last)
    if now is None or until is None:
        return None
    whole = Range(lines.position(now, column), lines.position(until, behind))
    head = Span(one.head.source, now, one.head.column, 1)
    rest = len(lines.line(now)) - one.head.column + 1
    width = max(1, min(one.head.length, rest))
    selected = Range(lines.position(now, head.column), lines.position(now, head.column + width))
    return DocumentSymbol(one.entry.name, one.entry.kind, whole, selected, one.entry.detail or None)


def _placed(items: list[s.Item], text: str) -> Iterator[_Placed]:
    """The items that have an entry, each up to the next one; what follows it in comments is left out."""
    spans = [place_of(item) for item in items]
    starts = [_start(span, text) for span in spans]
    for item, span, start, end in zip(items, spans, starts, [*starts[1:], len(text)], strict=True):
        entry = _entry(item)
        if entry is not None:
            stop = start + len(_without_comments(text[start:end]))
            opens = isinstance(item, s.Header | s.Difference)
            yield _Placed(entry, min(start, span.start), max(stop, span.start + 1), span, opens)


def _start(span: Span, text: str) -> int:
    """The beginning of an item. The place of a declaration is that of its name, and its line begins with `input`."""
    line = text.rfind("\n", 0, span.start) + 1
    before = text[line : span.start]
    if re.fullmatch(r"\s*(?:\w+\s+)*", before):
        return line + len(before) - len(before.lstrip())
    return span.start


def _without_comments(text: str) -> str:
    lines = text.rstrip().split("\n")
    while len(lines) > 1 and (not lines[-1].strip() or lines[-1].lstrip().startswith("--")):
        lines.pop()
    return "\n".join(lines).rstrip()


def _entry(item: s.Item) -> _Entry | None:
    match item:
        case s.Header():
            return _of_header(item)
        case s.Clause() | s.Let() | s.Rule():
            return _of_statement(item)
        case s.Declares():
            return _Entry(item.declaration.name, f"{item.role} : {item.declaration.type}", SymbolKind.Field)
        case s.Definition():
            given = ", ".join(f"{p.name} : {p.type}" for p in item.parameters)
            detail = _joined(f"({given}) : {item.result}", _for(item.family))
            return _Entry(item.name, detail, SymbolKind.Function)
        case s.OrderDefinition():
            return _Entry(item.name, f"order on {item.family}", SymbolKind.Operator)
        case s.Theorem():
            return _Entry(item.name, item.title, SymbolKind.Method)
        case s.Example():
            return _Entry(item.name, _joined("example", _for(item.family), item.title), SymbolKind.Object)
        case s.Undefined():
            return _Entry(item.name, "undefined", SymbolKind.Function)
        case s.Types():
            return _Entry(item.name, " ".join(item.members), SymbolKind.TypeParameter)
        case s.Fact() | s.General():
            return _Entry(item.name, item.title, SymbolKind.Constant)
        case s.Difference():
            return _Entry(_joined(f"version {item.version}", item.text), "", SymbolKind.Package)
        case s.AddItem() | s.ReplaceItem() | s.RemoveItem() | s.RemoveTypes() | s.MoveAttribute():
            return _of_change(item)
        case s.Use() | s.Refines() | s.Page() | s.Using() | s.Reading() | s.Indices() | s.Expectation():
            return None
        case _:
            assert_never(item)


def _of_statement(item: s.Clause | s.Let | s.Rule) -> _Entry:
    match item:
        case s.Clause():
            kind = SymbolKind.Key
            if item.kind is s.ClauseKind.ERROR:
                kind = SymbolKind.Event
            return _Entry(f"[{item.tags}]", _joined(item.kind, _for(item.family), item.title), kind)
        case s.Let():
            return _Entry(item.name, _joined("let", _for(item.family)), SymbolKind.Variable)
        case s.Rule():
            return _Entry(_joined(item.what, item.output), _joined(_for(item.family), item.title), SymbolKind.Property)


def _of_header(item: s.Header) -> _Entry:
    match item.kind:
        case s.FileKind.LIBRARY:
            return _Entry(item.name, item.title, SymbolKind.Module)
        case s.FileKind.THEORY:
            return _Entry(item.name, item.title, SymbolKind.Namespace)
        case _:
            return _Entry(f"{item.name}-{item.version}", f"operator, {item.kind}", SymbolKind.Class)


def _of_change(item: s.Change) -> _Entry | None:
    match item:
        case s.AddItem() | s.ReplaceItem():
            word = "replaces"
            if isinstance(item, s.AddItem):
                word = "adds"
            inner = _entry(item.item)
            if inner is None:
                return None
            return _Entry(inner.name, _joined(word, inner.detail), inner.kind)
        case s.RemoveItem():
            return _Entry(item.name, f"removes {item.kind}", SymbolKind.Null)
        case s.RemoveTypes():
            return _Entry(item.types.name, "removes types", SymbolKind.Null)
        case s.MoveAttribute():
            return _Entry(item.declaration.name, "becomes an input", SymbolKind.Field)
        case _:
            assert_never(item)


def _for(family: str) -> str:
    if not family:
        return ""
    return f"for {family}"


def _joined(*parts: str) -> str:
    return " ".join(part for part in parts if part)


def search(desk: Desk, query: str) -> list[WorkspaceSymbol]:
    """The names that the projects of the open folders declare, and that have the letters of a query in their order."""
    found: dict[tuple[str, Path], WorkspaceSymbol] = {}
    for folder in desk.folders or [installed_library()]:
        for name, detail, kind, path, span in _names(desk, folder):
            if _fits(query.lower(), name.lower()) and (name, path) not in found and len(found) < _MOST:
                where = desk.lines(path).range(Span(span.source, span.line, span.column, 1))
                found[name, path] = WorkspaceSymbol(Location(uri_of(path), where), name, kind, container_name=detail)
    return list(found.values())


def _names(desk: Desk, folder: Path) -> Iterator[tuple[str, str, SymbolKind, Path, Span]]:
    kinds = {
        "theorem": SymbolKind.Method,
        "axiom": SymbolKind.Method,
        "fact": SymbolKind.Constant,
        "general restriction": SymbolKind.Constant,
    }
    for unit in desk.project(folder).units:
        file = unit.file
        if file is None:
            continue
        if file.version is not None and file.span is not None:
            yield unit.operator, file.kind, SymbolKind.Class, unit.path, file.span
        for symbol in of_file(file, unit.path, shared=True):
            if symbol.span is not None:
                kind = kinds.get(symbol.what, SymbolKind.Function)
                yield symbol.name, unit.path.stem, kind, unit.path, symbol.span


def _fits(query: str, name: str) -> bool:
    letters = iter(name)
    return all(letter in letters for letter in query)
