"""The formulas of a page held against the formal text: decided as `check` decides.

In: a formal text, the page beside it, a way to decide. Out: for each family and tag with a formula, the worst of what
came of its formulas. That a formula is equivalent to the clause is stated in equivalence/formulas.py; what is proved is
of the formula as it was read, and of the page no more than its reader finds it to say the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sonnx_verify.language.places import root_here
from sonnx_verify.language.project import Project
from sonnx_verify.language.sections import line_of_section
from sonnx_verify.logic.verdict import FINDINGS, GOOD, VerdictName
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.pages.formulas.of_page import PageFormula, formulas_of
from sonnx_verify.pages.reading.page import Page
from sonnx_verify.results.result import Result
from sonnx_verify.sources import Span

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
        """The place among those of one formula in the sections of a family: worse ones first."""
        if self.verdict in FINDINGS:
            return 0
        if self.verdict in GOOD:
            return 3
        # Undecided, then unread. Both are worse than proved: what could not be read in one section is not proved,
        # whatever came of the others.
        if self.verdict:
            return 1
        return 2


def worst(by_formula: Iterable[Outcome]) -> Outcome:
    """The outcome of several formulas about one clause: of those that were read, the worst. One that was not read takes
    nothing from another."""
    return min(by_formula, key=lambda made: (not made.verdict, made.rank))


Decide = Callable[[Project, Sequence[Obligation]], Iterable[Result]]
"""Decides obligations of a project, or recalls what came of them: their results in their order."""


def outcomes_of(path: Path, page: Page, decide: Decide) -> dict[Tagged, Outcome]:
    """The worst outcome for each family and tag that the page has a formula for. `path` is the formal text. Raises
    UserError where that cannot be read."""
    project = Project.of_files(root_here(), [path])
    units = [unit for unit in project.units if not unit.text and unit.file is not None]
    if not units:
        return {}
    file = units[-1].file
    assert file is not None
    found = list(formulas_of(project, units[-1], page))
    asked = [one.obligation for one in found if one.obligation is not None]
    results = iter(list(decide(project, asked)))
    # A formula has an outcome for each section of its family, and a tag may have several formulas.
    each: dict[Tagged, dict[Span, list[Outcome]]] = {}
    taken: dict[Tagged, set[str]] = {}
    for one in found:
        key = (line_of_section(file, one.family) or "", one.tag)
        each.setdefault(key, {}).setdefault(one.span, []).append(_outcome(one, results))
        taken.setdefault(key, set()).update(one.lets)
    made: dict[Tagged, Outcome] = {}
    for key, by_span in each.items():
        made[key] = worst(min(outcomes, key=lambda outcome: outcome.rank) for outcomes in by_span.values())
    return {key: _with_assumptions(key, made, names) for key, names in taken.items()}


def _outcome(one: PageFormula, results: Iterator[Result]) -> Outcome:
    """The outcome of a formula; the next result is its own, where it has an obligation."""
    if one.obligation is None:
        return Outcome("", one.unread, one.text, None, one.span)
    result = next(results)
    return Outcome(result.verdict, "", one.text, result, one.span, "", one.definitions, one.names)


def _with_assumptions(key: Tagged, made: dict[Tagged, Outcome], taken: set[str]) -> Outcome:
    """An outcome with the names of `let` items that it was read with, unless the page is proved to define them so."""
    family, tag = key
    # The page may call something r and mean another thing by it than the `let` r of the formal text.
    proved = {name for (there, name), one in made.items() if there == family and one.verdict == VerdictName.PROVED}
    names = sorted(taken - proved - {tag})
    if not names or not made[key].verdict:
        return made[key]
    mean = "means" if len(names) == 1 else "mean"
    return replace(made[key], assumed=f"{' and '.join(names)} {mean} what the formal text says")
