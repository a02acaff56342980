"""The edges of what a standard leaves open: inputs just inside and just outside the condition of an `unspecified` item.

A comparison in the condition is moved by one step, or a fact in it is turned; an input that is left open, and would not
be with the change, is just inside, and one that would be is just outside. Of `when not sum <= T.greatest` these are
inputs with the sums greatest + 1 and greatest. They are found like every input, and replayed; nothing else is claimed
of them. Not trusted: no verdict of `check` rests on an edge.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sonnx_verify.kernel.values import Abstraction
from sonnx_verify.language.meaning import LeftOpen, Meaning
from sonnx_verify.language.syntax import Reach
from sonnx_verify.logic import operators as ops
from sonnx_verify.logic.binders import replace_nodes
from sonnx_verify.logic.evaluator import evaluate
from sonnx_verify.logic.evaluator_values import Undefined
from sonnx_verify.logic.sorts import BOOL, INDEX, INT, REAL
from sonnx_verify.logic.terms import FALSE, ONE, TRUE, ZERO, Symbol, Term, add, eq, forall, integer, le, lt, not_, sub
from sonnx_verify.obligations.gaps import left_open_by
from sonnx_verify.results.concrete import Assignment
from sonnx_verify.solving.inputs.found import searched
from sonnx_verify.solving.inputs.inputs import Found, fits, interpretation
from sonnx_verify.solving.solvers import Solvers

_BUDGET = 1_500
"""The candidates for each edge."""
_MOST = 24
"""The changes that are looked at in one condition."""
_SIZE = 64
"""The largest size of an axis of an output whose elements are asked about one by one."""
_BINDERS = (ops.FORALL, ops.FORALL_INDEX)
_JUNCTIONS = (ops.AND, ops.OR, ops.NOT)


@dataclass(frozen=True, slots=True)
class Edge:
    """An input at the edge: `inside` if the item, and no other, leaves something open for it."""

    found: Found
    inside: bool

    @property
    def side(self) -> str:
        """The side of the edge that it is on, in words."""
        return f"just {'inside' if self.inside else 'outside'}"


def edges_of(meaning: Meaning, item: LeftOpen, solvers: Solvers | None = None) -> list[Edge]:
    """The edges of an item on the types of a meaning, each once, in the order of the conditions; those that are not
    found are left out."""
    allowed = (*_allowed(meaning), _is_small(meaning, item))
    is_open = left_open_by(meaning, item)
    found: list[Edge] = []
    for number in range(min(_MOST, len(_changes(_condition(meaning, item))))):
        changed = left_open_by(meaning, _changed(item, number))
        for inside in (True, False):
            first, second = (is_open, changed) if inside else (changed, is_open)
            conditions = (*allowed, first, not_(second))
            if any(_tells(meaning, conditions, edge) for edge in found):
                continue
            # A solver chooses from few numbers: those at the ends of a type are among the first that are tried.
            one = searched(meaning.given, conditions, _BUDGET, constants=True)
            if not isinstance(one, Found):
                one = searched(meaning.given, conditions, _BUDGET, solvers=solvers)
            if isinstance(one, Found):
                found.append(Edge(one, inside))
    return found


def conditions_of(meaning: Meaning, item: LeftOpen) -> tuple[Term, ...]:
    """The terms that the edges of an item depend on: items with the same ones, of the same inputs, have the same
    edges."""
    return (*_allowed(meaning), left_open_by(meaning, item), _condition(meaning, item))


def is_left_open(meaning: Meaning, item: LeftOpen | None, assignment: Assignment) -> bool | None:
    """Return whether the item alone leaves something open for an allowed input; None if that has no value, or the
    input is none of this text. An item that there is not leaves nothing open."""
    if item is None:
        return False
    if not fits(meaning.given, assignment):
        return None
    return _holds(meaning, (*_allowed(meaning), left_open_by(meaning, item)), assignment)


def _allowed(meaning: Meaning) -> tuple[Term, ...]:
    """The conditions on input under which a gap is one."""
    return (*meaning.hypotheses, meaning.valid, not_(meaning.failing))


def _is_small(meaning: Meaning, item: LeftOpen) -> Term:
    """The condition that no axis of the output is long: an item about values is asked at each index of a candidate."""
    if item.reach is not Reach.VALUE or item.rule.output not in meaning.shapes:
        return TRUE
    shape = meaning.shapes[item.rule.output]
    return forall(ZERO, sub(shape.rank, ONE), lambda k: le(shape.dim(k), integer(_SIZE)))


def _tells(meaning: Meaning, conditions: Sequence[Term], edge: Edge) -> bool:
    """Return whether an edge that is known shows the same change."""
    return _holds(meaning, conditions, edge.found.assignment) is True


def _holds(meaning: Meaning, conditions: Sequence[Term], assignment: Assignment) -> bool | None:
    facts = interpretation(meaning.given, assignment)
    try:
        return all(evaluate(condition, facts) for condition in conditions)
    except Undefined:
        return None


def _condition(meaning: Meaning, item: LeftOpen) -> Term:
    """The condition of an item, at some index where it is about a value."""
    if item.reach is not Reach.VALUE:
        return item.when(None)
    if item.rule.output not in meaning.shapes:
        return FALSE  # There is no index to ask of.
    place = Symbol("place", (), INDEX)
    return item.when(place())


def _changed(item: LeftOpen, number: int) -> LeftOpen:
    """The item with one change in its condition."""
    condition = item.condition
    return replace(item, condition=Abstraction(condition.variables, _changes(condition.body)[number]))


def _changes(condition: Term) -> list[Term]:
    """The conditions with one part changed, in the order of the text: for one item always the same ones."""
    made: list[Term] = []
    for part in dict.fromkeys(_parts(condition)):
        for other in _beside(part):
            made += replace_nodes([condition], {part: other})
    return made


def _parts(condition: Term) -> Iterator[Term]:
    """The conditions that a condition is put together of by connectives and quantifiers."""
    if condition.op in _JUNCTIONS:
        for arg in condition.args:
            yield from _parts(arg)
    elif condition.op in _BINDERS:
        yield from _parts(condition.args[-1])
    elif condition.sort == BOOL and condition.op is not ops.LITERAL:
        yield condition


def _beside(part: Term) -> list[Term]:
    """A comparison moved by one step to either side; any other condition turned into its opposite."""
    if part.op in (ops.AT_MOST, ops.EQUAL) and part.args[0].sort in (INT, REAL):
        one, other = part.args
        if one.sort == INT and part.op is ops.AT_MOST:
            return [le(add(one, ONE), other), le(one, add(other, ONE))]
        if one.sort == INT:
            return [eq(one, add(other, ONE)), eq(add(one, ONE), other)]
        if part.op is ops.AT_MOST:
            return [lt(one, other)]
    return [not_(part)]
