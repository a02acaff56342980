"""The formulas of a page, as they are read, compared with the formal text beside it: decided as `check` decides."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from sonnx_verify.api.select import used_in
from sonnx_verify.errors import Span
from sonnx_verify.language.families import line_of_section
from sonnx_verify.language.places import root_here
from sonnx_verify.language.project import Project
from sonnx_verify.outputs.console import finding_lines
from sonnx_verify.pages.formulas.of_page import formulas_of
from sonnx_verify.pages.formulas.outcome import Outcome, worst
from sonnx_verify.pages.reading.page import Page
from sonnx_verify.progress import shown
from sonnx_verify.solving.check.run import run
from sonnx_verify.solving.check.telling import result_of
from sonnx_verify.solving.check.uses import needed_by
from sonnx_verify.solving.solvers import Solvers


def outcomes_of(path: Path, page: Page, solvers: Solvers, jobs: int | None = None) -> dict[tuple[str, str], Outcome]:
    """Of each family and tag that the page has a formula for, the worst of what came of them. `path` is the formal
    text. Raises UserError where that cannot be read."""
    project = Project.of_files(root_here(), [path])
    each: dict[tuple[str, str], dict[Span, Outcome]] = {}
    taken: dict[tuple[str, str], set[str]] = {}
    units = [u for u in project.units if not u.text and u.file is not None]
    if not units:
        return {}
    file = units[-1].file
    assert file is not None
    found = list(formulas_of(project, units[-1], page))
    asked = [one.obligation for one in found if one.obligation is not None]
    records = run(asked, solvers, needed_by(asked, used_in(project)), 1 if jobs is None else jobs)
    decided = shown(records, len(asked), "formulas")
    for one in found:
        key = (line_of_section(file, one.family) or "", one.tag)
        if one.obligation is None:
            now = Outcome("", one.unread, one.text, (), one.span)
        else:
            record = next(decided)
            if record.error is not None:
                raise record.error
            answer = result_of(record)
            lines = tuple(finding_lines(answer))
            now = Outcome(answer.verdict, "", one.text, lines, one.span, "", one.definitions, one.names)
        formula = each.setdefault(key, {})
        formula[one.span] = min(formula.get(one.span, now), now, key=lambda a: a.rank)
        taken.setdefault(key, set()).update(one.lets)
    made = {key: worst(formula.values()) for key, formula in each.items()}
    for (family, tag), now in made.items():
        proved = {n for n in taken[(family, tag)] if (family, n) in made and made[(family, n)].verdict == "proved"}
        names = sorted(taken[(family, tag)] - proved - {tag})
        if names and now.verdict:
            said = f"{' and '.join(names)} {'mean' if len(names) > 1 else 'means'} what the formal text says"
            made[(family, tag)] = replace(now, assumed=said)
    return made
