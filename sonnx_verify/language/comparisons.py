"""Comparisons of values. Trusted. Values in, conditions out."""

from __future__ import annotations

from sonnx_verify.kernel import comparisons
from sonnx_verify.kernel.guards import both, negation
from sonnx_verify.kernel.values import Value
from sonnx_verify.language import syntax as s
from sonnx_verify.language.complaints import expressions as complaints
from sonnx_verify.language.context import Context
from sonnx_verify.language.numbers import Numbers
from sonnx_verify.logic.sorts import BOOL, STRING
from sonnx_verify.logic.terms import Term


class Comparisons:
    """Comparisons in one context."""

    def __init__(self, context: Context, numbers: Numbers) -> None:
        self._context, self._numbers = context, numbers

    def chain(self, node: s.Relation, values: list[Value]) -> Term:
        """`a <= b < c` is `a <= b and b < c`."""
        parts: list[Term] = []
        for n, sign in enumerate(node.signs):
            # Each pair by itself: the n of `0 <= n` is a number also in `0 <= n < X[i]`, which is an error.
            a, b = self._numbers.as_elements(node.operands[n], values[n], node.operands[n + 1], values[n + 1])
            parts.append(self._compare(node, sign, a, b))
        return both(parts)

    def _compare(self, node: s.Relation, sign: s.Comparison, a: Value, b: Value) -> Term:
        if sign is s.Comparison.EQUAL:
            return self._same(node, a, b)
        if sign is s.Comparison.UNEQUAL:
            return negation(self._same(node, a, b))
        # `a > b` is `b < a`, also of floats: no comparison holds of a NaN. `not (a <= b)` would be true of one.
        first, second = self._comparable(node, sign, a, b)
        match sign:
            case s.Comparison.AT_MOST:
                return comparisons.at_most(self._context, first, second)
            case s.Comparison.LESS:
                return comparisons.less(self._context, first, second)
            case s.Comparison.AT_LEAST:
                return comparisons.at_most(self._context, second, first)
            case s.Comparison.MORE:
                return comparisons.less(self._context, second, first)

    def _comparable(self, node: s.Relation, sign: s.Comparison, a: Value, b: Value) -> tuple[Term, Term]:
        if isinstance(a, Term) and isinstance(b, Term) and a.sort == b.sort and a.sort not in (BOOL, STRING):
            return a, b
        raise complaints.not_ordered(node, sign, a, b, self._context)

    def _same(self, node: s.Expression, a: Value, b: Value) -> Term:
        made = comparisons.same(a, b)
        if made is None:
            raise complaints.not_comparable(a, b, self._context, node.span)
        return made
