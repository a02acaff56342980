"""The exception for an input without a result, with the clause and the words of `eval`.

A plan only finds out that some condition fails. The reference evaluator says which, so that both report the same
clause."""

from __future__ import annotations

from sonnx_verify.errors import ClauseViolated, LeftUnspecified, NoResult
from sonnx_verify.language.files import Unit
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.project import Project
from sonnx_verify.language.syntax import ClauseKind
from sonnx_verify.results.concrete import Assignment
from sonnx_verify.solving.inputs.outcome_lines import clause_lines, open_line
from sonnx_verify.solving.inputs.replay import clauses_of, look_for_gaps


def no_result(project: Project, unit: Unit, meaning: Meaning, assignment: Assignment, problem: str) -> NoResult:
    """The exception for an input that has no result, or none that is determined: where no clause says so, because of
    the problem."""
    outcome = clauses_of(project, unit, meaning, assignment, why=True)
    if not (outcome.undeclared or outcome.broken or outcome.errors):
        look_for_gaps(meaning, assignment, outcome)
    lines = tuple(clause_lines(outcome, why=False))
    if outcome.undeclared:
        name = next(iter(outcome.undeclared))
        return ClauseViolated(f"{unit.operator}: `{name}` does not match its declaration", name, "", lines)
    broken = [c[0] for c in outcome.broken] or outcome.errors
    if broken:
        clause = broken[0].clause
        says = "is violated"
        if clause.kind is ClauseKind.ERROR:
            says = "applies"
        text = f"{unit.operator}: [{clause.tag}] {says}: {clause.title}"
        return ClauseViolated(text, clause.tag, clause.title, lines)
    if outcome.left_open:
        rule = outcome.left_open[0]
        return LeftUnspecified(f"{unit.operator}: {open_line(rule)}", rule.tag, rule.title)
    return NoResult(f"{unit.operator} has no result here: {problem or 'it is not determined'}")
