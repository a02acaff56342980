"""A target tested on many inputs: the answers that differ, each difference once, on its smallest input."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path
from typing import Any

from sonnx_verify.conformance import lengths
from sonnx_verify.conformance.accuracy import Measured, accuracies
from sonnx_verify.conformance.bench import DEATHS, MOST_DEATHS, Bench, Observation
from sonnx_verify.conformance.calls import Ending
from sonnx_verify.conformance.cases.cases import cases_of, random_cases, spread_cases
from sonnx_verify.conformance.cases.contexts import every_context
from sonnx_verify.conformance.cases.coverage import LARGE
from sonnx_verify.conformance.cases.held import read
from sonnx_verify.conformance.cases.suite import Reader, Unreadable
from sonnx_verify.conformance.compare import LEVELS, NOTHING, PAYLOAD, Finding, Kind
from sonnx_verify.conformance.described import described
from sonnx_verify.conformance.expected import Demand, Oracle
from sonnx_verify.conformance.models import Models
from sonnx_verify.conformance.record import Conclusion, Conformance, Divergence
from sonnx_verify.conformance.signature import bucket, kind_of_input, signature, unordered
from sonnx_verify.conformance.target import Runner, Target
from sonnx_verify.conformance.trial import Trial, weight
from sonnx_verify.errors import UsageError, UserError
from sonnx_verify.language.context import Context
from sonnx_verify.language.families import types_of
from sonnx_verify.language.files import Unit
from sonnx_verify.language.project import Project
from sonnx_verify.progress import shown
from sonnx_verify.results.concrete import Assignment, numel, tensors_in

OF_A_KIND = 2
"""The number of inputs of one kind that may end the process before no more of it are tried."""
OF_ELEMENTS = (Kind.NAN_LOST, Kind.NAN_MADE, Kind.NAN_PAYLOAD, Kind.ZERO_SIGN, Kind.VALUE)
"""The kinds for which it matters where elements stand."""
BUCKETS = 150
"""The number of inputs of one kind of difference, each unlike the others, that are made smaller."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The level that counts as agreement, and how much is tried. `types` are those of T, all where it is empty.
    `short` leaves out what only real code sees: lengths, places in memory. Raises UsageError for no time at all."""

    types: tuple[str, ...] = ()
    accepted: int = PAYLOAD
    seed: int = 0
    random: int = 100
    seconds: float = 20.0
    short: bool = False
    test_only: bool = False
    """Code that could be proved is tested only."""
    accuracy: bool = False
    """The errors of results are measured as well; code that could be proved is tested only."""
    vectors: str = ""
    """A folder of tests whose inputs are the only ones; code that could be proved is tested only."""

    def __post_init__(self) -> None:
        # With no time for a call, or one that no clock reaches, every input would be said to hang: a verdict on the
        # target that is none of its own. NaN is below nothing and above nothing.
        if not 0 < self.seconds < inf:
            raise UsageError(f"{self.seconds} seconds is not a valid time limit", cure="give it seconds, such as 20")
        if self.random < 0:
            raise UsageError(f"{self.random} is not a number of random inputs", cure="give 0 or more")


@dataclass(slots=True)
class Count:
    """The inputs that were tried of one choice of types. `deadly` are kinds of inputs with how many of
    them ended the process."""

    name: str
    compared: int = 0
    results: int = 0
    refused: int = 0
    level: int = 0
    said: str = ""
    passed_over: int = 0
    deadly: dict[object, int] = field(default_factory=dict)
    found: list[Divergence] = field(default_factory=list)
    measured: Measured | None = None

    @property
    def is_unsupported(self) -> bool:
        """Return whether every valid input was refused."""
        # Without a valid input nothing was refused, and nothing is known.
        return 0 < self.results == self.refused


@dataclass(frozen=True, slots=True)
class Benches:
    """A target that has begun, and the bench for each choice of types: on these, inputs are run on the real target."""

    project: Project
    unit: Unit
    target: Target
    settings: Settings
    runner: Runner

    def of(self, context: Context) -> Bench:
        """The bench for these types."""
        meaning = self.project.meaning(self.unit, context)
        models = Models(self.project, self.unit, meaning, self.target.takes_models)
        oracle = Oracle(self.project, self.unit, meaning)
        return Bench(meaning, oracle, models, self.runner, self.settings.accepted)

    def divergence(self, bench: Bench, finding: Finding, seen: Observation) -> Divergence:
        """One divergence of one type; `identified` completes it."""
        mark = signature(bench.meaning, seen, finding)
        return described(bench, self.unit, self.target, finding, seen, mark)


@contextmanager
def begun(project: Project, unit: Unit, target: Target, settings: Settings) -> Iterator[Benches]:
    """The target, begun; it is ended with the block. UsageError where it cannot be used."""
    runner = target.begin(unit.operator, settings.seconds)
    try:
        yield Benches(project, unit, target, settings, runner)
    finally:
        runner.close()


def tested(project: Project, unit: Unit, target: Target, settings: Settings) -> Conformance:
    """The target held against the specification by running it."""
    every: list[tuple[Context, Sequence[Assignment] | None]] = [(c, None) for c in contexts(unit, settings.types)]
    large = 0
    if settings.vectors:
        found, large = _held(project, unit, settings.vectors)
        every = [(context, found[name]) for context, _ in every if (name := name_of(unit, context)) in found]
        if not every:
            problem = f"{settings.vectors} has no test of {unit.operator} with these types, of {LARGE} elements at most"
            raise UsageError(problem, cure=f"it has: {', '.join(found) or 'none of the operator'}")
    with begun(project, unit, target, settings) as benches:
        counts = [tested_type(benches, context, held) for context, held in shown(every, len(every), "types")]
        version = benches.runner.version
    return _answer(unit, target, version, settings, counts, large)


def _held(project: Project, unit: Unit, folder: str) -> tuple[dict[str, list[Assignment]], int]:
    """The inputs that the tests of a folder have for the operator, by the names of their types, and the number of those
    that are too large for the reference evaluator. UserError for a test that cannot be read: it must not look as if it
    had passed."""
    assert unit.file is not None
    tests, broken = read(Path(folder))
    reader = Reader(project, unit)
    found: dict[str, list[Assignment]] = {}
    large = 0
    for one in broken:
        raise UserError(f"{one['test']} cannot be read: {one['why']}", cure="remove it")
    for test in tests:
        if test.operator != unit.file.name:
            continue
        try:
            points, assignment = reader.read(test)
        except Unreadable as problem:
            raise UserError(f"{test.name} is not an input of {unit.operator}: {problem}", cure="remove it") from None
        if sum(numel(tensor.shape) for tensor in tensors_in(assignment)) > LARGE:
            large += 1
        else:
            found.setdefault(name_of(unit, points.context), []).append(assignment)
    return found, large


def contexts(unit: Unit, types: Sequence[str]) -> list[Context]:
    """Each choice of types, of these types of T where some are named; none is an answer too."""
    # Whether a type is one of the operator was asked where the user named it.
    return [c for c in every_context(unit) if not types or c.element.name in types]


def name_of(unit: Unit, context: Context) -> str:
    """The name of a choice of types, another one for each: the type of T, then those of the other variables that
    have several, as in the name of a section: `int8-int64`."""
    assert unit.file is not None
    file = unit.file
    # A variable with one type says nothing, and would make all names longer.
    varying = [sort.name for name, sort in context.variables.items() if len(types_of(file, name)) > 1]
    return "-".join([context.element.name, *varying])


def tested_type(benches: Benches, context: Context, held: Sequence[Assignment] | None) -> Count:
    """The findings on one choice of types, on the inputs that are `held` alone where there are such."""
    bench = benches.of(context)
    count = Count(name_of(benches.unit, context))
    failing: dict[Finding, list[Observation]] = {}
    valid: list[Assignment] = []

    def is_valid(assignment: Assignment) -> bool:
        return bench.expected(Trial(assignment)).kind is Demand.RESULT

    small = _small(benches, context)
    if held is not None:
        small = map(Trial, held)
    for trial in small:
        _counted(bench, trial, count, failing)
        if is_valid(trial.assignment):
            valid.append(trial.assignment)
    # A type that refuses all small inputs is not supported: thousands of longer ones would say no more.
    if held is None and count.refused < count.results and not benches.settings.short:
        for trial in lengths.trials(bench.meaning, valid, is_valid, places=benches.target.takes_arrays):
            _counted(bench, trial, count, failing)
    if count.is_unsupported:
        return count
    if benches.settings.accuracy:
        count.measured = _measured(benches, bench, context, held, count, failing)
    count.said = ""
    count.found = _each_once(benches, bench, failing)
    return count


def _small(benches: Benches, context: Context) -> Iterator[Trial]:
    settings = benches.settings
    for case in cases_of(benches.project, benches.unit, context):
        yield Trial(case.assignment)
    for case in random_cases(benches.project, benches.unit, context, settings.seed, settings.random):
        yield Trial(case.assignment)


def _measured(
    benches: Benches,
    bench: Bench,
    context: Context,
    held: Sequence[Assignment] | None,
    count: Count,
    failing: dict[Finding, list[Observation]],
) -> Measured:
    """The errors of the results on random inputs of their own, where none are held, which are tests like all others,
    and on what was run before."""
    measured = Measured(bench.meaning)
    ran = bench.seen
    settings = benches.settings
    wanted = settings.random if held is None else 0
    for case in spread_cases(benches.project, benches.unit, context, settings.seed, wanted):
        if bench.deaths >= MOST_DEATHS:
            break
        trial = Trial(case.assignment)
        _counted(bench, trial, count, failing)
        measured.look(bench.see(trial))
    for seen in ran:
        measured.look(seen)
    return measured


def _counted(bench: Bench, trial: Trial, count: Count, failing: dict[Finding, list[Observation]]) -> None:
    """Run the input, unless inputs of its kind have ended the process before: it has to begin anew each time."""
    # What is passed over is counted and told: it must not look as if it had agreed.
    if bench.deaths >= MOST_DEATHS or _is_deadly(bench, trial, count):
        count.passed_over += 1
        return
    seen = bench.see(trial)
    if seen.expected.kind is Demand.OUTSIDE:
        return
    if seen.got.kind in DEATHS:
        kind = kind_of_input(bench.meaning, trial)
        count.deadly[kind] = count.deadly.get(kind, 0) + 1
    count.compared += 1
    if seen.expected.kind is Demand.RESULT:
        count.results += 1
        if seen.got.kind is Ending.REFUSED:
            count.refused += 1
            count.said = count.said or seen.got.said
    count.level = max(count.level, seen.level)
    for finding in seen.findings:
        failing.setdefault(finding, []).append(seen)


def _is_deadly(bench: Bench, trial: Trial, count: Count) -> bool:
    # Mostly nothing dies, and the kind of an input takes longer than this question.
    return bool(count.deadly) and count.deadly.get(kind_of_input(bench.meaning, trial), 0) >= OF_A_KIND


def _each_once(benches: Benches, bench: Bench, failing: dict[Finding, list[Observation]]) -> list[Divergence]:
    """Each difference on its smallest input. Of inputs that are much alike the smallest is made smaller; what comes to
    the same is the same."""
    made = []
    for finding, every in sorted(failing.items(), key=lambda row: (row[0].kind, row[0].cause)):
        found: dict[object, Observation] = {}
        tried: set[object] = set()
        for seen in sorted(every, key=lambda s: weight(bench.meaning, s.trial)):
            # Making an input smaller takes hundreds of calls: of inputs that look alike one is enough.
            alike = bucket(bench.meaning, seen)
            if alike in tried or len(tried) >= BUCKETS:
                continue
            tried.add(alike)
            # The first may take any order of its elements. Those after it keep theirs: in any order they would all
            # come to the same smallest input, and code that fails in two places would show one of them.
            reorder = not found or finding.kind not in OF_ELEMENTS
            smallest = bench.smallest(seen, finding, reorder=reorder)
            found.setdefault(unordered(bench.meaning, smallest, finding), smallest)
        made += [benches.divergence(bench, finding, seen) for seen in found.values()]
    return made


def _answer(
    unit: Unit, target: Target, version: str, settings: Settings, counts: Sequence[Count], large: int = 0
) -> Conformance:
    assert unit.file is not None
    refused = [c for c in counts if c.is_unsupported]
    supported = [c for c in counts if not c.is_unsupported]
    found = identified(unit, target, merged((c.name, c.found) for c in supported))
    scope = {
        "method": "tested",
        "types": [c.name for c in supported],
        "inputs": sum(c.compared for c in supported),
        "of_types": {c.name: _of_one(c) for c in supported},
        "seed": settings.seed,
        "random": settings.random,
        "accepted": LEVELS[settings.accepted],
        "short": settings.short,
    }
    if settings.vectors:
        scope |= {"vectors": settings.vectors, "too_large": large}
    # No types at all is no agreement: `max` of nothing must not give the best level.
    level = _level(max((c.level for c in supported), default=NOTHING))
    unsupported = [{"type": c.name, "version": unit.file.version, "said": c.said} for c in refused]
    verdict = _verdict(supported, found)
    accuracy = None
    if settings.accuracy:
        accuracy = tuple(row for c in supported if c.measured is not None for row in accuracies(c.name, c.measured))
    return Conformance(
        unit.operator, target.text, version, verdict, scope, level, tuple(found), tuple(unsupported), accuracy
    )


def _verdict(supported: Sequence[Count], found: Sequence[Divergence]) -> Conclusion:
    if found:
        return Conclusion.DIVERGES
    # That input is refused is agreement, and not enough of it: a target that refuses all would agree.
    if any(count.results for count in supported):
        return Conclusion.AGREES
    if supported:
        return Conclusion.UNKNOWN
    return Conclusion.UNSUPPORTED


def _of_one(count: Count) -> dict[str, Any]:
    """The number of inputs of a type and the level, and how many inputs were not tried, since their like had ended the
    process."""
    made: dict[str, Any] = {"inputs": count.compared, "level": _level(count.level)}
    if count.passed_over:
        made["passed_over"] = count.passed_over
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
    made = []
    for one in found:
        # Of the signature, not of the input: the input may become smaller when the search does better.
        mark = hashlib.sha256(repr(one.signature).encode()).hexdigest()[:6]
        made.append(replace(one, id=f"{target.slug}/{unit.operator}/{one.id}/{mark}"))
    return sorted(made, key=lambda one: one.id)
