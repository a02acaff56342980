"""The layout of items: one function for each rule of the grammar.

An item is a row, if it has a line of its own and is aligned with its neighbours of the same kind, or a paragraph.
"""

from __future__ import annotations

from collections.abc import Callable

from lark import Token, Tree

from sonnx_verify.language.documents import HARD, LINE, SPACE, Doc, Joined, align, group, join, nest
from sonnx_verify.language.layout_definitions import PROOFS, define, order, order_by_classes, theorem
from sonnx_verify.language.layout_expressions import EXPRESSIONS
from sonnx_verify.language.layout_rules import (
    Children,
    Item,
    ItemRule,
    Layouts,
    Rule,
    position,
    row,
    spaced,
    tree,
    with_spaces,
)


def _tagged(lay: Layouts, children: Children) -> tuple[list[Doc | None], Children]:
    """The cell of a tag, if there is one, and the other children."""
    first = children[0]
    if isinstance(first, Token) and first.type == "TAG":
        return [lay.of(first)], children[1:]
    return [], children


# -- items of words


def _words(kind: str) -> ItemRule:
    """Words; the line may end before a text at the end."""

    def rule(lay: Layouts, children: Children) -> Item:
        return Item(kind, (), _titled(lay, children))

    return rule


def _titled(lay: Layouts, children: Children) -> Doc:
    *words, last = children
    if isinstance(last, Token) and last.type == "STRING":
        return group(lay.spaced(words), nest(LINE, lay.of(last)))
    return lay.spaced(children)


def _refines(lay: Layouts, children: Children) -> Item:
    first = next(n for n, c in enumerate(children) if isinstance(c, Tree))
    renamings = _filled(lay, children[first:])
    return Item("refines", (), join(lay.spaced(children[:first]), nest(renamings)))


def _filled(lay: Layouts, nodes: Children) -> Doc:
    """As many on a line as fit."""
    parts: list[Doc] = []
    for node in nodes:
        comma = isinstance(node, Token) and str(node) == ","
        parts.append(lay.of(node) if comma else group(LINE, lay.of(node)))
    return Joined(tuple(parts))


def _types(lay: Layouts, children: Children) -> Item:
    equal = position(children, "=")
    head, sign, names = lay.spaced(children[:equal]), lay.of(children[equal]), children[equal + 1 :]
    tail = join(sign, SPACE, lay.spaced(names))
    return row("types", [head, tail], join(head, SPACE, sign, nest(_filled(lay, names))))


def _expect(lay: Layouts, children: Children) -> Item:
    return row("expect", [lay.spaced(children[:2]), lay.spaced(children[2:])], _titled(lay, children))


# -- declarations


def _declaration(lay: Layouts, children: Children) -> Item:
    at = next(n for n, c in enumerate(children) if isinstance(c, Tree))
    declared = tree(children[at]).children
    colon = position(declared, ":")
    head: list[Doc | None] = [lay.spaced(children[:at]), Joined(tuple(lay.all(declared[:colon])))]
    return _typed("declaration", lay, head, [*declared[colon:], *children[at + 1 :]])


def _move(lay: Layouts, children: Children) -> Item:
    colon = position(children, ":")
    return _typed("move", lay, [lay.spaced(children[:colon])], children[colon:])


def _typed(kind: str, lay: Layouts, head: list[Doc | None], rest: Children) -> Item:
    where = [c for c in rest if isinstance(c, Tree) and c.data == "where"]
    plain = lay.spaced([c for c in rest if c not in where])
    condition = [lay.of(c) for c in where]
    tail = with_spaces([plain, *condition])
    lines = nest(LINE, *condition) if condition else Joined(())
    return row(kind, [*head, tail], group(with_spaces([*head, plain]), lines))


def _bounds(lay: Layouts, children: Children) -> Doc:
    opening, low, dots, high, closing = children
    return join(lay.of(opening), lay.of(low), SPACE, lay.of(dots), SPACE, lay.of(high), lay.of(closing))


# -- clauses and rules


def _clause(lay: Layouts, children: Children) -> Item:
    colon = position(children, ":")
    head: list[Doc | None] = [lay.of(children[0]), lay.of(children[1])]
    title = next(n for n, c in enumerate(children) if isinstance(c, Token) and c.type == "STRING")
    origin = lay.all(children[2:title])
    texts = nest(LINE, lay.spaced(children[title:colon]))
    opening = lay.before_line(children[colon])
    *when, body = children[colon + 1 :]
    words = [lay.of(w) for w in when]
    if when and str(when[0]) == "when":
        words = [lay.before_line(when[0])]
    condition = join(opening, SPACE, with_spaces([*words, align(lay.of(body))]))
    rest = with_spaces([*origin, lay.spaced(children[title:colon])])
    paragraph = join(group(with_spaces([*head, *origin]), texts), nest(HARD, condition))
    return row("clause", [*head, rest, condition], paragraph)


def _assignment(kind: str, lead: Callable[[Children], int]) -> ItemRule:
    """`head = expression`, where the first words of the head, as many as `lead` says, have a column of their own."""

    def rule(lay: Layouts, children: Children) -> Item:
        tag, rest = _tagged(lay, children)
        equal = position(rest, "=")
        split = min(lead(rest), equal)
        marks = lay.spaced(rest[split:equal]) if split < equal else None
        head = [*tag, lay.spaced(rest[:split]), marks]
        sign, body = lay.of(rest[equal]), lay.of(rest[equal + 1])
        name = f"tagged {kind}" if tag else kind
        paragraph = join(with_spaces(head), SPACE, sign, nest(HARD, body))
        return row(name, [*head, join(sign, SPACE, body)], paragraph)

    return rule


def _indexed(children: Children) -> int:
    """How many words say what is given: `shape Y`, `value Y[i]`."""
    return 5 if str(children[0]) == "value" else 2


def _unspecified(lay: Layouts, children: Children) -> Item:
    when = position(children, "when")
    head, word, body = lay.spaced(children[:when]), lay.of(children[when]), lay.of(children[when + 1])
    titled = any(isinstance(c, Token) and c.type == "STRING" for c in children[:when])
    lines = nest(HARD, word, SPACE, align(body)) if titled else join(SPACE, word, nest(HARD, body))
    return row("unspecified", [join(head, SPACE, word, SPACE, body)], join(head, lines))


# -- versions


def _change(lay: Layouts, children: Children) -> Item:
    word, item = children
    inner = item_of(lay, tree(item))
    before = lay.of(word)
    cells = (before, *inner.cells) if inner.cells else ()
    return Item(f"{word} {inner.kind}", cells, join(before, SPACE, inner.paragraph))


def item_of(lay: Layouts, node: Tree[Token]) -> Item:
    """The layout of an item; one that is a part of other items too is a paragraph."""
    if node.data not in ITEMS:
        return Item(str(node.data), (), lay.of(node))
    return ITEMS[node.data](lay, node.children)


ITEMS: dict[str, ItemRule] = {
    "use": _words("use"),
    "library": _words("library"),
    "theory": _words("theory"),
    "operator": _words("operator"),
    "refines": _refines,
    "page": _words("page"),
    "types": _types,
    "types_of": _types,
    "input": _declaration,
    "output": _declaration,
    "attribute": _declaration,
    "fact": _words("fact"),
    "general": _words("general"),
    "clause": _clause,
    "outside": _clause,
    "let": _assignment("let", lambda children: 2),
    "shape": _assignment("result", _indexed),
    "value": _assignment("result", _indexed),
    "unspecified": _unspecified,
    "define": define,
    "order": order,
    "order_by_classes": order_by_classes,
    "theorem": theorem,
    "undefined": _words("undefined"),
    "reading": _words("reading"),
    "indices_from": _words("indices"),
    "expect": _expect,
    "version": _words("version"),
    "add": _change,
    "replace": _change,
    "remove": _words("remove"),
    "remove_types": _types,
    "remove_types_of": _types,
    "move": _move,
}

MARKS: dict[str, Rule] = {
    "declared_as": spaced,
    "text": spaced,
    "every": spaced,
    "renaming": spaced,
    "origin": spaced,
    "family": spaced,
}

RULES = MARKS | PROOFS | EXPRESSIONS
