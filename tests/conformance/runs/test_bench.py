"""Of an input that was run and is kept no longer, that it was run is known, and of no other input; and the steps by
which inputs are made smaller."""

from __future__ import annotations

import pytest

from sonnx_verify.conformance.inputs.contexts import contexts_of, every_context
from sonnx_verify.conformance.inputs.points import Input, Points
from sonnx_verify.conformance.inputs.shrinks import moves
from sonnx_verify.conformance.inputs.trial import Trial, weight
from sonnx_verify.conformance.runs.bench import Bench, Benches
from sonnx_verify.conformance.runs.settings import Settings
from sonnx_verify.conformance.targets.target import Target
from sonnx_verify.language.named import find_operator, here
from sonnx_verify.logic.sorts import ELEMENT_TYPES
from sonnx_verify.results.concrete import ConcreteTensor, tensors_in
from tests.kernels import targets
from tests.kernels.judged import InProcess, project_of
from tests.kernels.operators import NAMED

OPERATOR = NAMED["user.Transpose-13"]


@pytest.fixture
def bench() -> Bench:
    project, unit = project_of(OPERATOR)
    target = Target.of(targets.target(OPERATOR, None))
    settings = Settings(types=("int64",))
    runner = InProcess(target.name)
    benches = Benches(project, unit, target, settings, runner, runner.filled)
    (context,) = contexts_of(unit, settings.types)
    return benches.of(context)


@pytest.mark.parametrize(("one", "other"), [(-1, -2), (0, (1 << 61) - 1)])
def test_numbers_of_one_hash(one: int, other: int, bench: Bench) -> None:
    """Python gives these numbers the same hash: what the second of them shows must not be dropped."""
    assert hash(one) == hash(other)
    tensors = [ConcreteTensor(ELEMENT_TYPES["int64"], (1,), (n,)) for n in (one, other)]
    first, second = (Trial({"X": tensor, "perm": (0,)}) for tensor in tensors)

    bench.forget(bench.see(first))

    assert bench.has_seen(first)
    assert not bench.has_seen(second)
    assert not bench.seen


def small(name: str, element: str) -> tuple[Points, Input]:
    """The points of an operator, for a type of T, and its smallest input."""
    project = here()
    unit = find_operator(project, name)
    context = next(c for c in every_context(unit) if c.element.name == element)
    points = Points(project, unit, context)
    return points, next(iter(points.choices.inputs(1)))


def test_an_empty_tensor_of_huge_sizes_is_made_smaller() -> None:
    """Without its axis of size 0 it would have more elements than any memory."""
    points, base = small("sonnx.ReduceMax-20", "int8")
    huge = ConcreteTensor(points.context.element, (3, 0, 1 << 40), ())

    steps = list(moves(points.meaning, Trial({**base, "data": huge}), reorder=True))
    shapes = [tensor.shape for step in steps for tensor in tensors_in(step.assignment)]
    assert (3, 1 << 39) not in shapes
    assert (3, 0, 1 << 39) in shapes


def test_long_inputs_of_which_little_matters() -> None:
    """Of 516 elements two that are far apart matter: no half is without one of them, but small parts are."""
    points, base = small("sonnx.Max-13", "int32")
    elements = tuple(9 if n in (3, 400) else 1 for n in range(516))
    trial = Trial({**base, "X": (ConcreteTensor(points.context.element, (516,), elements),)})

    def matters(trial: Trial) -> bool:
        return [e for t in tensors_in(trial.assignment) for e in t.elements].count(9) == 2

    taken = 0
    while taken < 40:
        size = weight(points.meaning, trial)
        steps = (s for s in moves(points.meaning, trial, reorder=False) if weight(points.meaning, s) < size)
        step = next((s for s in steps if matters(s)), None)
        if step is None:
            break
        trial, taken = step, taken + 1
    (tensor,) = tensors_in(trial.assignment)
    assert tensor.elements == (9, 9)
