"""The exception for an input without a result, with the clause and the words of `eval`.

A plan only finds out that some condition fails. The reference evaluator says which, so that both report the same
clause."""

from __future__ import annotations

from collections.abc import Mapping

from sonnx_verify.errors import ClauseViolated, LeftUnspecified, NoResult
from sonnx_verify.language.files import Unit
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.project import Project
from sonnx_verify.language.syntax import ClauseKind, Reach
from sonnx_verify.logic.evaluator import evaluate
from sonnx_verify.logic.evaluator_values import Undefined
from sonnx_verify.logic.terms import Symbol, Term
from sonnx_verify.results.concrete import Assignment
from sonnx_verify.solving.inputs.inputs import interpretation
from sonnx_verify.solving.inputs.outcome_lines import clause_lines
from sonnx_verify.solving.inputs.replay import clauses_of


def no_result(project: Project, unit: Unit, meaning: Meaning, assignment: Assignment, problem: str) -> NoResult:
    """The exception for an input that has no result, or none that is determined: where no clause says so, because of
    the problem."""
    outcome = clauses_of(project, unit, meaning, assignment, why=True)
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
    return _left_open(unit, meaning, assignment, problem)


def _left_open(unit: Unit, meaning: Meaning, assignment: Assignment, problem: str) -> NoResult:
    facts = interpretation(meaning.given, assignment)
    for item in meaning.left_open:
        # An element that is left open is a result all the same: any value conforms there.
        if item.reach is Reach.VALUE or not _holds(item.when(None), facts):
            continue
        rule = item.rule
        text = f"the {item.reach} is left open: {rule.title}"
        if rule.tag:
            text = f"[{rule.tag}] {text}"
        return LeftUnspecified(f"{unit.operator}: {text}", rule.tag, rule.title)
    return NoResult(f"{unit.operator} has no result here: {problem or 'it is not determined'}")


def _holds(condition: Term, facts: Mapping[Symbol, object]) -> bool:
    try:
        return evaluate(condition, facts) is True
    except (Undefined, KeyError):
        # A condition that has no value here is no reason.
        return False
