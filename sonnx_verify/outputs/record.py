"""The findings of a run of `check`, `lint` or `conform`, in the one form that every output is made of.

Commands make a run of their results, and outputs print its fields; no output reads what another one printed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sonnx_verify.results.place import Place

PASSED, FAILED, UNDECIDED, BROKEN = "passed", "failed", "undecided", "broken"
"""The outcomes of a case: as it should be; a finding; not known; it could not be looked at."""
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

    @property
    def text(self) -> str:
        """All that is told of it."""
        return "\n".join(self.lines) or self.title


@dataclass(frozen=True, slots=True)
class About:
    """A rule, or a kind of obligation: its subject in a sentence, and the cure for what does not hold."""

    name: str
    sentence: str
    help: str
    level: str = "error"


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

    @property
    def counts(self) -> Counter[str]:
        """The number of cases of each outcome."""
        return Counter(case.outcome for case in self.cases)

    @property
    def findings(self) -> list[Case]:
        """The cases that did not pass."""
        return [case for case in self.cases if case.outcome != PASSED]
