"""The result of an obligation: the one record that printers, ledgers, caches and reports read.

It holds plain data, and is made by solving/check/telling.py from what was decided.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from sonnx_verify.logic.status import Status
from sonnx_verify.logic.verdict import FINDINGS, GOOD, VerdictName, is_surprise, lasts
from sonnx_verify.results.answer import NO_FLINT
from sonnx_verify.results.axiom import Axiom
from sonnx_verify.results.example import Example, example_line
from sonnx_verify.results.kinds import Kind
from sonnx_verify.results.place import Place
from sonnx_verify.results.shown import Shown
from sonnx_verify.results.voice import Voices


class State(StrEnum):
    """The way in which a verdict is to be taken."""

    GOOD = "good"
    EXPECTED = "expected"
    """A finding that the text expects."""
    LEFT = "left"
    """Not decided, as the text expects."""
    FINDING = "finding"
    OPEN = "open"
    """Not decided."""


@dataclass(frozen=True, slots=True)
class Query:
    """A question that was asked of solvers, by the SHA-256 of its text, with what each of them answered."""

    sha256: str
    answers: Mapping[str, Status]


@dataclass(frozen=True, slots=True, repr=False)
class Result(Shown):
    """The verdict of an obligation, with everything that reports say of it.

    `id` is `subject[.section]/tag/kind`. `types` are the element types that the verdict is for, `declared` those of the
    section; `variables` has the types of the other type variables. `statement` is a hash of what was to be shown.
    `answers` are those that count most against a proof, `queries` all of them, `voices` the solvers that show
    its claims, with how they read floats; `hinted` says whether each of these was
    asked along a hint. `mend` says whether a clause might mend
    what was found.
    """

    id: str
    subject: str
    operator: str | None
    version: int | None
    section: str
    tag: str
    kind: Kind
    title: str
    place: Place
    types: tuple[str, ...]
    declared: tuple[str, ...]
    variables: Mapping[str, str]
    verdict: VerdictName
    reason: str
    note: str = ""
    expected: str = ""
    expected_reason: str = ""
    scope: str = ""
    assumptions: tuple[str, ...] = ()
    axioms: tuple[Axiom, ...] = ()
    uses: tuple[str, ...] = ()
    lemmas: tuple[str, ...] = ()
    """Lines that name theorems, found for it: its text lacks them, and it was decided as if they stood at the end."""
    statement: str = ""
    answers: Mapping[str, Status] = field(default_factory=dict)
    queries: tuple[Query, ...] = ()
    voices: tuple[Voices, ...] = ()
    struck: tuple[str, ...] = ()
    """Of an undecided one, the queries that no work limit ended, so that the guard of time struck twice."""
    hinted: bool = False
    witness: Example | None = None
    counterexample: Example | None = None
    mend: bool = False
    repeatable: bool = False
    """True of an undecided verdict that another run would reach too: no clock, no crash and no lack of memory ended
    what was tried."""

    def __repr__(self) -> str:
        example = self.counterexample or self.witness
        shown = "" if example is None else f": {example_line(example)}"
        assuming = "".join(f", assuming {axiom}" for axiom in self.axioms)
        return f"<{self.verdict} {self.id}{shown}{assuming}>"

    @property
    def text(self) -> str:
        """The verdict, its reasons, and the example below them."""
        example = self.counterexample or self.witness
        lines = [] if example is None else example.text.splitlines()
        return "\n".join([f"{self.verdict} {self.id}", *filter(None, [self.reasons]), *lines, *self.assumed])

    @property
    def reasons(self) -> str:
        """The reason of the verdict, and what is to be noted of it."""
        return "; ".join(part for part in (self.reason, self.note) if part)

    @property
    def assumed(self) -> tuple[str, ...]:
        """All that the verdict rests on without a proof: the rules taken on trust, and the axioms."""
        return (*self.assumptions, *map(str, self.axioms))

    @property
    def lasting(self) -> bool:
        """True where another run would reach the same verdict."""
        return lasts(self.verdict, repeatable=self.repeatable)

    @property
    def surprising(self) -> bool:
        """True where the verdict differs from the expected one."""
        return is_surprise(self.verdict, self.expected)

    @property
    def state(self) -> State:
        """The way in which the verdict is to be taken."""
        decided = self.verdict in GOOD or self.verdict in FINDINGS
        if not decided:
            return State.OPEN if self.surprising else State.LEFT
        # `proved` too, where the text expects a finding: then the expectation is the mistake.
        if self.surprising:
            return State.FINDING
        return State.GOOD if self.verdict in GOOD else State.EXPECTED

    @property
    def status(self) -> int:
        """The part that it has in the exit status: 0 fine, 1 a finding or a surprise, 3 undecided."""
        match self.state:
            case State.FINDING:
                return 1
            case State.OPEN:
                return 3
            case State.GOOD | State.EXPECTED | State.LEFT:
                return 0


def exit_status(results: Sequence[Result], errors: int, versions: Mapping[str, str | None]) -> int:
    """2 for bad input; else 1 for a finding; else 3 for something undecided or a missing solver; else 0."""
    # The worst counts: of texts that could not be read nothing is known, whatever came of the others.
    if errors:
        return 2
    statuses = {result.status for result in results}
    if 1 in statuses:
        return 1
    # A solver that is not installed answered nothing: that is no good end, even where nothing was asked. Without FLINT
    # nothing is known of a real, which is another thing than the `unknown` that a text expects.
    if any(result.struck for result in results):
        return 3
    if 3 in statuses or None in versions.values() or any(result.reason == NO_FLINT for result in results):
        return 3
    return 0
