"""The runs of one choice of types: small inputs, the rows of a covering array, and what is counted of each input.

TypeRun   what the stage hands on: the observations that failed, those on small inputs, and the tally
Tally     how many inputs were compared, refused, passed over; the branches without a compared result
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from math import prod
from typing import Any

from sonnx_verify.conformance.inputs.cases import cases_at, only_left_open
from sonnx_verify.conformance.inputs.contexts import name_of
from sonnx_verify.conformance.inputs.covering.classes import Classes
from sonnx_verify.conformance.inputs.covering.rows import MOST, Coverage, CoveringArray, Use
from sonnx_verify.conformance.inputs.points import Input, Points
from sonnx_verify.conformance.inputs.pointwise import is_pointwise, vectors, window
from sonnx_verify.conformance.inputs.random_inputs import random_inputs, spread_inputs
from sonnx_verify.conformance.inputs.small_inputs import size_of
from sonnx_verify.conformance.inputs.trial import Trial, slots
from sonnx_verify.conformance.oracles.comparison import Finding, differing
from sonnx_verify.conformance.oracles.expectation import Demand
from sonnx_verify.conformance.runs.bench import DEATHS, MOST_DEATHS, Bench, Benches, Observation
from sonnx_verify.conformance.targets.calls import Ending, Nans, Presentation
from sonnx_verify.conformance.targets.presentation import payloads_of
from sonnx_verify.language.context import Context
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.logic import floats
from sonnx_verify.logic.sorts import FloatSort
from sonnx_verify.progress import shown
from sonnx_verify.results.concrete import LEFT_OUT, Assignment, numel, tensors_in

OF_A_KIND = 2
"""The number of inputs of one kind that may end the process before no more of it are tried."""
_SLOW = 100
"""The most elements of an input where the reference evaluator alone says what is expected."""
_NANS = 60
"""The number of inputs with a NaN that are tried with other bits of it."""
MEMBERS = 3
"""The number of members of a family in the input to begin with, so that one between others can be left out."""
LARGEST = ("rank", "size", "elements")
"""The figures of the largest tensors of a test."""


@dataclass(slots=True)
class Tally:
    """The counts of the inputs of one choice of types, while they run. `deadly` are kinds of inputs with how many
    of them ended the process."""

    compared: int = 0
    results: int = 0
    open: int = 0
    """The results of which the specification leaves everything open."""
    of_elements: int = 0
    """The results of which some element was compared."""
    refused: int = 0
    signalling: int = 0
    """The inputs with a signalling NaN."""
    signalling_others: int = 0
    """Those of them with other elements than the same input with a quiet NaN may have."""
    level: int = 0
    said: str = ""
    passed_over: int = 0
    restricted: int = 0
    """The given tests that a restriction excludes."""
    examples: int = 0
    """The examples of the specification and of its page that were run."""
    empty: list[str] = field(default_factory=list)
    """The branches of the specification that inputs can reach, and of which no result was compared."""
    left_open: tuple[str, ...] = ()
    """The tags of what the specification leaves open, in which no result is wrong."""
    unreached: list[str] = field(default_factory=list)
    """The branches that no small input reaches."""
    only_open: list[str] = field(default_factory=list)
    """The branches that small inputs reach only where the specification leaves the outcome open."""
    deadly: dict[object, int] = field(default_factory=dict)
    base: Assignment | None = None
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


@dataclass(frozen=True, slots=True)
class TypeRun:
    """The runs of one choice of types, as the judgement gets them."""

    name: str
    points: Points
    held: Sequence[Assignment] | None
    """The only inputs that are tried, if there are such."""
    bench: Bench
    tally: Tally = field(default_factory=Tally)
    failing: dict[Finding, list[Observation]] = field(default_factory=dict)
    small: list[Observation] = field(default_factory=list)
    """The observations on small inputs, or on those that are held."""
    spread: list[Observation] = field(default_factory=list)
    """The observations on inputs that errors are measured on."""


def begin(benches: Benches, context: Context, held: Sequence[Assignment] | None) -> TypeRun:
    """The test, with the small inputs run, or those that are held."""
    points = benches.points(context)
    run = TypeRun(name_of(benches.unit, context), points, held, benches.of(context))
    run.tally.left_open = tuple(item.tag for item in points.open_points)
    if held is not None:
        for assignment in held:
            seen = _counted(run, Trial(assignment))
            if seen is not None and seen.expected.kind is Demand.OUTSIDE:
                run.tally.restricted += 1
        run.small.extend(run.bench.seen)
        return run
    settings = benches.settings
    empty, nans = dict.fromkeys(points.branch_names), 0
    base: Assignment | None = None
    examples = [Trial(one.assignment, example=one.name) for one in benches.examples if one.types == run.name]
    small = (case.assignment for case in cases_at(points))
    others = chain(small, random_inputs(points, settings.seed, settings.random))
    # The examples first: an input that is one of them is told by its name.
    for trial in chain(examples, map(Trial, others)):
        assignment = dict(trial.assignment)
        seen = _counted(run, trial)
        run.tally.examples += bool(trial.example) and seen is not None and seen.expected.kind is not Demand.OUTSIDE
        if seen is None or not seen.expected.compares:
            continue
        base = _better_base(base, seen)
        if benches.target.takes_arrays and not settings.short and nans < _NANS:
            nans += _with_other_nans(run, assignment)
        # Of a sum it takes long to see the ways that it goes: few inputs are looked at until each way has one.
        if empty and seen.got.kind is Ending.RESULT:
            for name in points.branches(assignment, empty):
                del empty[name]
    run.tally.base = base
    run.small.extend(run.bench.seen)
    missing = [name for name in empty if name not in points.impossible]
    only_open = only_left_open(points, missing) if missing else set()
    run.tally.empty = [name for name in missing if name not in only_open]
    run.tally.only_open = [name for name in missing if name in only_open]
    run.tally.unreached = [name for name in empty if name in points.impossible]
    return run


def _with_other_nans(run: TypeRun, assignment: Assignment) -> bool:
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


_WINDOWS = (1, 8, 64, 512, 4096)
"""The lengths of the parts of a vector in which what is wrong with it is looked for: what is wrong of one value is so
of one element, what is wrong of vector code of some registers, a block or a page."""


def run_vectors(benches: Benches, run: TypeRun) -> None:
    """Run vectors of values, where each element of the outputs depends on one element of each input."""
    points, bench = run.points, run.bench
    if run.held is not None or bench.large is None or run.tally.is_unsupported or not is_pointwise(points):
        return
    offset = [one for one in benches.target.layouts.values() if one.offset][:1]
    for assignment in vectors(points, sorted(_valid(run), key=size_of), benches.settings.seed, bench.outputs):
        for presentation in (Presentation(), *offset):
            seen = _counted(run, Trial(assignment, presentation))
            if seen is not None and seen.findings:
                _narrow(run, seen)
                break
            if seen is not None:
                benches.done(bench, seen)


def _narrow(run: TypeRun, seen: Observation) -> None:
    """Put parts of a vector that show its findings in its place: to make it smaller step by step takes minutes."""
    count = max(len(tensor.elements) for tensor in tensors_in(seen.trial.assignment))
    for finding in seen.findings:
        shown = False
        for place in _places(run, seen, finding):
            for length in _WINDOWS:
                begin = max(0, min(place - place % length, count - length))
                part = window(run.points, dict(seen.trial.assignment), begin, begin + length)
                small = _counted(run, Trial(part, seen.trial.presentation))
                if small is not None and finding in small.findings:
                    shown = True
                    break
        if shown:
            run.failing[finding] = [other for other in run.failing[finding] if other is not seen]


def _places(run: TypeRun, seen: Observation, finding: Finding) -> list[int]:
    """The numbers of the first, the middle and the last element with a finding; 0 if it is not about elements."""
    found: list[int] = []
    outputs = (v.name for v in run.bench.meaning.outputs)
    for name, array in zip(outputs, seen.got.outputs, strict=False):
        wanted = seen.expected.outputs.get(name)
        if array is not None and wanted is not None and array.shape == wanted.shape:
            found += [place[0] for place, _, one in differing(seen.expected, name, array) if one == finding]
    return list(dict.fromkeys(found[n] for n in (0, len(found) // 2, -1))) if found else [0]


def cover(benches: Benches, runs: Sequence[TypeRun]) -> list[Coverage]:
    """Run the rows of covering arrays, one for all types whose inputs have the same factors."""
    settings = benches.settings
    points = [run.points for run in runs]
    alike: dict[tuple[Any, ...], list[int]] = {}
    for n, one in enumerate(points):
        alike.setdefault(tuple(Classes(one).factors), []).append(n)
    covered = []
    most = MOST if benches.has_large else _SLOW
    for numbers in alike.values():
        # The rows are made without these elements: how large a result is would not be known until one was too large.
        if any(points[n].has_sizes_of_data for n in numbers):
            continue
        names = [runs[n].name for n in numbers]
        array = CoveringArray(
            [points[n] for n in numbers],
            names,
            settings.seed,
            settings.strength,
            benches.target.layouts,
            most,
            known=[_valid(runs[n]) for n in numbers],
        )
        for row in shown(array.rows(), array.limit, "inputs of a covering array"):
            run = runs[numbers[row.type]]
            seen = _counted(run, row.trial)
            array.record(row, _use(seen))
            if seen is not None and seen.expected.kind is not Demand.OUTSIDE and not seen.findings:
                benches.done(run.bench, seen)
        covered.append(array.coverage)
    return covered


def _valid(run: TypeRun) -> list[Input]:
    """The small inputs with a result, each once."""
    return [dict(seen.trial.assignment) for seen in run.small if seen.expected.kind is Demand.RESULT]


def _use(seen: Observation | None) -> Use:
    if seen is None or seen.expected.kind is Demand.OUTSIDE:
        return Use.NOT_RUN
    return Use.SHOWS if seen.expected.shows_faults else Use.BLIND


def spread(benches: Benches, run: TypeRun) -> None:
    """Run random inputs whose results errors are measured of: tests like all others."""
    settings = benches.settings
    count = settings.random if run.held is None else 0
    for assignment in spread_inputs(run.points, settings.seed, count):
        if run.bench.deaths >= MOST_DEATHS:
            break
        trial = Trial(assignment)
        _counted(run, trial)
        run.spread.append(run.bench.see(trial))


def _counted(run: TypeRun, trial: Trial) -> Observation | None:
    """Run the input, unless inputs of its kind have ended the process before: it has to begin anew each time."""
    bench, count = run.bench, run.tally
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
        kind = _kind_of_input(bench.meaning, trial)
        count.deadly[kind] = count.deadly.get(kind, 0) + 1
    count.compared += 1
    if seen.expected.kind is Demand.RESULT:
        count.results += 1
        count.note_sizes(trial.assignment)
        count.open += not seen.expected.compares
        count.of_elements += seen.expected.compares_elements
        count.signalling += trial.presentation.nans is Nans.SIGNALLING
        count.signalling_others += seen.is_other
        if seen.got.kind is Ending.REFUSED:
            count.refused += 1
            count.said = count.said or seen.got.said
    # A finding counts once it is confirmed.
    if not seen.findings:
        count.level = max(count.level, seen.level)
    for finding in seen.findings:
        run.failing.setdefault(finding, []).append(seen)
    return seen


def _is_deadly(bench: Bench, trial: Trial, count: Tally) -> bool:
    # Mostly nothing dies, and the kind of an input takes longer than this question.
    return bool(count.deadly) and count.deadly.get(_kind_of_input(bench.meaning, trial), 0) >= OF_A_KIND


def _kind_of_input(meaning: Meaning, trial: Trial) -> object:
    """The same for inputs that a target dies of for one reason, most likely: ranks, what is empty, what is given."""
    return (
        tuple((slot[0].name, len(t.shape), 0 in t.shape) for slot, t in slots(meaning, trial.assignment)),
        tuple(v.name for v in meaning.variables if trial.assignment.get(v.name, LEFT_OUT) is not LEFT_OUT),
    )


def _better_base(base: Assignment | None, seen: Observation) -> Assignment | None:
    """The input to begin with: `base`, or the one that was seen if that is better and the target answered as the
    specification says. Better is one with more members of families, elements in each tensor, more that is given, and
    then a smaller one."""
    if seen.got.kind is not Ending.RESULT or seen.findings:
        return base
    other = seen.trial.assignment
    # Of two that are alike the first: random inputs come last, and another seed has others.
    return other if base is None or _worth(other) > _worth(base) else base


def _worth(assignment: Assignment) -> tuple[int, ...]:
    tensors = list(tensors_in(assignment))
    given = sum(value is not LEFT_OUT for value in assignment.values())
    # Lists of attributes are tuples too: of these as well, several entries are more than one.
    members = sum(min(len(value), MEMBERS) for value in assignment.values() if isinstance(value, tuple))
    sizes = [numel(tensor.shape) for tensor in tensors]
    has_axes = any(tensor.shape for tensor in tensors)
    return members, all(sizes), given, has_axes, -len(sizes), -sum(sizes)
