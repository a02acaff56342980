"""Which operators are pointwise is seen from their terms; their vectors have all values, pairs and edges."""

from __future__ import annotations

import pytest

from sonnx_verify.conformance.inputs.contexts import every_context
from sonnx_verify.conformance.inputs.points import Input, Points
from sonnx_verify.conformance.inputs.pointwise import is_pointwise, vectors
from sonnx_verify.conformance.inputs.small_inputs import LOOKED_AT
from sonnx_verify.conformance.oracles.array_oracle import ArrayOracle
from sonnx_verify.language.named import find_operator, here
from sonnx_verify.logic import floats
from sonnx_verify.logic.sorts import ELEMENT_TYPES, FloatSort
from sonnx_verify.results.concrete import ConcreteTensor


def points_of(name: str, element: str) -> Points:
    project = here()
    unit = find_operator(project, name)
    return Points(project, unit, next(c for c in every_context(unit) if c.element.name == element))


def made(name: str, element: str) -> list[list[ConcreteTensor]]:
    """The tensors of each input of vectors."""
    points = points_of(name, element)
    oracle = ArrayOracle(points.project, points.unit, points.meaning)

    def results(assignment: Input) -> dict[str, ConcreteTensor] | None:
        expected = oracle.expected(assignment)
        return None if expected is None else expected.outputs

    valid = [one for one in points.choices.inputs(LOOKED_AT) if points.is_sound(one)]
    every = [*vectors(points, valid, 0, results)]
    assert all(map(points.is_sound, every))
    return [[tensor for _, _, tensor in points.elements(one)] for one in every]


POINTWISE = ("Add-14", "Clip-13", "Div-14", "Equal-13", "Exp-13", "Max-13", "Sum-13", "Where-16")
OTHERS = ("Concat-13", "Gather-13", "Identity-14", "ReduceSum-13", "Reshape-14", "Transpose-13")


@pytest.mark.parametrize("name", [*POINTWISE, *OTHERS])
def test_what_is_pointwise(name: str) -> None:
    """An element depends on one of each input, or on several; or elements are only moved."""
    assert is_pointwise(points_of(f"sonnx.{name}", "float")) is (name in POINTWISE)


def test_all_pairs_of_small_types() -> None:
    """All pairs of int8; of a quotient all but those that a clause rejects."""
    ((first, second),) = made("sonnx.Add-14", "int8")
    assert {*zip(first.elements, second.elements, strict=True)} == {
        (a, b) for a in range(-128, 128) for b in range(-128, 128)
    }

    ((first, second),) = made("sonnx.Div-14", "int8")
    pairs = {*zip(first.elements, second.elements, strict=True)}
    assert not any(b == 0 for _, b in pairs)
    assert len(pairs) >= 256 * 255 - 1


def test_all_values_of_16_bits() -> None:
    """Each float16, NaN once."""
    ((tensor,),) = made("sonnx.Exp-13", "float16")

    assert len(set(tensor.elements)) == len(tensor.elements) == 63_491


def test_the_edges_of_a_function() -> None:
    """The last float whose exponential is finite, the next one, and the last whose exponential is no 0."""
    sort = ELEMENT_TYPES["float"]
    assert isinstance(sort, FloatSort)
    edge, low = (floats.from_float(sort, x) for x in (88.72283172607422, -103.97207641601562))

    elements = {element for (tensor,) in made("sonnx.Exp-13", "float") for element in tensor.elements}
    assert {edge, edge + 1, edge - 8, low, low + 1} <= elements


def test_exponents_of_wide_types() -> None:
    """Numbers of each exponent of double, of both signs."""
    elements = {element for (tensor,) in made("sonnx.Sqrt-13", "double") for element in tensor.elements}

    assert {element >> 52 for element in elements if isinstance(element, int)} == set(range(1 << 12))
