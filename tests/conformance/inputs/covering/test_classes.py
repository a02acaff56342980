"""The classes of structures that kernels of tables and permutations tell apart, and inputs of each."""

from __future__ import annotations

import pytest

from sonnx_verify.conformance.inputs.contexts import every_context
from sonnx_verify.conformance.inputs.covering.classes import Classes
from sonnx_verify.conformance.inputs.covering.structures import Structures, structures_of
from sonnx_verify.conformance.inputs.points import Points
from sonnx_verify.language.named import find_operator, here

TRIES = 6000
"""The number of changed inputs that are judged: a sixth of those of a test."""


def structures(name: str) -> Structures:
    """The structures of the first type of an operator."""
    project = here()
    unit = find_operator(project, name)
    return structures_of([Points(project, unit, every_context(unit)[0])], 0, 6000, TRIES)


def classes_met(made: Structures, factor: str) -> set[str]:
    """The classes of a factor that some structure has."""
    (number,) = (n for n, one in enumerate(made.factors) if one.name == factor)
    return {made.factors[number].classes[c] for c in made.rows[:, number]}


def test_cycle_types_of_permutations() -> None:
    """Permutations of each cycle type: the inverse of a cycle of 4 is another one, that of a swap is not."""
    met = classes_met(structures("sonnx.Transpose-13"), "cycles of perm")

    assert met >= {"identity", "one swap", "two swaps", "a cycle of 3", "a cycle of 4 or more"}


def test_axes_of_a_reduction_are_no_permutation() -> None:
    """The factor is of lists that are permutations in each valid input."""
    project = here()
    unit = find_operator(project, "sonnx.ReduceMax-20")
    points = Points(project, unit, every_context(unit)[0])
    small = [*filter(points.is_sound, points.choices.inputs(3000))]

    assert not any(one.name.startswith("cycles of") for one in Classes(points, small).factors)


@pytest.mark.parametrize("name", ["sonnx.Add-14", "sonnx.Where-16"])
def test_equal_sizes_and_tables(name: str) -> None:
    """Squares, sizes that are the same on axes that are no neighbours, and a long column that meets a long row."""
    made = structures(name)
    first = made.factors[[one.name.startswith("axis where they differ") for one in made.factors].index(True)].name
    pair = first.removeprefix("axis where they differ, ")

    assert classes_met(made, "equal sizes") >= {"all differ", "two neighbours", "two apart", "three or more"}
    assert "both are stretched far" in classes_met(made, pair)


def test_a_table_of_indices() -> None:
    """Indices of Gather with two axes, neither of size 1, on each axis of rank 3."""
    made = structures("sonnx.Gather-13")
    names = [one.name for one in made.factors]
    rank, axis, table = names.index("rank"), names.index("axis"), names.index("rank of indices")
    rows = {tuple(made.factors[f].classes[row[f]] for f in (rank, axis, table)) for row in made.rows}

    assert {(one, two) for one, two, three in rows if three == "2 or more"} >= {("3", "0"), ("3", "1"), ("3", "2")}
