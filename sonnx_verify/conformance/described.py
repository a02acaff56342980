"""A difference in words and as JSON."""

from __future__ import annotations

from typing import Any

from sonnx_verify.conformance.bench import Bench, Seen
from sonnx_verify.conformance.calls import Array, Got
from sonnx_verify.conformance.compare import Finding, elements_of
from sonnx_verify.conformance.expected import OPEN, REJECTED, Expected
from sonnx_verify.conformance.models import attributes_of, inputs_of
from sonnx_verify.conformance.record import Divergence
from sonnx_verify.conformance.repro import repro
from sonnx_verify.conformance.signature import shape_words
from sonnx_verify.conformance.target import Target
from sonnx_verify.language.files import Unit
from sonnx_verify.logic.sorts import ELEMENT_TYPES
from sonnx_verify.results.concrete import LEFT_OUT, ConcreteTensor
from sonnx_verify.results.values import attribute_json, tensor_json

TITLES = {
    "nan-lost": "a NaN is lost",
    "nan-made": "a NaN comes out where none belongs",
    "nan-payload": "a NaN has other bits",
    "zero-sign": "a zero has the wrong sign",
    "value": "a wrong value",
    "shape": "a wrong shape",
    "type": "a wrong element type",
    "number-of-outputs": "a wrong number of outputs",
    "no-result": "what it returns is no array",
    "refuses": "a valid input is refused",
    "accepts": "a result where {cause} excludes the input",
    "changes-input": "an input is written to",
    "crash": "the process crashes",
    "hang": "no answer in time",
    "memory": "it asks for more memory than there is",
}


def described(bench: Bench, unit: Unit, target: Target, finding: Finding, seen: Seen, mark: object) -> Divergence:
    """The difference, with an identity that `identified` completes."""
    meaning, assignment = bench.meaning, seen.trial.assignment
    tensors = inputs_of(meaning, assignment)
    kind = f"{finding.kind}-{finding.cause}" if finding.cause else finding.kind
    given = attributes_of(meaning, assignment)
    omitted = [v.name for v in meaning.given if v.role != "absent" and assignment.get(v.name) is LEFT_OUT]
    return Divergence(
        id=f"{kind}/{shape_words(meaning, seen)}",
        kind=finding.kind,
        title=_title(bench, finding, seen),
        types=(),
        inputs={name: tensor_json(t) for name, t in tensors if t is not None},
        attributes={v.name: attribute_json(v.sort.name, value) for v, value in given},
        omitted=tuple(omitted),
        expected=_expected(seen.expected),
        got=_got(bench, seen.got),
        repro=repro(bench, unit, target, seen),
        presentation=seen.trial.presentation.words,
        signature=mark,
    )


def _title(bench: Bench, finding: Finding, seen: Seen) -> str:
    title = TITLES[finding.kind].format(cause=finding.cause)
    clauses = {s.tag: s.clause.title for s in (*bench.meaning.constraints, *bench.meaning.errors)}
    if finding.kind == "accepts" and clauses.get(finding.cause):
        title += f" ({clauses[finding.cause]})"
    shown = seen.trial.presentation.words
    return f"{title}, with arrays {shown}" if shown else title


def _expected(expected: Expected) -> Any:
    if expected.kind == REJECTED:
        return {"outcome": "rejected", "clauses": list(expected.tags)}
    if expected.kind == OPEN:
        return {"outcome": "open"}
    made: dict[str, Any] = {"outcome": "result"}
    made["outputs"] = {name: tensor_json(t) for name, t in expected.outputs.items()}
    if expected.members:
        made["representative"] = sorted(expected.members)
    if expected.unspecified:
        made["unspecified"] = {n: [list(p) for p in sorted(places)] for n, places in expected.unspecified.items()}
    return made


def _got(bench: Bench, got: Got) -> Any:
    made: dict[str, Any] = {"outcome": got.kind}
    if got.kind == "result":
        names = [v.name for v in bench.meaning.outputs]
        rows = zip(names, got.outputs, strict=False)
        made["outputs"] = {name: array_json(a) for name, a in rows if a is not None}
    if got.said:
        made["said"] = got.said
    if got.changed:
        made["changed"] = list(got.changed)
    return made


def array_json(array: Array) -> Any:
    """An array of a target, bit for bit; of a type that specifications have not, type and sizes alone."""
    tensor = tensor_of(array)
    return {"dtype": array.dtype, "shape": list(array.shape)} if tensor is None else tensor_json(tensor)


def tensor_of(array: Array) -> ConcreteTensor | None:
    """An array as a tensor, NaNs with their own bits; None of a type that specifications have not."""
    sort = ELEMENT_TYPES.get(array.dtype)
    if sort is None or array.dtype == "real":
        return None
    return ConcreteTensor(sort, array.shape, tuple(elements_of(array, sort)))
