"""All slips in a text: item by item, made from its syntax, so that no title and no comment is touched."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lark import Token, Tree

from sonnx_verify.authoring.mutation.expressions import Edit, Scope, bounds, edits_of, turned
from sonnx_verify.authoring.mutation.slip import Slip, kind_of, span
from sonnx_verify.errors import Source
from sonnx_verify.language.comments import tokens_of
from sonnx_verify.language.context import FAMILIES, family_of
from sonnx_verify.language.layout import grammar
from sonnx_verify.language.parser import check_syntax
from sonnx_verify.logic.sorts import ELEMENT_TYPES

_DROPPED = ("clause", "outside", "shape", "value", "unspecified")
_CONDITIONS = ("clause", "unspecified", "order")
"""Items whose expression is a condition; that of a definition is one if its type says so."""


def slips_of(source: Source, orders: Mapping[str, str]) -> list[Slip]:
    """The slips in a text, in its order, each text that comes out once. `orders` are those that it can use, each with
    its family. Raises SpecificationError where the text is not in the grammar."""
    check_syntax(source)
    tree = grammar().parse(source.text)
    found: dict[str, Slip] = {}
    for item in tree.children:
        assert isinstance(item, Tree)
        name = _name_of(item)
        for kind, start, end, new in _edits_of_item(item, Scope(source.text, orders, {})):
            slip = Slip(source, start, source.text[start:end], new, kind, name)
            if slip.text != source.text:
                found.setdefault(slip.text, slip)
    for slip in _with_errors(source, [i for i in tree.children if isinstance(i, Tree) and kind_of(i) == "clause"]):
        found.setdefault(slip.text, slip)
    return sorted(found.values(), key=lambda s: (s.start, s.change))


def _with_errors(source: Source, clauses: list[Tree[Token]]) -> Iterator[Slip]:
    """A constraint left out with the errors that name it: alone it could not go, as its name would mean nothing."""
    for clause in clauses:
        tag = str(tokens_of(clause)[0])[1:-1]
        naming = [c for c in clauses if c is not clause and tag in map(str, tokens_of(c))]
        if naming and span(naming[0])[0] > span(clause)[0]:
            gone = [clause, *naming]
            start, end = span(clause)[0], span(naming[-1])[1]
            kept, at = "", start
            for one in gone:
                kept += source.text[at : span(one)[0]]
                at = span(one)[1]
            said = " and ".join(str(tokens_of(one)[0]) for one in gone)
            yield Slip(source, start, source.text[start:end], kept, "dropped", f"[{tag}]", said)


def _name_of(item: Tree[Token]) -> str:
    """What an item is called: its first word, its tag or name."""
    tokens = tokens_of(item)
    word = str(tokens[0])
    if word.startswith("["):
        return word
    return f"{word} {tokens[1]}" if len(tokens) > 1 else word


def _edits_of_item(item: Tree[Token], scope: Scope) -> Iterator[Edit]:
    kind = kind_of(item)
    if kind in ("add", "replace"):
        inner = item.children[1]
        assert isinstance(inner, Tree)
        yield from _edits_of_item(inner, scope)
    elif kind in ("types", "types_of"):
        yield from _types(item)
    elif kind in ("input", "output", "attribute"):
        yield from _declaration(item, scope)
    elif kind in ("clause", "let", "shape", "value", "unspecified", "define", "order", "order_by_classes"):
        inner_scope = scope.within(_parameters(item), frozenset())
        condition = kind in _CONDITIONS or (kind == "define" and _result(item) == "bool")
        for place, child in enumerate(item.children):
            if isinstance(child, Tree) and kind_of(child) == "class_":
                yield from edits_of(child.children[-1], inner_scope, True)
            elif isinstance(child, Tree) and place == len(item.children) - 1:
                yield from edits_of(child, inner_scope, condition)
    if kind in _DROPPED:
        yield "dropped", *span(item), ""


def _result(item: Tree[Token]) -> str:
    """The type of what a definition gives."""
    after = next(n for n, c in enumerate(item.children) if str(c) == ")") + 2
    kind = item.children[after]
    return str(kind.children[0]) if isinstance(kind, Tree) else str(kind)


def _parameters(item: Tree[Token]) -> dict[str, str]:
    """For each parameter of a definition, and each element of an order, another of its type."""
    if kind_of(item) == "order":
        before = next(n for n, c in enumerate(item.children) if str(c) == "before")
        return turned([str(item.children[before - 1]), str(item.children[before + 1])])
    by_type: dict[str, list[str]] = {}
    for child in item.children:
        if isinstance(child, Tree) and kind_of(child) == "parameter":
            kind = " ".join(str(t) for t in tokens_of(child)[2:])
            by_type.setdefault(kind, []).append(str(child.children[0]))
    return {name: other for names in by_type.values() for name, other in turned(names).items()}


def _types(item: Tree[Token]) -> Iterator[Edit]:
    """A type left out; one of the same family more."""
    equals = next(n for n, c in enumerate(item.children) if str(c) == "=")
    members = item.children[equals + 1 :]
    for before, member in zip(item.children[equals:], members, strict=False):
        if len(members) > 1:
            yield "types", span(before)[1], span(member)[1], ""
    listed = [str(m) for m in members]
    sorts = [ELEMENT_TYPES[t] for t in listed if t in ELEMENT_TYPES]
    if sorts:
        missing = [s.name for s in FAMILIES[family_of(sorts[0])] if s.name not in listed]
        end = span(members[-1])[1]
        yield from (("types", end, end, f" {name}") for name in missing[:1])


def _declaration(item: Tree[Token], scope: Scope) -> Iterator[Edit]:
    for child in item.children:
        if not isinstance(child, Tree):
            if str(child) == "optional":
                yield "dropped", span(child)[0], span(child)[1] + 1, ""
        elif kind_of(child) == "declared_as":
            for part in child.children:
                if isinstance(part, Tree) and kind_of(part) == "bounds":
                    yield from bounds(part, scope)
        elif kind_of(child) in ("where", "default"):
            yield from edits_of(child, scope)
            if kind_of(child) == "default":
                yield "dropped", span(child)[0] - 1, span(child)[1], ""
