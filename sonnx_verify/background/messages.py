"""The messages of a process that checks a text: all that comes of it, as soon as it is known.

They are pickled, so they hold no more than is shown: a result with its queries would be a thousand times as large.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sonnx_verify.errors import Correction, UserError
from sonnx_verify.logic.verdict import VerdictName
from sonnx_verify.results.kinds import Kind
from sonnx_verify.results.result import Result


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in a file, by the name that messages show."""

    file: str
    line: int
    column: int
    length: int


@dataclass(frozen=True, slots=True)
class Mistake:
    """An error in a text that is checked, or in one that it uses; `spot` is None where it has no place, `correction`
    where none is certain."""

    message: str
    cure: str
    spot: Spot | None
    correction: Correction | None = None

    @classmethod
    def of(cls, error: UserError) -> Mistake:
        """An error, without the text around it."""
        span = error.span
        if span is None:
            return cls(error.message, error.cure, None)
        spot = Spot(span.source.name, span.line, span.column, span.length)
        return cls(error.message, error.cure, spot, error.correction)


@dataclass(frozen=True, slots=True)
class Row:
    """An obligation that is decided. `finding` has the lines that tell what was found, empty if it is as expected;
    `lemmas` those that its text lacks."""

    id: str
    kind: Kind
    tag: str
    section: str
    verdict: VerdictName
    scope: str
    reason: str
    surprising: bool
    status: int
    finding: tuple[str, ...]
    lemmas: tuple[str, ...]
    line: int
    column: int

    @classmethod
    def of(cls, result: Result, finding: Sequence[str]) -> Row:
        """The part of a result that is shown."""
        return cls(
            id=result.id,
            kind=result.kind,
            tag=result.tag,
            section=result.section,
            verdict=result.verdict,
            scope=result.scope,
            reason=result.reasons,
            surprising=result.surprising,
            status=result.status,
            finding=tuple(finding),
            lemmas=result.lemmas,
            line=result.place.line,
            column=result.place.column,
        )


@dataclass(frozen=True, slots=True)
class Done:
    """The text is checked; without the solvers that are `missing`."""

    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Failed:
    """The check came to no end, for a reason that is no mistake in a text."""

    reason: str


@dataclass(frozen=True, slots=True)
class Lost(Failed):
    """The process ended before it was done."""


def missing_text(missing: Sequence[str]) -> str:
    """`z3 and cvc5 are not installed`, of the solvers that are missing."""
    verb = "is" if len(missing) == 1 else "are"
    return f"{' and '.join(missing)} {verb} not installed"
