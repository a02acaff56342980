"""The demand on a target for large valid inputs, computed by the numpy evaluator: the reference evaluator takes each
element by itself.

Trusted as the numpy evaluator is, which is proved and tested against the same texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sonnx_verify.arrays.evaluator.known import SORTS, constant
from sonnx_verify.arrays.evaluator.operator import Operator
from sonnx_verify.arrays.evaluator.results import Result
from sonnx_verify.conformance.oracles.expectation import Demand, Expected, Member, NotOnArrays, Place
from sonnx_verify.conformance.targets.models import attributes_of, inputs_of, plain_attribute
from sonnx_verify.errors import NoResult, UsageError
from sonnx_verify.language.files import Unit
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.project import Project
from sonnx_verify.results.concrete import Assignment, ConcreteTensor, tensors_in
from sonnx_verify.solving.inputs.arguments import from_array, to_array
from sonnx_verify.solving.inputs.replay import on_input

FEW = 48
"""The number of elements up to which the reference evaluator is asked."""


class ArrayOracle:
    """The numpy evaluator on large inputs of one operator with one choice of types."""

    def __init__(self, project: Project, unit: Unit, meaning: Meaning) -> None:
        self._operator = Operator(project, unit, explains=False)
        self._meaning = meaning
        self._may_be_open = any(meaning.unspecified_values.values())

    def takes(self, assignment: Assignment) -> bool:
        """Return whether it is to be asked: the input is large, and one that arrays can be."""
        tensors = list(tensors_in(assignment))
        # A fact such as "is dense" can fail of a tensor in a text: no clause that speaks of it would be seen to fail.
        if any(tensor.lacks for tensor in tensors):
            return False
        return sum(len(tensor.elements) for tensor in tensors) > FEW

    def results(self, assignment: Assignment) -> tuple[Result, ...] | None:
        """The results of an input, of each output; None where the evaluator gives none, whatever the reason."""
        arguments = [None if tensor is None else to_array(tensor) for _, tensor in inputs_of(self._meaning, assignment)]
        attributes = attributes_of(self._meaning, assignment)
        named = {v.name: plain_attribute(v.sort, value) for v, value in attributes}
        try:
            results = self._operator.results(*arguments, **named)
        except (NoResult, UsageError):
            return None
        if isinstance(results, tuple):
            return results
        return (results,)

    def expected(self, assignment: Assignment) -> Expected | None:
        """The demand on the target; None where the evaluator gives no result."""
        results = self.results(assignment)
        if results is None:
            return None
        outputs: dict[str, ConcreteTensor] = {}
        free: dict[str, frozenset[Place]] = {}
        members: dict[str, Member] = {}
        meaning = on_input(self._meaning, assignment)
        for variable, result in zip(meaning.outputs, results, strict=True):
            if variable.name in meaning.members:
                if not result.has_representative:
                    return None
                members[variable.name] = _OnArrays(result)
            outputs[variable.name] = from_array(variable.name, result.representative, variable.sort)
            # To ask takes as long as the value itself.
            if self._may_be_open and (places := _places(result.unspecified)):
                free[variable.name] = places
        return Expected(Demand.RESULT, (), outputs, free, members)


@dataclass(frozen=True, slots=True)
class _OnArrays(Member):
    """The set of an output by the numpy evaluator."""

    result: Result

    def __call__(self, place: Place, element: object) -> bool:
        (found,) = self.each([place], [element])
        return found

    def each(self, places: Sequence[Place], elements: Sequence[object]) -> list[bool]:
        # A set is planned when it is asked: most results have the very bits of the representative.
        if not places:
            return []
        if not self.result.can_be_asked:
            raise NotOnArrays
        sort = SORTS[self.result.value.dtype]
        array = np.array([constant(element, sort) for element in elements], self.result.value.dtype)
        return [bool(conforms) for conforms in self.result.conforms(array, at=list(places))]


def _places(where: Any) -> frozenset[Place]:
    """The indices of what is true."""
    return frozenset(map(tuple, np.argwhere(where).tolist()))
