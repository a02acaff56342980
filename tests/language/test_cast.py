"""Conversion from one type variable to another: the text of cast.sonnx is proved, and says what numpy does."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import sonnx_verify
from sonnx_verify.errors import SpecificationError
from sonnx_verify.language.project import Project
from sonnx_verify.logic import floats
from sonnx_verify.logic.sorts import ELEMENT_TYPES, FloatSort
from sonnx_verify.results.concrete import ConcreteTensor
from sonnx_verify.solving.check.collect import collect
from sonnx_verify.solving.check.record import Record
from sonnx_verify.solving.inputs.arguments import from_array

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
CAST = HERE / "cast.sonnx"
Records = Callable[[Path, Callable[[str], bool]], list[Record]]
INTEGERS = {"int8": np.int8, "uint8": np.uint8, "int32": np.int32, "int64": np.int64}
FLOATS = {"bfloat16": ml_dtypes.bfloat16, "float16": np.float16, "float": np.float32, "double": np.float64}
DTYPES: dict[str, Any] = {**INTEGERS, **FLOATS, "bool": np.bool_}
SPECIAL = (
    0.0,
    -0.0,
    np.nan,
    np.inf,
    -np.inf,
    1.0,
    -1.5,
    2.5,
    3.5,
    1e-7,
    -6e-8,
    1e-40,
    5e-324,
    65504.0,
    65520.0,
    3.4e38,
    1e300,
)
WHOLE = (
    0,
    1,
    -1,
    127,
    128,
    -128,
    -129,
    255,
    256,
    300,
    2049,
    65519,
    65520,
    2**24 + 1,
    2**31 - 1,
    -(2**31),
    2**53 + 1,
    2**63 - 1,
)


def elements_of(name: str, *, small: bool) -> np.ndarray:
    """Values of the type: those at which a conversion turns. Of floats that become integers, small ones."""
    dtype = DTYPES[name]
    if name == "bool":
        return np.array([False, True])
    if name in INTEGERS:
        return (
            np.array([n & (2 ** (8 * dtype().nbytes) - 1) for n in WHOLE], np.uint64)
            .astype(f"u{dtype().nbytes}")
            .view(dtype)
        )
    if small:
        return np.array([0.0, -0.0, 1.0, 1.5, 2.5, 100.25, 127.0], dtype)
    with np.errstate(over="ignore"):
        return np.array(SPECIAL).astype(dtype)


def exactly(value: Any, dtype: str, to: str) -> int:
    """The bits of the element of `to` that is nearest to the exact number."""
    sort, source = ELEMENT_TYPES[to], ELEMENT_TYPES[dtype]
    assert isinstance(sort, FloatSort)
    if not isinstance(source, FloatSort):
        return floats.round_to_nearest(sort, Fraction(int(value)))
    number = float(value)
    if number != number:
        return floats.nan(sort)
    if abs(number) == np.inf:
        return floats.infinity(sort, negative=number < 0)
    return floats.round_to_nearest(sort, Fraction(number), negative_zero=bool(np.signbit(number)))


def by_numpy(array: np.ndarray, to: str) -> np.ndarray:
    with np.errstate(over="ignore"):
        return array.astype(DTYPES[to])


def by_way_of_float32(source: str, to: str) -> bool:
    """ml_dtypes makes a bfloat16 by way of float32, and rounds twice: there the exact number says what is right."""
    return to == "bfloat16" and source in ("double", "int32", "int64")


def evaluated(array: np.ndarray, to: str) -> ConcreteTensor:
    """The result of the evaluator of arrays."""
    made = from_array("Y", sonnx_verify.load("user.CastLike-15").evaluate(array, np.zeros((), DTYPES[to])))
    assert isinstance(made, ConcreteTensor)
    return made


@pytest.mark.parametrize("to", DTYPES)
@pytest.mark.parametrize("source", DTYPES)
def test_numpy_converts_alike(source: str, to: str, operator: Callable[..., Any]) -> None:
    """Wrapped between integers, rounded once to floats, NaN, infinities and the signs of zeros kept. A truth value is 1
    or 0, and a number is true unless it is a zero: NaN is true."""
    array = elements_of(source, small=to in INTEGERS)
    made = operator(CAST, T=source, U=to)({"X": array, "V": np.zeros(())})

    if by_way_of_float32(source, to):
        assert list(made.elements) == [exactly(v, source, to) for v in array]
        return
    expected = from_array("Y", by_numpy(array, to))
    assert isinstance(expected, ConcreteTensor)
    assert made.elements == expected.elements


@pytest.mark.parametrize(
    ("source", "to"),
    [
        ("double", "bfloat16"),
        ("double", "float16"),
        ("bfloat16", "float16"),
        ("float", "double"),
        ("int64", "bfloat16"),
        ("float16", "int8"),
        ("bool", "bfloat16"),
        ("bool", "uint8"),
        ("float", "bool"),
        ("int64", "bool"),
    ],
)
def test_the_evaluator_of_arrays_says_the_same(
    source: str, to: str, operator: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Also of a double that rounds to another bfloat16 by way of float32: 1 + 2^-8 + 2^-40 is nearer to 1 + 2^-7."""
    shutil.copy(CAST, tmp_path)
    monkeypatch.chdir(tmp_path)
    array = elements_of(source, small=to in INTEGERS)
    if source == "double" and to in FLOATS:
        array = np.append(array, [1 + 2**-8 + 2**-40, -1 - 2**-8 - 2**-40, 1e-41])
    expected = operator(CAST, T=source, U=to)({"X": array, "V": np.zeros(())})

    assert evaluated(array, to).elements == expected.elements


SECTIONS = ("int-uint8", "int-float16", "float-int8", "float-bfloat16", "float-double", "bool-float", "int-bool")


def test_obligations_are_proved_or_hold(records: Records) -> None:
    """Every read is inside, every conversion of a float to an integer is of a finite one, and the result is the only
    one."""
    found = {r.id: r.verdict.name for r in records(CAST, lambda i: any(f"15.{section}/" in i for section in SECTIONS))}

    assert {i: v for i, v in found.items() if v not in ("proved", "holds")} == {}
    assert {f"user.CastLike-15.{section}/Y/determined" for section in SECTIONS} <= found.keys()
    assert found["user.CastLike-15.float-int8/Y.value/in-bounds"] == "proved"


def test_a_float_of_abstract_elements_converts_as_each_type_does(tmp_path: Path, records: Records) -> None:
    """A law of one type of the line is not one of all: to double and back nothing is lost, to float16 it is."""
    text = """\
theory laws "there and back"

types float = bfloat16 float16

theorem kept "nothing is lost by way of double" for x : T : T(double(x)) = x

theorem lost "nothing is lost by way of float16" for x : T : T(float16(x)) = x

theorem wide "what both types have" for x : T : is_nan(x) => is_nan(double(x))
"""
    path = tmp_path / "laws.sonnx"
    path.write_text(text, "utf-8")
    found = {r.id.removeprefix("user.laws.float/"): r for r in records(path, lambda i: "/theorem" in i)}

    assert {i: r.verdict.name for i, r in found.items()} == {
        "kept/theorem": "proved",
        "lost/theorem": "refuted",
        "wide/theorem": "proved",
    }
    assert found["lost/theorem"].types == ("bfloat16",)


@pytest.mark.parametrize(
    ("old", "new", "message", "cure"),
    [
        ("U(whole(X[i]))", "U(X[i])", "`U` does not convert a", "`U(floor(real(x)))`"),
        ("U(whole(X[i]))", "U(real(0))", "`U` does not convert a real", "`U(floor(x))`"),
        ("else U(X[i])", "else U(int(X[i] = X[i]))", "not a bool", "if p then 1 else 0"),
        ("else U(X[i])", "else U(X)", "`U` converts a number or an element, not a tensor", "convert one number"),
    ],
)
def test_what_does_not_convert(
    old: str, new: str, message: str, cure: str, edited: Callable[[str, str, str], Path]
) -> None:
    """The error says what is converted, and how to write what may be meant."""
    with pytest.raises(SpecificationError) as caught:
        collect(Project.of_files(ROOT, [edited("cast", old, new)]))

    assert message in caught.value.message
    assert cure in caught.value.cure


def test_constants_and_sets_of_another_variable(tmp_path: Path, operator: Callable[..., Any]) -> None:
    """`U.greatest`, as `T.greatest`, and U in the place of T everywhere else."""
    text = """\
operator Greatest version 1 user
types int = int8
types int of U = int8 uint8
input X : tensor of U
output Y : tensor of U
shape Y    = X.shape
value Y[i] = if X[i] = U(3) then U.lowest else U.greatest
"""
    path = tmp_path / "text.sonnx"
    path.write_text(text, "utf-8")

    assert operator(path, T="int8", U="uint8")({"X": np.array([3, 4])}).elements == (0, 255)
    assert operator(path, T="int8", U="int8")({"X": np.array([3, 4])}).elements == (-128, 127)
