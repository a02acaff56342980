"""The place where the thing under the cursor is declared; of a clause its sentence on the page, and the other way."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from lsprotocol.types import Location, Position, Range

from sonnx_verify.errors import UserError
from sonnx_verify.lsp.documents import Desk, Document, uri_of
from sonnx_verify.lsp.names import Formal, is_said, word_at
from sonnx_verify.lsp.pairs import clauses_of, family_at, formal_beside, page_beside, tag_at, tags_of
from sonnx_verify.lsp.positions import Place
from sonnx_verify.lsp.symbols import Symbol
from sonnx_verify.pages.reading.read import page_from
from sonnx_verify.sources import Span


def definition(desk: Desk, document: Document, place: Place) -> list[Location]:
    """The locations to go to from a place."""
    if not document.is_formal:
        return list(_of_page(desk, document, place))
    formal = Formal.of(desk, document)
    if formal is None:
        return []
    return list(_of_formal(desk, formal, place))


def _of_formal(desk: Desk, formal: Formal, place: Place) -> Iterator[Location]:
    line = formal.document.lines.line(place[0])
    before = formal.before(place)
    if (page := _page_named(formal, before)) is not None:
        yield Location(uri_of(page), Range(Position(0, 0), Position(0, 0)))
        return
    if is_said(line, place[1]):
        return
    word = word_at(line, place[1])
    if word is None or formal.is_word(word, before):
        return
    # `refines onnx.Max-13`: in that line both words mean the standard, elsewhere `Max` may be this very operator.
    refines = formal.tree.refines
    if refines is not None and before[0] == refines.span.line and word.text in (refines.namespace, refines.operator):
        yield from _at(desk, formal, formal.operator(refines.operator, refines.namespace, refines.version))
        return
    symbol = formal.symbol(word.text, before)
    if symbol is not None and symbol.span is not None and symbol.path == formal.document.path:
        families = {c.family for c in clauses_of(formal.tree, word.text) if c.span.line == before[0]}
        if families:  # at the clause itself
            yield from _on_page(desk, formal, word.text, families)
            return
    yield from _at(desk, formal, symbol)


def _on_page(desk: Desk, formal: Formal, name: str, families: set[str]) -> Iterator[Location]:
    """The tags on the page that stand for a clause of some families."""
    page = page_beside(desk, formal)
    if page is None or page.path is None:
        return
    lines = desk.lines(page.path)
    for family in families:
        for tag, _ in tags_of(page, name, family):
            yield Location(uri_of(page.path), lines.range(tag.span))


def _page_named(formal: Formal, place: Place) -> Path | None:
    """The page, where the place is in the name of it."""
    page = formal.tree.page
    if page is None or formal.document.file is None:
        return None
    if place[0] != page.span.line or place[1] < page.span.column:
        return None
    path = formal.document.file.parent / page.name
    # A name that no file system takes.
    with suppress(OSError, ValueError):
        if path.is_file():
            return path
    return None


def _of_page(desk: Desk, document: Document, place: Place) -> Iterator[Location]:
    beside = formal_beside(desk, document)
    if beside is None:
        return
    line = document.lines.line(place[0])
    # A tag may stand in several families of the page, each with a clause of its own: that of the section counts.
    if tag := tag_at(line, place[1]):
        page = page_from(document.shown, document.data, document.file)
        for clause in clauses_of(beside.formal.tree, tag, family_at(page, place[0])):
            yield _location(beside.formal, clause.span, beside.path)
        return
    word = word_at(line, place[1])
    if word is not None and (symbol := beside.formal.known.get(word.text)) is not None:
        yield from _at(desk, beside.formal, symbol)


def _at(desk: Desk, formal: Formal, symbol: Symbol | None) -> Iterator[Location]:
    if symbol is None or symbol.span is None or symbol.path is None:
        return
    if symbol.path == formal.document.path:
        yield _location(formal, symbol.span, symbol.path)
        return
    # The file may be gone since the name was looked up.
    with suppress(UserError):
        yield Location(uri_of(symbol.path), desk.lines(symbol.path).range(_first_line(symbol.span)))


def _location(formal: Formal, span: Span, path: Path) -> Location:
    """A place in the text that was read, as it is in the one that is open."""
    line = formal.moved.line(span.line) or span.line
    moved = _first_line(Span(span.source, line, span.column, span.length))
    uri = formal.document.uri  # as the client spelled it, which may be another spelling of the same file
    if path != formal.document.path:
        uri = uri_of(path)
    return Location(uri, formal.document.lines.range(moved))


def _first_line(span: Span) -> Span:
    """The first line of a span: an editor selects the range that it jumps to, and an item may be long."""
    rest = len(span.source.line(span.line)) - span.column + 1
    return Span(span.source, span.line, span.column, max(1, min(span.length, rest)))
