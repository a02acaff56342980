"""The strategies of `sonnx_verify.testing` draw what they promise, and shrink to what a person would write."""

from __future__ import annotations

import builtins
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, find, given, settings
from hypothesis import strategies as st

from sonnx_verify.errors import UsageError
from sonnx_verify.language.context import Context
from sonnx_verify.language.named import find_operator, here
from sonnx_verify.language.project import Project
from sonnx_verify.solving.inputs.replay import replay
from sonnx_verify.testing import Inputs, inputs

FEW = settings(max_examples=30, database=None, suppress_health_check=[HealthCheck.too_slow])
SHRINK = settings(max_examples=400, database=None, derandomize=True)
"""Shrinking is a search that may end beside the smallest: from the same start it ends at the same."""
TYPES = ["float", "int8"]


@cache
def texts() -> Project:
    """The project of these strategies."""
    return here()


def broken(drawn: Inputs, spec: str) -> tuple[str, ...]:
    """The clauses that fail, by the reference evaluator."""
    context = Context(drawn.case.context.family, drawn.case.context.element)
    unit = find_operator(texts(), spec)
    meaning = texts().meaning(unit, context)
    outcome = replay(texts(), unit, meaning, drawn.case.assignment, why=False)
    return tuple(statement.tag for statement, _, _ in outcome.broken)


def reduced(data: np.ndarray, axes: Any = None, *, keepdims: int, noop_with_empty_axes: int) -> np.ndarray:
    """A maximum as one writes it, for what is not empty and holds no zeros and NaN."""
    if axes is None or axes.size == 0:
        axes = [] if noop_with_empty_axes else range(data.ndim)
    axis = tuple(int(a) for a in axes)
    # numpy takes None; its stubs do not know.
    result: np.ndarray = np.max(data, axis=axis, keepdims=bool(keepdims), initial=None)  # type: ignore[call-overload]
    return result


@FEW
@given(st.deferred(lambda: inputs("sonnx.ReduceMax", types=TYPES)).filter(lambda d: d.arrays[0].size))
def test_valid_inputs_run(drawn: Inputs) -> None:
    """Drawn inputs are arguments of a function, in the order of the text, attributes by their names."""
    result = reduced(*drawn.arrays, **drawn.attributes)

    assert result.dtype == drawn.arrays[0].dtype
    assert drawn.arrays[0].ndim == result.ndim or not drawn.attributes["keepdims"]


def test_valid_ones_are_valid() -> None:
    seen: list[Inputs] = []

    @settings(FEW, max_examples=200)
    @given(inputs("sonnx.Max", types=TYPES))
    def gather(drawn: Inputs) -> None:
        seen.append(drawn)

    gather()

    assert not any(broken(drawn, "sonnx.Max") for drawn in seen)
    assert {len(drawn.arrays) for drawn in seen} == {1, 2, 3}
    assert {drawn.arrays[0].dtype.name for drawn in seen} == {"float32", "int8"}
    assert any(a.size == 0 for drawn in seen for a in drawn.arrays)
    assert any(np.isnan(a).any() for drawn in seen for a in drawn.arrays if a.dtype == np.float32)


@pytest.mark.parametrize("tag", ["R3", "C1", "C3", "C5"])
def test_breaking_breaks_exactly_one(tag: str) -> None:
    seen: list[Inputs] = []

    @settings(FEW, max_examples=15)
    @given(inputs("sonnx.ReduceMax", breaking=tag, types=["bool"]))
    def gather(drawn: Inputs) -> None:
        seen.append(drawn)

    gather()

    assert {broken(drawn, "sonnx.ReduceMax") for drawn in seen} == {(tag,)}


def test_the_boundary_of_a_clause() -> None:
    """An entry of axes that is out of range when it is one more, or one less."""
    seen: list[Inputs] = []

    @FEW
    @given(inputs("sonnx.ReduceMax", boundary="C2", types=["bool"]))
    def gather(drawn: Inputs) -> None:
        seen.append(drawn)

    gather()

    for drawn in seen:
        rank = drawn.arrays[0].ndim
        entries = [int(a) for a in drawn.arrays[1]]
        assert entries
        assert max(entries) == rank - 1 or min(entries) == -rank
        assert broken(drawn, "sonnx.ReduceMax") == ()
    assert any(len(drawn.arrays) > 1 and drawn.arrays[1].size for drawn in seen)


def test_what_is_found_is_small() -> None:
    """The smallest input for a mistake is found: NaN alone, one axis of size 1, two shapes of few axes."""
    floats = inputs("sonnx.Max", types=["float"])
    nan = find(floats, lambda d: any(np.isnan(a).any() for a in d.arrays), settings=SHRINK)
    two = find(floats, lambda d: len(d.arrays) == 2 and all(np.signbit(a).any() for a in d.arrays), settings=SHRINK)
    deep = find(inputs("sonnx.ReduceMax", types=["int8"]), lambda d: d.arrays[0].ndim == 3, settings=SHRINK)

    assert [a.shape for a in nan.arrays] == [()]
    assert np.isnan(nan.arrays[0])
    assert [a.shape for a in two.arrays] == [(), ()]
    assert deep.arrays[0].size == 1
    assert not any(a.size for a in deep.arrays[1:])
    assert repr(nan) == "Inputs(arrays=(array(nan, dtype=float32),), attributes={})"


def test_arrays_are_the_user_s() -> None:
    """They may be written to: the next ones are as if they had not been."""
    first, again = (find(inputs("sonnx.Max", types=["int8"]), _has_elements) for _ in range(2))
    before = again.arrays[0].copy()
    first.arrays[0][...] = 5
    later = find(inputs("sonnx.Max", types=["int8"]), _has_elements)

    assert 5 not in before
    assert np.array_equal(again.arrays[0], before)
    assert np.array_equal(later.arrays[0], before)


def _has_elements(drawn: Inputs) -> bool:
    result: bool = drawn.arrays[0].size > 0
    return result


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"breaking": "C9"}, "has no clause C9"),
        ({"breaking": "R1"}, "speaks of facts that no array has"),
        ({"breaking": "C1", "boundary": "C1"}, "at a boundary or breaks"),
        ({"types": ["complex"]}, "has no type `complex`"),
    ],
)
def test_mistakes_are_told(arguments: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        inputs("sonnx.Max", **arguments)


def test_without_hypothesis(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clear error, and no import of it before."""
    real = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name == "hypothesis" or name.startswith("hypothesis."):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(UsageError, match="hypothesis is not installed"):
        inputs("sonnx.Max")


@FEW
@given(st.data())
def test_several_strategies_in_one_test(data: st.DataObject) -> None:
    one = data.draw(inputs("sonnx.Max", types=["int8"]))
    other = data.draw(inputs("sonnx.Min", types=["int8"]))

    assert {a.dtype for a in (*one.arrays, *other.arrays)} == {np.dtype("int8")}
