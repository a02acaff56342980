"""A target and its specification side by side: what each says of an input, and how they compare."""

from __future__ import annotations

from dataclasses import dataclass, field

from sonnx_verify.conformance.calls import Got
from sonnx_verify.conformance.compare import BITS, Finding, compare
from sonnx_verify.conformance.expected import OUTSIDE, Expected, Oracle
from sonnx_verify.conformance.models import Models
from sonnx_verify.conformance.moves import moves
from sonnx_verify.conformance.target import Runner
from sonnx_verify.conformance.trial import Trial, weight
from sonnx_verify.language.meaning import Meaning

TRIES = 1500
"""How many inputs are tried at most to make one smaller."""
DEATHS = {"crashed": 1, "memory": 1, "hung": 10}
"""What ends the process, and how many calls each counts for."""
MOST_DEATHS = 60
"""How many calls of one choice of types may end the process, as they are counted in DEATHS. Beyond that no more inputs
are tried."""


@dataclass(frozen=True, slots=True)
class Seen:
    """An input, what is expected, what came of it, the level at which they agree, and the findings."""

    trial: Trial
    expected: Expected
    got: Got
    level: int
    findings: tuple[Finding, ...]


@dataclass(slots=True)
class Bench:
    """Runs inputs of one operator with one choice of types."""

    meaning: Meaning
    oracle: Oracle
    models: Models
    runner: Runner
    accepted: int
    """The level of agreement that suffices."""
    deaths: int = 0
    _expected: dict[object, Expected] = field(default_factory=dict)
    _seen: dict[object, Seen] = field(default_factory=dict)

    def see(self, trial: Trial) -> Seen:
        """The input and what came of it; run once."""
        key = trial.key
        if key not in self._seen:
            self._seen[key] = self._look(trial)
        return self._seen[key]

    def expected(self, trial: Trial) -> Expected:
        """What the specification says of it, whatever its presentation."""
        key = Trial(trial.assignment).key
        if key not in self._expected:
            self._expected[key] = self.oracle.expected(trial.assignment)
        return self._expected[key]

    def _look(self, trial: Trial) -> Seen:
        expected = self.expected(trial)
        if expected.kind == OUTSIDE:
            return Seen(trial, expected, Got("refused"), BITS, ())
        got = self.runner.run(self.models.call(trial.assignment, trial.presentation))
        self.deaths += DEATHS.get(got.kind, 0)
        asked = [v.name for v in self.meaning.outputs if trial.assignment.get(f"{v.name}.given", True)]
        level, findings = compare(expected, asked, got)
        return Seen(trial, expected, got, level, tuple(f for f in findings if f.level > self.accepted))

    def smallest(self, seen: Seen, finding: Finding, reorder: bool) -> Seen:
        """A smaller input with the finding, of which no step makes a smaller one; with its elements in their order, or
        in any."""
        best, size = seen, weight(self.meaning, seen.trial)
        tries, again, until = 0, True, self.deaths + MOST_DEATHS // 3
        while again and tries < TRIES and self.deaths < until:
            again = False
            for trial in moves(self.meaning, best.trial, reorder):
                smaller = weight(self.meaning, trial)
                if not smaller < size:
                    continue
                tries += 1
                other = self.see(trial)
                if finding in other.findings:
                    best, size, again = other, smaller, True
                    break
                if tries >= TRIES or self.deaths >= until:
                    break
        return best
