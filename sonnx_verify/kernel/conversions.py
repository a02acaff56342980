"""Forms of conversions between elements and numbers, and constants of element types. Trusted."""

from __future__ import annotations

from enum import StrEnum, unique
from fractions import Fraction

from sonnx_verify.kernel.core import Family, Kernel
from sonnx_verify.kernel.notes import Why
from sonnx_verify.logic import floats
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.sorts import BOOL, ELEMENT, INT, REAL, FloatSort, IntegerSort, MinifloatSort, Sort
from sonnx_verify.logic.terms import (
    Term,
    and_,
    converted,
    eq,
    floor,
    integer,
    ite,
    le,
    literal,
    not_,
    or_,
    rounded,
    scale,
    to_int,
    to_real,
    wrapped,
)
from sonnx_verify.results.kinds import Kind


@unique
class TypeConstant(StrEnum):
    """A constant of an element type: `T.lowest`. Those in REALS are reals, the others elements."""

    LOWEST = "lowest"
    GREATEST = "greatest"
    INFINITY = "infinity"
    ROUNDOFF = "roundoff"
    """The unit roundoff: half the distance from 1 to the next greater float."""
    OVERFLOW = "overflow"
    """The least real that is rounded to infinity."""
    LEAST = "least"
    """The least real above 0 that is a float."""


REALS = frozenset((TypeConstant.ROUNDOFF, TypeConstant.OVERFLOW, TypeConstant.LEAST))
_FLOATING = (Family.FLOAT, Family.MINIFLOAT)
_OF_FLOATS = tuple(TypeConstant)
_OF_MINIFLOATS = (TypeConstant.LOWEST, TypeConstant.GREATEST, TypeConstant.LEAST)
_OF_INTEGERS = (TypeConstant.LOWEST, TypeConstant.GREATEST)


def to_integer(k: Kernel, value: Term) -> Term | None:
    """`int(x)`: an integer, or an element of a type of integers as the integer that it stands for. None of anything
    else: a real, or a float, is no integer by itself, `floor` and `ceil` say which one is meant."""
    if value.sort == INT:
        return value
    if isinstance(value.sort, IntegerSort):
        return to_int(value)
    if k.abstract_family(value.sort) == Family.INT:
        return k.free_operation(Op.TO_INT, INT, value)
    return None


def to_real_number(k: Kernel, value: Term, why: Why) -> Term | None:
    """`real(x)`: the real that a number or an element stands for; of a float asks that it is finite. None of anything
    else."""
    if value.sort == REAL:
        return value
    family = k.abstract_family(value.sort)
    if isinstance(value.sort, FloatSort) or family in _FLOATING:
        # `real(x)` of a NaN or an infinity is some real in the logic, of which SMT-LIB says nothing. Each step of a
        # clause that computes with reals has to keep them out before, by `if is_nan(x) then ... else`.
        beyond = or_(k.operation(Op.IS_NAN, value), k.operation(Op.IS_INFINITE, value))
        k.require(Kind.IN_BOUNDS, not_(beyond), why)
    if isinstance(value.sort, FloatSort):
        return to_real(value)
    if family in (*_FLOATING, Family.REAL):
        return k.free_operation(Op.TO_REAL, REAL, value)
    whole = to_integer(k, value)
    return None if whole is None else to_real(whole)


def floor_of(value: Term) -> Term:
    """`floor(x)` of a real."""
    return floor(value)


def ceiling_of(value: Term) -> Term:
    """`ceil(x)` of a real."""
    # The ceiling of x is the floor of -x, turned round: the logic has one of the two.
    return scale(-1, floor(scale(-1, value)))


def to_element(k: Kernel, value: Term, sort: Sort) -> Term | None:
    """`T(x)`: a number, or an element of another type, as the element of a type of numbers, wrapped or rounded. None
    where it does not convert."""
    if value.sort == sort:
        return value
    family = k.abstract_family(sort)
    if k.wraps(sort):
        whole = to_integer(k, value)
        if whole is None:
            return None
        if isinstance(sort, IntegerSort):
            return wrapped(whole, sort)
        return k.free_operation(Op.WRAPPED, ELEMENT, whole)
    # A float is made of the exact number and rounded once. Of another float it is made without its real, which NaN
    # and the infinities do not have.
    exact = _exact(k, value)
    if exact is None:
        return _of_another_float(k, value, sort)
    if sort == REAL:
        return exact
    if isinstance(sort, FloatSort):
        return rounded(exact, sort)
    if family in (*_FLOATING, Family.REAL):
        return k.free_operation(Op.ROUNDED, ELEMENT, exact)
    return None


def of_number(k: Kernel, value: Term, sort: Sort) -> Term:
    """The same of what converts to each element type: an integer; or a real, if the type is not one of integers. What
    does not convert is a mistake of the form that calls this: it ends in an AssertionError, and has no value."""
    made = to_element(k, value, sort)
    assert made is not None
    return made


def of_condition(k: Kernel, value: Term, sort: Sort) -> Term:
    """`T(p)`: 1 where a condition holds, else 0."""
    return ite(value, of_number(k, integer(1), sort), of_number(k, integer(0), sort))


def to_condition(k: Kernel, value: Term) -> Term:
    """`bool(x)`: true of any number but 0, and of NaN, which is no zero; of a condition itself."""
    if value.sort == BOOL:
        return value
    if isinstance(value.sort, FloatSort) or k.abstract_family(value.sort) in _FLOATING:
        # Not `x != T(0)`: -0 is another float than 0, and is a zero too.
        return not_(k.operation(Op.IS_ZERO, value))
    return not_(eq(value, of_number(k, integer(0), value.sort)))


def _exact(k: Kernel, value: Term) -> Term | None:
    """The real number that a number or an integer element is; None of any other element."""
    if value.sort == REAL:
        return value
    whole = to_integer(k, value)
    return None if whole is None else to_real(whole)


def _of_another_float(k: Kernel, value: Term, sort: Sort) -> Term | None:
    """A float of another type as the nearest element of a type of floats: NaN of NaN, an infinity and a zero with its
    sign. None of anything else."""
    if isinstance(value.sort, FloatSort) and isinstance(sort, FloatSort):
        return converted(value, sort)
    # T to a type, or a type to T: a function for each type, since float16(x) and double(x) are two of them.
    if k.abstract_family(value.sort) in _FLOATING and isinstance(sort, FloatSort):
        return k.free_operation(f"converted_to_{sort.name}", sort, value)
    if isinstance(value.sort, FloatSort) and k.abstract_family(sort) in _FLOATING:
        return k.free_operation(f"converted_from_{value.sort.name}", sort, value)
    return None


def exact_element(k: Kernel, value: Term, sort: Sort, why: Why) -> Term:
    """An integer as the element of a type of integers, in a clause whose arithmetic is exact; asks that the type holds
    it: `value Y[i] exact = X[i] + 1` of int8 asks -128 <= X[i] + 1 <= 127."""
    # An exact clause that gives 128 as an int8 has no result to give: without this side condition it would wrap to
    # -128 after all, where no reader of the clause expects it.
    if isinstance(sort, IntegerSort):
        low, high = integer(sort.lowest), integer(sort.greatest)
    else:
        low, high = (k.free_operation(Op.TO_INT, INT, k.free_operation(name, sort)) for name in _OF_INTEGERS)
    k.require(Kind.TOTAL, and_(le(low, value), le(value, high)), why)
    return of_number(k, value, sort)


# ---------------------------------------------------------------------------------------------------- constants


def constants_of(k: Kernel, sort: Sort) -> tuple[TypeConstant, ...]:
    """The constants that a type has."""
    family = k.abstract_family(sort)
    if isinstance(sort, IntegerSort) or family == Family.INT:
        return _OF_INTEGERS
    if isinstance(sort, MinifloatSort) or family == Family.MINIFLOAT:
        return _OF_MINIFLOATS
    if isinstance(sort, FloatSort) or family == Family.FLOAT:
        return _OF_FLOATS
    return ()


def constant(k: Kernel, sort: Sort, which: TypeConstant) -> Term:
    """`T.lowest` and the like, of a type that has it."""
    assert which in constants_of(k, sort)
    if sort == ELEMENT:
        return k.free_operation(which, REAL if which in REALS else ELEMENT)
    if isinstance(sort, IntegerSort):
        return literal({TypeConstant.LOWEST: sort.lowest, TypeConstant.GREATEST: sort.greatest}[which], sort)
    assert isinstance(sort, FloatSort)
    # Of floats `lowest` and `greatest` are finite, as in numpy's finfo: -infinity is below T.lowest.
    match which:
        case TypeConstant.LOWEST:
            return literal(floats.lowest(sort), sort)
        case TypeConstant.GREATEST:
            return literal(floats.greatest(sort), sort)
        case TypeConstant.INFINITY:
            return literal(floats.infinity(sort), sort)
        case TypeConstant.ROUNDOFF:
            return literal(Fraction(1, 2**sort.significand), REAL)
        case TypeConstant.OVERFLOW:
            return literal(floats.overflow_threshold(sort), REAL)
        case TypeConstant.LEAST:
            return literal(floats.to_fraction(sort, floats.smallest_subnormal(sort)), REAL)
