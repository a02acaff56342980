"""The demand on a target for large valid inputs, computed by the numpy evaluator: the reference evaluator takes each
element by itself.

Trusted as the numpy evaluator is, which is proved and tested against the same texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from sonnx_verify.arrays.evaluator.operator import Operator
from sonnx_verify.arrays.evaluator.results import Result
from sonnx_verify.conformance.expected import Demand, Expected, Member, Oracle
from sonnx_verify.conformance.models import attributes_of, inputs_of, plain_attribute
from sonnx_verify.errors import NoResult, UsageError
from sonnx_verify.language.files import Unit
from sonnx_verify.language.project import Project
from sonnx_verify.results.concrete import Assignment, ConcreteTensor, tensors_in
from sonnx_verify.solving.inputs.arguments import from_array, to_array
from sonnx_verify.solving.inputs.inputs import interpretation
from sonnx_verify.solving.inputs.replay import on_input

FEW = 48
"""The number of elements up to which the reference evaluator is asked."""


class ArrayOracle:
    """The numpy evaluator on large inputs of one operator with one choice of types."""

    def __init__(self, project: Project, unit: Unit, oracle: Oracle) -> None:
        self._operator = Operator(project, unit)
        self._oracle = oracle
        self._meaning = meaning = oracle.meaning
        self._may_be_open = any(meaning.unspecified_values.values())
        self._has_sets = bool(meaning.members) or any(f.member is not None for f in meaning.families.values())

    def takes(self, assignment: Assignment) -> bool:
        """Return whether it is to be asked: the input is large."""
        return sum(len(t.elements) for t in tensors_in(assignment)) > FEW

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
        free: dict[str, frozenset[tuple[int, ...]]] = {}
        variables = on_input(self._meaning, assignment).outputs
        for variable, result in zip(variables, results, strict=True):
            outputs[variable.name] = from_array(variable.name, result.value, variable.sort)
            # To ask takes as long as the value itself.
            if self._may_be_open and (places := _places(result.unspecified)):
                free[variable.name] = places
        members: dict[str, Member] = {}
        if self._has_sets:
            of_one = self._oracle.members(interpretation(self._meaning.given, assignment), outputs)
            asked = {variable.name: result for variable, result in zip(variables, results, strict=True)}
            members = {
                name: Member(one.at, partial(_among, asked[name], outputs[name])) for name, one in of_one.items()
            }
        return Expected(Demand.RESULT, (), outputs, free, members)


def _among(result: Result, wanted: ConcreteTensor, elements: Sequence[object]) -> Sequence[bool]:
    """Which of all elements of an output are ones of its set."""
    conforms = result.conforms(to_array(replace(wanted, elements=tuple(elements))))
    return list(np.ravel(conforms).tolist())


def _places(where: Any) -> frozenset[tuple[int, ...]]:
    """The indices of what is true."""
    return frozenset(tuple(int(n) for n in place) for place in np.argwhere(where))
