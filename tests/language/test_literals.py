"""Numbers that are written out beside elements: they say what a conversion says, or are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from sonnx_verify.errors import SpecificationError
from tests.language.stated import statements

TEXT = """\
operator Op version 1 user

types {types}
types int of I = uint8

input  X : tensor of T
input  K : tensor of I
output Y : tensor of T

[C1] constraint "a condition" : for all i in X, k in K : {condition}

shape Y    = X.shape
value Y[i] = {value}
"""
SAME = "X[i] = X[i]"
ELEMENTS = "X[i]"
INT, FLOAT = "int = int8 int16", "float = float16 double"


def collected(path: Path, types: str, condition: str, value: str) -> dict[str, list[int]]:
    """The statements of an operator with that condition and value. Raises SpecificationError."""
    path.write_text(TEXT.format(types=types, condition=condition, value=value), "utf-8")
    return statements(path)


@pytest.mark.parametrize(
    ("types", "short", "long"),
    [
        (INT, "X[i] < 0", "X[i] < T(0)"),
        (INT, "0 < X[i] <= 3", "T(0) < X[i] <= T(3)"),
        (INT, "X[i] != -128", "X[i] != T(-128)"),
        (INT, "X[i] = (-(2^7))", "X[i] = T(-128)"),
        (INT, "X[i] + 1 - 2 > X[i]", "X[i] + T(1) - T(2) > X[i]"),
        (INT, "2 * X[i] = X[i] * 2", "T(2) * X[i] = X[i] * T(2)"),
        (INT, "1 - X[i] = X[i] + 2^3", "T(1) - X[i] = X[i] + T(8)"),
        (INT, "K[k] < 255", "K[k] < I(255)"),
        (INT, "(if K[k] = 0 then 0 else X[i]) = 1", "(if K[k] = uint8(0) then T(0) else X[i]) = T(1)"),
        (INT, "(if K[k] = 0 then X[i] else -1) = 1", "(if K[k] = uint8(0) then X[i] else T(-1)) = T(1)"),
        (FLOAT, "X[i] < 0", "X[i] < T(0)"),
        (FLOAT, "X[i] = 0.0", "X[i] = T(0)"),
        (FLOAT, "X[i] >= -0.375", "X[i] >= T(-0.375)"),
        (FLOAT, "X[i] >= 65504", "X[i] >= T(65504)"),
        (FLOAT, "1 / X[i] < X[i] / 0", "T(1) / X[i] < X[i] / T(0)"),
        (FLOAT, "0.5 * X[i] + 1 < 2.0", "T(0.5) * X[i] + T(1) < T(2)"),
        ("real = real", "X[i] < 0", "X[i] < T(0)"),
        ("real = real", "X[i] * 0.1 > 1", "X[i] * T(0.1) > T(1)"),
    ],
)
def test_same_statements(tmp_path: Path, types: str, short: str, long: str) -> None:
    """A number beside an element is the term that its conversion is, in every statement and side condition."""
    path = tmp_path / "op.sonnx"
    written, converted = (collected(path, types, condition, ELEMENTS) for condition in (short, long))
    other = collected(path, types, SAME, ELEMENTS)

    assert written == converted
    assert written != other


@pytest.mark.parametrize(
    ("types", "condition", "message", "cure"),
    [
        (INT, "X[i] < 128", "no int8 is exactly 128", "`T(128)`, which wraps, or the element as an integer"),
        ("int = int16 int8", "X[i] < 300", "no int8 is exactly 300", "`T(300)`"),
        ("int = int16 uint8", "X[i] + -1 < 0", "no uint8 is exactly -1", "`T(-1)`"),
        (INT, "K[k] < 2^8", "no uint8 is exactly 2^8", "`uint8(2^8)`"),
        (INT, "X[i] < 1.0", "cannot compare an int8 with a real", "or an integer, such as `1`"),
        (INT, "X[i] + 0.5 < 0", "cannot mix an int8 and a real", "as a real"),
        (INT, "X[i] < 1 + 1", "cannot compare an int8 with an int", "as in `T(0)`"),
        (INT, "1 + 1 + X[i] < 1", "cannot mix an int and an int8", "as in `T(0)`"),
        (INT, "X[i] < rank(X)", "cannot compare an int8 with an int", "`int(x)`"),
        (INT, "X[i] + rank(X) < 0", "cannot mix an int8 and an int", "`int(x)`"),
        (INT, "0 <= rank(X) < X[i]", "cannot compare an int with an int8", "`int(x)`"),
        (INT, "(if K[k] = 0 then 0 else 1) = X[i]", "an int never equals an int8", "as in `T(0)`"),
        (INT, "0 / X[i] = 0", "`/` divides reals and floats", "`div(a, b)`"),
        (FLOAT, "X[i] < 0.1", "no float16 is exactly 0.1", "`T(0.1)`, which is rounded, or the element as a real"),
        (FLOAT, "X[i] < 2049", "no float16 is exactly 2049", "`T(2049)`"),
        (FLOAT, "X[i] < 65536", "no float16 is exactly 65536", "`T(65536)`"),
        (FLOAT, "X[i] = -0", "a float has two zeros", "`-T(0)`"),
        (FLOAT, "X[i] = -0.0", "a float has two zeros", "`-T(0)`"),
        (FLOAT, "X[i] < real(0)", "with a real", "`T(0.5)`"),
        (FLOAT, "real(1) < 1", "cannot compare a real with an int", "`2.0`"),
        ("bool = bool", "X[i] = 1", "a bool never equals an int", "a condition by itself"),
    ],
)
def test_refused(tmp_path: Path, types: str, condition: str, message: str, cure: str) -> None:
    """A number that no element is, and what is computed, are refused with what to write."""
    with pytest.raises(SpecificationError) as refused:
        collected(tmp_path / "op.sonnx", types, condition, ELEMENTS)

    said = refused.value
    assert message in said.message
    assert cure in said.cure


DEFINED = """\
library defined "Numbers of any type"

define {name}(x : T) : bool{family}
  "a comparison"
  = x < {number}
"""
USED = """\
use defined

theory laws "Laws"

types {types}

theorem law "a law"
  for x : T
  : {said} or x >= {number}
"""


@pytest.mark.parametrize(
    ("number", "family", "types", "refused"),
    [
        ("100", " for int", INT, ""),
        ("300", " for int", "int = int16 int32", ""),
        ("300", " for int", INT, "no int8 is exactly 300"),
        ("2^64", " for int", "", "no type of the family int has 2^64"),
        ("0.1", " for float", "", "no type of the family float has 0.1"),
        ("2049", " for float", "float = float double", ""),
        ("2049", " for float", FLOAT, "no float16 is exactly 2049"),
    ],
)
def test_definitions_and_theorems(tmp_path: Path, number: str, family: str, types: str, refused: str) -> None:
    """A library, which lists no types, is refused what no type of the family is; whoever calls it is, for its types; a
    theorem, for the types that it lists."""
    library, theory = tmp_path / "defined.sonnx", tmp_path / "laws.sonnx"
    library.write_text(DEFINED.format(name="below", family=family, number=number), "utf-8")
    for said, other in (("below(x)", "T(0)"), ("x < T(0)", number)):
        theory.write_text(USED.format(types=types or INT, said=said, number=other), "utf-8")
        asked = [library, theory][bool(types) :]
        try:
            for path in asked:
                assert statements(path) is not None
            message = ""
        except SpecificationError as error:
            message = error.message
        assert message == refused


def test_exact_clauses_have_integers(tmp_path: Path) -> None:
    """In an exact clause an integer element is a number, and any number stands beside it."""
    path = tmp_path / "op.sonnx"
    with pytest.raises(SpecificationError, match="no int8 is exactly 300"):
        collected(path, INT, "X[i] < 300", ELEMENTS)
    text = path.read_text("utf-8")
    made = []
    for bound in ("X[i] < 300", "int(X[i]) < 300"):
        exact = text.replace('"a condition"', '"a condition" for int exact')
        path.write_text(exact.replace("X[i] < 300", bound), "utf-8")
        made.append(statements(path))

    assert made[0] == made[1]
