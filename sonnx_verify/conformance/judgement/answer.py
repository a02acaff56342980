"""The answer of a test: what was compared of each type, and each difference once, as all of them together have it."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any

from msgspec import UNSET, UnsetType

from sonnx_verify.conformance.inputs.covering.rows import Coverage
from sonnx_verify.conformance.judgement.accuracy import Measured, accuracies
from sonnx_verify.conformance.judgement.conformance import Accuracy, Conclusion, Conformance, Divergence, Unsupported
from sonnx_verify.conformance.judgement.misuse import Misused
from sonnx_verify.conformance.oracles.comparison import LEVELS, NOTHING
from sonnx_verify.conformance.runs.settings import Settings
from sonnx_verify.conformance.targets.target import Target
from sonnx_verify.language.context import Context
from sonnx_verify.language.files import Unit
from sonnx_verify.results.concrete import Assignment, tensors_in
from sonnx_verify.results.written import plain

LARGEST = ("rank", "size", "elements")
"""The figures of the largest tensors of a test."""
_MARK = 6
"""The number of digits that tell apart the identities of divergences that are alike."""


@dataclass(slots=True)
class Count:
    """The inputs that were tried of one choice of types. `deadly` are kinds of inputs with how many of
    them ended the process."""

    name: str
    compared: int = 0
    results: int = 0
    open: int = 0
    """The results of which the specification leaves everything open."""
    of_elements: int = 0
    """The results of which some element was compared."""
    refused: int = 0
    level: int = 0
    said: str = ""
    passed_over: int = 0
    restricted: int = 0
    """The given tests that a restriction excludes."""
    empty: list[str] = field(default_factory=list)
    """The branches of the specification that inputs can reach, and of which no result was compared."""
    left_open: tuple[str, ...] = ()
    """The tags of what the specification leaves open, in which no result is wrong."""
    unreached: list[str] = field(default_factory=list)
    """The branches that no small input reaches."""
    only_open: list[str] = field(default_factory=list)
    """The branches that small inputs reach only where the specification leaves the outcome open."""
    deadly: dict[object, int] = field(default_factory=dict)
    found: list[Divergence] = field(default_factory=list)
    measured: Measured | None = None
    base: tuple[Context, Assignment] | None = None
    """The input from which calls outside of the signature are made."""
    largest: dict[str, int] = field(default_factory=lambda: dict.fromkeys(LARGEST, 0))
    """The greatest rank, size of an axis and number of elements of the tensors of valid inputs, empty ones apart."""

    def note_sizes(self, assignment: Assignment) -> None:
        """Raise `largest` to the tensors of an input."""
        for tensor in tensors_in(assignment):
            shape = tensor.shape
            # An empty tensor may have any sizes.
            numbers = (len(shape), max(shape, default=1), prod(shape)) if 0 not in shape else (0, 0, 0)
            for name, number in zip(LARGEST, numbers, strict=True):
                self.largest[name] = max(self.largest[name], number)

    @property
    def missing(self) -> list[str]:
        """The comparisons that agreement needs and that were not made."""
        if not self.results:
            return ["no valid input found"]
        # Results without elements are decided by their shape alone.
        if self.open and not self.of_elements:
            return ["the specification leaves every element open"]
        return [f"no result of {name}" for name in self.empty]

    @property
    def is_unsupported(self) -> bool:
        """Return whether every valid input was refused."""
        # Without a valid input nothing was refused, and nothing is known.
        return 0 < self.results == self.refused


def answer(
    unit: Unit,
    target: Target,
    version: str,
    settings: Settings,
    counts: Sequence[Count],
    covered: Sequence[Coverage],
    given: Mapping[str, Any],
    outside: Misused | None,
) -> Conformance:
    """The answer of all tests: `counts` has those of each choice of types, `covered` the coverage of combinations,
    `given` how many tests were given from elsewhere, and `outside` the calls outside of the signature."""
    assert unit.file is not None
    refused = [c for c in counts if c.is_unsupported]
    supported = [c for c in counts if not c.is_unsupported]
    found = merged((c.name, c.found) for c in counts)
    if outside is not None:
        found += outside.found
    found = identified(unit, target, found)
    scope = {
        "method": "tested",
        "types": [c.name for c in supported],
        "inputs": sum(c.compared for c in supported),
        "of_types": {c.name: _of_one(c) for c in supported},
        "seed": settings.seed,
        "random": settings.random,
        "accepted": LEVELS[settings.accepted],
        "short": settings.short,
        "left_open": sorted({name for c in supported for name in c.left_open}),
        "largest": {name: max((c.largest[name] for c in supported), default=0) for name in LARGEST},
    }
    if outside is not None:
        scope["misuse"] = outside.scope
    if given:
        scope |= {**given, "restricted": sum(c.restricted for c in counts)}
    if not settings.short:
        scope |= {"strength": settings.strength, "covering": plain(covered)}
    # No types at all is no agreement: `max` of nothing must not give the best level.
    level = _level(max((c.level for c in supported), default=NOTHING))
    lacking = [c.name for c in refused if c.name not in settings.without]
    unsupported = tuple(Unsupported(c.name, unit.file.version, c.said) for c in refused)
    verdict = _verdict(supported, found)
    accuracy: tuple[Accuracy, ...] | UnsetType = UNSET
    if settings.accuracy:
        accuracy = tuple(row for c in supported if c.measured is not None for row in accuracies(c.name, c.measured))
    return Conformance(
        unit.operator,
        target.text,
        version,
        verdict,
        scope,
        level,
        tuple(found),
        unsupported,
        accuracy,
        tuple(lacking),
    )


def _verdict(supported: Sequence[Count], found: Sequence[Divergence]) -> Conclusion:
    if found:
        return Conclusion.DIVERGES
    if not supported:
        return Conclusion.UNSUPPORTED
    # Agreement is said of what was compared alone.
    if any(count.missing for count in supported):
        return Conclusion.UNKNOWN
    return Conclusion.AGREES


def _of_one(count: Count) -> dict[str, Any]:
    """The number of inputs of a type and the level, and how many inputs were not tried, since their like had ended the
    process."""
    made: dict[str, Any] = {"inputs": count.compared, "level": _level(count.level)}
    if count.passed_over:
        made["passed_over"] = count.passed_over
    if count.open:
        made["open"] = count.open
    if count.missing:
        made["missing"] = count.missing
    if count.unreached:
        made["unreached"] = count.unreached
    if count.only_open:
        made["only_open"] = count.only_open
    return made


def _level(level: int) -> str | None:
    """Its name; None where there is no agreement at any."""
    return dict(enumerate(LEVELS)).get(level)


def merged(rows: Iterable[tuple[str, list[Divergence]]]) -> list[Divergence]:
    """The divergences, those that several types share as one, which lists them."""
    found: dict[object, Divergence] = {}
    for name, divergences in rows:
        for one in divergences:
            # `described` makes it of no type: the input stays that of the first type.
            first = found.get(one.signature, one)
            found[one.signature] = replace(first, types=(*first.types, name))
    return list(found.values())


def identified(unit: Unit, target: Target, found: Sequence[Divergence]) -> list[Divergence]:
    """Each with an identity made of what it is, so that it is the same in every run that finds it."""
    # Of the signature, not of the input: the input may become smaller when the search does better.
    marks = [hashlib.sha256(repr(one.signature).encode()).hexdigest() for one in found]
    taken = Counter((one.id, mark[:_MARK]) for one, mark in zip(found, marks, strict=True))
    made = []
    for one, mark in zip(found, marks, strict=True):
        # A ledger has one divergence of an identity. The short form is in ledgers, and stays where it is no other's.
        shown_mark = mark[:_MARK] if taken[one.id, mark[:_MARK]] == 1 else mark
        made.append(replace(one, id=f"{target.slug}/{unit.operator}/{one.id}/{shown_mark}", signature=UNSET))
    return sorted(made, key=lambda one: one.id)
