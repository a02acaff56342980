"""Comparisons of values, and the sameness of two. Trusted. Values in, conditions out.

`=` is sameness: `x = x` is true of a NaN, and -0 is not 0. What IEEE 754 calls equal is `ieee_equal`. Order is another
matter: `<` and `<=` of floats are those of IEEE 754, which no NaN meets.
"""

from __future__ import annotations

from sonnx_verify.errors import SpecificationError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.context import Context
from sonnx_verify.language.cures import of_two
from sonnx_verify.language.numbers import Numbers
from sonnx_verify.language.values import (
    Items,
    Members,
    Outcome,
    Position,
    SetOf,
    Shape,
    Tensor,
    Value,
    a_kind,
    kind_of,
    last,
    same_shape,
    same_tensor,
)
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.sorts import BOOL, STRING
from sonnx_verify.logic.terms import ZERO, Term, and_, eq, forall, implies, not_


class Comparisons:
    """Comparisons in one context, which says what operations on elements mean."""

    def __init__(self, context: Context, numbers: Numbers) -> None:
        self._context, self._numbers = context, numbers

    def chain(self, node: s.Relation, values: list[Value]) -> Term:
        """`a <= b < c` is `a <= b and b < c`."""
        parts: list[Term] = []
        for n, sign in enumerate(node.signs):
            # Each pair by itself: the n of `0 <= n` is a number also in `0 <= n < X[i]`, which is an error.
            a, b = self._numbers.as_elements(node.operands[n], values[n], node.operands[n + 1], values[n + 1])
            parts.append(self._compare(node, sign, a, b))
        return and_(*parts)

    def _compare(self, node: s.Relation, sign: s.Comparison, a: Value, b: Value) -> Term:
        if sign is s.Comparison.EQUAL:
            return self.same(node, a, b)
        if sign is s.Comparison.UNEQUAL:
            return not_(self.same(node, a, b))
        # `a > b` is `b < a`, also of floats: no comparison holds of a NaN. `not (a <= b)` would be true of one.
        first, second = self._comparable(node, sign, a, b)
        match sign:
            case s.Comparison.AT_MOST:
                return self._context.operation(Op.AT_MOST, first, second)
            case s.Comparison.LESS:
                return self._context.operation(Op.LESS, first, second)
            case s.Comparison.AT_LEAST:
                return self._context.operation(Op.AT_MOST, second, first)
            case s.Comparison.MORE:
                return self._context.operation(Op.LESS, second, first)

    def _comparable(self, node: s.Relation, sign: s.Comparison, a: Value, b: Value) -> tuple[Term, Term]:
        if isinstance(a, Term) and isinstance(b, Term) and a.sort == b.sort and a.sort not in (BOOL, STRING):
            return a, b
        cure = "compare numbers, or elements"
        if kind_of(a) != kind_of(b):
            cure = of_two(a, b, self._context)
        raise SpecificationError(
            f"`{sign}` cannot compare {a_kind(kind_of(a))} with {a_kind(kind_of(b))}", node.span, cure
        )

    def same(self, node: s.Expression, a: Value, b: Value) -> Term:
        """The condition that two values are the same. Tensors are by shape and elements, whatever facts hold of them;
        results of operators where both are errors, or both are none and the results are the same."""
        match a, b:
            case Term(), Term() if a.sort == b.sort:
                return eq(a, b)
            case Shape(), Shape():
                return same_shape(a, b)
            case Tensor(), Tensor() if a.sort == b.sort:
                return same_tensor(a, b)
            case Position(), Position():
                # The rank too: beyond its rank an index is 0, so [3] and [0, 3], stored from the right, are one term.
                return and_(eq(a.rank, b.rank), eq(a.term, b.term))
            case Outcome(), Outcome() if kind_of(a) == kind_of(b):
                # An error has some result in the logic too, of which nothing is known: it is not compared. Two errors
                # are the same, as ONNX does not tell one error from another.
                return and_(eq(a.defined, b.defined), implies(a.defined, _same_results(a.result, b.result)))
            case Outcome(), Tensor() if isinstance(a.result, Tensor) and a.result.sort == b.sort:
                # `Op(X) = Y` says that Op has a result. As an implication it would be true wherever Op fails.
                return and_(a.defined, same_tensor(a.result, b))
            case Tensor(), Outcome():
                return self.same(node, b, a)
            case (Items(), Items()) | (SetOf() | Members(), SetOf() | Members()):
                raise SpecificationError(
                    "lists and sets cannot be compared as a whole",
                    node.span,
                    "compare their members: `for all k in ...`",
                )
            case _:
                raise SpecificationError(
                    f"{a_kind(kind_of(a))} never equals {a_kind(kind_of(b))}",
                    node.span,
                    of_two(a, b, self._context),
                )


def _same_results(a: Value, b: Value) -> Term:
    """The condition that two results of operators are the same; of families, that they are as many and alike."""
    if isinstance(a, Items) and isinstance(b, Items):
        one, other = a, b
        members = forall(ZERO, last(one.count), lambda m: _same_results(one.item(m), other.item(m)))
        return and_(eq(one.count, other.count), members)
    assert isinstance(a, Tensor)
    assert isinstance(b, Tensor)
    return same_tensor(a, b)
