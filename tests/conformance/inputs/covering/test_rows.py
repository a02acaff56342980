"""The parts that rows of a covering array are made by: structures, what fits them, chances, and the end of a search."""

from __future__ import annotations

from itertools import islice, product
from math import prod

import numpy as np
import pytest

from sonnx_verify import load
from sonnx_verify.conformance.inputs.contexts import every_context, name_of
from sonnx_verify.conformance.inputs.covering import rows, structures
from sonnx_verify.conformance.inputs.covering.classes import Classes
from sonnx_verify.conformance.inputs.covering.contents import Contents
from sonnx_verify.conformance.inputs.covering.rows import Chances, Columns, CoveringArray, Fits, Use
from sonnx_verify.conformance.inputs.covering.structures import structures_of
from sonnx_verify.conformance.inputs.covering.variants import Variants
from sonnx_verify.conformance.inputs.points import Input, Judged, Points
from sonnx_verify.conformance.inputs.trial import counted, slots
from sonnx_verify.conformance.targets.calls import LAYOUTS
from sonnx_verify.logic.sorts import FloatSort, IntegerSort
from sonnx_verify.results.concrete import ConcreteTensor, numel
from tests.kernels.judged import project_of
from tests.kernels.operators import NAMED

COLUMNS = Columns(type=3, layout=6)
"""Three factors of structures, the type, two factors of contents, the layout."""


def points_of(name: str, types: tuple[str, ...]) -> list[Points]:
    """The points of an operator with some of its types."""
    project, unit = project_of(NAMED[name])
    return [Points(project, unit, c) for c in every_context(unit) if c.element.name in types]


def array_of(name: str, types: tuple[str, ...], strength: int = 2, tries: int = 300) -> CoveringArray:
    """The covering array of an operator, of few structures."""
    points = points_of(name, types)
    return CoveringArray(points, [name_of(p.unit, p.context) for p in points], 0, strength, LAYOUTS, tries=tries)


def of_shapes(points: Points, *shapes: tuple[int, ...]) -> Input:
    """An input of a family X with members of these shapes, without elements."""
    base = next(iter(points.choices.inputs(1)))
    members = tuple(ConcreteTensor(points.context.element, shape, ()) for shape in shapes)
    return counted(points.meaning, {**base, "X": members})


# ---------------------------------------------------------------------------------------------------------- structures


def test_structures_are_valid_small_and_of_rows_of_their_own() -> None:
    """int8 is of one section, float16 and float are of another one: the same structure may stand in both."""
    points = points_of("sonnx.ReduceMax-20", ("int8", "float16", "float"))
    made = structures_of(points, 0, 500, 600)

    assert made.section_of_type == [0, 1, 1]
    assert [made.types_of(section) for section in (0, 1)] == [[0], [1, 2]]
    assert {*made.sections.tolist()} == {0, 1}
    assert len({(section, tuple(row)) for section, row in zip(made.sections, made.rows.tolist(), strict=True)}) == len(
        made.inputs
    )
    for section, row, assignment in zip(made.sections, made.rows.tolist(), made.inputs, strict=True):
        own = points[made.types_of(int(section))[0]]
        classes = Classes(own, made.examples)
        assert classes.factors == made.factors
        assert classes.row(assignment) == tuple(row)
        assert own.judge(assignment).valid
        assert sum(numel(t.shape) for _, _, t in own.elements(assignment)) <= 500
        assert own.result_numel(assignment) <= 500


@pytest.mark.parametrize("exponents", ["int8", "uint8", "float16"])
def test_integers_of_a_structure_are_values_of_their_type(exponents: str) -> None:
    """A size that takes the place of another does not, in a tensor that cannot have it; nor do bits of floats."""
    found = load("onnx.Pow-15")
    wanted = f"int32-{exponents}"
    (context,) = (c for c in every_context(found.unit) if name_of(found.unit, c) == wanted)
    points = Points(found.project, found.unit, context)
    made = structures_of([points], 0, 6000, 3000)

    tensors = [t for one in made.inputs for _, t in slots(points.meaning, one)]
    few = [t for t in tensors if t.elements and t.sort.name == exponents]
    assert few
    for tensor in few:
        width = tensor.sort.width if isinstance(tensor.sort, IntegerSort | FloatSort) else 0
        least = -(1 << (width - 1)) if exponents == "int8" else 0
        assert all(isinstance(e, int) and least <= e < least + (1 << width) for e in tensor.elements)


@pytest.mark.parametrize("name", ["sonnx.Gather-13", "onnx.Pow-15"])
def test_rows_have_the_types_that_they_are_told_of(name: str) -> None:
    """Of indices too, which clauses speak of, so that they are no data and stay as they are in a structure."""
    found = load(name)
    contexts = [c for c in every_context(found.unit) if c.element.name in ("int16", "float")]
    every = [Points(found.project, found.unit, context) for context in contexts]
    array = CoveringArray(every, [name_of(p.unit, p.context) for p in every], 0, 2, LAYOUTS, tries=300)
    made = list(islice(array.rows(), 60))

    assert len({row.type for row in made}) > 2
    for row in made:
        points = array.points[row.type]
        for (variable, _), tensor in slots(points.meaning, row.trial.assignment):
            assert tensor.sort == variable.sort


def test_an_axis_of_size_0_makes_no_room() -> None:
    """Code that walks along the other axes ends soon."""
    points = points_of("sonnx.ReduceMin-20", ("float16",))
    made = structures_of(points, 0, 500, 2000)
    sizes = [t.shape for assignment in made.inputs for _, _, t in points[0].elements(assignment)]

    assert any(0 in shape and max(shape) > 1 for shape in sizes)
    assert max(prod(max(size, 1) for size in shape) for shape in sizes) <= 500


def test_many_sections_share_the_tries_down_to_a_floor(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[int] = []
    grow = Variants.grow

    def noted(self: Variants, tries: int) -> None:
        tried.append(tries)
        grow(self, min(tries, 10))

    monkeypatch.setattr(Variants, "grow", noted)
    monkeypatch.setattr(structures, "_FEWEST", 400)
    points = points_of("sonnx.ReduceMax-20", ("float16", "int8"))
    for tries in (1000, 500, 300):
        structures_of(points, 0, 100, tries)

    # Half of each where that is more than the floor; the floor; all where fewer are asked for than the floor.
    assert tried == [500, 500, 400, 400, 300, 300]


def test_structures_begin_with_known_inputs_where_no_small_one_is_valid(monkeypatch: pytest.MonkeyPatch) -> None:
    points = points_of("sonnx.Max-13", ("int8",))
    known = [of_shapes(points[0], (2, 3), (2, 3)), of_shapes(points[0], (2,), (3,))]
    monkeypatch.setattr(structures, "LOOKED_AT", 0)

    assert not structures_of(points, 0, 500, 100).inputs
    made = structures_of(points, 0, 500, 100, [known])
    # Shapes (2) and (3) do not broadcast.
    assert [dict(one) for one in made.examples] == known[:1]
    assert len(made.inputs) > 10


# ------------------------------------------------------------------------------------------------ what fits a structure


def test_columns_of_contents_stand_between_type_and_layout() -> None:
    assert [*COLUMNS.contents] == [4, 5]
    assert not Columns(type=3, layout=4).contents


def test_what_fits_a_structure() -> None:
    """Contents need an element; a reversed array two; one in columns two axes of more than one."""
    (points,) = points_of("sonnx.Max-13", ("int8",))
    contents = Contents([points])
    shapes = [((2, 3), (0, 1)), ((0, 2), (1, 1)), ((1, 1), ()), ((4,), (1,)), ((0,), (0,))]
    fits = Fits([of_shapes(points, *both) for both in shapes], contents, LAYOUTS, COLUMNS)
    every = np.ones(len(shapes), bool)
    named = [*LAYOUTS]

    def fitting(*wanted: tuple[int, int]) -> list[bool]:
        mask = fits.among(every, dict(wanted))
        alone = [[fits.allows(n, *one) for one in wanted] for n in range(len(shapes))]
        assert mask.tolist() == [all(row) for row in alone]
        return [bool(one) for one in mask]

    assert fitting((4, 0), (5, 0), (6, 0), (3, 0)) == [True] * 5
    assert fitting((4, 1)) == [True, False, True, True, False]
    assert fitting((5, 1)) == [False, True, True, True, False]
    assert fitting((4, 1), (5, 1)) == [False, False, True, True, False]
    assert fitting((6, named.index("1 element into a buffer"))) == [True, True, True, True, False]
    assert fitting((6, named.index("backwards"))) == [True, False, False, True, False]
    assert fitting((6, named.index("columns"))) == [True, False, False, False, False]
    assert fitting((4, 1), (6, named.index("backwards"))) == [True, False, False, True, False]
    assert every.all()


def test_one_layout_is_no_factor() -> None:
    (points,) = points_of("sonnx.Max-13", ("int8",))
    plain = dict(islice(LAYOUTS.items(), 1))
    made = CoveringArray([points], ["int8"], 0, 1, plain, tries=50)

    assert "layout" not in made.coverage.factors
    assert {row.trial.presentation for row in islice(made.rows(), 5)} == {*plain.values()}


# ------------------------------------------------------------------------------------------------------------- chances


def test_chances_begin_at_one_and_never_reach_none() -> None:
    chances = Chances(np.array([[True, True], [True, False]]))
    assert chances.every.tolist() == [[1, 1], [1, 0]]

    for _ in range(3):
        chances.count((0, 1), shows=False)
    chances.count((1, 0), shows=True)
    chances.count((1, 0), shows=False)
    assert chances.every.tolist() == [[1, 1 / 4], [2 / 3, 0]]


# ---------------------------------------------------------------------------------------------------------------- array


@pytest.mark.parametrize(
    ("name", "types"), [("sonnx.Max-13", ("int8", "float16")), ("sonnx.ReduceMax-20", ("int8", "float"))]
)
def test_what_is_wanted_is_what_some_structure_can_have(name: str, types: tuple[str, ...]) -> None:
    """Each structure with each type of its section, and with all contents and layouts that it can have: their
    combinations are wanted, and no others."""
    made = array_of(name, types, tries=150)
    contents = Contents(made.points)
    place = made.coverage.factors.index("type")
    fits = Fits(made.structures.inputs, contents, LAYOUTS, Columns(place, place + 1 + len(contents.factors)))
    classes = [range(len(f.classes)) for f in made.covering.factors]
    can: set[tuple[tuple[int, int], ...]] = set()
    for n, row in enumerate(made.structures.rows.tolist()):
        for of_type in made.structures.types_of(int(made.structures.sections[n])):
            free = [contents.known[of_type][k] for k in range(len(contents.factors))]
            allowed = [[c] for c in row] + [[of_type]]
            for factor, known in enumerate([*free, classes[-1]], place + 1):
                allowed.append([c for c in known if fits.allows(n, factor, c)])
            for chosen in made.covering.subsets:
                can |= {*product(*([(f, c) for c in allowed[f]] for f in chosen))}

    wanted = {made.covering.combination(int(n)) for n in np.flatnonzero(made.covering.wanted)}
    assert wanted == can


def test_rows_end_at_the_most(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some rows for few types, and some for each of many."""
    monkeypatch.setattr(rows, "ROWS", 5)
    monkeypatch.setattr(rows, "OF_TYPE", 3)
    for types, most in ((("int8",), 5), (("int8", "uint8"), 6)):
        made = array_of("sonnx.Max-13", types)
        for row in made.rows():
            made.record(row, Use.SHOWS)

        assert made.coverage.rows == most
    assert made.coverage.left == len(made.covering.missing) > 0


def test_fewer_structures_are_looked_for_at_a_lower_strength(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = []

    def noted(points: list[Points], seed: int, most: int, tries: int, known: object) -> structures.Structures:
        tried.append(tries)
        return structures_of(points, seed, most, 10)

    monkeypatch.setattr(rows, "structures_of", noted)
    for strength in (1, 2, 3, 4):
        array_of("user.Flatten-25", ("int8",), strength, tries=0)

    assert tried == [12_000, 24_000, 36_000, 36_000]


def test_a_combination_that_no_elements_make_valid_is_wanted_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    made = array_of("user.Flatten-25", ("int8",), 1)
    assert made.covering.wanted.any()
    monkeypatch.setattr(
        Points, "judge", lambda self, assignment: Judged(declared=True, holds=(), broken=("C1",), errors=())
    )

    assert [*made.rows()] == []
    assert not made.covering.wanted.any()


def test_a_row_is_the_best_of_some(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many rows cover more where each is chosen among candidates. Each has the combination that it is for."""

    def covered_by(count: int) -> int:
        made = array_of("sonnx.ReduceMax-20", ("int8",), tries=150)
        for row in islice(made.rows(), count):
            assert {*made.covering.combination(row.aim)} <= {*enumerate(row.classes)}
            made.record(row, Use.SHOWS)
        return made.coverage.covered

    best = covered_by(40)
    monkeypatch.setattr(rows, "_CANDIDATES", 1)
    assert covered_by(40) < 0.95 * best
