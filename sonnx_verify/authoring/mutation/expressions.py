"""The mutations that an expression invites: for each rule of the grammar the text that is easily written in its place.

A mutation should be one that an author makes, and that comes out as a text: `<` for `<=`, a name for
another of its type. One that the language rejects at once tests nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from lark import Token, Tree

from sonnx_verify.authoring.mutation.mutation import Node, Rule, Sort, kind_of, span
from sonnx_verify.language.functions import REAL_FUNCTIONS
from sonnx_verify.logic.functions import RealFunction

# Of an inequality two: the border, and the other direction.
RELATIONS = {"=": ("!=",), "!=": ("=",), "<": ("<=", ">"), "<=": ("<", ">="), ">": (">=", "<"), ">=": (">", "<=")}
# For each fold the one that is taken for it.
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
_OTHER_SIGN = {"+": "-", "-": "+"}
CONSTANTS = {"lowest": "greatest", "greatest": "lowest", "infinity": "greatest"}
_JOINED = (Rule.CONJUNCTION, Rule.DISJUNCTION, Rule.IMPLIES, Rule.IFF)
_QUANTIFIED = (Rule.FOR_ALL, Rule.EXISTS)
_LOOSE = frozenset((*_JOINED, *_QUANTIFIED, Rule.IF, Rule.WITHIN))
"""Expressions that need brackets where they are negated."""
_CONDITIONS = frozenset((Rule.CALL, Rule.MEMBER_OF, Rule.FOLD, Rule.FAILS, Rule.GROUP, *_JOINED, *_QUANTIFIED))
"""Expressions that may be negated as a whole; of comparisons and `is` their own word is changed."""
_FUNCTIONS = sorted(REAL_FUNCTIONS - {RealFunction.POW})
"""The functions of one real that are called by their names."""

Edit = tuple[Sort, int, int, str]
"""The sort of a mutation, from where to where it is, and the text that stands there instead."""


@dataclass(frozen=True, slots=True)
class Scope:
    """The text, the orders that it can use by family, and for each name another of the same sort in the same list."""

    text: str
    orders: Mapping[str, str]
    others: Mapping[str, str]
    below_0: bool = False
    """A 0 is moved below 0 too, as in `axis < 0`, the edge of what a text leaves open."""

    def within(self, names: Mapping[str, str], bound: frozenset[str]) -> Scope:
        """The scope inside a list of binders, where outer names of the same spelling mean something else."""
        # An outer name is not exchanged for one that means another thing in here.
        kept = {a: b for a, b in self.others.items() if a not in bound and b not in bound}
        return replace(self, others={**kept, **names})

    def of(self, node: Node) -> str:
        """The text of a node."""
        start, end = span(node)
        return self.text[start:end]


def turned(names: Sequence[str]) -> dict[str, str]:
    """For each of several names the next one, for the last the first."""
    if len(names) < 2:
        return {}
    return dict(zip(names, [*names[1:], names[0]], strict=True))


def edits_of(node: Node, scope: Scope, *, condition: bool = False) -> Iterator[Edit]:
    """The mutations in an expression and its parts. Whether a `condition` stands here is known from around it:
    `f(x)` alone may be a number."""
    if isinstance(node, Token):
        return
    inner = scope.within(*_bound(node))
    if condition:
        yield from _negated(node, scope)
    yield from _RULES.get(kind_of(node), _nothing)(node, inner)
    for place, child in enumerate(node.children):
        # The negation of a group is that of the whole: `not (a and b)` once, and not `(not (a and b))` besides.
        here = kind_of(child) != Rule.GROUP and _has_condition(node, place, is_condition=condition)
        yield from edits_of(child, inner, condition=here)


def _has_condition(node: Tree[Token], place: int, *, is_condition: bool) -> bool:
    """A condition stands at a place in a node."""
    match kind_of(node):
        case Rule.CONJUNCTION | Rule.DISJUNCTION | Rule.IMPLIES | Rule.IFF | Rule.WHERE:
            return True
        case Rule.IF:
            return place == 1
        case Rule.FOR_ALL | Rule.EXISTS:
            return place > 0 and kind_of(node.children[place - 1]) == Rule.COLON
        case Rule.GROUP:
            return is_condition and place == 1
        case _:
            return False


def _nothing(_: Tree[Token], __: Scope) -> Iterator[Edit]:
    return iter(())


def _whole(kind: Sort, node: Node, new: str) -> Edit:
    start, end = span(node)
    return kind, start, end, new


def _bound(node: Tree[Token]) -> tuple[dict[str, str], frozenset[str]]:
    """The names that a node binds, each with another of them."""
    listed: list[Node] = []
    if kind_of(node) == Rule.MAKE:
        # Of a shape or a list: it has one binder, and no list of them.
        listed = node.children
    for child in node.children:
        if isinstance(child, Tree) and kind_of(child) == Rule.BINDERS:
            listed = child.children
    names = [str(b.children[0]) for b in listed if isinstance(b, Tree) and kind_of(b) == Rule.BINDER]
    return turned(names), frozenset(names)


def _negated(node: Tree[Token], scope: Scope) -> Iterator[Edit]:
    if kind_of(node) in _CONDITIONS:
        yield _whole(Sort.NEGATION, node, f"not {_in_brackets(node, scope)}")


def _in_brackets(node: Node, scope: Scope) -> str:
    """The text of a node as an operand."""
    text = scope.of(node)
    if kind_of(node) in _LOOSE:
        return f"({text})"
    return text


def _words(node: Tree[Token]) -> Iterator[tuple[Token, str]]:
    """The words and signs that stand in a node itself."""
    for child in node.children:
        if isinstance(child, Token):
            yield child, str(child)


def _relation(node: Tree[Token], scope: Scope) -> Iterator[Edit]:
    for token, sign in _words(node):
        for new in RELATIONS.get(sign, ()):
            yield _whole(Sort.COMPARISON, token, new)


def _moved(kind: Sort, node: Node, scope: Scope) -> Iterator[Edit]:
    """One more and one less."""
    text = scope.of(node)
    if text.isdigit():
        yield _whole(kind, node, str(int(text) + 1))
        yield _whole(kind, node, str(int(text) - 1))
    # Of `n + 1` the 1 is a constant, which is changed by itself: `n + 1 - 1` would be the same as `n + 0`.
    elif not text.endswith((" + 1", " - 1")):
        for sign in "+-":
            yield _whole(kind, node, f"{_in_brackets(node, scope)} {sign} 1")


def _range(node: Tree[Token], scope: Scope) -> Iterator[Edit]:
    for child in node.children:
        if str(child) != "..":
            yield from _moved(Sort.BOUND, child, scope)


def bounds(node: Tree[Token], scope: Scope) -> Iterator[Edit]:
    """The mutations in the bounds of a declared family: its last number is a name that is declared there."""
    yield from _moved(Sort.BOUND, node.children[1], scope)


def _read(node: Tree[Token], scope: Scope) -> Iterator[Edit]:
    # An index that is written out is changed in its parts.
    if kind_of(node.children[2]) not in (Rule.MAKE, Rule.LISTED):
        yield from _moved(Sort.INDEX, node.children[2], scope)


def _integer(node: Tree[Token], scope: Scope) -> Iterator[Edit]:
    # One more and one less, as where somebody counts from 1.
    number = int(str(node.children[0]))
    yield _whole(Sort.CONSTANT, node, str(number + 1))
    if number or scope.below_0:
        yield _whole(Sort.CONSTANT, node, str(number - 1))


def _decimal(node: Tree[Token], scope: Scope) -> Iterator[Edit]:
    # By 1, since a result that is off by little could lie in a margin; and its neighbour, which is a digit mistyped.
    whole, _, part = str(node.children[0]).partition(".")
    yield _whole(Sort.CONSTANT, node, f"{int(whole) + 1}.{part}")
    if part.isdigit():
        yield _whole(Sort.CONSTANT, node, f"{whole}.{part[:-1]}{(int(part[-1]) + 1) % 10}")


def _power(node: Tree[Token], scope: Scope) -> Iterator[Edit]:
    # An exponent is a number that is not negative.
    exponent = node.children[-1]
    yield _whole(Sort.CONSTANT, exponent, str(int(str(exponent)) + 1))
    yield _whole(Sort.CONSTANT, exponent, str(max(0, int(str(exponent)) - 1)))


def _member(node: Tree[Token], scope: Scope) -> Iterator[Edit]:
    if str(node.children[-1]) in CONSTANTS:
        yield _whole(Sort.CONSTANT, node.children[-1], CONSTANTS[str(node.children[-1])])


def _for_all(node: Tree[Token], scope: Scope) -> Iterator[Edit]:
    start, end = span(node)
    colon = next(n for n, child in enumerate(node.children) if kind_of(child) == Rule.COLON)
    body = node.children[colon + 1]
    binders_start, last = span(node.children[2])[0], span(body)[1]
    if last == end:
        yield Sort.QUANTIFIER, start, span(node.children[1])[1], "exists"
    else:
        # Behind the body stands an `otherwise`, which only `for all` has.
        yield Sort.QUANTIFIER, start, end, f"exists {scope.text[binders_start:last]}"


def _exists(node: Tree[Token], scope: Scope) -> Iterator[Edit]:
    yield _whole(Sort.QUANTIFIER, node.children[0], "for all")


def _chain(node: Tree[Token], scope: Scope) -> Iterator[Edit]:
    """`and` for `or` and the other way round; one of the conditions left out."""
    word, other = "and", "or"
    if kind_of(node) == Rule.DISJUNCTION:
        word, other = "or", "and"
    words = [token for token, text in _words(node) if text == word]
    parts = [child for child in node.children if child not in words]
    for token in words:
        yield _whole(Sort.CONNECTIVE, token, other)
    # Each with the word before it, the first with the word behind it.
    yield Sort.DROPPED, span(parts[0])[0], span(parts[1])[0], ""
    for before, part in pairwise(parts):
        yield Sort.DROPPED, span(before)[1], span(part)[1], ""


def _implies(node: Tree[Token], scope: Scope) -> Iterator[Edit]:
    # `p => q` is meant where somebody writes `p and q`; or p is forgotten.
    yield _whole(Sort.CONNECTIVE, node.children[1], "and")
    yield Sort.DROPPED, span(node)[0], span(node.children[2])[0], ""


def _iff(node: Tree[Token], scope: Scope) -> Iterator[Edit]:
    yield _whole(Sort.CONNECTIVE, node.children[1], "=>")


def _not(node: Tree[Token], scope: Scope) -> Iterator[Edit]:
    yield Sort.NEGATION, span(node)[0], span(node.children[1])[0], ""


def _is(node: Tree[Token], scope: Scope) -> Iterator[Edit]:
    yield _whole(Sort.NEGATION, node.children[1], "is not")


def _is_not(node: Tree[Token], scope: Scope) -> Iterator[Edit]:
    yield Sort.NEGATION, span(node.children[1])[0], span(node.children[2])[1], "is"


def _if(node: Tree[Token], scope: Scope) -> Iterator[Edit]:
    # The case distinction is forgotten: one branch stands for both.
    yield _whole(Sort.DROPPED, node, scope.of(node.children[3]))
    yield _whole(Sort.DROPPED, node, scope.of(node.children[5]))


def _where(node: Tree[Token], scope: Scope) -> Iterator[Edit]:
    # With the space before it.
    start, end = span(node)
    yield Sort.DROPPED, start - 1, end, ""


def _sum(node: Tree[Token], scope: Scope) -> Iterator[Edit]:
    for token, sign in _words(node):
        if sign in _OTHER_SIGN:
            yield _whole(Sort.ARITHMETIC, token, _OTHER_SIGN[sign])
    if len(node.children) == 3 and str(node.children[1]) == "-":
        left, right = scope.of(node.children[0]), scope.of(node.children[2])
        # Nobody writes `1 - n` for `n - 1`.
        if not left.isdigit() and not right.isdigit():
            yield _whole(Sort.ORDER, node, f"{right} - {left}")


def _product(node: Tree[Token], scope: Scope) -> Iterator[Edit]:
    for token, sign in _words(node):
        if sign == "*":
            yield _whole(Sort.ARITHMETIC, token, "+")


def _negative(node: Tree[Token], scope: Scope) -> Iterator[Edit]:
    yield Sort.ARITHMETIC, span(node)[0], span(node.children[1])[0], ""


def _fold(node: Tree[Token], scope: Scope) -> Iterator[Edit]:
    word = node.children[0]
    if str(word) in FOLDS:
        yield _whole(Sort.QUANTIFIER, word, FOLDS[str(word)])
    for before, child in pairwise(node.children):
        if str(before) == "by":
            yield from _order(child, scope)
        if kind_of(child) == Rule.DEFAULT:
            yield Sort.DROPPED, span(before)[1], span(child)[1], ""


def _order(name: Node, scope: Scope) -> Iterator[Edit]:
    """Another order of the same family."""
    family = scope.orders.get(str(name))
    for other, of_family in scope.orders.items():
        if of_family == family and other != str(name):
            yield _whole(Sort.ORDER, name, other)
            return


def _call(node: Tree[Token], scope: Scope) -> Iterator[Edit]:
    """Two arguments exchanged; where an order or a function of reals is called, another one."""
    for listed in node.children:
        if isinstance(listed, Tree) and kind_of(listed) == Rule.ARGUMENTS:
            yield from _exchanged(listed, scope)
    head = node.children[0]
    if isinstance(head, Tree) and kind_of(head) == Rule.NAME:
        yield from _order(head.children[0], scope)
        if (other := turned(_FUNCTIONS).get(str(head.children[0]))) is not None:
            yield _whole(Sort.FUNCTION, head, other)


def _exchanged(listed: Tree[Token], scope: Scope) -> Iterator[Edit]:
    given = [c for c in listed.children if str(c) != ","]
    for a, b in pairwise(given):
        if scope.of(a) != scope.of(b):
            between = scope.text[span(a)[1] : span(b)[0]]
            yield Sort.ORDER, span(a)[0], span(b)[1], f"{scope.of(b)}{between}{scope.of(a)}"


def _name(node: Tree[Token], scope: Scope) -> Iterator[Edit]:
    if str(node.children[0]) in scope.others:
        yield _whole(Sort.NAME, node, scope.others[str(node.children[0])])


_RULES: dict[str, Callable[[Tree[Token], Scope], Iterator[Edit]]] = {
    Rule.RELATION: _relation,
    Rule.RANGE: _range,
    Rule.READ: _read,
    Rule.INTEGER: _integer,
    Rule.DECIMAL: _decimal,
    Rule.POWER: _power,
    Rule.MEMBER: _member,
    Rule.FOR_ALL: _for_all,
    Rule.EXISTS: _exists,
    Rule.CONJUNCTION: _chain,
    Rule.DISJUNCTION: _chain,
    Rule.IMPLIES: _implies,
    Rule.IFF: _iff,
    Rule.NOT: _not,
    Rule.IS: _is,
    Rule.IS_NOT: _is_not,
    Rule.IF: _if,
    Rule.WHERE: _where,
    Rule.SUM: _sum,
    Rule.PRODUCT: _product,
    Rule.NEGATIVE: _negative,
    Rule.FOLD: _fold,
    Rule.CALL: _call,
    Rule.NAME: _name,
}
