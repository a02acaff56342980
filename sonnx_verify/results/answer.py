"""The answer of one solver to one query: plain data, no solver object inside. Trusted."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace

from sonnx_verify.logic.status import Status

STATUSES = tuple(Status)

# Reasons of an unknown; the seventh kind is "rejected: " followed by the first line of the solver's own error.
BUDGET = "budget"  # the deterministic work units ran out
TIMEOUT = "timeout"  # the wall clock ran out, inside the solver or because its process was killed
CRASHED = "crashed"  # its process ended before it answered
MEMORY = "memory"  # it needed more memory than a worker may have, whether it said so or died of it
NO_FLINT = "python-flint is not installed"
"""The reason of a verdict that needs an enclosure of a real, where nothing encloses it."""
NOT_INSTALLED = "not installed"  # the solver's Python package cannot be imported
INCOMPLETE = "incomplete"  # the solver gave up within its budget
REJECTED = "rejected: "

REPEATABLE = ("", BUDGET, INCOMPLETE)
"""The reasons of answers that are the same on every machine. A clock or a crash says nothing of the query."""
_PLAIN_REASONS = frozenset({BUDGET, TIMEOUT, CRASHED, MEMORY, NOT_INSTALLED, INCOMPLETE})


@dataclass(frozen=True, slots=True)
class Answer:
    """One solver's answer.

    `status` is "unsat", "sat" or "unknown". `reason` is "" exactly when the status is not unknown. `model` is the raw
    text that `(get-value ...)` printed, or "" when the status is not sat or no value was wanted. `least` is how many of
    the numbers that were to be small, from the first on, were shown to have the least value possible. `sha256` is the
    hexadecimal SHA-256 of the text that was asked, as the solver's process had it.

    Raises ValueError when the fields contradict each other, so that a half-made answer cannot reach a verdict.
    """

    solver: str
    status: Status
    reason: str = ""
    model: str = ""
    least: int = 0
    sha256: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        if self.status not in STATUSES:
            raise ValueError(f"status {str(self.status)!r} is none of {', '.join(STATUSES)}")
        # An unsat with a reason to be unknown is a mistake of the adapter: it must not count as unsat.
        if (self.status == Status.UNKNOWN) != (self.reason != ""):
            raise ValueError(f"reason {self.reason!r} does not go with status {str(self.status)!r}")
        if self.reason and self.reason not in _PLAIN_REASONS and not self.reason.startswith(REJECTED):
            raise ValueError(f"reason {self.reason!r} is not a known reason")
        if self.model and self.status != Status.SAT:
            raise ValueError(f"a model does not go with status {str(self.status)!r}")

    def to(self, text: str) -> Answer:
        """The same, to this text."""
        return replace(self, sha256=hashlib.sha256(text.encode()).hexdigest())

    def is_to(self, solver: str, sha256: str) -> bool:
        """Return whether it may be taken for the answer of a solver to the text with this hash. That a solver said
        nothing may be said by anybody."""
        return self.status is Status.UNKNOWN or (self.solver, self.sha256) == (solver, sha256)


def unknown(solver: str, reason: str) -> Answer:
    """The answer of a solver that did not decide, with its `reason`."""
    return Answer(solver, Status.UNKNOWN, reason)
