"""Vectors of values find kernels that are wrong at a few values, and accuse none that is right."""

from __future__ import annotations

import warnings

import pytest

from sonnx_verify.conformance.inputs.contexts import contexts_of, name_of
from sonnx_verify.conformance.runs.bench import Benches
from sonnx_verify.conformance.runs.settings import Settings
from sonnx_verify.conformance.runs.type_run import TypeRun, begin, run_vectors
from sonnx_verify.conformance.targets.target import Target
from sonnx_verify.language.named import find_operator, here
from tests.kernels import values
from tests.kernels.judged import InProcess

ROWS = [(name, values.RIGHT[name][0], element) for name in values.RIGHT for element in values.RIGHT[name][1:]]


def run(name: str, operator: str, element: str) -> TypeRun:
    """The run of a kernel on small inputs and on vectors, without a covering array."""
    project = here()
    unit = find_operator(project, operator)
    target = Target.of(f"python:{values.__name__}:{name}")
    settings = Settings(types=(element,), random=0)
    (context,) = (c for c in contexts_of(unit, (element,)) if name_of(unit, c) == element)
    runner = InProcess(target.name)
    benches = Benches(project, unit, target, settings, runner, runner.filled)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = begin(benches, context, None)
        run_vectors(benches, made)
    return made


@pytest.mark.parametrize("name", values.WRONG)
def test_a_kernel_that_is_wrong_at_a_few_values_is_found(name: str) -> None:
    """It is found on a small part of a vector, of whose element, register or block it is wrong."""
    operator, element = values.WRONG[name]

    failing = run(name, operator, element).failing
    found = [seen for finding, every in failing.items() if finding.kind not in ("accepts", "refuses") for seen in every]
    assert found
    assert all(len(t.elements) <= 64 for seen in found for t in seen.expected.outputs.values())


@pytest.mark.parametrize(("name", "operator", "element"), ROWS)
def test_no_right_kernel_is_accused(name: str, operator: str, element: str) -> None:
    """Their results are those of the specification, on vectors too."""
    made = run(name, operator, element)

    kinds = {finding.kind for finding in made.failing}
    # None of them refuses shapes that do not broadcast in the words of a clause, nor divisors that are 0.
    assert kinds <= {"accepts"}
    assert made.tally.largest["elements"] > 1000
