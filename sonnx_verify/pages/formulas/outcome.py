"""The formulas of a page held against the formal text: decided as `check` decides.

In: a formal text, the page beside it, solvers. Out: for each family and tag with a formula, the worst of what came of
its formulas. That a formula is equivalent to the clause is stated in equivalence/formulas.py; what is proved is of the
formula as it was read, and of the page no more than its reader finds it to say the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from sonnx_verify.errors import Span
from sonnx_verify.language.families import line_of_section
from sonnx_verify.language.places import root_here
from sonnx_verify.language.project import Project
from sonnx_verify.logic.verdict import FINDINGS, GOOD, VerdictName
from sonnx_verify.pages.formulas.of_page import PageFormula, formulas_of
from sonnx_verify.pages.reading.page import Page
from sonnx_verify.results.result import Result
from sonnx_verify.solving.check.needed import Watch, decided_in, unwatched
from sonnx_verify.solving.check.record import Record
from sonnx_verify.solving.check.telling import result_of
from sonnx_verify.solving.solvers import Solvers

Tagged = tuple[str, str]
"""A family and the tag of a part."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of the formulas of a page that are about one clause: a verdict of what was read, or empty and why
    nothing was; the result behind it. `text` is what was read, in the language."""

    verdict: str
    unread: str
    text: str
    result: Result | None = None
    span: Span | None = None
    assumed: str = ""
    """The names that are taken to mean on the page what they mean in the formal text."""
    definitions: tuple[tuple[str, int], ...] = ()
    """The definitions of the page that it was read with: the name, and the line."""
    names: tuple[str, ...] = ()
    """The names of the formal text that it was read with."""

    @property
    def rank(self) -> int:
        """Among those of one formula in the sections of a family: worse ones first. What could not be read in one of
        them is not proved, whatever came of the others."""
        if self.verdict in FINDINGS:
            return 0
        if self.verdict in GOOD:
            return 3
        return 1 if self.verdict else 2


def worst(by_formula: Iterable[Outcome]) -> Outcome:
    """The outcome of several formulas about one clause: of those that were read, the worst. One that was not read takes
    nothing from another."""
    return min(by_formula, key=lambda made: (not made.verdict, made.rank))


def outcomes_of(
    path: Path, page: Page, solvers: Solvers, jobs: int = 1, watch: Watch = unwatched
) -> dict[Tagged, Outcome]:
    """The worst outcome for each family and tag that the page has a formula for. `path` is the formal text. Raises
    UserError where that cannot be read."""
    project = Project.of_files(root_here(), [path])
    units = [u for u in project.units if not u.text and u.file is not None]
    if not units:
        return {}
    file = units[-1].file
    assert file is not None
    found = list(formulas_of(project, units[-1], page))
    asked = [one.obligation for one in found if one.obligation is not None]
    records = iter(list(decided_in(project, asked, solvers, jobs, watch)))
    each: dict[Tagged, dict[Span, Outcome]] = {}
    taken: dict[Tagged, set[str]] = {}
    for one in found:
        key = (line_of_section(file, one.family) or "", one.tag)
        now = _outcome(one, records)
        formula = each.setdefault(key, {})
        formula[one.span] = min(formula.get(one.span, now), now, key=lambda a: a.rank)
        taken.setdefault(key, set()).update(one.lets)
    made = {key: worst(formula.values()) for key, formula in each.items()}
    return {key: _with_assumptions(key, made, taken[key]) for key in made}


def _outcome(one: PageFormula, records: Iterator[Record]) -> Outcome:
    """The outcome of a formula; the next record is its own, where it has an obligation."""
    if one.obligation is None:
        return Outcome("", one.unread, one.text, None, one.span)
    result = result_of(next(records))
    return Outcome(result.verdict, "", one.text, result, one.span, "", one.definitions, one.names)


def _with_assumptions(key: Tagged, made: dict[Tagged, Outcome], taken: set[str]) -> Outcome:
    """An outcome with the names of `let` items that it was read with, unless the page is proved to define them so."""
    family, tag = key
    proved = {n for n in taken if (family, n) in made and made[(family, n)].verdict == VerdictName.PROVED}
    names = sorted(taken - proved - {tag})
    if not names or not made[key].verdict:
        return made[key]
    mean = "mean" if len(names) > 1 else "means"
    return replace(made[key], assumed=f"{' and '.join(names)} {mean} what the formal text says")
