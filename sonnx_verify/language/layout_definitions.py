"""The layout of definitions, orders and theorems: paragraphs with a line for each part."""

from __future__ import annotations

from lark import Token, Tree

from sonnx_verify.language.documents import HARD, LINE, SPACE, Doc, Joined, Space, align, group, join, nest, on_one_line
from sonnx_verify.language.layout_rules import (
    Child,
    Children,
    Item,
    Layouts,
    Rule,
    position,
    row,
    spaced,
    titled_head,
    tree,
    with_spaces,
)

# -- definitions


def _parameters(lay: Layouts, nodes: Children) -> Doc:
    """`NAME(x : TYPE, ...) ...`"""
    opening, closing = position(nodes, "("), position(nodes, ")")
    inner = group(align(lay.listed(nodes[opening + 1 : closing])))
    rest = [p for n in nodes[closing + 1 :] for p in (SPACE, lay.of(n))]
    return join(lay.spaced(nodes[:opening]), lay.of(nodes[opening]), inner, lay.of(nodes[closing]), *rest)


def define(lay: Layouts, children: Children) -> Item:
    equal = position(children, "=")
    below = [n for n, c in enumerate(children[:equal]) if _is_below(c)]
    end = below[0] if below else equal
    head = _parameters(lay, children[:end])
    lines = [p for n in below for p in (HARD, lay.of(children[n]))]
    result = join(lay.before_line(children[equal]), SPACE, align(lay.of(children[equal + 1])))
    paragraph = join(head, nest(*lines, HARD, result))
    titled = any(isinstance(children[n], Token) for n in below)
    if titled:
        return Item("define", (), paragraph)
    return row("define", [with_spaces([head, *(lay.of(children[n]) for n in below)]), result], paragraph)


def _is_below(node: Child) -> bool:
    return node.type == "STRING" if isinstance(node, Token) else node.data == "recursion"


def order(lay: Layouts, children: Children) -> Item:
    colon = position(children, ":")
    title = titled_head(lay, children[:colon])
    return Item("order", (), join(title, nest(HARD, _before(lay, children[colon:]))))


def _before(lay: Layouts, children: Children) -> Doc:
    """`: x before y = condition`"""
    opening, *words, sign, body = children
    lines = nest(LINE, lay.of(body))
    return join(lay.before_line(opening), SPACE, align(group(lay.spaced(words), SPACE, lay.of(sign), lines)))


def order_by_classes(lay: Layouts, children: Children) -> Item:
    begin, within = position(children, "classes"), position(children, "within")
    first = next(n for n, c in enumerate(children) if isinstance(c, Tree) and c.data == "class_")
    names = [tree(c).children[:2] for c in children[first:within]]
    longest = max(len(on_one_line(lay.spaced(n))) for n in names)
    classes = [p for c in children[first:within] for p in (HARD, _class(lay, tree(c).children, longest))]
    last = join(lay.of(children[within]), SPACE, _before(lay, children[within + 1 :]))
    title = titled_head(lay, children[:begin])
    return Item("order", (), join(title, nest(HARD, lay.spaced(children[begin:first]), nest(*classes), HARD, last)))


def _class(lay: Layouts, children: Children, longest: int) -> Doc:
    colon = position(children, ":")
    name = lay.spaced(children[:colon])
    pad = Space(longest - len(on_one_line(name)) + 1)
    return group(name, pad, lay.of(children[colon]), nest(LINE, lay.of(children[colon + 1])))


# -- theorems


def theorem(lay: Layouts, children: Children) -> Item:
    title = titled_head(lay, children[:3])
    return Item("theorem", (), join(title, nest(*(p for line in _proof(lay, children[3:]) for p in (HARD, line)))))


def _proof(lay: Layouts, children: Children) -> list[Doc]:
    """The lines of a theorem below its title. A hypothesis without quantifiers may stand behind the declarations."""
    lines: list[Doc] = []
    *middle, colon, body = children
    for part in middle:
        joined = lines and isinstance(part, Tree) and part.data == "assuming" and not _quantified(part)
        lines[-1:] = [group(lines[-1], LINE, lay.of(part))] if joined else [*lines[-1:], lay.of(part)]
    return [*lines, join(lay.before_line(colon), SPACE, align(lay.of(body)))]


def _quantified(node: Tree[Token]) -> bool:
    return any(part.data in ("for_all", "exists") for part in node.iter_subtrees())


def _statement(lay: Layouts, children: Children) -> Doc:
    if len(children) == 1:
        return lay.of(children[0])
    lines = _proof(lay, children)
    return join(lines[0], *(p for line in lines[1:] for p in (HARD, line)))


def _assuming(lay: Layouts, children: Children) -> Doc:
    word, condition = children
    return join(lay.before_line(word), SPACE, nest(lay.of(condition)))


def _declarations(lay: Layouts, children: Children) -> Doc:
    word, *rest = children
    return group(lay.of(word), SPACE, nest(lay.listed(rest)))


def _declared(lay: Layouts, children: Children) -> Doc:
    *names, colon, kind = children
    return join(group(lay.listed(names)), SPACE, lay.of(colon), SPACE, lay.of(kind))


def _used_for_all(lay: Layouts, children: Children) -> Doc:
    colon = position(children, ":")
    return join(lay.spaced(children[: colon + 1]), SPACE, _glued(lay, children[colon + 1 :]))


def _glued(lay: Layouts, children: Children) -> Doc:
    return Joined(tuple(lay.all(children)))


def _take(lay: Layouts, children: Children) -> Doc:
    equal = position(children, "=")
    head = children[:equal]
    begin = lay.spaced(head[:2])
    if len(head) > 2:
        inner = group(align(lay.listed(head[3:-1])))
        begin = join(begin, lay.of(head[2]), inner, lay.of(head[-1]))
    return group(begin, SPACE, lay.of(children[equal]), nest(LINE, lay.of(children[equal + 1])))


def _bounds(lay: Layouts, children: Children) -> Doc:
    opening, low, dots, high, closing = children
    return join(lay.of(opening), lay.of(low), SPACE, lay.of(dots), SPACE, lay.of(high), lay.of(closing))


PROOFS: dict[str, Rule] = {
    "statement": _statement,
    "bounds": _bounds,
    "recursion": spaced,
    "parameter": spaced,
    "class_": spaced,
    "declarations": _declarations,
    "declaration": _declared,
    "declared": _glued,
    "assuming": _assuming,
    "induction": spaced,
    "using": _declarations,
    "used": _glued,
    "used_as_named": _glued,
    "used_for_all": _used_for_all,
    "take": _take,
}
