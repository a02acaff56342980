"""Conditions on inputs, evaluated on arrays: of thousands of elements the reference evaluator takes ten times as long.

A condition such as `for all i in indices(B) : B[i] != 0` is asked of each input that a test may have. Which inputs are
tried hangs on the answers, and no verdict: what is expected of an input, an oracle says anew.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from sonnx_verify.arrays.evaluator.known import ArrayTensor
from sonnx_verify.arrays.evaluator.loops import NeedsElements, NoProgram
from sonnx_verify.arrays.evaluator.plan import Maker, Rejected, arrays_of
from sonnx_verify.arrays.partial.walk import Open
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.logic.evaluator_values import Undefined
from sonnx_verify.logic.nodes import is_literal
from sonnx_verify.logic.terms import Term
from sonnx_verify.results.concrete import Concrete, ConcreteTensor, numel, tensors_in
from sonnx_verify.results.dtypes import dtype_of
from sonnx_verify.solving.inputs.arguments import to_array

FEW = 200
"""The number of elements up to which the reference evaluator is asked: to compile three conditions on arrays takes it
1 ms, in which it looks at some 200 elements."""
_KEPT = 256
"""The number of compiled conditions that are kept: inputs of one shape often come one after the other."""

Condition = Callable[[Sequence[Any]], bool]


class ArrayConditions:
    """Some conditions on the inputs of an operator, compiled once for each shape."""

    def __init__(self, meaning: Meaning, terms: Sequence[Term]) -> None:
        self._meaning, self._terms = meaning, tuple(terms)
        self._compiled: OrderedDict[object, list[Condition]] = OrderedDict()

    def takes(self, assignment: Mapping[str, Concrete]) -> bool:
        """Return whether arrays are worth it: there are many elements, and no tensor lacks what every array has."""
        tensors = list(tensors_in(assignment))
        return sum(len(tensor.elements) for tensor in tensors) > FEW and not any(t.lacks for t in tensors)

    def truths(self, assignment: Mapping[str, Concrete]) -> tuple[bool, ...] | None:
        """The truth of each condition; None where one has no value, or no program."""
        on_arrays = {name: _on_arrays(value) for name, value in assignment.items()}
        try:
            with np.errstate(all="ignore"):
                conditions = self._conditions(assignment, on_arrays)
                arrays = list(arrays_of(on_arrays).values())
                return tuple(condition(arrays) for condition in conditions)
        except (NeedsElements, NoProgram, Open, Rejected, Undefined):
            return None

    def _conditions(self, assignment: Mapping[str, Concrete], on_arrays: Mapping[str, Any]) -> list[Condition]:
        key = tuple((name, _layout(value)) for name, value in assignment.items())
        made = self._compiled.get(key)
        if made is None:
            maker = Maker(self._meaning, on_arrays, set())
            made = self._compiled[key] = [_compiled(maker, term) for term in self._terms]
            if len(self._compiled) > _KEPT:
                self._compiled.popitem(last=False)
        return made


def _compiled(maker: Maker, term: Term) -> Condition:
    found = maker.special(term)
    if is_literal(found):
        return lambda arrays: found.payload is True
    return maker.truth(found)


def _on_arrays(value: Concrete) -> Any:
    if isinstance(value, ConcreteTensor):
        # Data that no condition speaks of have no elements as long as only the shapes of an input are chosen.
        if len(value.elements) != numel(value.shape):
            return ArrayTensor.of(np.zeros(value.shape, dtype_of(value.sort.name)))
        return ArrayTensor.of(to_array(value))
    if isinstance(value, tuple):
        return tuple(map(_on_arrays, value))
    return value


def _layout(value: Concrete) -> object:
    """All of a value but the elements of tensors."""
    if isinstance(value, ConcreteTensor):
        return value.sort, value.shape
    if isinstance(value, tuple):
        return tuple(map(_layout, value))
    return value
