"""The reader of solvers' values: both ways of writing them, and what is none."""

from __future__ import annotations

from fractions import Fraction

import pytest

from sonnx_verify.logic import floats
from sonnx_verify.logic.model_reader import read_value, read_values
from sonnx_verify.logic.smtlib import script
from sonnx_verify.logic.sorts import (
    BOOL,
    ELEMENT,
    FLOATS,
    INDEX,
    INT,
    INTEGERS,
    REAL,
    STRING,
    FloatSort,
    IntegerSort,
    Sort,
)
from sonnx_verify.logic.terms import Symbol, eq, literal
from sonnx_verify.solving.solvers import Solvers

INT8, INT64, UINT8 = INTEGERS[0], INTEGERS[3], INTEGERS[4]
BFLOAT16, FLOAT16, FLOAT, DOUBLE, _ = FLOATS

VALUES: list[tuple[str, Sort, object]] = [
    ("true", BOOL, True),
    ("false", BOOL, False),
    ("0", INT, 0),
    ("17", INT, 17),
    ("(- 3)", INT, -3),
    ("(- 3)", INDEX, -3),
    ("(- 3)", ELEMENT, -3),
    ("123456789012345678901234567890", INT, 123456789012345678901234567890),
    ("1", STRING, ""),
    ("321", STRING, "A"),
    ("#xff", INT8, -1),
    ("#xff", UINT8, 255),
    ("#b10000000", INT8, -128),
    ("#b01111111", INT8, 127),
    ("#x8000000000000000", INT64, -(1 << 63)),
    ("(_ bv255 8)", INT8, -1),
    ("(_ bv255 8)", UINT8, 255),
    ("(_ +oo 8 24)", FLOAT, 0x7F800000),
    ("(_ -oo 8 24)", FLOAT, 0xFF800000),
    ("(_ +zero 8 24)", FLOAT, 0),
    ("(_ -zero 8 24)", FLOAT, 0x80000000),
    ("(_ NaN 8 24)", FLOAT, 0x7FC00000),
    ("(_ NaN 11 53)", DOUBLE, 0x7FF8000000000000),
    ("(_ -oo 5 11)", FLOAT16, 0xFC00),
    ("(_ NaN 8 8)", BFLOAT16, 0x7FC0),
    ("(fp #b0 #x7f #b10000000000000000000000)", FLOAT, 0x3FC00000),
    ("(fp #b0 #b01111111 #b10000000000000000000000)", FLOAT, 0x3FC00000),
    ("(fp #b1 #b00000 #b0000000001)", FLOAT16, 0x8001),
    ("(fp #b1 #xff #b0000000)", BFLOAT16, 0xFF80),
    ("(fp #b1 #xff #b0000001)", BFLOAT16, 0x7FC0),
    ("(fp #b1 #b10000000000 #x8000000000000)", DOUBLE, 0xC008000000000000),
]


def read(text: str, sort: Sort) -> object:
    ((name, tree),) = read_values(f"((x {text}))")
    assert name == "x"
    return read_value(tree, sort)


@pytest.mark.parametrize(("text", "sort", "value"), VALUES)
def test_values(text: str, sort: Sort, value: object) -> None:
    """Both solvers' ways of writing a value are read, as the value of the sort."""
    found = read(text, sort)

    assert (type(found), found) == (type(value), value)


REALS = [
    ("3.0", Fraction(3)),
    ("(- 3.0)", Fraction(-3)),
    ("(/ 1.0 3.0)", Fraction(1, 3)),
    ("(/ 1 3)", Fraction(1, 3)),
    ("(- (/ 1.0 3.0))", Fraction(-1, 3)),
    ("(/ (- 1.0) 3.0)", Fraction(-1, 3)),
    ("(/ (- 1) 3)", Fraction(-1, 3)),
]


@pytest.mark.parametrize(("text", "value"), REALS)
def test_reals(text: str, value: Fraction) -> None:
    """Reals are read as fractions."""
    assert read(text, REAL) == value


@pytest.mark.parametrize(
    "text",
    [
        "((a 1)",
        "(a 1))",
        ")",
        "((a))",
        "((a 1 2))",
        "(a 1)",
        "(((f 0) 1))",
    ],
)
def test_malformed_answers(text: str) -> None:
    """Text that is no list of pairs of names and values is an error, never a value."""
    with pytest.raises(ValueError, match=r"unbalanced|not a pair"):
        read_values(text)


MALFORMED: list[tuple[str, Sort]] = [
    ("1", BOOL),
    ("maybe", BOOL),
    ("true", INT),
    ("1.5", INT),
    ("(- x)", INT),
    ("(- (- 1))", INT),
    ("(+ 1 2)", INT),
    ("1", UINT8),
    ("true", UINT8),
    ("#b2", UINT8),
    ("#xgg", UINT8),
    ("(_ bvx 8)", UINT8),
    ("(_ 5 8)", UINT8),
    ("1.0", FLOAT),
    ("#x3f800000", FLOAT),
    ("(_ inf 8 24)", FLOAT),
    ("(fp #b0 #x7f)", FLOAT),
    ("(fp 0 127 0)", FLOAT),
    ("()", INT),
    ("0", STRING),
    ("(- 1)", STRING),
    ("2", STRING),
    ("511", STRING),
    ("1.5", STRING),
]


@pytest.mark.parametrize(("text", "sort"), MALFORMED)
def test_malformed_values(text: str, sort: Sort) -> None:
    """A tree that stands for no value of the sort is a ValueError."""
    with pytest.raises(ValueError, match=f"no value of {sort}: "):
        read(text, sort)


MISFITS: list[tuple[str, Sort]] = [
    ("#x1ff", UINT8),
    ("#b1", INT8),
    ("(_ bv300 8)", UINT8),
    ("(_ bv3 16)", UINT8),
    ("(_ +oo 5 11)", FLOAT),
    ("(fp #b1 #b11 #b1)", FLOAT),
]


@pytest.mark.parametrize(("text", "sort"), MISFITS)
def test_values_of_other_widths(text: str, sort: Sort) -> None:
    """A value of another width is a ValueError."""
    with pytest.raises(ValueError, match=f"no value of {sort}: "):
        read(text, sort)


def special(sort: Sort) -> list[object]:
    match sort:
        case IntegerSort():
            return [sort.lowest, 0, 1, sort.greatest]
        case FloatSort():
            finite = [
                floats.zero(sort),
                floats.zero(sort, negative=True),
                1,
                floats.lowest(sort),
                floats.from_float(sort, 0.1),
            ]
            return [*finite, floats.nan(sort), floats.infinity(sort), floats.infinity(sort, negative=True)]
        case _ if sort == BOOL:
            return [False, True]
        case _:
            return [0, 7, -(1 << 70)]


@pytest.mark.parametrize("sort", [BOOL, INT, *INTEGERS, *FLOATS], ids=str)
def test_values_come_back(sort: Sort, solvers: Solvers) -> None:
    """What the printer writes, each solver's model gives back, and the reader reads as the same value."""
    values = special(sort)
    symbols = [Symbol(f"x{n}", (), sort) for n in range(len(values))]
    # Behind a function: a constraint that is a plain equation might be answered by repeating it.
    same = Symbol("same", (sort,), sort)
    given = [eq(same(s()), s()) for s in symbols]
    text = script([*given, *(eq(same(s()), literal(v, sort)) for s, v in zip(symbols, values, strict=True))])
    answers = solvers.submit(text, tuple(f"s.x{n}" for n in range(len(values)))).result()
    read_back = {
        name: [read_value(tree, sort) for _, tree in read_values(answer.model)] for name, answer in answers.items()
    }

    assert read_back == {"z3": values, "cvc5": values}
