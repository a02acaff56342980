"""The groups and the severities of findings: tables, and the grades of wrong values."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum, unique
from fractions import Fraction
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from sonnx_verify.conformance.oracles.comparison import Kind  # noqa: E402  # runs without an installation
from sonnx_verify.logic import floats  # noqa: E402  # as above
from sonnx_verify.logic.sorts import FloatSort  # noqa: E402  # as above
from tools.positions import tensor_from  # noqa: E402  # as above

One = Mapping[str, Any]


@unique
class Group(StrEnum):
    """The groups of the working group. The values are the names of the pages."""

    IEEE = "ieee"
    STRUCTURAL = "structural"
    ERRORS = "error-handling"
    CRASH = "crash"


TITLE = {
    Group.IEEE: "IEEE and arithmetic",
    Group.STRUCTURAL: "Structural",
    Group.ERRORS: "Error handling",
    Group.CRASH: "Crash and memory",
}
ABOUT = {
    Group.IEEE: "Wrong elements: NaN, the sign of zero, rounding, overflow.",
    Group.STRUCTURAL: "Wrong shape, element type or number of results, or the right elements in the wrong places.",
    Group.ERRORS: "Invalid input accepted, or valid input refused.",
    Group.CRASH: "Crashes, hangs, memory exhaustion, and invalid memory access.",
}


@unique
class Severity(StrEnum):
    """How bad a finding is for those who rely on results, worst first."""

    CRITICAL = "critical"
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


@dataclass(frozen=True, slots=True)
class Rule:
    """The group and the severity of some kinds; `open_there` is the severity where the standard allows what came out,
    and the profile alone is broken."""

    kinds: tuple[Kind, ...]
    group: Group
    severity: Severity
    open_there: Severity
    why: str


RULES = (
    Rule(
        (Kind.CRASH, Kind.HANG, Kind.MEMORY),
        Group.CRASH,
        Severity.CRITICAL,
        Severity.CRITICAL,
        "takes the whole process down",
    ),
    Rule(
        (Kind.FOREIGN,),
        Group.CRASH,
        Severity.CRITICAL,
        Severity.CRITICAL,
        "gives away the contents of memory that belongs to somebody else",
    ),
    Rule(
        (Kind.CHANGES_INPUT,),
        Group.CRASH,
        Severity.CRITICAL,
        Severity.CRITICAL,
        "overwrites memory that other nodes read",
    ),
    Rule(
        (Kind.SHAPE, Kind.TYPE, Kind.OUTPUTS, Kind.NO_RESULT),
        Group.STRUCTURAL,
        Severity.HIGH,
        Severity.HIGH,
        "silently wrong result",
    ),
    Rule((Kind.VALUE,), Group.IEEE, Severity.HIGH, Severity.HIGH, "silently wrong number; graded below"),
    Rule(
        (Kind.NAN_LOST, Kind.NAN_MADE, Kind.ZERO_SIGN),
        Group.IEEE,
        Severity.MEDIUM,
        Severity.MEDIUM,
        "ordinary numbers are right",
    ),
    Rule(
        (Kind.ACCEPTS, Kind.REFUSES),
        Group.ERRORS,
        Severity.MEDIUM,
        Severity.LOW,
        "a faulty model goes unnoticed, or a valid one cannot run",
    ),
    Rule(
        (Kind.DECLARED_TYPE, Kind.INVALID_CALL),
        Group.ERRORS,
        Severity.LOW,
        Severity.LOW,
        "a model that ONNX forbids runs here, and nowhere else",
    ),
    Rule((Kind.NAN_PAYLOAD,), Group.IEEE, Severity.LOW, Severity.LOW, "the specification does not distinguish NaNs"),
)
OF_KIND = {kind: rule for rule in RULES for kind in rule.kinds}


# ------------------------------------------------------------------------------------------------------- wrong values

NEAR = 16
"""The most floats beyond what is allowed at which a wrong value is near: a bound that is missed, not another number."""
RARE = Fraction(1, 100)
"""The share of inputs below which a wrong value is rare."""
GRADES = {
    (False, False): Severity.HIGH,
    (False, True): Severity.MEDIUM,
    (True, False): Severity.MEDIUM,
    (True, True): Severity.LOW,
}
"""The severity of a wrong value that is near or not, and rare or not."""


def beyond(one: One) -> int | None:
    """The floats between a wrong value and the last that is allowed, of the element that is furthest off; None for an
    integer, and if one of the two is not finite."""
    found = [0]
    for name, made in one["expected"].get("outputs", {}).items():
        other = one["got"].get("outputs", {}).get(name)
        if other is None or "bits" not in made or "bits" not in other:
            return None
        wanted, got = tensor_from(made), tensor_from(other)
        if (wanted.sort, wanted.shape) != (got.sort, got.shape):
            return None
        distances = [*_distances(wanted.sort, wanted.elements, got.elements)]
        if None in distances:
            return None
        found += [n for n in distances if n is not None]
    outside = one.get("outside")
    if outside is not None and outside["measure"] == "steps":
        # The expected element is one member of a set, which ends further on.
        return max(found) - int(outside["allowed"])
    return max(found)


def _distances(sort: Any, wanted: Sequence[Any], got: Sequence[Any]) -> Iterator[int | None]:
    if not isinstance(sort, FloatSort):
        yield None
        return
    for element, other in zip(wanted, got, strict=True):
        if element == other:
            continue
        if floats.is_finite(sort, element) and floats.is_finite(sort, other):
            yield abs(floats.ordinal(sort, element) - floats.ordinal(sort, other))
        else:
            yield None


def graded(off: int | None, shown: int, inputs: int) -> Severity:
    """The severity of a wrong value that is off by some floats, and that some of the inputs show. Of an unknown number
    of inputs it is not rare."""
    is_near = off is not None and off <= NEAR
    is_rare = inputs > 0 and Fraction(shown, inputs) < RARE
    return GRADES[is_near, is_rare]
