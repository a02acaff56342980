"""The element that is written where any element conforms.

A text says `any T` where it bounds nothing, as of a sum that some order of additions may take beyond the range of its
type. The element that the evaluator has there stands for all, and is 0. Real code gives something near the exact value,
and a test that is compared with one array should have that. So what is written is what the text has for other input:
the other way of the innermost `if` that led to `any T`. For a sum it is the exact sum, rounded. Whatever it is, it
conforms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sonnx_verify.conformance.inputs.left_open import value_of
from sonnx_verify.conformance.inputs.points import Input
from sonnx_verify.conformance.oracles.sets import Allowed, offset_in
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.logic.evaluator import compile_term
from sonnx_verify.logic.evaluator_values import stripped
from sonnx_verify.logic.nodes import number_of
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.sorts import INDEX
from sonnx_verify.logic.terms import Term, placeholder
from sonnx_verify.results.concrete import ConcreteTensor
from sonnx_verify.solving.inputs.inputs import interpretation
from sonnx_verify.solving.inputs.replay import Outcome


def representative(
    meaning: Meaning, assignment: Input, outcome: Outcome, several: Mapping[str, Sequence[Allowed]]
) -> dict[str, ConcreteTensor]:
    """The outputs, with another element where every element conforms."""
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
