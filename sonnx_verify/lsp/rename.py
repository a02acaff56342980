"""Renaming: edits of every text that has a name, or the reason why it keeps it.

The edits are made on a copy first. They are given away only if every text that has the old name or the new one can
still be read, and each name in it still stands for the same thing; so no edit can let one name capture another.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from lsprotocol.types import PrepareRenamePlaceholder, Range, TextEdit, WorkspaceEdit

from sonnx_verify.errors import UserError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.functions import CONVERSIONS, FUNCTIONS
from sonnx_verify.language.parser import items_of, parse
from sonnx_verify.language.places import installed_library, shown_as
from sonnx_verify.language.words import CONTEXTUAL, KEYWORDS, TYPES
from sonnx_verify.lsp.documents import Desk, Document
from sonnx_verify.lsp.names import Formal, is_said, word_at
from sonnx_verify.lsp.occurrences import Meaning, Occurrence, Space, occurrences
from sonnx_verify.lsp.pairs import TAG, tag_at
from sonnx_verify.lsp.positions import Lines, Place
from sonnx_verify.lsp.references import (
    Named,
    candidates,
    document_of,
    named_at,
    on_page,
    pages_of,
    range_of,
    texts_with,
)
from sonnx_verify.lsp.symbols import items_in
from sonnx_verify.paths import resolved

_RENAMED = frozenset((Space.VALUE, Space.FUNCTION, Space.THEOREM, Space.EXAMPLE, Space.TAG, Space.FACT, Space.LOCAL))
_RESERVED = KEYWORDS | CONTEXTUAL | TYPES | FUNCTIONS | CONVERSIONS | {"T"}
_NAME, _TAG = re.compile(r"[A-Za-z_]\w*"), re.compile(r"[A-Za-z_][\w.]*")
_OF_STANDARD = (s.FileKind.STANDARD, s.FileKind.PROFILE, s.FileKind.DRAFT)


class CannotRename(UserError):
    """A name that has to stay, or cannot become another one."""


def prepared(desk: Desk, document: Document, place: Place) -> PrepareRenamePlaceholder:
    """The name at a place, with its range. Raises CannotRename with the reason where it has to stay."""
    named = _renamable(desk, document, place)
    line = document.lines.line(place[0])
    if document.is_formal:
        one = next(o for o in occurrences(named.formal) if o.start == named.start)
        where = range_of(named.formal, one)
    else:
        found = next(m for m in TAG.finditer(line) if m.start() < place[1] <= m.end() + 1)
        lines = document.lines
        where = Range(lines.position(place[0], found.start() + 1), lines.position(place[0], found.end() + 1))
    assert where is not None
    return PrepareRenamePlaceholder(where, named.meaning.name)


def renamed(desk: Desk, document: Document, place: Place, new: str) -> WorkspaceEdit:
    """The edits that give the name at a place another one, in all texts. Raises CannotRename where there are none."""
    named = _renamable(desk, document, place)
    old = named.meaning.name
    if new == old:
        return WorkspaceEdit(changes={})
    _check_new(named.meaning, new)
    texts = _texts(desk, named, new)
    before = {formal.document.uri: occurrences(formal) for formal in texts}
    edited, changes = {}, {}
    for formal in texts:
        those = [one for one in before[formal.document.uri] if one.meaning == named.meaning]
        if those:
            edited[formal.document.uri] = _edited(formal, those, new)
            changes[formal.document.uri] = [TextEdit(_range(formal, one), new) for one in those]
    _check_same(desk, named.meaning, new, texts, before, edited)
    if named.meaning.space is Space.TAG:
        changes |= _on_pages(desk, named, new)
    return WorkspaceEdit(changes=changes)


# ------------------------------------------------------------------------------------------------------ what may change


def _renamable(desk: Desk, document: Document, place: Place) -> Named:
    if document.is_formal:
        _check_readable(document)
    named = named_at(desk, document, place)
    if named is None:
        raise CannotRename(_why_no_name(desk, document, place))
    _check_space(named)
    _check_place(named)
    _check_using(desk, named)
    return named


def _why_no_name(desk: Desk, document: Document, place: Place) -> str:
    line = document.lines.line(place[0])
    if not document.is_formal:
        tag = tag_at(line, place[1])
        if tag:
            return f"`{tag}` has no clause in the formal text next to this page"
        return "only tags can be renamed on a page"
    word = word_at(line, place[1])
    if word is None or is_said(line, place[1]):
        return "there is no name here"
    if word.text in FUNCTIONS | CONVERSIONS | TYPES:
        return f"`{word.text}` is a name of the language"
    if word.text in KEYWORDS | CONTEXTUAL:
        return f"`{word.text}` is a word of the language"
    return _unread(desk, document) or f"`{word.text}` is declared nowhere in this project"


def _unread(desk: Desk, document: Document) -> str:
    """The reason for which a library that a text uses cannot be read; empty if all can be."""
    formal = Formal.of(desk, document)
    if formal is None:
        return ""
    files = formal.project.files
    for use in formal.tree.uses:
        try:
            files.read(files.library(document.path, use.name, use.span))
        except UserError as error:
            return _cannot_read(f"{use.name}.sonnx", error)
    return ""


def _check_readable(document: Document) -> None:
    try:
        parse(document.source())
    except UserError as error:
        raise CannotRename(_cannot_read(document.shown, error)) from None


def _cannot_read(shown: str, error: UserError) -> str:
    where = ""
    if error.span is not None:
        where = f", line {error.span.line}"
    return f"{shown} cannot be read{where}: {error.message}; fix that before you rename"


def _check_space(named: Named) -> None:
    meaning = named.meaning
    match meaning.space:
        case Space.OPERATOR:
            raise CannotRename(f"`{meaning.name}` is the name of an operator, which obligations and ONNX refer to")
        case Space.LIBRARY:
            raise CannotRename(f"`{meaning.name}` is a library: rename its file, and the lines that `use` it")
        case Space.FAMILY:
            raise CannotRename(f"`{meaning.name}` is a family of types, which pages and obligations refer to")
        case Space.GENERAL:
            raise CannotRename(f"`{meaning.name}` is a general restriction, which pages refer to")
        case _:
            assert meaning.space in _RENAMED


def _check_place(named: Named) -> None:
    meaning, document = named.meaning, named.formal.document
    library = resolved(installed_library())
    # Whoever works on the library itself, in a clone, may rename in it; an installed one is read by other projects.
    package = resolved(Path(__file__).parent.parent)
    mine = resolved(document.root) == library and resolved(document.path).is_relative_to(library)
    if meaning.path.is_relative_to(library) and (library.is_relative_to(package) or not mine):
        raise CannotRename(f"`{meaning.name}` is declared in {shown_as(meaning.path, library)}, which is shipped")
    if meaning.space is Space.VALUE and meaning.path != resolved(document.path):
        raise CannotRename(f"`{meaning.name}` is declared in {meaning.path.name}: rename it there")
    if meaning.space is Space.VALUE and named.formal.tree.kind in _OF_STANDARD:
        tree = named.formal.tree
        signature = [d.name for d in (*tree.inputs, *tree.outputs, *tree.attributes)]
        if meaning.name in signature:
            raise CannotRename(f"`{meaning.name}` is in the signature of {tree.name}: ONNX and the page refer to it")


def _check_using(desk: Desk, named: Named) -> None:
    """Refuse to rename what a `using` without arguments goes by: it takes the names of a theorem from around it."""
    meaning = named.meaning
    if meaning.space not in (Space.LOCAL, Space.VALUE):
        return
    for item in items_in(items_of(named.formal.document.source())):
        used: tuple[s.Used, ...] = ()
        match item:
            case s.Theorem():
                names = {d.name for d in item.declarations}
                inside = item.span.start <= meaning.at < item.span.start + item.span.length
                if inside and meaning.name in names:
                    used = item.using
                    _check_used_by_names(desk, named, item)
            case s.Using() if meaning.space is Space.VALUE:
                used = item.used
        for one in used:
            if one.arguments is None:
                raise CannotRename(
                    f"`{meaning.name}` may be what `using {one.name}` goes by, on line {one.span.line}: "
                    f"write the arguments of `{one.name}` there"
                )


def _check_used_by_names(desk: Desk, named: Named, theorem: s.Theorem) -> None:
    law = Named(named.formal, Meaning(Space.THEOREM, theorem.name, resolved(named.formal.document.path)))
    for formal in texts_with(desk, law):
        for item in items_in(items_of(formal.document.source())):
            used: tuple[s.Used, ...] = ()
            match item:
                case s.Theorem():
                    used = item.using
                case s.Using():
                    used = item.used
            for one in used:
                if one.name == theorem.name and one.arguments is None:
                    raise CannotRename(
                        f"`using {one.name}` goes by `{named.meaning.name}`, in {formal.document.shown}, "
                        f"line {one.span.line}: write the arguments of `{one.name}` there"
                    )


def _check_new(meaning: Meaning, new: str) -> None:
    pattern = _NAME
    if meaning.space is Space.TAG:
        pattern = _TAG
    if pattern.fullmatch(new) is None:
        raise CannotRename(f"`{new}` is not a name: a name begins with a letter, and has letters, digits and _")
    if new in _RESERVED:
        raise CannotRename(f"`{new}` is a word of the language")


# ------------------------------------------------------------------------------------------------------ what changes


def _texts(desk: Desk, named: Named, new: str) -> list[Formal]:
    """The texts that have the old name or the new one. Raises CannotRename for one that cannot be read."""
    found = {formal.document.uri: formal for formal in texts_with(desk, named)}
    also = replace(named, meaning=replace(named.meaning, name=new))
    found |= {formal.document.uri: formal for formal in texts_with(desk, also) if formal.document.uri not in found}
    # One that never could be read is not among these, and may have the name all the same.
    for path in candidates(desk, named):
        document = document_of(desk, path, named.formal.document.root)
        word = re.compile(rf"\b{re.escape(named.meaning.name)}\b")
        if document is not None and (document.uri in found or (named.shared and word.search(document.lines.plain))):
            _check_readable(document)
    return list(found.values())


def _edited(formal: Formal, those: list[Occurrence], new: str) -> str:
    text = formal.text
    for one in reversed(those):
        text = text[: one.start] + new + text[one.end :]
    return text


def _range(formal: Formal, one: Occurrence) -> Range:
    where = range_of(formal, one)
    assert where is not None  # the text was read as it is
    return where


def _on_pages(desk: Desk, named: Named, new: str) -> dict[str, list[TextEdit]]:
    changes = {}
    for page in pages_of(desk, named.formal):
        places = list(on_page(page, named.meaning.name))
        if places and TAG.fullmatch(new) is None:
            raise CannotRename(f"`{new}` is not a tag of a page: {page.shown} has `{named.meaning.name}`")
        if places and any(on_page(page, new)):
            raise CannotRename(f"{page.shown} has a tag `{new}` already")
        if places:
            changes[page.uri] = [TextEdit(where, new) for where in places]
    return changes


# ------------------------------------------------------------------------------------------------------ what stays


def _check_same(
    desk: Desk,
    target: Meaning,
    new: str,
    texts: list[Formal],
    before: dict[str, list[Occurrence]],
    edited: dict[str, str],
) -> None:
    """Raise CannotRename if a name would stand for something else afterwards."""
    copies = {}
    for formal in texts:
        document = formal.document
        text = edited.get(document.uri, formal.text)
        copies[document.uri] = replace(document, lines=Lines(text, document.lines.encoding))
    after = Desk(desk.folders, desk.encoding, {**desk.open, **copies})
    for formal in texts:
        copy = copies[formal.document.uri]
        _check_readable(copy)
        now = Formal.of(after, copy)
        assert now is not None
        old_keys = list(_keys(before[formal.document.uri], target, target.name))
        new_occurrences = occurrences(now)
        new_keys = list(_keys(new_occurrences, target, new))
        if old_keys == new_keys:
            continue
        clash = next((o for o, k in zip(new_occurrences, old_keys, strict=False) if k not in new_keys), None)
        where = formal.document.shown
        if clash is None:
            clash = next((o for o in new_occurrences if o.name == new), None)
        if clash is not None:
            where += f", line {now.place(clash.start)[0]}"
        raise CannotRename(f"`{new}` stands for something else already, in {where}")


def _keys(found: list[Occurrence], target: Meaning, name: str) -> Iterator[object]:
    """The things that names stand for, such that a renaming changes none: the target has no name, and a local name is
    known by the place of its first occurrence among all."""
    first: dict[Meaning, int] = {}
    for number, one in enumerate(found):
        meaning = one.meaning
        if meaning.space is Space.LOCAL:
            yield first.setdefault(meaning, number)
        elif (meaning.space, meaning.path, meaning.name) == (target.space, target.path, name):
            yield target.space
        else:
            yield meaning
