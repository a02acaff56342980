"""`explain` of an obligation."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import click

from sonnx_verify.api.asking import asking
from sonnx_verify.api.hints import hints_in
from sonnx_verify.api.select import one
from sonnx_verify.arrays.pinned import pinned_by_standard
from sonnx_verify.authoring.explain.alone import Alone
from sonnx_verify.authoring.explain.needs import PROOFS, Need, clauses_needed
from sonnx_verify.authoring.explain.rested import decided
from sonnx_verify.authoring.lemmas.search import Search
from sonnx_verify.authoring.repair.proposals import unit_of
from sonnx_verify.authoring.repair.repair import Repair, Repaired, repaired
from sonnx_verify.cli.options import paint_of_output, print_json, tell_cache_problem
from sonnx_verify.language.project import Project
from sonnx_verify.logic.verdict import GOOD, VerdictName
from sonnx_verify.outputs.console import line_of
from sonnx_verify.outputs.explanation import ExplainedObligationJson, clause_need_json, repair_json
from sonnx_verify.outputs.findings import quoted_finding
from sonnx_verify.outputs.wanted import Form
from sonnx_verify.results.answer_json import obligation_json
from sonnx_verify.results.example import example_line
from sonnx_verify.results.kinds import Kind
from sonnx_verify.results.result import Result
from sonnx_verify.results.text import counted_text
from sonnx_verify.solving.check.record import Record
from sonnx_verify.solving.check.run import usable_cores
from sonnx_verify.solving.check.telling import MENDED, can_be_mended, result_of

OPEN = frozenset((VerdictName.UNKNOWN, VerdictName.CANDIDATE, VerdictName.INCONSISTENT))
"""The verdicts that leave the question of an obligation open: inconsistent hypotheses would prove anything."""


@dataclass(slots=True)
class _Answer:
    result: Result
    record: Record
    file: str
    project: Project
    clauses: dict[str, Need] = field(default_factory=dict)
    repaired: Repaired | None = None

    @property
    def decided(self) -> bool:
        """True if everything that was asked is known."""
        if self.record.verdict.name in OPEN:
            # A repair that is proved answers the question, whatever the text without it is.
            return self.repaired is not None and self.repaired.repair is not None
        if any(need.needed is None for need in self.clauses.values()):
            return False
        return self.repaired is None or self.repaired.decided


def explain_obligation(identity: str, form: Form) -> int:
    """Print the verdict on an obligation, and the clauses that its proof needs, or a clause that mends its text. Return
    3 if something of that stays undecided."""
    with asking(tell_cache_problem) as solvers:
        alone = Alone(solvers, usable_cores())
        selection, obligation = one(identity, at_once=True)
        project = selection.project
        lemmas: tuple[str, ...] = ()
        for path, asked in selection.of_files.items():
            found = Search(project, solvers, hints_in(project.root)).helped(path, asked)
            if found is not None:
                project, lemmas, obligation = found.project, found.lines, found.obligations[obligation.id]
        now = decided(project, [obligation], alone)
        record = now.joined(obligation)
        unit = unit_of(project, record.obligation)
        answer = _Answer(replace(result_of(record), lemmas=lemmas), record, obligation.span.source.name, project)
        if form is not Form.JSON:
            click.echo("\n".join(_verdict_lines(answer)))
        # Which clauses a proof needs is a question about an operator: a theorem names what it uses.
        is_proved = record.verdict.name is VerdictName.PROVED
        if is_proved and obligation.kind in PROOFS and obligation.version is not None:
            answer.clauses = clauses_needed(project, unit, now, obligation, alone)
        elif can_be_mended(record):
            answer.repaired = repaired(project, unit, record, alone)
    if form is Form.JSON:
        print_json(
            ExplainedObligationJson(
                obligation_json(answer.result),
                [clause_need_json(tag, need) for tag, need in answer.clauses.items()],
                repair_json(answer.file, answer.repaired),
            )
        )
    elif lines := _ground_lines(answer):
        click.echo("\n".join(lines))
    if not answer.decided:
        return 3
    return 0


def _verdict_lines(answer: _Answer) -> list[str]:
    """The verdict, which is known first."""
    result, paint = answer.result, paint_of_output()
    if answer.record.verdict.name in GOOD:
        pins = None
        if result.kind is Kind.REFINES:
            pins = pinned_by_standard(answer.project, unit_of(answer.project, answer.record.obligation))
        named = []
        if result.lemmas:
            named.append("  with theorems that the text does not name; `sonnx-verify check --fix` writes:")
            named += (f"    {line}" for line in result.lemmas)
        return [line_of(result, paint), *([] if pins is None else [f"  {pins}"]), *named]
    return quoted_finding(result, answer.project.root, paint)


def _ground_lines(answer: _Answer) -> list[str]:
    """The clauses that a proof needs, or a clause that mends the text."""
    record = answer.record
    lines = _clauses(answer) if answer.clauses else []
    if answer.repaired is not None:
        lines += _repair(answer.file, answer.repaired)
    elif record.verdict.name not in GOOD and record.obligation.kind not in MENDED:
        lines.append(f"no repair is looked for: a clause may mend {', '.join(MENDED[:-1])} and {MENDED[-1]}")
    return lines


def _clauses(answer: _Answer) -> list[str]:
    lines = []
    for tag, need in answer.clauses.items():
        record = need.without
        if need.through:
            lines.append(f"needs {tag}: resting on {need.through}, which fails without it")
            continue
        if record is None:
            continue
        # Needed is what a replayed input shows; that no proof was found without it shows nothing.
        if need.needed and need.shown is not None:
            lines.append(f"needs {tag}: violated without it: {record.verdict.reason}")
            lines.append(f"  {example_line(need.shown)}")
        elif need.needed is None:
            lines.append(f"may need {tag}: {record.verdict.name} without it: {record.verdict.reason}")
    spare = [tag for tag, need in answer.clauses.items() if need.needed is False]
    if spare:
        # Each by itself: that one is not needed may rest on another one.
        lines.append(f"does not need {', '.join(spare)}")
    return lines


def _repair(file: str, found: Repaired) -> list[str]:
    repair, tried = found.repair, counted_text(found.tried, "text")
    if repair is None and not found.tried:
        return ["repair: there is nothing simple to try"]
    if repair is None:
        sure = "not all of them were decided"
        if found.decided:
            sure = "each of them was shown not to"
        return [f"repair: nothing simple mends it and makes nothing else worse; {tried} tried, {sure}"]
    return [
        f"repair, checked: with this below {file}:{repair.made.below} it is proved, and nothing else is worse",
        *(f"    {line}" for line in repair.made.lines),
        f"  {_how_weak(repair)}",
    ]


def _how_weak(repair: Repair) -> str:
    if not repair.others:
        return "no other was found that does"
    found = counted_text(repair.others + 1, "clause")
    if repair.weakest:
        return f"the weakest of {found} that do: proved to accept all that the others accept"
    return f"the simplest of {found} that do: whether it accepts all that the others accept is not proved"
