"""Large vectors: not their bytes, but the seeds that these follow from, with the hashes of inputs and outputs.

A small valid input is made large: each axis gets a prime length of its own, or, where clauses relate sizes, all grow by
one factor. Its elements follow from seeds (`inputs/seeds.py`). The outputs are those of the numpy evaluator, with the
exact value rounded where a set of results is one around an exact value, so that they too are the same on every machine.
What no runner could compare with one array is left out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any

import msgspec
import numpy as np

from sonnx_verify.arrays.evaluator.operator import Operator
from sonnx_verify.arrays.evaluator.results import Result
from sonnx_verify.conformance.inputs.contexts import every_context
from sonnx_verify.conformance.inputs.points import Input, Points
from sonnx_verify.conformance.inputs.seeds import GENERATOR, Elements, seeded
from sonnx_verify.conformance.inputs.trial import family_items
from sonnx_verify.conformance.oracles.comparison import place_in
from sonnx_verify.conformance.oracles.sets import Allowed
from sonnx_verify.conformance.targets.models import (
    NodeTests,
    asked_outputs,
    attributes_of,
    given_inputs,
    inputs_of,
    plain_attribute,
)
from sonnx_verify.conformance.vectors.large_inputs import large_inputs
from sonnx_verify.conformance.vectors.node_tests import ROWS, Folder, types_of
from sonnx_verify.conformance.vectors.tolerance import Tolerance, tolerance_of
from sonnx_verify.errors import NoResult, UsageError, UserError
from sonnx_verify.language.context import Context
from sonnx_verify.language.files import Unit
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.named import find_operator
from sonnx_verify.language.project import Project
from sonnx_verify.logic import floats
from sonnx_verify.logic.sorts import BOOL, ELEMENT_TYPES, FloatSort, IntegerSort, Sort
from sonnx_verify.results.concrete import ConcreteTensor, numel
from sonnx_verify.results.values import element_json
from sonnx_verify.results.written import json_text
from sonnx_verify.solving.inputs.arguments import from_array, to_array
from sonnx_verify.solving.inputs.replay import Outcome, assignment_of, on_input
from sonnx_verify.solving.inputs.values import infinities
from sonnx_verify.stores.folder import INDEX, sealed
from sonnx_verify.version import TOOL

LARGE = "large.json"
"""The file of large vectors."""
_MOST_STEPS = 1 << 20
"""The steps beyond which the end of a set is not looked for."""
READ = 1 << 26
"""The most elements of a tensor that a file may ask for."""


class Tensor(msgspec.Struct, omit_defaults=True):
    """A tensor of a case: by a seed and the way from its words to elements, or by its values; an output by its hash
    alone. `bytes_sha256` is that of the elements in row-major order, little-endian."""

    name: str
    type: str
    shape: list[Annotated[int, msgspec.Meta(ge=0, le=READ)]]
    bytes_sha256: str
    elements: Elements | None = None
    seed: Annotated[int, msgspec.Meta(ge=0, le=(1 << 63) - 1)] | None = None
    values: list[bool | int | float | str] | None = None


class LargeCase(msgspec.Struct):
    """A large vector."""

    name: str
    folder: str
    types: dict[str, str]
    tolerance: dict[str, float]
    attributes: dict[str, int | float | str | list[int | float | str]]
    inputs: list[Tensor]
    outputs: list[Tensor]


class LargeFile(msgspec.Struct):
    """A file of large vectors of one text."""

    tool: dict[str, str]
    operator: str
    version: int
    text: str | None
    generator: str
    cases: list[LargeCase]


@dataclass(frozen=True, slots=True)
class LargeOutputs:
    """The outputs of a large input, and how a runner compares them."""

    outputs: dict[str, ConcreteTensor]
    tolerance: Tolerance


# ----------------------------------------------------------------------------------------------------------- describing


def described(project: Project, unit: Unit, chosen: Iterable[Context]) -> bytes:
    """The file of the large vectors of these sections and types."""
    assert unit.file is not None
    assert unit.file.version is not None
    operator = Operator(project, unit)
    cases = [case for context in chosen for case in _cases(project, unit, context, operator)]
    name = f"{unit.namespace}.{unit.file.name}"
    made = LargeFile(TOOL, name, unit.file.version, unit.text or None, GENERATOR, cases)
    return json_text(made).encode()


def _cases(project: Project, unit: Unit, context: Context, operator: Operator) -> Iterator[LargeCase]:
    assert unit.file is not None
    points = Points(project, unit, context)
    types = types_of(context)
    named = "_".join(["test", unit.file.name.lower(), *types.values(), "large"])
    number, seed = 0, 0
    for large in large_inputs(points):
        for way in _ways(points, large):
            seeds: dict[str, int] = {}
            for _, name, _ in points.elements(large):
                seed += 1
                seeds[name] = seed
            made = _filled(points, large, way, seeds)
            expected = expected_of(operator, points.meaning, made)
            if expected is None:
                continue
            number += 1
            yield _described(points, f"{named}_{number:02}_{way.value}", types, made, (way, seeds), expected)


def _described(
    points: Points,
    name: str,
    types: dict[str, str],
    made: Input,
    elements: tuple[Elements, dict[str, int]],
    expected: LargeOutputs,
) -> LargeCase:
    way, seeds = elements
    meaning = points.meaning
    inputs = []
    for input_, tensor in given_inputs(meaning, made):
        row = _tensor(input_, tensor)
        if input_ in seeds:
            row.elements, row.seed = way, seeds[input_]
        else:
            row.values = [_plain(tensor.sort, value) for value in tensor.elements]
        inputs.append(row)
    numbers = {"rtol": expected.tolerance.rtol, "atol": expected.tolerance.atol}
    folder = Folder.EXACT if expected.tolerance.is_exact else Folder.TOLERANCE
    attributes = {v.name: plain_attribute(v.sort, value) for v, value in attributes_of(meaning, made)}
    outputs = [_tensor(output, tensor) for output, tensor in expected.outputs.items()]
    return LargeCase(name, folder.value, types, numbers, attributes, inputs, outputs)


def _tensor(name: str, tensor: ConcreteTensor) -> Tensor:
    return Tensor(name, tensor.sort.name, list(tensor.shape), _hash(tensor))


def _hash(tensor: ConcreteTensor) -> str:
    array = to_array(tensor)
    return hashlib.sha256(array.astype(array.dtype.newbyteorder("<")).tobytes()).hexdigest()


def _plain(sort: Sort, value: object) -> bool | int | float | str:
    if sort == BOOL:
        return bool(value)
    return element_json(sort.name, value)


def _ways(points: Points, large: Input) -> list[Elements]:
    if any(isinstance(tensor.sort, FloatSort) for _, _, tensor in points.elements(large)):
        return [Elements.BITS, Elements.FRACTIONS]
    return [Elements.BITS]


def _filled(points: Points, large: Input, way: Elements, seeds: dict[str, int]) -> Input:
    """The input with the elements of these seeds, by the names of its tensors."""
    made = dict(large)
    for variable in points.data:
        value = large[variable.name]
        if isinstance(value, ConcreteTensor):
            made[variable.name] = seeded(value.sort, value.shape, way, seeds[variable.name])
        elif family := family_items(value):
            members = enumerate(family, variable.base)
            made[variable.name] = tuple(
                seeded(item.sort, item.shape, way, seeds[f"{variable.name}{n}"]) for n, item in members
            )
    return made


# -------------------------------------------------------------------------------------------------------- large outputs


def expected_of(operator: Operator, meaning: Meaning, assignment: Input) -> LargeOutputs | None:
    """The outputs, and the tolerances that admit all that conform; None where no runner could compare them."""
    arrays = [None if tensor is None else to_array(tensor) for _, tensor in inputs_of(meaning, assignment)]
    attributes = {v.name: plain_attribute(v.sort, value) for v, value in attributes_of(meaning, assignment)}
    try:
        made = operator.results(*arrays, **attributes)
    except NoResult:
        return None
    results: tuple[Result, ...] = made if isinstance(made, tuple) else (made,)
    every = [v.name for v in on_input(meaning, assignment).outputs]
    asked = {v.name for v in asked_outputs(meaning, assignment)}
    outputs: dict[str, ConcreteTensor] = {}
    several: dict[str, list[Allowed]] = {}
    for name, result in zip(every, results, strict=True):
        if name not in asked:
            continue
        found = _sets(name, result)
        if found is None:
            return None
        outputs[name], several[name] = found
    tolerance = tolerance_of(outputs, several, {})
    if tolerance is None:
        return None
    return LargeOutputs(outputs, tolerance)


def _sets(name: str, result: Result) -> tuple[ConcreteTensor, list[Allowed]] | None:
    """The output as it is written, and the sets at its indices; None where something is open, or is not known."""
    if np.any(result.unspecified) or np.any(result.every):
        return None
    if result.name not in result.meaning.members:
        return from_array(name, result.value), []
    value = from_array(name, result.value)
    sort = value.sort
    if not isinstance(sort, FloatSort):
        return None
    elements: list[int] = np.asarray(to_array(value)).reshape(-1).view(f"u{sort.width // 8}").tolist()
    lowest, greatest = list(elements), list(elements)
    # Steps have no one distance. The element that is computed is then the middle one.
    if np.any(np.isnan(result.bound)):
        lowest, greatest = (_farthest(result, sort, elements, step) for step in (-1, 1))
    near, bound, exact = (np.asarray(part).reshape(-1).tolist() for part in result.around)
    for n in range(len(elements)):
        if not near[n]:
            continue
        # Of an irrational value the distance is no fraction: such sets are left out.
        if not isinstance(exact[n], Fraction) or not isinstance(bound[n], Fraction):
            return None
        elements[n] = floats.round_to_nearest(sort, exact[n])
        lowest[n] = _within(sort, exact[n] - bound[n], 1)
        greatest[n] = _within(sort, exact[n] + bound[n], -1)
    tensors = [ConcreteTensor(sort, value.shape, tuple(e)) for e in (elements, lowest, greatest)]
    # A set may be cut to a range, or be another one than its exact value says: all three are asked of the text.
    if not all(np.all(result.conforms(to_array(tensor))) for tensor in tensors):
        return None
    ends = [(n, low, high) for n, (low, high) in enumerate(zip(lowest, greatest, strict=True)) if low != high]
    return tensors[0], [Allowed(place_in(value.shape, n), "", low, high) for n, low, high in ends]


def _farthest(result: Result, sort: FloatSort, elements: list[int], step: int) -> list[int]:
    """For each element the last float in one direction that conforms, by steps that double, then halve."""
    starts = [None if floats.is_nan(sort, e) else floats.ordinal(sort, e) for e in elements]
    inside = [0] * len(elements)
    last = max(floats.ordinal(sort, end) for end in (floats.greatest(sort), *infinities(sort)))

    def at(n: int, steps: int) -> int:
        start = starts[n]
        if start is None or not steps:
            return elements[n]
        place = start + step * steps
        # Behind the last one there is NaN, which is no member of such a set.
        if abs(place) > last:
            return floats.nan(sort)
        return _of_ordinal(sort, place)

    def conform(steps: list[int]) -> list[bool]:
        made = ConcreteTensor(sort, result.value.shape, tuple(at(n, k) for n, k in enumerate(steps)))
        return list(np.asarray(result.conforms(to_array(made))).reshape(-1).tolist())

    far, growing = 1, [start is not None for start in starts]
    while any(growing) and far < _MOST_STEPS:
        told = conform([k + far if grows else 0 for k, grows in zip(inside, growing, strict=True)])
        growing = [grows and conforms for grows, conforms in zip(growing, told, strict=True)]
        inside = [k + far if grows else k for k, grows in zip(inside, growing, strict=True)]
        far *= 2
    while far > 1:
        far //= 2
        told = conform([k + far for k in inside])
        further = [c and s is not None for c, s in zip(told, starts, strict=True)]
        inside = [k + far if more else k for k, more in zip(inside, further, strict=True)]
    return [at(n, k) for n, k in enumerate(inside)]


def _within(sort: FloatSort, end: Fraction, step: int) -> int:
    """The outermost float that is not beyond an end; `step` is the way inward."""
    bits = floats.round_to_nearest(sort, end)
    if not floats.is_finite(sort, bits):
        return floats.greatest(sort) if end > 0 else floats.lowest(sort)
    beyond = (floats.to_fraction(sort, bits) - end) * step < 0
    if not beyond:
        return bits
    inward = floats.ordinal(sort, bits) + step
    return _of_ordinal(sort, inward)


def _of_ordinal(sort: FloatSort, ordinal: int) -> int:
    """The number at a place; both zeros have the place 0."""
    if ordinal < 0:
        return -ordinal | 1 << (sort.width - 1)
    return ordinal


# ---------------------------------------------------------------------------------------------------------- writing out


def read_large(data: bytes, name: str) -> LargeFile:
    """The file of large vectors. Raises UsageError for one that is none."""
    cure = f"make one: sonnx-verify vectors SPEC --large --out DIR, and name DIR/{LARGE}"
    try:
        found = msgspec.json.decode(data, type=LargeFile)
    except msgspec.MsgspecError as problem:
        raise UsageError(f"{name} is not a file of large vectors: {problem}", cure=cure) from None
    if found.generator != GENERATOR:
        raise UsageError(f"{name}: unknown generator `{found.generator}`", cure=f"the generator is {GENERATOR}")
    return found


def written_out(project: Project, file: LargeFile) -> dict[str, bytes]:
    """The vectors as files by their names, an index among them. Raises UserError where the texts, or the generator,
    give anything but what the file says."""
    text = f"@{file.text}" if file.text else ""
    unit = find_operator(project, f"{file.operator}-{file.version}{text}")
    operator = Operator(project, unit)
    contexts = {tuple(types_of(context).items()): context for context in every_context(unit)}
    files: dict[str, bytes] = {}
    rows = []
    for case in file.cases:
        context = contexts.get(tuple(case.types.items()))
        if context is None or case.folder not in list(Folder) or not case.name.replace("_", "").isalnum():
            raise UsageError(f"{case.name}: {unit.operator} has no such case", cure="make the file anew")
        for name, data in _files_of(project, unit, operator, project.meaning(unit, context), case).items():
            files[f"{case.folder}/{case.name}/{name}"] = data
        row = {"name": case.name, "types": case.types, "verdict": "result", "held": True, "folder": case.folder}
        rows.append({**row, "tolerance": case.tolerance})
    listed = [{"file": name, "bytes_sha256": hashlib.sha256(data).hexdigest()} for name, data in files.items()]
    index = {
        "tool": TOOL,
        "operator": file.operator,
        "version": file.version,
        "text": file.text,
        "cases": rows,
        ROWS: listed,
    }
    return files | {INDEX: sealed(index)}


def _files_of(project: Project, unit: Unit, operator: Operator, meaning: Meaning, case: LargeCase) -> dict[str, bytes]:
    given: dict[str, Any] = {}
    for tensor in case.inputs:
        given[tensor.name] = _made(case, tensor)
        _same(case, tensor, given[tensor.name])
    for name, value in case.attributes.items():
        if name not in operator.signature.attributes:
            raise UsageError(f"{case.name}: {operator.name} has no attribute `{name}`", cure="make the file anew")
        given[name] = operator.signature.attribute(name, value)
    try:
        assignment = assignment_of(meaning, given)
    except KeyError as problem:
        raise UsageError(f"{case.name}: {problem.args[0]}", cure="make the file anew") from None
    expected = expected_of(operator, meaning, assignment)
    if expected is None or list(expected.outputs) != [tensor.name for tensor in case.outputs]:
        raise UserError(f"{case.name}: {operator.name} gives no such result", cure="make the file anew")
    for tensor in case.outputs:
        _same(case, tensor, expected.outputs[tensor.name])
    tests = NodeTests(project, unit, meaning, "vector")
    files = tests.files(assignment, Outcome(outputs=expected.outputs))
    numbers = {"rtol": expected.tolerance.rtol, "atol": expected.tolerance.atol}
    if numbers != case.tolerance:
        raise UserError(f"{case.name}: the tolerances are not {case.tolerance}", cure="make the file anew")
    return {"data.json": json_text(numbers).encode(), **files}


def _made(case: LargeCase, tensor: Tensor) -> ConcreteTensor:
    """The input that the file describes."""
    sort = ELEMENT_TYPES.get(tensor.type)
    shape = tuple(tensor.shape)
    if not isinstance(sort, FloatSort | IntegerSort) and sort != BOOL:
        raise UsageError(f"{case.name}: unknown element type `{tensor.type}`", cure="make the file anew")
    if numel(shape) > READ:
        raise UsageError(f"{case.name}: `{tensor.name}` has {numel(shape)} elements", cure=f"have {READ} at most")
    if tensor.elements is not None and tensor.seed is not None:
        return seeded(sort, shape, tensor.elements, tensor.seed)
    values = tuple(_element(value) for value in tensor.values or ())
    fits = len(values) == numel(shape) and all(_fits(sort, value) for value in values)
    if not fits:
        raise UsageError(f"{case.name}: the values of `{tensor.name}` do not fit", cure="make the file anew")
    return ConcreteTensor(sort, shape, values)


def _element(value: object) -> object:
    """A value as JSON has it: integers that many readers would round are texts."""
    if isinstance(value, str) and value.removeprefix("-").isdigit():
        return int(value)
    return value


def _fits(sort: Sort, value: object) -> bool:
    if isinstance(sort, IntegerSort):
        return isinstance(value, int) and not isinstance(value, bool) and sort.lowest <= value <= sort.greatest
    return sort == BOOL and isinstance(value, bool)


def _same(case: LargeCase, tensor: Tensor, made: ConcreteTensor) -> None:
    """Raise UserError for another tensor than the file describes."""
    if (made.sort.name, list(made.shape), _hash(made)) != (tensor.type, tensor.shape, tensor.bytes_sha256):
        raise UserError(
            f"{case.name}: `{tensor.name}` is another tensor than the file was made with",
            cure="the specification or the file has changed: make the file anew",
        )
