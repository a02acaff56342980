"""The versions and texts of an operator: a file, and each difference applied to the one before it. Trusted.

A change that did nothing, or hit another item, would give a version a text that nobody wrote. So each has something to
expect: `add` that there is no such item, `replace`, `remove` and `move` that there is one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from typing import Any, assert_never

from sonnx_verify.errors import SpecificationError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.complaints import texts as complaints
from sonnx_verify.language.identities import OPEN, Identity, identity_in, identity_of, known_in, lists
from sonnx_verify.language.misread import called, missing
from sonnx_verify.language.parser import put, put_named
from sonnx_verify.sources import Span


def editions(file: s.File) -> list[s.File]:
    """Every version and text of a file, complete, in order. SpecificationError for a difference that does not fit."""
    if not file.differences:
        return [file]
    made = [replace(copy_of(file), differences=[], edition=_edition(file.version, file.text))]
    for difference in file.differences:
        _check_order(made, difference)
        made.append(_changed(_base(made), difference))
    return made


def _base(before: list[s.File]) -> s.File:
    """The text that a difference changes: the first of the version before, for a further text that of its version."""
    # So `version 13` changes version 12 as ONNX first had it, whatever further texts of 12 stand between.
    last = before[-1].version
    return next(f for f in before if f.version == last)


def _edition(version: int | None, text: str) -> str:
    if text:
        return f"version {version}, text {text}"
    return f"version {version}"


_PREFIX = re.compile(r"^in version \d+(, text [\w.-]+)?: ")


@contextmanager
def told_of(file: s.File) -> Iterator[None]:
    """Say of a mistake in a file with several versions in which of them it is one."""
    try:
        yield
    except SpecificationError as error:
        here = error.span is not None and error.span.source.name == file.path
        if file.edition and here and not _PREFIX.match(error.message):
            error.message = f"in {file.edition}: {error.message}"
        raise


def _check_order(before: list[s.File], difference: s.Difference) -> None:
    """Check that versions rise, that the texts of one differ, and that each but the first has a name."""
    last, version, text = before[-1].version, difference.version, difference.text
    assert last is not None
    if version < last:
        raise complaints.falling(version, last, difference.span)
    texts = [f.text for f in before if f.version == version]
    if texts and (not text or text in texts):
        raise complaints.edition_twice(_edition(version, text), version, difference.span)
    for other in texts[1:]:
        # `Op-1@a.int` would be both the text `a.int` and the section `int` of the text `a`.
        if text.startswith(f"{other}.") or other.startswith(f"{text}."):
            raise complaints.one_identity(other, text, difference.span)


def _changed(file: s.File, difference: s.Difference) -> s.File:
    new = replace(
        copy_of(file),
        version=difference.version,
        text=difference.text,
        span=difference.span,
        edition=_edition(difference.version, difference.text),
    )
    with told_of(new):
        for change in difference.changes:
            _apply(new, change)
    return new


def copy_of(file: s.File) -> s.File:
    """The file with lists of its own."""
    # Versions share their items, which are frozen, and nothing else: `remove` of a clause in version 13 leaves it in
    # 12.
    found = {f.name: getattr(file, f.name) for f in fields(file)}
    lists: Any = {name: value.copy() for name, value in found.items() if isinstance(value, (list, dict))}
    return replace(file, **lists)


# -------------------------------------------------------------------------------------------------------------- changes


def _apply(file: s.File, change: s.Change) -> None:
    match change:
        case s.AddItem():
            _add(file, change.item, change.span)
        case s.ReplaceItem():
            _replace(file, change.item, change.span)
        case s.RemoveItem():
            _remove(file, change.kind, change.name, change.span)
        case s.RemoveTypes():
            _remove_types(file, change.types, change.span)
        case s.MoveAttribute():
            _move(file, change.declaration, change.span)
        case _:
            assert_never(change)


def _add(file: s.File, item: s.Item, span: Span) -> None:
    if isinstance(item, s.Types) and item.name in file.types:
        _add_types(file, item, span)
        return
    # At the end of its kind, and below all clauses: what is added may rely on all that was there before.
    identity = identity_of(item)
    # Several rules that leave something open may have one identity: they have no names.
    if identity in known_in(file) and identity[0] not in OPEN:
        raise complaints.already_there(called(identity), span)
    above = [*(x.place for x in file.clauses), *(x.place for x in file.lets), *(x.place for x in file.definitions)]
    put(file, item, 1 + max(above, default=0))


def _add_types(file: s.File, types: s.Types, span: Span) -> None:
    known = file.types[types.name]
    for n, member in enumerate(types.members):
        if member in known or member in types.members[:n]:
            raise complaints.already_listed(types.name, member, span)
    file.types[types.name] = [*known, *types.members]


def _replace(file: s.File, item: s.Item, span: Span) -> None:
    """Exchange the item of the same identity where it stands: the order of the items stays."""
    identity = identity_of(item)
    if identity not in known_in(file):
        raise missing(file, identity, span, f"there is no {called(identity)} to replace", "add")
    # Where it stands counts: a constraint may rely on those above it, and `C1 fails` means the first that fails.
    match item:
        case s.Refines() | s.Page() | s.Types() | s.Fact() | s.General():
            put_named(file, item)
        case s.Use():
            pass  # the library stays
        case s.Declares():
            _exchange(file, item.declaration, identity, span)
        case s.Indices():
            file.index_base = item.base
            _exchange(file, item.reading, identity, span)
        case _:
            _exchange(file, item, identity, span)


def _exchange(file: s.File, new: Any, identity: Identity, span: Span) -> None:
    for kind, items in lists(file).items():
        places = [n for n, old in enumerate(items) if identity_in(kind, old) == identity]
        if len(places) > 1:
            raise complaints.ambiguous(called(identity), len(places), span)
        for n in places:
            if isinstance(new, s.Clause | s.Let | s.Definition):
                new = replace(new, place=items[n].place)
            items[n] = new


def _remove(file: s.File, kind: s.ItemKind, name: str, span: Span) -> None:
    """Remove the items of a name, for all families."""
    if not any(known[:2] == (kind, name) for known in known_in(file)):
        raise missing(file, (kind, name, ""), span, f"there is no {called((kind, name, ''))} to remove", "")
    for where, items in lists(file).items():
        items[:] = [x for x in items if identity_in(where, x)[:2] != (kind, name)]


def _remove_types(file: s.File, types: s.Types, span: Span) -> None:
    name, members = types.name, types.members
    if name not in file.types:
        identity = (s.ItemKind.TYPES, name, "")
        raise missing(file, identity, span, f"there are no types {name} to remove from", "")
    for n, member in enumerate(members):
        if member in members[:n]:
            raise complaints.removed_twice(name, member, file.types[name], span)
        if member not in file.types[name]:
            raise complaints.not_listed(name, member, file.types[name], span)
    # A line without types would be a section of which nothing is asked, so it goes with its last type.
    file.types[name] = [t for t in file.types[name] if t not in members]
    if not file.types[name]:
        for kept in (file.types, file.type_variables, file.type_spans):
            del kept[name]


def _move(file: s.File, declaration: s.Declaration, span: Span) -> None:
    """The attribute goes, and an input of its name comes last."""
    name = declaration.name
    identity = (s.ItemKind.ATTRIBUTE, name, "")
    if identity not in known_in(file):
        raise missing(file, identity, span, f"there is no attribute {name} to move", "")
    if (s.ItemKind.INPUT, name, "") in known_in(file):
        raise complaints.already_an_input(name, span)
    file.attributes[:] = [d for d in file.attributes if d.name != name]
    file.inputs.append(declaration)
