"""Claims about elements of few bits are tried on every combination of values: what is false is refuted."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from itertools import product
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import sonnx_verify
from sonnx_verify.logic import floats
from sonnx_verify.logic.sorts import ELEMENT_TYPES, FloatSort, IntegerSort
from sonnx_verify.solving.inputs.rows import by_sum
from sonnx_verify.solving.inputs.values import every_value

Tree = tuple[str, Callable[..., Any]]
"""An expression as text, and on arrays of doubles: of two floats of 8 bits these have the exact results, and each is
rounded once."""
F8 = ml_dtypes.float8_e5m2


def _rounded(values: Any) -> Any:
    return values.astype(F8).astype(np.float64)


def _tree(draws: random.Random, names: str, depth: int) -> Tree:
    if depth == 0 or draws.random() < 0.3:
        if draws.random() < 0.7:
            name = draws.choice(names)
            return name, lambda **given: given[name]
        number = draws.choice((0.5, 0.75, 1.0, 1.75, 3.0, 640.0, 0.000244140625))
        return f"float8e5m2({number})", lambda **given: np.float64(number)
    (a, left), (b, right) = (_tree(draws, names, depth - 1) for _ in range(2))
    op = draws.choice("+-*")
    run = {"+": np.add, "-": np.subtract, "*": np.multiply}[op]
    return f"({a} {op} {b})", lambda **given: _rounded(np.asarray(run(left(**given), right(**given))))


RELATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "{} = {}": lambda a, b: _same(a, b),
    "not {} = {}": lambda a, b: ~_same(a, b),
    "{} <= {}": np.less_equal,
    "not {} < {}": lambda a, b: ~np.less(a, b),
}


def _same(a: Any, b: Any) -> Any:
    """One value: NaN is equal to itself, and 0 is not -0."""
    return (np.isnan(a) & np.isnan(b)) | ((a == b) & (np.signbit(a) == np.signbit(b)))


def _bound(names: str) -> str:
    return "; ".join(f"{name} : float8e5m2" for name in names)


@pytest.mark.parametrize("seed", range(40))
def test_what_is_false_is_refuted(seed: int) -> None:
    """Claims on one or two floats of 8 bits: refuted where some values break them, and nowhere else."""
    draws = random.Random(seed)
    names = "xy"[: 1 + seed % 2]
    (a, left), (b, right) = (_tree(draws, names, 2) for _ in range(2))
    relation = draws.choice(list(RELATIONS))
    patterns = np.array([p for p in range(256)], np.uint8).view(F8).astype(np.float64)
    given = dict(zip(names, np.meshgrid(*[patterns] * len(names)), strict=True))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        holds = RELATIONS[relation](left(**given), right(**given))

    text = f"for {_bound(names)} : {relation.format(a, b)}"
    found = sonnx_verify.prove(text)

    said = {str(one.verdict) for one in found}
    if np.all(holds):
        assert said <= {"proved", "unknown"}, text
    else:
        assert said == {"refuted"}, text


def test_the_smallest_of_all(capsys: pytest.CaptureFixture[str]) -> None:
    """Where a solver has a counterexample among 65,536 values, the smallest is shown."""
    (found,) = sonnx_verify.prove("for x : float16 : round_even(x) = round_away(x)")

    assert str(found.verdict) == "refuted"
    assert "0.5" in str(found.counterexample)
    assert "306" not in str(found.counterexample)


NARROW = [s for s in ELEMENT_TYPES.values() if isinstance(s, FloatSort | IntegerSort) and s.width <= 16]


@pytest.mark.parametrize("sort", NARROW, ids=str)
def test_every_value_once(sort: Any) -> None:
    """Of a float type each NaN is one value."""
    values = every_value(sort)
    assert len(set(values)) == len(values)
    if isinstance(sort, IntegerSort):
        assert sorted(values) == list(range(sort.lowest, sort.greatest + 1))
    else:
        patterns = {p for p in range(1 << sort.width) if not floats.is_nan(sort, p)}
        assert patterns | {values[-1]} == set(values)


@pytest.mark.parametrize("sizes", [(), (1,), (5,), (3, 4), (2, 3, 3)])
def test_rows_are_all_combinations(sizes: tuple[int, ...]) -> None:
    """Each once, those with the least sums first."""
    columns = [[(rank // 2, f"v{n}", rank) for rank in range(size)] for n, size in enumerate(sizes)]
    rows = list(by_sum(columns))
    assert sorted(rows) == sorted(product(*columns))
    sums = [sum(rank for rank, _, _ in row) for row in rows]
    assert sums == sorted(sums)
