"""A target held against a specification by running it: inputs, runs and judgement in their order.

Settings, Context   which types, how many inputs
Trial               an input, and how its arrays lie in memory              inputs
Observation         what was expected of it, what came, and the findings    runs
TypeRun             the observations of one choice of types, counted        runs
TypeJudgement       each difference once, on its smallest input             judgement
Conformance         the answer on all types                                 judgement
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sonnx_verify.conformance.inputs.contexts import contexts_of, name_of
from sonnx_verify.conformance.inputs.covering.rows import Coverage
from sonnx_verify.conformance.inputs.examples import Example
from sonnx_verify.conformance.judgement.answer import TypeJudgement, answer, judged
from sonnx_verify.conformance.judgement.conformance import Conformance
from sonnx_verify.conformance.judgement.misuse import MisuseAnswers, misused
from sonnx_verify.conformance.runs.bench import Benches, begun
from sonnx_verify.conformance.runs.settings import Settings
from sonnx_verify.conformance.runs.type_run import begin, cover, run_vectors, spread
from sonnx_verify.conformance.targets.models import domain_of
from sonnx_verify.conformance.targets.target import Target
from sonnx_verify.conformance.vectors.coverage import LARGE
from sonnx_verify.conformance.vectors.suite import Reader, Unreadable, read
from sonnx_verify.errors import UsageError, UserError
from sonnx_verify.language.context import Context
from sonnx_verify.language.files import Unit
from sonnx_verify.language.project import Project
from sonnx_verify.progress import shown
from sonnx_verify.results.concrete import Assignment, numel, tensors_in

TypeInputs = tuple[Context, Sequence[Assignment] | None]
"""A choice of types, and the only inputs that are tried of it, if there are such."""


def tested(project: Project, unit: Unit, target: Target, settings: Settings, on_page: Sequence[Example]) -> Conformance:
    """The target held against the specification by running it. `on_page` are the examples of the page of the
    specification."""
    every: list[TypeInputs] = [(c, None) for c in contexts_of(unit, settings.types)]
    given: dict[str, Any] = {}
    if settings.vectors:
        found, large = _held(project, unit, settings.vectors)
        untested = [name for context, _ in every if (name := name_of(unit, context)) not in found]
        given = {"vectors": settings.vectors, "too_large": large, "untested": untested}
        every = [(context, found[name]) for context, _ in every if (name := name_of(unit, context)) in found]
        if not every:
            problem = f"{settings.vectors} has no test of {unit.operator} with these types, of {LARGE} elements at most"
            raise UsageError(problem, cure=f"it has: {', '.join(found) or 'none of the operator'}")
    with begun(project, unit, target, settings, on_page) as benches:
        judgements, covered = tested_types(benches, every)
        outside = _misused(benches, judgements)
        version = benches.runner.version
    return answer(unit, target, version, settings, judgements, covered, given, outside)


def _misused(benches: Benches, judgements: Sequence[TypeJudgement]) -> MisuseAnswers | None:
    """The calls outside of the signature, of the first type that has an input to begin with; none with given tests."""
    for one in judgements:
        if one.tally.base is not None:
            return misused(benches.of(one.run.points.context), benches.target, one.name, one.tally.base)
    return None if benches.settings.vectors else MisuseAnswers()


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


def tested_types(benches: Benches, every: Sequence[TypeInputs]) -> tuple[list[TypeJudgement], list[Coverage]]:
    """The judgements on these choices of types, and the combinations of classes that were covered."""
    runs = [begin(benches, *wanted) for wanted in shown(every, len(every), "types")]
    # A type that refuses all small inputs is not supported: thousands of other ones would say no more.
    supported = [run for run in runs if run.held is None and run.tally.refused < run.tally.results]
    covered: list[Coverage] = []
    if not benches.settings.short:
        for run in shown(supported, len(supported), "types with vectors"):
            run_vectors(benches, run)
        covered = cover(benches, supported)
    made = []
    for run in shown(runs, len(runs), "types shrunk"):
        if benches.settings.accuracy and not run.tally.is_unsupported:
            spread(benches, run)
        made.append(judged(benches, run))
    return made, covered
