"""A target and its specification side by side: the answer of each to an input, and their comparison."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from hashlib import sha256

from sonnx_verify.conformance.inputs.examples import Example, examples_of_text
from sonnx_verify.conformance.inputs.points import Memory, Points
from sonnx_verify.conformance.inputs.shrinks import moves
from sonnx_verify.conformance.inputs.trial import Trial, slots, weight
from sonnx_verify.conformance.oracles.array_oracle import ArrayOracle
from sonnx_verify.conformance.oracles.comparison import BITS, OF_ELEMENTS, Finding, compare
from sonnx_verify.conformance.oracles.expectation import Demand, Expected, NotOnArrays, Oracle
from sonnx_verify.conformance.runs.settings import Settings
from sonnx_verify.conformance.targets.calls import Ending, Nans, Response, TargetKind
from sonnx_verify.conformance.targets.filled_memory import FilledMemory
from sonnx_verify.conformance.targets.models import Models, asked_outputs
from sonnx_verify.conformance.targets.target import Runner, Target
from sonnx_verify.language.context import Context
from sonnx_verify.language.files import Unit
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.project import Project
from sonnx_verify.results.concrete import Assignment, ConcreteTensor, tensors_in

TRIES = 1500
"""The number of inputs that are tried at most to make one smaller."""
# A call that hangs takes all of its seconds, twenty unless others are asked for; a crash takes a new process.
DEATHS = {Ending.CRASHED: 1, Ending.MEMORY: 1, Ending.HUNG: 10}
"""The endings that end the process, and how many calls each counts for."""
MOST_DEATHS = 60
"""The sum of such counts, for one choice of types, after which no more inputs are tried."""
_AT_ONCE = 300
"""The most elements of an input that the reference evaluator is asked about when the numpy one finds something new."""

_OUTSIDE = Expected(Demand.OUTSIDE)


@dataclass(frozen=True, slots=True)
class Observation:
    """An input, what is expected, the result, the level at which they agree, and the findings."""

    trial: Trial
    expected: Expected
    got: Response
    level: int
    findings: tuple[Finding, ...]
    is_other: bool = False
    """Whether elements are others than those of a quiet NaN, of an input with a signalling one."""


@dataclass(slots=True)
class Bench:
    """Runs inputs of one operator with one choice of types."""

    meaning: Meaning
    oracle: Oracle
    models: Models
    runner: Runner
    filled: FilledMemory
    accepted: int
    """The level of agreement that suffices."""
    large: ArrayOracle | None = None
    """Asked first for large inputs."""
    deaths: int = 0
    _expected: dict[object, Expected] = field(default_factory=dict)
    _from_arrays: set[bytes] = field(default_factory=set)
    """The digests of the inputs whose demand the numpy evaluator gave: for an element that the text does not define,
    any value."""
    _confirmed: set[Finding] = field(default_factory=set)
    _seen: dict[object, Observation] = field(default_factory=dict)
    _forgotten: set[bytes] = field(default_factory=set)
    """The digests of the inputs that were run and are kept no longer."""

    def see(self, trial: Trial) -> Observation:
        """Run the input; of one that was run before return what was seen then."""
        key = trial.key
        # The steps from two inputs can meet, and a call takes longest of all.
        if key not in self._seen:
            self._seen[key] = self._look(trial)
        return self._seen[key]

    def has_seen(self, trial: Trial) -> bool:
        """Return whether the input was run before."""
        return trial.key in self._seen or _digest(trial) in self._forgotten

    def has_forgotten(self, trial: Trial) -> bool:
        """Return whether the input was run before, and nothing more is known of it."""
        return trial.key not in self._seen and _digest(trial) in self._forgotten

    def forget(self, seen: Observation) -> None:
        """Keep no more of an input than that it was run: thousands of large ones take gigabytes."""
        self._forgotten.add(_digest(seen.trial))
        self._seen.pop(seen.trial.key, None)
        # Another presentation of the input may have a finding that is still to be confirmed: where the demand came from
        # is kept.
        self._expected.pop(Trial(seen.trial.assignment).key, None)

    @property
    def seen(self) -> list[Observation]:
        """The inputs that were run so far, without those that were forgotten."""
        return list(self._seen.values())

    def expected(self, trial: Trial) -> Expected:
        """The demand on the target, whatever the presentation of the input."""
        # The evaluator takes the time, and a presentation changes nothing of what is specified.
        key = Trial(trial.assignment).key
        if key not in self._expected:
            expected = None
            if self.large is not None and self.large.takes(trial.assignment):
                expected = self.large.expected(trial.assignment)
                if expected is not None:
                    self._from_arrays.add(_digest(Trial(trial.assignment)))
                elif _numel(trial) > _AT_ONCE:
                    # The reference evaluator would take minutes for what may have no result.
                    expected = _OUTSIDE
            self._expected[key] = expected or self.oracle.expected(trial.assignment)
        return self._expected[key]

    def outputs(self, assignment: Assignment) -> dict[str, ConcreteTensor] | None:
        """The outputs of a large input by the numpy evaluator, if it gives any."""
        expected = None if self.large is None else self.large.expected(assignment)
        return None if expected is None else expected.outputs

    def _look(self, trial: Trial) -> Observation:
        # An input of other types would be told as one of these.
        assert all(tensor.sort == variable.sort for (variable, _), tensor in slots(self.meaning, trial.assignment))
        expected = self.expected(trial)
        # The target is not asked: no answer of it would be right or wrong.
        if expected.kind is Demand.OUTSIDE:
            return Observation(trial, expected, Response(Ending.REFUSED), BITS, ())
        call = self.models.call(trial.assignment, trial.presentation)
        got = self.runner.run(call)
        self.deaths += DEATHS.get(got.kind, 0)
        # A result that nobody specifies may be the contents of memory that belongs to somebody else.
        if expected.kind in (Demand.REJECTED, Demand.OPEN):
            deaths = self.filled.deaths
            got = self.filled.compared(call, got)
            self.deaths += self.filled.deaths - deaths
        seen = self.compared(trial, expected, got)
        # One is enough to trust the others for now, and is asked of an input that takes no time: each that is told is
        # asked about before.
        if self._confirmed.issuperset(seen.findings) or _numel(trial) > _AT_ONCE:
            return seen
        return self.confirmed(seen)

    def compared(self, trial: Trial, expected: Expected, got: Response) -> Observation:
        """The observation, from what is expected of an input and what came."""
        asked = [v.name for v in asked_outputs(self.meaning, trial.assignment)]
        declared = self.models.declared(trial.assignment)
        try:
            level, findings = compare(expected, asked, got, declared)
        except NotOnArrays:
            expected = _OUTSIDE if _numel(trial) > _AT_ONCE else self.oracle.expected(trial.assignment)
            self._expected[Trial(trial.assignment).key] = expected
            level, findings = compare(expected, asked, got, declared)
        findings = [f for f in findings if f.level > self.accepted]
        # The model has one NaN, which is quiet: of a signalling one it does not say what comes.
        if trial.presentation.nans is Nans.SIGNALLING:
            others = tuple(f for f in findings if f.kind not in OF_ELEMENTS)
            return Observation(trial, expected, got, BITS, others, len(others) < len(findings))
        return Observation(trial, expected, got, level, tuple(findings))

    def confirmed(self, seen: Observation) -> Observation:
        """The observation by the reference evaluator, of an input that has findings."""
        plain = Trial(seen.trial.assignment)
        key, digest = plain.key, _digest(plain)
        if digest in self._from_arrays:
            self._from_arrays.discard(digest)
            self._expected[key] = self.oracle.expected(seen.trial.assignment)
            seen = self.compared(seen.trial, self._expected[key], seen.got)
        self._confirmed.update(seen.findings)
        return seen

    def smallest(self, seen: Observation, finding: Finding, *, reorder: bool) -> Observation:
        """A smaller input with the finding, of which no step makes a smaller one; with its elements in their order, or
        in any."""
        best: Observation = seen
        smaller: Observation | None = seen
        budget = _Budget(self)
        # Each step begins anew at the boldest: what was too bold before may be possible now.
        while smaller is not None:
            best = smaller
            smaller = self._smaller(best, finding, budget, reorder=reorder)
        return best

    def _smaller(self, best: Observation, finding: Finding, budget: _Budget, *, reorder: bool) -> Observation | None:
        """The first smaller input that has the finding too; None where there is none, or the budget is used up."""
        size = weight(self.meaning, best.trial)
        for trial in moves(self.meaning, best.trial, reorder=reorder):
            if not weight(self.meaning, trial) < size:
                continue
            if budget.is_spent:
                return None
            budget.tries += 1
            other = self.see(trial)
            if finding in other.findings:
                return other
        return None


def _digest(trial: Trial) -> bytes:
    """A digest that no other input has."""
    # Python's own hash is the same for -1 and -2: one of two such inputs would be taken for the other.
    return sha256(repr(trial.key).encode()).digest()


def _numel(trial: Trial) -> int:
    """The number of elements of all tensors of an input."""
    return sum(len(tensor.elements) for tensor in tensors_in(trial.assignment))


class _Budget:
    """A limit on the inputs that are tried to make one smaller, and on the processes that die of them."""

    def __init__(self, bench: Bench) -> None:
        self._bench, self.tries = bench, 0
        # A part of all deaths: one finding must not use up those of all others.
        self._until = bench.deaths + MOST_DEATHS // 3

    @property
    def is_spent(self) -> bool:
        return self.tries >= TRIES or self._bench.deaths >= self._until


@dataclass(frozen=True, slots=True)
class Benches:
    """A target that has begun, and the bench for each choice of types: on these, inputs are run on the real target."""

    project: Project
    unit: Unit
    target: Target
    settings: Settings
    runner: Runner
    filled: FilledMemory
    memory: Memory = field(default_factory=dict)
    examples: Sequence[Example] = ()
    """The examples of the specification and of its page."""

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
        return Bench(meaning, oracle, models, self.runner, self.filled, self.settings.accepted, large)

    def done(self, bench: Bench, seen: Observation) -> None:
        """Forget a row of a covering array that was run without a finding. Who runs other code on the same inputs
        overrides it, and keeps them."""
        bench.forget(seen)


@contextmanager
def begun(
    project: Project, unit: Unit, target: Target, settings: Settings, on_page: Sequence[Example] = ()
) -> Iterator[Benches]:
    """The target, begun; it is ended with the block. `on_page` are the examples of the page of the specification.
    UsageError where the target cannot be used."""
    examples = [*examples_of_text(project, unit), *on_page]
    filled = FilledMemory(lambda environment: target.begin(unit.operator, settings.seconds, environment))
    with closing(target.begin(unit.operator, settings.seconds)) as runner, closing(filled):
        yield Benches(project, unit, target, settings, runner, filled, examples=examples)
