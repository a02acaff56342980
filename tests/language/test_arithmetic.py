"""Arithmetic of floats, and functions of reals, in texts as an author would write them: laws, operators and values."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import gmpy2
import ml_dtypes
import numpy as np
import pytest

import sonnx_verify
from sonnx_verify.arrays.evaluator.operator import Operator
from sonnx_verify.errors import ClauseViolated
from sonnx_verify.language.project import Project

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
FOLDER = HERE / "arithmetic"
LAWS = HERE / "float_laws.sonnx"
FALSE_FROM = "sum_associates"
"""The first law of the text that is false; all below it are."""


def _verdicts(*paths: Path) -> dict[str, str]:
    return {one.id: str(one.verdict) for one in sonnx_verify.check(*map(str, paths), cached=False)}


def test_laws_of_rounding_are_decided() -> None:
    """In every format each law is proved, and what is false is refuted by input that was replayed."""
    found = _verdicts(LAWS)
    tags = [identity.split("/")[1] for identity in found if identity.endswith("/theorem")]
    false = tags[tags.index(FALSE_FROM) :]
    expected = {tag: "refuted" if tag in false else "proved" for tag in tags}

    assert {tag: found[f"user.float_laws.T/{tag}/theorem"] for tag in tags} == expected
    assert (len(tags) - len(false), len(false)) == (22, 16)


def test_operators_are_proved() -> None:
    """Of ten operators, and of the laws about them, nothing is unknown."""
    found = _verdicts(*sorted(FOLDER.glob("*.sonnx")))

    assert {i: v for i, v in found.items() if v not in ("proved", "holds")} == {}
    assert sum(v == "proved" for v in found.values()) >= 66


DTYPES = {"float16": np.float16, "bfloat16": ml_dtypes.bfloat16, "float": np.float32, "double": np.float64}
FORMATS = {"float16": (11, 15), "bfloat16": (8, 127), "float": (24, 127), "double": (53, 1023)}


def inputs(name: str, count: int, seed: int = 1) -> np.ndarray:
    """Special values, values near one another, and random ones."""
    dtype = np.dtype(DTYPES[name])
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
