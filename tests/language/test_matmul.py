"""MatMul: numpy's products of integers are those of the text, numpy's products of floats are among its results, and a
text with one thing wrong in it is refuted or says something else than numpy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from math import inf, nan, prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sonnx_verify.results.example import example_lines
from sonnx_verify.solving.check.telling import example_of

HERE = Path(__file__).parent
TEXT = HERE / "matmul.sonnx"
Shape = tuple[int, ...]
Computed = Callable[..., np.ndarray | None]

VECTORS: tuple[Shape, ...] = ((), (0,), (1,), (2,), (3,))
MATRICES: tuple[Shape, ...] = ((1, 1), (2, 3), (3, 2), (0, 2), (2, 0), (2, 2))
BATCHES: tuple[Shape, ...] = ((1, 2, 2), (2, 2, 3), (3, 2, 2), (0, 2, 2), (2, 1, 2, 2), (1, 3, 2, 1), (2, 3, 2, 2))
NUMPY = {"float16": np.float16, "float": np.float32, "double": np.float64}


def numbered(shape: Shape, start: int, dtype: type) -> np.ndarray:
    """An array of different numbers."""
    return np.arange(start, start + prod(shape), dtype=dtype).reshape(shape)


def integer_cases(computed: Computed, dtype: type = np.int32) -> Iterator[tuple[dict[str, Any], np.ndarray | None]]:
    """Every two of these shapes, and products that leave the type."""
    for a, b in product((*VECTORS, *MATRICES, *BATCHES), repeat=2):
        given = {"A": numbered(a, -2, dtype), "B": numbered(b, 1, dtype)}
        yield given, computed(np.matmul, given["A"], given["B"])
    large: np.ndarray = np.array([[np.iinfo(dtype).max, np.iinfo(dtype).min], [3, -7]], dtype)
    yield {"A": large, "B": large}, np.matmul(large, large)


@pytest.mark.parametrize(("element", "dtype"), [("int32", np.int32), ("int64", np.int64)])
def test_integers_are_those_of_numpy(element: str, dtype: type, operator: Any, numpy_or_none: Computed) -> None:
    """Valid exactly where numpy computes a result, with its shape and all its elements, which wrap at their width."""
    cases = list(integer_cases(numpy_or_none, dtype))

    assert {expected is None for _, expected in cases} == {True, False}
    assert list(operator(TEXT, T=element).differing(cases))[:3] == []


# --------------------------------------------------------------------------------------------------------------- floats


def floats(shape: Shape, start: int, dtype: type) -> np.ndarray:
    """Numbers of very different size and of a few bits, so that products are exact and sums are not: the text rounds
    each product, which an addition fused with it does not."""
    numbers = [(n * 7 % 13 - 6) * 2.0 ** (n * 5 % 11 - 5) for n in range(start, start + prod(shape))]
    return np.array(numbers, dtype).reshape(shape)


@pytest.mark.parametrize("element", NUMPY)
def test_floats_of_numpy_are_among_the_results(element: str, operator: Any) -> None:
    """So are the elements that the text itself computes, on every two shapes that fit. A result with one element far
    off is none."""
    matmul, dtype, tried = operator(TEXT, T=element), NUMPY[element], 0
    for a, b in product((*VECTORS[1:], *MATRICES, *BATCHES), repeat=2):
        given = {"A": floats(a, 1, dtype), "B": floats(b, 40, dtype)}
        try:
            result = np.asarray(np.matmul(given["A"], given["B"]))
        except ValueError:
            continue
        result += dtype(0)  # a single product may be -0, which numpy adds to +0
        inner = a[-1]
        tried += 1

        if inner != 1:
            assert matmul.allows(given, result)
        assert matmul.allows(given, matmul(given))
        if result.size:
            result.flat[-1] += 1000
            assert not matmul.allows(given, result)
    assert tried > 60


GREAT = 2.0**127
"""Twice this is no number of the type float."""
SPECIAL: list[tuple[list[float], list[float], list[float], list[float]]] = [
    # (left, right, what may be the product of the two vectors, what may not)
    ([], [], [0.0], [-0.0, nan, 1.0]),
    ([-1.0], [0.0], [-0.0], [0.0, nan]),
    ([nan], [1.0], [nan], [1.0, inf]),
    ([nan, 1.0], [0.0, 1.0], [nan], [1.0, 0.0]),
    ([inf, 1.0], [0.0, 1.0], [nan], [1.0, inf]),
    ([inf, 1.0], [1.0, 1.0], [inf], [-inf, nan, GREAT]),
    ([-inf, inf], [-1.0, 1.0], [inf], [-inf, nan]),
    ([-inf, inf], [1.0, 1.0], [nan], [inf, -inf, 0.0]),
    ([GREAT, 1.0], [-GREAT, 1.0], [-inf], [inf, nan, GREAT]),
    ([GREAT, GREAT], [4.0, -4.0], [nan], [0.0, inf]),
    # The sum of the sizes reaches what is no number any more: the order of additions decides, and all is allowed.
    ([GREAT, GREAT], [1.0, 1.0], [inf, 0.0, nan], []),
    ([GREAT, GREAT], [1.0, -1.0], [0.0, inf, -inf], []),
    # Within one unit roundoff of the sum of sizes, of two elements; the neighbours on the far sides are not.
    ([1.0, 2.0**-24], [1.0, 1.0], [1.0, 1.0 + 2.0**-23], [1.0 - 2.0**-24, 1.0 + 2.0**-22, inf, nan]),
    ([1.0, 1.0], [1.0, -1.0], [0.0, -0.0, 2.0**-23, -(2.0**-23)], [2.0**-22, nan]),
    ([1.5, 2.5, 0.0], [2.0, 1.0, 3.0], [5.5], [5.50001, -5.5]),
]


@pytest.mark.parametrize(("left", "right", "allowed", "others"), SPECIAL)
def test_special_values(
    left: list[float], right: list[float], allowed: list[float], others: list[float], operator: Any
) -> None:
    """NaN and infinities decide, too large a sum leaves everything open, and else the bound is exact. What the text
    itself computes is always allowed."""
    matmul = operator(TEXT, T="float")
    given = {"A": np.array(left), "B": np.array(right)}

    assert [y for y in allowed if not matmul.allows(given, np.array(y))] == []
    assert [y for y in others if matmul.allows(given, np.array(y))] == []
    assert matmul.allows(given, matmul(given))


# --------------------------------------------------------------------------------------------------------- wrong texts

REFUTED: list[tuple[str, str, list[str]]] = [
    # The inner sizes are not compared.
    (
        ": A.shape[rank(A) - 1] = inner(B.shape)",
        ": A.shape[rank(A) - 1] >= 0",
        ["A = int32 (0) []", "B = int32 (1) [0]"],
    ),
]
LEFT = "else i[q + r + 2 - rank(X)])]\n\ndefine right"
DIFFERENT: list[tuple[str, str, str]] = [
    # The batch axes of the left factor are aligned at the first one.
    (
        LEFT,
        LEFT.replace("q + r + 2 - rank(X)", "q"),
        "A = (3, 2, 2) [-2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9], B = (2, 1, 2, 2) [1, 2, 3, 4, 5, 6, 7, 8]: "
        "(2, 3, 2, 2) [-5, -8, 3, 4, -5, -8, 3, 4, -5, -8, 3, 4, 31, 36, 55, 64, 31, 36, 55, 64, 31, 36, 55, 64]",
    ),
    # A batch axis of size 1 is read where the index says.
    (
        "else if X.shape[q] = 1 then 0\n        " + LEFT,
        LEFT,
        "A = (1, 2, 2) [-2, -1, 0, 1], B = (2, 2, 3) [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]: nothing",
    ),
    # The batch axes have to be equal.
    (
        ": broadcastable([batch(A.shape), batch(B.shape)])",
        ": batch(A.shape) = batch(B.shape)",
        "A = (2,) [-2, -1], B = (1, 2, 2) [1, 2, 3, 4]: error",
    ),
    # A vector on the right stands for a row.
    (
        "if rank(X) = 1 or q = rank(X) - 2 then k",
        "if q = rank(X) - 2 then k",
        "A = (2,) [-2, -1], B = (2,) [1, 2]: () [-3]",
    ),
    # The last product is left out.
    (
        "value Y[i] for int   = sum { left(A, i, r, k) * right(B, i, r, k) | k in 0 .. inner(B.shape) - 1 }",
        "value Y[i] for int   = sum { left(A, i, r, k) * right(B, i, r, k) | k in 0 .. inner(B.shape) - 2 }",
        "A = (1,) [-2], B = (1,) [1]: () [0]",
    ),
]


@pytest.mark.parametrize(("old", "new", "counterexample"), REFUTED)
def test_wrong_text_is_refuted(old: str, new: str, counterexample: list[str], edited: Any, records: Any) -> None:
    """The obligation that the mistake breaks has this smallest counterexample, which the evaluator has replayed."""
    (record,) = records(edited("matmul", old, new), lambda identity: identity.endswith(".int/Y.value/in-bounds"))

    assert record.verdict.name == "refuted", record.verdict.reason
    assert example_lines(example_of(record.counterexample)) == counterexample
    assert record.counterexample.found.minimal


@pytest.mark.parametrize(("old", "new", "first"), DIFFERENT)
def test_wrong_text_differs_from_numpy(
    old: str, new: str, first: str, edited: Any, operator: Any, numpy_or_none: Computed
) -> None:
    """The first of the inputs above on which the text says something else than numpy, and what it says there."""
    differing = operator(edited("matmul", old, new), T="int32").differing(integer_cases(numpy_or_none))

    assert next(differing) == first
