"""All values, one after the other: nothing is left out, and nothing is said where that is too much."""

from __future__ import annotations

from fractions import Fraction

import pytest

from sonnx_verify.logic import enumerated as module
from sonnx_verify.logic import floats
from sonnx_verify.logic.enumerated import enumerated
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.sorts import BOOL, ELEMENT, FLOATS, INT, INTEGERS, REAL, FloatSort, Sort
from sonnx_verify.logic.terms import (
    FALSE,
    TRUE,
    Symbol,
    add,
    and_,
    apply,
    element,
    eq,
    forall,
    integer,
    le,
    literal,
    lt,
    not_,
    quotient,
    to_int,
    to_real,
)
from sonnx_verify.timeouts import OutOfTime, ending_after

TINY = FloatSort("float6", 3, 3)
INT8, UINT8 = (next(sort for sort in INTEGERS if sort.name == name) for name in ("int8", "uint8"))
DOUBLE = next(sort for sort in FLOATS if sort.name == "double")
X, Y = (Symbol(name, (), TINY) for name in "xy")
x, y = apply(X), apply(Y)


@pytest.mark.parametrize("bits", range(64))
def test_each_value_is_met(bits: int) -> None:
    """A condition that one float alone meets is met, whichever that is: of the patterns of NaN, NaN."""
    wanted = floats.canonical(TINY, bits)

    assert enumerated([eq(x, literal(wanted, TINY))]) == "sat"
    assert enumerated([eq(x, literal(wanted, TINY)), not_(eq(x, literal(wanted, TINY)))]) == "unsat"


@pytest.mark.parametrize("value", [-128, -1, 0, 127])
def test_integers(value: int) -> None:
    """Those of both signs, and each pair of two variables."""
    a, b = apply(Symbol("a", (), INT8)), apply(Symbol("b", (), INT8))

    assert enumerated([eq(a, literal(value, INT8)), eq(b, literal(-value - 1, INT8))]) == "sat"
    assert enumerated([lt(a, literal(-128, INT8))]) == "unsat"
    assert enumerated([lt(literal(255, UINT8), apply(Symbol("u", (), UINT8)))]) == "unsat"


def test_laws() -> None:
    """What holds of all floats, and what does not: sums commute, and do not associate; truth values count too."""
    c, z = apply(Symbol("c", (), BOOL)), apply(Symbol("z", (), FloatSort("float4", 2, 2)))
    other = apply(Symbol("w", (), z.sort))
    twice = element(Op.ADD, element(Op.ADD, z, other), other)

    assert enumerated([not_(eq(element(Op.ADD, x, y), element(Op.ADD, y, x)))]) == "unsat"
    assert enumerated([not_(eq(twice, element(Op.ADD, z, element(Op.ADD, other, other))))]) == "sat"
    assert enumerated([c, not_(c)]) == "unsat"
    assert enumerated([TRUE]) == "sat"
    assert enumerated([FALSE]) == "unsat"


@pytest.mark.parametrize("sort", [INT, REAL, DOUBLE, ELEMENT], ids=str)
def test_types_with_many_values_are_not_enumerated(sort: Sort) -> None:
    """Nothing is said of them, even where another formula is false."""
    formula = le(apply(Symbol("a", (), sort)), apply(Symbol("b", (), sort)))

    assert enumerated([formula]) is None
    assert enumerated([formula, FALSE]) is None


def test_neither_functions_nor_binders() -> None:
    """A function has more values than its arguments, and a quantifier more instances than variables."""
    read = apply(Symbol("f", (INT,), BOOL), integer(0))
    every = forall(integer(0), add(to_int(apply(Symbol("a", (), INT8))), integer(1)), lambda k: lt(k, integer(3)))

    assert enumerated([read, not_(read)]) is None
    assert enumerated([not_(every)]) is None


def test_too_many_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three variables of 8 bits have too many; and a limit is on the work."""
    three = [apply(Symbol(name, (), INT8)) for name in "abc"]

    assert enumerated([lt(three[0], three[1]), lt(three[1], three[2])]) is None
    assert enumerated([lt(x, x)]) == "unsat"
    monkeypatch.setattr(module, "MOST_WORK", 100)
    assert enumerated([lt(x, y), lt(y, x)]) is None


def test_what_has_no_value_decides_nothing() -> None:
    """NaN has no real value. Where another formula is false that is no matter; else nothing is said."""
    zero = literal(Fraction(0), REAL)
    positive = lt(zero, to_real(x))
    number = and_(not_(element(Op.IS_NAN, x)), not_(element(Op.IS_INFINITE, x)))

    assert enumerated([positive, lt(to_real(x), zero)]) is None
    assert enumerated([number, positive, lt(to_real(x), zero)]) == "unsat"
    assert enumerated([positive, lt(to_real(x), zero), number]) == "unsat"
    assert enumerated([number, eq(quotient(to_real(x), to_real(x)), literal(Fraction(2), REAL))]) is None


def test_the_time_ends_it() -> None:
    """`--timeout` ends it as it ends what else takes long."""
    with ending_after(0.0), pytest.raises(OutOfTime):
        enumerated([lt(x, y), lt(y, x)])
