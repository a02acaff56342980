"""The messages between the server and a process that checks one file: a request, and all that comes of it.

They are pickled, so they hold no more than the editor shows: a result with its queries would be a thousand times as
large.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from sonnx_verify.errors import UserError
from sonnx_verify.logic.verdict import VerdictName
from sonnx_verify.pages.lint.finding import Finding
from sonnx_verify.results.kinds import Kind


@dataclass(frozen=True, slots=True)
class Request:
    """The file that is to be checked, of the project in `root`, or in no project; the texts that stand `instead` of
    what is written in files, by their paths without links, that of a page itself; the number of processes."""

    root: str
    path: str
    instead: Mapping[str, str]
    jobs: int


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in a file, by the name that messages show."""

    file: str
    line: int
    column: int
    length: int


@dataclass(frozen=True, slots=True)
class Mistake:
    """An error in a text that is checked, or in one that it uses; `spot` is None where it has no place."""

    message: str
    cure: str
    spot: Spot | None

    @classmethod
    def of(cls, error: UserError) -> Mistake:
        """An error, without the text around it."""
        span = error.span
        if span is None:
            return cls(error.message, error.cure, None)
        return cls(error.message, error.cure, Spot(span.source.name, span.line, span.column, span.length))


@dataclass(frozen=True, slots=True)
class Row:
    """An obligation that is decided. `finding` has the lines that tell what was found, empty if it is as expected."""

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
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Done:
    """The file is checked; without the solvers that are `missing`."""

    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Failed:
    """The check came to no end, for a reason that is no mistake in a text."""

    reason: str


Message: TypeAlias = Mistake | Finding | Row | Done | Failed
"""The last message of a check is `Done` or `Failed`."""
