"""Sums of floats in the terms of implementations: trees of additions, whose values a rule on trust bounds."""

from __future__ import annotations

from collections.abc import Sequence

from sonnx_verify.conformance.symbolic.folds import is_tree
from sonnx_verify.logic import floats
from sonnx_verify.logic.binders import replace_nodes
from sonnx_verify.logic.float_sums import SUM_BY_ADDITIONS, sum_by_additions
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.sorts import FloatSort
from sonnx_verify.logic.terms import Symbol, Term, apply, subterms

HALF_SUMS = (
    "numpy adds float16 in float, each addition rounded to that, and rounds the sum to float16 once: it is within the "
    "bound of float16 additions"
)
WIDER_SUMS = (
    "a sum in a format of more than twice as many digits, rounded once to that of its elements, is within the bound of "
    "additions in that"
)


def with_sums_named(terms: Sequence[Term]) -> tuple[list[Term], list[Term], set[str]]:
    """The terms with each tree of two or more additions as a free symbol; what is known of these; and the rules on
    trust that say so."""
    facts: list[Term] = []
    rules: set[str] = set()
    named: dict[Term, Term] = {}
    for node in _topmost(terms):
        members, rule = _members(node)
        if len(members) < 2:
            continue
        value = apply(Symbol(f"sum {len(named)}", (), node.sort))
        named[node] = value
        facts.append(sum_by_additions(value, members))
        rules |= {SUM_BY_ADDITIONS, rule} - {""}
    return replace_nodes(terms, named), facts, rules


def _is_sum(node: Term) -> bool:
    return isinstance(node.sort, FloatSort) and (_adds(node) or _is_narrowed(node))


def _adds(node: Term) -> bool:
    return node.op == Op.ADD or is_tree(node)


def _is_narrowed(node: Term) -> bool:
    """Return whether it is a sum in a wider format, of elements of this one, that is rounded to this one once."""
    if node.op != Op.CONVERTED:
        return False
    inner, sort = node.args[0], node.sort
    assert isinstance(sort, FloatSort)
    # float has 24 digits, float16 11: with 2p + 2 digits an addition that is rounded twice is rounded as if once
    # (Figueroa 1995). For longer sums that is the rule WIDER_SUMS, on trust.
    if not isinstance(inner.sort, FloatSort) or inner.sort.significand < 2 * sort.significand + 2:
        return False
    if not _adds(inner):
        return False
    return all(leaf.op == Op.CONVERTED and leaf.args[0].sort == sort for leaf in _leaves(inner))


def _topmost(terms: Sequence[Term]) -> list[Term]:
    """The sums that are no part of another one."""
    inside: set[Term] = set()
    found: dict[Term, None] = {}
    for node in reversed(list(subterms(*terms))):
        if _is_sum(node):
            if node not in inside:
                found[node] = None
            # A part of a larger sum is no sum of its own: one rule covers the whole tree, in any order.
            inside.update(node.args)
    return list(found)


def _leaves(node: Term) -> list[Term]:
    """The terms that are added. A zero that is written out changes nothing but the sign of a zero."""
    if _adds(node):
        found: list[Term] = []
        for arg in node.args:
            found += _leaves(arg)
        return found
    sort = node.sort
    assert isinstance(sort, FloatSort)
    if node.op == Op.LITERAL and isinstance(node.payload, int) and floats.is_zero(sort, node.payload):
        return []
    return [node]


def _members(node: Term) -> tuple[list[Term], str]:
    """The terms that are added, and the further rule that has to be trusted, if any."""
    if node.op == Op.CONVERTED:
        return [leaf.args[0] for leaf in _leaves(node.args[0])], WIDER_SUMS
    rule = ""
    # `a + b` in float16 is one operation of numpy; `sum` adds in float.
    if node.sort.name == "float16" and any(map(is_tree, subterms(node))):
        rule = HALF_SUMS
    return _leaves(node), rule
