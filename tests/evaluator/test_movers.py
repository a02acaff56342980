"""Operators that move elements give what numpy's own operations give: on arrays within one block and of many, in any
memory layout."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from sonnx_verify.arrays.evaluator import boxes, reads
from sonnx_verify.arrays.evaluator.operations import choose, is_limit
from sonnx_verify.arrays.evaluator.operator import Operator
from sonnx_verify.language.project import Project
from sonnx_verify.logic.sorts import ELEMENT_TYPES
from sonnx_verify.results.concrete import ConcreteTensor
from sonnx_verify.results.dtypes import dtype_of

TEXT = """\
use layout
operator Made version 1 user
types int = int32
input  X : tensor of T
input  K : tensor of int64
output Y : tensor of T
[C1] constraint "two axes" : rank(X) = 2
[C2] constraint "a place for each row" : K.shape = shape (q in 0 .. 0 -> X.shape[0])
[C3] constraint "which is one" : for all j in indices(K) : -X.shape[0] <= int(K[j]) < X.shape[0]
let n = X.shape[0]
let m = X.shape[1]
shape Y = {shape}
value Y[i] = {value}
"""
SAME = "X.shape"
AT = "int(K[index (k in 0 .. 0 -> i[0])])"
PLACE = f"(if {AT} < 0 then {AT} + n else {AT})"
MOVERS: dict[str, tuple[str, str, Callable[[Any, Any], Any]]] = {
    "two parts": (SAME, "if i[0] < 3 then X[i] else X[[i[0] - 3, i[1]]]", lambda x, k: np.vstack([x[:3], x[:-3]])),
    "three parts, one turned": (
        SAME,
        "if i[0] < 3 then T(7) else if i[0] < n - 2 then X[[n - 1 - i[0], i[1]]] else X[i]",
        lambda x, k: np.vstack([np.full_like(x[:3], 7), x[2:-3][::-1], x[-2:]]),
    ),
    "parts of both axes": (
        SAME,
        "if i[0] < 2 and i[1] > 4 then X[[i[0] + 1, i[1] - 5]] else X[[0, i[1]]]",
        lambda x, k: np.vstack([np.hstack([np.tile(x[:1, :5], (2, 1)), x[1:3, :-5]]), np.tile(x[:1], (len(x) - 2, 1))]),
    ),
    "rows in turn": (SAME, "X[[mod(3 * i[0] + 1, 4), i[1]]]", lambda x, k: x[(3 * np.arange(len(x)) + 1) % 4]),
    "each row twice": (SAME, "X[[div(i[0], 2), i[1]]]", lambda x, k: x[np.arange(len(x)) // 2]),
    "a diagonal": (SAME, "X[[i[0], i[0]]]", lambda x, k: np.tile(np.diag(x)[:, None], (1, x.shape[1]))),
    "below a diagonal": (SAME, "if i[1] <= i[0] then X[i] else T(0)", lambda x, k: np.tril(x)),
    "windows": (
        "shape (q in 0 .. 1 -> if q = 0 then 4 else m - 3)",
        "X[[0, i[0] + i[1]]]",
        lambda x, k: np.lib.stride_tricks.sliding_window_view(x[0], x.shape[1] - 3),
    ),
    "windows backwards": (
        "shape (q in 0 .. 1 -> if q = 0 then 4 else m - 3)",
        "X[[n - 1, m - 1 - i[0] - i[1]]]",
        lambda x, k: np.lib.stride_tricks.sliding_window_view(x[-1, ::-1], x.shape[1] - 3),
    ),
    "in other rows": (
        "shape (q in 0 .. 1 -> if q = 0 then m else n)",
        "X[index_at(X.shape, offset(shape (q in 0 .. 1 -> if q = 0 then m else n), i))]",
        lambda x, k: x.reshape(x.shape[::-1]),
    ),
    "in one row": (
        "shape (q in 0 .. 0 -> n * m)",
        "X[index_at(X.shape, i[0])]",
        lambda x, k: x.reshape(-1),
    ),
    "rows by number": (SAME, f"X[[{PLACE}, i[1]]]", lambda x, k: x[k]),
    "columns by number": (
        "shape (q in 0 .. 1 -> n)",
        f"X[[i[1], {PLACE}]]",
        lambda x, k: x[:, np.where(k < 0, k + len(x), k)].T,
    ),
    "numbers of the same axis": (SAME, f"X[[{PLACE}, mod(i[0] + i[1], m)]]", lambda x, k: _turned(x, k)),
}


def _turned(x: Any, k: Any) -> Any:
    rows, columns = np.indices(x.shape)
    return x[k[rows], (rows + columns) % x.shape[1]]


LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "rows": lambda x: x,
    "columns": np.asfortranarray,
    "backwards": lambda x: x[::-1, ::-1].copy()[::-1, ::-1],
    "apart": lambda x: np.repeat(np.repeat(x, 2, 0), 3, 1)[::2, ::3],
}


def operator_of(text: str, folder: Path) -> Operator:
    """The operator `user.Made-1` of a text."""
    (folder / "made.sonnx").write_text(text, "utf-8")
    project = Project.open(folder)
    (unit,) = (unit for unit in project.units if unit.operator == "user.Made-1")
    return Operator(project, unit)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", MOVERS)
def test_elements_are_where_numpy_has_them(name: str, layout: str, tmp_path: Path) -> None:
    """In a small array, which is one block, and in one of many blocks."""
    shape, value, expected = MOVERS[name]
    operator = operator_of(TEXT.format(shape=shape, value=value), tmp_path)
    rng = np.random.default_rng(5)
    for n, m in ((6, 9), (130, 1030)):
        x, k = np.arange(n * m, dtype=np.int32).reshape(n, m), rng.integers(-n, n, n)
        made = operator.evaluate(LAYOUTS[layout](x), k)
        assert np.array_equal(made, expected(x, k)), (name, n, m)
        # The plan that is kept says the same of other elements.
        made = operator.evaluate(LAYOUTS[layout](x[::-1]), k[::-1])
        assert np.array_equal(made, expected(x[::-1], k[::-1])), (name, n, m)


ELEMENTS = [sort.name for sort in ELEMENT_TYPES.values() if sort.name not in ("bool", "real")]


@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("name", ["rows in turn", "each row twice", "a diagonal", "windows", "rows by number"])
def test_elements_of_every_type(name: str, element: str, tmp_path: Path) -> None:
    """Also of those that numpy has no letter for."""
    shape, value, expected = MOVERS[name]
    operator = operator_of(TEXT.format(shape=shape, value=value).replace("int32", element), tmp_path)
    dtype = dtype_of(element)
    x, k = np.arange(54).reshape(6, 9) % 2, np.arange(-3, 3)
    made = operator.evaluate(x.astype(dtype), k)
    assert made.dtype == dtype
    assert np.array_equal(made.astype(np.float64) != 0, expected(x, k) != 0)


def test_few_boxes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three parts are three boxes, each a view: nothing is read by indices."""
    shape, value, expected = MOVERS["three parts, one turned"]
    operator = operator_of(TEXT.format(shape=shape, value=value), tmp_path)
    counts: list[int] = []
    found = boxes.boxes_of

    def counted(*arguments: Any) -> Any:
        made = found(*arguments)
        counts.append(len(made))
        return made

    def refused(*arguments: Any) -> Any:
        raise AssertionError

    monkeypatch.setattr("sonnx_verify.arrays.evaluator.output.boxes_of", counted)
    monkeypatch.setattr(reads, "_gather", refused)
    x, k = np.arange(60, dtype=np.int32).reshape(6, 10), np.zeros(6, np.int64)
    assert np.array_equal(operator.evaluate(x, k), expected(x, k))
    assert counts == [3]


TYPES = (np.bool_, np.int8, np.uint16, np.int32, np.uint64, np.float16, ml_dtypes.bfloat16, np.float32, np.float64)


@pytest.mark.parametrize("dtype", [*TYPES, object, ml_dtypes.int4])
@pytest.mark.parametrize("share", [0, 0.001, 0.5, 1])
def test_a_choice_is_numpys(dtype: Any, share: float) -> None:
    """Bit for bit, of arrays, of single elements and of arrays that are spread."""
    rng = np.random.default_rng(3)
    shape = (40, 50)
    condition = rng.random(shape) < share
    first, second = (rng.integers(0, 7, shape).astype(dtype) for _ in range(2))
    nothing, two = np.zeros((1, 1), dtype), np.full((1, 1), 2, dtype)
    spread = [(first[0, 0], second), (first, second[:1]), (first[:, :1], second[0, 0]), (two, two + two)]
    zeros = [(nothing, second), (first, nothing[0, 0]), (nothing, two), (two, nothing), (nothing, first[:1])]
    for a, b in ((first, second), *spread, *zeros):
        made, said = choose(condition, a, b), np.where(condition, a, b)
        assert made.dtype == said.dtype or dtype is object
        assert np.broadcast_to(made, shape).tolist() == said.tolist()
        if dtype is not object:
            assert np.ascontiguousarray(np.broadcast_to(made, shape)).tobytes() == said.tobytes()


def test_what_is_no_limit() -> None:
    """numpy's greater one of NaN and a number, or of two zeros, is not the one that a text chooses."""
    assert [is_limit(np.float32(x)) for x in (1, -np.inf, 0.0, -0.0, np.nan)] == [True, True, False, False, False]
    assert not is_limit(np.ones(2))


LARGE = """\
operator Made version 1 user
types int = int64
define made(x : int, z : int) : int "the number" = {value}
input  X : tensor of T
input  Z : tensor of T
output Y : tensor of T
[C1] constraint "same" : X.shape = Z.shape and (for all j in indices(Z) : Z[j] != 0)
shape Y = X.shape
value Y[i] = T(made(int(X[i]), int(Z[i])))
"""


@pytest.mark.parametrize(
    ("value", "exact"),
    [
        ("div(x + x, z)", lambda x, z: _euclid(2 * x, z)[0]),
        ("mod(x - z, z)", lambda x, z: _euclid(x - z, z)[1]),
        (
            "div(if x < 0 then -x else x, if z < 0 then -z else z)",
            lambda x, z: abs(x) // abs(z),
        ),
        ("mod(if x < 0 then -x else x, if z < 0 then -z else z)", lambda x, z: abs(x) % abs(z)),
        ("div(if x < 0 then x else 0 - x, if z < 0 then 0 - z else z)", lambda x, z: -abs(x) // abs(z)),
        ("div(div(x, z) + mod(x, z), z)", lambda x, z: _euclid(sum(_euclid(x, z)), z)[0]),
    ],
)
def test_wide_elements(value: str, exact: Callable[[int, int], int], tmp_path: Path) -> None:
    """Small ones in machine words, and the largest, of which the sums do not fit into them."""
    operator = operator_of(LARGE.format(value=value), tmp_path)
    ends = [-(1 << 63), -(1 << 62), -(1 << 48) - 1, 1 << 48, (1 << 62) + 1, (1 << 63) - 1]
    for few in ([-7, -2, -1, 1, 2, 5, 1 << 40], [-7, 3, *ends]):
        pairs = [(x, z) for x in few for z in few]
        x, z = (np.array(column, np.int64) for column in zip(*pairs, strict=True))
        wrapped = [((exact(a, b) + (1 << 63)) % (1 << 64)) - (1 << 63) for a, b in pairs]
        assert operator.evaluate(x, z).tolist() == wrapped


BOXES = [
    ("int8", "least { X[j] | j in indices(X) where i[0] < 2 } by ascending default (T(7))"),
    ("int8", "least { T(n) | k in 0 .. n } by ascending"),
    ("int64", "X[[mod(int(X[[i[0], i[0]]]), n), if i[0] < 2 then 0 else 1]]"),
    ("int64", "X[[mod(div(int(X[i]), i[0] + 2), n), if i[0] < 2 then i[1] else 0]]"),
]


@pytest.mark.parametrize(("type_", "value"), BOXES)
def test_parts_of_boxes(type_: str, value: str, tmp_path: Path) -> None:
    """What is folded, and what is known of an element, belongs to a box, as the reference evaluator has it."""
    text = f"""\
use orders
operator Made version 1 user
types int = {type_}
input  X : tensor of T
output Y : tensor of T
[C1] constraint "square" : rank(X) = 2 and X.shape[0] = X.shape[1]
[C2] constraint "small" : for all j in indices(X) : 0 <= int(X[j]) < 9
let n = X.shape[0]
shape Y = X.shape
value Y[i] = {value}
"""
    (tmp_path / "made.sonnx").write_text(text, "utf-8")
    project = Project.of_files(Path(__file__).parents[2], [tmp_path / "made.sonnx"])
    operator = Operator(project, next(unit for unit in project.units if unit.path.parent == tmp_path))
    x = (np.arange(16).reshape(4, 4) % 9).astype(type_)
    expected = operator.replay(x).outputs["Y"]
    assert isinstance(expected, ConcreteTensor)
    assert operator.evaluate(x).reshape(-1).tolist() == list(expected.elements)


def test_bounds_beyond_machine_words(tmp_path: Path) -> None:
    """A clause bounds elements that no int64 holds."""
    text = """\
operator Made version 1 user
types int = uint64
input  X : tensor of T
output Y : tensor of T
[C1] constraint "bounds" : for all i in indices(X) : 3 <= int(X[i]) < 18446744073709551614
shape Y = X.shape
value Y[i] = T(mod(int(X[i]), 7) + div(int(X[i]), 3))
"""
    (tmp_path / "made.sonnx").write_text(text, "utf-8")
    project = Project.open(tmp_path)
    (unit,) = (unit for unit in project.units if unit.operator == "user.Made-1")
    numbers = [4, (1 << 63) + 5, (1 << 64) - 3]
    made = Operator(project, unit).evaluate(np.array(numbers, np.uint64))
    assert made.tolist() == [x % 7 + x // 3 for x in numbers]


def test_any_byte_is_true() -> None:
    """numpy takes each byte but 0 of a buffer for true."""
    condition = np.array([0, 1, 2, 3, 255, 0] * 300, np.uint8).view(bool)
    made = choose(condition, np.full(1800, 7, np.uint8), np.full(1800, 200, np.uint8))
    assert made[:6].tolist() == [200, 7, 7, 7, 7, 200]


def _euclid(a: int, b: int) -> tuple[int, int]:
    remainder = a % abs(b)
    return (a - remainder) // b, remainder


LEFT_OUT = """\
use axes
use strides
operator Made version 1 user
types int = int32
input          data   : tensor of T
input          starts : tensor of int64
input          ends   : tensor of int64
optional input axes   : tensor of int64
optional input steps  : tensor of int64
output         Y      : tensor of T
define cut(x : int, size : int, step : int) : int
  = if step > 0 then clamp(from_end(x, size), 0, size) else clamp(from_end(x, size), -1, size - 1)
let r = rank(data)
[C1] constraint "lists" : rank(starts) = 1 and rank(ends) = 1
[C2] constraint "lists" : (given(axes) => rank(axes) = 1) and (given(steps) => rank(steps) = 1)
let S = list (m in 0 .. starts.shape[0] - 1 -> int(starts[[m]]))
let E = list (m in 0 .. ends.shape[0] - 1 -> int(ends[[m]]))
let A = list (m in 0 .. (if given(axes) then axes.shape[0] else r) - 1 -> if given(axes) then int(axes[[m]]) else m)
let k = if given(steps) then steps.shape[0] else count(S)
let K = list (m in 0 .. k - 1 -> if given(steps) then int(steps[[m]]) else 1)
[C3] constraint "lengths" : count(S) = count(A) and count(E) = count(A) and count(K) = count(A)
[C4] constraint "axes"    : axes_in_range(A, r)
[C5] constraint "steps"   : for all m in K : K[m] != 0
let at    = list (k in axes(data) -> max { m | m in A where axis_of(A[m], r) = k } default (-1))
let step  = list (k in axes(data) -> if at[k] >= 0 then K[at[k]] else 1)
let first = list (k in axes(data) -> if at[k] >= 0 then cut(S[at[k]], data.shape[k], step[k]) else 0)
let last  = list (k in axes(data) -> if at[k] >= 0 then cut(E[at[k]], data.shape[k], step[k]) else data.shape[k])
shape Y    = shape (k in axes(data) -> places(first[k], last[k], step[k]))
value Y[i] = data[index (k in axes(data) -> first[k] + i[k] * step[k])]
"""


def test_what_is_left_out_is_not_waited_for(tmp_path: Path) -> None:
    """A shape that would depend on elements of an input is known where that input is not given."""
    x = np.arange(1000, dtype=np.int32).reshape(20, 10, 5)
    starts, ends, axes = np.array([[0, 0, 3], [20, 10, 4], [0, -2, -1]])

    sliced = operator_of(LEFT_OUT, tmp_path).evaluate(x, starts, ends, axes)

    np.testing.assert_array_equal(sliced, x[:, :, 3:4])
