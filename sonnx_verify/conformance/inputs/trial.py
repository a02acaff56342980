"""An input as it is presented to a target, and its place in the order of smallness."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, total_ordering
from math import prod

from sonnx_verify.conformance.targets.calls import FORMS, PAYLOADS, Form, Nans, Presentation
from sonnx_verify.kernel.variables import Variable, VariableKind, VariableRole
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.logic import decimals, floats
from sonnx_verify.logic.sorts import INT, FloatSort, IntegerSort, Sort
from sonnx_verify.results.concrete import LEFT_OUT, Assignment, Concrete, ConcreteTensor
from sonnx_verify.solving.inputs.replay import length_of
from sonnx_verify.solving.inputs.values import SMALL_INTEGERS, alphabet

Slot = tuple[Variable, int | None]
"""A tensor of an input: a variable, and the number of the member where it is a family."""
Weight = tuple[object, ...]
_FORMS = (Form.PLAIN, *FORMS)
_NANS = (Nans.QUIET, *PAYLOADS)


@dataclass(frozen=True, slots=True)
class Trial:
    """An input and its presentation."""

    assignment: Assignment
    presentation: Presentation = field(default_factory=Presentation)
    example: str = field(default="", compare=False)
    """The name of the example of the specification, or of its page, that it is."""

    @property
    def key(self) -> object:
        """Two trials with one key are the same."""
        return tuple(sorted(self.assignment.items(), key=lambda row: row[0])), self.presentation


def slots(meaning: Meaning, assignment: Assignment) -> Iterator[tuple[Slot, ConcreteTensor]]:
    """The tensors that are given, in the order of the specification."""
    for variable in meaning.variables:
        if variable.role is not VariableRole.INPUT or variable.kind is not VariableKind.TENSOR:
            continue
        value = assignment[variable.name]
        if isinstance(value, tuple):
            yield from (((variable, n), item) for n, item in enumerate(value))
        elif isinstance(value, ConcreteTensor):
            yield (variable, None), value


def own_slots(meaning: Meaning, assignment: Assignment) -> list[tuple[Slot, ConcreteTensor]]:
    """The tensors of T that are given: the data, which broadcasts and is reduced together. Tensors of a fixed type,
    such as axes, are about them."""
    return [(slot, tensor) for slot, tensor in slots(meaning, assignment) if slot[0].type_variable]


def family_items(value: Concrete) -> tuple[ConcreteTensor, ...]:
    """The members of a family of tensors; none for any other value, such as a list of integers."""
    if not isinstance(value, tuple):
        return ()
    return tuple(item for item in value if isinstance(item, ConcreteTensor))


def instead(assignment: Assignment, slot: Slot, tensor: ConcreteTensor) -> dict[str, Concrete]:
    """The input with another tensor in a slot."""
    variable, n = slot
    if n is None:
        return {**assignment, variable.name: tensor}
    family = assignment[variable.name]
    assert isinstance(family, tuple)
    return {**assignment, variable.name: (*family[:n], tensor, *family[n + 1 :])}


def simplest(sort: Sort, shape: Sequence[int]) -> ConcreteTensor:
    """A tensor of the shape whose elements are the first that a search tries."""
    return ConcreteTensor(sort, tuple(shape), (alphabet(sort)[0],) * prod(shape))


def counted(meaning: Meaning, assignment: Assignment) -> dict[str, Concrete]:
    """The input with the lengths of its families as they are."""
    made = dict(assignment)
    for variable in meaning.variables:
        if variable.role is VariableRole.LENGTH:
            made[variable.name] = length_of(meaning, variable, made)
    return made


def beyond_floats(sort: IntegerSort) -> list[int]:
    """The least positive integers that a float of some width has not."""
    # float16, float and double have 11, 24 and 53 binary digits: 2**24 is a float, 2**24 + 1 is not. Code that computes
    # integers in floats shows there.
    return [(1 << bits) + 1 for bits in (11, 24, 53) if bits < sort.width - 1]


@lru_cache(1 << 16)
def element_rank(sort: Sort, value: object) -> tuple[int, int, int]:
    """The distance of an element from the simplest: those that a search tries first, then what is shorter to write."""
    # The order of the alphabet is that in which counterexamples of `check` are small, too.
    known = alphabet(sort)
    if value in known:
        return 0, known.index(value), 0
    assert isinstance(value, int)
    if not isinstance(sort, FloatSort):
        return 1, abs(value), value
    if floats.is_nan(sort, value):
        return 3, 0, value
    number = floats.to_fraction(sort, value)
    # 3 before 0.5 before 0.1: a whole number is easier to follow through a sum than a short fraction.
    if number.denominator == 1 and abs(number) < 1 << 20:
        return 1, abs(number.numerator), value
    return 2, len(decimals.show(sort, value)), value


def _number_rank(variable: Variable, value: Concrete) -> tuple[int, ...]:
    """The distance of an attribute from the plainest: left out, then its default, then small values."""
    if value is LEFT_OUT:
        return (0,)
    if isinstance(value, ConcreteTensor):
        return 2, len(value.shape), *value.shape, *(n for e in value.elements for n in element_rank(value.sort, e))
    if isinstance(value, tuple):
        ranks = [2, len(value)]
        for item in value:
            ranks += _number_rank(variable, item)
        return tuple(ranks)
    if value == variable.default:
        return (1,)
    if not isinstance(value, int):
        return 3, len(str(value))
    if variable.sort != INT:
        return 2, *element_rank(variable.sort, value)
    if value in SMALL_INTEGERS:
        return 2, SMALL_INTEGERS.index(value)
    return 3, abs(value)


@total_ordering
class _Elements:
    """The elements of tensors of the same shapes, compared one after another, as far as they have to be: how short an
    element is to write takes a search."""

    __slots__ = ("_tensors",)

    def __init__(self, tensors: Sequence[ConcreteTensor]) -> None:
        self._tensors = tensors

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Elements) and self._tensors == other._tensors

    def __hash__(self) -> int:
        return hash(tuple(self._tensors))

    def __lt__(self, other: _Elements) -> bool:
        for a, b in zip(self._tensors, other._tensors, strict=True):
            for x, y in zip(a.elements, b.elements, strict=True):
                if x != y or a.sort != b.sort:
                    ranks = element_rank(a.sort, x), element_rank(b.sort, y)
                    if ranks[0] != ranks[1]:
                        return ranks[0] < ranks[1]
        return False


def weight(meaning: Meaning, trial: Trial) -> Weight:
    """The place of a trial in the order in which people find inputs small: see docs/design.md, Counterexamples."""
    tensors = [tensor for _, tensor in slots(meaning, trial.assignment)]
    attributes = [v for v in meaning.variables if v.role in (VariableRole.ATTRIBUTE, VariableRole.ASKED)]
    shown = trial.presentation
    return (
        len(tensors),
        sum(len(t.shape) for t in tensors),
        sum(sum(t.shape) for t in tensors),
        tuple(_number_rank(v, trial.assignment[v.name]) for v in attributes),
        tuple((len(t.shape), t.shape) for t in tensors),
        (_FORMS.index(shown.form), shown.offset, _NANS.index(shown.nans)),
        # Last: a smaller shape comes before simpler elements.
        _Elements(tensors),
    )
