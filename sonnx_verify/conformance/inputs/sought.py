"""Inputs for single points, by the search that counterexamples are found with."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from sonnx_verify.conformance.inputs.left_open import open_name
from sonnx_verify.conformance.inputs.points import Input, Points
from sonnx_verify.language.syntax import ClauseKind, Reach
from sonnx_verify.logic.terms import Term, not_
from sonnx_verify.obligations.gaps import left_open_by
from sonnx_verify.solving.inputs.found import searched
from sonnx_verify.solving.inputs.inputs import Found
from sonnx_verify.solving.solvers import Solvers

_BUDGET = 2000
"""The number of candidates that the search looks at for one point."""


def sought(points: Points, missing: Collection[str]) -> Iterator[Input]:
    """The smallest input for each of the points that the search reaches, or that a solver finds an input for. Those for
    which a solver says that there is no small one are noted in `points.impossible`."""
    with Solvers() as solvers:
        for name, conditions in _conditions(points):
            if name not in missing:
                continue
            found = searched(points.meaning.given, conditions, _BUDGET, solvers=solvers)
            if not isinstance(found, Found):
                points.impossible.update([name] if found.without else [])
            else:
                yield {v.name: found.assignment[v.name] for v in points.meaning.given}


def only_left_open(points: Points, names: Collection[str]) -> set[str]:
    """Those of the ways that small inputs go, as a solver says, only where their outcome is left open."""
    meaning = points.meaning
    decided = (*_valid(points), not_(meaning.unspecified_outcome))
    found: set[str] = set()
    with Solvers() as solvers:
        for name in names:
            answer = searched(meaning.given, (*decided, not_(points.ways[name])), _BUDGET, solvers=solvers)
            if not isinstance(answer, Found) and answer.without:
                found.add(name)
    return found


def _valid(points: Points) -> tuple[Term, ...]:
    meaning = points.meaning
    return (*meaning.hypotheses, *meaning.arity, meaning.valid, not_(meaning.failing))


def _conditions(points: Points) -> Iterator[tuple[str, tuple[Term, ...]]]:
    """The points that are formulas of one input."""
    meaning = points.meaning
    # Clauses are about inputs that are as declared: of others they may have no value.
    declared = (*meaning.hypotheses, *meaning.arity)
    valid = _valid(points)
    for statement in points.statements:
        if statement.clause.kind is ClauseKind.ERROR:
            yield f"{statement.tag} applies", (*declared, statement.known)
            continue
        others = [s.known for s in points.statements if s is not statement and s.clause.kind is not ClauseKind.ERROR]
        yield f"{statement.tag} fails", (*declared, not_(statement.known))
        yield f"{statement.tag} fails alone", (*declared, *others, not_(statement.known))
    # A way that no valid input goes is met nowhere: `never` has to be false of a valid input.
    for name, never in points.ways.items():
        yield name, (*valid, not_(never))
    for item in meaning.left_open:
        if item.reach is not Reach.VALUE or item.rule.output in meaning.shapes:
            yield open_name(points.unit, item), (*valid, left_open_by(meaning, item))
