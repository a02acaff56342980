"""A numpy evaluator that is wrong about large inputs, or has no answer, makes no right kernel wrong, and hides no wrong
one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sonnx_verify.arrays.evaluator.results import Result
from sonnx_verify.conformance import pipeline
from sonnx_verify.conformance.inputs.contexts import contexts_of
from sonnx_verify.conformance.oracles.array_oracle import ArrayOracle
from sonnx_verify.conformance.oracles.expectation import Expected
from sonnx_verify.conformance.runs.bench import Benches
from sonnx_verify.conformance.runs.settings import Settings
from sonnx_verify.conformance.targets.target import Target
from sonnx_verify.results.concrete import Assignment, ConcreteTensor
from tests.kernels import targets
from tests.kernels.judged import InProcess, project_of
from tests.kernels.operators import NAMED
from tests.kernels.table import KERNELS, Kernel

OPERATOR = NAMED["user.Transpose-13"]
SUM = NAMED["sonnx.ReduceSum-13"]
WRONG_SUM = next(kernel for kernel in KERNELS if kernel.name == "infinity_in_pairs_of_2_bytes")
WRONG = next(kernel for kernel in KERNELS if kernel.name == "bytes_beyond_4096")


def changed(result: ConcreteTensor, most: int) -> ConcreteTensor:
    """The result with another first element, if it has fewer elements than that."""
    first, *rest = result.elements
    if len(result.elements) >= most:
        return result
    return replace(result, elements=(0 if first else 1, *rest))


@pytest.mark.parametrize("kernel", [None, WRONG], ids=["right", "wrong"])
@pytest.mark.parametrize("most", [1000, 10_000], ids=["where the kernel is right", "everywhere"])
def test_the_reference_evaluator_decides(kernel: object, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    of_arrays = ArrayOracle.expected

    def misled(self: ArrayOracle, assignment: Assignment) -> Expected | None:
        expected = of_arrays(self, assignment)
        if expected is None:
            return None
        return replace(expected, outputs={name: changed(y, most) for name, y in expected.outputs.items()})

    monkeypatch.setattr(ArrayOracle, "expected", misled)
    project, unit = project_of(OPERATOR)
    target = Target.of(targets.target(OPERATOR, WRONG if kernel else None))
    settings = Settings(types=("int8",), strength=1, random=0)
    runner = InProcess(target.name)
    benches = Benches(project, unit, target, settings, runner, runner.filled)
    (judgement,), _ = pipeline.tested_types(benches, [(c, None) for c in contexts_of(unit, settings.types)])

    assert bool(judgement.found) is bool(kernel)


@pytest.mark.parametrize("kernel", [None, WRONG_SUM], ids=["right", "wrong"])
def test_the_reference_evaluator_says_what_is_in_a_set(kernel: Kernel | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the numpy evaluator has no program for a set, what is found on small inputs is the same."""
    project, unit = project_of(SUM)
    target = Target.of(targets.target(SUM, kernel))
    settings = Settings(types=("float16",), strength=1, random=0)

    def judged() -> tuple[int, list[str]]:
        runner = InProcess(target.name)
        benches = Benches(project, unit, target, settings, runner, runner.filled)
        (judgement,), _ = pipeline.tested_types(benches, [(c, None) for c in contexts_of(unit, settings.types)])
        return judgement.level, [one.kind for one in judgement.found]

    on_arrays = judged()
    asked: list[Result] = []
    monkeypatch.setattr(Result, "can_be_asked", property(asked.append))
    assert judged() == on_arrays
    assert asked
    assert bool(on_arrays[1]) is bool(kernel)
