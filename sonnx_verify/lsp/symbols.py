"""The names that formal texts declare, with what each is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, assert_never

from sonnx_verify.language import syntax as s
from sonnx_verify.language.identities import lists
from sonnx_verify.language.kinds import Kind, of_declaration
from sonnx_verify.results.text import framed
from sonnx_verify.sources import Span


@dataclass(frozen=True, slots=True)
class Symbol:
    """The meaning of a name: what it is, the kind of thing, a sentence about it, and the place of its declaration."""

    name: str
    what: str
    kind: str = ""
    title: str = ""
    path: Path | None = None
    span: Span | None = None
    value: Kind | None = None
    """The kind of its value, where it stands for one."""

    @property
    def line(self) -> str:
        """It in one line, near to how the language would declare it."""
        if not self.kind:
            return f"{self.what} {self.name}"
        return f"{self.what} {self.name} : {self.kind}"


def items_of(file: s.File) -> Iterator[Any]:
    """The items that a text declares and states, in all versions of it."""
    for items in lists(file).values():
        yield from items
    # A text of several versions writes each as changes of the one before, where a clause of version 7 alone stands.
    for difference in file.differences:
        for change in difference.changes:
            match change:
                case s.AddItem(item=s.Declares(declaration=declaration)):
                    yield declaration
                case s.ReplaceItem(item=s.Declares(declaration=declaration)):
                    yield declaration
                case s.AddItem() | s.ReplaceItem():
                    yield change.item
                case s.MoveAttribute():
                    yield change.declaration
                case s.RemoveItem() | s.RemoveTypes():
                    pass
                case _:
                    assert_never(change)


def items_in(items: Iterable[s.Item]) -> Iterator[s.Item]:
    """The items of a text, those that a difference adds without the word before them."""
    for item in items:
        match item:
            case s.AddItem() | s.ReplaceItem():
                yield item.item
            case _:
                yield item


def of_file(file: s.File, path: Path, *, shared: bool) -> Iterator[Symbol]:
    """The names that a text declares; of one that is used by another only what is `shared`."""
    # The tree keeps the titles of facts alone, so they are searched for in the text.
    for name, title in file.facts.items():
        yield Symbol(name, "fact", "", title, path, _quoted(file, rf"\bfact\s+({name})\b"))
    for name, general in file.generals.items():
        yield Symbol(name, "general restriction", "", general.title, path, general.span)
    for item in items_of(file):
        match item:
            case s.Definition():
                given = ", ".join(f"{p.name} : {p.type}" for p in item.parameters)
                yield Symbol(item.name, "define", f"({given}) : {item.result}", item.title, path, item.span)
            case s.OrderDefinition():
                yield Symbol(item.name, "order", "(T, T) : bool", item.title, path, item.span)
            case s.Theorem():
                what = "theorem" if item.cited is None else "axiom"
                yield Symbol(item.name, what, framed("from ", item.cited or ""), item.title, path, item.span)
            case s.Undefined():
                given = ", ".join(map(str, item.arguments))
                yield Symbol(item.name, "undefined", f"({given}) : {item.result}", item.title, path, item.span)
            # A tag is a name within its text alone: another text has a C1 of its own.
            case s.Clause() if not shared:
                for tag in item.tags.split(","):
                    yield Symbol(tag, item.kind, "", item.title, path, item.span)
    if not shared:
        for what, declared in (("input", file.inputs), ("output", file.outputs), ("attribute", file.attributes)):
            for one in declared:
                kind = of_declaration(one)
                yield Symbol(one.name, what, str(kind), "", path, one.span, kind)


def _quoted(file: s.File, pattern: str) -> Span | None:
    if file.span is None or (found := re.search(pattern, file.span.source.text)) is None:
        return None
    return _span_at(file.span.source.text, found.start(1), len(found[1]), file)


def _span_at(text: str, start: int, length: int, file: s.File) -> Span:
    assert file.span is not None
    return Span(file.span.source, text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start), length)
