"""The inputs of an operator that its specification asks for: small ones first, and for the points that none of them
meets, those that the search for counterexamples finds."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from sonnx_verify.conformance.inputs.points import Input, Points, open_name
from sonnx_verify.conformance.inputs.small_inputs import filled, key_of, size_of, structures
from sonnx_verify.language.context import Context
from sonnx_verify.language.files import Unit
from sonnx_verify.language.project import Project
from sonnx_verify.language.syntax import ClauseKind, Reach
from sonnx_verify.logic.terms import Term, not_
from sonnx_verify.obligations.gaps import left_open_by
from sonnx_verify.results.concrete import Concrete
from sonnx_verify.solving.inputs.found import searched
from sonnx_verify.solving.inputs.inputs import Found
from sonnx_verify.solving.solvers import Solvers

_BUDGET = 2000
"""The number of candidates that the search looks at for one point."""


@dataclass(frozen=True, slots=True)
class Case:
    """An input for one section of a specification and one type of its elements.

    `assignment` has a value for every variable but the outputs, with LEFT_OUT for what is omitted. `exercises` names
    the points that the input meets, see points.py.
    """

    context: Context
    assignment: dict[str, Concrete]
    exercises: tuple[str, ...]


def cases_of(project: Project, unit: Unit, context: Context) -> list[Case]:
    """Inputs of one section of an operator, for one type of its elements, that exercise all that its specification
    says: the smallest first, each once, in the same order on every run."""
    return cases_at(Points(project, unit, context))


def cases_at(points: Points) -> list[Case]:
    """The same, of points that are there already."""
    taken = {key_of(a): a for a in structures(points)}
    # Where the outcome or the shape is open, special elements show nothing.
    valid = [a for a in sorted(taken.values(), key=size_of) if points.is_sound(a)]
    for assignment in filled(points, valid):
        # A clause may speak of the elements after all, as "no element is NaN".
        if points.judge(assignment).valid:
            taken.setdefault(key_of(assignment), assignment)
    told = {key: points.met(a) for key, a in taken.items()}
    missing = {*points.clause_names, *points.branch_names, *points.open_names}
    missing = missing.difference(*told.values())
    # Small inputs meet most points in no time; the search takes seconds, and is asked for the rest alone.
    if missing:
        for assignment in sought(points, missing):
            key = key_of(assignment)
            taken.setdefault(key, assignment)
            told[key] = points.met(assignment)
    cases = [Case(points.context, a, told[key]) for key, a in taken.items()]
    return sorted(cases, key=lambda c: size_of(c.assignment))


# ------------------------------------------------------------------------------------- points that no small input meets


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
