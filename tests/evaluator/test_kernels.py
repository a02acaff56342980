"""Fast kernels and sums are taken for the terms that they are right for, and for no others: what an order or a set of
results says is computed, not what it is called."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sonnx_verify.arrays.evaluator.known import DTYPES, bits_type
from sonnx_verify.arrays.evaluator.operator import Operator
from sonnx_verify.arrays.evaluator.orders import any_order, kernel_of
from sonnx_verify.language.project import Project
from sonnx_verify.logic.sorts import FLOATS, INTEGERS, MINIFLOATS, FloatSort, Sort
from sonnx_verify.logic.terms import Term, element, eq, le, lt, or_, placeholder

ROOT = Path(__file__).parents[2]
REDUCTION = """\
use orders
use sums
operator Fold version 1 user
types float = bfloat16 float16 float double float8e5m2
input  X : tensor of T
output Y : tensor of T
{}
shape Y = shape (k in 0 .. -1 -> 0)
value Y[i] = {}
"""
ALL = "{ X[j] | j in indices(X) }"
UPSIDE_DOWN = """\
order upside_down on float "as nan_greatest, but -0 above +0"
  : x before y = is_nan(y) or x < y or x = y or (is_zero(x) and is_zero(y) and is_negative(y))
"""
NAN_IN_FRONT = """\
order nan_in_front on float "as nan_greatest, but NaN below all"
  : x before y = is_nan(x) or x < y or x = y or (is_zero(x) and is_zero(y) and is_negative(x))
"""


@pytest.fixture
def fold(tmp_path: Path) -> Any:
    """The operator that folds all elements of an input as a text says."""

    def made(order: str, value: str) -> Operator:
        path = tmp_path / "fold.sonnx"
        path.write_text(REDUCTION.format(order, value), "utf-8")
        project = Project.of_files(ROOT, [path])
        return Operator(project, project.units[0])

    return made


@pytest.mark.filterwarnings("ignore:invalid value")  # of bfloat16, which computes in another type
@pytest.mark.parametrize("sort", [*FLOATS, *MINIFLOATS, *INTEGERS], ids=str)
@pytest.mark.parametrize("least", [False, True])
def test_a_fast_kernel_is_its_order(sort: Sort, least: bool, kit: Any) -> None:
    """On all pairs of special values it gives what the order itself gives, in both directions, of two arrays and along
    an axis."""
    values = kit.special_values(sort)
    a, b = (np.ascontiguousarray(part) for part in np.broadcast_arrays(values[:, None], values))
    x, y = placeholder(sort), placeholder(sort)
    fast = kernel_of(x, y, _order(x, y, least))
    slow = any_order(lambda first, second: _before(first, second, sort, least))
    assert fast is not None

    expected = slow.pair(a, b, None)
    out = np.empty_like(a)
    assert _same(fast.pair(a, b, None), expected)
    assert fast.pair(a, b, None).dtype == a.dtype
    assert fast.pair(a, b, out) is out
    assert _same(out, expected)
    assert _same(fast.along(np.stack([a, b]), (0,)), expected)
    assert fast.along(np.stack([a, b]), (0,)).dtype == a.dtype
    assert _same(fast.along(np.stack([a, b], axis=-1), (2,)), expected)
    assert _same(slow.along(np.stack([a, b, a, a, b]), (0,)), expected)


def _order(x: Term, y: Term, least: bool) -> Term:
    if not isinstance(x.sort, FloatSort):
        return le(y, x) if least else le(x, y)
    from sonnx_verify.logic.terms import and_

    x, y = (y, x) if least else (x, y)
    zeros = and_(element("is_zero", x), element("is_zero", y), element("is_negative", x))
    return or_(element("is_nan", x if least else y), lt(x, y), eq(x, y), zeros)


def _before(a: np.ndarray, b: np.ndarray, sort: Sort, least: bool) -> np.ndarray:
    """Whether b is to be taken: told by keys that are ordered as the order orders."""
    first, second = (_key(v, sort, least) for v in (a, b))
    return second <= first if least else first <= second


def _key(v: np.ndarray, sort: Sort, least: bool) -> np.ndarray:
    if not isinstance(sort, FloatSort):
        return v
    width = sort.width
    pattern = [int(p) for p in v.view(bits_type(sort)).reshape(-1)]
    sign = 1 << (width - 1)
    keys = [-(p ^ sign) - 1 if p & sign else p for p in pattern]
    nan = -(1 << width) if least else 1 << width
    flat = [nan if is_nan else key for key, is_nan in zip(keys, np.isnan(v).reshape(-1), strict=True)]
    return np.array(flat, dtype=object).reshape(v.shape)


def _same(a: np.ndarray, b: np.ndarray) -> bool:
    if a.dtype.kind in "iu":
        return bool(np.array_equal(a, b))
    bits = f"u{a.dtype.itemsize}"
    return a.shape == b.shape and bool(((a.view(bits) == b.view(bits)) | (np.isnan(a) & np.isnan(b))).all())


@pytest.mark.parametrize("order", [UPSIDE_DOWN, NAN_IN_FRONT])
@pytest.mark.parametrize("kind", ["greatest", "least"])
def test_a_changed_order_is_computed_as_it_stands(order: str, kind: str, fold: Any, kit: Any) -> None:
    """One word of the order is another: zeros, or NaN, come out as it says."""
    operator = fold(order, f"{kind} {ALL} by {order.split()[1]} default (T(0))")

    for sort in FLOATS[::2]:
        values = kit.special_values(sort)
        arrays = [np.array([a, b]) for a in values for b in values] + [values[:0], values]
        assert [d for array in arrays for d in kit.Case(operator, {"X": array}).differences()] == []


def test_a_sum_is_a_tree_of_additions_where_its_set_says_so(fold: Any, kit: Any) -> None:
    """The set of the library gives a tree; with another bound the text's own representative is computed, which is the
    exact sum, rounded once."""
    value = np.array([1.0, 2.0**-24, 2.0**-24, 2.0**-24], np.float32)
    exact = np.float32(1 + 3 * 2.0**-24)
    tree = (value[0] + value[2]) + (value[1] + value[3])
    assert tree != exact

    assert fold("", f"float_sum({ALL})").evaluate(value) == tree
    closest = fold("", f"within 0.0000001 of exact_sum({ALL})")
    assert closest.evaluate(value) == exact
    for sort in FLOATS:
        array = np.array([1, 0.5, 3, -2, 0.25], DTYPES[sort])
        assert list(kit.Case(fold("", f"float_sum({ALL})"), {"X": array}).differences()) == []


def test_a_plan_keeps_no_array(fold: Any) -> None:
    """What a plan was made for may be freed: it holds on to none of it."""
    import weakref

    operator = fold("", f"float_sum({ALL})")
    array = np.arange(4, dtype=np.float32)
    operator.evaluate(array)
    alive = weakref.ref(array)
    del array

    assert alive() is None


def _shuffled_sums(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.standard_normal(n).astype(np.float32) * np.float32(2.0) ** rng.integers(-20, 20, n)


@pytest.mark.soak
@pytest.mark.parametrize("n", [2, 3, 7, 64, 257, 1000])
def test_trees_are_within_the_bound(n: int, fold: Any) -> None:
    """Sums of many sizes, over formats and magnitudes, lie in the set of the text."""
    operator = fold("", f"float_sum({ALL})")
    rng = np.random.default_rng(n)
    for sort in FLOATS:
        for _ in range(20):
            array = _shuffled_sums(rng, n).astype(DTYPES[sort])
            result = operator.results(array)
            assert result.conforms(result.value).all()
