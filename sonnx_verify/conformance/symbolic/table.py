"""The one table of the meanings of numpy's elementwise functions, element by element.

Each meaning takes the elements, already converted to the type that numpy computes in, and gives one element. Where
numpy leaves a result open, as the sign of a zero maximum, so does the meaning, by a truth value that is free.
`tests/implementations` holds every row against numpy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum

from sonnx_verify.conformance.symbolic.cells import bits_of, folded, is_zero, unsigned
from sonnx_verify.conformance.symbolic.trace import refuse, trace
from sonnx_verify.logic import floats
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.sorts import BOOL, FloatSort, IntegerSort, MinifloatSort, Sort
from sonnx_verify.logic.terms import (
    FALSE,
    TRUE,
    Term,
    and_,
    bits,
    element,
    eq,
    ite,
    le,
    literal,
    lt,
    not_,
    of_bits,
    or_,
)

Meaning = Callable[..., Term]


def truth(a: Term) -> Term:
    """An element as a condition: everything that is not 0, NaN too."""
    return not_(is_zero(a))


def is_nan(a: Term) -> Term:
    """Return whether an element is NaN."""
    return _of_floats(Op.IS_NAN, a)


def _of_floats(op: Op, a: Term) -> Term:
    """A question about floats; of all other elements it is false."""
    if not isinstance(a.sort, FloatSort):
        return FALSE
    return folded(element(op, a))


def less(a: Term, b: Term) -> Term:
    """IEEE's for floats, false before true."""
    if a.sort == BOOL:
        return and_(not_(a), b)
    return folded(lt(a, b))


def at_most(a: Term, b: Term) -> Term:
    """IEEE's for floats, false before true."""
    if a.sort == BOOL:
        return or_(not_(a), b)
    return folded(le(a, b))


def same(a: Term, b: Term) -> Term:
    """`==`: NaN is no element's equal, and the zeros are equal."""
    # `eq` is equality of values: it calls NaN equal to itself, and the two zeros different.
    if isinstance(a.sort, FloatSort):
        return folded(element(Op.IEEE_EQUAL, a, b))
    return eq(a, b)


def nan(sort: Sort) -> Term:
    """NaN, of any sign and payload."""
    assert isinstance(sort, FloatSort)
    return literal(floats.nan(sort), sort)


def some_nan(a: Term) -> Term:
    """The element, of which a NaN is any."""
    if not isinstance(a.sort, FloatSort):
        return a
    return ite(is_nan(a), nan(a.sort), a)


def _extreme(before: Callable[[Term, Term], Term], *, absorbs: bool) -> Meaning:
    """The element that no other is before; with `absorbs` NaN where there is one, else the other one."""

    def meaning(a: Term, b: Term) -> Term:
        if not isinstance(a.sort, FloatSort):
            return ite(before(a, b), b, a)
        # Neither zero is before the other, and numpy does not say which comes out: it may depend on the instructions.
        either = TRUE
        if a is not b:
            either = trace().choice()
        chosen = ite(before(a, b), b, ite(before(b, a), a, ite(either, a, b)))
        # `maximum` gives NaN where one of the two is NaN; `fmax` gives the number beside it.
        if absorbs:
            return ite(or_(is_nan(a), is_nan(b)), nan(a.sort), chosen)
        return ite(is_nan(a), b, ite(is_nan(b), a, chosen))

    return meaning


def _arithmetic(op: Op, on_bool: Callable[[Term, Term], Term] | None = None) -> Meaning:
    def meaning(a: Term, b: Term) -> Term:
        # numpy adds truth values as `or` and multiplies them as `and`; it subtracts none.
        if a.sort == BOOL:
            if on_bool is None:
                refuse(f"`{op}` of bool")
            return on_bool(a, b)
        if isinstance(a.sort, MinifloatSort):
            refuse(f"`{op}` of {a.sort}")
        return folded(element(op, a, b))

    return meaning


def _negative(a: Term) -> Term:
    # Of a float the sign is turned, also of a zero and of a NaN; an integer wraps.
    return folded(element(Op.NEG, a))


def _absolute(a: Term) -> Term:
    sort = a.sort
    if isinstance(sort, FloatSort):
        # Of a NaN the sign is cleared: that it is some NaN is all that is said here.
        return ite(is_nan(a), nan(sort), ite(folded(element(Op.IS_NEGATIVE, a)), _negative(a), a))
    if isinstance(sort, IntegerSort) and sort.signed:
        # The lowest integer is its own absolute value: the negation wraps.
        return ite(less(a, literal(0, sort)), _negative(a), a)
    return a


def _sign_bit(a: Term) -> Term:
    """The sign bit, of a NaN too: numpy leaves it open where the NaN was computed."""
    sort = a.sort
    if isinstance(sort, IntegerSort) and not sort.signed:
        return FALSE
    if isinstance(sort, IntegerSort):
        return less(a, literal(0, sort))
    held = bits_of(a)
    return less(literal((1 << (unsigned(sort).width - 1)) - 1, held.sort), held)


def _copysign(a: Term, b: Term) -> Term:
    held = bits_of(a)
    width = unsigned(a.sort).width
    # IEEE 754: an operation on bits, which leaves even a NaN's payload as it is.
    rest = folded(bits(Op.BIT_AND, held, literal((1 << (width - 1)) - 1, held.sort)))
    signed = folded(bits(Op.BIT_OR, rest, literal(1 << (width - 1), held.sort)))
    return folded(of_bits(ite(_sign_bit(b), signed, rest), a.sort))


def _exclusive(a: Term, b: Term) -> Term:
    return not_(eq(a, b))


def _bitwise(op: Op, on_bool: Meaning) -> Meaning:
    def meaning(*args: Term) -> Term:
        if args[0].sort == BOOL:
            return on_bool(*args)
        return folded(bits(op, *args))

    return meaning


def _on_truth(meaning: Meaning) -> Meaning:
    return lambda *args: meaning(*(truth(a) for a in args))


def _infinite(a: Term) -> Term:
    return _of_floats(Op.IS_INFINITE, a)


def _greater(a: Term, b: Term) -> Term:
    return less(b, a)


class Reduction(Enum):
    """The `reduce` of a ufunc on a list of elements."""

    NONE = "refused"
    CHOSEN = "one of the elements, whatever the order; it needs one"
    ADDED = "of floats, in an order that numpy chooses"
    FOLDED = "one element after the other"


@dataclass(frozen=True, slots=True)
class Row:
    """The meaning of a ufunc on elements of one type, and of its `reduce`."""

    meaning: Meaning
    reduces: Reduction = Reduction.NONE


ROWS: Mapping[str, Row] = {
    "maximum": Row(_extreme(less, absorbs=True), Reduction.CHOSEN),
    "minimum": Row(_extreme(_greater, absorbs=True), Reduction.CHOSEN),
    "fmax": Row(_extreme(less, absorbs=False), Reduction.CHOSEN),
    "fmin": Row(_extreme(_greater, absorbs=False), Reduction.CHOSEN),
    "add": Row(_arithmetic(Op.ADD, or_), Reduction.ADDED),
    "multiply": Row(_arithmetic(Op.MUL, and_), Reduction.ADDED),
    "subtract": Row(_arithmetic(Op.SUB)),
    "square": Row(lambda a: _arithmetic(Op.MUL, and_)(a, a)),
    "negative": Row(_negative),
    "positive": Row(lambda a: a),
    "absolute": Row(_absolute),
    "fabs": Row(_absolute),
    "conjugate": Row(lambda a: a),
    "equal": Row(same),
    "not_equal": Row(lambda a, b: not_(same(a, b))),
    "less": Row(less),
    "less_equal": Row(at_most),
    "greater": Row(_greater),
    "greater_equal": Row(lambda a, b: at_most(b, a)),
    "logical_and": Row(_on_truth(and_), Reduction.FOLDED),
    "logical_or": Row(_on_truth(or_), Reduction.FOLDED),
    "logical_xor": Row(_on_truth(_exclusive), Reduction.FOLDED),
    "logical_not": Row(_on_truth(not_)),
    "bitwise_and": Row(_bitwise(Op.BIT_AND, and_), Reduction.FOLDED),
    "bitwise_or": Row(_bitwise(Op.BIT_OR, or_), Reduction.FOLDED),
    "bitwise_xor": Row(_bitwise(Op.BIT_XOR, _exclusive), Reduction.FOLDED),
    "invert": Row(_bitwise(Op.BIT_NOT, not_)),
    "left_shift": Row(lambda a, b: folded(bits(Op.SHIFT_LEFT, a, b))),
    "right_shift": Row(lambda a, b: folded(bits(Op.SHIFT_RIGHT, a, b))),
    "isnan": Row(is_nan),
    "isinf": Row(_infinite),
    "isfinite": Row(lambda a: not_(or_(is_nan(a), _infinite(a)))),
    "signbit": Row(_sign_bit),
    "copysign": Row(_copysign),
}
"""By the name of the ufunc."""
