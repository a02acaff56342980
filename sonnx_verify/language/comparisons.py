"""Comparisons of values. Trusted. Values in, conditions out."""

from __future__ import annotations

from sonnx_verify.errors import SpecificationError
from sonnx_verify.kernel import comparisons
from sonnx_verify.kernel.guards import both, negation
from sonnx_verify.kernel.values import Items, Members, SetOf, Value, a_kind, kind_of
from sonnx_verify.language import syntax as s
from sonnx_verify.language.context import Context
from sonnx_verify.language.cures import of_two
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
        cure = "compare numbers, or elements"
        if kind_of(a) != kind_of(b):
            cure = of_two(a, b, self._context)
        raise SpecificationError(
            f"`{sign}` cannot compare {a_kind(kind_of(a))} with {a_kind(kind_of(b))}", node.span, cure
        )

    def _same(self, node: s.Expression, a: Value, b: Value) -> Term:
        made = comparisons.same(a, b)
        if made is None:
            raise self.not_comparable(node, a, b)
        return made

    def not_comparable(self, node: s.Expression, a: Value, b: Value) -> SpecificationError:
        """The error of two values that are never the same, or are not compared as a whole."""
        if isinstance(a, Items) and isinstance(b, Items) or _is_set(a) and _is_set(b):
            return SpecificationError(
                "lists and sets cannot be compared as a whole",
                node.span,
                "compare their members: `for all k in ...`",
            )
        return SpecificationError(
            f"{a_kind(kind_of(a))} never equals {a_kind(kind_of(b))}", node.span, of_two(a, b, self._context)
        )


def _is_set(value: Value) -> bool:
    return isinstance(value, SetOf | Members)
