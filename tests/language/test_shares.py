"""Softmax: what implementations in the type or in a wider one give is in its sets, what is worse is not; its laws."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

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
FOLDER = HERE / "arithmetic" / "shares"
DTYPES = {"bfloat16": ml_dtypes.bfloat16, "float16": np.float16, "float": np.float32, "double": np.float64}
EACH = pytest.mark.parametrize("name", DTYPES)
Implementation = Callable[[np.ndarray], np.ndarray]


def loaded(folder: Path = FOLDER) -> Operator:
    """The operator of the text, on arrays."""
    path = folder / "softmax.sonnx"
    project = Project.of_files(ROOT, [path])
    return Operator(project, next(unit for unit in project.units if unit.path == path))


@pytest.fixture(scope="module")
def softmax() -> Operator:
    return loaded()


def rows(name: str, count: int, seed: int, size: int) -> np.ndarray:
    """Rows of numbers of one magnitude each, small or far apart."""
    rng = np.random.default_rng(seed)
    spread = np.exp(rng.uniform(-8, 8 if name == "double" else 6, (count, 1)))
    middle = rng.choice([0, 0, 100, -3000], (count, 1))
    made: np.ndarray = (rng.standard_normal((count, size)) * spread + middle).astype(DTYPES[name])
    return made


def special(name: str) -> np.ndarray:
    """Rows with NaN, infinities and zeros, of equal numbers, and of the ends of the type."""
    info = ml_dtypes.finfo(DTYPES[name])  # type: ignore[no-untyped-call]
    most, least = float(info.max), float(info.smallest_subnormal)
    inf, nan = np.inf, np.nan
    made = [
        [nan, 0, 1], [nan, nan, nan], [nan, inf, -inf], [inf, 0, 0], [inf, inf, 1], [inf, -inf, 0],
        [-inf, -inf, -inf], [-inf, 0, 0], [-inf, -inf, 3], [0, -0.0, 0], [7, 7, 7], [most, most, most],
        [most, -most, 0], [-most, -most, -most], [least, -least, 0], [most, 1000, 1000], [1000, 1000, 999],
        [-1000, -1000, -1001], [-inf, -most, -most], [-inf, -most, most],
    ]  # fmt: skip
    return np.array(made, np.float64).astype(DTYPES[name])


def rounded(y: np.ndarray, x: np.ndarray) -> np.ndarray:
    """y in the type of x."""
    made: np.ndarray = y.astype(x.dtype)
    return made


def sequential(x: np.ndarray) -> np.ndarray:
    """The sum of each row, from the left, rounded at each step."""
    total = x[:, 0].copy()
    for k in range(1, x.shape[1]):
        total = (total + x[:, k]).astype(x.dtype)
    return total[:, None]


def powers(x: np.ndarray) -> np.ndarray:
    """e^(x - m) in the type of x: exp is numpy's on doubles, rounded to the type."""
    off: np.ndarray = (x - x.max(axis=1, keepdims=True)).astype(x.dtype)
    return np.exp(off.astype(np.float64)).astype(x.dtype)


def in_the_type(x: np.ndarray) -> np.ndarray:
    e = powers(x)
    return rounded(e / sequential(e), x)


def by_reciprocal(x: np.ndarray) -> np.ndarray:
    e = powers(x)
    return rounded(e * (np.array(1, x.dtype) / sequential(e)).astype(x.dtype), x)


def backwards(x: np.ndarray) -> np.ndarray:
    e = powers(x)
    return rounded(e / sequential(e[:, ::-1]), x)


def wider(x: np.ndarray) -> np.ndarray:
    wide = np.float32 if x.dtype.itemsize == 2 else np.longdouble
    e = np.exp(x.astype(wide) - x.astype(wide).max(axis=1, keepdims=True))
    return rounded(e / e.sum(axis=1, keepdims=True), x)


HONEST = (in_the_type, by_reciprocal, backwards, wider)


def quietly(compute: Implementation, x: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        return compute(x)


@EACH
@pytest.mark.parametrize("count", [20, pytest.param(1500, marks=pytest.mark.soak)])
def test_what_implementations_do_conforms(name: str, count: int, softmax: Operator) -> None:
    """In the type, in any order, by division or by a reciprocal, or in a wider type: the result is in the set."""
    for seed, size in enumerate((1, 2, 3, 12)):
        x = rows(name, count, seed, size)
        result = softmax.results(x, axis=-1)
        for compute in HONEST:
            y = quietly(compute, x)
            wrong = np.argwhere(~result.conforms(y))
            assert wrong.size == 0, (compute.__name__, x[wrong[0][0]], y[wrong[0][0]])


@EACH
def test_special_values(name: str, softmax: Operator) -> None:
    """NaN where the row has NaN, infinity or nothing but -infinity, and 0 of -infinity: as numpy has it."""
    x = special(name)
    result = softmax.results(x, axis=1)
    for compute in HONEST:
        assert result.conforms(quietly(compute, x)).all(), compute.__name__
    undefined = np.isnan(x).any(axis=1) | (x == np.inf).any(axis=1) | (x == -np.inf).all(axis=1)
    np.testing.assert_array_equal(np.isnan(result.value), np.repeat(undefined[:, None], 3, axis=1))
    zero = ~undefined[:, None] & (x == -np.inf)
    assert (result.value[zero].astype(float) == 0).all()
    assert not result.conforms(np.full(x.shape, ml_dtypes.finfo(x.dtype).smallest_subnormal, x.dtype))[zero].any()  # type: ignore[no-untyped-call]
    assert not result.conforms(np.zeros_like(x))[np.isnan(result.value)].any()


@EACH
def test_the_value_is_the_nearest(name: str, softmax: Operator) -> None:
    """What is computed is the share, rounded once: MPFR has it with 200 bits."""
    x = np.concatenate([rows(name, 12, 5, 4), np.repeat(special(name)[7:12], 2, axis=1)[:, 2:]])
    value = softmax.evaluate(x, axis=1)

    with gmpy2.context(precision=200, emin=-(1 << 40), emax=1 << 40):
        for row, made in zip(x.astype(float).tolist(), value.astype(float).tolist(), strict=True):
            e = [gmpy2.exp(gmpy2.mpfr(v) - max(row)) for v in row]
            for one, y in zip(e, made, strict=True):
                share = one / sum(e)
                off = abs(gmpy2.mpfr(y) - share)
                assert all(off <= abs(gmpy2.mpfr(z) - share) for z in neighbours(y, name)), (row, y)


def neighbours(y: float, name: str) -> list[float]:
    one = np.array(y, DTYPES[name])
    return [float(np.nextafter(one, np.array(to, one.dtype))) for to in (-np.inf, np.inf)]


def unshifted(x: np.ndarray) -> np.ndarray:
    e = np.exp(x.astype(np.float64)).astype(x.dtype)
    return rounded(e / sequential(e), x)


def of_base_2(x: np.ndarray) -> np.ndarray:
    e = np.exp2(x.astype(np.longdouble) - x.astype(np.longdouble).max(axis=1, keepdims=True))
    return rounded(e / e.sum(axis=1, keepdims=True), x)


def along_the_other_axis(x: np.ndarray) -> np.ndarray:
    return wider(x.T).T


def without_the_last(x: np.ndarray) -> np.ndarray:
    e = powers(x)
    return rounded(e / sequential(e[:, :-1]), x)


def coarse(x: np.ndarray) -> np.ndarray:
    """e^x with 2 bits."""
    parts, exponents = np.frexp(powers(x).astype(np.float64))
    kept: np.ndarray = np.ldexp(np.rint(parts * 4) / 4, exponents)
    return rounded(kept / kept.sum(axis=1, keepdims=True), x)


@EACH
@pytest.mark.parametrize("wrong", [unshifted, of_base_2, along_the_other_axis, without_the_last, coarse])
def test_what_is_worse_is_refused(name: str, wrong: Implementation, softmax: Operator) -> None:
    """Overflow of exp, another base, another axis, an addend left out, and an exp of 2 bits."""
    x = np.array([[1, 2, 3, 0.5], [700, 710, 711, 712], [0, -1, 2, 1], [-1, -2, -3, -4]], DTYPES[name])

    assert not softmax.results(x, axis=1).conforms(quietly(wrong, x)).all()


NARROW = {
    "the powers are exact": ("2.0 * real(n) + 6.0 - log(s)", "2.0 * real(n) + 6.0 - 0.0 * log(s)", "double", 2),
    "the sum is exact": ("2.0 * real(n) + 6.0 - log(s)", "6.0 - log(s)", "bfloat16", 60),
    "nothing is rounded": ("(2.0 * real(n) + 6.0 - log(s))", "(0.0 * log(s))", "float", 3),
    "nothing underflows": ("(real(n) * s + 3.0) * T.least", "0.0", "float16", 2),
}  # fmt: skip


@pytest.mark.parametrize("what", NARROW)
def test_a_set_that_is_too_narrow_is_noticed(what: str, tmp_path: Path) -> None:
    """With one slip in the bound the text refuses what an implementation gives."""
    old, new, name, size = NARROW[what]
    for path in FOLDER.glob("*.sonnx"):
        said = path.read_text("utf-8")
        if path.stem == "float_shares":
            assert said.count(old) == 1
            said = said.replace(old, new)
        (tmp_path / path.name).write_text(said, "utf-8")
    rng = np.random.default_rng(3)
    x = (rng.uniform(-650 if name == "double" else -16, 0, (40, size)) + 0.1).astype(DTYPES[name])
    if what == "the sum is exact":
        # Half of the distance between two bfloat16 from 32 on is 1/8: what is less is lost.
        x = np.array([[0.0] * 32 + [-2.125] * 28], x.dtype)

    results = loaded(tmp_path).results(x, axis=1)

    assert not all(results.conforms(compute(x)).all() for compute in HONEST)


def test_axes_and_sizes(softmax: Operator) -> None:
    """Any axis of any rank, from the end too; sizes 0 and 1; no axis of a scalar."""
    rng = np.random.default_rng(9)
    x = rng.standard_normal((2, 1, 3)).astype(np.float32)
    for axis in (-3, -2, -1, 0, 1, 2):
        e = np.exp(x.astype(np.float64))
        y = (e / e.sum(axis=axis, keepdims=True)).astype(np.float32)
        assert softmax.results(x, axis=axis).conforms(y).all()
    assert softmax.evaluate(x, axis=1).tolist() == np.ones_like(x).tolist()
    assert softmax.evaluate(np.zeros((2, 0, 3), np.float32), axis=1).shape == (2, 0, 3)
    assert softmax.evaluate(np.zeros((2, 0, 3), np.float32), axis=0).shape == (2, 0, 3)
    with pytest.raises(ClauseViolated):
        softmax.evaluate(np.array(1, np.float32), axis=0)
    with pytest.raises(ClauseViolated):
        softmax.evaluate(x, axis=3)


def test_irrational_bounds_are_measured(softmax: Operator) -> None:
    """A bound with a logarithm in it, about a share with exponentials, is shown as a number."""
    result = softmax.results(np.array([1, 2, 3], np.float16), axis=0)

    shares = np.exp([1.0, 2, 3]) / np.exp([1.0, 2, 3]).sum()
    factor = (12 - np.log(shares)) * 2.0**-11
    bound = (factor + factor**2) * shares + (3 * shares + 3) * 2.0**-24
    np.testing.assert_allclose(result.bound, bound, rtol=1e-12)
    np.testing.assert_allclose(result.relative, bound / shares, rtol=1e-12)


def verdicts(*names: str) -> dict[str, str]:
    found = sonnx_verify.check(*(str(FOLDER / f"{name}.sonnx") for name in names), cached=False)
    return {one.id: str(one.verdict) for one in found}


@pytest.mark.soak
def test_laws_of_shares() -> None:
    """Over reals each law is proved, for any number of addends; each false neighbour is refuted by input."""
    right, wrong = verdicts("shares"), verdicts("false_laws")

    assert set(right.values()) <= {"proved", "holds"}
    assert right["user.shares/shift/theorem"] == right["user.shares/one/theorem"] == "proved"
    assert [v for i, v in wrong.items() if i.endswith("/theorem")] == ["refuted"] * 6


@pytest.mark.soak
def test_softmax_is_proved() -> None:
    """Nothing of the text is unknown."""
    found = verdicts("softmax", "float_shares")

    assert {i: v for i, v in found.items() if v not in ("proved", "holds")} == {}
    assert len(found) >= 16
