"""Which elements an output may have where its clause gives a set of results."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sonnx_verify.conformance.cases.points import Input
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.values import Position
from sonnx_verify.logic import floats
from sonnx_verify.logic.evaluator import compile_term
from sonnx_verify.logic.evaluator_values import Code, indices_of
from sonnx_verify.logic.nodes import number_of
from sonnx_verify.logic.sorts import INDEX, FloatSort
from sonnx_verify.logic.terms import placeholder
from sonnx_verify.results.concrete import ConcreteTensor
from sonnx_verify.solving.inputs.inputs import interpretation
from sonnx_verify.solving.inputs.replay import Outcome


@dataclass(frozen=True, slots=True)
class Allowed:
    """What conforms at one index beside the representative: `any` is NaN or the type; else the floats from `lowest` to
    `greatest`. Both ends conform, the floats next to them outside do not."""

    index: tuple[int, ...]
    any: str = ""
    lowest: int = 0
    greatest: int = 0


def allowed(meaning: Meaning, assignment: Input, outcome: Outcome) -> dict[str, list[Allowed]]:
    """For each output, the indices at which more than the representative conforms, and what does."""
    found: dict[str, list[Allowed]] = {}
    for name, tensor in outcome.outputs.items():
        member = meaning.members.get(name)
        if member is None or not isinstance(tensor.sort, FloatSort):
            continue
        index, candidate = placeholder(INDEX), placeholder(tensor.sort)
        code = compile_term(member(Position(index, meaning.shapes[name].rank), candidate))
        facts = interpretation(meaning.given, assignment)
        numbers = number_of(index), number_of(candidate)
        for place, element in zip(_places(tensor), tensor.elements, strict=True):
            assert isinstance(element, int)
            conforms = _conforms(code, facts, numbers, place)
            told = _around(tensor.sort, element, conforms, _from_left(place, len(tensor.shape)))
            if told is not None:
                found.setdefault(name, []).append(told)
    return found


def _conforms(code: Code, facts: Any, numbers: tuple[int, int], place: tuple[int, ...]) -> Callable[[int], bool]:
    """Whether an element conforms at that place."""
    return lambda bits: code({numbers[0]: place, numbers[1]: bits}, facts) is True


def _places(tensor: ConcreteTensor) -> Any:
    return indices_of(list(reversed(tensor.shape)))


def _from_left(place: tuple[int, ...], rank: int) -> tuple[int, ...]:
    return tuple([*place, *[0] * (rank - len(place))][::-1])


def _around(sort: FloatSort, element: int, conforms: Callable[[int], bool], index: tuple[int, ...]) -> Allowed | None:
    if all(conforms(bits) for bits in (floats.nan(sort), floats.infinity(sort), floats.lowest(sort))):
        return Allowed(index, any=sort.name)
    if floats.is_nan(sort, element):
        return Allowed(index, any="NaN")
    if floats.is_infinite(sort, element):
        return None
    low = _farthest(sort, element, conforms, -1)
    high = _farthest(sort, element, conforms, 1)
    return None if low == high else Allowed(index, lowest=low, greatest=high)


def _farthest(sort: FloatSort, element: int, conforms: Callable[[int], bool], step: int) -> int:
    """The last float in one direction up to which all conform, by steps that double, then halve."""
    start = _ordinal(sort, element)
    last = _ordinal(sort, floats.greatest(sort) if step > 0 else floats.lowest(sort))
    inside, far = 0, 1
    most = abs(last - start)
    while inside + far <= most and conforms(_bits(sort, start + step * (inside + far))):
        inside, far = inside + far, far * 2
    while far > 1:
        far //= 2
        if inside + far <= most and conforms(_bits(sort, start + step * (inside + far))):
            inside += far
    return _bits(sort, start + step * inside)


def _ordinal(sort: FloatSort, bits: int) -> int:
    """The place of a number among those of its type, in their order: -0 has -1, +0 has 0."""
    sign = 1 << (sort.width - 1)
    return -1 - (bits - sign) if bits & sign else bits


def _bits(sort: FloatSort, ordinal: int) -> int:
    return ordinal if ordinal >= 0 else (1 << (sort.width - 1)) - 1 - ordinal
