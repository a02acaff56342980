"""Operators that only their own text knows: Where, Transpose and Concat, written in the language as a user would.

Every obligation is proved or holds, for every rank and every number of inputs; on small inputs the specification says
what numpy does, in which inputs are valid, in shape and in every element; and a text with one thing wrong in it is
refuted by an obligation or says something else than numpy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import permutations, product
from math import prod
from pathlib import Path

import numpy as np
import pytest

from sonnx_verify.kernel.core import family_of
from sonnx_verify.language.context import Context
from sonnx_verify.language.project import Project
from sonnx_verify.logic import floats
from sonnx_verify.logic.evaluator import compile_term
from sonnx_verify.logic.evaluator_values import Undefined
from sonnx_verify.logic.nodes import number_of
from sonnx_verify.logic.sorts import BOOL, ELEMENT_TYPES, INDEX, INT, FloatSort, Sort
from sonnx_verify.logic.terms import placeholder
from sonnx_verify.results.concrete import Assignment, ConcreteTensor
from sonnx_verify.solving.check.collect import collect
from sonnx_verify.solving.check.run import run
from sonnx_verify.solving.inputs.inputs import interpretation
from sonnx_verify.solving.solvers import Solvers

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
TYPES = [ELEMENT_TYPES[name] for name in ("int8", "int64", "float")]
SHAPES = [sizes for rank in range(4) for sizes in product(range(3), repeat=rank)]
Case = tuple[Assignment, np.ndarray | None]
Edited = Callable[[str, str, str], Path]


# ------------------------------------------------------------------------------------------------------------ helpers


def numbered(shape: tuple[int, ...], start: int = 0) -> np.ndarray:
    """An array of different numbers: start, start + 1, ..."""
    return np.arange(start, start + prod(shape)).reshape(shape)


def tensor(array: np.ndarray, sort: Sort) -> ConcreteTensor:
    """The array as a tensor of that element type."""
    convert = (lambda v: floats.from_float(sort, float(v))) if isinstance(sort, FloatSort) else sort_of(sort)
    return ConcreteTensor(sort, array.shape, tuple(convert(v) for v in array.reshape(-1).tolist()))


def sort_of(sort: Sort) -> type:
    """The Python type of the values of a sort that is no float."""
    return bool if sort == BOOL else int


class Specified:
    """The specification of a text with one output, ready to be run on concrete inputs."""

    def __init__(self, path: Path, sort: Sort) -> None:
        project = Project.of_files(ROOT, [path])
        meaning = project.meaning(project.units[0], Context(family_of(sort), sort))
        (output,) = meaning.outputs
        shape, result = meaning.shapes[output.name], meaning.result(output.name)
        assert result is not None
        axis, position = placeholder(INT), placeholder(INDEX)
        self._axis, self._position = number_of(axis), number_of(position)
        self._variables = [v for v in meaning.variables if v.role != "output"]
        self._valid, self._rank = compile_term(meaning.valid), compile_term(shape.rank)
        self._dim, self._read = compile_term(shape.dim(axis)), compile_term(result.read(position))
        self._sort = sort

    def __call__(self, given: Assignment) -> ConcreteTensor | None:
        """The result, or None where the input is not valid."""
        facts = interpretation(self._variables, given)
        if not self._valid({}, facts):
            return None
        rank = self._rank({}, facts)
        sizes = tuple(self._dim({self._axis: rank - 1 - k}, facts) for k in range(rank))
        elements = []
        for coordinates in np.ndindex(*sizes):
            from_right = list(reversed(coordinates))
            while from_right and from_right[-1] == 0:
                from_right.pop()
            elements.append(self._read({self._position: tuple(from_right)}, facts))
        return ConcreteTensor(self._sort, sizes, tuple(elements))


def differing(path: Path, sort: Sort, cases: Iterable[Case]) -> list[str]:
    """The cases in which the specification says something else than what is expected."""
    specified = Specified(path, sort)
    found = []
    for given, expected in cases:
        try:
            said: object = specified(given)
        except Undefined as problem:
            said = f"nothing ({problem})"
        if said != (None if expected is None else tensor(expected, sort)):
            found.append(f"{given}: {said}, not {expected}")
    return found


def numpy_or_none(compute: Callable[[], np.ndarray]) -> np.ndarray | None:
    """What numpy computes, or None where it refuses."""
    try:
        return compute()
    except ValueError:
        return None


def chosen(condition: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.where(condition, x, y)


def where_cases(sort: Sort, shapes: Iterable[tuple[tuple[int, ...], ...]]) -> Iterator[Case]:
    """Shapes of condition, X and Y, each with conditions that are true everywhere, nowhere and here and there."""
    for condition_shape, x_shape, y_shape in shapes:
        x, y = numbered(x_shape), numbered(y_shape, 50)
        for pattern in ((True,), (False,), (True, False), (False, True, True)):
            condition = np.resize(np.array(pattern), condition_shape)
            given = {"condition": tensor(condition, BOOL), "X": tensor(x, sort), "Y": tensor(y, sort)}
            yield given, numpy_or_none(partial(chosen, condition, x, y))


def transpose_cases(sort: Sort, inputs: Iterable[tuple[tuple[int, ...], Sequence[int]]]) -> Iterator[Case]:
    """Inputs of a shape with an order of axes. ONNX counts the axes in `perm` from the front only, numpy both ways."""
    for shape, perm in inputs:
        x = numbered(shape)
        result = None if any(a < 0 for a in perm) else numpy_or_none(partial(np.transpose, x, perm))
        yield {"X": tensor(x, sort), "perm": tuple(perm)}, result


def concat_cases(sort: Sort, inputs: Iterable[tuple[tuple[tuple[int, ...], ...], int]]) -> Iterator[Case]:
    """Any number of inputs of some shapes with an axis."""
    for shapes, axis in inputs:
        arrays = [numbered(shape, 30 * m) for m, shape in enumerate(shapes)]
        given = {"L": len(shapes) - 1, "X": tuple(tensor(a, sort) for a in arrays), "axis": axis}
        yield given, numpy_or_none(partial(np.concatenate, arrays, axis))


def axes_around(shapes: Sequence[tuple[int, ...]]) -> range:
    """Every axis of the longest shape, from the front and from the back, and one beyond at each end."""
    rank = max(map(len, shapes))
    return range(-rank - 1, rank + 1)


@pytest.fixture(scope="module")
def solvers() -> Iterator[Solvers]:
    """Both solvers, started once."""
    with Solvers() as started:
        yield started


def verdicts(path: Path, solvers: Solvers, wanted: Callable[[str], bool] = lambda _: True) -> dict[str, str]:
    """The verdict of each obligation of a text whose id is wanted."""
    obligations = [o for o in collect(Project.of_files(ROOT, [path])) if wanted(o.id)]
    return {record.id: record.verdict.name for record in run(obligations, solvers)}


# -------------------------------------------------------------------------------------------------------- obligations

PROVED = {
    "where": ("U/total", "Z.value/in-bounds", "Z.value/total", "Z/determined", "C1/covered", "C1/exclusive"),
    "transpose": (
        *("C2/in-bounds", "Y.shape/in-bounds", "Y.shape/total", "Y.value/in-bounds", "Y.value/total", "Y/determined"),
        *(f"{c}/{kind}" for kind in ("covered", "exclusive") for c in ("C1", "C2")),
    ),
    "concat": (
        *("C3/in-bounds", "Y.shape/in-bounds", "Y.shape/total", "Y.value/in-bounds", "Y.value/total", "Y/determined"),
        *(f"{c}/{kind}" for kind in ("covered", "exclusive") for c in ("C1", "C2", "C3")),
    ),
}
HOLDS = {
    name: (
        "spec/satisfiable",
        *(f"{c}/satisfiable" for c in (*(f"C{n + 1}" for n in range(tags)), *(f"E{n + 1}" for n in range(tags)))),
        *(f"C{n + 1}/independent" for n in range(tags)),
    )
    for name, tags in (("where", 1), ("transpose", 2), ("concat", 3))
}
SUBJECT = {"where": "user.Where-16", "transpose": "user.Transpose-13", "concat": "user.Concat-13"}


@pytest.mark.parametrize("name", SUBJECT)
def test_every_obligation_is_proved_or_holds(name: str, solvers: Solvers) -> None:
    """Each read is inside its tensor, each result exists and is the only one, errors are the complement of the
    constraints, and no constraint follows from the others: for every rank, dim and number of inputs, and every type."""
    found = verdicts(HERE / f"{name}.sonnx", solvers)
    expected = {f"{SUBJECT[name]}/spec/well-formed": "holds"}
    for section in ("int", "float"):
        expected |= {f"{SUBJECT[name]}.{section}/{rest}": "proved" for rest in PROVED[name]}
        expected |= {f"{SUBJECT[name]}.{section}/{rest}": "holds" for rest in HOLDS[name]}
    assert {i: v for i, v in found.items() if v not in ("proved", "holds")} == {}
    assert {i: found.get(i) for i in expected} == expected


# -------------------------------------------------------------------------------------------------------------- numpy

FLAT = [shape for shape in SHAPES if len(shape) <= 1]


def where_shapes() -> Iterator[tuple[tuple[int, ...], ...]]:
    """All triples up to rank 1; every shape with every other and a vector or scalar, in each of the three places."""
    yield from product(FLAT, repeat=3)
    matrices = [shape for shape in SHAPES if len(shape) == 2]
    for one, other, third in product(matrices, matrices, ((), (2,))):
        yield from ((one, other, third), (third, one, other), (other, third, one))
    for cube, small in product((s for s in SHAPES if len(s) == 3), ((1,), (0,), (2, 1), (1, 1, 2))):
        yield from ((cube, small, ()), ((), cube, small), (small, (1,), cube))


def transpose_inputs() -> Iterator[tuple[tuple[int, ...], Sequence[int]]]:
    """Every shape with every order of its axes; and lists that are too short or long, repeat an axis, or name none."""
    for shape in SHAPES:
        yield from ((shape, perm) for perm in permutations(range(len(shape))))
    for rank in range(4):
        for length in range(rank + 2):
            yield from (((1, 2, 2)[:rank], perm) for perm in product(range(-1, rank + 1), repeat=length))


def concat_inputs() -> Iterator[tuple[tuple[tuple[int, ...], ...], int]]:
    """One input of every shape, two of every pair of ranks, three of equal rank; with every axis and two beyond."""
    cubes = ((0, 1, 2), (1, 1, 2), (2, 1, 2), (2, 1, 0), (2, 0, 2))
    some = [*(shape for shape in SHAPES if len(shape) <= 2), *cubes]
    alike = ((1, 2), (0, 2), (2, 2), (2, 1), (2, 0))
    groups = [
        *((shape,) for shape in SHAPES),
        *product(some, repeat=2),
        *product(FLAT, repeat=3),
        *product(alike, repeat=3),
        *product(cubes, repeat=3),
    ]
    for shapes in groups:
        yield from ((shapes, axis) for axis in axes_around(shapes))


CASES: dict[str, Callable[[Sort], Iterable[Case]]] = {
    "where": lambda sort: where_cases(sort, where_shapes()),
    "transpose": lambda sort: transpose_cases(sort, transpose_inputs()),
    "concat": lambda sort: concat_cases(sort, concat_inputs()),
}


@pytest.mark.parametrize("sort", TYPES, ids=str)
@pytest.mark.parametrize("name", CASES)
def test_says_what_numpy_does(name: str, sort: Sort) -> None:
    """Valid exactly where numpy computes a result (and ONNX counts axes so), with its shape and all its elements."""
    cases = list(CASES[name](sort))
    assert {expected is None for _, expected in cases} == {True, False}
    assert differing(HERE / f"{name}.sonnx", sort, cases)[:3] == []


# --------------------------------------------------------------------------------------------------------- wrong texts

THE = "the { a | a in axes(X) where perm[a] = k }"
REFUTED = [
    # The condition is not expanded to the common shape.
    ("where", "expanded(condition, U)[i]", "condition[i]", "Z.value/in-bounds"),
    # The condition is forgotten in the common shape.
    ("where", "[condition.shape, X.shape, Y.shape]", "[X.shape, Y.shape]", "Z.value/in-bounds"),
    # Each branch is read with the shape of its own tensor.
    ("where", "expanded(X, U)[i]", "expanded(X, X.shape)[i]", "Z.value/in-bounds"),
    # The order is used in place of its inverse, for the value alone and for the shape alone.
    ("transpose", f"i[{THE}]", "i[perm[k]]", "Y.value/in-bounds"),
    ("transpose", "X.shape[perm[k]])", f"X.shape[{THE}])", "Y.value/in-bounds"),
    # An axis of size 1 need not be an entry. (That each axis is an entry at least once, at most once, and that entries
    # are axes, follow from each other by counting: leaving out one of the three changes nothing.)
    ("transpose", "for all k in axes(X) :", "for all k in axes(X) where X.shape[k] != 1 :", "Y.value/total"),
    # Too short a list is let through.
    ("transpose", "count(perm) = rank(X)", "count(perm) <= rank(X)", "C2/in-bounds"),
    # A tensor begins before its first place.
    ("concat", "offset(S, a, m) <= p", "offset(S, a, m) < p", "Y.value/total"),
    # An axis from the back is counted from 0, not from -1.
    ("concat", "axis + r else", "axis + r - 1 else", "Y.value/in-bounds"),
    # The axis after the last is let through.
    ("concat", "-r <= axis < r", "-r <= axis <= r", "Y.value/in-bounds"),
]
DIFFERENT = [
    # The branches are exchanged.
    ("where", "expanded(X, U)[i] else expanded(Y, U)[i]", "expanded(Y, U)[i] else expanded(X, U)[i]"),
    # The shapes have to be equal.
    ("where", "broadcastable(S)", "for all m in S : S[m] = S[0]"),
    # Shape and value both use the inverse order.
    (
        "transpose",
        f"X.shape[perm[k]])\nvalue Y[i] = X[index (k in axes(X) -> i[{THE}])]",
        f"X.shape[{THE}])\nvalue Y[i] = X[index (k in axes(X) -> i[perm[k]])]",
    ),
    # Only the order that changes nothing is valid.
    ("transpose", "0 <= perm[a] < rank(X)", "perm[a] = a"),
    # The first tensor that begins at a place or before, in place of the last.
    ("concat", "max { m |", "min { m |"),
    # The place is not moved to where the tensor begins.
    ("concat", "i[a] - offset(S, a, source(S, a, i[a]))", "i[a]"),
    # The sizes have to agree on the axis that is concatenated, and nowhere else.
    ("concat", "where k != a :", "where k = a :"),
    # The last tensor is left out of the size.
    ("concat", "offset(S, a, L + 1)", "offset(S, a, L)"),
    # The axis is counted from the front only.
    ("concat", "-r <= axis < r", "0 <= axis < r"),
]


@pytest.mark.thinned(2)
@pytest.mark.parametrize(("name", "old", "new", "refuted"), REFUTED)
def test_wrong_text_is_refuted(name: str, old: str, new: str, refuted: str, edited: Edited, solvers: Solvers) -> None:
    """The obligation that the mistake breaks has a counterexample, which the evaluator has replayed."""
    wanted = f"{SUBJECT[name]}.int/{refuted}"
    assert verdicts(edited(name, old, new), solvers, wanted.__eq__) == {wanted: "refuted"}


@pytest.mark.parametrize(("name", "old", "new"), DIFFERENT)
def test_wrong_text_differs_from_numpy(name: str, old: str, new: str, edited: Edited) -> None:
    """A text that means something else, or reads outside a tensor, is told apart by the inputs of the test above."""
    path, sort = edited(name, old, new), TYPES[0]
    assert differing(path, sort, CASES[name](sort)) != []
