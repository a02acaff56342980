"""What a specification says that a target has to do with an input."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sonnx_verify.language.files import Unit
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.project import Project
from sonnx_verify.language.values import Position
from sonnx_verify.logic.evaluator import compile_term, evaluate
from sonnx_verify.logic.evaluator_values import Undefined, stripped
from sonnx_verify.logic.nodes import number_of
from sonnx_verify.logic.sorts import INDEX
from sonnx_verify.logic.terms import FALSE, Term, placeholder
from sonnx_verify.results.concrete import Assignment, ConcreteTensor, tensors_in
from sonnx_verify.solving.inputs.inputs import interpretation
from sonnx_verify.solving.inputs.replay import Outcome, replay, results_of

RESULT, REJECTED, OPEN, OUTSIDE = "result", "rejected", "open", "outside"
Member = Callable[[tuple[int, ...], object], bool]


@dataclass(frozen=True, slots=True)
class Expected:
    """A `result`; that the input is `rejected`, and by which clauses; `open`, where anything may come of it; or that it
    is `outside` what the specification speaks of, and nothing is compared.

    `members` say of an output's element at an index whether it is one of a declared set. `unspecified` has the indices
    whose element is left open, `any_shape` says that shapes are, and with them all elements.
    """

    kind: str
    tags: tuple[str, ...] = ()
    outputs: dict[str, ConcreteTensor] = field(default_factory=dict)
    unspecified: dict[str, frozenset[tuple[int, ...]]] = field(default_factory=dict)
    members: dict[str, Member] = field(default_factory=dict)
    any_shape: bool = False


class Oracle:
    """The reference evaluator on inputs of one operator with one choice of types."""

    def __init__(self, project: Project, unit: Unit, meaning: Meaning) -> None:
        self._project, self._unit, self.meaning = project, unit, meaning
        self._results = results_of(meaning)
        self._sets = {name: self._membership(name) for name in meaning.members}

    def expected(self, assignment: Assignment) -> Expected:
        """What the specification says of the input."""
        if any(tensor.lacks for tensor in tensors_in(assignment)):
            return Expected(OUTSIDE)  # an array lacks nothing
        outcome = replay(self._project, self._unit, self.meaning, assignment, False, self._results)
        facts = interpretation(self.meaning.given, assignment)
        if outcome.undeclared:
            return Expected(OUTSIDE)
        open_outcome = _said(self.meaning.unspecified_outcome, facts)
        if open_outcome is not False:
            return Expected(OPEN if open_outcome else OUTSIDE)
        broken = _broken(outcome)
        if any(kind == "restriction" for kind, _ in broken):
            return Expected(OUTSIDE)
        if broken or outcome.errors:
            tags = tuple(tag for _, tag in broken) or tuple(e.tag for e in outcome.errors)
            return Expected(REJECTED, tags)
        if outcome.undetermined:
            return Expected(OUTSIDE)
        free = {name: frozenset(places) for name, places in outcome.unspecified.items()}
        members = {name: made(facts) for name, made in self._sets.items() if name in outcome.outputs}
        any_shape = _said(self.meaning.unspecified_shape, facts) is not False
        return Expected(RESULT, (), outcome.outputs, free, members, any_shape)

    def _membership(self, name: str) -> Callable[[dict[Any, object]], Member]:
        """Of an output with a set of results: what is known of an input to whether an element is one of them."""
        shape = self.meaning.shapes[name]
        sort = next(v.sort for v in self.meaning.outputs if v.name == name)
        index, element = placeholder(INDEX), placeholder(sort)
        run = compile_term(self.meaning.conforms_at(name, Position(index, shape.rank), element))

        def known(facts: dict[Any, object]) -> Member:
            def member(place: tuple[int, ...], value: object) -> bool:
                env = {number_of(index): stripped(place[::-1]), number_of(element): value}
                return run(env, facts) is True

            return member

        return known


def _broken(outcome: Outcome) -> list[tuple[str, str]]:
    """Kind and tag of each restriction and constraint that fails; not of what rests on one that does."""
    return [(s.clause.kind, s.tag) for s, _, why in outcome.broken if not why]


def _said(term: Term, facts: Any) -> bool | None:
    """Whether a condition holds; None where it has no value."""
    if term is FALSE:
        return False
    try:
        return evaluate(term, facts) is True
    except (Undefined, KeyError):
        return None
