"""The evaluator runs operators that it was not written for: those of tests/language, whose texts use what those of
spec/ do not: gathers by elements, guards, products, conversions, several outputs, texts as attributes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sonnx_verify.arrays.evaluator.operator import Operator
from sonnx_verify.language.project import Project

ROOT = Path(__file__).parents[2]
TEXTS = ROOT / "tests" / "language"


def ints(*values: int) -> np.ndarray:
    """A list of int64."""
    return np.array(values, np.int64)


def some(shape: tuple[int, ...], kind: str = "float32", seed: int = 0) -> np.ndarray:
    """An array of hard values."""
    hard = [0.0, -0.0, 1.0, -1.0, np.nan, np.inf, -np.inf, 0.5] if kind.startswith("float") else [0, 1, 2, 100]
    return np.random.default_rng(seed).choice(np.array(hard, kind), shape)


CASES: dict[str, list[dict[str, Any]]] = {
    "argmax": [
        {"X": some((2, 3)), "axis": 1, "keepdims": 0},
        {"X": some((3, 2), "int8", 1), "axis": -2, "select_last_index": 1},
        {"X": some((2, 0)), "axis": 1},
    ],
    "clip": [
        {"X": some((2, 3)), "min": np.array(-1.0, np.float32), "max": np.array(0.5, np.float32)},
        {"X": some((4,), "int8"), "min": np.array(0, np.int8)},
        {"X": some((0, 2))},
    ],
    "concat": [
        {"X0": some((2, 2)), "X1": some((2, 1)), "X2": some((2, 0)), "axis": 1},
        {"X0": some((1,), "int64"), "X1": some((2,), "int64"), "axis": -1},
        {"X0": some((2, 2)), "X1": some((3, 3)), "axis": 1},
    ],
    "expand": [
        {"X": some((2, 1)), "sizes": ints(3, 1, 4)},
        {"X": some(()), "sizes": ints(2, 0)},
        {"X": some((2,)), "sizes": ints(3)},
    ],
    "flatten": [{"X": some((2, 3, 2)), "axis": 1}, {"X": some(()), "axis": 0}, {"X": some((2, 0)), "axis": -1}],
    "flip": [{"X": some((2, 3))}, {"X": some((2, 3)), "axis": 0, "direction": "FORWARD"}],
    "gather": [
        {"X": some((3, 2)), "places": ints(2, -1, 0), "axis": 0},
        {"X": some((3, 2), "bool"), "places": np.array([[1], [0]], np.int32), "axis": 1},
        {"X": some((3, 2)), "places": ints(3), "axis": 0},
        {"X": some((0, 2)), "places": ints(), "axis": 0},
    ],
    "matmul": [
        {"A": some((2, 3), "int32"), "B": some((3, 4), "int32", 2)},
        {"A": some((3,), "uint64"), "B": some((2, 3, 1), "uint64", 3)},
        {"A": np.arange(6, dtype=np.float32).reshape(2, 3), "B": np.full((3, 2), 0.1, np.float32)},
        {"A": some((2, 0), "float64"), "B": some((0, 2), "float64")},
        {"A": some((2, 3)), "B": some((2, 3))},
    ],
    "pad": [
        {"X": some((2, 2)), "pads": ints(1, 0, 0, 2)},
        {"X": some((2, 2)), "pads": ints(-1, 1), "axes": ints(1), "constant": np.array(7, np.float32)},
        {"X": some((0,)), "pads": ints(1, 1)},
    ],
    "reshape": [
        {"X": some((2, 3)), "sizes": ints(3, -1)},
        {"X": some((2, 3)), "sizes": ints(0, 3, 1)},
        {"X": some((2, 0)), "sizes": ints(0, 5), "allowzero": 1},
        {"X": some((2, 3)), "sizes": ints(4)},
    ],
    "slice": [
        {"X": some((4, 3)), "starts": ints(3, 0), "ends": ints(0, 2), "steps": ints(-2, 1)},
        {"X": some((4,)), "starts": ints(-3), "ends": ints(99), "axes": ints(0)},
        {"X": some((4,)), "starts": ints(0), "ends": ints(1), "steps": ints(0)},
    ],
    "squeeze": [{"X": some((1, 2, 1)), "axes": ints(0)}, {"X": some((1, 2, 1))}, {"X": some((2,)), "axes": ints(0)}],
    "threshold": [{"X": some((3, 3))}, {"X": some((2,)), "alpha": 0.0}],
    "transpose": [{"X": some((2, 3, 1)), "perm": (2, 0, 1)}, {"X": some((2, 3)), "perm": (0, 0)}],
    "unsqueeze": [{"X": some((2, 3)), "axes": ints(0, -1)}, {"X": some(()), "axes": ints(0, 0)}],
    "where": [
        {"condition": some((2, 1), "bool"), "X": some((3,)), "Y": some((2, 3), seed=4)},
        {"condition": some((2,), "bool"), "X": some((3,)), "Y": some(())},
    ],
    "exchange": [
        {"A": some((3,)), "B": some((3,), seed=5), "K": ints(1, 2, 3), "M": ints(4, 5, 6)},
    ],
}


def operator_of(path: Path) -> Operator:
    """The operator of a text."""
    project = Project.of_files(ROOT, [path])
    return Operator(project, project.units[0])


@pytest.mark.parametrize("name", CASES)
def test_says_what_the_reference_evaluator_says(name: str, kit: Any) -> None:
    """Same results, bit for bit; of a set, one that is in it; same clauses where there is none."""
    operator = operator_of(TEXTS / f"{name}.sonnx")
    attributes = set(operator.signature.attributes)

    found = []
    for given in CASES[name]:
        assert attributes >= {n for n, v in given.items() if not isinstance(v, np.ndarray)}
        found += kit.Case(operator, given).differences()
    assert found == []


def test_arguments_by_name_are_told_apart() -> None:
    """Two inputs of one type and shape, by their names in both orders: which is which is what their names say."""
    operator = operator_of(TEXTS / "where.sonnx")
    condition, a, b = np.array([True, False]), np.array([1, 2], np.int8), np.array([3, 4], np.int8)

    for _ in range(2):
        assert operator.evaluate(condition=condition, X=a, Y=b).tolist() == [1, 4]
        assert operator.evaluate(condition=condition, Y=a, X=b).tolist() == [3, 2]
