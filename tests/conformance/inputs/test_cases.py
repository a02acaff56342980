"""Cases are what they say, by the reference evaluator, and all that a specification says is among them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import product
from pathlib import Path

import pytest

from sonnx_verify.conformance.inputs.cases import Case, cases_of
from sonnx_verify.conformance.inputs.points import Points
from sonnx_verify.conformance.inputs.random_inputs import random_inputs
from sonnx_verify.conformance.inputs.special_values import special_pairs, special_values
from sonnx_verify.kernel.core import family_of
from sonnx_verify.language.context import Context
from sonnx_verify.language.families import types_of
from sonnx_verify.language.files import Unit
from sonnx_verify.language.project import Project
from sonnx_verify.logic.sorts import ELEMENT_TYPES
from sonnx_verify.results.concrete import LEFT_OUT, ConcreteTensor
from sonnx_verify.solving.inputs.replay import Outcome, replay

ROOT = Path(__file__).parents[3]
OPERATORS = ("Max", "Min", "ReduceMax", "ReduceMin", "ReduceSum")
FEW = (
    ("sonnx", "Max", "float16"),
    ("sonnx", "Min", "uint8"),
    ("sonnx", "ReduceMax", "bool"),
    ("sonnx", "ReduceMin", "bool"),
    ("sonnx", "ReduceSum", "float"),
)
"""One type of each family somewhere."""
OPEN = (("onnx", "Max", "float"), ("onnx", "ReduceSum", "int32"))
"""Standards that leave much open."""


@cache
def texts() -> Project:
    """The texts of the operators; what these use is read with them."""
    return Project.of_files(ROOT, sorted(p for n in ("sonnx", "onnx") for p in (ROOT / "spec" / n).rglob("*.sonnx")))


def all_of_them() -> list[object]:
    """Every profile operator with every type: those above, and the others, and standards, in the soak. To say which
    there are means to read all texts."""
    if os.environ.get("SONNX_SOAK") != "1":
        return [pytest.param(c, id="-".join(c)) for c in FEW]
    project = texts()
    made: list[object] = []
    for name in OPERATORS:
        unit = project.find("sonnx", name)
        assert unit is not None
        assert unit.file is not None
        chosen = [("sonnx", name, t) for t in types_of(unit.file, "T")]
        made += [pytest.param(c, marks=() if c in FEW else pytest.mark.soak, id="-".join(c)) for c in chosen]
    return [*made, *(pytest.param(c, marks=pytest.mark.soak, id="-".join(c)) for c in OPEN)]


@cache
def solved(which: tuple[str, str, str]) -> tuple[Project, Unit, Points, list[Case]]:
    """The cases of an operator and a type."""
    project = texts()
    namespace, name, element = which
    unit = project.find(namespace, name)
    assert unit is not None
    sort = ELEMENT_TYPES[element]
    context = Context(family_of(sort), sort)
    return project, unit, Points(project, unit, context), cases_of(project, unit, context)


def judged(project: Project, unit: Unit, case: Case) -> Outcome:
    """What the reference evaluator says of the case, as `eval` asks it."""
    meaning = project.meaning(unit, Context(case.context.family, case.context.element))
    return replay(project, unit, meaning, case.assignment, why=False)


@pytest.mark.parametrize("which", all_of_them())
def test_all_that_the_text_says_is_exercised(which: tuple[str, str, str]) -> None:
    """Each clause fails, fails alone, and is met on both sides of its boundary; each error applies; each branch goes
    both ways; what is left open is; each special value is there."""
    _, _, points, cases = solved(which)
    met = {name for case in cases for name in case.exercises}

    wanted = [*points.clause_names, *points.branch_names, *points.open_names, *points.special_names]
    assert [name for name in wanted if name not in met] == []
    assert len(points.clause_names) >= 4
    assert len(points.branch_names) >= 4
    assert len(cases) < 400


@pytest.mark.parametrize("which", all_of_them())
def test_what_a_case_claims_is_so(which: tuple[str, str, str]) -> None:
    """Which clauses fail, which errors apply, and that there is a result otherwise: by the evaluator of `eval`."""
    project, unit, points, cases = solved(which)
    for case in cases:
        outcome = judged(project, unit, case)
        broken = [s.tag for s, _, why in outcome.broken if why != ["not evaluated: it depends on a failure above"]]
        claims = set(case.exercises)

        assert {f"{tag} fails" for tag in broken} == {c for c in claims if re.fullmatch(r"\w+ fails", c)}
        assert {f"{e.tag} applies" for e in outcome.errors} == {c for c in claims if re.fullmatch(r"\w+ applies", c)}
        assert [c for c in claims if c.endswith("fails alone")] == (
            [f"{broken[0]} fails alone"] if len(broken) == 1 else []
        )
        if not broken and not outcome.errors and points.decided(case.assignment):
            assert outcome.outputs
            assert not outcome.undetermined


def test_ways_among_some() -> None:
    """Only those that are asked about are looked at: of a sum that takes long."""
    _, _, points, cases = solved(("sonnx", "ReduceSum", "float"))
    case = next(case for case in cases if len(points.branches(case.assignment)) > 1)
    first, *rest = points.branches(case.assignment)
    asked = points.branch_names

    assert points.branches(case.assignment, [first]) == [first]
    assert points.branches(case.assignment, [name for name in asked if name != first]) == rest
    assert points.branches(case.assignment, []) == []


@pytest.mark.parametrize("which", FEW, ids="-".join)
def test_both_sides_of_a_boundary_are_there(which: tuple[str, str, str]) -> None:
    """Beside the case where a clause holds there is one, nearly the same, where that clause alone does not."""
    _, _, points, cases = solved(which)
    there = {repr(case.assignment) for case in cases}
    sides = {name.rsplit(" ", 4)[0] for name in points.clause_names if name.endswith("holds at its boundary")}
    paired = set()
    for case in cases:
        here = points.judge(case.assignment)
        for _, beside in points.around(case.assignment):
            if repr(beside) in there:
                paired |= {n.split()[0] for n in points.crossed(here, points.judge(beside)) if "holds" in n}

    assert paired >= {name.split()[0] for name in sides}


def elements(case: Case) -> list[object]:
    """All elements of the tensors whose type varies, in order."""
    found: list[object] = []
    for item in flat(value for name, value in case.assignment.items() if name != "axes"):
        if isinstance(item, ConcreteTensor):
            found += item.elements
    return found


@pytest.mark.parametrize("which", FEW, ids="-".join)
def test_special_values_stand_at_each_place(which: tuple[str, str, str]) -> None:
    """In inputs of one, two and three elements each special value at each place; and pairs of them."""
    cases = solved(which)[3]
    sort = ELEMENT_TYPES[which[2]]
    small = [elements(case) for case in cases]
    for count in (1, 2, 3):
        for place, (name, value) in product(range(count), special_values(sort).items()):
            assert any(len(e) == count and e[place] == value for e in small), (count, place, name)
    for a, b in special_pairs(sort):
        assert [special_values(sort)[a], special_values(sort)[b]] in small, (a, b)


def test_shapes_and_lists_are_of_every_kind() -> None:
    """Empty tensors, rank 0, up to three inputs; axes left out, empty, each one, from the end, twice, out of range, of
    rank 0 and 2; attributes left out, in and out of range."""
    met = {name for case in solved(("sonnx", "ReduceSum", "float"))[3] for name in case.exercises}
    axes = {"left out", "empty", "has 0", "has 1", "has -1", "has -2", "has one twice", "of rank 0", "of rank 2"}
    settings = {"keepdims left out", "keepdims = -1", "keepdims = 0", "keepdims = 1", "keepdims = 2"}
    assert {f"axes {a}" for a in axes} | settings | {"rank 0", "rank 3", "empty", "a size 0", "a size 3"} <= met

    many = {name for case in solved(("sonnx", "Max", "float16"))[3] for name in case.exercises}
    assert {"1 of X", "2 of X", "3 of X", "rank 0", "empty", "a size 1"} <= many


def test_cases_are_in_order_and_each_once() -> None:
    """The smallest first: fewer tensors, then smaller ranks, then smaller sizes; no two are the same."""
    for which in FEW:
        cases = solved(which)[3]
        given = [[t for t in flat(case.assignment.values()) if isinstance(t, ConcreteTensor)] for case in cases]
        sizes = [(len(ts), sum(len(t.shape) for t in ts), sum(sum(t.shape) for t in ts)) for ts in given]
        assert sizes == sorted(sizes)
        assert sizes[0] < sizes[-1]
        assert len({repr(case.assignment) for case in cases}) == len(cases)


def flat(values: Iterable[object]) -> Iterator[object]:
    """Values, and the members of those that are families."""
    for value in values:
        if isinstance(value, tuple):
            yield from value
        else:
            yield value


TOLD = """
from pathlib import Path
from sonnx_verify.conformance.inputs.cases import cases_of
from sonnx_verify.conformance.inputs.random_inputs import random_inputs
from sonnx_verify.conformance.inputs.points import Points
from sonnx_verify.language.context import Context
from sonnx_verify.language.project import Project
from sonnx_verify.logic.sorts import ELEMENT_TYPES
project = Project.of_files(Path("."), [Path("spec/sonnx/reducemax/reducemax.sonnx").resolve()])
unit = project.find("sonnx", "ReduceMax")
context = Context("bool", ELEMENT_TYPES["bool"])
told = [(case.assignment, case.exercises) for case in cases_of(project, unit, context)]
text = repr([*told, *random_inputs(Points(project, unit, context), 7, 20)])
"""


@pytest.mark.soak
def test_cases_are_the_same_on_every_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """In another process, where sets of texts come in another order, they are the same in the same order."""
    monkeypatch.chdir(ROOT)
    here: dict[str, str] = {}
    exec(TOLD, here)
    there = subprocess.run(
        [sys.executable, "-c", TOLD + "print(text)"],
        env={**os.environ, "PYTHONHASHSEED": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert there.stdout.strip() == here["text"]
    assert len(here["text"]) > 10_000


def test_random_inputs_are_valid_long_and_of_many_ranks() -> None:
    """Four of five are valid, the others are not; lengths go beyond those at which loops are unrolled."""
    project, unit, points, _ = solved(("sonnx", "ReduceSum", "float"))
    context = Context("float", ELEMENT_TYPES["float"])
    drawn = list(random_inputs(Points(project, unit, context), 3, 100))
    other = list(random_inputs(Points(project, unit, context), 4, 10))

    valid = [points.judge(assignment).valid for assignment in drawn]
    assert [n for n, good in enumerate(valid) if not good] == list(range(4, 100, 5))
    assert drawn[:10] != other
    tensors = [t for assignment in drawn for t in assignment.values() if isinstance(t, ConcreteTensor)]
    assert {len(t.shape) for t in tensors} == {0, 1, 2, 3, 4}
    assert len({size for t in tensors for size in t.shape} & {7, 8, 9, 15, 16, 17, 31, 32, 33, 64, 100}) >= 8
    assert {assignment["axes"] is LEFT_OUT for assignment in drawn} == {True, False}
