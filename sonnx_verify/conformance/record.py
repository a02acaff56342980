"""The result of checking a target against a specification."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum, unique
from typing import Any

from sonnx_verify.conformance.compare import DIES


@unique
class Conclusion(StrEnum):
    """The verdicts on a target. JSON and reports have their values."""

    PROVED = "proved"  # of all elements up to the bound
    REFUTED = "refuted"
    AGREES = "agrees"  # tested, without a difference
    DIVERGES = "diverges"
    UNSUPPORTED = "unsupported"
    UNKNOWN = "unknown"

    @property
    def status(self) -> int:
        """The exit status of a command that ends with it."""
        match self:
            case Conclusion.PROVED | Conclusion.AGREES:
                return 0
            case Conclusion.REFUTED | Conclusion.DIVERGES:
                return 1
            # Nothing was found, and nothing was shown either: that must not pass as agreement.
            case Conclusion.UNSUPPORTED | Conclusion.UNKNOWN:
                return 3


@dataclass(frozen=True, slots=True)
class Fault:
    """The rule that a call outside of the signature breaks. `kind` says it in words that are the same for all operators
    as far as they can be; `subject` is the input that it is about, empty if it is about no single one."""

    kind: str
    subject: str = ""

    @property
    def name(self) -> str:
        """Its name, which is part of identities."""
        return "-".join(filter(None, (self.kind, self.subject)))

    @property
    def json(self) -> dict[str, Any]:
        """The member `misuse` of a divergence."""
        return {"kind": self.kind, "subject": self.subject or None}


@dataclass(frozen=True, slots=True, repr=False)
class Divergence:
    """One way in which a target differs from the specification, on the smallest input that was found for it.

    `inputs`, `attributes`, `expected` and `got` are as JSON has them. `types` are the element types of T that show it,
    `inputs` is of the first of them.
    """

    id: str
    kind: str
    title: str
    types: tuple[str, ...]
    inputs: Mapping[str, Any]
    attributes: Mapping[str, Any]
    omitted: tuple[str, ...]
    expected: Any
    got: Any
    repro: str
    presentation: str = ""
    misuse: Fault | None = None
    """The rule that the call breaks if it is outside of the signature; `inputs` and `attributes` are those of the call
    that it was made from."""
    outside: Mapping[str, Any] | None = None
    """The distance of the first wrong element from the set that it should be in, as JSON has it."""
    reproduced: bool = True
    """Whether a second run, in a new process, showed it too."""
    signature: object = None
    """The same for two divergences of different types that are one."""

    def __repr__(self) -> str:
        return f"<{self.id}: {self.title} ({', '.join(self.types)}); {self.repro}>"


@dataclass(frozen=True, slots=True)
class Accuracy:
    """The errors of the floats of one output for one choice of types, in ulps.

    `nearest` counts the elements that are correctly rounded. `histogram` has the number of elements up to each end, the
    last without one. `worst` is the element with the largest error, as JSON has it, or None where nothing was measured.
    """

    type: str
    output: str
    measured: int
    nearest: int
    mean: float
    worst: Mapping[str, Any] | None
    histogram: tuple[tuple[float | None, int], ...]
    not_finite: int
    differ: int
    open: int
    undecided: int
    sizes: tuple[AtSize, ...] = ()
    """The errors on inputs of each class of sizes."""


@dataclass(frozen=True, slots=True)
class AtSize:
    """The errors on inputs with `least` to `most` elements for each element of the output."""

    least: int
    most: int
    errors: Accuracy


@dataclass(frozen=True, slots=True, repr=False)
class Conformance:
    """The answer of `conform`: see docs/json.md."""

    operator: str
    target: str
    target_version: str
    verdict: Conclusion
    scope: Mapping[str, Any]
    level: str | None
    divergences: tuple[Divergence, ...] = ()
    unsupported: tuple[Mapping[str, Any], ...] = ()
    accuracy: tuple[Accuracy, ...] | None = None
    """The errors, where they were asked for."""
    lacking: tuple[str, ...] = ()
    """The types that a tested target does not have, though nobody said that it need not."""

    @property
    def status(self) -> int:
        """The exit status of a command that ends with it."""
        if self.verdict is Conclusion.AGREES and self.lacking:
            return 1
        return self.verdict.status

    def __repr__(self) -> str:
        target = " ".join(filter(None, (self.target, self.target_version)))
        details = [one.id for one in self.divergences]
        details += [f"{row['type']}: {row['said']}" for row in self.unsupported]
        said = ": ".join(filter(None, (self.verdict, ", ".join(details))))
        return f"<{self.operator} against {target}: {said}>"

    @property
    def crashes(self) -> list[Divergence]:
        """The divergences that end, or keep, the process."""
        return [d for d in self.divergences if d.kind in DIES.values()]


def divergence_json(one: Divergence) -> dict[str, Any]:
    """One member of `divergences`."""
    return {
        "id": one.id,
        "kind": one.kind,
        "title": one.title,
        "types": list(one.types),
        "inputs": dict(one.inputs),
        "attributes": dict(one.attributes),
        "omitted": list(one.omitted),
        "presentation": one.presentation or None,
        "misuse": None if one.misuse is None else one.misuse.json,
        "expected": one.expected,
        "got": one.got,
        "outside": None if one.outside is None else dict(one.outside),
        "repro": one.repro,
        "reproduced": one.reproduced,
    }


def accuracy_json(one: Accuracy) -> dict[str, Any]:
    """One member of `accuracy`."""
    made = {"type": one.type, "output": one.output, **_errors_json(one)}
    return made | {"sizes": [at_size_json(at) for at in one.sizes]}


def at_size_json(one: AtSize) -> dict[str, Any]:
    """One member of `sizes`."""
    return {"least": one.least, "most": one.most, **_errors_json(one.errors)}


def _errors_json(one: Accuracy) -> dict[str, Any]:
    return {
        "measured": one.measured,
        "nearest": one.nearest,
        "mean": one.mean,
        "worst": None if one.worst is None else dict(one.worst),
        "histogram": [{"up_to": end, "elements": count} for end, count in one.histogram],
        "not_finite": one.not_finite,
        "differ": one.differ,
        "open": one.open,
        "undecided": one.undecided,
    }
