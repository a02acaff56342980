"""The elements that an output may have where its clause gives a set of results, and the one that is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sonnx_verify.conformance.inputs.points import Input, value_of
from sonnx_verify.conformance.inputs.sampled_values import float_at, place_of
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.logic import floats
from sonnx_verify.logic.evaluator import compile_term
from sonnx_verify.logic.evaluator_values import Code, indices_of, stripped
from sonnx_verify.logic.nodes import number_of
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.sorts import BOOL, INDEX, FloatSort, IntegerSort, Sort
from sonnx_verify.logic.terms import Term, placeholder
from sonnx_verify.results.concrete import ConcreteTensor
from sonnx_verify.solving.inputs.inputs import interpretation
from sonnx_verify.solving.inputs.replay import Outcome
from sonnx_verify.solving.inputs.values import infinities


@dataclass(frozen=True, slots=True)
class Allowed:
    """The elements that conform at one index beside the representative: `any` is NaN or the type; else the floats from
    `lowest` to `greatest`, which may be infinities. Both ends conform, the floats next to them outside do not."""

    index: tuple[int, ...]
    any: str = ""
    lowest: int = 0
    greatest: int = 0


def allowed(meaning: Meaning, assignment: Input, outcome: Outcome) -> dict[str, list[Allowed]]:
    """The indices of each output at which more than the representative conforms, with all that conforms there."""
    found: dict[str, list[Allowed]] = {}
    # A stock runner compares with one tensor and a tolerance: the ends are what a better one compares with.
    meaning = meaning.spread(outcome.counts)
    for name, tensor in outcome.outputs.items():
        member = meaning.members.get(name)
        if member is None:
            continue
        index, candidate = placeholder(INDEX), placeholder(tensor.sort)
        code = compile_term(member(index, candidate))
        facts = interpretation(meaning.given, assignment)
        numbers = number_of(index), number_of(candidate)
        for place, element in zip(indices_of([*reversed(tensor.shape)]), tensor.elements, strict=True):
            conforms = _conforms(code, facts, numbers, place)
            if not conforms(element):
                # `check` finds such a text wrong. A vector of it would fail code that is right.
                outcome.undetermined = f"the element of `{name}` that is computed is not in its set"
                return {}
            told = beside(tensor.sort, element, conforms, _from_left(place, len(tensor.shape)))
            if told is not None:
                found.setdefault(name, []).append(told)
    return found


Conforms = Callable[[object], bool]
"""The test whether an element conforms."""


def _conforms(code: Code, facts: Any, numbers: tuple[int, int], place: tuple[int, ...]) -> Conforms:
    """The test whether an element conforms at that place."""
    return lambda element: code({numbers[0]: place, numbers[1]: element}, facts) is True


def offset_in(shape: tuple[int, ...], place: tuple[int, ...]) -> int:
    """The number of the element at an index, in row-major order."""
    offset = 0
    for at, size in zip(place, shape, strict=True):
        offset = offset * size + at
    return offset


def _from_left(place: tuple[int, ...], rank: int) -> tuple[int, ...]:
    return tuple([*place, *[0] * (rank - len(place))][::-1])


def beside(sort: Sort, element: object, conforms: Conforms, index: tuple[int, ...]) -> Allowed | None:
    """The elements that conform; None where it is the representative alone."""
    if isinstance(sort, FloatSort):
        assert isinstance(element, int)
        return _around(sort, element, conforms, index)
    # Of what is no float a set is one element, or all of them: `within` is about floats.
    others: tuple[object, ...] = ()
    if isinstance(sort, IntegerSort):
        others = sort.lowest, sort.greatest
    elif sort == BOOL:
        others = False, True
    if any(other != element and conforms(other) for other in others):
        return Allowed(index, any=sort.name)
    return None


def _around(sort: FloatSort, element: int, conforms: Conforms, index: tuple[int, ...]) -> Allowed | None:
    """The same of a float."""
    # A set that has NaN, infinity and the lowest float is taken to be all: no clause that is not "any" has all three.
    if all(conforms(bits) for bits in (floats.nan(sort), *infinities(sort), floats.lowest(sort))):
        return Allowed(index, any=sort.name)
    if floats.is_nan(sort, element):
        return Allowed(index, any="NaN")
    low = _farthest(sort, element, conforms, -1)
    high = _farthest(sort, element, conforms, 1)
    if low == high:
        return None
    return Allowed(index, lowest=low, greatest=high)


def _farthest(sort: FloatSort, element: int, conforms: Conforms, step: int) -> int:
    """The last float in one direction up to which all conform, by steps that double, then halve."""
    # The set is an interval around the representative. Of double it may have 2**40 members: each step doubles until one
    # is outside, then the steps are halved.
    start = place_of(sort, element)
    # In the order of their bits an infinity comes behind the greatest float.
    rising, falling = infinities(sort) or (floats.greatest(sort), floats.lowest(sort))
    ends = {1: rising, -1: falling}
    inside, far = 0, 1
    most = abs(place_of(sort, ends[step]) - start)
    while inside + far <= most and conforms(float_at(sort, start + step * (inside + far))):
        inside, far = inside + far, far * 2
    while far > 1:
        far //= 2
        if inside + far <= most and conforms(float_at(sort, start + step * (inside + far))):
            inside += far
    return float_at(sort, start + step * inside)


# ------------------------------------------------------------------------------------------- where any element conforms


def representative(
    meaning: Meaning, assignment: Input, outcome: Outcome, several: Mapping[str, Sequence[Allowed]]
) -> dict[str, ConcreteTensor]:
    """The outputs, with another element where every element conforms.

    A text says `any T` where it bounds nothing, as of a sum that some order of additions may take beyond the range of
    its type. The element that the evaluator has there stands for all, and is 0. Real code gives something near the
    exact value, and a test that is compared with one array should have that. So what is written is what the text has
    for other input: the other way of the innermost `if` that led to `any T`. For a sum it is the exact sum, rounded.
    Whatever it is, it conforms.
    """
    meaning = meaning.spread(outcome.counts)
    facts = interpretation(meaning.given, assignment)
    made = dict(outcome.outputs)
    for name, places in several.items():
        tensor = made[name]
        every = [one.index for one in places if one.any == tensor.sort.name]
        if not every:
            continue
        index = placeholder(INDEX)
        term = meaning.values[name](index)
        elements = list(tensor.elements)
        for place in every:
            found = _instead(term, {number_of(index): stripped(place[::-1])}, facts)
            if found is not None:
                elements[offset_in(tensor.shape, place)] = found
        made[name] = replace(tensor, elements=tuple(elements))
    return made


def _instead(term: Term, env: dict[int, Any], facts: Any) -> Any:
    """The value of the way that was not gone last; None where there is none, or it has no value."""
    other: Term | None = None
    while term.op is Op.ITE:
        condition, then, otherwise = term.args
        term, other = then, otherwise
        if value_of(compile_term(condition), facts, env) is not True:
            term, other = otherwise, then
    if other is None:
        return None
    return value_of(compile_term(other), facts, env)
