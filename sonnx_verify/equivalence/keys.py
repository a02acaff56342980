"""Keys of comparisons: a hash of what two texts say and of all that they use, by which a recorded answer is found.

A comment, a title, an example or a theorem does not change what texts accept and allow, and is not in the key. All else
that a file says is, whatever it is: too much costs a run, too little would take an old answer for a new text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from sonnx_verify.language import syntax as s
from sonnx_verify.language.applied import applied
from sonnx_verify.language.context import Library
from sonnx_verify.language.files import Unit
from sonnx_verify.language.project import Project
from sonnx_verify.sources import Span

_LEFT_OUT = frozenset(
    ("title", "path", "span", "type_spans", "page", "place", "uses", "theorems", "examples", "expectations")
)
"""Members that no comparison rests on: words for readers, places, what is asked of a text by itself. Of the places the
order counts (`_order`); a theorem counts where it is used (`_closure`)."""


def key_of(project: Project, units: Iterable[Unit]) -> str:
    """The key of a comparison of some operators, 16 hexadecimal digits."""
    said: list[str] = []
    for unit in units:
        # The order of the operators counts; that of the texts that they use does not.
        said += [unit.operator, *sorted(_said(project, unit))]
    return hashlib.sha256(repr(said).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _said(project: Project, unit: Unit) -> Iterator[str]:
    """The text of an operator, and each item that it reaches by a name."""
    seen: set[int] = set()
    for one in (unit, *applied(project, unit)):
        assert one.file is not None
        yield f"{one.operator} {_order(one.file)}"
        for said in _closure(one.file, project.library(one), seen):
            yield f"{one.operator} {said}"


def _closure(item: object, library: Library, seen: set[int]) -> Iterator[str]:
    """The content of an item and of all that it names, theorems and axioms among them, which are hypotheses of the
    proofs that use them."""
    named: dict[str, list[object]] = {name: list(found) for name, found in library.definitions.items()}
    for items in (library.orders, library.generals, library.undefined, library.facts):
        for name, one in items.items():
            named.setdefault(name, []).append(one)
    lemmas = dict(library.lemmas)
    todo: list[object] = [item]
    while todo:
        plain = _plain(todo.pop())
        yield str(plain)
        # A word that happens to be the name of an item counts as a use of it.
        for word in _words(plain):
            todo += named.pop(word, [])
            lemma = lemmas.pop(word, None)
            if lemma is not None and id(lemma.theorem) not in seen:
                seen.add(id(lemma.theorem))
                yield from _closure(lemma.theorem, lemma.library(), seen)


def _order(file: s.File) -> list[str]:
    """The items of a text in the order of their places: a clause may rely on those above it, a `let` too."""
    placed: list[s.Clause | s.Let | s.Definition] = [*file.clauses, *file.lets, *file.definitions]
    placed.sort(key=lambda one: one.place)
    return [f"{one.tag if isinstance(one, s.Clause) else one.name} {one.family}" for one in placed]


def _plain(value: object) -> Any:
    """A value of the syntax tree as nested lists of texts and numbers."""
    match value:
        case Enum():
            return str(value)
        case Span():
            return None
        case dict():
            return [[_plain(key), _plain(one)] for key, one in value.items()]
        case list() | tuple():
            return list(map(_plain, value))
        case s.Used(family=""):
            # What is for all families is said by nothing: so it was before a family could be named.
            return [type(value).__name__, value.name, _plain(value.arguments), _plain(value.binders)]
        case _ if is_dataclass(value):
            members = [f.name for f in fields(value) if f.name not in _LEFT_OUT]
            return [type(value).__name__, *(_plain(getattr(value, name)) for name in members)]
    return value


def _words(plain: object) -> Iterator[str]:
    if isinstance(plain, str):
        yield plain
    elif isinstance(plain, list):
        for one in plain:
            yield from _words(one)
