"""Covering arrays: what is counted is what rows have, and the rows of an operator have what can be."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from itertools import combinations, islice
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sonnx_verify.conformance.inputs.cases import cases_at
from sonnx_verify.conformance.inputs.contexts import every_context, name_of
from sonnx_verify.conformance.inputs.covering.classes import Classes
from sonnx_verify.conformance.inputs.covering.combinations import Covering, Factor, Pairs
from sonnx_verify.conformance.inputs.covering.contents import NAMES, contents_of, filled_with
from sonnx_verify.conformance.inputs.covering.rows import CoveringArray, Row, Use
from sonnx_verify.conformance.inputs.points import Points
from sonnx_verify.conformance.targets.calls import LAYOUTS, Form
from sonnx_verify.conformance.targets.presentation import made as as_it_lies
from sonnx_verify.conformance.targets.presentation import read
from sonnx_verify.language.named import find_operator, here
from sonnx_verify.logic.sorts import ELEMENT_TYPES
from sonnx_verify.results.concrete import ConcreteTensor
from sonnx_verify.solving.inputs.arguments import from_array, to_array
from tests.kernels.judged import project_of
from tests.kernels.operators import NAMED

ROOT = Path(__file__).parents[4]
Combinations = set[tuple[tuple[int, int], ...]]


@st.composite
def factors_and_rows(draw: st.DrawFn) -> tuple[list[Factor], list[list[int]]]:
    """Up to five factors of up to three classes, some of them strong, and up to six rows."""
    sizes = draw(st.lists(st.integers(1, 3), min_size=1, max_size=5))
    strong = [draw(st.booleans()) for _ in sizes]
    names = [tuple(f"{c}" for c in range(size)) for size in sizes]
    factors = [Factor(f"f{n}", classes, strong[n]) for n, classes in enumerate(names)]
    row = st.tuples(*(st.integers(0, size - 1) for size in sizes)).map(list)
    return factors, draw(st.lists(row, max_size=6))


def combined(rows: list[list[int]], chosen: tuple[int, ...]) -> Combinations:
    """What the rows have of some factors."""
    return {tuple((f, row[f]) for f in chosen) for row in rows}


@given(factors_and_rows())
def test_what_is_missing_is_what_no_row_has(made: tuple[list[Factor], list[list[int]]]) -> None:
    factors, rows = made
    covering = Covering(factors, 2, 3)
    for row in rows:
        covering.count(row)

    had = set().union(*(combined(rows, chosen) for chosen in covering.subsets))
    missing = {covering.combination(int(n)) for n in covering.missing}
    assert not had & missing
    assert len(had) + len(missing) == len(covering.counts)
    # Each two factors are counted, alone or within a larger set; each three strong ones, too.
    wanted = [set(c) for c in combinations(range(len(factors)), min(2, len(factors)))]
    wanted += [set(c) for c in combinations([n for n, f in enumerate(factors) if f.strong], 3)]
    for one in wanted:
        assert any(one <= set(chosen) for chosen in covering.subsets)


@given(factors_and_rows())
def test_a_gain_is_what_counting_changes(made: tuple[list[Factor], list[list[int]]]) -> None:
    factors, rows = made
    covering = Covering(factors, 3, 4)
    for row in rows:
        (gain,) = covering.gains(np.array([row]))
        before = len(covering.missing)
        covering.count(row)
        assert before - len(covering.missing) == gain


def group(name: str, types: tuple[str, ...], strength: int) -> tuple[CoveringArray, list[Row]]:
    """The array of an operator, and its rows, each of which counts."""
    project, unit = project_of(NAMED[name])
    points = [Points(project, unit, c) for c in every_context(unit) if c.element.name in types]
    made = CoveringArray(points, [name_of(unit, p.context) for p in points], 0, strength, LAYOUTS, tries=800)
    rows = []
    for row in made.rows():
        made.record(row, Use.SHOWS)
        rows.append(row)
    return made, rows


def test_what_is_not_run_is_not_covered() -> None:
    """Rows that are all passed over cover nothing, and every combination that they have is left."""
    made, rows = group("sonnx.Max-13", ("int8",), 1)
    again = CoveringArray(made.points, made.names, 0, 1, LAYOUTS, tries=800)
    for row in again.rows():
        again.record(row, Use.NOT_RUN)

    assert rows
    assert (again.coverage.covered, again.coverage.left) == (0, made.coverage.covered)


@pytest.mark.soak
def test_what_no_small_input_reaches_has_rows() -> None:
    """Of a pooling no input among the first ones is valid: those that a solver found are what its rows grow from."""
    project, unit = project_of(NAMED["user.MaxPool-22"])
    points = [Points(project, unit, c) for c in every_context(unit) if c.element.name == "int8"]
    known = [[case.assignment for case in cases_at(one) if one.judge(case.assignment).valid] for one in points]
    without, made = (CoveringArray(points, ("int8",), 0, 1, LAYOUTS, tries=800, known=k) for k in ((), known))

    assert len(without.structures.inputs) == 0
    assert len(made.structures.inputs) > 50
    for row in islice(made.rows(), 20):
        assert points[0].judge(dict(row.trial.assignment)).valid


def test_types_whose_results_are_open_come_last() -> None:
    """Where no sum of floats could show a fault, rows are of integers as soon as that is known."""
    project, unit = project_of(NAMED["onnx.ReduceSum-13"])
    points = [Points(project, unit, c) for c in every_context(unit) if c.element.name in ("int32", "float")]
    made = CoveringArray(points, [p.context.element.name for p in points], 0, 3, LAYOUTS, tries=200)
    types = []
    for row in islice(made.rows(), 250):
        types.append(made.names[row.type])
        made.record(row, Use.SHOWS if types[-1] == "int32" else Use.BLIND)

    assert types[50:].count("float") < 70


def test_what_shows_nothing_covers_what_it_is_for() -> None:
    """Where no result could show a fault, each combination counts after rows of its own, by those of others never."""
    project = here()
    unit = find_operator(project, "sonnx.Max-13")
    points = [Points(project, unit, c) for c in every_context(unit) if c.element.name == "int8"]
    made = CoveringArray(points, ("int8",), 0, 1, LAYOUTS, tries=200)
    aims = []
    for row in made.rows():
        before = made.coverage.covered
        made.record(row, Use.BLIND)
        aims.append(row.aim)
        counted = made.coverage.covered - before
        assert counted == (aims.count(row.aim) == 3)

    assert made.coverage.covered == len(set(aims))


@pytest.mark.parametrize(
    ("one", "other", "inner", "meet", "place"),
    [
        ((2, 8, 3), (2, 8, 3), "one is a vector", "alike", "none"),
        ((2, 1, 4), (2, 3, 4), "2 or 3", "first is stretched", "an inner one"),
        ((1, 3), (2, 3), "none", "first is stretched", "the first"),
        ((2, 7, 3), (2, 7, 1), "one is 4 or more", "second is stretched", "the last"),
        ((2, 1), (1, 3), "none", "both are stretched", "several"),
        ((3,), (2, 3), "none", "first has fewer axes", "the first"),
        ((), (4,), "none", "first is a scalar", "the last"),
    ],
)
def test_how_shapes_meet(one: tuple[int, ...], other: tuple[int, ...], inner: str, meet: str, place: str) -> None:
    project, unit = project_of(NAMED["sonnx.Max-13"])
    points = Points(project, unit, next(iter(every_context(unit))))
    base = next(iter(points.choices.inputs(1)))
    sort = points.context.element
    items = tuple(ConcreteTensor(sort, shape, ()) for shape in (one, other))
    classes = Classes(points)
    row = classes.row({**base, "X": items})
    assert row is not None
    found = {f.name: f.classes[c] for f, c in zip(classes.factors, row, strict=True)}

    assert (found["inner axes"], found["first two of X"], found["axis where they differ, X"]) == (inner, meet, place)


@pytest.mark.parametrize("name", ["sonnx.ReduceMax-20", "onnx.Min-8"])
def test_rows_are_of_their_classes(name: str) -> None:
    types = ("float16", "float")
    made, rows = group(name, types, 2)
    # Who counts by another way finds all pairs that the rows have, and no other is said to be covered.
    had = [set(combined([list(r.classes) for r in rows], chosen)) for chosen in made.covering.subsets]
    assert sum(map(len, had)) == made.coverage.covered
    assert len(made.covering.missing) == 0
    for row in rows:
        points = made.points[row.type]
        assignment = dict(row.trial.assignment)
        assert points.judge(assignment).valid
        classes = Classes(points, made.structures.examples)
        assert classes.row(assignment) == row.classes[: len(classes.factors)]
        assert made.names[row.type] == points.context.element.name


NAN, ZERO = "one NaN", "zeros"


@pytest.mark.parametrize("name", ["sonnx.ReduceMax-20", "user.Where-16"])
def test_rows_have_their_contents_and_layouts(name: str) -> None:
    """No array without elements has contents, none of one element is backwards; truth values are no NaN."""
    made, rows = group(name, ("float16", "int8"), 2)
    factors = made.covering.factors
    forms = 0
    for row in rows:
        points = made.points[row.type]
        named = {f.name: f.classes[c] for f, c in zip(factors, row.classes, strict=True)}
        tensors = points.elements(dict(row.trial.assignment))
        of_first = next((f.name for f in factors if f.name.startswith("contents of")), "")
        _, _, first = tensors[0]
        content = named[of_first]
        assert content in contents_of(first.sort)
        if not first.elements:
            assert content == NAMES[0]
        elif content == NAN:
            assert np.isnan(to_array(first).astype(float)).sum() == 1
        elif content == ZERO:
            assert not to_array(first).astype(float).any()
        layout = LAYOUTS[named["layout"]]
        assert row.trial.presentation == layout
        if layout.form is not Form.PLAIN:
            arrays = [plain for _, _, t in tensors if (plain := read(to_array(t))) is not None]
            assert not all(as_it_lies(a, layout).flags.c_contiguous for a in arrays)
            forms += 1
    assert forms > 20


ROWS_OF = """
from tests.conformance.inputs.covering.test_covering import group
print([(r.trial.key, r.classes) for r in group({name!r}, ("int8",), 1)[1]])
"""


@pytest.mark.parametrize("name", ["sonnx.Max-13", "user.Where-16"])
def test_rows_are_the_same_in_each_run(name: str) -> None:
    """Whatever order sets have in a process of Python."""
    made = []
    for seed in ("1", "2"):
        command = [sys.executable, "-c", ROWS_OF.format(name=name)]
        variables = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
        made.append(subprocess.run(command, env=variables, cwd=ROOT, capture_output=True, text=True, check=True).stdout)
    assert made[0] == made[1] != "[]\n"


@pytest.mark.parametrize("name", ["bool", "uint2", "int4", "int64", "float8e4m3fn", "bfloat16", "double"])
def test_contents_are_of_the_type(name: str) -> None:
    sort = ELEMENT_TYPES[name]
    for word, content in contents_of(sort).items():
        assert word in NAMES
        tensor = filled_with(ConcreteTensor(sort, (4, 10), ()), content, random.Random(0))
        assert from_array("X", to_array(tensor), sort) == tensor


@given(factors_and_rows(), st.data())
def test_pairs_that_some_rows_have_and_others_do_not(
    made: tuple[list[Factor], list[list[int]]], data: st.DataObject
) -> None:
    """A class that the others do not have stands alone, whatever it is with."""
    factors, rows = made
    part = [row for row in rows if data.draw(st.booleans())]
    every, some = Pairs(factors), Pairs(factors)
    for row in rows:
        every.add(row)
    for row in part:
        some.add(row)

    def words(chosen: tuple[tuple[int, int], ...]) -> str:
        return ", ".join(f"{factors[f].name}: {factors[f].classes[c]}" for f, c in chosen)

    def met(among: list[list[int]], *chosen: tuple[int, int]) -> bool:
        return any(all(row[f] == c for f, c in chosen) for row in among)

    single = [(f, c) for f, factor in enumerate(factors) for c in range(len(factor.classes))]
    lost = [one for one in single if met(rows, one) and not met(part, one)]
    pairs = [(a, b) for a, b in combinations(single, 2) if a[0] != b[0]]
    apart = [(a, b) for a, b in pairs if met(rows, a, b) and not met(part, a, b) and a not in lost and b not in lost]
    assert sorted(every.beyond(some)) == sorted(map(words, [*((one,) for one in lost), *apart]))
    nowhere = [one for one in single if not met(rows, one)]
    never = [(a, b) for a, b in pairs if not met(rows, a, b) and a not in nowhere and b not in nowhere]
    assert sorted(some.neither(every)) == sorted(map(words, [*((one,) for one in nowhere), *never]))
    unmet = [(some.of(int(one)), some.of(int(other))) for one, other in some.unmet]
    assert sorted(unmet) == sorted((a, b) for a, b in pairs if not met(part, a, b))
