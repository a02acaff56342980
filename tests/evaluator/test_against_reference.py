"""The evaluator says what the reference evaluator says: the same elements up to what a NaN carries, of a set one that
is in it, and the same first clause where there is no result."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sonnx_verify.logic.sorts import ELEMENT_TYPES

SPEC = Path(__file__).parents[2] / "spec"
FILES = sorted(path.relative_to(SPEC).as_posix() for path in SPEC.glob("*/**/*.sonnx") if path.parent.name != "common")


def of_file(kit: Any, file: str) -> list[tuple[Any, str]]:
    """Every version and text that is in a file, with each of its types."""
    found = [o for o in kit.operators().values() if Path(o.unit.path) == SPEC / file]
    return [(operator, type_) for operator in found for type_ in kit.types_of(operator)]


FEW = [f if f.startswith("sonnx") else pytest.param(f, marks=pytest.mark.soak) for f in FILES]
"""The profile here, the standard and the drafts in the soak."""


@pytest.mark.parametrize("file", FEW)
def test_on_small_inputs(file: str, kit: Any) -> None:
    """Every version, text and type: shapes of rank 0 to 3 with empty ones, hard values, lists of axes that are good and
    bad, attributes that are left out and out of range."""
    instances = of_file(kit, file)
    assert instances
    if not any(is_made(instances[0][0]) for is_made in (kit.is_folded, kit.is_reduction, kit.is_elementwise)):
        # What moves elements does so with all types alike, and looking for inputs takes a second for each.
        instances = instances[:: max(len(instances) // 3, 1)]

    @settings(max_examples=25 if len(instances) > 20 else 8)
    @given(st.sampled_from(instances), st.integers(0, 2**32 - 1))
    def holds(instance: tuple[Any, str], seed: int) -> None:
        rng = np.random.default_rng(seed)
        assert [d for case in kit.cases(*instance, rng, 1) for d in case.differences()] == []

    holds()


def pairs(kit: Any, operator: Any, type_: str) -> Iterator[Any]:
    """All pairs of special values: each with all of them. No pair where elements are moved: none meets another."""
    values = kit.special_values(ELEMENT_TYPES[type_])
    for value in values:
        if kit.is_folded(operator):
            ((name, first),) = operator.signature.families.items()
            yield kit.Case(operator, {f"{name}{first}": np.asarray(value), f"{name}{first + 1}": values})
        elif kit.is_elementwise(operator):
            yield kit.Case(operator, kit.elementwise(operator, ELEMENT_TYPES[type_], values, np.asarray(value)))
        elif kit.is_reduction(operator):
            given_ = {"data": np.stack([np.full_like(values, value), values]), "axes": np.array([0])}
            if "axes" not in operator.signature.inputs:
                given_["axes"] = (0,)  # type: ignore[assignment]  # a list in place of a tensor
            defaults = {n: int(n == "keepdims") for n in operator.signature.attributes if n != "axes"}
            yield kit.Case(operator, given_ | defaults)


MIRRORED = ("sonnx/min/min.sonnx", "sonnx/reducemin/reducemin.sonnx")
"""What another text says with the order turned around: a job has time for that one."""


@pytest.mark.parametrize(
    "file", [pytest.param(f, marks=[pytest.mark.soak] * (f in MIRRORED)) for f in FILES if f.startswith("sonnx")]
)
def test_on_all_pairs_of_special_values(file: str, kit: Any) -> None:
    """Of the profile, every type: NaN, both zeros, infinities, subnormals, extremes against each other."""
    found = [case for instance in of_file(kit, file) for case in pairs(kit, *instance)]
    if not found:
        pytest.skip("no element meets another")

    assert [d for case in found for d in case.differences()] == []


def test_on_shapes_without_elements_and_without_axes(kit: Any) -> None:
    """Rank 0, and a size of 0 that is folded, or is not; what moves elements is drawn with such shapes elsewhere."""
    found = []
    for operator in kit.operators().values():
        if not operator.name.startswith("sonnx."):
            continue
        # Some of the types: which of them it is makes no difference to shapes.
        types = kit.types_of(operator)
        for type_ in {types[n % len(types)] for n in (0, -1, -4)}:
            values = kit.special_values(ELEMENT_TYPES[type_])
            arrays = [np.asarray(values[1]), values[:0], values[:0].reshape(2, 0), values[:0].reshape(0, 3)]
            for array in arrays:
                if kit.is_folded(operator):
                    ((name, first),) = operator.signature.families.items()
                    cases = [{f"{name}{first}": array}, {f"{name}{first}": array, f"{name}{first + 1}": values[:1]}]
                elif kit.is_elementwise(operator):
                    sort = ELEMENT_TYPES[type_]
                    cases = [kit.elementwise(operator, sort, array, one) for one in (values[:1].reshape(()), array)]
                elif kit.is_reduction(operator):
                    attributes = {"keepdims": 0, "noop_with_empty_axes": 0}
                    lists = [[], *([[k] for k in range(array.ndim)])]
                    cases = [{"data": array, "axes": np.array(axes, np.int64), **attributes} for axes in lists]
                else:
                    continue
                found += [d for given_ in cases for d in kit.Case(operator, given_).differences()]
    assert found == []


@pytest.mark.parametrize("name", ["sonnx.ReduceSum-13", "sonnx.Max-13"])
def test_as_if_the_shapes_were_large(name: str, kit: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of large shapes, what ranges over all indices is worked out in another way: here, of small ones too."""
    monkeypatch.setattr("sonnx_verify.arrays.evaluator.specialise._FEW", -1)
    operator = kit.Operator(kit.library(), kit.operators()[name].unit)
    rng = np.random.default_rng(11)

    for type_ in ("float16", "int32"):
        assert [d for case in kit.cases(operator, type_, rng, 20) for d in case.differences()] == []


@pytest.mark.soak
@pytest.mark.parametrize("file", FILES)
def test_on_many_inputs(file: str, kit: Any) -> None:
    """The same of every instance, hundreds of times, and all pairs for standards too."""
    instances = of_file(kit, file)
    rng = np.random.default_rng(7)

    for operator, type_ in instances:
        assert [d for c in kit.cases(operator, type_, rng, 200, rank=4) for d in c.differences()] == []
        assert [d for c in pairs(kit, operator, type_) for d in c.differences()] == []
