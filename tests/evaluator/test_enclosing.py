"""Sets around sums and products on arrays: decided by enclosures, exactly as without them, and without a fraction where
an element is not next to an end of its set."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from math import prod
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from sonnx_verify.arrays.evaluator import enclosing, ends, pairs
from sonnx_verify.arrays.evaluator.blocks import Block
from sonnx_verify.arrays.evaluator.operator import Operator
from sonnx_verify.arrays.evaluator.results import Result
from sonnx_verify.arrays.functions.pairs import exact
from sonnx_verify.language.named import find_operator
from sonnx_verify.language.project import Project
from sonnx_verify.logic.approximate import approximate

ROOT = Path(__file__).parents[2]
TYPES = (np.float16, ml_dtypes.bfloat16, np.float32, np.float64)
EACH = pytest.mark.parametrize("dtype", TYPES)
ALONG = """\
operator Along version 1 user
types float = bfloat16 float16 float double
input  X : tensor of T
output Y : tensor of T
[C1] constraint "a matrix" : rank(X) = 2
define finite(x : T) : bool for float
  "a number"
  = not is_nan(x) and not is_infinite(x)
define near(i : int) : set of T for float
  "what is near to a fold of a row"
  = within FOLD
shape Y    = shape (k in 0 .. 0 -> X.shape[0])
value Y[i] = near(i[0])
"""
FOLDS = {
    "product": "0.125 of product { real(X[[i, k]]) | k in 0 .. X.shape[1] - 1 where finite(X[[i, k]]) }",
    "exponentials": "0.125 of sum { exp(real(X[[i, k]]) / 8.0) | k in 0 .. X.shape[1] - 1"
    " where finite(X[[i, k]]) and real(X[[i, k]]) < 99.0 and real(X[[i, k]]) > -99.0 }",
    "constant": "0.125 of sum { real(X[[i, 0]]) | k in 0 .. X.shape[1] - 1 where finite(X[[i, 0]]) }",
    "nested": "0.125 of sum { real(X[[i, k]]) * sum { real(X[[i, m]]) | m in 0 .. 1 where finite(X[[i, m]]) }"
    " | k in 0 .. X.shape[1] - 1 where finite(X[[i, k]]) }",
}


@cache
def loaded(path: Path) -> Operator:
    project = Project.of_files(ROOT, [path])
    return Operator(project, next(unit for unit in project.units if unit.path == path))


def profile(name: str) -> Operator:
    project = Project.open(ROOT)
    return Operator(project, find_operator(project, f"sonnx.{name}"))


def some(rng: np.random.Generator, dtype: Any, *shape: int) -> np.ndarray:
    """Numbers of many sizes, also ones that cancel, zeros, and now and then what is none, or large."""
    numbers = rng.standard_normal(shape) * 2.0 ** rng.integers(-6, 7, shape)
    numbers = np.where(rng.random(shape) < 0.2, np.roll(-numbers, 1, -1), numbers)
    numbers = np.where(rng.random(shape) < 0.1, 0.0, numbers)
    greatest = float(ml_dtypes.finfo(dtype).max)  # type: ignore[no-untyped-call]
    special = rng.choice(np.array([np.nan, np.inf, -np.inf, greatest, greatest / 8]), shape)
    return np.where(rng.random(shape) < 0.01, special, numbers).astype(dtype)


def exactly(result: Result, candidate: np.ndarray, monkeypatch: pytest.MonkeyPatch) -> Any:
    """What conforms, without any enclosure of a fold."""
    with monkeypatch.context() as patch:
        patch.setattr(enclosing, "decision_of", lambda term: None)
        return Result(result.name, result.value, result.meaning, result.assignment).conforms(candidate)


def candidates(result: Result) -> Iterator[np.ndarray]:
    """The value, and elements next to the ends of the sets, on both sides."""
    yield result.value
    near, bound, centre = result.around
    for share in (-1, Fraction(-1, 2), 1):
        rows = zip(near.flat, bound.flat, centre.flat, strict=True)
        with np.errstate(all="ignore"):
            made = np.array([float(approximate(c + b * share)) if at else 0.0 for at, b, c in rows])
            end = made.reshape(result.value.shape).astype(result.value.dtype)
        yield end
        bits = end.view(f"i{end.itemsize}")
        yield from ((bits + step).view(end.dtype) for step in (-1, 1))


def agree(result: Result, monkeypatch: pytest.MonkeyPatch) -> None:
    for candidate in candidates(result):
        assert np.array_equal(result.conforms(candidate), exactly(result, candidate, monkeypatch))


@EACH
@pytest.mark.parametrize("name", ["ReduceSum", "ReduceMean", "Sum"])
def test_sums_and_means(name: str, dtype: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(len(name))
    for shape in ((3, 2), (5, 7), (4, 50)):
        if name == "Sum":
            result = profile(name).results(*[some(rng, dtype, *shape) for _ in range(4)])
        else:
            axes = np.array([int(rng.integers(2))])
            result = profile(name).results(some(rng, dtype, *shape), axes, keepdims=0, noop_with_empty_axes=0)
        agree(result, monkeypatch)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("name", ["matmul", "gemm", "conv", "averagepool"])
def test_products_and_windows(name: str, dtype: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the members are those that meet a condition, as the places of an image do."""
    rng = np.random.default_rng(len(name))
    operator = loaded(ROOT / "tests" / "language" / "arithmetic" / "dots" / f"{name}.sonnx")
    images: dict[str, Any] = {
        "conv": ([(1, 2, 4, 5), (2, 2, 2, 3)], {"pads": [1, 0, 1, 1]}),
        "averagepool": ([(1, 2, 4, 5)], {"kernel_shape": [2, 2], "pads": [1, 0, 1, 1]}),
    }
    shapes, attributes = images.get(name, ([(4, 9), (9, 3)], {}))
    agree(operator.results(*[some(rng, dtype, *shape) for shape in shapes], **attributes), monkeypatch)


@EACH
@pytest.mark.parametrize("fold", FOLDS)
def test_other_folds(fold: str, dtype: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Products, functions inside a sum, what does not depend on the loop, a fold in a fold; their roundings too."""
    path = tmp_path / "along.sonnx"
    path.write_text(ALONG.replace("FOLD", FOLDS[fold]), "utf-8")
    operator, rng = loaded(path), np.random.default_rng(len(fold))
    for shape in ((2, 3), (6, 8)):
        x = some(rng, dtype, *shape)
        result = operator.results(x)
        agree(result, monkeypatch)
        with monkeypatch.context() as patch:
            patch.setattr(enclosing, "decision_of", lambda term: None)
            plain = Operator(operator.project, operator.unit).evaluate(x)
        assert plain.tobytes() == result.value.tobytes()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_no_fraction_is_needed(dtype: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """For sums and products of ordinary numbers, and ones that are off."""
    monkeypatch.setattr(enclosing, "_exact_program", None)
    rng = np.random.default_rng(1)
    x = rng.standard_normal((30, 40)).astype(dtype)
    for name in ("ReduceSum", "ReduceMean"):
        result = profile(name).results(x, np.array([1]), keepdims=0, noop_with_empty_axes=0)
        assert result.conforms(result.value).all()
        assert not result.conforms(result.value * dtype(1.01) + dtype(1)).any()
    product = loaded(ROOT / "tests" / "language" / "arithmetic" / "dots" / "matmul.sonnx").results(x, x.T.copy())
    assert product.conforms(x @ x.T).all()


def test_few_elements_are_computed_exactly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those whose enclosure has the end of the set in it, each by itself."""
    x = np.zeros((100, 3), np.float32)
    x[:, 0] = 1
    x[7] = [1, 2.0**-60, 2.0**-60]
    result = profile("ReduceSum").results(x, np.array([1]), keepdims=0, noop_with_empty_axes=0)
    blocks: list[tuple[tuple[int, int], ...]] = []

    class Noted(Block):
        def __init__(self, loops: Any, spans: Any, outer: Any = None) -> None:
            super().__init__(loops, spans, outer)
            if outer is None:
                blocks.append(tuple(spans))

    monkeypatch.setattr(enclosing, "Block", Noted)
    at_the_end = np.full(100, 1, np.float32)
    at_the_end[7] = 1 + 2.0**-23
    assert result.conforms(at_the_end).all()
    assert blocks == [((7, 8),)]


@pytest.mark.parametrize(
    ("kind", "count"), [("sum", 2), ("sum", 3), ("sum", 100_000), ("product", 2), ("product", 3), ("product", 1000)]
)
def test_the_bounds_of_folds(kind: str, count: int) -> None:
    """The exact fold is in the enclosure, of doubles as of pairs, and that of pairs is small."""
    rng = np.random.default_rng(count)
    numbers = rng.standard_normal((3, count)) if kind == "sum" else 1 + rng.standard_normal((3, count)) / 64
    if kind == "sum":
        # Numbers that cancel: only the bound covers what the additions take.
        numbers[:, : count // 2] = -numbers[:, count - count // 2 :] * (1 + 2.0**-40)
    fold = next(k for k in ends.FOLDED if k.name.lower() == kind)
    low, high = ends.FOLDED[fold].along((numbers, numbers), (1,))
    ball = pairs.of_parts(pairs.FOLDED[fold].along(pairs.parts_of(exact(numbers)), (1,)))
    for n, row in enumerate(numbers.tolist()):
        whole = sum(map(Fraction, row)) if kind == "sum" else prod(map(Fraction, row))
        assert Fraction(float(low[n])) <= whole <= Fraction(float(high[n]))
        off = abs(whole - Fraction(float(ball.high[n])) - Fraction(float(ball.low[n])))
        assert off <= Fraction(float(ball.radius[n]))
        assert ball.radius[n] < abs(ball.high[n]) * 2.0**-80 + 2.0**-70
