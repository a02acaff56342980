"""The kernels of an operator, each on every input that a test of the operator tries, and what comes of each.

A test of a target chooses its inputs by the specification alone. So they are chosen once, and every kernel is run on
them: `conform` for each kernel would choose them anew.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import sonnx_verify
from sonnx_verify.conformance.inputs.contexts import contexts_of
from sonnx_verify.conformance.oracles.comparison import compare
from sonnx_verify.conformance.pipeline import tested_types
from sonnx_verify.conformance.runs.bench import Bench, Benches, Observation
from sonnx_verify.conformance.runs.settings import Settings
from sonnx_verify.conformance.targets.calls import Call, Response
from sonnx_verify.conformance.targets.filled_memory import FilledMemory
from sonnx_verify.conformance.targets.models import asked_outputs
from sonnx_verify.conformance.targets.runners import python
from sonnx_verify.conformance.targets.target import Target
from sonnx_verify.language.context import Context
from sonnx_verify.language.files import Unit
from sonnx_verify.language.project import Project
from tests.kernels import targets
from tests.kernels.operators import NAMED, Operator
from tests.kernels.others import others
from tests.kernels.table import fits

ROOT = Path(__file__).parents[2]


@dataclass
class Judged:
    """What the inputs of an operator say of its kernels."""

    operator: str
    inputs: int = 0
    found: list[str] = field(default_factory=list)
    """The wrong kernels with a difference."""
    missed: list[str] = field(default_factory=list)
    accused: list[str] = field(default_factory=list)
    """The right kernels with a difference."""


class InProcess:
    """Calls a function where it is: the kernels are ours, and none of them ends the process."""

    def __init__(self, name: str) -> None:
        self._run, self.version = python(name)
        self.filled = FilledMemory(lambda _: self)
        """Nothing is filled: none of them reads memory of others."""

    def run(self, call: Call) -> Response:
        with np.errstate(all="ignore"):
            return self._run(call)

    def again(self, call: Call) -> Response:
        return self.run(call)

    def close(self) -> None:
        pass


@dataclass(frozen=True, slots=True)
class _Kept(Benches):
    """Benches that are kept, with the inputs that ran on each."""

    every: list[Bench] = field(default_factory=list)

    def of(self, context: Context) -> Bench:
        bench = Benches.of(self, context)
        self.every.append(bench)
        return bench

    def done(self, bench: Bench, seen: Observation) -> None:
        """Nothing is forgotten: every kernel is run on it."""


def project_of(operator: Operator) -> tuple[Project, Unit]:
    """Where the text of an operator is."""
    if operator.text is None:
        specification = sonnx_verify.load(operator.name)
        return specification.project, specification.unit
    project = Project.of_files(ROOT, [ROOT / operator.text])
    return project, project.units[0]


def benches_of(operator: Operator, settings: Settings) -> list[Bench]:
    """The plain right implementation on all inputs."""
    project, unit = project_of(operator)
    target = Target.of(targets.target(operator, None))
    runner = InProcess(target.name)
    benches = _Kept(project, unit, target, settings, runner, runner.filled)
    tested_types(benches, [(c, None) for c in contexts_of(unit, settings.types)])
    return benches.every


def judged(name: str, settings: Settings) -> Judged:
    """All kernels of an operator."""
    operator = NAMED[name]
    made = Judged(name)
    benches = benches_of(operator, settings)
    made.inputs = sum(len(bench.seen) for bench in benches)
    wrong = {targets.function_name(o, k): k.name for o, k in fits() if o is operator}
    right = {targets.function_name(o, k): k.name for o, k in others() if o is operator}
    right[targets.function_name(operator, None)] = "right"
    for function, kernel in wrong.items():
        (made.found if _differs(function, benches) else made.missed).append(kernel)
    made.accused = [kernel for function, kernel in right.items() if _differs(function, benches)]
    return made


def _differs(function: str, benches: list[Bench]) -> bool:
    """Whether some input shows a difference."""
    runner = InProcess(f"{targets.__name__}:{function}")
    for bench in benches:
        for seen in bench.seen:
            got = runner.run(bench.models.call(seen.trial.assignment, seen.trial.presentation))
            asked = [v.name for v in asked_outputs(bench.meaning, seen.trial.assignment)]
            if any(f.level > bench.accepted for f in compare(seen.expected, asked, got)[1]):
                return True
    return False
