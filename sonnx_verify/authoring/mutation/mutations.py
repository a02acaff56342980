"""All mutations in a text: item by item, made from its syntax, so that no title and no comment is touched."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from lark import Token, Tree

from sonnx_verify.authoring.mutation.expressions import Edit, Scope, bounds, edits_of, turned
from sonnx_verify.authoring.mutation.mutation import LEFT_OUT, Mutation, Rule, Sort, change_of, kind_of, span
from sonnx_verify.kernel.core import FAMILIES, family_of
from sonnx_verify.language.files import Unit
from sonnx_verify.language.layout import grammar, layout
from sonnx_verify.language.parser import check_syntax
from sonnx_verify.language.project import Project
from sonnx_verify.language.words import tokens_of
from sonnx_verify.logic.sorts import ELEMENT_TYPES
from sonnx_verify.sources import Source

ALL = "all of it"
"""The name of an item that is left out."""
_COMMENT = re.compile(r'"[^"\n]*"|--[^\n]*')
_WIDTH = 1 << 20
"""More columns than an item has."""
_REMOVED = (Rule.REMOVE, Rule.REMOVE_TYPES, Rule.REMOVE_TYPES_OF, Rule.MOVE)
"""Items of a version that are left out: it is then as the version before."""
_DROPPED = (Rule.CLAUSE, Rule.OUTSIDE, Rule.COUNT, Rule.SHAPE, Rule.VALUE, Rule.UNSPECIFIED, *_REMOVED)
"""Items that are left out as a whole. A text without an input or an attribute would be rejected at once."""
_CONDITIONS = (Rule.CLAUSE, Rule.UNSPECIFIED, Rule.ORDER)
"""Items whose expression is a condition; that of a definition is one if its type says so."""


def mutations_of(source: Source, orders: Mapping[str, str]) -> list[Mutation]:
    """The mutations in a text, in its order, each text that comes out once. `orders` are those that it can use, each
    with its family. Raises SpecificationError where the text is not in the grammar."""
    # The grammar's own message would name a token: this one names the place, the cause and the cure.
    check_syntax(source)
    tree = grammar().parse(source.text)
    # Made in the one layout that the text has without its comments: a reformat makes no other mutations and names.
    text = layout(Source(source.name, _COMMENT.sub(_without, source.text)), _WIDTH)
    plain = grammar().parse(text)
    places = _Places(tokens_of(plain), tokens_of(tree))
    found: dict[str, Mutation] = {}
    for name, item in _named(plain):
        for kind, start, end, new in _edits_of_item(item, Scope(text, orders, {})):
            first, last = places.start(start), places.end(end)
            said = change_of(text[start:end], new)
            if (start, end, new) == (*span(item), ""):
                # Its title is in it, which may be another one tomorrow.
                said = f"{ALL} -> {LEFT_OUT}"
            mutation = Mutation(source, first, source.text[first:last], new, kind, name, said)
            # Two rules may make the same text: the first of them names the mutation.
            if new != text[start:end]:
                found.setdefault(text[:start] + new + text[end:], mutation)
    every = [*found.values(), *_with_errors(source, [x for x in _named(tree) if kind_of(x[1]) == Rule.CLAUSE])]
    return _numbered(sorted(every, key=lambda m: (m.start, m.change)))


def mutations_of_unit(project: Project, unit: Unit) -> list[Mutation]:
    """The mutations in the text of a unit."""
    assert unit.file is not None
    assert unit.file.span is not None
    # Those of the libraries too: another order is one that the text can name.
    orders = {name: order.family for name, order in project.library(unit).orders.items()}
    return mutations_of(unit.file.span.source, orders)


def _without(found: re.Match[str]) -> str:
    """A title as it is, nothing for a comment."""
    if found[0].startswith("--"):
        return ""
    return found[0]


class _Places:
    """The places in a text of those in another layout of it, by the tokens that both have."""

    def __init__(self, tokens: Sequence[Token], others: Sequence[Token]) -> None:
        pairs = [(span(token), span(other)) for token, other in zip(tokens, others, strict=True)]
        self._starts = {there[0]: here[0] for there, here in pairs}
        self._ends = {there[1]: here[1] for there, here in pairs}

    def start(self, place: int) -> int:
        """The place from which something is replaced. In a gap, the end of the token before it."""
        if place in self._starts:
            return self._starts[place]
        return self._ends[max(end for end in self._ends if end <= place)]

    def end(self, place: int) -> int:
        """The place up to which something is replaced. In a gap, the start of the token behind it."""
        if place in self._ends:
            return self._ends[place]
        return self._starts[min(start for start in self._starts if start >= place)]


def _numbered(mutations: Iterable[Mutation]) -> list[Mutation]:
    """The mutations with the numbers of those that change the same in one item."""
    counted: Counter[tuple[str, str]] = Counter()
    made = []
    for mutation in mutations:
        counted[mutation.item, mutation.change] += 1
        made.append(replace(mutation, number=counted[mutation.item, mutation.change]))
    return made


def _with_errors(source: Source, clauses: Sequence[tuple[str, Tree[Token]]]) -> Iterator[Mutation]:
    """A constraint left out with the errors that name it: alone it could not go, as its name would mean nothing."""
    for name, clause in clauses:
        # `[C1]` is C1 in `when C1 fails`.
        tag = str(tokens_of(clause)[0])[1:-1]
        naming = [c for _, c in clauses if c is not clause and tag in map(str, tokens_of(c))]
        if not naming or span(naming[0])[0] < span(clause)[0]:
            continue
        gone = [clause, *naming]
        start, end = span(clause)[0], span(naming[-1])[1]
        kept, at = "", start
        for one in gone:
            kept += source.text[at : span(one)[0]]
            at = span(one)[1]
        said = f"{' and '.join(str(tokens_of(one)[0]) for one in gone)} -> {LEFT_OUT}"
        yield Mutation(source, start, source.text[start:end], kept, Sort.DROPPED, name, said)


def items_of(source: Source) -> Iterator[tuple[str, int, int]]:
    """The items of a text by their names, and from where to where each is."""
    for name, item in _named(grammar().parse(source.text)):
        yield name, *span(item)


def _named(tree: Tree[Token]) -> Iterator[tuple[str, Tree[Token]]]:
    """The items of a text with their names, as `version 7, [C1] for int`; of what a version adds, the added item."""
    version = ""
    for item in tree.children:
        assert isinstance(item, Tree)
        if kind_of(item) == Rule.VERSION:
            version = f"{' '.join(map(str, tokens_of(item)))}, "
        yield f"{version}{_name_of(item)}", item


def _name_of(item: Tree[Token]) -> str:
    """The name of an item: its tag, or its first word and what it declares, as in `input X`, and its family."""
    if kind_of(item) in (Rule.ADD, Rule.REPLACE):
        inner = item.children[1]
        assert isinstance(inner, Tree)
        return _name_of(inner)
    # A mutation that leaves `optional` out is in the same item.
    words = [str(token) for token in tokens_of(item) if str(token) != "optional"]
    name = " ".join(words[:2])
    if kind_of(item) == Rule.TYPES_OF:
        name = " ".join(words[:4])
    if kind_of(item) in _REMOVED:
        name = " ".join(words).partition(" =")[0].partition(" to")[0]
    if words[0].startswith("["):
        name = words[0]
    families = [c for c in item.children if isinstance(c, Tree) and kind_of(c) == Rule.FAMILY]
    return " ".join([name, *(str(token) for family in families for token in tokens_of(family))])


def _edits_of_item(item: Tree[Token], scope: Scope) -> Iterator[Edit]:
    kind = kind_of(item)
    match kind:
        case Rule.ADD | Rule.REPLACE:
            inner = item.children[1]
            assert isinstance(inner, Tree)
            for sort, start, end, new in _edits_of_item(inner, scope):
                # `add` alone is no item: where all that it adds is left out, it goes too.
                is_whole = (start, end, new) == (*span(inner), "")
                yield (sort, *span(item), "") if is_whole else (sort, start, end, new)
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
    # Examples are left alone, and so is the line of a version that removes one.
    if kind in _DROPPED and str(item.children[1]) != "example":
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
