"""The layout of each rule of the grammar: expressions and types, definitions and proofs, items.

Words that begin a line when the line ends before them (`and`, `=>`, `+`, ...) are noted as leading, so that comments
behind them can be moved in front. A text that is laid out says the same: `layout` checks it. Nothing here is trusted.
"""

from __future__ import annotations

from lark import Token, Tree

from sonnx_verify.language.documents import HARD, LINE, SPACE, Doc, Joined, Space, align, group, join, nest, on_one_line
from sonnx_verify.language.layouts import (
    Child,
    Children,
    Item,
    ItemRule,
    Layouts,
    Rule,
    is_word,
    parted,
    position,
    row,
    spaced,
    titled_head,
    tree,
    with_spaces,
)

_CHAINS = ("implies", "iff", "disjunction", "conjunction")


# -- conditions


def _if(lay: Layouts, children: Children) -> Doc:
    word, condition, then, first, otherwise, other = children
    branches: list[Doc] = [_branch(lay, [word], condition, then, first)]
    while isinstance(other, Tree) and other.data == "if_":
        word, condition, then, first, following, other_ = other.children
        branches.append(_branch(lay, [otherwise, word], condition, then, first))
        otherwise, other = following, other_
    # A chain of `else if` is one list of branches: nested, each would be indented by more than the one before.
    last = join(lay.before_line(otherwise), SPACE, align(lay.of(other)))
    return align(group(parted([*branches, last], LINE)))


def _branch(lay: Layouts, words: Children, condition: Child, then: Child, result: Child) -> Doc:
    # `else if` is two words, of which the first may begin a line.
    *begin, word = words
    opening = parted([*map(lay.before_line, begin), lay.of(word)], SPACE)
    answer = nest(LINE, lay.before_line(then), SPACE, align(lay.of(result)))
    return group(opening, SPACE, align(lay.of(condition)), answer)


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
    word, bound, *rest = children
    return group(lay.of(word), SPACE, align(lay.of(bound)), nest(*_centre(lay, rest)))


def _within_steps(lay: Layouts, children: Children) -> Doc:
    word, count, steps, *rest = children
    return group(lay.of(word), SPACE, align(lay.of(count)), SPACE, lay.of(steps), nest(*_centre(lay, rest)))


def _centre(lay: Layouts, children: Children) -> list[Doc]:
    """`of e in a .. b`, with or without the range."""
    of, value, *cut = children
    parts = [LINE, lay.before_line(of), SPACE, align(lay.of(value))]
    if cut:
        sign, ends = cut
        parts += [LINE, lay.before_line(sign), SPACE, align(lay.of(ends))]
    return parts


# `a and b or c and d`: the `or` begins lines first, and each `and` stays on one while it fits. A chain that is the
# first operand of a chain is indented, or its operators would stand below those of the outer one.
def _chain(lay: Layouts, children: Children) -> Doc:
    """Operands on lines of their own, each behind its operator; what is nested in the first one is indented."""
    first, *rest = children
    head = lay.of(first)
    if isinstance(first, Tree) and first.data in _CHAINS:
        head = nest(head)
    parts = [head]
    for operator, operand in zip(rest[::2], rest[1::2], strict=True):
        parts += [LINE, lay.before_line(operator), SPACE, align(lay.of(operand))]
    return group(*parts)


def _implies(lay: Layouts, children: Children) -> Doc:
    """`a => b => c` is read from the right, and laid out as one chain."""
    chain = list(children)
    # Each `=>` begins a line at one indentation: the last operand is what follows from all before it.
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
    # Two signs in a row would begin a comment: `- -x`, not `--x`.
    if isinstance(operand, Tree) and operand.data == "negative":
        return join(lay.of(sign), SPACE, lay.of(operand))
    return join(lay.of(sign), lay.of(operand))


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
    over = group(align(parted(lay.all(binder), LINE)))
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
    "within_steps": _within_steps,
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
    "type_type": spaced,
}


# ------------------------------------------------------------------------------------------ definitions and proofs


# -- definitions


def _parameters(lay: Layouts, nodes: Children) -> Doc:
    """`NAME(x : TYPE, ...) ...`"""
    opening, closing = position(nodes, "("), position(nodes, ")")
    inner = group(align(lay.listed(nodes[opening + 1 : closing])))
    rest = parted([lay.of(nodes[closing]), *lay.all(nodes[closing + 1 :])], SPACE)
    return join(lay.spaced(nodes[:opening]), lay.of(nodes[opening]), inner, rest)


def define(lay: Layouts, children: Children) -> Item:
    equal = position(children, "=")
    below = [c for c in children[:equal] if _is_below(c)]
    head = _parameters(lay, [c for c in children[:equal] if c not in below])
    result = join(lay.before_line(children[equal]), SPACE, align(lay.of(children[equal + 1])))
    lines = parted([*lay.all(below), result], HARD)
    paragraph = join(head, nest(HARD, lines))
    # A title is a sentence, and has a line of its own. Definitions without one are rows, with their results aligned.
    if any(isinstance(c, Token) for c in below):
        return Item("define", (), paragraph)
    return row("define", [with_spaces([head, *lay.all(below)]), result], paragraph)


def _is_below(node: Child) -> bool:
    if isinstance(node, Token):
        return node.type == "STRING"
    return node.data == "recursion"


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
    # The conditions of classes stand below each other, whatever the lengths of their names.
    longest = max(len(on_one_line(lay.spaced(n))) for n in names)
    classes = parted([_class(lay, tree(c).children, longest) for c in children[first:within]], HARD)
    last = join(lay.of(children[within]), SPACE, _before(lay, children[within + 1 :]))
    title = titled_head(lay, children[:begin])
    listed = nest(HARD, classes)
    return Item("order", (), join(title, nest(HARD, lay.spaced(children[begin:first]), listed, HARD, last)))


def _class(lay: Layouts, children: Children, longest: int) -> Doc:
    colon = position(children, ":")
    name = lay.spaced(children[:colon])
    pad = Space(longest - len(on_one_line(name)) + 1)
    return group(name, pad, lay.of(children[colon]), nest(LINE, lay.of(children[colon + 1])))


# -- theorems


def theorem(lay: Layouts, children: Children) -> Item:
    title = titled_head(lay, children[:3])
    return Item("theorem", (), join(title, nest(HARD, parted(_proof(lay, children[3:]), HARD))))


def _axiom(lay: Layouts, children: Children) -> Item:
    title = join(titled_head(lay, children[:3]), SPACE, lay.of(children[3]))
    return Item("theorem", (), join(title, nest(HARD, parted(_proof(lay, children[4:]), HARD))))


def _proof(lay: Layouts, children: Children) -> list[Doc]:
    """The lines of a theorem below its title. A hypothesis without quantifiers may stand behind the declarations."""
    lines: list[Doc] = []
    *middle, colon, body = children
    for part in middle:
        assumed = isinstance(part, Tree) and part.data == "assuming" and not _quantified(part)
        if lines and assumed:
            lines.append(group(lines.pop(), LINE, lay.of(part)))
        else:
            lines.append(lay.of(part))
    return [*lines, join(lay.before_line(colon), SPACE, align(lay.of(body)))]


def _quantified(node: Tree[Token]) -> bool:
    return any(part.data in ("for_all", "exists") for part in node.iter_subtrees())


def _statement(lay: Layouts, children: Children) -> Doc:
    if len(children) == 1:
        return lay.of(children[0])
    return parted(_proof(lay, children), HARD)


def _assuming(lay: Layouts, children: Children) -> Doc:
    word, condition = children
    return join(lay.before_line(word), SPACE, nest(lay.of(condition)))


def _declarations(lay: Layouts, children: Children) -> Doc:
    word, *rest = children
    return group(lay.of(word), SPACE, nest(lay.listed(rest)))


def _cited(lay: Layouts, children: Children) -> Doc:
    word, family, *used = children
    if tree(family).data == "cited_for":
        return group(lay.spaced([word, family]), SPACE, nest(lay.listed(used)))
    return _declarations(lay, children)


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
    "cited": _cited,
    "used": _glued,
    "used_as_named": _glued,
    "used_for_all": _used_for_all,
    "take": _take,
}


# ---------------------------------------------------------------------------------------------------------- items


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
    """The items, as many on a line as fit."""
    parts: list[Doc] = []
    for node in nodes:
        part = lay.of(node)
        if not is_word(node, ","):
            part = group(LINE, part)
        parts.append(part)
    return Joined(tuple(parts))


def _types(lay: Layouts, children: Children) -> Item:
    equal = position(children, "=")
    head, sign, names = lay.spaced(children[:equal]), lay.of(children[equal]), children[equal + 1 :]
    tail = join(sign, SPACE, lay.spaced(names))
    return row("types", [head, tail], join(head, SPACE, sign, nest(_filled(lay, names))))


def _expect(lay: Layouts, children: Children) -> Item:
    return row("expect", [lay.spaced(children[:2]), lay.spaced(children[2:])], _titled(lay, children))


# -- examples

_IN_EXAMPLES = ("entry", "refused", "excluded", "left_open", "pinned")


def _example(lay: Layouts, children: Children) -> Item:
    below = [c for c in children if isinstance(c, Tree) and c.data in _IN_EXAMPLES]
    head = _titled(lay, [c for c in children if c not in below])
    names = [len(str(tree(c).children[0])) for c in below if tree(c).data == "entry"]
    # Values stand below each other, as they are printed.
    lines = [_entry(lay, tree(c), max(names, default=0)) for c in below]
    return Item("example", (), join(head, nest(HARD, parted(lines, HARD))))


def _entry(lay: Layouts, node: Tree[Token], longest: int) -> Doc:
    if node.data != "entry":
        return lay.of(node)
    name, sign, value = node.children
    pad = Space(longest - len(str(name)) + 1)
    return join(lay.of(name), pad, lay.of(sign), SPACE, align(lay.of(value)))


def _tensor_value(lay: Layouts, children: Children) -> Doc:
    lacking = [c for c in children if isinstance(c, Tree) and c.data == "lacking"]
    value = with_spaces(lay.all([c for c in children if c not in lacking]))
    return join(value, *lay.all(lacking))


def _datum_list(lay: Layouts, children: Children) -> Doc:
    """A list with as many items on a line as fit."""
    opening, *items, closing = children
    parts: list[Doc] = []
    for item in items:
        part = lay.of(item)
        if parts and not is_word(item, ","):
            part = group(LINE, part)
        parts.append(part)
    return join(lay.of(opening), align(Joined(tuple(parts))), lay.of(closing))


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
    lines = [nest(LINE, one) for one in condition]
    return row(kind, [*head, tail], group(with_spaces([*head, plain]), *lines))


# -- clauses and rules


def _clause(lay: Layouts, children: Children) -> Item:
    # Tag, kind, title and condition are columns: clauses in a row are read as a table.
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


def _assignment(kind: str, lead: int) -> ItemRule:
    """`head = expression`, where the first `lead` words of the head have a column of their own: 2 of `shape Y`, 5 of
    `value Y[i]`, more of `shape Y[k]` and `value Y[k][i]`. Behind them stand `from` and `for`."""

    def rule(lay: Layouts, children: Children) -> Item:
        tag, rest = _tagged(lay, children)
        equal = position(rest, "=")
        split = _end_of_head(rest, lead, equal)
        marks: list[Doc | None] = [None]
        if split < equal:
            marks = [lay.spaced(rest[split:equal])]
        head = [*tag, lay.spaced(rest[:split]), *marks]
        sign, body = lay.of(rest[equal]), lay.of(rest[equal + 1])
        # A tag is a cell more, so tagged rows are aligned with each other and not with the others.
        name = " ".join(["tagged"] * len(tag) + [kind])
        paragraph = join(with_spaces(head), SPACE, sign, nest(HARD, body))
        return row(name, [*head, join(sign, SPACE, body)], paragraph)

    return rule


def _end_of_head(children: Children, lead: int, equal: int) -> int:
    """The number of words in front of `from`, `for` and `=`. A name of a member, in brackets, is one of them."""
    at = lead
    while at < equal and is_word(children[at], "["):
        at += 3
    return min(at, equal)


def _unspecified(lay: Layouts, children: Children) -> Item:
    when = position(children, "when")
    head, word, body = lay.spaced(children[:when]), lay.of(children[when]), lay.of(children[when + 1])
    lines = join(SPACE, word, nest(HARD, body))
    if any(isinstance(c, Token) and c.type == "STRING" for c in children[:when]):
        lines = nest(HARD, word, SPACE, align(body))
    return row("unspecified", [join(head, SPACE, word, SPACE, body)], join(head, lines))


# -- versions


def _change(lay: Layouts, children: Children) -> Item:
    word, item = children
    inner = item_of(lay, tree(item))
    before = lay.of(word)
    cells: tuple[Doc | None, ...] = ()
    if inner.cells:
        cells = (before, *inner.cells)
    return Item(f"{word} {inner.kind}", cells, join(before, SPACE, inner.paragraph))


def item_of(lay: Layouts, node: Tree[Token]) -> Item:
    """The layout of an item; one that is a part of other items too is a paragraph."""
    # `using`, which is a line of a theorem too.
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
    "let": _assignment("let", 2),
    "count": _assignment("result", 2),
    "shape": _assignment("result", 2),
    "value": _assignment("result", 5),
    "unspecified": _unspecified,
    "define": define,
    "order": order,
    "order_by_classes": order_by_classes,
    "theorem": theorem,
    "axiom": _axiom,
    "example": _example,
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
    "of_line": spaced,
    "cited_for": spaced,
    "entry": spaced,
    "refused": spaced,
    "excluded": spaced,
    "left_open": spaced,
    "pinned": spaced,
    "tensor_value": _tensor_value,
    "plain_value": spaced,
    "not_given": spaced,
    "not_asked": spaced,
    "sizes": spaced,
    "datum_list": _datum_list,
    "lacking": spaced,
}

RULES = MARKS | PROOFS | EXPRESSIONS
