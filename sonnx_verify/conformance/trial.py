"""An input as it is presented to a target, and how small it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from sonnx_verify.conformance.calls import FORMS, PAYLOADS, PLAIN, Presentation
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.variables import Variable
from sonnx_verify.logic import floats
from sonnx_verify.logic.sorts import INT, FloatSort, IntegerSort, Sort
from sonnx_verify.results.concrete import LEFT_OUT, Assignment, Concrete, ConcreteTensor
from sonnx_verify.solving.inputs.replay import length_of
from sonnx_verify.solving.inputs.values import SMALL_INTEGERS, alphabet

Slot = tuple[Variable, int | None]
"""A tensor of an input: a variable, and the number of the member where it is a family."""
Weight = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Trial:
    """An input and its presentation."""

    assignment: Assignment
    presentation: Presentation = field(default_factory=Presentation)

    @property
    def key(self) -> object:
        """Two trials with one key are the same."""
        return tuple(sorted(self.assignment.items(), key=lambda row: row[0])), self.presentation


def slots(meaning: Meaning, assignment: Assignment) -> Iterator[tuple[Slot, ConcreteTensor]]:
    """The tensors that are given, in the order of the specification."""
    for variable in meaning.variables:
        if variable.role != "input" or variable.kind != "tensor":
            continue
        value = assignment[variable.name]
        if isinstance(value, tuple):
            yield from (((variable, n), item) for n, item in enumerate(value))
        elif isinstance(value, ConcreteTensor):
            yield (variable, None), value


def instead(assignment: Assignment, slot: Slot, tensor: ConcreteTensor) -> dict[str, Concrete]:
    """The input with another tensor in a slot."""
    variable, n = slot
    if n is None:
        return {**assignment, variable.name: tensor}
    family = assignment[variable.name]
    assert isinstance(family, tuple)
    return {**assignment, variable.name: (*family[:n], tensor, *family[n + 1 :])}


def counted(meaning: Meaning, assignment: Assignment) -> dict[str, Concrete]:
    """The input with the lengths of its families as they are."""
    made = dict(assignment)
    for variable in meaning.variables:
        if variable.role == "length":
            made[variable.name] = length_of(meaning, variable, made)
    return made


def beyond_floats(sort: IntegerSort) -> list[int]:
    """The least integers that a float of some width has not."""
    return [(1 << bits) + 1 for bits in (11, 24, 53) if bits < sort.width - 1]


def element_rank(sort: Sort, value: object) -> tuple[int, int, int]:
    """How far an element is from the simplest: those that a search tries first, then what is shorter to write."""
    known = alphabet(sort)
    if value in known:
        return 0, known.index(value), 0
    assert isinstance(value, int)
    if isinstance(sort, FloatSort):
        if floats.is_nan(sort, value):
            return 3, 0, value
        number = floats.to_fraction(sort, value)
        whole = number.denominator == 1 and abs(number) < 1 << 20
        return (1, abs(number.numerator), value) if whole else (2, len(floats.show(sort, value)), value)
    return 1, abs(value), value


def _number_rank(variable: Variable, value: Concrete) -> tuple[int, ...]:
    if value is LEFT_OUT:
        return (0,)
    if isinstance(value, tuple):
        return (2, len(value), *(part for item in value for part in _number_rank(variable, item)))
    if value == variable.default:
        return (1,)
    if isinstance(value, int) and variable.sort == INT:
        return (2, SMALL_INTEGERS.index(value)) if value in SMALL_INTEGERS else (3, abs(value))
    return (2, *element_rank(variable.sort, value)) if isinstance(value, int) else (3, len(str(value)))


def weight(meaning: Meaning, trial: Trial) -> Weight:
    """The place of a trial in the order in which people find inputs small: see docs/design.md, Counterexamples."""
    tensors = [tensor for _, tensor in slots(meaning, trial.assignment)]
    attributes = [v for v in meaning.variables if v.role in ("attribute", "asked")]
    shown = trial.presentation
    return (
        len(tensors),
        sum(len(t.shape) for t in tensors),
        sum(sum(t.shape) for t in tensors),
        tuple(_number_rank(v, trial.assignment[v.name]) for v in attributes),
        tuple((len(t.shape), t.shape) for t in tensors),
        ((PLAIN, *FORMS).index(shown.form), shown.offset, ("", *PAYLOADS).index(shown.nans)),
        tuple(element_rank(t.sort, e) for t in tensors for e in t.elements),
    )
