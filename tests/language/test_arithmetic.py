"""Arithmetic of floats, and functions of reals, in texts as an author would write them: laws, operators and values."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import gmpy2
import ml_dtypes
import numpy as np
import pytest

from sonnx_verify.arrays.evaluator.operator import Operator
from sonnx_verify.errors import ClauseViolated
from sonnx_verify.language.project import Project
from tests.language.verdicts import verdicts

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
FOLDER = HERE / "arithmetic"
LAWS = HERE / "float_laws.sonnx"
SOAK = os.environ.get("SONNX_SOAK") == "1"
LONG = ("pow", "gelu", "quantizelinear", "dequantizelinear", "quantization_grows", "log", "erf", "tanh")
FALSE_FROM = "sum_associates"
"""The first law of the text that is false; all below it are."""


def test_laws_of_rounding_are_decided() -> None:
    """In every format each law is proved, and what is false is refuted by input that was replayed."""
    found = verdicts(LAWS)
    tags = [identity.split("/")[1] for identity in found if identity.endswith("/theorem")]
    false = tags[tags.index(FALSE_FROM) :]
    expected = {tag: "refuted" if tag in false else "proved" for tag in tags}

    assert {tag: found[f"user.float_laws.T/{tag}/theorem"] for tag in tags} == expected
    assert (len(tags) - len(false), len(false)) == (22, 16), "a law is lost, or one was added"


def test_operators_are_proved() -> None:
    """Of fourteen operators, and of the laws about them, nothing is unknown; those that take long are in the soak."""
    texts = sorted(FOLDER.glob("*.sonnx"))
    long = [path for path in texts if not SOAK and path.stem in LONG]
    found = verdicts(*(path for path in texts if path not in long), beside=long)

    assert {i: v for i, v in found.items() if v not in ("proved", "holds")} == {}
    assert sum(v == "proved" for v in found.values()) >= 50


DTYPES = {"float16": np.float16, "bfloat16": ml_dtypes.bfloat16, "float": np.float32, "double": np.float64}
SMALL = {"float8e5m2": ml_dtypes.float8_e5m2}
"""A type that the operators here do not have."""
FORMATS = {"float16": (11, 15), "bfloat16": (8, 127), "float": (24, 127), "double": (53, 1023)}


def inputs(name: str, count: int, seed: int = 1) -> np.ndarray:
    """Special values, values near one another, and random ones."""
    dtype = np.dtype((DTYPES | SMALL)[name])
    rng = np.random.default_rng(seed)
    info = ml_dtypes.finfo(dtype)  # type: ignore[no-untyped-call]
    one = np.array(1, dtype)
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 0.5, -0.5, 2.5, -2.5, 3, 1e-3, 88.5, -103, 11.2, -17]
    ends = [info.max, info.min, info.smallest_normal, info.smallest_subnormal, -info.smallest_subnormal]
    near = [np.nextafter(one, np.array(x, dtype)) for x in (0, 2)]
    some = rng.standard_normal(count) * np.exp(rng.uniform(-12, 6, count))
    return np.concatenate([np.array([*special, *ends, *near], dtype), some.astype(dtype)])


def oracle(name: str, function: Callable[[object], object], x: np.ndarray) -> np.ndarray:
    """MPFR's result in a format, of each element."""
    precision, emax = FORMATS[name]
    context = gmpy2.context(precision=precision, emax=emax + 1, emin=3 - emax - precision, subnormalize=True)
    with gmpy2.context(context):
        made = [float(function(gmpy2.mpfr(float(v)))) for v in x]  # type: ignore[arg-type]
    return np.array(made, x.dtype)


@cache
def loaded(text: str) -> Operator:
    """The operator of a text, on arrays."""
    path = FOLDER / f"{text}.sonnx"
    project = Project.of_files(ROOT, [path])
    return Operator(project, next(unit for unit in project.units if unit.path == path))


UNARY: dict[str, Callable[..., object]] = {
    "sqrt": gmpy2.sqrt, "round": gmpy2.rint, "exp": gmpy2.exp, "log": gmpy2.log, "tanh": gmpy2.tanh,
    "erf": gmpy2.erf,
}  # fmt: skip


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("text", UNARY)
def test_functions_are_correctly_rounded(text: str, name: str) -> None:
    """On arrays each gives MPFR's result, at ends, subnormals, zeros, infinities and NaN too."""
    x = inputs(name, 120)

    made = loaded(text).evaluate(x)

    assert_same(made, oracle(name, UNARY[text], x))


def assert_same(made: np.ndarray, expected: np.ndarray) -> None:
    """Bit by bit the same, but for the bits of NaN."""
    assert made.dtype == expected.dtype
    np.testing.assert_array_equal(np.isnan(made), np.isnan(expected))
    numbers = ~np.isnan(expected)
    assert made[numbers].tobytes() == expected[numbers].tobytes()


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize(("text", "compute"), [("add", np.add), ("mul", np.multiply), ("div", np.divide)])
def test_binary_operators_of_floats(text: str, compute: Callable[..., np.ndarray], name: str) -> None:
    """Each element with each other one, as numpy has it, which rounds these once."""
    x = inputs(name, 40)

    made = loaded(text).evaluate(x[:, None], x[None, :])

    with np.errstate(all="ignore"):
        assert_same(made.reshape(-1), compute(x[:, None], x[None, :]).reshape(-1))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.int64, np.uint64])
def test_division_of_integers(dtype: type[np.integer[Any]]) -> None:
    """Cut off towards 0; the lowest by -1 is the lowest."""
    info = np.iinfo(dtype)
    x: np.ndarray = np.array([info.min, info.min + 1, 0, 1, 7, 100, info.max - 1, info.max], dtype)
    if info.min < 0:
        x = np.concatenate([x, -x[2:6]])
    y = x[x != 0]

    made = loaded("div").evaluate(x[:, None], y[None, :])

    def quotient(a: int, b: int) -> int:
        magnitude = abs(a) // abs(b)
        return magnitude if (a < 0) == (b < 0) else -magnitude

    exact = [[quotient(int(a), int(b)) for b in y] for a in x]
    wrapped = [[(q - info.min) % (1 << info.bits) + info.min for q in row] for row in exact]
    np.testing.assert_array_equal(made, np.array(wrapped, dtype))


def test_division_by_zero_is_refused() -> None:
    """Of integers it is an error of the text."""
    with pytest.raises(ClauseViolated):
        loaded("div").evaluate(np.array([1], np.int8), np.array([0], np.int8))


def special_power(x: float, y: float) -> float | None:
    """What Python's own power says where it is decided by a table, and not rounded."""
    if x == 1 or y == 0:
        return 1.0
    if np.isnan(x) or np.isnan(y) or not (np.isfinite(x) and np.isfinite(y)) or x == 0:
        with np.errstate(all="ignore"):
            return float(np.float64(x) ** np.float64(y))
    return np.nan if x < 0 and y != np.floor(y) else None


@pytest.mark.parametrize("name", DTYPES)
def test_powers_of_floats(name: str) -> None:
    """All pairs of special values by IEEE 754's table, as the C library has it; the others as in MPFR."""
    some = inputs(name, 24 if name != "double" else 8)
    x, y = (grid.reshape(-1) for grid in np.meshgrid(some, some))

    made = loaded("pow").evaluate(x, y)

    numbers = list(zip(x.astype(float).tolist(), y.astype(float).tolist(), strict=True))
    special = np.array([np.inf if (s := special_power(*pair)) is None else s for pair in numbers], dtype=x.dtype)
    by_table = np.array([special_power(*pair) is not None for pair in numbers])
    assert by_table.sum() > 300
    assert_same(made[by_table], special[by_table])
    precision, emax = FORMATS[name]
    rounded = gmpy2.context(precision=precision, emax=emax + 1, emin=3 - emax - precision, subnormalize=True)
    with gmpy2.context(rounded):
        powers = [float(gmpy2.mpfr(a) ** gmpy2.mpfr(b)) for a, b in numbers]
    assert_same(made[~by_table], np.array(powers, x.dtype)[~by_table])


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_quantization(dtype: type[np.integer[Any]]) -> None:
    """Per tensor and per axis, as numpy rounds quotients of float32; ends saturate, NaN is the zero point."""
    info = np.iinfo(dtype)
    x = np.concatenate([inputs("float", 3000, 8), np.arange(-400, 400, dtype=np.float32) / 4])
    x = np.stack([x, -x, x])
    for scale, zero in (
        (np.float32(0.5), dtype(3)), (np.float32(1e-3), dtype(info.max)), (np.float32(1e-45), dtype(0)),
        (np.array([0.1, 2, 3e38], np.float32), np.array([info.min, 7, 100], dtype)),
    ):  # fmt: skip
        made = loaded("quantizelinear").evaluate(x, np.asarray(scale), np.asarray(zero), axis=0)

        columns = (np.asarray(scale).reshape(-1, 1), np.asarray(zero).reshape(-1, 1))
        with np.errstate(all="ignore"):
            quotient = np.rint(x / columns[0]).astype(np.float64) + columns[1]
        expected = np.where(np.isnan(quotient), columns[1], np.clip(quotient, info.min, info.max)).astype(dtype)
        assert made.dtype == expected.dtype
        np.testing.assert_array_equal(made, expected)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_dequantization(dtype: type[np.integer[Any]]) -> None:
    """Every integer, with scales that overflow, or give subnormals, too."""
    info = np.iinfo(dtype)
    x: np.ndarray = np.stack([np.arange(info.min, info.max + 1).astype(dtype)] * 3, axis=1)
    for scale, zero in (
        (np.float32(0.1), dtype(3)), (np.float32(1e-45), dtype(info.max)), (np.float32(np.inf), dtype(1)),
        (np.array([0.1, -2, 3e38], np.float32), np.array([info.min, 7, 100], dtype)),
    ):  # fmt: skip
        made = loaded("dequantizelinear").evaluate(x, np.asarray(scale), np.asarray(zero))

        with np.errstate(all="ignore"):
            expected = (x.astype(np.float32) - np.asarray(zero).astype(np.float32)) * np.asarray(scale)
        assert_same(made.reshape(-1), expected.reshape(-1))


def exact_gelu(approximate: str) -> Callable[[Any], Any]:
    """Gelu of a finite number in MPFR, with bits enough to be rounded once."""

    def gelu(x: Any) -> Any:
        if not gmpy2.is_finite(x) or x == 0:
            return (gmpy2.zero(-1) if x < 0 else x) if not gmpy2.is_nan(x) else x
        with gmpy2.context(precision=250, emax=1 << 40, emin=-(1 << 40)):
            if approximate == "none":
                share = gmpy2.erfc(-x / gmpy2.sqrt(gmpy2.mpfr(2)))
            else:
                inner = gmpy2.sqrt(2 / gmpy2.const_pi()) * (x + x * x * x * gmpy2.mpfr(gmpy2.mpq(44715, 1000000)))
                share = 2 / (1 + gmpy2.exp(-2 * inner))
            value = x / 2 * share
        return value * 1

    return gelu


@pytest.mark.parametrize("approximate", ["none", "tanh"])
@pytest.mark.parametrize("name", ["float16", "bfloat16", "float"])
def test_gelu_is_correctly_rounded(name: str, approximate: str) -> None:
    """Thousands of values, far below 0 too, where it is -0."""
    x = inputs(name, 2500, 4)

    made = loaded("gelu").evaluate(x, approximate=approximate)

    assert_same(made, oracle(name, exact_gelu(approximate), x))
