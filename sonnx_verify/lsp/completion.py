"""The names and words that may be written at a place."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from lsprotocol.types import CompletionItem, CompletionItemKind, CompletionList

from sonnx_verify.language import syntax as s
from sonnx_verify.language.functions import CONVERSIONS, FUNCTIONS
from sonnx_verify.language.places import use_folders
from sonnx_verify.language.words import CONTEXTUAL, KEYWORDS, TYPES
from sonnx_verify.lsp.documents import Desk, Document
from sonnx_verify.lsp.hover import clause_line
from sonnx_verify.lsp.names import Formal, is_said
from sonnx_verify.lsp.pairs import clauses_of, formal_beside, page_beside
from sonnx_verify.lsp.positions import Place
from sonnx_verify.lsp.symbols import items_of
from sonnx_verify.pages.reading.read import page_from

_KINDS = {
    "define": CompletionItemKind.Function,
    "undefined": CompletionItemKind.Function,
    "order": CompletionItemKind.Function,
    "theorem": CompletionItemKind.Reference,
    "axiom": CompletionItemKind.Reference,
    "fact": CompletionItemKind.Property,
    "general restriction": CompletionItemKind.Constant,
    "library": CompletionItemKind.Module,
    "restriction": CompletionItemKind.Constant,
    "constraint": CompletionItemKind.Constant,
    "error": CompletionItemKind.Constant,
}


def completion(desk: Desk, document: Document, place: Place) -> CompletionList:
    """The items that fit a place, by the text before it on its line: what is being typed can rarely be parsed."""
    before = document.lines.line(place[0])[: place[1] - 1]
    if not document.is_formal:
        return _list_of(_on_page(desk, document, before))
    return _list_of(_in_formal(desk, document, place, before))


def _list_of(items: Iterable[CompletionItem]) -> CompletionList:
    """The items, of each label the first: an editor would show `input`, a name and a word, as two equal lines."""
    found: dict[str, CompletionItem] = {}
    for item in items:
        found.setdefault(item.label, item)
    return CompletionList(is_incomplete=False, items=list(found.values()))


def _in_formal(desk: Desk, document: Document, place: Place, before: str) -> Iterator[CompletionItem]:
    formal = Formal.of(desk, document)
    # No suggestions amid prose, where an editor would put one in at the next blank.
    if is_said(before, place[1]):
        return
    if re.match(r"\s*use\s+\w*$", before):
        yield from _libraries(document)
    # `types T = int8 in`, `tensor of fl`, `for A : te`.
    elif re.match(r"\s*types\b.*=\s*[\w ]*$", before) or re.search(r"\b(of|:)\s+\w*$", before):
        yield from (CompletionItem(t, kind=CompletionItemKind.TypeParameter) for t in sorted(TYPES | {"T", "tensor"}))
        if before.rstrip().endswith(":") or re.search(r":\s+\w+$", before):
            # A colon begins a type in a declaration, and a condition in a clause.
            yield from _words(formal, place)
    elif re.match(r"\s*\[[\w, ]*$", before):
        yield from _free_tags(desk, formal)
    else:
        yield from _words(formal, place)


def _words(formal: Formal | None, place: Place) -> Iterator[CompletionItem]:
    if formal is not None:
        at = formal.before(place)
        # A name that is bound here hides the one that the text declares.
        for symbol in {**formal.known, **formal.locals(at)}.values():
            kind = _KINDS.get(symbol.what, CompletionItemKind.Variable)
            yield CompletionItem(symbol.name, kind=kind, detail=symbol.line, documentation=symbol.title or None)
        for unit in formal.project.units:
            if unit.file is not None and unit.file.version is not None and unit.namespace in ("sonnx", "user"):
                detail = f"operator {unit.operator}"
                yield CompletionItem(unit.file.name, kind=CompletionItemKind.Class, detail=detail)
    for name in sorted(FUNCTIONS | CONVERSIONS):
        yield CompletionItem(name, kind=CompletionItemKind.Function, detail="of the language")
    yield from (CompletionItem(word, kind=CompletionItemKind.Keyword) for word in sorted(KEYWORDS | CONTEXTUAL))


def _libraries(document: Document) -> Iterator[CompletionItem]:
    for folder in use_folders(document.path, document.root):
        for path in sorted(folder.glob("*.sonnx")):
            if path != document.path:
                yield CompletionItem(path.stem, kind=CompletionItemKind.Module, detail=path.as_posix())


def _free_tags(desk: Desk, formal: Formal | None) -> Iterator[CompletionItem]:
    """The tags of the page that have no clause yet, and the next of each letter."""
    if formal is None:
        return
    taken = _tags_in(formal)
    page = page_beside(desk, formal)
    if page is not None:
        for tag in page.tags:
            if tag.name not in taken:
                yield CompletionItem(tag.name, kind=CompletionItemKind.Constant, detail=tag.statement.text)
    # Of n + 1 numbers one is free, if n tags are taken.
    for letter in "RCE":
        number = next(n for n in range(1, len(taken) + 2) if f"{letter}{n}" not in taken)
        yield CompletionItem(f"{letter}{number}", kind=CompletionItemKind.Constant, detail="the next one")


def _on_page(desk: Desk, document: Document, before: str) -> Iterator[CompletionItem]:
    """Tags after a bracket or a back-tick, anchors in a link."""
    page = page_from(document.shown, document.data, document.file)
    if re.search(r"\]\(#[\w-]*$", before):
        for name in page.anchors:
            yield CompletionItem(name, kind=CompletionItemKind.Reference)
        return
    if not re.search(r"[\[`]\w*$", before):
        return
    beside = formal_beside(desk, document)
    if beside is not None:
        formal = beside.formal
        yield from _tags((tag, clause_line(clauses_of(formal.tree, tag)[0])) for tag in _tags_in(formal))
    yield from _tags((tag.name, tag.statement.text) for tag in page.tags)


def _tags_in(formal: Formal) -> dict[str, None]:
    """The tags of the clauses of a text, each once, in its order."""
    tags: dict[str, None] = {}
    for item in items_of(formal.tree):
        if isinstance(item, s.Clause):
            tags |= dict.fromkeys(tag for tag in item.tags.split(",") if tag)
    return tags


def _tags(found: Iterable[tuple[str, str]]) -> Iterator[CompletionItem]:
    for name, said in found:
        yield CompletionItem(name, kind=CompletionItemKind.Constant, detail=said)
