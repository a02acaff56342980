"""All mutations in a text: item by item, made from its syntax, so that no title and no comment is touched."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from lark import Token, Tree

from sonnx_verify.authoring.mutation.expressions import Edit, Scope, bounds, edits_of, turned
from sonnx_verify.authoring.mutation.mutation import Mutation, Rule, Sort, kind_of, span
from sonnx_verify.language.context import FAMILIES, family_of
from sonnx_verify.language.layout import grammar
from sonnx_verify.language.parser import check_syntax
from sonnx_verify.language.words import tokens_of
from sonnx_verify.logic.sorts import ELEMENT_TYPES
from sonnx_verify.sources import Source

_DROPPED = (Rule.CLAUSE, Rule.OUTSIDE, Rule.COUNT, Rule.SHAPE, Rule.VALUE, Rule.UNSPECIFIED)
"""Items that are left out as a whole. A text without an input or an attribute would be rejected at once."""
_CONDITIONS = (Rule.CLAUSE, Rule.UNSPECIFIED, Rule.ORDER)
"""Items whose expression is a condition; that of a definition is one if its type says so."""


def mutations_of(source: Source, orders: Mapping[str, str]) -> list[Mutation]:
    """The mutations in a text, in its order, each text that comes out once. `orders` are those that it can use, each
    with its family. Raises SpecificationError where the text is not in the grammar."""
    # The grammar's own message would name a token: this one names the place, the cause and the cure.
    check_syntax(source)
    items = [item for item in grammar().parse(source.text).children if isinstance(item, Tree)]
    found: dict[str, Mutation] = {}
    for item in items:
        name = _name_of(item)
        for kind, start, end, new in _edits_of_item(item, Scope(source.text, orders, {})):
            mutation = Mutation(source, start, source.text[start:end], new, kind, name)
            # Two rules may make the same text: the first of them names the mutation.
            if mutation.text != source.text:
                found.setdefault(mutation.text, mutation)
    for mutation in _with_errors(source, [item for item in items if kind_of(item) == Rule.CLAUSE]):
        found.setdefault(mutation.text, mutation)
    return sorted(found.values(), key=lambda s: (s.start, s.change))


def _with_errors(source: Source, clauses: list[Tree[Token]]) -> Iterator[Mutation]:
    """A constraint left out with the errors that name it: alone it could not go, as its name would mean nothing."""
    for clause in clauses:
        # `[C1]` is C1 in `when C1 fails`.
        tag = str(tokens_of(clause)[0])[1:-1]
        naming = [c for c in clauses if c is not clause and tag in map(str, tokens_of(c))]
        if not naming or span(naming[0])[0] < span(clause)[0]:
            continue
        gone = [clause, *naming]
        start, end = span(clause)[0], span(naming[-1])[1]
        kept, at = "", start
        for one in gone:
            kept += source.text[at : span(one)[0]]
            at = span(one)[1]
        said = " and ".join(str(tokens_of(one)[0]) for one in gone)
        yield Mutation(source, start, source.text[start:end], kept, Sort.DROPPED, f"[{tag}]", said)


def _name_of(item: Tree[Token]) -> str:
    """The name of an item: its tag, or its first word and what it declares, as in `input X`."""
    words = [str(token) for token in tokens_of(item)[:2]]
    if words[0].startswith("["):
        return words[0]
    return " ".join(words)


def _edits_of_item(item: Tree[Token], scope: Scope) -> Iterator[Edit]:
    kind = kind_of(item)
    match kind:
        case Rule.ADD | Rule.REPLACE:
            inner = item.children[1]
            assert isinstance(inner, Tree)
            yield from _edits_of_item(inner, scope)
        case Rule.TYPES | Rule.TYPES_OF:
            yield from _types(item)
        case Rule.INPUT | Rule.OUTPUT | Rule.ATTRIBUTE:
            yield from _declaration(item, scope)
        case Rule.ORDER_BY_CLASSES:
            for child in item.children:
                if isinstance(child, Tree) and kind_of(child) == Rule.CLASS:
                    yield from edits_of(child.children[-1], scope, condition=True)
            # Behind the classes stands the order within one.
            yield from edits_of(item.children[-1], scope)
        case (
            Rule.CLAUSE | Rule.LET | Rule.COUNT | Rule.SHAPE | Rule.VALUE | Rule.UNSPECIFIED | Rule.DEFINE | Rule.ORDER
        ):
            inner_scope = replace(scope.within(_parameters(item), frozenset()), below_0=kind == Rule.UNSPECIFIED)
            # The expression stands last.
            yield from edits_of(item.children[-1], inner_scope, condition=_is_condition(item))
    if kind == Rule.UNSPECIFIED:
        # As wide as can be; as narrow as can be it is left out.
        yield Sort.OPEN, *span(item.children[-1]), "true"
    if kind in _DROPPED:
        yield Sort.DROPPED, *span(item), ""


def _is_condition(item: Tree[Token]) -> bool:
    """The expression of an item is a condition."""
    if kind_of(item) == Rule.DEFINE:
        return _result(item) == "bool"
    return kind_of(item) in _CONDITIONS


def _result(item: Tree[Token]) -> str:
    """The type of the value of a definition: behind `)` and `:`."""
    after = next(n for n, c in enumerate(item.children) if str(c) == ")") + 2
    kind = item.children[after]
    if isinstance(kind, Tree):
        return str(kind.children[0])
    return str(kind)


def _parameters(item: Tree[Token]) -> dict[str, str]:
    """For each parameter of a definition, and each element of an order, another of its type."""
    if kind_of(item) == Rule.ORDER:
        before = next(n for n, c in enumerate(item.children) if str(c) == "before")
        return turned([str(item.children[before - 1]), str(item.children[before + 1])])
    # Of another type a name would be rejected at once.
    by_type: dict[str, list[str]] = {}
    for child in item.children:
        if isinstance(child, Tree) and kind_of(child) == Rule.PARAMETER:
            kind = " ".join(str(t) for t in tokens_of(child)[2:])
            by_type.setdefault(kind, []).append(str(child.children[0]))
    made: dict[str, str] = {}
    for names in by_type.values():
        made |= turned(names)
    return made


def _types(item: Tree[Token]) -> Iterator[Edit]:
    """A type left out; one of the same family more."""
    equals = next(n for n, c in enumerate(item.children) if str(c) == "=")
    members = item.children[equals + 1 :]
    for before, member in zip(item.children[equals:], members, strict=False):
        # A family without types is none.
        if len(members) > 1:
            yield Sort.TYPES, span(before)[1], span(member)[1], ""
    listed = [str(m) for m in members]
    sorts = [ELEMENT_TYPES[t] for t in listed if t in ELEMENT_TYPES]
    if not sorts:
        return
    end = span(members[-1])[1]
    # One more is enough to see whether anything is stated of the list.
    for sort in FAMILIES[family_of(sorts[0])]:
        if sort.name not in listed:
            yield Sort.TYPES, end, end, f" {sort.name}"
            return


def _declaration(item: Tree[Token], scope: Scope) -> Iterator[Edit]:
    for child in item.children:
        if isinstance(child, Token):
            if str(child) == "optional":
                yield Sort.DROPPED, span(child)[0], span(child)[1] + 1, ""
            continue
        match kind_of(child):
            case Rule.DECLARED_AS:
                for part in child.children:
                    if isinstance(part, Tree) and kind_of(part) == Rule.BOUNDS:
                        yield from bounds(part, scope)
            case Rule.WHERE:
                yield from edits_of(child, scope)
            case Rule.DEFAULT:
                yield from edits_of(child, scope)
                yield Sort.DROPPED, span(child)[0] - 1, span(child)[1], ""
