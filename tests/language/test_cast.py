"""Conversion from one type variable to another: the text of cast.sonnx is proved, and says what numpy does."""

from __future__ import annotations

import shutil
from bisect import bisect_left
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sonnx_verify
from sonnx_verify.conformance.targets.runtimes import array_of_value
from sonnx_verify.errors import SpecificationError
from sonnx_verify.language.project import Project
from sonnx_verify.logic import floats, sorts
from sonnx_verify.logic.sorts import ELEMENT_TYPES, FloatSort, IntegerSort
from sonnx_verify.results.concrete import ConcreteTensor
from sonnx_verify.results.dtypes import dtype_of
from sonnx_verify.solving.check.collect import collect
from sonnx_verify.solving.check.record import Record
from sonnx_verify.solving.inputs.arguments import from_array

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
CAST = HERE / "cast.sonnx"
LIBRARIES = [ROOT / "spec" / "common" / f"{name}.sonnx" for name in ("conversions", "strides")]
Records = Callable[[Path, Callable[[str], bool]], list[Record]]
INTEGERS = [sort.name for sort in sorts.INTEGERS]
FLOATS = [sort.name for sort in (*sorts.FLOATS, *sorts.MINIFLOATS)]
NAMES = [*INTEGERS, *FLOATS, "bool"]
DTYPES: dict[str, Any] = {name: dtype_of(name) for name in NAMES}
SMALL = ("float8e5m2", "float8e4m3fn")
"""The types that a conversion to them saturates, if it is to."""
SPECIAL = (
    0.0, -0.0, np.nan, np.inf, -np.inf, 1.0, -1.5, 2.5, 3.5, 127.5, -128.5, 255.9, 256.0, 1e-7, -6e-8, 1e-40, 5e-324,
    2.0**-9, 2.0**-10, -(2.0**-10), 3 * 2.0**-11, 448.0, 449.0, 464.0, 464.5, -480.0, 57344.0, 61440.0, 65504.0,
    65520.0, 2.0**31, -(2.0**31), 2.0**63, 3.4e38, 1e300, 1 + 2**-8 + 2**-40, -1 - 2**-8 - 2**-40, 1.0625 + 2**-40,
)  # fmt: skip  # a table
WHOLE = (0, 1, 2, 3, 7, 8, 15, 127, 128, 255, 256, 300, 447, 449, 464, 465, 2049, 32768, 57345, 61439, 61440, 65519,
         65520, 2**24 + 1, 2**31 - 1, 2**31, 2**53 + 1, 2**63 - 1)  # fmt: skip  # a table
RANDOM = 40
ORDINARY = ("int4", "int64", "float16", "double", "float8e4m3fn", "bool")
"""The types from which every run converts; those from the others are left to the soak."""


def elements_of(name: str) -> np.ndarray:
    """All values of a type of 8 bits or fewer; of any other those at which a conversion turns, and some at random."""
    dtype, sort = DTYPES[name], ELEMENT_TYPES[name]
    chance = np.random.default_rng(NAMES.index(name))
    if name == "bool":
        return np.array([False, True])
    if isinstance(sort, FloatSort):
        bits = np.dtype(f"u{dtype.itemsize}")
        if sort.width == 8:
            return np.arange(256, dtype=bits).view(dtype)
        with np.errstate(over="ignore"):
            special = np.array(SPECIAL).astype(dtype)
            moderate = (chance.standard_normal(RANDOM) * 10.0 ** chance.integers(-4, 6, RANDOM)).astype(dtype)
        any_bits = chance.integers(0, 256, dtype.itemsize * RANDOM).astype(np.uint8).view(dtype)
        return np.concatenate([special, moderate, any_bits])
    assert isinstance(sort, IntegerSort)
    if sort.width <= 8:
        return np.array(range(sort.lowest, sort.greatest + 1), dtype)
    numbers = [(n * sign - sort.lowest) % (1 << sort.width) + sort.lowest for n in WHOLE for sign in (1, -1)]
    return np.concatenate(
        [np.array(numbers, dtype), chance.integers(0, 256, dtype.itemsize * RANDOM).astype(np.uint8).view(dtype)]
    )


def nearest(number: Fraction, to: str, *, saturate: bool, negative_zero: bool) -> int:
    """The pattern of a small float nearest to a number, from the middles between the values of ml_dtypes alone."""
    dtype = DTYPES[to]
    beyond = {"float8e5m2": 0x7C, "float8e4m3fn": 0x7F}[to]
    values = [Fraction(float(v)) for v in np.arange(beyond, dtype=np.uint8).view(dtype)]
    step = 2 * values[-1] - values[-2]
    middles = [(a + b) / 2 for a, b in zip(values, [*values[1:], step], strict=True)]
    sign = 0x80 if number < 0 or negative_zero else 0
    if saturate and abs(number) > values[-1]:
        return sign | beyond - 1
    bits = bisect_left(middles, abs(number))
    if bits < beyond and abs(number) == middles[bits]:
        bits += bits % 2
    if bits >= beyond:
        return 0x7F if to == "float8e4m3fn" else sign | beyond
    return sign | bits


def expected(value: Any, source: str, to: str, *, saturate: bool) -> object:
    """The element of `to`: numpy's conversion, or, where numpy rounds twice or gives what the processor does, the
    definition in exact numbers."""
    sort, dtype = ELEMENT_TYPES[to], DTYPES[to]
    is_float = source in FLOATS
    number = float(value) if is_float else int(value)
    finite = not is_float or bool(np.isfinite(number))
    if to == "bool":
        return number != 0
    if isinstance(sort, IntegerSort):
        whole = int(number) if finite else 0
        return (whole - sort.lowest) % (1 << sort.width) + sort.lowest
    assert isinstance(sort, FloatSort)
    negative = bool(np.signbit(number))
    if to in SMALL and finite:
        # Between floats of 8 bits nothing is out of range but what float8e4m3fn ends before.
        limits = saturate and source not in ("float8e4m3fn", "bool")
        return nearest(Fraction(number), to, saturate=limits, negative_zero=is_float and negative)
    if to in SMALL and number == number:
        last = floats.greatest(sort)
        if saturate:
            return last | (0x80 if negative else 0)
        return floats.nan(sort) if to == "float8e4m3fn" else floats.infinity(sort, negative=negative)
    if to == "bfloat16" and finite and source in ("double", "int32", "uint32", "int64", "uint64"):
        return floats.round_to_nearest(sort, Fraction(number), negative_zero=is_float and negative)
    with np.errstate(all="ignore"):
        made = np.array([value]).astype(dtype)
    return floats.canonical(sort, int(made.view(f"u{dtype.itemsize}")[0]))


@pytest.fixture(scope="module")
def cast(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The operator on arrays."""
    folder = tmp_path_factory.mktemp("cast")
    for path in (CAST, *LIBRARIES):
        shutil.copy(path, folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        yield sonnx_verify.load("user.CastLike-15")


def results(cast: Any, array: np.ndarray, to: str, *, saturate: bool) -> tuple[object, ...]:
    """The elements of the result of the evaluator of arrays."""
    made = from_array("Y", cast.evaluate(array, np.zeros((), DTYPES[to]), saturate=int(saturate)))
    assert isinstance(made, ConcreteTensor)
    assert made.sort is ELEMENT_TYPES[to]
    return made.elements


@pytest.mark.parametrize(
    "source", [name if name in ORDINARY else pytest.param(name, marks=pytest.mark.soak) for name in NAMES]
)
def test_numpy_converts_alike(source: str, cast: Any) -> None:
    """Wrapped between integers, rounded once to floats, NaN, infinities and the signs of zeros kept, floats of 8 bits
    with and without saturation. A truth value is 1 or 0, and a number is true unless it is a zero: NaN is true."""
    array = elements_of(source)
    for to in NAMES:
        for saturate in (True, False) if to in SMALL else (True,):
            made = results(cast, array, to, saturate=saturate)
            wrong = [
                (value, element, right)
                for value, element in zip(array, made, strict=True)
                if element != (right := expected(value, source, to, saturate=saturate))
            ]
            assert not wrong, (source, to, saturate, wrong[:3])


@pytest.mark.parametrize("source", ["uint4", "double", "float8e4m3fn"])
def test_the_reference_evaluator_says_the_same(source: str, cast: Any, operator: Callable[..., Any]) -> None:
    """On the first of these values."""
    array = elements_of(source)[:40]
    for to in ("int8", "uint64", "int2", "bfloat16", "double", "float8e5m2", "float8e4m3fn", "bool"):
        for saturate in (1, 0):
            reference = operator(CAST, T=source, U=to)({"X": array, "V": np.zeros(()), "saturate": saturate})
            assert reference.elements == results(cast, array, to, saturate=bool(saturate)), (source, to, saturate)


def test_obligations_are_proved_or_hold(records: Records) -> None:
    """Of every pair of types: every read is inside, every real is that of a finite float, and the result is the only
    one."""
    found = {r.id: r.verdict.name for r in records(CAST, lambda i: True)}

    assert {i: v for i, v in found.items() if v not in ("proved", "holds")} == {}
    sections = {f"{t}-{u}" for t in ("int", "float", "minifloat", "bool") for u in NAMES}
    assert {f"user.CastLike-15.{section}/Y/determined" for section in sections} <= found.keys()
    assert found["user.CastLike-15.float-int8/Y.value/in-bounds"] == "proved"


LAWS = {
    "there_and_back": {"int/narrowing": "int16", "float/narrowing": "bfloat16", "minifloat/narrowing": "float8e4m3fn",
                       "wide/narrowing": "int64", "wide/doubled": "int64"},
    "limits": {"beyond_too_early": "", "once": ""},
}  # fmt: skip  # a table
"""Laws that are false, each with the type of its counterexample."""


@pytest.mark.parametrize("name", LAWS)
def test_laws_are_proved_and_false_ones_refuted(name: str, records: Records) -> None:
    """What a wider type holds comes back, for every type; what a narrower one holds does not. No number is saturated
    one step early, and a float that is rounded twice is another."""
    found = {r.id.removeprefix(f"user.{name}").lstrip("./").removesuffix("/theorem"): r for r in
             records(HERE / f"{name}.sonnx", lambda i: i.endswith("/theorem"))}  # fmt: skip

    refuted = {law: r.types for law, r in found.items() if r.verdict.name == "refuted"}
    assert {law: types[0] if types else "" for law, types in refuted.items()} == LAWS[name]
    assert {law for law, r in found.items() if r.verdict.name != "proved"} == set(LAWS[name])


ALL_ELSE = "\n  else U(X[i])\n"
FLOATS_TO_FLOATS = "\n  else if T is float and U is float then {}\n  else U(X[i])\n"


@pytest.mark.parametrize(
    ("old", "new", "source", "to"),
    [
        (ALL_ELSE, FLOATS_TO_FLOATS.format("U(float(X[i]))"), "double", "bfloat16"),
        (ALL_ELSE, FLOATS_TO_FLOATS.format("(if is_nan(X[i]) then U(0) else U(X[i]))"), "float16", "double"),
        (ALL_ELSE, FLOATS_TO_FLOATS.format("(if -0.25 < X[i] < 0.25 then U(0) else U(X[i]))"), "float16", "double"),
        (ALL_ELSE, FLOATS_TO_FLOATS.format("(if is_infinite(X[i]) then U.greatest else U(X[i]))"), "double", "float16"),
        (ALL_ELSE, "\n  else if U is bool and T is float then U(not X[i] = 0)\n  else U(X[i])\n", "float16", "bool"),
        ("limited(X[i], T(U.greatest))", "limited(X[i], T(416))", "double", "float8e4m3fn"),
        ("then U(whole(X[i]))", "then U(floor(if is_nan(X[i]) or is_infinite(X[i]) then 0.0 else real(X[i])))",
         "double", "int64"),
        ("then U(whole(X[i]))", "then U(saturated(X[i], int(U.lowest), int(U.greatest)))", "double", "int8"),
    ],
)  # fmt: skip  # a table
def test_a_slip_is_seen(
    old: str, new: str, source: str, to: str, edited: Callable[[str, str, str], Path], operator: Callable[..., Any]
) -> None:
    """Rounding twice, NaN as 0, small numbers as 0, infinities as numbers, -0 as true, an end too early, the integer
    below, another policy: each differs on some of the values that are tried."""
    array = elements_of(source)
    made = operator(edited("cast", old, new), T=source, U=to)({"X": array, "V": np.zeros(()), "saturate": 1}).elements

    assert any(
        element != expected(value, source, to, saturate=True) for value, element in zip(array, made, strict=True)
    )


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
        ("U(whole(float(X[i])))", "U(X[i])", "`U` does not convert a float8e4m3fn", "`U(floor(real(x)))`"),
        (
            "U(limited(X[i], T(U.greatest)))",
            "U.greatest + U.greatest",
            "no arithmetic of minifloats",
            "compute with floats",
        ),
        ("U(limited(X[i], T(U.greatest)))", "U.infinity", "`U` has no `infinity`", "floats and minifloats also least"),
        (
            "U(limited(X[i], T(U.greatest)))",
            "sqrt(U.greatest)",
            "`sqrt` applies to floats",
            "mark the clause `for float`",
        ),
        (
            "else U(X[i])",
            "else if U is minifloat and U.greatest < 449 then U.least else U(X[i])",
            "no float8e4m3fn is exactly 449",
            "write",
        ),
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


@pytest.mark.parametrize("saturate", [1, 0])
@pytest.mark.parametrize("to", SMALL)
def test_onnxruntime_casts_alike(to: str, saturate: int, cast: Any) -> None:
    """Cast of onnxruntime, from float to floats of 8 bits, is what the text says, also of infinities and NaN."""
    # Where it does not saturate, onnxruntime 1.32 gives 448 from 480 up to 496, and not on either side, where ONNX has
    # NaN, and NaN from 61440 up to 65536 where ONNX has an infinity.
    deviations = {("float8e4m3fn", 0): (480, 496), ("float8e5m2", 0): (61440, 65536)}
    low, high = deviations.get((to, saturate), (1, 0))
    runtime: Any = pytest.importorskip("onnxruntime")
    helper: Any = pytest.importorskip("onnx.helper")
    number = {"float8e4m3fn": 17, "float8e5m2": 19}[to]
    node = helper.make_node("Cast", ["X"], ["Y"], to=number, saturate=saturate)
    ends = [helper.make_tensor_value_info(name, kind, [None]) for name, kind in (("X", 1), ("Y", number))]
    graph = helper.make_graph([node], "cast", ends[:1], ends[1:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    session = runtime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    array = elements_of("float")
    (made,) = session.run_with_ort_values(None, {"X": runtime.OrtValue.ortvalue_from_numpy(array)})

    read = array_of_value(made)
    assert read is not None
    sort = ELEMENT_TYPES[to]
    assert isinstance(sort, FloatSort)
    given = [floats.canonical(sort, bits) for bits in read.data]
    wrong = [
        (float(x), ours, theirs)
        for x, ours, theirs in zip(array, results(cast, array, to, saturate=bool(saturate)), given, strict=True)
        if ours != theirs and not low <= abs(x) <= high
    ]
    assert not wrong


REALS = """\
theory rounding "Minifloats nearest to reals"

types minifloat = float8e4m3fn

theorem bounded "true: the greatest is 448" for r : real assuming not is_nan(T(r)) : real(T(r)) <= 448.0
theorem number "false: what is too great is NaN" for r : real : not is_nan(T(r))
theorem product "false too" for x, y : T assuming not is_nan(x) and not is_nan(y) : not is_nan(T(real(x) * real(y)))
theorem total "false too" for L : list of T assuming count(L) = 2 and not is_nan(L[0]) and not is_nan(L[1])
  : not is_nan(T(sum { real(L[k]) | k in 0 .. 1 }))
"""


def test_reals_as_minifloats(tmp_path: Path) -> None:
    """No law of rounding is told of a format without infinities: what is true of its values alone is proved."""
    (tmp_path / "rounding.sonnx").write_text(REALS, "utf-8")
    made = sonnx_verify.check(str(tmp_path / "rounding.sonnx"), cached=False)
    found = {one.id.split("/")[1]: str(one.verdict) for one in made if one.id.endswith("/theorem")}

    assert found == {"bounded": "proved", "number": "candidate", "product": "refuted", "total": "refuted"}
