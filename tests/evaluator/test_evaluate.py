"""`load(...).evaluate` takes arguments as it says, leaves them as they are, and mixes up nothing that it has kept."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import OrderedDict
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import sonnx_verify
from sonnx_verify.errors import ClauseViolated, NoResult, UsageError

ROOT = Path(__file__).parents[2]
X = np.array([[1, -0.0, 3], [-1, 0, -0.0]], np.float32)


@pytest.fixture(scope="module")
def greatest() -> Any:
    """An operator of a family of inputs."""
    return sonnx_verify.load("sonnx.Max-13")


@pytest.fixture(scope="module")
def reduced() -> Any:
    """An operator with an optional input and attributes."""
    return sonnx_verify.load("sonnx.ReduceMax-20")


@pytest.fixture(scope="module")
def added() -> Any:
    """An operator that gives a set of results."""
    return sonnx_verify.load("sonnx.ReduceSum-13")


def same(a: np.ndarray, b: np.ndarray) -> bool:
    """Equal arrays, zeros told apart."""
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def test_arguments_by_position_by_name_and_as_lists(reduced: Any, greatest: Any) -> None:
    """All ways to give the same input give the same result."""
    settings = {"keepdims": 0, "noop_with_empty_axes": 0}
    expected = np.array([3, 0], np.float32)

    assert same(reduced.evaluate(X, axes=[1], **settings), expected)
    assert same(reduced.evaluate(X, [1], **settings), expected)
    assert same(reduced.evaluate(X, (1,), **settings), expected)
    assert same(reduced.evaluate(X, np.array([-1]), **settings), expected)
    assert same(reduced.evaluate(axes=np.array([1]), data=X, **settings), expected)
    assert same(reduced.evaluate(X, None, **settings), np.array(3, np.float32))
    assert same(reduced.evaluate(X, axes=[], **settings), np.array(3, np.float32))
    assert same(greatest.evaluate(X, -X), greatest.evaluate(X=[X, -X]))
    assert same(greatest.evaluate(X, -X), greatest.evaluate(X0=X, X1=-X))
    assert same(greatest.evaluate(X, np.float32(2)), np.maximum(X, np.float32(2)))


def test_plans_are_not_mixed_up(reduced: Any, greatest: Any) -> None:
    """Same types and shapes, other values: of axes, of attributes, of an array that was given twice before."""
    other = X + 1
    assert same(greatest.evaluate(X, X), greatest.evaluate(X))
    assert same(greatest.evaluate(X, other), other)
    for _ in range(2):
        for axis in (0, 1):
            for keepdims in (0, 1):
                for form in (list, np.array):
                    made = reduced.evaluate(X, form([axis]), keepdims=keepdims, noop_with_empty_axes=0)
                    assert made.shape == X.max(axis, keepdims=bool(keepdims)).shape
    assert reduced.evaluate(X, [1], keepdims=0, noop_with_empty_axes=0).shape == (2,)
    data, axes = np.array([5]), np.array([0])
    for _ in range(2):
        assert reduced.evaluate(data=data, axes=axes, keepdims=0, noop_with_empty_axes=0) == 5
        assert reduced.evaluate(axes=axes, data=data, keepdims=0, noop_with_empty_axes=0) == 5
    assert reduced.evaluate(X, noop_with_empty_axes=0, keepdims=1).shape == (1, 1)


def test_an_attribute_is_its_value_and_its_type(reduced: Any) -> None:
    """1 is a 64-bit integer, 1.0 and "1" are not, whatever was given before."""
    assert reduced.evaluate(X, keepdims=1, noop_with_empty_axes=0).shape == (1, 1)
    for value in (1, True, np.int64(1), np.array(1), np.int8(0), np.array(0), 0, np.uint8(1)):
        assert reduced.evaluate(X, keepdims=value, noop_with_empty_axes=0).ndim == 2 * int(value)
    for other in (1.0, "1", [1], 1 << 63, np.float32(1), np.array([1])):
        with pytest.raises(UsageError):
            reduced.evaluate(X, keepdims=other, noop_with_empty_axes=0)


@pytest.mark.parametrize(
    "array",
    [
        np.asfortranarray(X),
        X[::-1, ::-1],
        np.repeat(X, 2, axis=1)[:, ::2],
        np.broadcast_to(X[:1], (2, 3)),
        X.astype(">f4"),
        X.astype(np.float64),
        X.astype(np.float16),
        X.astype(ml_dtypes.bfloat16),
        X.astype(np.int8),
        X.view(type("Mine", (np.ndarray,), {})),
    ],
    ids=["fortran", "reversed", "steps", "broadcast", "swapped", "double", "float16", "bfloat16", "int8", "subclass"],
)
def test_any_layout_and_type(array: np.ndarray, greatest: Any, added: Any) -> None:
    """The result is that of a plain copy; a result is a plain array in native byte order, and no input is changed."""
    plain = np.array(array, dtype=array.dtype.newbyteorder("="))
    array = array.copy() if array.flags.writeable is False and array.base is None else array
    array.flags.writeable = False

    made = greatest.evaluate(array, plain[:, :1])
    assert type(made) is np.ndarray
    assert made.dtype == plain.dtype
    assert same(made, greatest.evaluate(plain, plain[:, :1]))
    assert np.array_equal(array, plain)
    if array.dtype != np.int8:
        assert added.evaluate(array, [0], keepdims=1, noop_with_empty_axes=0).shape == (1, 3)


def test_a_result_is_new(greatest: Any, added: Any) -> None:
    """It shares no memory with an input, even where it is equal to it."""
    for made in (greatest.evaluate(X), added.evaluate(X, [], keepdims=1, noop_with_empty_axes=1)):
        assert same(made, X)
        assert not np.shares_memory(made, X)
        made[...] = 7
    assert X[0, 0] == 1


def test_large_arrays_are_as_their_parts(greatest: Any, reduced: Any, added: Any) -> None:
    """Beyond one block: what comes of the whole is what comes of its rows and columns."""
    rng = np.random.default_rng(3)
    large = rng.choice(np.array([0.0, -0.0, -1, -2, np.nan], np.float32), (700, 513), p=[0.1, 0.88, 0.01, 0.0099, 1e-4])
    other = rng.choice(np.array([0.0, -0.0, -1], np.float32), (700, 513))
    settings = {"keepdims": 0, "noop_with_empty_axes": 0}

    whole = greatest.evaluate(large, other)
    for row in (0, 255, 699):
        assert same(whole[row], greatest.evaluate(large[row], other[row]))
    for axis in (0, 1):
        made = reduced.evaluate(large, [axis], **settings)
        for k in (0, 127, 512):
            assert same(made[k : k + 1], reduced.evaluate(large.take([k], 1 - axis), [axis], **settings))
    assert same(reduced.evaluate(large, **settings), np.array(np.nan, np.float32))
    numbers = rng.integers(-(2**31), 2**31, (700, 513), np.int32)
    for axis in (0, 1):
        assert same(added.evaluate(numbers, [axis], **settings), numbers.sum(axis, dtype=np.int32))


def test_a_set_of_results_over_many_elements(added: Any) -> None:
    """More elements than the reference evaluator looks at one by one, and than fit into a block: how many there are is
    known without."""
    settings = {"keepdims": 0, "noop_with_empty_axes": 0}
    many = np.full((300, 1000), 0.5, np.float32)

    assert same(added.evaluate(many, [0, 1], **settings), np.array(150_000, np.float32))
    assert same(added.evaluate(many, [1], **settings), np.full(300, 500, np.float32))


def test_what_conforms_at_indices(added: Any) -> None:
    """One element at an index, several at a list of them, also two for one place; a scalar as an array of rank 0."""
    x = np.array([[1, 0.5, -3], [2, 0, 1]], np.float32)
    result = added.results(x, [1], keepdims=0, noop_with_empty_axes=0)
    elements = np.array([3, -1.5, 3, 4], np.float32)

    assert result.conforms(np.float32(3), at=1) == result.conforms(np.float32(3), at=(1,)) == True  # noqa: E712 - a numpy truth value
    assert not result.conforms(np.float32(3), at=(0,))
    assert result.conforms(elements, at=[1, 0, 0, 1]).tolist() == [True, True, False, False]
    assert result.conforms(elements, at=[(1,), (0,), (1,), (1,)]).tolist() == [True, True, True, False]
    assert result.conforms(elements[:2], at=np.argwhere(result.value < 9)).tolist() == [False, False]
    assert result.conforms(elements[:0], at=[]).tolist() == []
    single = added.results(x, [0, 1], keepdims=0, noop_with_empty_axes=0)
    assert single.conforms(np.float32(1.5))
    assert single.conforms(np.float32(1.5), at=())
    assert single.conforms(elements, at=[(), (), (), ()]).tolist() == [False] * 4


@pytest.mark.parametrize("at", [(0, 0), (2,), (-1,), [(0,), (0, 0)], [0.5], "x", [[[0]]], True])
def test_what_is_no_index_is_refused(added: Any, at: Any) -> None:
    result = added.results(X, [1], keepdims=0, noop_with_empty_axes=0)
    with pytest.raises(UsageError, match=r"reduced: .* is not .*\n  to fix: give a tuple of integers from 0"):
        result.conforms(np.float32(0), at=at)
    with pytest.raises(UsageError, match=r"compared with an array of float32, of the shape \(2,\)"):
        result.conforms(np.zeros(3, np.float32), at=[0, 1])


def test_results_are_of_the_arrays_as_they_were(added: Any) -> None:
    """What is asked later does not change with the caller's array."""
    x = np.array([[1, 0.5, -3]], np.float32)
    result = added.results(x, [1], keepdims=0, noop_with_empty_axes=0)
    x *= 1000

    assert result.conforms(result.value).all()
    assert result.bound.tolist() == [2 * 2.0**-24 * 4.5]


def test_a_plan_that_another_thread_gives_up_is_used(greatest: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between looking a plan up and noting its use another thread may have made so many that it is gone."""
    greatest.evaluate(X, -X)

    class Emptied(OrderedDict[Any, Any]):
        def get(self, key: Any, default: Any = None) -> Any:
            found = super().get(key)
            self.clear()
            return found

    monkeypatch.setattr(greatest, "_kept", Emptied(vars(greatest)["_kept"]))
    assert same(greatest.evaluate(X, -X), np.abs(X))


def test_a_violated_clause_is_named(reduced: Any, greatest: Any) -> None:
    """The exception has tag, sentence and explanation."""
    with pytest.raises(ClauseViolated) as caught:
        greatest.evaluate(np.zeros((1, 3)), np.zeros((1, 2)))
    assert (caught.value.tag, caught.value.sentence) == ("C1", "the inputs broadcast together")
    assert "  axis 1: sizes 3 and 2 differ, neither is 1" in caught.value.explanation
    with pytest.raises(ClauseViolated) as caught:
        reduced.evaluate(X, [1], keepdims=0)
    assert (caught.value.tag, caught.value.sentence) == ("R3", "attributes are explicit")
    assert issubclass(ClauseViolated, NoResult)


@pytest.mark.parametrize(("name", "expected"), [("sonnx.ReduceMin-20", True), ("sonnx.ReduceMax-20", False)])
def test_what_conforms_to_a_truth_value_of_nothing(name: str, expected: bool) -> None:
    empty = np.zeros(0, bool)
    result = sonnx_verify.load(name).results(empty, keepdims=1, noop_with_empty_axes=0)
    assert result.conforms(np.array([expected])).all()
    assert not result.conforms(np.array([not expected])).any()


def test_results_say_what_else_conforms(added: Any) -> None:
    """Of a sum the bound of the text: (n - 1) u F; of an infinity none; of an overflow every float."""
    x = np.array([[1, 0.5, -3], [np.inf, 0, 1], [np.nan, 1, 1], [3e38, 3e38, -1]], np.float32)
    result = added.results(x, [1], keepdims=0, noop_with_empty_axes=0)

    assert same(result.value[:1], np.array([-1.5], np.float32))
    assert result.bound.tolist() == [2 * 2.0**-24 * 4.5, 0.0, 0.0, np.inf]
    assert not result.unspecified.any()
    assert result.conforms(result.value).all()
    small = added.results(np.array([1, 2.0**-60], np.float32), keepdims=0, noop_with_empty_axes=0)
    assert small.bound == np.nextafter(2.0**-24, 1), "rounded up"
    near = np.nextafter(np.float32(-1.5), np.float32(0))
    assert result.conforms(np.array([near, np.inf, -np.nan, 0], np.float32)).all()
    assert not result.conforms(np.array([-1.4, 1, 0, 0], np.float32))[:3].any()
    with pytest.raises(UsageError):
        result.conforms(result.value.astype(np.float64))
    with pytest.raises(UsageError):
        result.conforms(result.value[None])


def test_results_say_what_is_left_open() -> None:
    """A standard leaves open what NaN gives, and nothing where there is none."""
    operator = sonnx_verify.load("onnx.Max-13")
    x = np.array([1, np.nan, 0], np.float32)
    result = operator.results(x, -x)

    assert result.unspecified.tolist() == [False, True, True]
    assert result.conforms(np.array([1, 5, 7], np.float32)).tolist() == [True, True, True]
    assert result.conforms(np.array([2, 5, 7], np.float32)).tolist() == [False, True, True]
    assert result.bound.tolist() == [0.0, np.inf, np.inf]


def test_the_page_shows_what_is_given() -> None:
    """Every expression of docs/evaluator.md gives what the comment behind it says."""
    names: dict[str, Any] = {}
    shown = 0
    for block in re.findall(r"^```python\n(.*?)^```$", (ROOT / "docs/evaluator.md").read_text("utf-8"), re.M | re.S):
        for line in block.splitlines():
            code, _, comment = line.partition("  # ")
            if not comment.startswith("array("):
                exec(code, names)
                continue
            assert comment.startswith(repr(eval(code, names)))
            shown += 1
    assert shown == 3


def test_importing_it_costs_nothing() -> None:
    """numpy and the rest are imported when an operator is loaded."""
    code = "import sys, sonnx_verify; print(sorted({'numpy', 'lark', 'click'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)

    assert done.stdout == "[]\n"
