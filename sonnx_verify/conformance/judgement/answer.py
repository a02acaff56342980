"""The answer of a test: what was compared of each type, and each difference once, as all of them together have it."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from msgspec import UNSET, UnsetType

from sonnx_verify.conformance.inputs.covering.rows import Coverage
from sonnx_verify.conformance.judgement.accuracy import Measurement, accuracies
from sonnx_verify.conformance.judgement.bounds import says_nothing_from
from sonnx_verify.conformance.judgement.conformance import Accuracy, Conclusion, Conformance, Divergence, Unsupported
from sonnx_verify.conformance.judgement.differences import each_once
from sonnx_verify.conformance.judgement.misuse import MisuseAnswers
from sonnx_verify.conformance.judgement.sizes import BySize
from sonnx_verify.conformance.oracles.array_oracle import ArrayOracle
from sonnx_verify.conformance.oracles.comparison import LEVELS, NOTHING, Kind
from sonnx_verify.conformance.runs.bench import MOST_DEATHS, Benches
from sonnx_verify.conformance.runs.settings import RULES, Settings
from sonnx_verify.conformance.runs.type_run import LARGEST, Tally, TypeRun
from sonnx_verify.conformance.targets.target import Target
from sonnx_verify.language.files import Unit
from sonnx_verify.results.written import plain

_MARK = 6
"""The number of digits that tell apart the identities of divergences that are alike."""


@dataclass(frozen=True, slots=True)
class TypeJudgement:
    """The judgement on one choice of types: the level of agreement, each difference once, the errors if they
    were asked for."""

    run: TypeRun
    level: int
    found: tuple[Divergence, ...]
    measured: Measurement | None = None
    says_nothing_from: int | None = None
    """The number of input elements from which the bound of a set of results says nothing."""

    @property
    def name(self) -> str:
        """The name of the choice of types."""
        return self.run.name

    @property
    def tally(self) -> Tally:
        """The counts of its inputs."""
        return self.run.tally


def judged(benches: Benches, run: TypeRun) -> TypeJudgement:
    """The judgement of the runs of one choice of types."""
    failing, measured = run.failing, None
    if run.tally.is_unsupported:
        # That it refuses is told as that alone. What else it did is a finding of any type.
        failing = {finding: seen for finding, seen in failing.items() if finding.kind is not Kind.REFUSES}
    elif benches.settings.accuracy:
        measured = _measured(benches, run)
    level, found = each_once(benches, run.bench, failing, run.tally.level)
    return TypeJudgement(run, level, tuple(found), measured, says_nothing_from(run))


def _measured(benches: Benches, run: TypeRun) -> Measurement:
    """The errors of the results on random inputs of their own, on small ones, and by size."""
    bench, settings = run.bench, benches.settings
    measured = Measurement(bench.meaning)
    for seen in (*run.spread, *run.small):
        measured.look(seen)
    count = settings.random if run.held is None else 0
    if count and measured.errors and bench.deaths < MOST_DEATHS:
        oracle = bench.large or ArrayOracle(benches.project, benches.unit, bench.meaning)
        by_size = BySize.on(run.points, oracle, bench.models, benches.runner)
        measured.sizes = by_size.of(run.name, settings.seed, count)
    return measured


def answer(
    unit: Unit,
    target: Target,
    version: str,
    settings: Settings,
    judgements: Sequence[TypeJudgement],
    covered: Sequence[Coverage],
    given: Mapping[str, Any],
    outside: MisuseAnswers | None,
) -> Conformance:
    """The answer of all tests: `judgements` has those of each choice of types, `covered` the coverage of combinations,
    `given` how many tests were given from elsewhere, and `outside` the calls outside of the signature."""
    assert unit.file is not None
    refused = [c for c in judgements if c.tally.is_unsupported]
    supported = [c for c in judgements if not c.tally.is_unsupported]
    found = merged((c.name, c.found) for c in judgements)
    if outside is not None:
        found += outside.found
    found = identified(unit, target, found)
    scope = {
        "method": "tested",
        "types": [c.name for c in supported],
        "inputs": sum(c.tally.compared for c in supported),
        "of_types": {c.name: _of_one(c) for c in supported},
        "rules": RULES,
        "seed": settings.seed,
        "random": settings.random,
        "accepted": LEVELS[settings.accepted],
        "short": settings.short,
        "left_open": sorted({name for c in supported for name in c.tally.left_open}),
        "largest": {name: max((c.tally.largest[name] for c in supported), default=0) for name in LARGEST},
    }
    if outside is not None:
        scope["misuse"] = outside.scope
    if not given:
        scope["examples"] = sum(c.tally.examples for c in supported)
    if given:
        scope |= {**given, "restricted": sum(c.tally.restricted for c in judgements)}
    if not settings.short:
        scope |= {"strength": settings.strength, "covering": plain(covered)}
    # No types at all is no agreement: `max` of nothing must not give the best level.
    level = _level(max((c.level for c in supported), default=NOTHING))
    lacking = [c.name for c in refused if c.name not in settings.without]
    unsupported = tuple(Unsupported(c.name, unit.file.version, c.tally.said) for c in refused)
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


def _verdict(supported: Sequence[TypeJudgement], found: Sequence[Divergence]) -> Conclusion:
    if found:
        return Conclusion.DIVERGES
    if not supported:
        return Conclusion.UNSUPPORTED
    # Agreement is said of what was compared alone.
    if any(one.tally.missing for one in supported):
        return Conclusion.UNKNOWN
    return Conclusion.AGREES


def _of_one(judgement: TypeJudgement) -> dict[str, Any]:
    """The number of inputs of a type and the level, how many inputs were not tried, since their like had ended the
    process, and how many show each kind of difference."""
    made: dict[str, Any] = {"inputs": judgement.tally.compared, "level": _level(judgement.level)}
    for name in ("passed_over", "open", "signalling", "signalling_others", "missing", "unreached", "only_open"):
        if value := getattr(judgement.tally, name):
            made[name] = value
    if judgement.says_nothing_from is not None:
        made["says_nothing_from"] = judgement.says_nothing_from
    failing: Counter[str] = Counter()
    kinds = {one.kind for one in judgement.found}
    for finding, every in judgement.run.failing.items():
        if finding.kind in kinds:
            failing[finding.kind.value] += len(every)
    if failing:
        made["failing"] = dict(sorted(failing.items()))
    return made


def _level(level: int) -> str | None:
    """Its name; None where there is no agreement at any."""
    return dict(enumerate(LEVELS)).get(level)


def merged(rows: Iterable[tuple[str, Sequence[Divergence]]]) -> list[Divergence]:
    """The divergences, those that several types share as one, which lists them."""
    found: dict[object, Divergence] = {}
    for name, divergences in rows:
        for one in divergences:
            # `described` makes it of no type: the input stays that of the first type.
            first = found.get(one.signature, one)
            examples = dict.fromkeys((*first.examples, *one.examples))
            found[one.signature] = replace(first, types=(*first.types, name), examples=tuple(examples))
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
