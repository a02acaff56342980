"""The distance of a target's element from the set of results that it should be in.

Not trusted: compare.py has judged that it is in none. This says by how much.
"""

from __future__ import annotations

from sonnx_verify.conformance.bench import Observation
from sonnx_verify.conformance.calls import Array, Ending
from sonnx_verify.conformance.compare import Finding, differing
from sonnx_verify.conformance.expected import Demand
from sonnx_verify.conformance.models import asked_outputs
from sonnx_verify.conformance.record import Outside
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.logic import floats
from sonnx_verify.logic.evaluator_values import stripped
from sonnx_verify.logic.sorts import FloatSort
from sonnx_verify.results.concrete import ConcreteTensor
from sonnx_verify.solving.inputs.inputs import interpretation
from sonnx_verify.solving.inputs.reached import Reached, reach_of
from sonnx_verify.solving.inputs.replay import on_input


def outside(meaning: Meaning, finding: Finding, seen: Observation) -> Outside | None:
    """The first element with the finding that should be in a set `within` something; None without one."""
    expected, got, assignment = seen.expected, seen.got, seen.trial.assignment
    if expected.kind is not Demand.RESULT or expected.any_shape or got.kind is not Ending.RESULT:
        return None
    there = on_input(meaning, assignment)
    facts = interpretation(meaning.given, assignment)
    asked = [v.name for v in asked_outputs(meaning, assignment)]
    for name, array in zip(asked, got.outputs, strict=False):
        wanted = expected.outputs.get(name)
        if wanted is None or array is None or name not in there.reaches or not _is_alike(wanted, array):
            continue
        rows = differing(expected, name, array)
        found = [(place, element) for place, element, one in rows if one == finding]
        at = reach_of(there, name, wanted)
        for place, element in found:
            reach = at(facts, place)
            if reach is not None and not reach.is_any:
                return _outside(name, wanted, element, reach, len(found))
    return None


def _is_alike(wanted: ConcreteTensor, array: Array) -> bool:
    """Return whether an array has the type and the shape that are wanted, so that its elements can be compared."""
    return (array.dtype, array.shape) == (wanted.sort.name, wanted.shape)


def _outside(name: str, wanted: ConcreteTensor, element: int, reach: Reached, elements: int) -> Outside:
    sort, nearest = wanted.sort, wanted.read(stripped(reach.index[::-1]))
    assert isinstance(sort, FloatSort)
    assert isinstance(nearest, int)
    if reach.steps is not None:
        steps = None
        if not floats.is_nan(sort, element):
            steps = abs(floats.ordinal(sort, element) - floats.ordinal(sort, nearest))
        return Outside(name, reach.index, "steps", steps, reach.steps, elements)
    assert reach.bound is not None
    assert reach.centre is not None
    distance = None
    if floats.is_finite(sort, element):
        distance = str(abs(floats.to_fraction(sort, element) - reach.centre))
    return Outside(name, reach.index, "distance", distance, str(reach.bound), elements)
