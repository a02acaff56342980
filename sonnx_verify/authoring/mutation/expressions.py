"""The slips that an expression invites: each rule of the grammar with what is easily written in its place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from lark import Token, Tree

from sonnx_verify.authoring.mutation.slip import Node, kind_of, span

RELATIONS = {"=": ("!=",), "!=": ("=",), "<": ("<=", ">"), "<=": ("<", ">="), ">": (">=", "<"), ">=": (">", "<=")}
FOLDS = {
    "max": "min",
    "min": "max",
    "greatest": "least",
    "least": "greatest",
    "sum": "product",
    "product": "sum",
    "any": "all",
    "all": "any",
}
CONSTANTS = {"lowest": "greatest", "greatest": "lowest"}
_LOOSE = frozenset(("for_all", "exists", "implies", "iff", "disjunction", "conjunction", "if_", "within"))
"""What stands in brackets where it is negated."""
_CONDITIONS = frozenset(("call", "member_of", "fold", "fails", "group", *_LOOSE)) - {"if_", "within"}
"""What may be negated as a whole; of comparisons and `is` their own word is changed."""

Edit = tuple[str, int, int, str]
"""The kind of a slip, from where to where it is, and what stands there instead."""


@dataclass(frozen=True, slots=True)
class Scope:
    """The text, the orders that it can use by family, and for each name another of the same sort in the same list."""

    text: str
    orders: Mapping[str, str]
    others: Mapping[str, str]

    def within(self, names: Mapping[str, str], bound: frozenset[str]) -> Scope:
        """With what a list of binders binds."""
        kept = {a: b for a, b in self.others.items() if a not in bound and b not in bound}
        return Scope(self.text, self.orders, {**kept, **names})

    def of(self, node: Node) -> str:
        """The text of a node."""
        start, end = span(node)
        return self.text[start:end]


def turned(names: list[str]) -> dict[str, str]:
    """For each of several names the next one."""
    return dict(zip(names, [*names[1:], names[0]], strict=True)) if len(names) > 1 else {}


def edits_of(node: Node, scope: Scope, condition: bool = False) -> Iterator[Edit]:
    """The slips in an expression and its parts. Whether a `condition` stands here is known from around it."""
    if isinstance(node, Token):
        return
    children = node.children
    kind = kind_of(node)
    inner = scope.within(*_bound(node))
    if condition:
        yield from _negated(node, scope)
    yield from _RULES.get(kind, _nothing)(node, inner)
    conditions = kind in ("conjunction", "disjunction", "implies", "iff", "where")
    for place, child in enumerate(children):
        here = conditions or (kind == "if_" and place == 1)
        here = here or (kind in ("for_all", "exists") and place > 0 and kind_of(children[place - 1]) == "COLON")
        here = here or (kind == "group" and condition and place == 1)
        yield from edits_of(child, inner, here and isinstance(child, Tree) and kind_of(child) != "group")


def _nothing(_: Tree[Token], __: Scope) -> Iterator[Edit]:
    return iter(())


def _whole(kind: str, node: Node, new: str) -> Edit:
    start, end = span(node)
    return kind, start, end, new


def _bound(node: Tree[Token]) -> tuple[dict[str, str], frozenset[str]]:
    """The names that a node binds, each with another of them."""
    # `for all`, `exists` and sets have a list of binders, what is given by its parts has one binder.
    listed = next((c for c in node.children if kind_of(c) == "binders"), node if kind_of(node) == "make" else None)
    names: list[str] = []
    if isinstance(listed, Tree):
        names = [str(b.children[0]) for b in listed.children if isinstance(b, Tree) and kind_of(b) == "binder"]
    return turned(names), frozenset(names)


def _negated(node: Tree[Token], scope: Scope) -> Iterator[Edit]:
    kind = kind_of(node)
    if kind in _CONDITIONS:
        text = scope.of(node)
        yield _whole("negation", node, f"not ({text})" if kind in _LOOSE else f"not {text}")


def _relation(node: Tree[Token], scope: Scope) -> Iterator[Edit]:
    for child in node.children:
        if isinstance(child, Token) and str(child) in RELATIONS:
            for new in RELATIONS[str(child)]:
                yield _whole("comparison", child, new)


def _moved(kind: str, node: Node, scope: Scope) -> Iterator[Edit]:
    """One more and one less."""
    text = scope.of(node)
    if text.isdigit():
        yield from (_whole(kind, node, str(int(text) + step)) for step in (1, -1))
    elif not text.endswith((" + 1", " - 1")):  # of these the 1 is a constant that is one more or less
        loose = kind_of(node) in _LOOSE
        yield from (_whole(kind, node, f"({text}) {sign} 1" if loose else f"{text} {sign} 1") for sign in "+-")


def _range(node: Tree[Token], scope: Scope) -> Iterator[Edit]:
    for child in node.children:
        if isinstance(child, Tree) or str(child) != "..":
            yield from _moved("bound", child, scope)


def bounds(node: Tree[Token], scope: Scope) -> Iterator[Edit]:
    """The slips in the bounds of a declared family: its last number is a name that is declared there."""
    yield from _moved("bound", node.children[1], scope)


def _read(node: Tree[Token], scope: Scope) -> Iterator[Edit]:
    if kind_of(node.children[2]) not in ("make", "listed"):
        yield from _moved("index", node.children[2], scope)


def _integer(node: Tree[Token], scope: Scope) -> Iterator[Edit]:
    number = int(str(node.children[0]))
    yield _whole("constant", node, str(number + 1))
    if number:
        yield _whole("constant", node, str(number - 1))


def _decimal(node: Tree[Token], scope: Scope) -> Iterator[Edit]:
    whole, _, part = str(node.children[0]).partition(".")
    yield _whole("constant", node, f"{int(whole) + 1}.{part}")


def _power(node: Tree[Token], scope: Scope) -> Iterator[Edit]:
    exponent = node.children[-1]
    yield _whole("constant", exponent, str(int(str(exponent)) + 1))
    yield _whole("constant", exponent, str(max(0, int(str(exponent)) - 1)))


def _member(node: Tree[Token], scope: Scope) -> Iterator[Edit]:
    if str(node.children[-1]) in CONSTANTS:
        yield _whole("constant", node.children[-1], CONSTANTS[str(node.children[-1])])


def _for_all(node: Tree[Token], scope: Scope) -> Iterator[Edit]:
    start, end = span(node)
    body = node.children[next(n for n, c in enumerate(node.children) if kind_of(c) == "COLON") + 1]
    binders_start, last = span(node.children[2])[0], span(body)[1]
    if last == end:
        yield "quantifier", start, span(node.children[1])[1], "exists"
    else:  # only `for all` says what else is so
        yield "quantifier", start, end, f"exists {scope.text[binders_start:last]}"


def _exists(node: Tree[Token], scope: Scope) -> Iterator[Edit]:
    yield _whole("quantifier", node.children[0], "for all")


def _chain(node: Tree[Token], scope: Scope) -> Iterator[Edit]:
    """`and` for `or` and the other way round; one of the conditions left out."""
    word, other = ("and", "or") if kind_of(node) == "conjunction" else ("or", "and")
    parts = [c for c in node.children if str(c) != word or not isinstance(c, Token)]
    for child in node.children:
        if isinstance(child, Token) and str(child) == word:
            yield _whole("connective", child, other)
    for n, part in enumerate(parts):
        if n:
            yield "dropped", span(parts[n - 1])[1], span(part)[1], ""
        else:
            yield "dropped", span(part)[0], span(parts[1])[0], ""


def _implies(node: Tree[Token], scope: Scope) -> Iterator[Edit]:
    yield _whole("connective", node.children[1], "and")
    yield "dropped", span(node)[0], span(node.children[2])[0], ""


def _iff(node: Tree[Token], scope: Scope) -> Iterator[Edit]:
    yield _whole("connective", node.children[1], "=>")


def _not(node: Tree[Token], scope: Scope) -> Iterator[Edit]:
    yield "negation", span(node)[0], span(node.children[1])[0], ""


def _is(node: Tree[Token], scope: Scope) -> Iterator[Edit]:
    yield _whole("negation", node.children[1], "is not")


def _is_not(node: Tree[Token], scope: Scope) -> Iterator[Edit]:
    yield "negation", span(node.children[1])[0], span(node.children[2])[1], "is"


def _if(node: Tree[Token], scope: Scope) -> Iterator[Edit]:
    yield _whole("dropped", node, scope.of(node.children[3]))
    yield _whole("dropped", node, scope.of(node.children[5]))


def _where(node: Tree[Token], scope: Scope) -> Iterator[Edit]:
    start, end = span(node)
    yield "dropped", start - 1, end, ""


def _sum(node: Tree[Token], scope: Scope) -> Iterator[Edit]:
    for child in node.children:
        if isinstance(child, Token) and str(child) in "+-":
            yield _whole("arithmetic", child, "-" if str(child) == "+" else "+")
    if len(node.children) == 3 and str(node.children[1]) == "-":
        left, right = scope.of(node.children[0]), scope.of(node.children[2])
        if not left.isdigit() and not right.isdigit():
            yield _whole("order", node, f"{right} - {left}")


def _product(node: Tree[Token], scope: Scope) -> Iterator[Edit]:
    for child in node.children:
        if isinstance(child, Token) and str(child) == "*":
            yield _whole("arithmetic", child, "+")


def _negative(node: Tree[Token], scope: Scope) -> Iterator[Edit]:
    yield "arithmetic", span(node)[0], span(node.children[1])[0], ""


def _fold(node: Tree[Token], scope: Scope) -> Iterator[Edit]:
    word = node.children[0]
    if str(word) in FOLDS:
        yield _whole("quantifier", word, FOLDS[str(word)])
    for before, child in zip(node.children, node.children[1:], strict=False):
        if str(before) == "by":
            yield from _order(child, scope)
        if kind_of(child) == "default":
            yield "dropped", span(before)[1], span(child)[1], ""


def _order(name: Node, scope: Scope) -> Iterator[Edit]:
    """Another order of the same family."""
    family = scope.orders.get(str(name))
    others = [o for o, f in scope.orders.items() if f == family and o != str(name)]
    yield from (_whole("order", name, other) for other in others[:1])


def _call(node: Tree[Token], scope: Scope) -> Iterator[Edit]:
    arguments = [c for c in node.children if kind_of(c) == "arguments"]
    for listed in arguments:
        assert isinstance(listed, Tree)
        given = [c for c in listed.children if str(c) != ","]
        for a, b in zip(given, given[1:], strict=False):
            if scope.of(a) != scope.of(b):
                between = scope.text[span(a)[1] : span(b)[0]]
                yield "order", span(a)[0], span(b)[1], f"{scope.of(b)}{between}{scope.of(a)}"
    head = node.children[0]
    if isinstance(head, Tree) and kind_of(head) == "name":
        yield from _order(head.children[0], scope)


def _name(node: Tree[Token], scope: Scope) -> Iterator[Edit]:
    if str(node.children[0]) in scope.others:
        yield _whole("name", node, scope.others[str(node.children[0])])


_RULES = {
    "relation": _relation,
    "range": _range,
    "read": _read,
    "integer": _integer,
    "decimal": _decimal,
    "power": _power,
    "member": _member,
    "for_all": _for_all,
    "exists": _exists,
    "conjunction": _chain,
    "disjunction": _chain,
    "implies": _implies,
    "iff": _iff,
    "not_": _not,
    "is_": _is,
    "is_not": _is_not,
    "if_": _if,
    "where": _where,
    "sum": _sum,
    "product": _product,
    "negative": _negative,
    "fold": _fold,
    "call": _call,
    "name": _name,
}
