"""The one table of the operators that terms are made of. Trusted.

The evaluator asserts on import that it handles each of them; the printer and the walkers look them up here. `binds`
says which arguments are bound variables and which arguments they scope over: a scope that is missing would let a
variable be captured.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Op(StrEnum):
    """An operator of terms. Digests, query texts and printed terms are made from the values."""

    # leaves
    LITERAL = "literal"
    VARIABLE = "variable"
    APPLY = "apply"
    # propositional, sameness and choice
    NOT = "not"
    AND = "and"
    OR = "or"
    EQUAL = "="
    ITE = "ite"
    # mathematical integers and reals
    PLUS = "+"
    TIMES = "*"
    DIV = "div"
    MOD = "mod"
    QUOTIENT = "/"
    REAL_FUNCTION = "real_function"
    # comparisons of numbers, machine integers, floats (IEEE) and abstract elements
    AT_MOST = "<="
    LESS = "<"
    # elements of machine types; integers wrap, floats round to nearest, ties to even
    ADD = "add"
    SUB = "sub"
    MUL = "mul"
    NEG = "neg"
    DIVIDE = "divide"
    SQRT = "sqrt"
    FMA = "fma"
    REMAINDER = "remainder"
    FMOD = "fmod"
    ROUND_EVEN = "round_even"
    ROUND_AWAY = "round_away"
    ROUND_UP = "round_up"
    ROUND_DOWN = "round_down"
    ROUND_TO_ZERO = "round_to_zero"
    IEEE_EQUAL = "ieee_equal"
    IS_NAN = "is_nan"
    IS_INFINITE = "is_infinite"
    IS_ZERO = "is_zero"
    IS_NEGATIVE = "is_negative"
    IS_POSITIVE = "is_positive"
    # between machine types and mathematical numbers
    TO_INT = "to_int"
    WRAPPED = "wrapped"
    TO_REAL = "to_real"
    ROUNDED = "rounded"
    FLOOR = "floor"
    ORDINAL = "ordinal"
    # machine integers as strings of bits, and what the bits of floats stand for
    BIT_AND = "bit_and"
    BIT_OR = "bit_or"
    BIT_XOR = "bit_xor"
    BIT_NOT = "bit_not"
    SHIFT_LEFT = "shift_left"
    SHIFT_RIGHT = "shift_right"
    RESIZED = "resized"
    OF_BITS = "of_bits"
    CONVERTED = "converted"
    # binders; every range and every index set is finite by its form
    FORALL = "forall"
    FORALL_INDEX = "forall_index"
    FOLD = "fold"
    FOLD_INDEX = "fold_index"
    RECURSION = "recursion"
    STATE = "state"
    INDEX = "index"
    # the coordinate of an index on an axis
    AT = "at"
    # the value of a state for a member and an index
    STATE_AT = "state_at"
    # membership of an index in the index set of a shape: only made by the named-witness rule
    INSIDE = "inside"


# Python 3.11 looks up a member of an enum by a function: `Op.AND` takes five times as long as a global. So modules that
# ask for operators all the time have them from here, as `ops.AND`. Only operators that are asked for so have one.
LITERAL: Final = Op.LITERAL
VARIABLE: Final = Op.VARIABLE
APPLY: Final = Op.APPLY
NOT: Final = Op.NOT
AND: Final = Op.AND
OR: Final = Op.OR
EQUAL: Final = Op.EQUAL
ITE: Final = Op.ITE
PLUS: Final = Op.PLUS
TIMES: Final = Op.TIMES
DIV: Final = Op.DIV
MOD: Final = Op.MOD
QUOTIENT: Final = Op.QUOTIENT
REAL_FUNCTION: Final = Op.REAL_FUNCTION
AT_MOST: Final = Op.AT_MOST
LESS: Final = Op.LESS
ADD: Final = Op.ADD
SUB: Final = Op.SUB
MUL: Final = Op.MUL
NEG: Final = Op.NEG
DIVIDE: Final = Op.DIVIDE
SQRT: Final = Op.SQRT
FMA: Final = Op.FMA
REMAINDER: Final = Op.REMAINDER
FMOD: Final = Op.FMOD
IEEE_EQUAL: Final = Op.IEEE_EQUAL
TO_INT: Final = Op.TO_INT
WRAPPED: Final = Op.WRAPPED
TO_REAL: Final = Op.TO_REAL
ROUNDED: Final = Op.ROUNDED
FLOOR: Final = Op.FLOOR
ORDINAL: Final = Op.ORDINAL
SHIFT_RIGHT: Final = Op.SHIFT_RIGHT
OF_BITS: Final = Op.OF_BITS
FORALL: Final = Op.FORALL
FORALL_INDEX: Final = Op.FORALL_INDEX
FOLD: Final = Op.FOLD
FOLD_INDEX: Final = Op.FOLD_INDEX
RECURSION: Final = Op.RECURSION
STATE: Final = Op.STATE
INDEX: Final = Op.INDEX
AT: Final = Op.AT
STATE_AT: Final = Op.STATE_AT
INSIDE: Final = Op.INSIDE


class Group(StrEnum):
    """A property that operators share: the evaluator, the printer and the builders handle a group as one."""

    LEAF = "leaf"
    CORE = "core"
    ARITHMETIC = "arithmetic"
    COMPARISON = "comparison"
    ELEMENT = "element"
    ROUNDED = "rounded"
    FLOAT = "float"
    CONVERSION = "conversion"
    BITS = "bits"
    BINDER = "binder"


Scopes = tuple[tuple[int, tuple[int, ...]], ...]


@dataclass(frozen=True, slots=True)
class Operator:
    """One operator: its group, its SMT-LIB name (None where printing depends on sorts or names) and what it binds."""

    name: Op
    group: Group
    smt: str | None = None
    binds: Scopes = ()


_ROWS = (
    Operator(Op.LITERAL, Group.LEAF),
    Operator(Op.VARIABLE, Group.LEAF),
    Operator(Op.APPLY, Group.LEAF),
    Operator(Op.NOT, Group.CORE, "not"),
    Operator(Op.AND, Group.CORE, "and"),
    Operator(Op.OR, Group.CORE, "or"),
    Operator(Op.EQUAL, Group.CORE, "="),
    Operator(Op.ITE, Group.CORE, "ite"),
    Operator(Op.PLUS, Group.ARITHMETIC, "+"),
    Operator(Op.TIMES, Group.ARITHMETIC, "*"),
    Operator(Op.DIV, Group.ARITHMETIC, "div"),
    Operator(Op.MOD, Group.ARITHMETIC, "mod"),
    Operator(Op.QUOTIENT, Group.ARITHMETIC, "/"),
    # The payload names the function.
    Operator(Op.REAL_FUNCTION, Group.ARITHMETIC),
    Operator(Op.AT_MOST, Group.COMPARISON),
    Operator(Op.LESS, Group.COMPARISON),
    Operator(Op.ADD, Group.ELEMENT),
    Operator(Op.SUB, Group.ELEMENT),
    Operator(Op.MUL, Group.ELEMENT),
    Operator(Op.NEG, Group.ELEMENT),
    # Of floats alone, each rounded once. The two remainders differ: 3 by 2 leaves -1 of the one, and 1 of the other.
    Operator(Op.DIVIDE, Group.ROUNDED, "fp.div RNE"),
    Operator(Op.SQRT, Group.ROUNDED, "fp.sqrt RNE"),
    Operator(Op.FMA, Group.ROUNDED, "fp.fma RNE"),
    Operator(Op.REMAINDER, Group.ROUNDED, "fp.rem"),
    Operator(Op.FMOD, Group.ROUNDED),
    Operator(Op.ROUND_EVEN, Group.ROUNDED, "fp.roundToIntegral RNE"),
    Operator(Op.ROUND_AWAY, Group.ROUNDED, "fp.roundToIntegral RNA"),
    Operator(Op.ROUND_UP, Group.ROUNDED, "fp.roundToIntegral RTP"),
    Operator(Op.ROUND_DOWN, Group.ROUNDED, "fp.roundToIntegral RTN"),
    Operator(Op.ROUND_TO_ZERO, Group.ROUNDED, "fp.roundToIntegral RTZ"),
    Operator(Op.IEEE_EQUAL, Group.FLOAT, "fp.eq"),
    Operator(Op.IS_NAN, Group.FLOAT, "fp.isNaN"),
    Operator(Op.IS_INFINITE, Group.FLOAT, "fp.isInfinite"),
    Operator(Op.IS_ZERO, Group.FLOAT, "fp.isZero"),
    Operator(Op.IS_NEGATIVE, Group.FLOAT, "fp.isNegative"),
    Operator(Op.IS_POSITIVE, Group.FLOAT, "fp.isPositive"),
    Operator(Op.TO_INT, Group.CONVERSION),
    Operator(Op.WRAPPED, Group.CONVERSION),
    Operator(Op.TO_REAL, Group.CONVERSION),
    Operator(Op.ROUNDED, Group.CONVERSION),
    Operator(Op.FLOOR, Group.CONVERSION, "to_int"),
    # The place of a float among all of its format, counted from zero.
    Operator(Op.ORDINAL, Group.CONVERSION),
    Operator(Op.BIT_AND, Group.BITS, "bvand"),
    Operator(Op.BIT_OR, Group.BITS, "bvor"),
    Operator(Op.BIT_XOR, Group.BITS, "bvxor"),
    Operator(Op.BIT_NOT, Group.BITS, "bvnot"),
    Operator(Op.SHIFT_LEFT, Group.BITS, "bvshl"),
    Operator(Op.SHIFT_RIGHT, Group.BITS),
    Operator(Op.RESIZED, Group.BITS),
    Operator(Op.OF_BITS, Group.BITS),
    Operator(Op.CONVERTED, Group.BITS),
    # Each pair is a bound variable and its scope, by argument numbers. In `for all k in low .. high : body`, which is
    # (k, low, high, body), k stands in argument 3 alone: a k in `high` is another variable, of a binder further out.
    Operator(Op.FORALL, Group.BINDER, binds=((0, (3,)),)),
    # (index, rank, axis, size, body): the size of an axis may not speak of the index.
    Operator(Op.FORALL_INDEX, Group.BINDER, binds=((0, (4,)), (2, (3,)))),
    # (k, low, high, condition, value, x, y, order of x and y); a value for the empty set may follow, under no variable.
    Operator(Op.FOLD, Group.BINDER, binds=((0, (3, 4)), (5, (7,)), (6, (7,)))),
    Operator(Op.FOLD_INDEX, Group.BINDER, binds=((0, (4, 5)), (2, (3,)), (6, (8,)), (7, (8,)))),
    # the value at n of what is given by its value one below n, from a start on
    Operator(Op.RECURSION, Group.BINDER, binds=((0, (4,)), (1, (4,)))),
    # the same of a function: (number, state one below, member, index, start, number that is asked for, body), the body
    # being the value for that member and that index
    Operator(Op.STATE, Group.BINDER, binds=((0, (6,)), (1, (6,)), (2, (6,)), (3, (6,)))),
    Operator(Op.INDEX, Group.BINDER, binds=((0, (2,)),)),
    Operator(Op.AT, Group.CORE),
    Operator(Op.STATE_AT, Group.CORE),
    Operator(Op.INSIDE, Group.BINDER, binds=((2, (3,)),)),
)
OPERATORS: dict[str, Operator] = {row.name: row for row in _ROWS}
GROUPS: dict[str, frozenset[Op]] = {
    group: frozenset(row.name for row in _ROWS if row.group == group) for group in Group
}


assert tuple(OPERATORS) == tuple(Op), "the table has a row for each operator"

TO_A_TYPE = frozenset((Op.WRAPPED, Op.ROUNDED, Op.RESIZED, Op.OF_BITS, Op.CONVERTED))
"""The operators that are one function for each sort of the result, which nothing but that sort tells apart."""
