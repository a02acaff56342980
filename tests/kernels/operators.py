"""The operators that the kernels implement: those of spec/ in each version, and some of tests/language."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.kernels import right
from tests.kernels.calls import Array, Call, Implementation, Result

Inputs = tuple[Array | None, ...]
AxesOf = Callable[[Inputs, Mapping[str, Any]], tuple[int, ...] | None]
"""Returns the axes that an input names, or None if it names none."""

WORDS = ("int32", "int64", "uint32", "uint64")
BYTES = ("int8", "uint8")
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
FLOATS = ("float16", "float", "double")
ALL_FLOATS = ("bfloat16", *FLOATS)
NUMBERS = (*INTEGERS, *ALL_FLOATS)


@dataclass(frozen=True)
class Operator:
    """An operator in a version, and a right implementation of it."""

    name: str
    """As `sonnx-verify list` prints it."""
    types: tuple[str, ...]
    """The element types of T."""
    implementation: Implementation
    axes_of: AxesOf
    arity: int | None = None
    """The number of inputs, with the optional ones; None for a family."""
    place: int = 0
    """Which input is the first of type T."""
    text: str | None = None
    """Where the formal text lies, if that is not in spec/."""

    @property
    def family(self) -> str:
        """The name without namespace and version."""
        return self.name.partition(".")[2].rpartition("-")[0]

    def run(self, *inputs: Array | None, **attributes: Any) -> Result:
        """The result of the right implementation. Raises if the input is not valid."""
        with np.errstate(all="ignore"):
            return self.implementation(*inputs, **attributes)

    def call(self, *inputs: Array | None, **attributes: Any) -> Call:
        """A call of the operator; inputs that are left out at the end become None."""
        absent = 0 if self.arity is None else self.arity - len(inputs)
        every = (*inputs, *[None] * absent)
        return Call(self.run, every, attributes, self.place, self.axes_of(every, attributes))


def no_axes(inputs: Inputs, attributes: Mapping[str, Any]) -> None:
    """The operator has no axes to name."""


def listed_axes(inputs: Inputs, attributes: Mapping[str, Any]) -> tuple[int, ...] | None:
    """The axes that the second input lists."""
    return None if inputs[1] is None else tuple(int(a) for a in inputs[1])


def listed_attribute(inputs: Inputs, attributes: Mapping[str, Any]) -> tuple[int, ...] | None:
    """The axes that the attribute lists."""
    axes = attributes.get("axes")
    return None if axes is None else tuple(axes)


def scalar_axis(inputs: Inputs, attributes: Mapping[str, Any]) -> tuple[int, ...]:
    """The axis that the second input is."""
    assert inputs[1] is not None
    return (int(inputs[1]),)


def one_axis(default: int) -> AxesOf:
    """The axis that the attribute is."""

    def axes_of(inputs: Inputs, attributes: Mapping[str, Any]) -> tuple[int, ...]:
        return (attributes.get("axis", default),)

    return axes_of


def quantization_axis(inputs: Inputs, attributes: Mapping[str, Any]) -> tuple[int, ...] | None:
    """The axis with a scale for each place."""
    assert inputs[1] is not None
    return None if inputs[1].ndim == 0 else (attributes.get("axis", 1),)


def flatten_axis(inputs: Inputs, attributes: Mapping[str, Any]) -> tuple[int, ...] | None:
    """The first axis of the columns; None where that is the end."""
    assert inputs[0] is not None
    axis = attributes.get("axis", 1)
    return None if axis == inputs[0].ndim else (axis,)


def _extremum(family: str, combine: right.Combine) -> list[Operator]:
    """Max or Min, in each version."""

    def operator(version: str, types: tuple[str, ...], *, broadcasts: bool = True) -> Operator:
        run = right.elementwise(combine, types, broadcasts=broadcasts)
        return Operator(version.format(family), types, run, no_axes)

    return [
        operator("sonnx.{}-13", NUMBERS),
        operator("onnx.{}-6", FLOATS, broadcasts=False),
        operator("onnx.{}-8", FLOATS),
        operator("onnx.{}-12", (*INTEGERS, *FLOATS)),
        operator("onnx.{}-13", NUMBERS),
    ]


def _by_input(name: str, fold: right.Fold, types: tuple[str, ...]) -> Operator:
    return Operator(name, types, right.reduction_by_input(fold, types), listed_axes, arity=2)


def _by_attribute(name: str, fold: right.Fold, types: tuple[str, ...]) -> Operator:
    return Operator(name, types, right.reduction_by_attribute(fold, types), listed_attribute, arity=1)


def _reduced_extremum(family: str, fold: right.Fold) -> list[Operator]:
    """ReduceMax or ReduceMin, in each version."""
    numbers = (*BYTES, *WORDS, *ALL_FLOATS)
    return [
        _by_input(f"sonnx.{family}-20", fold, ("bool", *numbers)),
        _by_attribute(f"onnx.{family}-1", fold, (*WORDS, *FLOATS)),
        _by_attribute(f"onnx.{family}-11", fold, (*WORDS, *FLOATS)),
        _by_attribute(f"onnx.{family}-12", fold, (*BYTES, *WORDS, *FLOATS)),
        _by_attribute(f"onnx.{family}-13", fold, numbers),
        _by_input(f"onnx.{family}-18", fold, numbers),
        _by_input(f"onnx.{family}-20", fold, ("bool", *numbers)),
    ]


def _user(
    name: str,
    text: str,
    implementation: Callable[[tuple[str, ...]], Implementation],
    types: tuple[str, ...],
    axes_of: AxesOf,
    arity: int | None,
    place: int = 0,
) -> Operator:
    """An operator of tests/language."""
    return Operator(f"user.{name}", types, implementation(types), axes_of, arity, place, f"tests/language/{text}.sonnx")


OPERATORS = [
    *_extremum("Max", right.greater),
    *_extremum("Min", right.less),
    *_reduced_extremum("ReduceMax", right.greatest_of),
    *_reduced_extremum("ReduceMin", right.least_of),
    _by_input("sonnx.ReduceSum-13", right.sum_of, (*WORDS, *ALL_FLOATS)),
    _by_attribute("onnx.ReduceSum-1", right.sum_of, (*WORDS, *FLOATS)),
    _by_attribute("onnx.ReduceSum-11", right.sum_of, (*WORDS, *FLOATS)),
    _by_input("onnx.ReduceSum-13", right.sum_of, (*WORDS, *ALL_FLOATS)),
    _user("Transpose-13", "transpose", right.transpose, NUMBERS, no_axes, 1),
    _user("Concat-13", "concat", right.concat, NUMBERS, one_axis(0), None),
    _user("Slice-13", "slice", right.slices, ("bool", *NUMBERS), no_axes, 5),
    _user("Gather-13", "gather", right.gather, ("bool", *NUMBERS), one_axis(0), 2),
    _user("Pad-25", "pad", right.pad, NUMBERS, no_axes, 4),
    _user("Where-16", "where", right.where, NUMBERS, no_axes, 3, place=1),
    _user("Expand-13", "expand", right.expand, ("bool", *NUMBERS), no_axes, 2),
    _user("Clip-13", "clip", right.clip, NUMBERS, no_axes, 3),
    _user("Split-18", "split", right.split, ("bool", *NUMBERS), one_axis(0), 2),
    _user("Flatten-25", "flatten", right.flatten, ("bool", *NUMBERS), flatten_axis, 1),
    _user("TopK-11", "topk", right.topk, ("int8", "int64", "uint8", "float16", "float", "double"), one_axis(-1), 2),
    _user("ArgMax-13", "argmax", right.argmax, NUMBERS, one_axis(0), 1),
    _user("Add-14", "arithmetic/add", right.add, NUMBERS, no_axes, 2),
    _user("MatMul-13", "matmul", right.matmul, (*WORDS, *ALL_FLOATS), no_axes, 2),
    _user("CumSum-14", "recurrent/cumsum", right.cumsum, (*WORDS, *ALL_FLOATS), scalar_axis, 2),
    _user("MaxPool-22", "maxpool", right.maxpool, NUMBERS, no_axes, 1),
    _user("Softmax-13", "arithmetic/shares/softmax", right.softmax, ALL_FLOATS, one_axis(-1), 1),
    _user("QuantizeLinear-19", "arithmetic/quantizelinear", right.quantizelinear, ("float",), quantization_axis, 3),
]
"""Every operator, those of spec/ first."""

NAMED = {operator.name: operator for operator in OPERATORS}


def of_families(*families: str) -> tuple[str, ...]:
    """The names of the operators of some families, in each version."""
    return tuple(o.name for o in OPERATORS if o.family in families)
