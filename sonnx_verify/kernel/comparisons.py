"""Forms of comparisons, and the sameness of two values. Trusted.

`=` is sameness: `x = x` is true of a NaN, and -0 is not 0. What IEEE 754 calls equal is `ieee_equal`. Order is another
matter: `<` and `<=` of floats are those of IEEE 754, which no NaN meets.
"""

from __future__ import annotations

from sonnx_verify.kernel.core import Kernel
from sonnx_verify.kernel.values import (
    Items,
    Outcome,
    Position,
    Shape,
    Tensor,
    Value,
    kind_of,
    last,
    same_shape,
    same_tensor,
)
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.terms import ZERO, Term, and_, eq, forall, implies


def at_most(k: Kernel, a: Term, b: Term) -> Term:
    """`a <= b` of two numbers, or elements, of one sort."""
    return k.operation(Op.AT_MOST, a, b)


def less(k: Kernel, a: Term, b: Term) -> Term:
    """`a < b` of the same."""
    return k.operation(Op.LESS, a, b)


def same(a: Value, b: Value) -> Term | None:
    """`a = b`: the condition that two values are the same. Tensors are by shape and elements, whatever facts hold of
    them; results of operators where both are errors, or both are none and the results are the same. None where their
    kinds differ, and of lists and sets as a whole."""
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
            return same(b, a)
        case _:
            return None


def _same_results(a: Value, b: Value) -> Term:
    """The condition that two results of operators are the same; of families, that they are as many and alike."""
    if isinstance(a, Items) and isinstance(b, Items):
        one, other = a, b
        members = forall(ZERO, last(one.count), lambda m: _same_results(one.item(m), other.item(m)))
        return and_(eq(one.count, other.count), members)
    assert isinstance(a, Tensor)
    assert isinstance(b, Tensor)
    return same_tensor(a, b)
