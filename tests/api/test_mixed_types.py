"""Laws that join operators of several element types: names are of the type that their operators ask for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import sonnx_verify
from sonnx_verify.cli import main

Side = Callable[..., Any]
T = "T"
FLOATS = {"bfloat16", "float16", "float", "double"}
NUMBERS = {f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)} | FLOATS
NUMPY = {"bool": "?", "int8": "i1", "uint16": "u2", "int64": "i8", "float": "f4", "double": "f8"}
LAWS: list[tuple[str, dict[str, str], Side, Side, set[str], str]] = [
    (
        "Where(Not(C), X, Y) = Where(C, Y, X)",
        {"C": "bool", "X": T, "Y": T},
        lambda c, x, y: np.where(~c, x, y),
        lambda c, x, y: np.where(c, y, x),
        {*NUMBERS, "bool"},
        "proved",
    ),
    (
        "Not(Equal(A, B)) = Not(Equal(B, A))",
        {"A": T, "B": T},
        lambda a, b: a != b,
        lambda a, b: b != a,
        {*NUMBERS, "bool", "real"},
        "proved",
    ),
    (
        "Or(Less(A, B), Greater(A, B)) = Not(Equal(A, B))",
        {"A": T, "B": T},
        lambda a, b: (a < b) | (a > b),
        lambda a, b: a != b,
        {*NUMBERS, "real"},
        "by NaN",
    ),
    (
        "Where(Less(A, B), A, B) = Min(A, B)",
        {"A": T, "B": T},
        lambda a, b: np.where(a < b, a, b),
        lambda a, b: np.minimum(a, b),
        NUMBERS,
        "by NaN",
    ),
    (
        "And(Equal(A, B), C) = And(C, Equal(A, B))",
        {"A": T, "B": T, "C": "bool"},
        lambda a, b, c: (a == b) & c,
        lambda a, b, c: c & (a == b),
        {*NUMBERS, "bool", "real"},
        "proved",
    ),
    (
        "Where(C, X, X) = X",
        {"C": "bool", "X": T},
        lambda c, x: np.broadcast_to(x, np.broadcast_shapes(c.shape, x.shape)),
        lambda c, x: x,
        {*NUMBERS, "bool"},
        "refuted",
    ),
    (
        "for X : tensor of T; N : tensor of int8 : Max(N, N) = N and Equal(X, X) = Equal(X, X)",
        {"X": T, "N": "int8"},
        lambda x, n: n,
        lambda x, n: n,
        {*NUMBERS, "bool", "real"},
        "proved",
    ),
    (
        "for X : tensor of T; N : tensor of int8 : Add(N, N) = Neg(N) and Equal(X, X) = Equal(X, X)",
        {"X": T, "N": "int8"},
        lambda x, n: n + n,
        lambda x, n: -n,
        {*NUMBERS, "bool", "real"},
        "refuted",
    ),
]


@pytest.mark.parametrize(("law", "names", "left", "right", "types", "verdict"), LAWS)
def test_a_law_of_several_types(
    law: str, names: dict[str, str], left: Side, right: Side, types: set[str], verdict: str
) -> None:
    """It is decided for each type that the tensors of T can have, and as numpy has it."""
    found = sonnx_verify.prove(law)

    said = {name: str(one.verdict) for one in found for name in one.types}
    assert set(said) == types
    for name, answer in said.items():
        expected = verdict
        if verdict == "by NaN":
            expected = "refuted" if name in FLOATS else "proved"
        assert answer == expected, name

    draws = np.random.default_rng(3)
    for name in types & NUMPY.keys():
        differs = False
        for _ in range(40):
            shapes = [(), (3,), (2, 1), (1, 3)]
            given = []
            for kind in names.values():
                dtype = np.dtype(NUMPY[name if kind == T else kind])
                array: Any = draws.integers(-2, 3, shapes[draws.integers(4)]).astype(dtype)
                if dtype.kind == "f" and draws.random() < 0.3:
                    array = np.where(draws.random(array.shape) < 0.3, np.nan, array).astype(dtype)
                given.append(array)
            a, b = left(*given), right(*given)
            differs |= a.shape != b.shape or not np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
        assert differs == (said[name] == "refuted"), name


def test_types_that_are_missing() -> None:
    """What some operator of a law does not take is told, with the operator."""
    done = CliRunner().invoke(main, ["prove", "Where(Equal(A, B), A, B) = B"])
    assert "not asked of real: Where does not take it" in done.output


def test_no_type_in_common() -> None:
    """Of a tensor that two operators want to be of different types."""
    done = CliRunner().invoke(main, ["prove", "Not(X) = Neg(X)"])
    assert done.exit_code == 2
    assert "no element type in common" in done.output
