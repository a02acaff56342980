"""The demand of a specification on a target, for one input.

Trusted for what `conform` calls tested: whatever is not OUTSIDE is compared, and counts as agreement where it agrees.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum, unique
from typing import Any

import numpy as np

from sonnx_verify.kernel.sections import member_name
from sonnx_verify.language.files import Unit
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.project import Project
from sonnx_verify.language.syntax import ClauseKind
from sonnx_verify.logic.evaluator import compile_term, evaluate
from sonnx_verify.logic.evaluator_values import Undefined, stripped
from sonnx_verify.logic.nodes import number_of
from sonnx_verify.logic.sorts import INDEX, FloatSort
from sonnx_verify.logic.terms import FALSE, Term, placeholder
from sonnx_verify.results.concrete import Assignment, ConcreteTensor, tensors_in
from sonnx_verify.results.dtypes import dtype_of
from sonnx_verify.solving.inputs.inputs import interpretation
from sonnx_verify.solving.inputs.replay import Outcome, compute, replay, results_of

Place = tuple[int, ...]


class NotOnArrays(Exception):  # noqa: N818 - it is no error
    """The numpy evaluator gives the results of an input, and cannot say what else is in their set."""


class Member(ABC):
    """The declared set of an output: which elements, given as the specification has them, are in it at an index."""

    @abstractmethod
    def __call__(self, place: Place, element: object) -> bool:
        """Return whether an element is in the set at an index."""

    def each(self, places: Sequence[Place], elements: Sequence[object]) -> list[bool]:
        """Return the same for each of some indices. Raises NotOnArrays."""
        return [self(place, element) for place, element in zip(places, elements, strict=True)]


@dataclass(frozen=True, slots=True)
class _ByReference(Member):
    """The set by the reference evaluator."""

    test: Callable[[Place, object], bool]

    def __call__(self, place: Place, element: object) -> bool:
        return self.test(place, element)


@unique
class Demand(Enum):
    """The kinds of demands: a result; that it rejects the input; nothing, since anything may come of it (OPEN);
    nothing, since the specification does not speak of the input (OUTSIDE)."""

    RESULT = "result"
    REJECTED = "rejected"
    OPEN = "open"
    OUTSIDE = "outside"


@dataclass(frozen=True, slots=True)
class Expected:
    """A demand on a target. `tags` are the clauses that reject the input.

    `members` say of an output's element at an index whether it is one of a declared set. `unspecified` has the indices
    whose element is left open, `any_shape` says that shapes are, and with them all elements.
    """

    kind: Demand
    tags: tuple[str, ...] = ()
    outputs: dict[str, ConcreteTensor] = field(default_factory=dict)
    unspecified: dict[str, frozenset[Place]] = field(default_factory=dict)
    members: dict[str, Member] = field(default_factory=dict)
    any_shape: bool = False
    _values: dict[str, Any] = field(default_factory=dict, init=False, compare=False, repr=False)

    @property
    def compares(self) -> bool:
        """True if a result can be wrong in more than its type: one that is open everywhere is not compared."""
        return self.kind is Demand.RESULT and not self.any_shape and any(map(self._is_decided, self.outputs))

    @property
    def compares_elements(self) -> bool:
        """Return whether an element of a result is compared."""
        return self.compares and any(self.outputs[name].elements and self._is_decided(name) for name in self.outputs)

    def _is_decided(self, name: str) -> bool:
        tensor = self.outputs[name]
        return not tensor.elements or len(self.unspecified.get(name, ())) < len(tensor.elements)

    @property
    def shows_faults(self) -> bool:
        """True if a wrong result would be seen: not if two or more elements are all the same."""
        return self.compares and all(map(self._is_varied, self.outputs))

    def _is_varied(self, name: str) -> bool:
        tensor, free = self.outputs[name], self.unspecified.get(name)
        elements = tensor.elements
        if free:
            places = np.ndindex(tensor.shape)
            elements = tuple(e for place, e in zip(places, elements, strict=True) if place not in free)
        return len(elements) < 2 or len(set(elements)) > 1

    def values(self, name: str) -> Any:
        """The elements of an output in a row, as numpy has them, with floats as bits."""
        # One demand is compared with many results: for each presentation of an input, and each step of making it small.
        if name not in self._values:
            tensor = self.outputs[name]
            dtype = dtype_of(tensor.sort.name)
            if isinstance(tensor.sort, FloatSort):
                dtype = np.dtype(f"u{tensor.sort.width // 8}")
            self._values[name] = np.array(tensor.elements, dtype)
        return self._values[name]


_OUTSIDE = Expected(Demand.OUTSIDE)


class Oracle:
    """The reference evaluator on inputs of one operator with one choice of types."""

    def __init__(self, project: Project, unit: Unit, meaning: Meaning) -> None:
        self._project, self._unit, self.meaning = project, unit, meaning
        self._results = results_of(meaning)
        self._sets = {name: self._membership(name) for name in meaning.members}
        families = meaning.families.items()
        self._families = {name: self._members(name) for name, f in families if f.member is not None}

    def expected(self, assignment: Assignment) -> Expected:
        """The demand of the specification for the input. Where it cannot be evaluated, nothing is compared: agreement
        is told only of what was really compared with a result."""
        # A fact such as "is dense" can fail of a tensor in a text; no array can lack it.
        if any(tensor.lacks for tensor in tensors_in(assignment)):
            return _OUTSIDE
        outcome = replay(self._project, self._unit, self.meaning, assignment, why=False, results=self._results)
        facts = interpretation(self.meaning.given, assignment)
        # Not as declared, as a list where one value is wanted: no clause speaks of it.
        if outcome.undeclared:
            return _OUTSIDE
        # Before the clauses: `unspecified outcome` also covers inputs that a constraint would reject.
        match _said(self.meaning.unspecified_outcome, facts):
            case True:
                return Expected(Demand.OPEN)
            case None:
                return _OUTSIDE
        # Of a shape that is left open, the types and the number of the outputs are still compared.
        if outcome.left_open:
            compute(self.meaning, assignment, outcome, self._results)
        return self._of_clauses(outcome, facts)

    def _of_clauses(self, outcome: Outcome, facts: dict[Any, object]) -> Expected:
        broken = _broken(outcome)
        # A restriction bounds what a profile speaks of: an implementation of the standard may do anything beyond it.
        if any(kind is ClauseKind.RESTRICTION for kind, _ in broken):
            return _OUTSIDE
        tags = [tag for _, tag in broken] or [e.tag for e in outcome.errors]
        if tags:
            return Expected(Demand.REJECTED, tuple(tags))
        # A clause that gives no value for this input: there is no result to compare with.
        if outcome.undetermined:
            return _OUTSIDE
        free = {name: frozenset(places) for name, places in outcome.unspecified.items()}
        members = {name: made(facts) for name, made in self._sets.items() if name in outcome.outputs}
        for variable in self.meaning.outputs:
            of_number = self._families.get(variable.name)
            if of_number is not None:
                count = outcome.counts[variable.name]
                members |= {member_name(variable, m): of_number(facts, m) for m in range(count)}
        # A condition without a value may hold: the shape counts as open, and no shape is called wrong.
        any_shape = _said(self.meaning.unspecified_shape, facts) is not False
        return Expected(Demand.RESULT, (), outcome.outputs, free, members, any_shape)

    def _membership(self, name: str) -> Callable[[dict[Any, object]], Member]:
        """Return, for an output with a set of results, a function from the facts of an input to the membership test."""
        test = _test_of(self.meaning, name)
        return lambda facts: _ByReference(lambda place, value: test({}, facts, place, value))

    def _members(self, name: str) -> Callable[[dict[Any, object], int], Member]:
        """The same for a family with a set of results: a function from facts and the number of a member."""
        number = self.meaning.families[name].number
        test = _test_of(self.meaning.with_members(name, {name: number}), name)
        return lambda facts, m: _ByReference(lambda place, value: test({number_of(number): m}, facts, place, value))


def _test_of(meaning: Meaning, name: str) -> Callable[..., bool]:
    """The test whether an element is one of an output's set, from the values of free variables, the facts of an input,
    the index and the element."""
    sort = next(v.sort for v in meaning.outputs if v.name == name)
    index, element = placeholder(INDEX), placeholder(sort)
    run = compile_term(meaning.conforms_at(name, index, element))

    def test(env: dict[int, object], facts: dict[Any, object], place: Place, value: object) -> bool:
        return run({**env, number_of(index): stripped(place[::-1]), number_of(element): value}, facts) is True

    return test


def _broken(outcome: Outcome) -> list[tuple[ClauseKind, str]]:
    """Kind and tag of each restriction and constraint that fails by itself."""
    # With a reason it rests on one that fails: `axis < rank` says nothing more once the rank is refused.
    return [(s.clause.kind, s.tag) for s, _, why in outcome.broken if not why]


def _said(term: Term, facts: Any) -> bool | None:
    """The truth of a condition; None where it has no value."""
    if term is FALSE:
        return False
    try:
        return evaluate(term, facts) is True
    except (Undefined, KeyError):
        return None
