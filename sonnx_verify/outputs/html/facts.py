"""The contents of a report as plain data: nothing here is decided, and nothing is drawn."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from sonnx_verify.authoring.mutation.records import TextRecord
from sonnx_verify.conformance.records.accuracy import Recorded
from sonnx_verify.conformance.records.ledger import Ledger
from sonnx_verify.outputs.overview import Overview
from sonnx_verify.results.result import Result

KINDS = {
    "user": "Texts of your own",
    "profile": "Operators of the profile",
    "standard": "Operators of the standard",
    "draft": "Drafts, kept with their defects",
    "library": "Libraries",
    "theory": "Theorems",
}
"""The kinds of texts, in the order of the report."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause of a text under its tag: its formula as LaTeX, and beside it the sentence of the page, or, without a
    page, its title. `reading` is the formula that the sentence was read as, `equivalence` says whether it is
    equivalent, or why that is not known; `same` that the page quotes the clause; `finding` has input that tells the
    two apart."""

    tag: str
    kind: str
    family: str
    formula: str
    text: str = ""
    """The formal text of it, as it is written."""
    place: str = ""
    sentence: str = ""
    page: str = ""
    equivalence: str = ""
    same: bool = False
    tests: str = ""
    gap: str = ""
    finding: Sequence[str] = ()
    reading: str = ""
    sections: Collection[str] = ()
    """The sections of the obligations about it; any, where none is named."""
    asked: bool = True
    """False if not all obligations about it were asked for: then that there is none says nothing."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The differences of a text from another one: a line for each way."""

    other: str
    lines: Sequence[str]


@dataclass(frozen=True, slots=True)
class Subject:
    """A text of an operator, a library, or a file of theorems, with the results of its obligations. `kind` is one of
    KINDS, `gaps` are as `explain --gaps --format json` has them, `unshown` those that are not shown: the identity, and
    why; `pins` says how much it pins, or its standard, empty where that is not known."""

    name: str
    kind: str
    file: str
    results: Sequence[Result]
    page: str = ""
    clauses: Sequence[Clause] = ()
    gaps: Sequence[Mapping[str, Any]] = ()
    unshown: Sequence[tuple[str, str]] = ()
    differences: Sequence[Difference] = ()
    pins: str = ""

    @property
    def families(self) -> list[str]:
        """The families that its clauses name, in their order."""
        return list(dict.fromkeys(clause.family for clause in self.clauses))


@dataclass(frozen=True, slots=True)
class Stamp:
    """The origin of a report: the project, the commit of its texts, and the day of that commit; each empty where it is
    not known. `changed` says that the texts are not quite those of the commit."""

    project: str = ""
    commit: str = ""
    date: str = ""
    changed: bool = False


@dataclass(frozen=True)
class Facts:
    """All of it. `mutants` are their records by text, `seconds` how long each obligation took, empty
    where nothing was measured."""

    subjects: Sequence[Subject]
    solvers: Mapping[str, str | None]
    digest: str
    claim: str
    ledgers: Sequence[Ledger] = ()
    mutants: Mapping[str, TextRecord] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    whole: bool = True
    """True if all of the project was asked for."""

    stamp: Stamp = Stamp()
    accuracy: Sequence[Recorded] = ()
    """The recorded errors of targets."""
    operators: Sequence[Overview] = ()
    """An overview of each operator, of those that are asked for."""

    @cached_property
    def results(self) -> list[Result]:
        """Every obligation, in the order of the subjects."""
        return [one for subject in self.subjects for one in subject.results]
