"""Machine integers as strings of bits, between their widths, and the floats that bits stand for.

But for the conversion of a float to another type of floats, no text of the language has these: they are what the code
of implementations is made of. Trusted.
"""

from __future__ import annotations

from sonnx_verify.logic.nodes import SortError, Term, make, need
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.sorts import FloatSort, IntegerSort, MinifloatSort, Sort

_ARITY = {Op.BIT_AND: 2, Op.BIT_OR: 2, Op.BIT_XOR: 2, Op.BIT_NOT: 1, Op.SHIFT_LEFT: 2, Op.SHIFT_RIGHT: 2}


def bits(op: Op, *args: Term) -> Term:
    """An operation on the bits of machine integers of one sort. What is shifted by its width or more is all zeros, or
    all signs; a shift to the right of a signed integer keeps its sign. The amount of a shift is read as unsigned.

    Raises SortError for another number of terms, and for terms of other sorts."""
    sort = args[0].sort
    need(len(args) == _ARITY[op], f"{op} of {len(args)} terms")
    need(isinstance(sort, IntegerSort) and all(a.sort == sort for a in args), f"{op} of {sort}")
    return make(op, args, sort)


def resized(a: Term, sort: Sort) -> Term:
    """The machine integer of another sort that is equal modulo 2 to its width."""
    if not (isinstance(a.sort, IntegerSort) and isinstance(sort, IntegerSort)):
        raise SortError(f"resized of {a.sort} to {sort}")
    if a.sort == sort:
        return a
    if a.op == Op.RESIZED and a.args[0].sort == sort and a.sort.width >= sort.width:
        # There and back between sorts of one width, or to a wider one and back, nothing is lost. To a narrower one and
        # back something is: of int16, 300 to int8 and back is 44.
        return a.args[0]
    return make(Op.RESIZED, (a,), sort)


def of_bits(a: Term, sort: Sort) -> Term:
    """The float whose bits an unsigned integer of its width has: NaN for every pattern of a NaN."""
    # SMT-LIB reads the bits of formats of IEEE 754 alone.
    if not (isinstance(a.sort, IntegerSort) and isinstance(sort, FloatSort)) or isinstance(sort, MinifloatSort):
        raise SortError(f"of_bits of {a.sort} to {sort}")
    need(not a.sort.signed and a.sort.width == sort.width, f"of_bits of {a.sort} to {sort}")
    return make(Op.OF_BITS, (a,), sort)


def converted(a: Term, sort: Sort) -> Term:
    """The float of a sort that is nearest to a machine integer or to a float of another sort, ties to even."""
    known = isinstance(a.sort, IntegerSort | FloatSort) and isinstance(sort, FloatSort)
    # An integer becomes a minifloat by way of its real.
    known = known and not (isinstance(a.sort, IntegerSort) and isinstance(sort, MinifloatSort))
    need(known, f"converted of {a.sort} to {sort}")
    if a.sort == sort:
        return a
    # A conversion of a conversion stays two: rounding twice may end elsewhere than rounding once.
    return make(Op.CONVERTED, (a,), sort)
