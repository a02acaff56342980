"""What the tests of the evaluator share: operators, arrays that are hard, and what the reference evaluator says."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sonnx_verify.arrays.evaluator.known import DTYPES
from sonnx_verify.arrays.evaluator.operator import Operator
from sonnx_verify.conformance.inputs.contexts import every_context
from sonnx_verify.conformance.inputs.points import Points
from sonnx_verify.conformance.inputs.random_inputs import random_inputs
from sonnx_verify.conformance.targets.models import attributes_of, given_inputs, plain_attribute
from sonnx_verify.language.families import instances
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.project import Project
from sonnx_verify.language.syntax import Declaration
from sonnx_verify.logic import floats
from sonnx_verify.logic.evaluator import compile_term
from sonnx_verify.logic.evaluator_values import stripped
from sonnx_verify.logic.nodes import number_of
from sonnx_verify.logic.sorts import ELEMENT_TYPES, INDEX, FloatSort, IntegerSort, Sort
from sonnx_verify.logic.terms import placeholder
from sonnx_verify.results.concrete import ConcreteTensor
from sonnx_verify.solving.inputs.arguments import from_array, to_array
from sonnx_verify.solving.inputs.inputs import interpretation
from sonnx_verify.solving.inputs.replay import Outcome, assignment_of, replay
from sonnx_verify.solving.inputs.section import section_of
from sonnx_verify.solving.inputs.values import infinities

ROOT = Path(__file__).parents[2]


@cache
def library() -> Project:
    """The project's own specifications."""
    return Project.open(ROOT)


@cache
def operators() -> dict[str, Operator]:
    """Every operator under spec/, by its name."""
    found = (u for u in library().units if u.file is not None and u.file.version is not None)
    return {u.operator: Operator(library(), u) for u in found}


def types_of(operator: Operator) -> list[str]:
    """The element types of T that numpy has too."""
    assert operator.unit.file is not None
    return [t for i in instances(operator.unit.file) for t in i.types if t != "real"]


def special_values(sort: Sort) -> np.ndarray:
    """The values of a type at which something changes."""
    if isinstance(sort, FloatSort):
        one, half = floats.from_float(sort, 1.0), floats.from_float(sort, 0.5)
        patterns = [
            floats.zero(sort),
            floats.zero(sort, negative=True),
            one,
            floats.negate(sort, one),
            half,
            floats.nan(sort),
        ]
        patterns += [*infinities(sort), floats.smallest_subnormal(sort)]
        patterns += [floats.greatest(sort), floats.lowest(sort), one + 1]
        return np.array(patterns, f"u{sort.width // 8}").view(DTYPES[sort])
    if isinstance(sort, IntegerSort):
        low, high = sort.lowest, sort.greatest
        return np.array([low, low + 1, 0, 1, 2, high - 1, high, *([-1] if sort.signed else [])], DTYPES[sort])
    return np.array([False, True])


@dataclass(frozen=True)
class Case:
    """One input: arrays and attributes by their names."""

    operator: Operator
    given: dict[str, Any]

    def expected(self) -> tuple[Meaning, dict[str, Any], Outcome]:
        """What the reference evaluator says."""
        asked = {f"{d.name}.given": True for d in self.operator.unit.file.outputs if d.optional}  # type: ignore[union-attr]  # it was read
        concrete = asked | {
            n: from_array(n, v) if isinstance(v, np.ndarray) else self.operator.signature.attribute(n, v)
            for n, v in self.given.items()
        }
        context = section_of(self.operator.project, self.operator.unit, concrete)
        project = self.operator.project
        meaning = project.meaning(self.operator.unit, context)
        assignment = assignment_of(meaning, concrete)
        return meaning, assignment, replay(project, self.operator.unit, meaning, assignment, why=False)

    def differences(self) -> Iterator[str]:
        """How the evaluator differs from the reference evaluator."""
        from sonnx_verify.errors import NoResult

        meaning, assignment, outcome = self.expected()
        facts = interpretation(meaning.given, assignment)
        before = {n: v.tobytes() for n, v in self.given.items() if isinstance(v, np.ndarray)}
        try:
            made = self.operator.evaluate(**self.given)
        except NoResult as problem:
            rejected = outcome.broken or outcome.errors or outcome.undeclared or outcome.undetermined
            left_open = (meaning.unspecified_outcome, meaning.unspecified_shape)
            # What is left open need not have a value where a clause rejects the input.
            if not rejected and not any(compile_term(condition)({}, facts) for condition in left_open):
                yield f"{self}: {problem}"
            broken = [c[0].tag for c in outcome.broken] or [e.tag for e in outcome.errors]
            if broken and problem.tag != broken[0]:
                yield f"{self}: {problem.tag} for {broken[0]}"
            return
        if outcome.broken or outcome.errors or not outcome.outputs:
            yield f"{self}: a result, and {outcome}"
            return
        if before != {n: v.tobytes() for n, v in self.given.items() if isinstance(v, np.ndarray)}:
            yield f"{self}: an input was changed"
        outputs = made if isinstance(made, tuple) else (made,)
        for (name, expected), array in zip(outcome.outputs.items(), outputs, strict=True):
            wanted = to_array(expected)
            if not isinstance(array, np.ndarray) or (array.shape, array.dtype) != (wanted.shape, wanted.dtype):
                yield f"{self}: {array!r} for {wanted!r}"
            elif name in meaning.members:
                open_at = set(outcome.unspecified.get(name, []))
                yield from self._outside(meaning, facts, name, from_array(name, array), open_at)
            elif from_array(name, array).elements != expected.elements:
                yield f"{self}: {array!r} for {wanted!r}"

    def accepts(self, array: np.ndarray) -> bool:
        """Whether the reference evaluator says that the one output may be this."""
        meaning, assignment, outcome = self.expected()
        ((name, expected),) = outcome.outputs.items()
        if name not in meaning.members:
            return from_array(name, array).elements == expected.elements
        facts = interpretation(meaning.given, assignment)
        return not list(self._outside(meaning, facts, name, from_array(name, array), set()))

    def _outside(
        self, meaning: Meaning, facts: Any, name: str, made: ConcreteTensor, open_at: set[tuple[int, ...]]
    ) -> Iterator[str]:
        index, one = placeholder(INDEX), placeholder(made.sort)
        member = compile_term(meaning.members[name](index, one))
        for place, element in zip(np.ndindex(*made.shape), made.elements, strict=True):
            env = {number_of(index): stripped(place[::-1]), number_of(one): element}
            if place not in open_at and not member(env, facts):
                yield f"{self}: {element:#x} at {place} does not conform"

    def __str__(self) -> str:
        return f"{self.operator.name} {self.given}"


def is_family(operator: Operator) -> bool:
    """Whether the operator takes a family of inputs."""
    return bool(operator.signature.families)


def is_reduction(operator: Operator) -> bool:
    """Whether the operator takes the axes that it reduces."""
    return "axes" in (*operator.signature.inputs, *operator.signature.attributes) and is_known(operator, "keepdims")


def is_known(operator: Operator, attribute: str) -> bool:
    """Whether the operator has that attribute."""
    return attribute in operator.signature.attributes


def is_elementwise(operator: Operator) -> bool:
    """Whether the operator takes single tensors of elements, and no more than numbers and words beside them; of such,
    none that multiplies rows by columns, or counts steps."""
    signature = operator.signature
    of = [declaration.type.of for declaration in signature.inputs.values()]
    return (
        not signature.families
        and not {"dots", "steps"} & {use.name for use in operator.unit.file.uses}  # type: ignore[union-attr]  # it was read
        and bool(of)
        and all(t is not None and t.name in ("T", "bool") for t in of)
        and all(declaration.type.name in ("float", "string") for declaration in signature.attributes.values())
    )


def is_folded(operator: Operator) -> bool:
    """Whether the operator takes a family of tensors, and nothing else."""
    return is_family(operator) and not operator.signature.attributes and len(operator.unit.file.inputs) == 1  # type: ignore[union-attr]  # it was read


def filled(rng: np.random.Generator, sort: Sort, shape: Sequence[int]) -> np.ndarray:
    """An array of hard values, a few kinds of them at a time, so that extremes and zeros meet."""
    values = special_values(sort)
    some = rng.choice(len(values), size=min(len(values), 1 + int(rng.integers(4))), replace=False)
    return np.asarray(values[rng.choice(some, size=tuple(shape))])


def cases(operator: Operator, type_: str, rng: np.random.Generator, count: int, rank: int = 3) -> Iterator[Case]:
    """Random inputs of small shapes."""
    sort = ELEMENT_TYPES[type_]
    for _ in range(count):
        shape = rng.choice([0, 1, 1, 2, 2, 3], size=int(rng.integers(rank + 1)))
        if is_folded(operator):
            yield Case(operator, _family(operator, rng, sort, shape))
        elif is_reduction(operator):
            yield Case(operator, _reduction(operator, rng, sort, shape))
        elif is_elementwise(operator):
            yield Case(operator, _elementwise(operator, rng, sort, shape))
        else:
            yield from drawn(operator, type_, rng, 1)


def drawn(operator: Operator, type_: str, rng: np.random.Generator, count: int) -> Iterator[Case]:
    """Random inputs as `conform` draws them, of any operator, valid ones and others."""
    points = _points(operator.name, type_)
    for assignment in random_inputs(points, int(rng.integers(1 << 30)), count):
        attributes = attributes_of(points.meaning, assignment)
        given: dict[str, Any] = {v.name: plain_attribute(v.sort, value) for v, value in attributes}
        tensors = given_inputs(points.meaning, assignment)
        if not any(tensor.lacks for _, tensor in tensors):
            yield Case(operator, given | {name: to_array(tensor) for name, tensor in tensors})


@cache
def _points(name: str, type_: str) -> Points:
    unit = operators()[name].unit
    return Points(library(), unit, next(c for c in every_context(unit) if c.element.name == type_))


def _family(operator: Operator, rng: np.random.Generator, sort: Sort, shape: Any) -> dict[str, Any]:
    ((name, first),) = operator.signature.families.items()
    given = {}
    for n in range(1 + int(rng.integers(3))):
        given[f"{name}{first + n}"] = filled(rng, sort, _meeting(rng, shape))
    return given


def _meeting(rng: np.random.Generator, shape: Any) -> Sequence[int]:
    """A shape that mostly broadcasts to the given one."""
    own = np.where(rng.random(len(shape)) < 0.25, 1, shape)[int(rng.integers(2)) * int(rng.integers(2)) :]
    if rng.random() < 0.05:
        own = np.array([2, 3])
    made: list[int] = own.tolist()
    return made


WORDS = ("none", "tanh", "")
"""Values of attributes that are words."""


def _elementwise(operator: Operator, rng: np.random.Generator, sort: Sort, shape: Any) -> dict[str, Any]:
    given: dict[str, Any] = {}
    for name, declaration in operator.signature.inputs.items():
        # What may be left out is a scalar, such as the bounds of Clip.
        own = ([] if rng.random() < 0.95 else [1]) if declaration.optional else _meeting(rng, shape)
        if not declaration.optional or rng.random() < 0.7:
            given[name] = filled(rng, type_of(declaration, sort), own)
    for name, declaration in operator.signature.attributes.items():
        some: tuple[Any, ...] = (0.25, 0.0, -1.5, 1.0, np.inf)
        if declaration.type.name == "string":
            some = WORDS
        if rng.random() < 0.8:
            given[name] = some[int(rng.integers(len(some)))]
    return given


def type_of(declaration: Declaration, sort: Sort) -> Sort:
    """The element type of an input, where T is `sort`."""
    of = declaration.type.of
    return sort if of is None or of.name == "T" else ELEMENT_TYPES[of.name]


def elementwise(operator: Operator, sort: Sort, first: Any, other: Any) -> dict[str, Any]:
    """An input: the first tensor of T, all others of T; scalars of another type, and where one may be left out; floats
    and words among the attributes."""
    given: dict[str, Any] = {}
    for name, declaration in operator.signature.inputs.items():
        own = type_of(declaration, sort)
        if own is not sort or declaration.optional:
            given[name] = np.asarray(special_values(own)[1])
        else:
            given[name] = other if given else first
    values = {"float": 0.25, "string": WORDS[0]}
    return given | {n: values[d.type.name] for n, d in operator.signature.attributes.items() if d.type.name in values}


def _reduction(operator: Operator, rng: np.random.Generator, sort: Sort, shape: Any) -> dict[str, Any]:
    given: dict[str, Any] = {"data": filled(rng, sort, shape)}
    rank = len(shape)
    axes = [int(a) for a in rng.permutation(rank)[: int(rng.integers(rank + 1))] - rank * rng.integers(2, size=1)]
    if rng.random() < 0.05:
        axes.append(rank)
    if rng.random() < 0.7:
        given["axes"] = np.array(axes, np.int64) if "axes" in operator.signature.inputs else tuple(axes)
    for name in ("keepdims", "noop_with_empty_axes"):
        if name in operator.signature.attributes and rng.random() < 0.95:
            given[name] = int(rng.integers(2)) if rng.random() < 0.97 else 2
    return given


@pytest.fixture(scope="session")
def kit() -> Any:
    """All of the above."""
    return sys.modules[__name__]


def types_named(operator: Operator, dtype: Any) -> str | None:
    """The element type of an operator that numpy has as this one."""
    return next((t for t in types_of(operator) if DTYPES[ELEMENT_TYPES[t]] == dtype), None)
