"""The table of kernels is honest: each wrong kernel is right outside of its region and shows its damage on its witness,
which the specification takes; the right ones give what the specification gives, and refuse what it refuses."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sonnx_verify
from sonnx_verify.arrays.evaluator.operator import Operator as Specification
from sonnx_verify.conformance.inputs.contexts import every_context
from sonnx_verify.errors import UserError
from sonnx_verify.language.project import Project
from tests.kernels import targets
from tests.kernels.calls import DTYPES, Array, Implementation, Result, is_float, is_integer, smallest_normal
from tests.kernels.judged import project_of
from tests.kernels.operators import NAMED, OPERATORS, Operator
from tests.kernels.others import OTHERS, others
from tests.kernels.table import KERNELS, Kernel, fits
from tests.kernels.witnesses import Given, given, ints, numbers, plain_call, reduce_call

ROOT = Path(__file__).parents[2]
SMALL = 200
"""Data of no more elements is small enough to be used often."""


def named(value: Any) -> str:
    return str(getattr(value, "name", value))


@cache
def specification(name: str) -> Specification:
    """The evaluator of an operator."""
    text = NAMED[name].text
    if text is None:
        return sonnx_verify.load(name)
    project = Project.of_files(ROOT, [ROOT / text])
    return Specification(project, project.units[0])


@pytest.mark.parametrize("operator", OPERATORS, ids=named)
def test_operators_have_the_types_of_their_texts(operator: Operator) -> None:
    """A kernel that lacked one would refuse valid input, and be accused of it."""
    _, unit = project_of(operator)
    assert {c.element.name for c in every_context(unit)} - {"real"} == set(operator.types)


def outputs(result: Any) -> tuple[Any, ...]:
    """The outputs, also where there is one."""
    return result if isinstance(result, tuple) else (result,)


def run(kernel: Implementation, of: Given) -> Result | None:
    """What a kernel gives, or None if it refuses. It must leave its inputs as they are."""
    before = [None if x is None else x.tobytes() for x in of.inputs]
    try:
        result = kernel(*of.inputs, **of.attributes)
    except (ValueError, TypeError, IndexError):
        result = None
    assert [None if x is None else x.tobytes() for x in of.inputs] == before
    assert result is None or all(isinstance(y, np.ndarray) for y in outputs(result))
    return result


def same_array(x: Array, y: Array) -> bool:
    """Whether two arrays have the same type, shape and bits."""
    return x.dtype == y.dtype and x.shape == y.shape and x.tobytes() == y.tobytes()


def same(x: Result | None, y: Result | None) -> bool:
    """Whether two results, or refusals, are the same."""
    if x is None or y is None:
        return x is y
    return len(outputs(x)) == len(outputs(y)) and all(map(same_array, outputs(x), outputs(y)))


def conforms(expected: Any, made: Array) -> bool:
    """Whether the specification allows the array."""
    value = expected.value
    if value.dtype != made.dtype or value.shape != made.shape:
        return False
    if value.size > SMALL and is_float(value):
        # Sets of so many elements take long: near is enough, as stale elements are far off.
        return bool(np.allclose(value.astype(np.float64), made.astype(np.float64), rtol=0.01, equal_nan=True))
    return bool(np.all(expected.conforms(made)))


def allowed(operator: Operator, of: Given, result: Result) -> bool:
    """Whether the specification takes the input, and allows the result. Raises if it does not take it."""
    expected = outputs(specification(operator.name).results(*of.inputs, **of.attributes))
    return len(expected) == len(outputs(result)) and all(map(conforms, expected, outputs(result)))


# ------------------------------------------------------------------------------------------------------ wrong kernels


def test_the_table() -> None:
    """There are 40 wrong kernels and 10 right ones; most of the wrong are of several kinds of operators, and some need
    three classes."""
    assert (len(KERNELS), len(OTHERS)) == (40, 10)
    names = {kernel.name for kernel in KERNELS} | {kernel.name for kernel in OTHERS}
    assert len(names) == 50
    assert len({(kernel.region, kernel.damage) for kernel in KERNELS}) == 40
    assert len({kernel.where for kernel in KERNELS}) == 40
    assert {kernel.strength for kernel in KERNELS} == {2, 3}
    assert all(kernel.operators for kernel in KERNELS)
    assert all(
        len({*kernel.operators, *kernel.too_slow}) == len(kernel.operators) + len(kernel.too_slow) for kernel in KERNELS
    )
    assert sum(len({NAMED[name].family for name in kernel.operators}) > 1 for kernel in KERNELS) >= 30
    assert {operator.name for operator, _ in fits()} == set(NAMED)


@cache
def small_witnesses(name: str) -> list[tuple[Given, Result]]:
    """The witnesses of all kernels of an operator whose data is small, and the right results."""
    operator = NAMED[name]
    found = [kernel.witness(operator) for kernel in KERNELS if name in kernel.operators]
    small = [w for w in found if sum(x.size for x in w.inputs if x is not None) <= SMALL]
    return [(w, operator.run(*w.inputs, **w.attributes)) for w in small]


@pytest.mark.parametrize("kernel", KERNELS, ids=named)
def test_wrong_on_its_witness_and_right_outside_of_its_region(kernel: Kernel) -> None:
    """The witness is in the region, and the result differs; on the witnesses of other kernels that are outside of the
    region, of which there are some, the result is the right one bit for bit."""
    for name in (*kernel.operators, *kernel.too_slow):
        operator = NAMED[name]
        wrong = kernel.of(operator)
        witness = kernel.witness(operator)
        assert kernel.region(operator.call(*witness.inputs, **witness.attributes)), name
        assert not same(run(operator.run, witness), run(wrong, witness)), name

        outside = 0
        for other, right in small_witnesses(name):
            if not kernel.region(operator.call(*other.inputs, **other.attributes)):
                outside += 1
                assert same(run(wrong, other), right), name
        assert outside > 0, name


@pytest.mark.thinned
@pytest.mark.parametrize(("operator", "kernel"), list(fits()), ids=named)
def test_the_specification_takes_the_witness_and_refutes_the_kernel(operator: Operator, kernel: Kernel) -> None:
    """The witness is valid, the right result conforms, and that of the kernel does not, or it refuses."""
    witness = kernel.witness(operator)
    right, wrong = run(operator.run, witness), run(kernel.of(operator), witness)

    assert right is not None
    assert allowed(operator, witness, right)
    assert wrong is None or not allowed(operator, witness, wrong)


# ------------------------------------------------------------------------------------------------------ right kernels


def right_kernels(operator: Operator) -> Iterator[tuple[str, Implementation]]:
    """The plain right implementation, and the others."""
    yield "right", operator.run
    for other, kernel in others():
        if other is operator:
            yield kernel.name, kernel.of(operator)


def hard_elements(shape: tuple[int, ...], element_type: str) -> Array:
    """Elements at which kernels go wrong, as many as the shape has."""
    x = np.zeros((), DTYPES[element_type])
    hard: list[Any] = [False, True, True]
    if is_float(x):
        hard = [-0.0, 0.0, 1.5, np.nan, -1.0, np.inf, 2.0, smallest_normal(x), -np.inf, 2.5, 1.5]
    if is_integer(x):
        ends = np.iinfo(x.dtype)
        hard = [0, ends.max, 1, ends.min, 2, ends.max - 1, 5]
    return np.resize(np.array(hard, x.dtype), shape)


def hard_calls(operator: Operator, element_type: str) -> Iterator[Given]:
    """Calls with hard elements; with inputs that broadcast, and an empty axis."""
    for shape in [(1, 2, 2, 11)] if operator.family == "MaxPool" else [(2, 11), (3,), (2, 0)]:
        x = hard_elements(shape, element_type)
        axis = 0 if operator.family == "ArgMax" else x.ndim - 1
        match operator.family:
            case "Max" | "Min" | "Add":
                yield given(x, np.roll(x, 1))
            case "Where":
                yield given(np.arange(x.size).reshape(shape) % 2 == 0, x, np.roll(x, 1)[..., :1])
            case "Clip":
                yield given(x, np.array(1, x.dtype), np.array(2, x.dtype))
            case "MatMul":
                yield given(x, np.roll(x, 1).T)
            case "Transpose":
                yield given(x, perm=list(reversed(range(x.ndim))))
            case "Concat":
                yield given(x, np.roll(x, 1), x, axis=axis)
            case _:
                yield plain_call(operator, x, axis)


# The types of T on which arithmetic differs; one of each kind suffices where elements are moved only.
HARD_TYPES = ("float", "bfloat16", "int8", "int32", "uint64", "bool")


HARD = [(operator, name) for operator in OPERATORS for name in HARD_TYPES if name in operator.types]


@pytest.mark.thinned
@pytest.mark.parametrize(("operator", "element_type"), HARD, ids=named)
def test_right_kernels_give_what_the_specification_gives(operator: Operator, element_type: str) -> None:
    """With elements at which kernels go wrong, each right kernel gives a result that conforms."""
    for call in hard_calls(operator, element_type):
        for name, kernel in right_kernels(operator):
            result = run(kernel, call)

            assert result is not None, name
            assert allowed(operator, call, result), name


SQUARE = numbers((2, 3), DTYPES["float"])
WRONG_TYPE = SQUARE.astype(np.complex64)
INVALID: Mapping[str, list[Given]] = {
    "Max": [given(SQUARE, SQUARE[:, :2]), given(SQUARE, SQUARE.astype(np.float64)), given(WRONG_TYPE), given()],
    "Min": [given(SQUARE, SQUARE[:, :2]), given(SQUARE, SQUARE.astype(np.float64)), given(WRONG_TYPE), given()],
    "Transpose": [given(SQUARE, perm=[0, 0]), given(SQUARE, perm=[0]), given(WRONG_TYPE, perm=[0, 1])],
    "Concat": [given(SQUARE, SQUARE[:1], axis=1), given(SQUARE, axis=2), given(SQUARE, SQUARE[0], axis=0)],
    "Slice": [
        given(SQUARE, ints(0), ints(1), None, ints(0)),
        given(SQUARE, ints(0, 0), ints(1, 1), ints(0, -2)),
        given(SQUARE, ints(0, 0, 0), ints(1, 1, 1)),
    ],
    "Gather": [given(SQUARE, ints(3), axis=1), given(SQUARE, ints(-4), axis=1), given(SQUARE, ints(0), axis=2)],
    "Pad": [given(SQUARE, ints(0, 0)), given(SQUARE, ints(-2, 0, -1, 0)), given(SQUARE, ints(0, 0), None, ints(2))],
    "Where": [given(SQUARE > 0, SQUARE, SQUARE[:, :2]), given(SQUARE, SQUARE, SQUARE)],
    "Expand": [given(SQUARE, ints(2)), given(SQUARE, ints(-1, 1))],
    "Clip": [given(SQUARE, SQUARE), given(SQUARE, None, SQUARE[0, :1])],
    "Split": [
        given(SQUARE),
        given(SQUARE, ints(1, 2)),
        given(SQUARE, ints(2), num_outputs=1),
        given(SQUARE, ints(3, -1)),
    ],
    "Flatten": [given(SQUARE, axis=3), given(SQUARE, axis=-3)],
    "TopK": [
        given(SQUARE, ints(4)),
        given(SQUARE, ints(-1)),
        given(SQUARE, ints(1, 1)),
        given(SQUARE, ints(1), axis=2),
    ],
    "ArgMax": [given(SQUARE, axis=2), given(SQUARE[:, :0], axis=1), given(SQUARE, keepdims=2)],
    "Add": [given(SQUARE, SQUARE[:, :2]), given(SQUARE, SQUARE.astype(np.float64))],
    "MatMul": [given(SQUARE, SQUARE), given(SQUARE, SQUARE[0, 0])],
    "CumSum": [given(SQUARE, np.array(2)), given(SQUARE, ints(0)), given(SQUARE, np.array(0), reverse=2)],
    "MaxPool": [
        given(SQUARE, kernel_shape=[1, 1]),
        given(SQUARE.reshape(1, 1, 2, 3), kernel_shape=[3, 1]),
        given(SQUARE.reshape(1, 1, 2, 3), kernel_shape=[1, 1], pads=[1, 0, 0, 0]),
        given(SQUARE.reshape(1, 1, 2, 3), kernel_shape=[1, 1], pads=[1, 0, 0, 0], auto_pad="SAME_UPPER"),
    ],
    "Softmax": [given(SQUARE, axis=2), given(WRONG_TYPE, axis=0)],
    "QuantizeLinear": [
        given(SQUARE, np.zeros(3, np.float32), np.zeros(3, np.uint8)),
        given(SQUARE, np.ones(2, np.float32), np.zeros(2, np.uint8)),
        given(SQUARE, np.ones(3, np.float32), np.zeros(2, np.uint8)),
    ],
}


def invalid_calls(operator: Operator) -> list[Given]:
    """Calls that the operator refuses."""
    if not operator.family.startswith("Reduce"):
        return INVALID[operator.family]
    data = SQUARE.astype(np.int32)
    refused = [reduce_call(operator, data.astype(np.int16), [0])]
    # What the standards say nothing of is no reason to refuse.
    if not operator.name.endswith("-1"):
        refused.append(reduce_call(operator, data, [2]))
    if operator.name.startswith("sonnx."):
        refused.append(reduce_call(operator, data, [1, -1]))
        refused.append(reduce_call(operator, data, [1], keepdims=2))
        refused.append(given(data, np.array(0), keepdims=1, noop_with_empty_axes=0))
    return refused


@pytest.mark.thinned(3)
@pytest.mark.parametrize("operator", OPERATORS, ids=named)
def test_right_kernels_refuse_what_the_specification_refuses(operator: Operator) -> None:
    """Input that violates a clause, and types that the operator does not have."""
    for call in invalid_calls(operator):
        with pytest.raises(UserError):
            specification(operator.name).evaluate(*call.inputs, **call.attributes)
        for name, kernel in right_kernels(operator):
            assert run(kernel, call) is None, name


# ------------------------------------------------------------------------------------------------------------ targets


def test_every_kernel_is_a_target() -> None:
    """The name that `--against` takes leads to the function, and no two kernels share one."""
    every = [(o, None) for o in OPERATORS] + [*fits()] + [*others()]
    assert len(targets.functions()) == len(every)

    operator, kernel = next(fits())
    kind, module, function = targets.target(operator, kernel).split(":")
    assert kind == "python"
    witness = kernel.witness(operator)
    assert same(run(getattr(importlib.import_module(module), function), witness), run(kernel.of(operator), witness))
