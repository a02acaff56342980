"""Dot products and means on arrays: trees of rounded operations where the text says that set, members of it always."""

from __future__ import annotations

from functools import cache, reduce
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from click.testing import CliRunner

from sonnx_verify.arrays.evaluator.operator import Operator
from sonnx_verify.arrays.evaluator.sums import tree_of as real
from sonnx_verify.cli import main
from sonnx_verify.language.named import find_operator
from sonnx_verify.language.project import Project

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "tests" / "language" / "arithmetic" / "dots"
LIBRARY = ROOT / "proofs" / "dots.sonnx"
TYPES = (np.float16, ml_dtypes.bfloat16, np.float64)
EACH = pytest.mark.parametrize("dtype", TYPES)


@cache
def loaded(path: Path) -> Operator:
    project = Project.of_files(ROOT, [path])
    return Operator(project, next(unit for unit in project.units if unit.path == path))


def named(name: str) -> Operator:
    return loaded(FOLDER / f"{name}.sonnx")


@pytest.fixture
def trees(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each set that was looked at is computed by a tree."""
    found: list[bool] = []

    def tree_of(*args: Any) -> Any:
        made = real(*args)
        found.append(made is not None)
        return made

    monkeypatch.setattr("sonnx_verify.arrays.evaluator.plan.tree_of", tree_of)
    return found


def some(dtype: Any, *shape: int) -> np.ndarray:
    return np.random.default_rng(len(shape)).standard_normal(shape).astype(dtype)


def given(name: str, dtype: Any, n: int) -> list[np.ndarray]:
    shapes: dict[str, list[tuple[int, ...]]] = {
        "dot": [(n,), (n,)], "affine": [(n,), (n,), ()], "averages": [(n,)], "matmul": [(2, n), (n, 3)],
        "gemm": [(2, n), (n, 3), (3,)], "reducemean": [(n, 2)],
    }  # fmt: skip
    return [some(dtype, *shape) for shape in shapes[name]]


@EACH
@pytest.mark.parametrize("name", ["dot", "affine", "averages", "reducemean"])
def test_the_result_is_a_member(name: str, dtype: Any, trees: list[bool]) -> None:
    """It is computed by a tree, of more than one float, and the set of the text holds it, special values too."""
    for n in (1, 5):
        arrays = given(name, dtype, n)
        assert named(name).results(*arrays).conforms(named(name).evaluate(*arrays)).all()
        for special in (np.nan, np.inf, -np.inf, 0.0, float(ml_dtypes.finfo(dtype).max)):  # type: ignore[no-untyped-call]
            arrays[0].reshape(-1)[-1] = special
            result = named(name).results(*arrays)
            assert result.conforms(result.value).all()
    assert True in trees


@pytest.mark.parametrize(("name", "dtype"), [("matmul", np.float32), ("gemm", np.float64)])
def test_products_of_matrices_are_trees(name: str, dtype: Any, trees: list[bool]) -> None:
    """So are those of numpy members of the sets."""
    arrays = given(name, dtype, 40)
    result = named(name).results(*arrays)
    made = arrays[0] @ arrays[1] + sum(arrays[2:])

    assert trees == [True]
    assert result.conforms(result.value).all()
    assert result.conforms(made).all()
    assert not result.conforms(made + np.abs(made) / 8 + 1).any()


@pytest.mark.parametrize("dtype", [np.float16, np.float64])
def test_means_of_numpy_conform(dtype: Any) -> None:
    """numpy adds float16 in float."""
    data = some(dtype, 6, 9)
    result = named("reducemean").results(data, axes=[1])

    assert result.conforms(data.mean(axis=1, keepdims=True)).all()


@pytest.mark.parametrize(("pads", "counted"), [([0, 0, 0, 0], 0), ([1, 1, 1, 1], 0), ([1, 0, 1, 0], 1)])
def test_windows_and_kernels(pads: list[int], counted: int) -> None:
    """The mean of each window, and the products of each place of a kernel, against slices of an image."""
    image, kernel, bias = some(np.float32, 1, 1, 3, 4), some(np.float32, 2, 1, 2, 2), some(np.float32, 2)
    padded = np.pad(image.astype(np.float64), ((0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])))
    inside = np.pad(np.ones((1, 1, 3, 4)), ((0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (2, 2), axis=(2, 3))
    numbers = np.lib.stride_tricks.sliding_window_view(inside, (2, 2), axis=(2, 3)).sum(axis=(4, 5))

    made = named("averagepool").results(image, kernel_shape=[2, 2], pads=pads, count_include_pad=counted)
    expected = windows.sum(axis=(4, 5)) / (4 if counted else numbers)
    assert made.conforms(expected.astype(np.float32)).all()
    assert not made.conforms((expected * 2 + 1).astype(np.float32)).any()

    convolved = named("conv").results(image, kernel, bias, pads=pads)
    products = np.einsum("bcijuv,ocuv->boij", windows, kernel.astype(np.float64)) + bias[:, None, None]
    assert convolved.conforms(products.astype(np.float32)).all()
    assert not convolved.conforms((products * 2 + 9).astype(np.float32)).any()


@pytest.mark.parametrize(("old", "new"), [
    ("real(n) * T.roundoff * F + (1.0", "2.0 * real(n) * T.roundoff * F + (1.0"),
    ("F + real(n) * T.roundoff * F + real(n) * T.least", "F + real(n) * T.roundoff * F"),
    ("else if rising then T.infinity", "else if rising then -T.infinity"),
    ("or (is_infinite(a) and is_zero(b))", ""),
])  # fmt: skip
def test_a_set_that_says_something_else_is_not_taken_for_one(
    old: str, new: str, tmp_path: Path, trees: list[bool]
) -> None:
    """What is recognised is the condition, not its name."""
    said = LIBRARY.read_text("utf-8")
    assert old in said
    (tmp_path / "dots.sonnx").write_text(said.replace(old, new), "utf-8")
    (tmp_path / "dot.sonnx").write_text((FOLDER / "dot.sonnx").read_text("utf-8"), "utf-8")

    loaded(tmp_path / "dot.sonnx").evaluate(*given("dot", np.float16, 3))

    assert trees == [False]


NEAR = """\
operator Near version 1 user
types float = float16 float
input  X : tensor of T
output Y : tensor of T
define near(x : T) : set of T for float
  "a zero, what is near to a number, or anything"
  = if is_zero(x) then within 0.0 of 0.0
    else if is_infinite(x) then any T
    else if is_nan(x) then any NaN
    else within 0.5 of real(x)
shape Y    = X.shape
value Y[i] = near(X[i])
"""


def test_the_bound_is_that_of_each_index(tmp_path: Path) -> None:
    """Where a set is one of several, the bound of an index is that of the one that is there."""
    path = tmp_path / "near.sonnx"
    path.write_text(NEAR, "utf-8")

    result = loaded(path).results(np.array([0, 2, np.inf, np.nan, -0.25], np.float32))

    assert result.bound.tolist() == [0, 0.5, np.inf, 0, 0.5]
    assert result.relative.tolist() == [0, 0.25, np.inf, 0, 2]


STEPS = """\
operator Steps version 1 user
types float = float16 float
input  X : tensor of T
output Y : tensor of T
shape Y    = X.shape
value Y[i] = if is_nan(X[i]) then X[i] else if is_infinite(X[i]) then X[i] else within 2 steps of exp(real(X[i]))
"""


def test_floats_that_are_counted_have_no_bound(tmp_path: Path) -> None:
    """A bound of 0 would say that only one element conforms, and two neighbours on each side do."""
    path = tmp_path / "steps.sonnx"
    path.write_text(STEPS, "utf-8")
    result = loaded(path).results(np.array([0, 1, np.inf, np.nan], np.float32))

    assert np.isnan(result.bound).tolist() == np.isnan(result.relative).tolist() == [True, True, False, False]
    assert result.bound[2:].tolist() == [0, 0]
    near = np.nextafter(result.value, np.float32(9))
    assert result.conforms(near).tolist() == [True, True, False, True]


TOTAL = """\
use sums

operator Total version 1 user

types float = double

input  X : tensor of T
output Y : tensor of T

shape Y    = shape (k in 1 .. 0 -> 0)
value Y[i] = float_sum({ X[[k]] | k in 0 .. X.shape[0] - 1 })
"""


def test_a_set_that_is_wider_than_its_doubles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the numbers cancel, a bound may be more than the greatest double of times the sum."""
    monkeypatch.chdir(tmp_path)
    Path("total.sonnx").write_text(TOTAL, "utf-8")
    said = CliRunner().invoke(main, ["eval", "user.Total-1", "--input", "X=double:[1e200, -1e200, 1e-200]"])

    assert said.exit_code == 0
    assert said.stdout.splitlines()[-1] == "  within 4.44e+184 of 1e-200, 4.4e+384 of it: the bound says nothing"
    result = loaded(tmp_path / "total.sonnx").results(np.array([1e200, -1e200, 1e-200]))
    assert result.relative == np.inf


@pytest.mark.parametrize("dtype", [ml_dtypes.bfloat16, np.float16, np.float32, np.float64])
@pytest.mark.parametrize("number", [2, 3, 11])
def test_sums_of_single_floats_are_chains(number: int, dtype: Any, trees: list[bool]) -> None:
    """Those of a family, in its order: the profile's Sum. Special values decide as the text says."""
    operator = Operator(Project.open(ROOT), find_operator(Project.open(ROOT), "sonnx.Sum"))
    rng = np.random.default_rng(number)
    special = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, float(np.finfo(np.float32).max)])
    xs = [np.where(rng.random(40) < 0.2, rng.choice(special, 40), rng.standard_normal(40)) for _ in range(number)]
    with np.errstate(all="ignore"):
        arrays = [x.astype(dtype) for x in xs]
        expected = reduce(np.add, arrays)
    made = operator.results(*arrays)
    assert trees[0]
    assert made.conforms(made.value).all()
    assert np.array_equal(made.value, expected, equal_nan=True)


def test_a_mean_along_an_axis_is_a_tree(trees: list[bool]) -> None:
    """The profile's, whose divisor is the greater one of 1 and a size that is known."""
    operator = Operator(Project.open(ROOT), find_operator(Project.open(ROOT), "sonnx.ReduceMean"))
    made = operator.results(some(np.float32, 5, 7), np.array([1]), keepdims=0, noop_with_empty_axes=0)
    assert trees[0]
    assert made.conforms(made.value).all()
