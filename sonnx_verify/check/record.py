"""The record of one obligation: its verdict and everything a report shows of it."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from sonnx_verify.counterexample.inputs import Assignment, interpretation
from sonnx_verify.counterexample.search import Found
from sonnx_verify.errors import UserError
from sonnx_verify.language.variables import Variable
from sonnx_verify.logic.verdict import FINDINGS, GOOD, Verdict, undecided
from sonnx_verify.obligations.obligation import Obligation


@dataclass(frozen=True, slots=True)
class Shown:
    """A witness or counterexample with the variables it gives values to, and the sentence it breaks."""

    variables: tuple[Variable, ...]
    found: Found
    broken: str

    def __reduce__(self) -> tuple[Callable[..., Shown], tuple[object, ...]]:
        # What the symbols mean holds functions: it is made again from the values.
        return _shown, (self.variables, self.found.assignment, self.found.minimal, self.broken)


def _shown(variables: tuple[Variable, ...], assignment: Assignment, minimal: bool, broken: str) -> Shown:
    return Shown(variables, Found(assignment, interpretation(variables, assignment), minimal), broken)


@dataclass(slots=True)
class Record:
    """What came of an obligation. `statement` is a hash of what was to be shown, the same as long as that is."""

    obligation: Obligation
    verdict: Verdict
    scope: str = ""
    types: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    answers: dict[str, str] = field(default_factory=dict)
    queries: dict[str, dict[str, str]] = field(default_factory=dict)
    witness: Shown | None = None
    counterexample: Shown | None = None
    note: str = ""
    statement: str = ""
    error: UserError | None = None

    def parts(self) -> dict[str, Any]:
        """Everything but the obligation: what goes from one process to another."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name != "obligation"}

    @classmethod
    def of_parts(cls, obligation: Obligation, parts: Mapping[str, Any]) -> Record:
        """The record that such parts come from."""
        return cls(obligation, **parts)

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
        """Whether the verdict is another than the expected one."""
        if self.expected:
            return self.verdict.name != self.expected
        return self.verdict.name not in GOOD

    @property
    def status(self) -> int:
        """What it contributes to the exit status: 0 fine, 1 a finding or a surprise, 3 undecided."""
        if not self.surprising:
            return 0
        if self.verdict.name in FINDINGS or self.verdict.name in GOOD:
            return 1
        return 3


def of_outcome(obligation: Obligation, outcome: bytes | str) -> Record:
    """The record whose parts come from another process, pickled; or unknown for the reason that came instead."""
    if isinstance(outcome, str):
        return Record(obligation, undecided("unknown", outcome))
    return Record.of_parts(obligation, pickle.loads(outcome))
