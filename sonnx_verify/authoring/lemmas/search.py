"""The lines that some open obligations of an operator need, and these obligations with them.

In: obligations of a text, and lines for it. Out: the fewest lines that were found with which those follow at once that
do not without, and the obligations as the text with these lines has them. Not trusted, but for one thing: what stands
for an obligation states the same. The theorems are hypotheses of its claims, as if an author had named them; what
proves them is in what it `uses`, and both solvers are asked of it as of any other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from sonnx_verify.authoring.explain.proof import answered
from sonnx_verify.authoring.lemmas.lines import Line, Theorems, added
from sonnx_verify.equivalence.states import counterpart
from sonnx_verify.errors import UserError
from sonnx_verify.language.files import Unit
from sonnx_verify.language.project import Project
from sonnx_verify.logic.effort import LADDER
from sonnx_verify.logic.enclosed import MissingFlint
from sonnx_verify.logic.sorts import ELEMENT
from sonnx_verify.logic.verdict import VerdictName
from sonnx_verify.obligations.obligation import Obligation, Statement
from sonnx_verify.obligations.orders import NotAbstract
from sonnx_verify.results.kinds import Kind
from sonnx_verify.solving.check.collect import of_unit
from sonnx_verify.solving.check.hints import Hinting
from sonnx_verify.solving.check.needed import needed_in
from sonnx_verify.solving.check.proof import Prover
from sonnx_verify.solving.check.run import run
from sonnx_verify.solving.check.work import Work, parts_of
from sonnx_verify.solving.solvers import Solvers

_KINDS = frozenset((Kind.IN_BOUNDS, Kind.TOTAL))
"""The kinds of obligations for which a theorem is looked for: a bound helps what has to have a meaning."""
_EFFORTS = LADDER[:2]
"""The efforts of a trial: what a bound is missing for follows with it at once."""


@dataclass(frozen=True, slots=True)
class Helped:
    """Obligations by their identities, as a text with some lines has them, and the project with that text."""

    project: Project
    lines: tuple[str, ...]
    obligations: Mapping[str, Obligation]


def with_lines(project: Project, unit: Unit, lines: Sequence[str]) -> Helped:
    """All obligations of a text as it has them with some lines. Raises the error of lines that do not fit."""
    # At the end, where they change no place in the text.
    text = "\n".join([project.files.text(unit.path).rstrip("\n"), "", *lines, ""])
    changed = project.with_texts({unit.place: text})
    return Helped(changed, tuple(lines), {one.id: one for one in of_unit(changed, counterpart(changed, unit))})


@dataclass(slots=True)
class Search:
    """Searches the texts of a project, with some solvers and the hints of its proofs."""

    project: Project
    solvers: Solvers
    hinting: Hinting
    theorems: Theorems = field(init=False)

    def __post_init__(self) -> None:
        self.theorems = Theorems(self.project)

    def helped(self, path: Path, obligations: Sequence[Obligation] | None = None) -> Helped | None:
        """Those of the obligations of a file, or of some, that theorems help which it does not name; None where there
        are none. A mistake in the text is none of what is looked for here."""
        units = self.project.units_in(path)
        # At the end of a file stands its last version or text: lines there are none of the others.
        lines = self.theorems.lines_for(units[0]) if len(units) == 1 else []
        if not lines:
            return None
        try:
            asked = of_unit(self.project, units[0]) if obligations is None else obligations
        except UserError:
            return None
        trials = _Trials(self.project, units[0], Prover(self.solvers, self.hinting.known))
        left = {one.id: one for one in asked if one.kind in _KINDS and not trials.follows(one)}
        if not left:
            return None
        lines, made = trials.made_with(lines)
        if made is None:
            return None
        closed = [name for name in left if name in made.obligations and trials.follows(made.obligations[name])]
        # From the last: those of one's own theorems come first.
        for line in [*reversed(lines)] if closed else []:
            fewer = [one for one in lines if one is not line]
            tried = trials.with_lines(fewer)
            if tried is not None and all(trials.follows(tried.obligations[name]) for name in closed):
                lines, made = fewer, tried
        same = {n: made.obligations[n] for n in closed if states_the_same(left[n], made.obligations[n])}
        same = {n: same[n] for n in self._proved(made.project, list(same.values()))}
        return replace(made, obligations=same) if same else None

    def _proved(self, project: Project, obligations: Sequence[Obligation]) -> list[str]:
        """The identities of those that are proved with all that they rest on: what is false proves anything, and would
        hide a counterexample."""
        try:
            needed = needed_in(project, obligations)
            records = list(run(obligations, self.solvers, needed, hinting=self.hinting))
        except UserError:
            return []
        return [record.id for record in records if record.verdict.name is VerdictName.PROVED]


@dataclass(frozen=True, slots=True)
class _Trials:
    project: Project
    unit: Unit
    prover: Prover

    def made_with(self, lines: Sequence[Line]) -> tuple[list[Line], Helped | None]:
        """Those of the lines that fit the text, and the obligations with them."""
        made = self.with_lines(lines)
        if made is not None:
            return list(lines), made
        kept = [fitting for line in lines if (fitting := self._fitting(line)) is not None]
        return kept, self.with_lines(kept)

    def _fitting(self, line: Line) -> Line | None:
        """The line, or what it is otherwise, as it fits the text; None where neither does."""
        for text in filter(None, (line.text, line.otherwise)):
            one = Line(line.use, text)
            if self.with_lines([one]) is not None:
                return one
        return None

    def with_lines(self, lines: Sequence[Line]) -> Helped | None:
        """The obligations with some lines; None where these do not fit."""
        try:
            made = with_lines(self.project, self.unit, added(lines))
            for one in made.obligations.values():
                if one.kind in _KINDS and one.build is not None:
                    Work(one).state()
        except UserError:
            return None
        return made

    def follows(self, obligation: Obligation) -> bool:
        """Return whether an obligation follows along hints or at once, on abstract elements or on the first type. One
        that cannot be stated does not, with lines or without."""
        try:
            return obligation.build is None or any(map(self._is_proved, _statements(obligation)))
        except (UserError, MissingFlint, RecursionError):
            return False

    def _is_proved(self, statement: Statement) -> bool:
        claims = parts_of(statement)
        if answered(self.prover.replay(claims)).complete:
            return True
        return answered(self.prover.prove(claims, _EFFORTS, final=False)).complete


def _statements(obligation: Obligation) -> list[Statement]:
    """The statement on abstract elements, where there is one, and on the first type."""
    work, made = Work(obligation), []
    for sort in (ELEMENT, *obligation.types[:1]):
        try:
            made.append(work.on(sort)[0])
        except NotAbstract:
            continue
    return made


def states_the_same(one: Obligation, other: Obligation) -> bool:
    """Return whether two obligations state the same, but for the theorems that they take for known."""
    return [*map(_without_lemmas, _statements(one))] == [*map(_without_lemmas, _statements(other))]


def _without_lemmas(statement: Statement) -> Statement:
    return replace(statement, claims=tuple(replace(claim, lemmas=()) for claim in statement.claims))
