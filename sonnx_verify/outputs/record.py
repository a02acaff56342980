"""The findings of a run of `check`, `lint` or `conform`, in the one form that every output is made of.

Commands make a run of their results, and outputs print its fields; no output reads what another one printed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from sonnx_verify.results.place import Place
from sonnx_verify.results.text import framed

PASSED, NOTED, FAILED, UNDECIDED, BROKEN = "passed", "noted", "failed", "undecided", "broken"
"""The outcomes of a case: passed; passed, but readers must know of it; a finding; undecided; not checked."""
LEVELS = ("error", "warning", "note")
Key = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """One checked thing. `suite` and `name` identify it, `rule` says what it is about. `level` is one of LEVELS, and
    counts only if the case did not pass. `title` is one line; `lines` has the whole message with any counterexample."""

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
    presumes: tuple[str, ...] = ()
    """The rules without which it says nothing: it waits for a finding about one of them in its suite and family, if
    that is found on the same input, or on all."""
    shown: str = ""
    """The input that shows it, without the element type; empty if it is found on no input, or on all."""
    shapes: str = ""
    """The shapes and attributes of that input."""
    outside: str = ""
    """Those with which it reads an index outside, whatever the elements are."""
    seconds: float = 0.0
    """The time that it took; 0 if the run was not measured, so that the same texts make the same bytes."""

    @property
    def text(self) -> str:
        """The whole message."""
        return "\n".join(self.lines) or self.title

    @property
    def key(self) -> Key:
        """The key that all cases of one mistake share."""
        # A case without a family stands alone. A title may have the name of an obligation, with its family.
        apart = "" if self.family else self.name
        title = self.title.replace(f".{self.family}/", "/")
        return self.suite, self.rule, self.identity, self.place, self.outcome, title, apart, self.shown

    @property
    def subject(self) -> tuple[str, str, str]:
        """The suite, family and rule, by which cases find those that they wait for."""
        return self.suite, self.family, self.rule

    def awaited(self, known: Mapping[tuple[str, str, str], Sequence[Case]]) -> Key | None:
        """The key of the mistake that it waits for, among cases by suite, family and rule."""
        # What is merely undecided, or fails elsewhere, hides no counterexample.
        for rule in self.presumes:
            for case in known.get((self.suite, self.family, rule), ()):
                depends = case.shown in ("", self.shown) or (case.outside and case.outside == self.shapes)
                if self.outcome == UNDECIDED or (case.outcome == FAILED and depends):
                    return case.key
        return None


@dataclass(frozen=True, slots=True)
class Mistake:
    """A mistake of a text: one case for each family that shows it, all with the same rule, place, outcome, title and
    input. `waiting` are the findings that depend on it."""

    cases: tuple[Case, ...]
    number: int = 1
    """Its place among those of the same identity: a clause may fail in two ways, each for other families."""
    waiting: tuple[Case, ...] = ()

    @property
    def case(self) -> Case:
        """The case whose lines are told; those of the others are found on the same input, of another element type."""
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
    def more(self) -> list[str]:
        """The other families that show it, and what waits, with the verdict that it has meanwhile."""
        same = framed("the same in ", ", ".join(case.family for case in self.cases[1:]))
        alike: dict[tuple[str, str], list[str]] = {}
        for case in self.waiting:
            alike.setdefault((case.identity, case.facts.get("verdict", "")), []).append(case.name)
        lines = [same]
        for (_, verdict), names in alike.items():
            others, word = (f" and {len(names) - 1} more", "wait") if len(names) > 1 else ("", "waits")
            lines.append(f"{names[0]}{others}{framed(' (', verdict, ')')} {word} for this")
        return [line for line in lines if line]

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines of the first case, then the page sentences of the others, their families, and what waits."""
        own = self.case.lines or (self.case.title,)
        pages = dict.fromkeys(line for case in self.cases for line in case.lines if line.startswith("  page: "))
        return (*own, *(line for line in pages if line not in own), *(f"  {line}" for line in self.more))

    @property
    def line(self) -> str:
        """The first of its lines, and what there is more."""
        return "; ".join((self.lines[0], *self.more))

    @property
    def text(self) -> str:
        """Its lines."""
        return "\n".join(self.lines)

    @property
    def outcome(self) -> str:
        """The outcome of its cases."""
        return self.case.outcome

    @property
    def fingerprint(self) -> str:
        """A stable hash. It contains no line number, nor a title, which may name one: a mistake that moves keeps it."""
        file = "" if self.case.place is None else self.case.place.file
        parts = (self.case.rule, self.case.identity or self.case.name, str(self.number), file)
        return sha256("\0".join(parts).encode()).hexdigest()


def mistakes_of(cases: Iterable[Case]) -> list[Mistake]:
    """The mistakes that some cases tell, in the order of their first cases."""
    listed = list(cases)
    known: dict[tuple[str, str, str], list[Case]] = {}
    for case in listed:
        known.setdefault(case.subject, []).append(case)
    alike: dict[Key, tuple[list[Case], list[Case]]] = {}
    for case in listed:
        awaited = case.awaited(known)
        own, waiting = alike.setdefault(awaited or case.key, ([], []))
        (waiting if awaited else own).append(case)
    often: Counter[tuple[str, ...]] = Counter()
    made = []
    for own, waiting in alike.values():
        same = (own[0].suite, own[0].rule, own[0].identity or own[0].name)
        often[same] += 1
        made.append(Mistake(tuple(own), often[same], tuple(waiting)))
    return made


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
        return mistakes_of(case for case in self.cases if case.outcome != PASSED)

    def rule_of(self, mistake: Mistake) -> About:
        """The rule that a mistake breaks."""
        return next(about for about in self.rules if about.name == mistake.case.rule)

    def links_of(self, mistake: Mistake) -> list[str]:
        """The lines that say where more is said of a mistake: about its rule, and in the report."""
        named = {"rule": self.links.of_rule(self.rule_of(mistake)), "report": self.links.report}
        return [f"{name}: {url}" for name, url in named.items() if url]
