"""The record of one obligation: its verdict and everything a report shows of it. Trusted."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from sonnx_verify.errors import UserError
from sonnx_verify.kernel.variables import Variable
from sonnx_verify.logic.status import Status
from sonnx_verify.logic.verdict import Verdict, VerdictName, is_surprise, supported, undecided
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.results.axiom import Axiom
from sonnx_verify.results.concrete import Assignment
from sonnx_verify.results.voice import Voices
from sonnx_verify.solving.inputs.inputs import Found, interpretation


@dataclass(frozen=True, slots=True)
class ConcreteExample:
    """A witness or counterexample with the variables it gives values to, and the sentence it breaks; where that is a
    read, what is read there, such as `[1] of shape (1)`."""

    variables: tuple[Variable, ...]
    found: Found
    broken: str
    read: str = ""

    def __reduce__(self) -> tuple[Callable[..., ConcreteExample], tuple[object, ...]]:
        # What the symbols mean holds functions: it is made again from the values.
        found = self.found.assignment, self.found.minimal
        return _shown, (self.variables, found, self.broken, self.read)


def _shown(variables: tuple[Variable, ...], found: tuple[Assignment, bool], broken: str, read: str) -> ConcreteExample:
    assignment, minimal = found
    return ConcreteExample(variables, Found(assignment, interpretation(variables, assignment), minimal), broken, read)


@dataclass(slots=True)
class Record:
    """The outcome of an obligation. `statement` is a hash of what was to be shown, the same as long as that is."""

    obligation: Obligation
    verdict: Verdict
    scope: str = ""
    types: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    axioms: tuple[Axiom, ...] = ()
    """The axioms that it rests on, through others too."""
    answers: dict[str, Status] = field(default_factory=dict)
    queries: dict[str, dict[str, Status]] = field(default_factory=dict)
    voices: tuple[Voices, ...] = ()
    """The voices that show its claims, each company of them once, where it is concluded from what solvers said."""
    texts: dict[str, str] = field(default_factory=dict)
    """The texts of the queries, where the solvers keep them."""
    witness: ConcreteExample | None = None
    counterexample: ConcreteExample | None = None
    note: str = ""
    statement: str = ""
    error: UserError | None = None
    repeatable: bool = False
    """True if another run reaches the same verdict where this one is undecided: work budgets and counted searches ended
    whatever was tried, no clock, no crash and no lack of memory."""
    struck: tuple[str, ...] = ()
    """Of an undecided one, the queries at which the guard of time struck twice in this process: solver and SHA-256."""
    hinted: bool = False
    """True where each claim was proved along its hint."""
    hints: dict[str, str] = field(default_factory=dict)
    """The hints of its claims, as they are written, by key, where they are wanted."""

    def parts(self) -> dict[str, Any]:
        """Everything but the obligation, of which it has the identity: what goes from one process to another."""
        # By its fields, so that a field that is added is sent as well.
        return {f.name: getattr(self, f.name) for f in fields(self)} | {"obligation": self.id}

    @classmethod
    def of_parts(cls, obligation: Obligation, parts: Mapping[str, Any]) -> Record:
        """The record that such parts come from; unknown where the solvers cannot have said what it concludes, and where
        it is the record of another obligation."""
        # From another process, or another machine: the verdict has to fit the answers that came with it.
        record = cls(**{**parts, "obligation": obligation})
        if parts["obligation"] != obligation.id:
            reason = f"the record is that of {parts['obligation']}"
            record = cls(obligation, undecided(VerdictName.UNKNOWN, reason), types=record.types)
        if not supported(record.verdict.name, record.answers, record.queries.values()):
            reason = f"a record says {record.verdict.name} beside answers that do not"
            record.verdict, record.repeatable = undecided(VerdictName.UNKNOWN, reason), False
        return record

    @property
    def id(self) -> str:
        return self.obligation.id

    @property
    def expected(self) -> str:
        """The verdict that is expected: proved or holds unless the text says otherwise."""
        return self.obligation.expected

    @property
    def expected_reason(self) -> str:
        """Why the text expects that."""
        return self.obligation.expected_reason

    @property
    def surprising(self) -> bool:
        """Return whether the verdict is another than the expected one."""
        return is_surprise(self.verdict.name, self.expected)


def of_outcome(obligation: Obligation, outcome: bytes | str) -> Record:
    """The record whose parts come from another process, pickled; or unknown for the reason that came instead."""
    if isinstance(outcome, str):
        return Record(obligation, undecided(VerdictName.UNKNOWN, outcome))
    return Record.of_parts(obligation, pickle.loads(outcome))
