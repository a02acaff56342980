"""Whatever a text says of an element is computed: each of these expressions, on hard values, says what the reference
evaluator says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sonnx_verify.arrays.evaluator.operator import Operator
from sonnx_verify.language.project import Project
from sonnx_verify.logic.sorts import ELEMENT_TYPES

ROOT = Path(__file__).parents[2]
TEXT = """\
use orders
use sums
use layout
operator Made version 1 user
types {types}
input  X : tensor of T
output Y : tensor of {result}
[C1] constraint "two axes" : rank(X) = 2
let n = X.shape[0]
{let}
shape Y = X.shape
value Y[i] = {value}
"""
COMMON = [
    "X[i]",
    "X[[i[0], 0]]",
    "X[[n - 1 - i[0], i[1]]]",
    "X[index_at(X.shape, offset(X.shape, i))]",
    "if i[0] = i[1] then X[i] else T(1)",
    "if i[0] + 1 < n then X[[i[0] + 1, i[1]]] else X[[0, i[1]]]",
    "greatest { X[j] | j in indices(X) where j[0] <= i[0] } by ORDER",
    "least { X[[k, i[1]]] | k in 0 .. i[0] } by ORDER",
    "greatest { X[j] | j in indices(X) where j[0] < i[0] and j[1] = i[1] } by ORDER default (T(1))",
    "greatest { X[j] | j in indices(X) where i[0] = i[1] and j[0] = i[0] } by ORDER default (T(2))",
    "greatest { X[j] | j in indices(X) where mod(j[0] + j[1], 2) = mod(i[0] + i[1], 2) } by ORDER",
    "greatest { X[j] | j in indices(X) where j[0] = j[1] } by ORDER default (T(0))",
    "greatest { if k = 0 then X[i] else X[[0, i[1]]] | k in 0 .. 1 } by ORDER",
    "the { X[j] | j in indices(X) where j[0] = i[0] and j[1] = i[1] }",
    "if exists x in { X[j] | j in indices(X) where j[1] = i[1] } : x = X[[0, 0]] then T(1) else T(0)",
    "if for all j in indices(X) : j[0] >= i[0] or X[j] <= X[i] then X[i] else T(0)",
    "T(count { j | j in indices(X) where X[j] < X[i] })",
    "if [i[0] + 1, i[1] - 1] in indices(X) then X[[i[0] + 1, i[1] - 1]] else T(3)",
    "T(count { k | k in 0 .. 3 where [k, k + i[1]] in indices(X) })",
    "if index (k in axes(X) -> i[k] + k - 1) in indices(X) and i[0] in 0 .. 1 then T(1) else T(0)",
    "if index (k in 0 .. 2 -> if k < 2 then i[k] else i[0]) in indices(X) then T(1) else T(0)",
    "T(count { j | j in indices(X) where X[j] = X[i] and j[0] < i[0] })",
    "T(sum { j[0] * j[1] + i[0] | j in indices(X) where j[1] <= i[1] })",
    "T(product { k + 1 | k in 0 .. i[0] + i[1] })",
    "T(div(7 * i[0] - 9 * i[1], 4) + mod(5 - 8 * i[0], 3) + n)",
    "T(max { if X[j] < X[i] then j[0] else 0 - j[1] | j in indices(X) })",
    "T(sum { count { l | l in indices(X) where X[l] < X[j] } | j in indices(X) where j[0] = i[0] })",
    "-X[i] + X[[0, i[1]]] * T(3) - T(1)",
    "if count(chosen) > i[0] then X[[chosen[i[0]], i[1]]] else T(count(chosen))",
]
FLOAT = [
    "if is_nan(X[i]) then T(0) else if is_infinite(X[i]) then -X[i] else X[i] * X[i]",
    "if is_zero(X[i]) then (if is_negative(X[i]) then T(-1) else T(1)) else X[i]",
    "if is_positive(X[i]) then T.infinity else T.lowest",
    "T(exact_size({ X[j] | j in indices(X) where j[1] = i[1] }))",
    "T(exact_sum({ X[j] | j in indices(X) where j[0] <= i[0] }))",
    "T(sum { real(1) / real(j[0] + 2 * j[1] + 2) | j in indices(X) where j[0] <= i[0] })",
    "T(sum { exp(real(j[0])) | j in indices(X) where j[0] <= i[0] })",
    "float_sum({ X[j] | j in indices(X) where j[0] <= i[0] })",
    "float_sum({ X[j] * X[i] | j in indices(X) where j[1] = i[1] })",
]
INT = [
    "sum { X[j] | j in indices(X) where j[0] <= i[0] }",
    "product { X[j] | j in indices(X) where j[0] = i[0] }",
    "sum { X[j] * X[i] | j in indices(X) }",
    "T(sum { int(X[j]) * int(X[i]) | j in indices(X) })",
    "if 0 <= sum { int(X[j]) | j in indices(X) where j[1] = i[1] } <= int(T.greatest) then T(1) else T(0)",
    "T(mod(int(X[i]), 7) + div(int(X[i]), 0 - 3))",
    "T(mod(int(X[i]) * int(X[i]) * int(X[[0, i[1]]]), 1000003))",
    "if int(X[i]) < 0 then X[i] else X[[mod(int(X[i]), n), i[1]]]",
    "T(if X[i] = T(1) then i[0] else 0 - 9223372036854775808 - n)",
]
LET = "let chosen = list (k in 0 .. n - 1 where X[[k, 0]] <= X[[0, 0]] -> k)"
BOOL = ["X[i]", "all { X[j] | j in indices(X) where j[0] = i[0] }", "any { X[j] | j in indices(X) where j[0] < i[0] }"]
BELOW = [
    "if m = 0 then 1 else sum { int(X[[p, 0]]) * f(m - 1) | p in 0 .. n - 1 }",
    "if m = 0 then 1 else sum { int(X[[p, 0]]) | p in 0 .. n - 1 where p <= f(m - 1) }",
    "if m = 0 then 0 - 200 else min { int(X[[p, 0]]) | p in 0 .. n - 1 where int(X[[p, 0]]) > f(m - 1) } default 99",
    "if m = 0 then count { p | p in 0 .. n - 1 where X[[p, 0]] > X[[0, 0]] }"
    " else max { p | p in 0 .. n - 1 where p = 0 or int(X[[p, 0]]) > int(X[[mod(f(m - 1), n), 0]])"
    " and (for all q in 0 .. n - 1 : int(X[[q, 0]]) < 9 or q <= f(m - 1)) }",
    "if m = 0 then n else sum { sum { int(X[[q, 0]]) + f(m - 1) | q in 0 .. p } | p in 0 .. n - 1 }",
]
"""What a recursion that is used at `m` says: the value below is a fold of its own, and stands in one."""
SHAPES = [(2, 3), (3, 2), (1, 1), (0, 2)]


def differing(value: str, types: str, kit: Any, path: Path, let: str = "") -> list[str]:
    """How the evaluator differs from the reference evaluator on an expression."""
    let = LET if "chosen" in value else let
    path.write_text(TEXT.format(types=types, value=value, result="T", let=let), "utf-8")
    project = Project.of_files(ROOT, [path])
    operator, rng = Operator(project, project.units[0]), np.random.default_rng(2)
    found = []
    for type_ in kit.types_of(operator):
        arrays = [kit.filled(rng, ELEMENT_TYPES[type_], shape) for shape in SHAPES]
        arrays.append(kit.special_values(ELEMENT_TYPES[type_])[:, None])
        arrays.append(np.array([[2, 1], [3, 4], [1, 5], [7, 8], [0, 9]]).astype(arrays[0].dtype))
        if type_ in ("bfloat16", "float"):
            # NaNs that carry something each.
            bits = arrays[0].dtype.itemsize * 8
            patterns = [(1 << bits) - 1, (1 << (bits - 1)) - 1, (1 << bits) - 2, 0]
            arrays.append(np.array([patterns[:2], patterns[2:]], f"u{bits // 8}").view(arrays[0].dtype))
        found += [d for array in arrays for d in kit.Case(operator, {"X": array}).differences()]
    return found


@pytest.mark.parametrize("value", [*COMMON, *FLOAT])
def test_of_floats(value: str, kit: Any, tmp_path: Path) -> None:
    """Of a narrow and of a wide format."""
    written = value.replace("ORDER", "nan_greatest")

    assert differing(written, "float = bfloat16 float", kit, tmp_path / "made.sonnx") == []


@pytest.mark.parametrize("value", [*COMMON, *INT])
def test_of_integers(value: str, kit: Any, tmp_path: Path) -> None:
    """Of a narrow type and of wide ones, whose integers need more than 64 bits together."""
    written = value.replace("ORDER", "ascending")

    assert differing(written, "int = int8 uint32 uint64", kit, tmp_path / "made.sonnx") == []


@pytest.mark.parametrize("value", BOOL)
def test_of_truth_values(value: str, kit: Any, tmp_path: Path) -> None:
    """Of what is true or false."""
    assert differing(value, "bool = bool", kit, tmp_path / "made.sonnx") == []


@pytest.mark.parametrize("body", BELOW)
def test_of_recursions(body: str, kit: Any, tmp_path: Path) -> None:
    """The loops of the value below are not those of the fold that it stands in."""
    define = f'define f(m : int) : int "a number" by recursion on m from 0 = {body}'

    assert (
        differing("T(mod(f(mod(i[0] + i[1], 3)), 100))", "int = int8 uint32", kit, tmp_path / "made.sonnx", define)
        == []
    )


@pytest.mark.parametrize(
    "value",
    [
        "T(count(list (k in 0 .. i[0] - 3 -> k)))",
        "T(rank(tensor (j in shape (k in 0 .. i[1] - 4 -> 2) -> X[i])))",
        "T(rank(index (k in 5 .. i[0] -> k)))",
        "T(count(list (k in i[0] .. i[1] - 2 where k != 1 -> k)))",
    ],
)
def test_of_empty_ranges(value: str, kit: Any, tmp_path: Path) -> None:
    """A range that ends far below where it begins has no numbers."""
    assert differing(value, "int = int8 int64", kit, tmp_path / "made.sonnx") == []
