"""A difference in words and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from sonnx_verify.conformance.inputs.trial import slots
from sonnx_verify.conformance.judgement.conformance import Divergence, Outside
from sonnx_verify.conformance.judgement.reproduction import repro
from sonnx_verify.conformance.oracles.comparison import Finding, Kind, differing, place_in, tensor_of
from sonnx_verify.conformance.oracles.expectation import Demand, Expected
from sonnx_verify.conformance.oracles.sets import beside
from sonnx_verify.conformance.runs.bench import Bench, Observation
from sonnx_verify.conformance.targets.calls import Array, Ending, Response
from sonnx_verify.conformance.targets.models import asked_outputs, attributes_of, given_inputs
from sonnx_verify.conformance.targets.target import Target
from sonnx_verify.kernel.variables import VariableRole
from sonnx_verify.language.files import Unit
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.logic import floats
from sonnx_verify.logic.evaluator_values import stripped
from sonnx_verify.logic.sorts import FloatSort
from sonnx_verify.results.concrete import LEFT_OUT, Assignment, ConcreteTensor
from sonnx_verify.results.values import attribute_json, tensor_json
from sonnx_verify.results.written import plain
from sonnx_verify.solving.check.telling import value_of
from sonnx_verify.solving.inputs.inputs import interpretation
from sonnx_verify.solving.inputs.reached import Reached, reach_of
from sonnx_verify.solving.inputs.replay import on_input


def outside(meaning: Meaning, finding: Finding, seen: Observation) -> Outside | None:
    """The first element with the finding that should be in a set `within` something; None without one."""
    # Not trusted: comparison.py has judged that the element is in none; this says by how much.
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


_SMALL = 2
"""Sizes above are all the same in an identity."""
TITLES = {
    Kind.NAN_LOST: "missing NaN",
    Kind.NAN_MADE: "spurious NaN",
    Kind.NAN_PAYLOAD: "NaN with different bits",
    Kind.ZERO_SIGN: "zero with the wrong sign",
    Kind.VALUE: "wrong value",
    Kind.SHAPE: "wrong shape",
    Kind.TYPE: "wrong element type",
    Kind.OUTPUTS: "wrong number of outputs",
    Kind.NO_RESULT: "result that is not an array",
    Kind.REFUSES: "refuses a valid input",
    Kind.ACCEPTS: "accepts input that {cause} rejects",
    Kind.CHANGES_INPUT: "modifies an input",
    Kind.CRASH: "crash",
    Kind.HANG: "timeout",
    Kind.MEMORY: "out of memory",
    Kind.DECLARED_TYPE: "gives another element type than the model declares",
    Kind.INVALID_CALL: "accepts an invalid call",
    Kind.FOREIGN: "returns memory that the call does not own",
}


def shape_words(meaning: Meaning, seen: Observation) -> str:
    """The sizes of the inputs in an identity: `2x1+scalar`."""
    # The same divergence may be found at size 9 of one type and at size 17 of another.
    names = {size: str(size) for size in range(_SMALL + 1)}
    tensors = [tensor for _, tensor in slots(meaning, seen.trial.assignment)]
    made = ["x".join(names.get(size, "n") for size in tensor.shape) or "scalar" for tensor in tensors]
    return "+".join(made) or "nothing"


def described(
    bench: Bench, unit: Unit, target: Target, finding: Finding, seen: Observation, mark: object
) -> Divergence:
    """The difference, with an identity that `identified` completes."""
    meaning, assignment = bench.meaning, seen.trial.assignment
    identity = "-".join(filter(None, (finding.kind, finding.cause)))
    shown = outside(meaning, finding, seen)
    return Divergence(
        id=f"{identity}/{shape_words(meaning, seen)}",
        kind=finding.kind,
        title=_title(bench, finding, seen),
        # `merged` puts the types in: one divergence may be of several.
        types=(),
        inputs=inputs_json(meaning, assignment),
        attributes=attributes_json(meaning, assignment),
        omitted=omitted_in(meaning, assignment),
        expected=_expected(seen.expected),
        got=answer_json(bench, seen.trial.assignment, seen.got),
        repro=repro(bench, unit, target, seen),
        presentation=seen.trial.presentation.words or None,
        outside=shown,
        signature=mark,
    )


def inputs_json(meaning: Meaning, assignment: Assignment) -> dict[str, Any]:
    """The tensors of an input by name."""
    made: dict[str, Any] = plain({name: tensor_json(t) for name, t in given_inputs(meaning, assignment)})
    return made


def attributes_json(meaning: Meaning, assignment: Assignment) -> dict[str, Any]:
    """The attributes of an input by name."""
    found = {v.name: attribute_json(value_of(v, value)) for v, value in attributes_of(meaning, assignment)}
    made: dict[str, Any] = plain(found)
    return made


def omitted_in(meaning: Meaning, assignment: Assignment) -> tuple[str, ...]:
    """The names of the omitted inputs and attributes."""
    # A variable may stand for an input that the operator is applied without: it is not part of the input.
    declared = [v.name for v in meaning.given if v.role is not VariableRole.ABSENT]
    return tuple(name for name in declared if assignment.get(name) is LEFT_OUT)


def _title(bench: Bench, finding: Finding, seen: Observation) -> str:
    title = TITLES[finding.kind].format(cause=finding.cause)
    clauses = {s.tag: s.clause.title for s in (*bench.meaning.constraints, *bench.meaning.errors)}
    # The cause is a clause only if the input should have been rejected.
    if finding.kind is Kind.ACCEPTS and clauses.get(finding.cause):
        title += f" ({clauses[finding.cause]})"
    if finding.kind is Kind.FOREIGN and finding.cause:
        title += f", for input that {finding.cause} rejects"
    if finding.kind is not Kind.FOREIGN and seen.got.varies:
        title += f" ({TITLES[Kind.FOREIGN]})"
    if shown := seen.trial.presentation.words:
        title += f" (arrays: {shown})"
    return title


def _expected(expected: Expected) -> Any:
    if expected.kind is Demand.REJECTED:
        return {"outcome": "rejected", "clauses": list(expected.tags)}
    if expected.kind is Demand.OPEN:
        return {"outcome": "open"}
    made: dict[str, Any] = {"outcome": "result"}
    made["outputs"] = plain({name: tensor_json(t) for name, t in expected.outputs.items()})
    # These outputs have other right results: the one shown must not be read as the only one.
    if several := sorted(name for name in expected.members if _has_others(expected, name)):
        made["representative"] = several
    if expected.unspecified:
        made["unspecified"] = {n: [list(p) for p in sorted(places)] for n, places in expected.unspecified.items()}
    return made


def _has_others(expected: Expected, name: str) -> bool:
    """Return whether the declared set of an output has another member anywhere: a sum of one element has none."""
    tensor, member = expected.outputs[name], expected.members[name]
    free = expected.unspecified.get(name, frozenset())
    for n, element in enumerate(tensor.elements):
        place = place_in(tensor.shape, n)
        others = beside(tensor.sort, element, partial(member, place), place)
        # NaN is one value: payloads are no members.
        if place not in free and others is not None and others.any != "NaN":
            return True
    return False


def answer_json(bench: Bench, assignment: Assignment, got: Response) -> dict[str, Any]:
    """The answer of a target to a call that was made from this input."""
    made: dict[str, Any] = {"outcome": got.kind}
    if got.kind is Ending.RESULT:
        names = [v.name for v in asked_outputs(bench.meaning, assignment)]
        # The number of outputs may be wrong: show those that have a name.
        rows = zip(names, got.outputs, strict=False)
        made["outputs"] = {name: array_json(a) for name, a in rows if a is not None}
    if got.said:
        made["said"] = got.said
    if got.changed:
        made["changed"] = list(got.changed)
    if got.varies:
        names = [v.name for v in asked_outputs(bench.meaning, assignment)]
        made["varies"] = _varying(names, got)
    return made


def _varying(names: Sequence[str], got: Response) -> dict[str, list[list[int]]]:
    """The indices of the elements that depend on memory that nobody wrote, by output."""
    rows = zip(names, got.outputs, got.varies, strict=False)
    return {name: [list(place_in(a.shape, n)) for n in numbers] for name, a, numbers in rows if a is not None}


def array_json(array: Array) -> Any:
    """An array of a target, bit for bit; only type and shape if specifications lack the type."""
    tensor = tensor_of(array)
    if tensor is None:
        return {"dtype": array.dtype, "shape": list(array.shape)}
    return plain(tensor_json(tensor))
