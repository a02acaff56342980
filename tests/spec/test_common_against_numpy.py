"""The definitions of spec/common, held against numpy on enumerated inputs."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

from sonnx_verify.kernel.core import family_of
from sonnx_verify.kernel.values import Domain, Items, SetOf, Shape, Value
from sonnx_verify.language.context import Context
from sonnx_verify.language.project import Project
from sonnx_verify.logic.evaluator import evaluate
from sonnx_verify.logic.sorts import FLOATS, INTEGERS, FloatSort, Sort
from sonnx_verify.logic.terms import TRUE, eq, integer, ite, literal, placeholder
from sonnx_verify.results.concrete import ConcreteTensor
from sonnx_verify.solving.inputs.arguments import to_array
from sonnx_verify.solving.inputs.replay import replay
from sonnx_verify.solving.inputs.values import alphabet

Defined = Callable[..., Any]
Sizes = tuple[int, ...]
Shapes = Callable[[list[Sizes]], Items]
SizesOf = Callable[[Value], Sizes]
SHAPES = [s for rank in range(3) for s in product(range(4), repeat=rank)]


def broadcast_by_numpy(*shapes: tuple[int, ...]) -> tuple[int, ...] | None:
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        return None


@pytest.mark.parametrize(("count", "largest"), [(1, 3), (2, 2), pytest.param(2, 3, marks=pytest.mark.soak)])
def test_broadcast_shapes(count: int, largest: int, defined: Defined, shapes: Shapes, sizes_of: SizesOf) -> None:
    """broadcastable and common_shape are np.broadcast_shapes, for all shapes of rank up to 2 with sizes up to 3; two of
    them with sizes up to 2, of which each is 0, 1 or another, and with larger ones in the soak."""
    for chosen in product([s for s in SHAPES if max(s, default=0) <= largest], repeat=count):
        expected = broadcast_by_numpy(*chosen)
        listed = shapes(list(chosen))

        assert evaluate(defined("broadcastable", listed), {}) is (expected is not None), chosen
        if expected is not None:
            assert sizes_of(defined("common_shape", listed)) == expected


def test_broadcast_three_shapes(defined: Defined, shapes: Shapes, sizes_of: SizesOf) -> None:
    """So it is for three shapes with sizes up to 2 and ranks up to 1, and for a rank that is larger."""
    small = [(), (0,), (1,), (2,), (2, 1), (1, 0)]
    for chosen in product(small, repeat=3):
        expected = broadcast_by_numpy(*chosen)
        listed = shapes(list(chosen))

        assert evaluate(defined("broadcastable", listed), {}) is (expected is not None), chosen
        if expected is not None:
            assert sizes_of(defined("common_shape", listed)) == expected


def test_aligned(defined: Defined, shape: Callable[[Sizes], Shape]) -> None:
    """aligned reads sizes from the right and gives 1 beyond the rank."""
    for sizes in SHAPES:
        for k in range(4):
            expected = sizes[len(sizes) - 1 - k] if k < len(sizes) else 1
            assert evaluate(defined("aligned", shape(sizes), integer(k)), {}) == expected


def greatest_by_hand(sort: Sort, values: tuple[Any, ...], least: bool) -> Any:
    """The greatest by numpy's order, with NaN first and the zeros told apart by their sign."""
    if not isinstance(sort, FloatSort):
        return (min if least else max)(values)
    array = to_array(ConcreteTensor(sort, (len(values),), values))
    wide = [float(x) for x in array]

    def key(n: int) -> tuple[bool, float, bool]:
        nan = bool(np.isnan(wide[n]))
        sign = not np.signbit(wide[n])
        return (not nan, wide[n], sign) if least else (nan, wide[n], sign)

    known = [n for n in range(len(values)) if np.isnan(wide[n])]
    if known:
        return values[known[0]]
    return values[(min if least else max)(range(len(values)), key=key)]


@pytest.mark.thinned
@pytest.mark.parametrize("sort", [*INTEGERS, *FLOATS], ids=str)
@pytest.mark.parametrize("name", ["maximum", "minimum"])
def test_extrema(name: str, sort: Sort, defined: Defined) -> None:
    """maximum and minimum of up to three special values are numpy's, NaN absorbing and -0 below +0."""
    letters = alphabet(sort)
    for values in [v for n in (1, 2, 3) for v in product(letters, repeat=n)]:
        variable = placeholder(integer(0).sort)
        body = literal(values[-1], sort)
        for n in range(len(values) - 2, -1, -1):
            body = ite(eq(variable, integer(n)), literal(values[n], sort), body)
        members = SetOf(Domain(integer(0), integer(len(values) - 1)), variable, TRUE, body)
        actual = evaluate(defined(name, members, sort=sort, family=family_of(sort)), {})

        assert actual == greatest_by_hand(sort, values, name == "minimum")


@pytest.mark.parametrize("sort", [INTEGERS[0], FLOATS[2]], ids=str)
def test_operator_against_numpy(sort: Sort, project: Project) -> None:
    """Each operator of the profile that numpy has as a ufunc agrees with it on two inputs of small shapes."""
    unit = project.find("sonnx", "Max")
    assert unit is not None
    meaning = project.meaning(unit, Context(family_of(sort), sort))
    letters = [v for v in alphabet(sort) if not (isinstance(sort, FloatSort) and v == alphabet(sort)[1])]
    for one, two in product([s for s in SHAPES if max(s, default=0) <= 2], repeat=2):
        fill = [letters[(n * 5 + 3) % len(letters)] for n in range(16)]
        a = ConcreteTensor(sort, one, tuple(fill[: int(np.prod(one))]))
        b = ConcreteTensor(sort, two, tuple(fill[4 : 4 + int(np.prod(two))]))
        outcome = replay(project, unit, meaning, {"L": 1, "X": (a, b)}, why=False)
        try:
            expected = np.maximum(to_array(a), to_array(b))
        except ValueError:
            assert outcome.errors
            continue

        actual = to_array(outcome.outputs["Y"])
        assert actual.shape == expected.shape
        np.testing.assert_array_equal(actual, expected)


NAMED = {"Max": np.maximum, "Min": np.minimum}


@pytest.mark.parametrize("sort", [INTEGERS[0], FLOATS[2]], ids=str)
@pytest.mark.parametrize("version", [6, 8, 12, 13])
@pytest.mark.parametrize("name", NAMED)
def test_versions_of_the_standard_against_numpy(name: str, version: int, sort: Sort, project: Project) -> None:
    """Each version of the standard gives numpy's result where it leaves nothing open, and rejects what it has to."""
    unit = project.find("onnx", name, version)
    assert unit is not None
    assert unit.file is not None
    if version < 12 and not isinstance(sort, FloatSort):
        assert all(sort.name not in types for types in unit.file.types.values())
        return
    meaning = project.meaning(unit, Context(family_of(sort), sort))
    letters = alphabet(sort)
    compared = 0
    for one, two in product([s for s in SHAPES if max(s, default=0) <= 2], repeat=2):
        fill = [letters[(n * 5 + 3) % len(letters)] for n in range(16)]
        a = ConcreteTensor(sort, one, tuple(fill[: int(np.prod(one))]))
        b = ConcreteTensor(sort, two, tuple(fill[4 : 4 + int(np.prod(two))]))
        outcome = replay(project, unit, meaning, {"n": 1, "data_0": (a, b)}, why=False)
        fits = broadcast_by_numpy(one, two) is not None if version > 6 else one == two
        assert bool(outcome.broken) is not fits, (one, two)
        if fits:
            expected = NAMED[name](to_array(a), to_array(b))
            actual = to_array(outcome.outputs[unit.file.outputs[0].name])
            free = outcome.unspecified.get(unit.file.outputs[0].name, [])
            assert actual.shape == expected.shape
            for place in np.ndindex(expected.shape):
                if place not in free:
                    assert actual[place] == expected[place]
                    compared += 1

    assert compared > 5
