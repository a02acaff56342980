"""The terms of the statements of a text, so that two texts can be compared in all that they claim."""

from __future__ import annotations

from pathlib import Path

from sonnx_verify.language.context import Context
from sonnx_verify.language.project import Project
from sonnx_verify.logic.sorts import ELEMENT
from sonnx_verify.obligations.obligation import Statement
from sonnx_verify.solving.check.collect import collect
from sonnx_verify.solving.check.work import Work

ROOT = Path(__file__).parents[2]


def statements(path: Path) -> dict[str, list[int]]:
    """The terms of each statement of a text, on abstract elements and on each type, with its side conditions."""
    found = {}
    for obligation in collect(Project.of_files(ROOT, [path])):
        if obligation.answer is None:
            work = Work(obligation)
            found[obligation.id] = [term for sort in (ELEMENT, *obligation.types) for term in terms(*work.on(sort))]
    return found


def terms(statement: Statement, context: Context) -> list[int]:
    """The terms of a statement, and of what was noted on the way."""
    made = [*statement.hypotheses, *(side.formula for side in context.sides)]
    for claim in statement.claims:
        made += [*claim.hypotheses, claim.goal]
    made += [condition for wanted in statement.wanted for condition in wanted.conditions]
    return [term.digest for term in made]
