"""The layout of expressions and types: one function for each rule of the grammar.

Words that begin a line when the line ends before them (`and`, `=>`, `+`, ...) are noted as leading, so that comments
behind them can be moved in front.
"""

from __future__ import annotations

from collections.abc import Sequence

from lark import Tree

from sonnx_verify.language.documents import LINE, SPACE, Doc, Joined, align, group, join, nest
from sonnx_verify.language.layout_rules import Child, Children, Layouts, Rule, is_word, spaced

_CHAINS = ("implies", "iff", "disjunction", "conjunction")


# -- conditions


def _if(lay: Layouts, children: Children) -> Doc:
    word, condition, then, first, otherwise, other = children
    branches: list[Doc] = [_branch(lay, [word], condition, then, first)]
    while isinstance(other, Tree) and other.data == "if_":
        word, condition, then, first, following, other_ = other.children
        branches.append(_branch(lay, [otherwise, word], condition, then, first))
        otherwise, other = following, other_
    last = join(lay.before_line(otherwise), SPACE, align(lay.of(other)))
    return align(group(*_lines([*branches, last])))


def _branch(lay: Layouts, words: Children, condition: Child, then: Child, result: Child) -> Doc:
    begin = [lay.before_line(words[0])] if len(words) > 1 else []
    opening = _lined([*begin, lay.of(words[-1])], SPACE)
    answer = nest(LINE, lay.before_line(then), SPACE, align(lay.of(result)))
    return group(opening, SPACE, align(lay.of(condition)), answer)


def _lines(parts: Sequence[Doc]) -> list[Doc]:
    return [p for n, part in enumerate(parts) for p in ((LINE, part) if n else (part,))]


def _lined(parts: Sequence[Doc], between: Doc) -> Doc:
    return Joined(tuple(p for n, part in enumerate(parts) for p in ((between, part) if n else (part,))))


def _quantifier(lay: Layouts, children: Children) -> Doc:
    colon = next(n for n, c in enumerate(children) if is_word(c, ":"))
    *words, binders = children[:colon]
    opening = join(lay.spaced(words), SPACE, lay.of(binders), SPACE, lay.of(children[colon]))
    body = group(opening, nest(LINE, lay.of(children[colon + 1])))
    rest = children[colon + 2 :]
    if not rest:
        return align(body)
    return align(group(body, LINE, lay.before_line(rest[0]), SPACE, lay.of(rest[1])))


def _within(lay: Layouts, children: Children) -> Doc:
    word, bound, of, value = children
    return group(
        lay.of(word), SPACE, align(lay.of(bound)), nest(LINE, lay.before_line(of), SPACE, align(lay.of(value)))
    )


def _chain(lay: Layouts, children: Children) -> Doc:
    """Operands on lines of their own, each behind its operator; what is nested in the first one is indented."""
    first, *rest = children
    nested = isinstance(first, Tree) and first.data in _CHAINS
    parts: list[Doc] = [nest(lay.of(first)) if nested else lay.of(first)]
    for operator, operand in zip(rest[::2], rest[1::2], strict=True):
        parts += [LINE, lay.before_line(operator), SPACE, align(lay.of(operand))]
    return group(*parts)


def _implies(lay: Layouts, children: Children) -> Doc:
    """`a => b => c` is read from the right, and laid out as one chain."""
    chain = list(children)
    while isinstance(chain[-1], Tree) and chain[-1].data == "implies":
        chain[-1:] = chain[-1].children
    return _chain(lay, chain)


def _operation(lay: Layouts, children: Children) -> Doc:
    """Operands behind their operators, on lines that are indented."""
    first, *rest = children
    parts: list[Doc] = []
    for operator, operand in zip(rest[::2], rest[1::2], strict=True):
        parts += [LINE, lay.before_line(operator), SPACE, align(lay.of(operand))]
    return group(lay.of(first), nest(*parts))


def _not(lay: Layouts, children: Children) -> Doc:
    word, operand = children
    return join(lay.of(word), SPACE, align(lay.of(operand)))


# -- numbers, reads, calls


def _negative(lay: Layouts, children: Children) -> Doc:
    sign, operand = children
    twice = isinstance(operand, Tree) and operand.data == "negative"  # two signs in a row would begin a comment
    return join(lay.of(sign), *([SPACE] if twice else []), lay.of(operand))


def _close(lay: Layouts, children: Children) -> Doc:
    return Joined(tuple(lay.all(children)))


def _bracketed(lay: Layouts, children: Children) -> Doc:
    *before, opening, inner, closing = children
    return join(*lay.all(before), lay.of(opening), align(lay.of(inner)), lay.of(closing))


def _arguments(lay: Layouts, children: Children) -> Doc:
    return group(align(lay.listed(children)))


def _call_with(lay: Layouts, children: Children) -> Doc:
    called, opening, arguments, word, *settings, closing = children
    given = nest(LINE, lay.before_line(word), SPACE, align(lay.listed(settings)))
    return join(lay.of(called), lay.of(opening), group(align(lay.of(arguments), given)), lay.of(closing))


def _assigned(lay: Layouts, children: Children) -> Doc:
    return join(lay.spaced(children[:-1]), SPACE, align(lay.of(children[-1])))


# -- sets, folds, makers


def _binders(lay: Layouts, children: Children) -> Doc:
    return group(align(lay.listed(children)))


def _where(lay: Layouts, children: Children) -> Doc:
    word, condition = children
    return join(lay.before_line(word), SPACE, align(lay.of(condition)))


def _set(lay: Layouts, children: Children) -> Doc:
    opening, member, bar, binders, closing = children
    among = nest(LINE, lay.before_line(bar), SPACE, lay.of(binders))
    return group(align(lay.of(opening), SPACE, align(lay.of(member)), among, SPACE, lay.of(closing)))


def _make(lay: Layouts, children: Children) -> Doc:
    maker, opening, *binder, arrow, part, closing = children
    over = group(align(lay.spaced(binder[:3]), *(p for w in binder[3:] for p in (LINE, lay.of(w)))))
    begin = join(lay.of(maker), SPACE, lay.of(opening), over, SPACE, lay.of(arrow))
    return align(group(begin, nest(LINE, lay.of(part)), lay.of(closing)))


def _replaced(lay: Layouts, children: Children) -> Doc:
    opening, index, word, left, axis, right, equal, coordinate, closing = children
    change = join(lay.before_line(word), SPACE, lay.of(left), align(lay.of(axis)), lay.of(right), SPACE, lay.of(equal))
    return join(
        lay.of(opening),
        group(align(lay.of(index), nest(LINE, change, SPACE, align(lay.of(coordinate))))),
        lay.of(closing),
    )


EXPRESSIONS: dict[str, Rule] = {
    "if_": _if,
    "for_all": _quantifier,
    "exists": _quantifier,
    "within": _within,
    "implies": _implies,
    "iff": _chain,
    "disjunction": _chain,
    "conjunction": _chain,
    "not_": _not,
    "relation": _operation,
    "member_of": _operation,
    "is_": spaced,
    "is_not": spaced,
    "fails": spaced,
    "sum": _operation,
    "product": _operation,
    "negative": _negative,
    "power": _close,
    "read": _bracketed,
    "slice": _bracketed,
    "call": _bracketed,
    "call_with": _call_with,
    "call_set": spaced,
    "member": _close,
    "setting": _assigned,
    "integer": _close,
    "decimal": _close,
    "text_value": _close,
    "name": _close,
    "group": _bracketed,
    "listed": _bracketed,
    "any_": spaced,
    "fold": spaced,
    "make": _make,
    "replaced": _replaced,
    "set": _set,
    "default": spaced,
    "arguments": _arguments,
    "binders": _binders,
    "binder": spaced,
    "range": _operation,
    "where": _where,
    "named_type": spaced,
    "tensor_type": spaced,
    "list_type": spaced,
    "set_type": spaced,
}
