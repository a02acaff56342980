"""A target tested on many inputs: the answers that differ, each difference once, on its smallest input."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sonnx_verify.conformance.inputs.cases import cases_at, only_left_open
from sonnx_verify.conformance.inputs.contexts import contexts_of, name_of
from sonnx_verify.conformance.inputs.covering.classes import Classes
from sonnx_verify.conformance.inputs.covering.rows import MOST, ROWS, Coverage, CoveringArray, Use
from sonnx_verify.conformance.inputs.points import Input, Memory, Points
from sonnx_verify.conformance.inputs.random_inputs import random_inputs, spread_inputs
from sonnx_verify.conformance.inputs.trial import Trial, weight
from sonnx_verify.conformance.judgement.accuracy import Measured
from sonnx_verify.conformance.judgement.answer import Count, answer
from sonnx_verify.conformance.judgement.conformance import Conformance, Divergence
from sonnx_verify.conformance.judgement.description import described
from sonnx_verify.conformance.judgement.misuse import Misused, better_base, misused
from sonnx_verify.conformance.judgement.signature import bucket, kind_of_input, signature, unordered
from sonnx_verify.conformance.judgement.sizes import BySize
from sonnx_verify.conformance.oracles.array_oracle import ArrayOracle
from sonnx_verify.conformance.oracles.comparison import Finding, Kind, compare
from sonnx_verify.conformance.oracles.expectation import Demand, Oracle
from sonnx_verify.conformance.runs.bench import DEATHS, MOST_DEATHS, Bench, Observation
from sonnx_verify.conformance.runs.settings import Settings
from sonnx_verify.conformance.targets.calls import Ending, Presentation, TargetKind
from sonnx_verify.conformance.targets.models import Models, asked_outputs, domain_of
from sonnx_verify.conformance.targets.presentation import payloads_of
from sonnx_verify.conformance.targets.target import Runner, Target
from sonnx_verify.conformance.vectors.coverage import LARGE
from sonnx_verify.conformance.vectors.suite import Reader, Unreadable, read
from sonnx_verify.errors import UsageError, UserError
from sonnx_verify.language.context import Context
from sonnx_verify.language.files import Unit
from sonnx_verify.language.project import Project
from sonnx_verify.logic import floats
from sonnx_verify.logic.sorts import FloatSort
from sonnx_verify.progress import shown
from sonnx_verify.results.concrete import Assignment, numel, tensors_in

OF_A_KIND = 2
"""The number of inputs of one kind that may end the process before no more of it are tried."""
OF_ELEMENTS = (Kind.NAN_LOST, Kind.NAN_MADE, Kind.NAN_PAYLOAD, Kind.ZERO_SIGN, Kind.VALUE)
"""The kinds for which it matters where elements stand."""
_SLOW = 100
"""The most elements of an input where the reference evaluator alone says what is expected."""
_NANS = 60
"""The number of inputs with a NaN that are tried with other bits of it."""
BUCKETS = 150
"""The number of inputs of one kind of difference, each unlike the others, that are made smaller."""


@dataclass(frozen=True, slots=True)
class Benches:
    """A target that has begun, and the bench for each choice of types: on these, inputs are run on the real target."""

    project: Project
    unit: Unit
    target: Target
    settings: Settings
    runner: Runner
    memory: Memory = field(default_factory=dict)

    def points(self, context: Context) -> Points:
        """The points of inputs of these types."""
        return Points(self.project, self.unit, context, self.memory)

    @property
    def has_large(self) -> bool:
        """Return whether the numpy evaluator says what is expected of large inputs."""
        # The evaluator would be compared with itself. Where a text defines no value, an array has an arbitrary one, so
        # only the large inputs of a covering array are worth its use.
        return not self.settings.short and self.target.kind is not TargetKind.EVALUATOR

    def of(self, context: Context) -> Bench:
        """The bench for these types."""
        meaning = self.project.meaning(self.unit, context)
        models = Models(self.project, self.unit, meaning, self.target.takes_models)
        oracle = Oracle(self.project, self.unit, meaning)
        large = None
        if self.has_large:
            large = ArrayOracle(self.project, self.unit, meaning)
        return Bench(meaning, oracle, models, self.runner, self.settings.accepted, large)

    def done(self, bench: Bench, seen: Observation) -> None:
        """Forget a row of a covering array that was run without a finding. Who runs other code on the same inputs
        overrides it, and keeps them."""
        bench.forget(seen)

    def divergence(self, bench: Bench, finding: Finding, seen: Observation) -> Divergence:
        """One divergence of one type; `identified` completes it."""
        mark = signature(bench.meaning, seen, finding)
        made = described(bench, self.unit, self.target, finding, seen, mark)
        return replace(made, reproduced=self._shows_again(bench, finding, seen))

    def _shows_again(self, bench: Bench, finding: Finding, seen: Observation) -> bool:
        """Return whether a new process shows the finding too: what earlier calls left behind may have caused it."""
        assignment = seen.trial.assignment
        got = self.runner.again(bench.models.call(assignment, seen.trial.presentation))
        asked = [v.name for v in asked_outputs(bench.meaning, assignment)]
        _, findings = compare(seen.expected, asked, got)
        return finding in findings


@contextmanager
def begun(project: Project, unit: Unit, target: Target, settings: Settings) -> Iterator[Benches]:
    """The target, begun; it is ended with the block. UsageError where it cannot be used."""
    runner = target.begin(unit.operator, settings.seconds)
    try:
        yield Benches(project, unit, target, settings, runner)
    finally:
        runner.close()


Wanted = tuple[Context, Sequence[Assignment] | None]
"""A choice of types, and the only inputs that are tried of it, if there are such."""


def tested(project: Project, unit: Unit, target: Target, settings: Settings) -> Conformance:
    """The target held against the specification by running it."""
    every: list[Wanted] = [(c, None) for c in contexts_of(unit, settings.types)]
    given: dict[str, Any] = {}
    if settings.vectors:
        found, large = _held(project, unit, settings.vectors)
        untested = [name for context, _ in every if (name := name_of(unit, context)) not in found]
        given = {"vectors": settings.vectors, "too_large": large, "untested": untested}
        every = [(context, found[name]) for context, _ in every if (name := name_of(unit, context)) in found]
        if not every:
            problem = f"{settings.vectors} has no test of {unit.operator} with these types, of {LARGE} elements at most"
            raise UsageError(problem, cure=f"it has: {', '.join(found) or 'none of the operator'}")
    with begun(project, unit, target, settings) as benches:
        counts, covered = tested_types(benches, every)
        outside = _misused(benches, counts)
        version = benches.runner.version
    return answer(unit, target, version, settings, counts, covered, given, outside)


def _misused(benches: Benches, counts: Sequence[Count]) -> Misused | None:
    """The calls outside of the signature, of the first type that has an input to begin with; none with given tests."""
    for count in counts:
        if count.base is not None:
            context, base = count.base
            return misused(benches.of(context), benches.target, count.name, base)
    return None if benches.settings.vectors else Misused()


def _held(project: Project, unit: Unit, folder: str) -> tuple[dict[str, list[Assignment]], int]:
    """The inputs that the tests of a folder have for the operator, by the names of their types, and the number of those
    that are too large for the reference evaluator. UserError for a test that cannot be read: it must not look as if it
    had passed."""
    assert unit.file is not None
    # An operator of one's own may stand for one of ONNX.
    tests, broken = read(Path(folder), [(domain, unit.file.name) for domain in ("", domain_of(unit))])
    reader = Reader(project, unit)
    found: dict[str, list[Assignment]] = {}
    large = 0
    if broken:
        raise UserError(f"{broken[0].test} cannot be read: {broken[0].why}", cure="remove it")
    for test in tests:
        try:
            points, assignment = reader.read(test)
        except Unreadable as problem:
            raise UserError(f"{test.name} is not an input of {unit.operator}: {problem}", cure="remove it") from None
        if sum(numel(tensor.shape) for tensor in tensors_in(assignment)) > LARGE:
            large += 1
        else:
            found.setdefault(name_of(unit, points.context), []).append(assignment)
    return found, large


def tested_types(benches: Benches, every: Sequence[Wanted]) -> tuple[list[Count], list[Coverage]]:
    """The findings on these choices of types, and the combinations of classes that were covered."""
    runs = [_begun(benches, *wanted) for wanted in shown(every, len(every), "types")]
    # A type that refuses all small inputs is not supported: thousands of other ones would say no more.
    supported = [run for run in runs if run.held is None and run.count.refused < run.count.results]
    covered: list[Coverage] = []
    if not benches.settings.short:
        covered = _cover(benches, supported)
    return [_ended(benches, run) for run in shown(runs, len(runs), "types shrunk")], covered


@dataclass(slots=True)
class _Run:
    """The test of one choice of types."""

    points: Points
    held: Sequence[Assignment] | None
    """The only inputs that are tried, if there are such."""
    bench: Bench
    count: Count
    failing: dict[Finding, list[Observation]] = field(default_factory=dict)
    small: list[Observation] = field(default_factory=list)
    """The observations on small inputs, or on those that are held."""


def _begun(benches: Benches, context: Context, held: Sequence[Assignment] | None) -> _Run:
    """The test, with the small inputs run, or those that are held."""
    points = benches.points(context)
    run = _Run(points, held, benches.of(context), Count(name_of(benches.unit, context)))
    run.count.left_open = tuple(item.tag for item in points.open_points)
    if held is not None:
        for assignment in held:
            seen = _counted(run, Trial(assignment))
            if seen is not None and seen.expected.kind is Demand.OUTSIDE:
                run.count.restricted += 1
        run.small = run.bench.seen
        return run
    settings = benches.settings
    empty, nans = dict.fromkeys(points.branch_names), 0
    base: Assignment | None = None
    for assignment in _small(settings, points):
        seen = _counted(run, Trial(assignment))
        if seen is None or not seen.expected.compares:
            continue
        base = better_base(base, seen)
        if benches.target.takes_arrays and not settings.short and nans < _NANS:
            nans += _with_other_nans(run, assignment)
        # Of a sum it takes long to see the ways that it goes: few inputs are looked at until each way has one.
        if empty and seen.got.kind is Ending.RESULT:
            for name in points.branches(assignment, empty):
                del empty[name]
    run.count.base = None if base is None else (context, base)
    run.small = run.bench.seen
    missing = [name for name in empty if name not in points.impossible]
    only_open = only_left_open(points, missing) if missing else set()
    run.count.empty = [name for name in missing if name not in only_open]
    run.count.only_open = [name for name in missing if name in only_open]
    run.count.unreached = [name for name in empty if name in points.impossible]
    return run


def _with_other_nans(run: _Run, assignment: Assignment) -> bool:
    """Run an input that has a NaN with other bits of it; whether it has one."""
    sort = run.points.context.element
    if not isinstance(sort, FloatSort):
        return False
    nan = floats.nan(sort)
    if not any(tensor.sort == sort and nan in tensor.elements for tensor in tensors_in(assignment)):
        return False
    for nans in payloads_of(sort.name):
        _counted(run, Trial(assignment, Presentation(nans=nans)))
    return True


def _cover(benches: Benches, runs: Sequence[_Run]) -> list[Coverage]:
    """Run the rows of covering arrays, one for all types whose inputs have the same factors."""
    settings = benches.settings
    points = [run.points for run in runs]
    alike: dict[tuple[Any, ...], list[int]] = {}
    for n, one in enumerate(points):
        alike.setdefault(tuple(Classes(one).factors), []).append(n)
    covered = []
    most = MOST if benches.has_large else _SLOW
    for numbers in alike.values():
        names = [runs[n].count.name for n in numbers]
        array = CoveringArray(
            [points[n] for n in numbers],
            names,
            settings.seed,
            settings.strength,
            benches.target.layouts,
            most,
            known=[_valid(runs[n]) for n in numbers],
        )
        for row in shown(array.rows(), ROWS, "inputs of a covering array"):
            run = runs[numbers[row.type]]
            seen = _counted(run, row.trial)
            array.record(row, _use(seen))
            if seen is not None and seen.expected.kind is not Demand.OUTSIDE and not seen.findings:
                benches.done(run.bench, seen)
        covered.append(array.coverage)
    return covered


def _valid(run: _Run) -> list[Input]:
    """The small inputs with a result, each once."""
    return [dict(seen.trial.assignment) for seen in run.small if seen.expected.kind is Demand.RESULT]


def _use(seen: Observation | None) -> Use:
    if seen is None or seen.expected.kind is Demand.OUTSIDE:
        return Use.NOT_RUN
    return Use.SHOWS if seen.expected.shows_faults else Use.BLIND


def _ended(benches: Benches, run: _Run) -> Count:
    """The findings, each once."""
    count = run.count
    failing = run.failing
    if count.is_unsupported:
        # That it refuses is told as that alone. What else it did is a finding of any type.
        failing = {finding: seen for finding, seen in failing.items() if finding.kind is not Kind.REFUSES}
    else:
        count.said = ""
        if benches.settings.accuracy:
            count.measured = _measured(benches, run)
    count.found = _each_once(benches, run, failing)
    return count


def _small(settings: Settings, points: Points) -> Iterator[Input]:
    yield from (case.assignment for case in cases_at(points))
    yield from random_inputs(points, settings.seed, settings.random)


def _measured(benches: Benches, run: _Run) -> Measured:
    """The errors of the results on random inputs of their own, which are tests like all others, and on small ones."""
    bench, settings = run.bench, benches.settings
    measured = Measured(bench.meaning)
    count = settings.random if run.held is None else 0
    for assignment in spread_inputs(run.points, settings.seed, count):
        if bench.deaths >= MOST_DEATHS:
            break
        trial = Trial(assignment)
        _counted(run, trial)
        measured.look(bench.see(trial))
    for seen in run.small:
        measured.look(seen)
    if count and measured.errors and bench.deaths < MOST_DEATHS:
        oracle = bench.large or ArrayOracle(benches.project, benches.unit, bench.meaning)
        by_size = BySize.on(run.points, oracle, bench.models, benches.runner)
        measured.sizes = by_size.of(run.count.name, settings.seed, count)
    return measured


def _counted(run: _Run, trial: Trial) -> Observation | None:
    """Run the input, unless inputs of its kind have ended the process before: it has to begin anew each time."""
    bench, count = run.bench, run.count
    # What is passed over is counted and told: it must not look as if it had agreed.
    if bench.deaths >= MOST_DEATHS or _is_deadly(bench, trial, count):
        count.passed_over += 1
        return None
    known = bench.has_seen(trial)
    forgotten = known and bench.has_forgotten(trial)
    seen = bench.see(trial)
    # Each input is counted once, however often it is asked for. One that was forgotten had no finding: a target that
    # has one now answers otherwise each time.
    if seen.expected.kind is Demand.OUTSIDE or (known and not (forgotten and seen.findings)):
        return seen
    if seen.got.kind in DEATHS:
        kind = kind_of_input(bench.meaning, trial)
        count.deadly[kind] = count.deadly.get(kind, 0) + 1
    count.compared += 1
    if seen.expected.kind is Demand.RESULT:
        count.results += 1
        count.note_sizes(trial.assignment)
        count.open += not seen.expected.compares
        count.of_elements += seen.expected.compares_elements
        if seen.got.kind is Ending.REFUSED:
            count.refused += 1
            count.said = count.said or seen.got.said
    # A finding counts once it is confirmed.
    if not seen.findings:
        count.level = max(count.level, seen.level)
    for finding in seen.findings:
        run.failing.setdefault(finding, []).append(seen)
    return seen


def _is_deadly(bench: Bench, trial: Trial, count: Count) -> bool:
    # Mostly nothing dies, and the kind of an input takes longer than this question.
    return bool(count.deadly) and count.deadly.get(kind_of_input(bench.meaning, trial), 0) >= OF_A_KIND


def _each_once(benches: Benches, run: _Run, failing: dict[Finding, list[Observation]]) -> list[Divergence]:
    """Each difference on its smallest input. Of inputs that are much alike the smallest is made smaller; what comes to
    the same is the same."""
    bench, made = run.bench, []
    for finding, every in sorted(failing.items(), key=lambda row: (row[0].kind, row[0].cause)):
        found: dict[object, Observation] = {}
        tried: set[object] = set()
        misled = False
        for seen in sorted(every, key=lambda s: weight(bench.meaning, s.trial)):
            # Making an input smaller takes hundreds of calls: of inputs that look alike one is enough.
            alike = bucket(bench.meaning, seen)
            if alike in tried or len(tried) >= BUCKETS:
                continue
            if misled:
                seen = bench.confirmed(seen)
                run.count.level = max(run.count.level, seen.level)
                if finding not in seen.findings:
                    continue
            # The first may take any order of its elements. Those after it keep theirs: in any order they would all
            # come to the same smallest input, and code that fails in two places would show one of them.
            reorder = not found or finding.kind not in OF_ELEMENTS
            smallest = bench.confirmed(bench.smallest(seen, finding, reorder=reorder))
            # The numpy evaluator may have misled on the way, or where it began: an input that is no finding must not
            # stand for those that are alike, and hide one that is.
            if finding not in smallest.findings:
                misled = True
                smallest = bench.confirmed(seen)
            run.count.level = max(run.count.level, smallest.level)
            if finding not in smallest.findings:
                continue
            tried.add(alike)
            found.setdefault(unordered(bench.meaning, smallest, finding), smallest)
        made += [benches.divergence(bench, finding, seen) for seen in found.values()]
    return made
