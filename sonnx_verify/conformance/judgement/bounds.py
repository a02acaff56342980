"""About the number of elements from which a set of results says nothing, as a bound that grows with each of them.

sum of n ones of bfloat16      within (n - 1) * 2^-8 * n of n: from n = 257 on, 0 and numbers below it conform
exp of one element             within some steps: no such number
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil

from sonnx_verify.conformance.inputs.trial import instead, slots
from sonnx_verify.conformance.oracles.expectation import Demand
from sonnx_verify.conformance.runs.bench import Observation
from sonnx_verify.conformance.runs.type_run import TypeRun
from sonnx_verify.logic import floats
from sonnx_verify.logic.sorts import FloatSort
from sonnx_verify.results.concrete import Assignment, ConcreteTensor, numel
from sonnx_verify.solving.inputs.inputs import interpretation
from sonnx_verify.solving.inputs.reached import reach_of
from sonnx_verify.solving.inputs.replay import on_input

_ALIKE = Fraction(1, 16)
_POINTS = 3
"""The numbers of elements that a line is drawn through; the last shows that it is one."""


def says_nothing_from(run: TypeRun) -> int | None:
    """About how many input elements of one sign there are when a result of the other sign conforms; None if the bound
    does not grow with each element nearly alike, and without a bound."""
    sort = run.points.context.element
    # Real numbers and integers are not rounded.
    if not isinstance(sort, FloatSort) or not run.bench.meaning.reaches:
        return None
    found: dict[int, Fraction] = {}
    for seen in run.small:
        if len(found) == _POINTS:
            break
        for count, ratio in _ratios(run, sort, seen, known=found):
            found[count] = ratio
    if len(found) == _POINTS - 1:
        # One element is not rounded: a family of inputs has no other number that is small.
        found[1] = Fraction(0)
    if len(found) < _POINTS:
        return None
    (first, low), (second, middle), (third, high) = sorted(found.items())
    slopes = (middle - low) / (second - first), (high - middle) / (third - second)
    # A bound that grows otherwise reaches 1 elsewhere. That of a mean has the rounding of the division in it.
    if min(slopes) <= 0 or abs(slopes[0] - slopes[1]) > _ALIKE * slopes[1]:
        return None
    return third + ceil((1 - high) / slopes[1])


def _ratios(
    run: TypeRun, sort: FloatSort, seen: Observation, known: dict[int, Fraction]
) -> Iterator[tuple[int, Fraction]]:
    """The bound by the exact value, of ones in the place of all elements, with their number."""
    outputs = seen.expected.outputs
    if seen.expected.kind is not Demand.RESULT or seen.expected.any_shape or not seen.expected.members:
        return
    if any(numel(tensor.shape) != 1 for tensor in outputs.values()):
        return
    meaning, assignment = run.bench.meaning, _of_ones(run, sort, seen.trial.assignment)
    count = sum(numel(t.shape) for slot, t in slots(meaning, assignment) if slot[0].type_variable)
    if count < 2 or count in known:
        return
    expected = run.bench.oracle.expected(assignment)
    if expected.kind is not Demand.RESULT:
        return
    there, facts = on_input(meaning, assignment), interpretation(meaning.given, assignment)
    for name, tensor in expected.outputs.items():
        if name in there.reaches:
            reach = reach_of(there, name, tensor)(facts, (0,) * len(tensor.shape))
            if reach is not None and reach.ratio is not None:
                yield count, reach.ratio


def _of_ones(run: TypeRun, sort: FloatSort, assignment: Assignment) -> Assignment:
    one = floats.round_to_nearest(sort, Fraction(1))
    for slot, tensor in slots(run.bench.meaning, assignment):
        if tensor.sort == sort:
            assignment = instead(assignment, slot, ConcreteTensor(sort, tensor.shape, (one,) * numel(tensor.shape)))
    return assignment
