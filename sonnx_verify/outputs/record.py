"""The findings of a run of `check`, `lint` or `conform`, in the one form that every output is made of.

Commands make a run of their results, and outputs print its fields; no output reads what another one printed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from sonnx_verify.results.place import Place

PASSED, NOTED, FAILED, UNDECIDED, BROKEN = "passed", "noted", "failed", "undecided", "broken"
"""The outcomes of a case: as it should be; so too, but readers have to know of it; a finding; not known; it could not
be looked at."""
LEVELS = ("error", "warning", "note")


@dataclass(frozen=True, slots=True)
class Case:
    """One thing that was looked at. `suite` and `name` identify it, `rule` says what it is about, `level` is one of
    LEVELS for what did not pass. `title` is one line, `lines` all that is told, a counterexample among them."""

    suite: str
    name: str
    outcome: str
    rule: str
    title: str = ""
    lines: tuple[str, ...] = ()
    level: str = "error"
    place: Place | None = None
    facts: Mapping[str, str] = field(default_factory=dict)
    identity: str = ""
    """A text that stays the same if its place moves; the name, if it is empty."""
    family: str = ""
    """The element-type family that it is about, of something that is looked at for several families."""
    seconds: float = 0.0
    """The time that it took; 0 if the run was not measured, so that the same texts make the same bytes."""

    @property
    def text(self) -> str:
        """All that is told of it."""
        return "\n".join(self.lines) or self.title


@dataclass(frozen=True, slots=True)
class Mistake:
    """One mistake of a text: the cases that tell it, one for each family that shows it. All have the same rule,
    place, outcome and title."""

    cases: tuple[Case, ...]
    number: int = 1
    """Its place among those of the same identity: a clause may fail in two ways, each for other families."""

    @property
    def case(self) -> Case:
        """The case whose lines are told; those of the others differ in the element type alone."""
        return self.cases[0]

    @property
    def title(self) -> str:
        """The mistake in one line, with the families that show it."""
        families = ", ".join(case.family for case in self.cases if case.family)
        if not families:
            return self.case.title or self.case.name
        return f"{self.case.title} ({families})"

    @property
    def names(self) -> list[str]:
        """The names of its cases."""
        return [case.name for case in self.cases]

    @property
    def text(self) -> str:
        """All that is told of the first case, and the names of the others."""
        if len(self.cases) == 1:
            return self.case.text
        return f"{self.case.text}\nthe same in {', '.join(self.names[1:])}"

    @property
    def fingerprint(self) -> str:
        """A hash that tells it from others. It has no line, also none that a title names: a mistake that moves stays
        the same."""
        file = "" if self.case.place is None else self.case.place.file
        parts = (self.case.rule, self.case.identity or self.case.name, str(self.number), file)
        return sha256("\0".join(parts).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class About:
    """A rule, or a kind of obligation: its subject in a sentence, and the cure for what does not hold."""

    name: str
    sentence: str
    help: str
    level: str = "error"
    page: str = ""
    """The document with a section of this name, without its ending; empty if there is none."""


@dataclass(frozen=True, slots=True)
class Links:
    """Addresses that a run points to, each empty if it is not given: `docs` of the documents of this tool, a star for
    the name of one, and `report` of the pages that `report` makes."""

    docs: str = ""
    report: str = ""

    def of_rule(self, about: About) -> str:
        """The address of the section about a rule; empty if it has none."""
        if not self.docs or not about.page:
            return ""
        return f"{self.docs.replace('*', about.page)}#{about.name}"


@dataclass(frozen=True, slots=True)
class Run:
    """A run of a command: its cases in their order, what their rules are about, and the lines that sum it up. `tools`
    are the solvers and targets with their versions, `extra` is Markdown for the summary of a job."""

    command: str
    cases: Sequence[Case]
    rules: Sequence[About]
    summary: Sequence[str]
    tools: Mapping[str, str] = field(default_factory=dict)
    extra: Sequence[str] = ()
    links: Links = Links()

    @property
    def counts(self) -> Counter[str]:
        """The number of cases of each outcome."""
        return Counter(case.outcome for case in self.cases)

    @property
    def findings(self) -> list[Case]:
        """The cases that did not pass."""
        return [case for case in self.cases if case.outcome not in (PASSED, NOTED)]

    @property
    def mistakes(self) -> list[Mistake]:
        """The findings, and what a reader has to know, those together that tell the same of several families."""
        alike: dict[tuple[object, ...], list[Case]] = {}
        for case in self.cases:
            if case.outcome == PASSED:
                continue
            # What is looked at once is a mistake of its own.
            apart = "" if case.family else case.name
            key = (case.suite, case.rule, case.identity, case.place, case.outcome, case.title, apart)
            alike.setdefault(key, []).append(case)
        made = []
        often: Counter[tuple[str, ...]] = Counter()
        for cases in alike.values():
            one = cases[0]
            same = (one.suite, one.rule, one.identity or one.name)
            often[same] += 1
            made.append(Mistake(tuple(cases), often[same]))
        return made

    def rule_of(self, mistake: Mistake) -> About:
        """The rule that a mistake breaks."""
        return next(about for about in self.rules if about.name == mistake.case.rule)

    def links_of(self, mistake: Mistake) -> list[str]:
        """The lines that say where more is said of a mistake: about its rule, and in the report."""
        named = {"rule": self.links.of_rule(self.rule_of(mistake)), "report": self.links.report}
        return [f"{name}: {url}" for name, url in named.items() if url]
