"""The identities of the items of a text, by which a difference names them. Trusted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, assert_never

from sonnx_verify.language import syntax as s
from sonnx_verify.language.complaints import texts as complaints

Identity = tuple[s.ItemKind, str, str]
"""The identity of an item: its kind, its name and its family of types, each of the last two perhaps empty. Clauses,
definitions and lets of one name for two families are two items."""

Named = (
    s.Declaration | s.Clause | s.Let | s.Rule | s.Definition | s.OrderDefinition | s.Theorem | s.Example | s.Undefined
    | s.Reading | s.Expectation
)  # fmt: skip  # a table
"""Items that stand in the lists of a file."""

OPEN = (s.ItemKind.OPEN_OUTCOME, s.ItemKind.OPEN_SHAPE, s.ItemKind.OPEN_VALUE)
"""The kinds of rules that leave something open and have no tag: there may be several of one identity."""


def lists(file: s.File) -> dict[s.ItemKind | None, list[Any]]:
    """The items that stand in lists, by their kind; a rule says itself of which kind it is."""
    return {
        s.ItemKind.INPUT: file.inputs,
        s.ItemKind.OUTPUT: file.outputs,
        s.ItemKind.ATTRIBUTE: file.attributes,
        s.ItemKind.CLAUSE: file.clauses,
        s.ItemKind.LET: file.lets,
        None: file.rules,
        s.ItemKind.DEFINE: file.definitions,
        s.ItemKind.ORDER: file.orders,
        s.ItemKind.THEOREM: file.theorems,
        s.ItemKind.EXAMPLE: file.examples,
        s.ItemKind.UNDEFINED: file.undefined,
        s.ItemKind.READING: file.readings,
        s.ItemKind.EXPECT: file.expectations,
    }


def identity_in(kind: s.ItemKind | None, item: Named) -> Identity:
    """The identity of an item that stands in the list of a kind."""
    match item:
        case s.Declaration():
            assert kind is not None
            return kind, item.name, ""
        case s.Clause():
            return s.ItemKind.CLAUSE, item.tag, item.family
        case s.Let():
            return s.ItemKind.LET, item.name, item.family
        # A tag tells `unspecified` lines of one output apart. The rules of shapes and values need none: there is one.
        case s.Rule() if item.tag and item.what.leaves_open:
            return s.ItemKind.UNSPECIFIED, item.tag, item.family
        case s.Rule():
            return s.ItemKind(item.what.value), item.output, item.family
        case s.Definition():
            return s.ItemKind.DEFINE, item.name, item.family
        case s.OrderDefinition():
            return s.ItemKind.ORDER, item.name, ""
        case s.Theorem():
            return s.ItemKind.THEOREM, item.name, ""
        case s.Example():
            return s.ItemKind.EXAMPLE, item.name, ""
        case s.Undefined():
            return s.ItemKind.UNDEFINED, item.name, ""
        case s.Reading():
            return s.ItemKind.READING, item.what, ""
        case s.Expectation():
            return s.ItemKind.EXPECT, item.path, item.family
        case _:
            assert_never(item)


def identity_of(item: s.Item) -> Identity:
    """The identity of an item as the parser hands it over."""
    if isinstance(item, Named):
        return identity_in(None, item)
    match item:
        case s.Declares():
            return item.role, item.declaration.name, ""
        # `indices from 1` is a reading of the draft, and listed as one.
        case s.Indices():
            return s.ItemKind.READING, s.INDICES, ""
        # Of these there is one in a file, so they need no name.
        case s.Refines():
            return s.ItemKind.REFINES, "", ""
        case s.Page():
            return s.ItemKind.PAGE, "", ""
        case s.Use():
            return s.ItemKind.USE, item.name, ""
        case s.Types():
            return s.ItemKind.TYPES, item.name, ""
        case s.Fact():
            return s.ItemKind.FACT, item.name, ""
        case s.General():
            return s.ItemKind.GENERAL, item.name, ""
        # `using` changes no meaning, and several lines of it are one list: none of them could be told from another.
        case s.Using():
            raise complaints.without_name(item)
        case _:
            raise AssertionError(f"this is not an item that a difference names: {item}")


def known_in(file: s.File) -> list[Identity]:
    """The identities of the items of the file."""
    found = []
    for kind, items in lists(file).items():
        found += [identity_in(kind, item) for item in items]
    named: dict[s.ItemKind, Iterable[str]] = {
        s.ItemKind.TYPES: file.types,
        s.ItemKind.FACT: file.facts,
        s.ItemKind.GENERAL: file.generals,
        s.ItemKind.USE: [used.name for used in file.uses],
    }
    for kind, names in named.items():
        found += [(kind, name, "") for name in names]
    if file.refines is not None:
        found.append((s.ItemKind.REFINES, "", ""))
    if file.page is not None:
        found.append((s.ItemKind.PAGE, "", ""))
    return found
