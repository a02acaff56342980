"""The findings of `lint` as a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from sonnx_verify.outputs.record import FAILED, PASSED, About, Case, Run
from sonnx_verify.pages.lint.finding import Finding, Severity
from sonnx_verify.pages.lint.rules import RULES
from sonnx_verify.results.place import Place
from sonnx_verify.results.text import framed

UNREADABLE = About("unreadable", "A part of a page cannot be read.", "Write it as other pages do.")
CLEAN = About("page", "A page has no finding.", "")


def run_of_lint(pages: Sequence[str], findings: Sequence[Finding], summary: Sequence[str]) -> Run:
    """A case for each finding, and for each page that has none. Notes are told, and pass."""
    cases = []
    for page in pages:
        own = [f for f in findings if f.span.source.name == page]
        often: Counter[tuple[object, ...]] = Counter()
        for finding in own:
            at, said = (finding.span.line, finding.span.column, finding.rule), (finding.rule, finding.message)
            often[at] += 1
            often[said] += 1
            cases.append(_case(finding, often[at], often[said]))
        if not own:
            cases.append(Case(page, page, PASSED, CLEAN.name, "no finding", level="note", place=Place(page)))
    used = {case.rule for case in cases}
    page = "lint-rules"
    rules = [About(r.name, r.about, f"{r.about} See docs/{page}.md.", r.severity, page) for r in RULES.values()]
    return Run("lint", cases, [about for about in (*rules, UNREADABLE, CLEAN) if about.name in used], summary)


def _case(finding: Finding, number: int, same: int) -> Case:
    place = Place.of(finding.span)
    lines = tuple(line for line in (finding.message, framed("to fix: ", finding.fix)) if line)
    outcome = PASSED if finding.severity is Severity.NOTE else FAILED
    name = f"{place.file}:{place.line}:{place.column} {finding.rule}"
    # Servers tell tests apart by their names, and a rule may have two findings at one place.
    if number > 1:
        name = f"{name} ({number})"
    # The identity has no line: a finding stays the same if lines are added above it.
    return Case(place.file, name, outcome, finding.rule, finding.message, lines, finding.severity, place,
                identity=f"{place.file} {finding.rule} {finding.message} {same}")  # fmt: skip  # a table
