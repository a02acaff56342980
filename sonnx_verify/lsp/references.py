"""The places of a name: in its text, in the texts of its project, and, of a tag, on the page beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from lsprotocol.types import DocumentHighlight, DocumentHighlightKind, Location, Range

from sonnx_verify.errors import UserError
from sonnx_verify.language.places import files_of_project
from sonnx_verify.lsp.documents import Desk, Document, uri_of
from sonnx_verify.lsp.names import Formal
from sonnx_verify.lsp.occurrences import Meaning, Occurrence, Space, occurrences
from sonnx_verify.lsp.pairs import TAG, formal_beside, tag_at
from sonnx_verify.lsp.positions import Place
from sonnx_verify.paths import resolved

_WITHIN = frozenset((Space.LOCAL, Space.TAG, Space.FAMILY, Space.EXAMPLE))
"""The kinds of things that no other text can name."""


@dataclass(frozen=True, slots=True)
class Named:
    """The name at a place: the text that it is in, and what it stands for; `start` is its first character there, or -1
    if the place is on a page."""

    formal: Formal
    meaning: Meaning
    start: int = -1

    @property
    def shared(self) -> bool:
        """Return whether other texts may have the name."""
        if self.meaning.space is Space.VALUE:
            # `Op(X with axis = 0)` and `refines ... with X = data_0` name what an operator declares, and no `let`.
            tree = self.formal.tree
            return self.meaning.name in [d.name for d in (*tree.inputs, *tree.outputs, *tree.attributes)]
        return self.meaning.space not in _WITHIN


def named_at(desk: Desk, document: Document, place: Place) -> Named | None:
    """The name at a place of a formal text, or the tag at a place of a page; None where there is none."""
    if not document.is_formal:
        beside = formal_beside(desk, document)
        tag = tag_at(document.lines.line(place[0]), place[1])
        if beside is None or not tag:
            return None
        meaning = Meaning(Space.TAG, tag, resolved(beside.path))
        if any(one.meaning == meaning for one in occurrences(beside.formal)):
            return Named(beside.formal, meaning)
        return None
    formal = Formal.of(desk, document)
    if formal is None:
        return None
    offset = formal.offset(formal.before(place))
    # Of two that meet, as in `[C1]` before its closing bracket, the later one; a cursor often stands behind a name.
    found = [one for one in occurrences(formal) if one.start <= offset <= one.end]
    if not found:
        return None
    return Named(formal, found[-1].meaning, found[-1].start)


def highlights(desk: Desk, document: Document, place: Place) -> list[DocumentHighlight]:
    """The places of the name at a place within its document."""
    named = named_at(desk, document, place)
    if named is None:
        return []
    if not document.is_formal:
        return [DocumentHighlight(where, DocumentHighlightKind.Read) for where in on_page(document, named.meaning.name)]
    found = []
    for one in occurrences(named.formal):
        where = range_of(named.formal, one)
        if one.meaning == named.meaning and where is not None:
            kind = DocumentHighlightKind.Read
            if one.declares:
                kind = DocumentHighlightKind.Write
            found.append(DocumentHighlight(where, kind))
    return found


def references(desk: Desk, document: Document, place: Place, *, declaration: bool) -> list[Location]:
    """The places of the name at a place, in all texts; those where it is declared only if they are asked for."""
    named = named_at(desk, document, place)
    if named is None:
        return []
    found: dict[tuple[str, int, int], Location] = {}
    for formal, those in everywhere(desk, named):
        for one in those:
            where = range_of(formal, one)
            if where is not None and (declaration or not one.declares):
                key = formal.document.uri, where.start.line, where.start.character
                found[key] = Location(formal.document.uri, where)
    if named.meaning.space is Space.TAG:
        for page in pages_of(desk, named.formal):
            for where in on_page(page, named.meaning.name):
                found[page.uri, where.start.line, where.start.character] = Location(page.uri, where)
    return list(found.values())


def everywhere(desk: Desk, named: Named) -> Iterator[tuple[Formal, list[Occurrence]]]:
    """The texts that have a name, each with its places there."""
    for formal in texts_with(desk, named):
        those = [one for one in occurrences(formal) if one.meaning == named.meaning]
        if those:
            yield formal, those


def texts_with(desk: Desk, named: Named) -> Iterator[Formal]:
    """The texts that may have a name: its own first, then all that have the word, if others can see the name."""
    yield named.formal
    if not named.shared:
        return
    word = re.compile(rf"\b{re.escape(named.meaning.name)}\b")
    own = resolved(named.formal.document.path)
    # The word of `use` is the name of the file, that of a library need not be.
    also = re.compile(rf"\buse\s+{re.escape(named.meaning.path.stem)}\b")
    for path in candidates(desk, named):
        if path == own:
            continue
        document = document_of(desk, path, named.formal.document.root)
        if document is None:
            continue
        text = document.lines.plain
        if not word.search(text) and not (named.meaning.space is Space.LIBRARY and also.search(text)):
            continue
        formal = Formal.of(desk, document)
        if formal is not None:
            # Opened once: each look for a project reads all of its texts.
            formal.project = named.formal.project
            yield formal


def candidates(desk: Desk, named: Named) -> list[Path]:
    """The files that may name what another one declares: those of the project, what is open, and those beside it."""
    root = named.formal.document.root
    found = {resolved(path) for path in files_of_project(root)}
    found |= {resolved(one.file) for one in desk.open.values() if one.is_formal and one.file is not None}
    for path in (named.meaning.path, named.formal.document.path):
        with suppress(OSError):
            found |= {resolved(other) for other in path.parent.glob("*.sonnx")}
    return sorted(found)


def document_of(desk: Desk, path: Path, root: Path) -> Document | None:
    """A file as the editor has it, or as it is written; None where it cannot be read."""
    document = desk.at(path)
    if document is not None:
        return document
    with suppress(UserError):
        return Document(uri_of(path), "sonnx", None, desk.lines(path), root, path)
    return None


def pages_of(desk: Desk, formal: Formal) -> Iterator[Document]:
    """The page that a formal text names, or that has its name."""
    file = formal.document.file
    if file is None:
        return
    path = file.with_suffix(".md")
    if formal.tree.page is not None:
        path = file.parent / formal.tree.page.name
    open_one = desk.at(path)
    if open_one is not None:
        yield open_one
        return
    with suppress(UserError, OSError, ValueError):
        if path.is_file():
            yield Document(uri_of(path), "markdown", None, desk.lines(path), formal.document.root, path)


def on_page(page: Document, tag: str) -> Iterator[Range]:
    """The places of a tag on a page, in brackets, sentences, links and anchors."""
    lines = page.lines
    for number in range(1, len(lines.lines) + 1):
        for found in TAG.finditer(lines.line(number)):
            if found[0] == tag:
                start, end = found.start() + 1, found.end() + 1
                yield Range(lines.position(number, start), lines.position(number, end))


def range_of(formal: Formal, one: Occurrence) -> Range | None:
    """The place of a name in the text that is open; None if its line was edited since the text could be read."""
    line, column = formal.place(one.start)
    now = formal.moved.line(line)
    if now is None:
        return None
    lines = formal.document.lines
    return Range(lines.position(now, column), lines.position(now, column + len(one.name)))
