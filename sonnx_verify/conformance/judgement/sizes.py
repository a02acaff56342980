"""The error of a target by size: seeded inputs with ever more elements for each element of the result.

In go an operator, a choice of types and a target that has begun; out come the errors of each output by classes of
sizes. Figures, not verdicts: nothing is judged by them, and these inputs are no tests.

The exact values are those of accuracy.py, computed on arrays: the reference evaluator would take minutes for them.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil

import numpy as np

from sonnx_verify.arrays.evaluator.loops import NoProgram
from sonnx_verify.arrays.evaluator.results import Result
from sonnx_verify.arrays.partial.walk import Open
from sonnx_verify.conformance.inputs.points import Input, Points
from sonnx_verify.conformance.inputs.random_inputs import broadcast
from sonnx_verify.conformance.inputs.seeds import Elements, seeded
from sonnx_verify.conformance.inputs.small_inputs import results
from sonnx_verify.conformance.judgement.accuracy import Element, Errors, Seed, error_of, exact_term, figures_of
from sonnx_verify.conformance.judgement.conformance import AtSize
from sonnx_verify.conformance.oracles.array_oracle import ArrayOracle
from sonnx_verify.conformance.oracles.comparison import elements_of, place_in
from sonnx_verify.conformance.runs.bench import DEATHS
from sonnx_verify.conformance.targets.calls import Array, Ending, Presentation
from sonnx_verify.conformance.targets.models import Models, asked_outputs
from sonnx_verify.conformance.targets.target import Runner
from sonnx_verify.kernel.variables import VariableRole
from sonnx_verify.logic import floats
from sonnx_verify.logic.evaluator_values import Undefined
from sonnx_verify.logic.sorts import FloatSort
from sonnx_verify.results.concrete import ConcreteTensor, numel
from sonnx_verify.solving.inputs.arguments import from_array

ENDS = (8, 100, 1000, 10_000)
"""The upper ends of the classes of sizes: elements of the inputs for each element of the outputs, rounded up."""
MOST_INPUTS = 40
"""The most inputs of a class, for each choice of types."""
MOST_READ, MOST_MADE = 120_000, 600
"""The numbers of elements of inputs and of outputs either of which is enough for a class."""
_LARGEST = 20_000
"""The most elements of an axis, or of two that lie side by side."""
_WAYS = (Elements.FRACTIONS, Elements.MAGNITUDES, Elements.SPREAD)
_TRIES = 60
"""The number of inputs that are drawn for one of a class."""
_STRUCTURES = 400


@dataclass(frozen=True, slots=True)
class SeededInput:
    """An input, with the seeds of its tensors by their names."""

    assignment: Input
    seeds: Mapping[str, Seed]


@dataclass(frozen=True, slots=True)
class BySize:
    """Measures a target on inputs of each class of sizes, for one choice of types. `pool` are valid inputs of any
    size."""

    points: Points
    oracle: ArrayOracle
    models: Models
    runner: Runner
    pool: Sequence[Input]

    @classmethod
    def on(cls, points: Points, oracle: ArrayOracle, models: Models, runner: Runner) -> BySize:
        """The measurement, with the small inputs that the specification has."""
        pool = [one for one in points.choices.inputs(_STRUCTURES) if points.judge(one).valid]
        return cls(points, oracle, models, runner, pool)

    def of(self, types: str, seed: int, count: int) -> dict[str, tuple[AtSize, ...]]:
        """The errors of each output by size, on at most `count` inputs of each class, drawn with the seed. A class
        without an element is not there."""
        found: dict[str, list[AtSize]] = {}
        least = 0
        for most in ENDS:
            measured = self._measured(random.Random(f"{seed} {types} {most}"), least, most, min(count, MOST_INPUTS))
            for name, errors in measured.items():
                row = AtSize(least=least, most=most, **figures_of(self.models.meaning, errors))
                if row.measured or row.not_finite or row.open or row.undecided:
                    found.setdefault(name, []).append(row)
            least = most + 1
        return {name: tuple(rows) for name, rows in found.items()}

    def _measured(self, draws: random.Random, least: int, most: int, count: int) -> dict[str, Errors]:
        measured: dict[str, Errors] = {}
        read = made = 0
        for drawn in self._inputs(draws, least, most, count):
            got = self.runner.run(self.models.call(drawn.assignment, Presentation()))
            # What ends the process has ended it in the tests before, and each time a new one has to begin.
            if got.kind in DEATHS:
                break
            if got.kind is not Ending.RESULT:
                continue
            wanted = self.oracle.results(drawn.assignment) or ()
            by_name = {result.name: result for result in wanted}
            outputs = [v.name for v in asked_outputs(self.models.meaning, drawn.assignment)]
            for name, array in zip(outputs, got.outputs, strict=False):
                if array is not None and name in by_name:
                    _look(measured, drawn, by_name[name], array)
            read += _read(self.points, drawn.assignment)
            made += sum(result.value.size for result in wanted)
            if read >= MOST_READ or made >= MOST_MADE:
                break
        return measured

    def _inputs(self, draws: random.Random, least: int, most: int, count: int) -> Iterator[SeededInput]:
        if not self.pool:
            return
        for _ in range(count):
            drawn = _drawn(self.points, draws, self.pool, least, most)
            # Many operators have no inputs of a class: one that has only four elements for a result is not asked twice.
            if drawn is None:
                return
            yield drawn


def size_of(points: Points, assignment: Input) -> int:
    """The elements of the inputs for each element of the outputs, rounded up; 0 without a result."""
    made = results(points, assignment)
    if not made:
        return 0
    return ceil(_read(points, assignment) / made)


def _read(points: Points, assignment: Input) -> int:
    """The number of elements of the inputs."""
    return sum(numel(tensor.shape) for _, _, tensor in points.elements(assignment))


def _drawn(points: Points, draws: random.Random, pool: Sequence[Input], least: int, most: int) -> SeededInput | None:
    """A valid input of the class: one that is known, or a random one, with other sizes and seeded elements."""
    optional = [v.name for v in points.meaning.given if v.optional and v.role is not VariableRole.ABSENT]
    for _ in range(_TRIES):
        absent = frozenset(name for name in optional if draws.random() < 0.4)
        base = draws.choice(pool)
        if draws.random() < 0.5:
            base = points.choices.drawn(draws, absent)
        made = _shaped(points, draws, base, _shape(draws, least, most))
        # Elements take the time, and most inputs are of another class.
        if not least <= size_of(points, made) <= most:
            continue
        drawn = _filled(points, draws, made)
        judged = points.judge(drawn.assignment)
        if judged.declared and judged.valid:
            return drawn
    return None


def _shape(draws: random.Random, least: int, most: int) -> tuple[int, ...]:
    """A shape one of whose axes, or two that lie side by side, have a size of the class; beside them there is another
    one, or none."""
    # By powers: as many near the lower end as near the upper one.
    size = round(max(1, least) * (most / max(1, least)) ** draws.random())
    beside = draws.randrange(1, max(2, min(64, _LARGEST // size)))
    first = draws.randrange(1, 9)
    match draws.randrange(5):
        case 0:
            return (size,)
        case 1:
            return (beside, size)
        case 2:
            return (size, beside)
        case 3:
            return (first, beside, ceil(size / first))
        case _:
            return (beside, first, ceil(size / first))


def _shaped(points: Points, draws: random.Random, base: Input, shape: tuple[int, ...]) -> Input:
    """The input with tensors of the shape, which have no elements yet; those after the first may broadcast to it."""
    made = dict(base)
    count = 0
    for variable in points.data:
        if variable.name in points.choices.structural:
            continue
        value = base[variable.name]
        members = value if isinstance(value, tuple) else (value,)
        found: list[object] = []
        for member in members:
            if isinstance(member, ConcreteTensor):
                own = shape
                if count and draws.random() < 0.3:
                    own = broadcast(draws, shape)
                member = replace(member, shape=own, elements=())
                count += 1
            found.append(member)
        made[variable.name] = tuple(found) if isinstance(value, tuple) else found[0]
    return made


def _filled(points: Points, draws: random.Random, base: Input) -> SeededInput:
    """The input with elements that follow from seeds."""
    way, number = draws.choice(_WAYS), draws.randrange(1 << 16)
    made = dict(base)
    seeds: dict[str, Seed] = {}
    for declared, name, tensor in points.elements(base):
        if declared in points.choices.structural:
            continue
        own = way if isinstance(tensor.sort, FloatSort) else Elements.BITS
        seed = seeds[name] = Seed(own, number + len(seeds))
        filled = seeded(tensor.sort, tensor.shape, own, seed.number)
        value = made[declared]
        if isinstance(value, tuple):
            # By identity: members that are alike are each filled.
            value = tuple(filled if member is tensor else member for member in value)
            made[declared] = value
        else:
            made[declared] = filled
    return SeededInput(made, seeds)


def _look(measured: dict[str, Errors], drawn: SeededInput, wanted: Result, array: Array) -> None:
    """Measure the elements of one output, if it has the right type and shape."""
    variable = next(v for v in wanted.meaning.outputs if v.name == wanted.name)
    sort, shape = variable.sort, wanted.value.shape
    if not isinstance(sort, FloatSort) or (array.dtype, array.shape) != (sort.name, shape):
        return
    if not wanted.value.size:
        return
    errors = measured.setdefault(wanted.name, Errors(sort))
    try:
        exact = wanted.reals(exact_term).reshape(-1)
        open_ = np.logical_or(wanted.every, wanted.unspecified).reshape(-1)
    except (NoProgram, Open, Undefined):
        # What has no program on arrays is told, and not measured.
        errors.undecided += wanted.value.size
        return
    own = from_array(wanted.name, wanted.value, sort).elements
    rows = zip(own, elements_of(array, sort), exact, open_, strict=True)
    for n, (one, other, value, is_open) in enumerate(rows):
        assert isinstance(one, int)
        element = Element(place_in(shape, n), one, other)
        if is_open:
            errors.unconstrained += 1
        elif not (floats.is_finite(sort, one) and floats.is_finite(sort, other)):
            errors.not_finite += 1
            errors.differing += not _conforms(wanted, array, n)
        else:
            try:
                errors.add(error_of(sort, drawn.assignment, element, value, drawn.seeds))
            except Undefined:
                errors.undecided += 1


def _conforms(wanted: Result, array: Array, n: int) -> bool:
    """Return whether an element of the target is one that the specification allows."""
    given = np.frombuffer(array.data, wanted.value.dtype).reshape(array.shape)
    return bool(wanted.conforms(given).reshape(-1)[n])
