"""The inputs of an operator that its specification asks for."""

from __future__ import annotations

from sonnx_verify.conformance.inputs.case import Case
from sonnx_verify.conformance.inputs.filled import filled
from sonnx_verify.conformance.inputs.points import Points
from sonnx_verify.conformance.inputs.sought import sought
from sonnx_verify.conformance.inputs.structures import key_of, size_of, structures
from sonnx_verify.language.context import Context
from sonnx_verify.language.files import Unit
from sonnx_verify.language.project import Project


def cases_of(project: Project, unit: Unit, context: Context) -> list[Case]:
    """Inputs of one section of an operator, for one type of its elements, that exercise all that its specification
    says: the smallest first, each once, in the same order on every run."""
    return cases_at(Points(project, unit, context))


def cases_at(points: Points) -> list[Case]:
    """The same, of points that are there already."""
    taken = {key_of(a): a for a in structures(points)}
    # Where the outcome or the shape is open, special elements show nothing.
    valid = [a for a in sorted(taken.values(), key=size_of) if points.judge(a).valid and points.decided(a)]
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
