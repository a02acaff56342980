"""A call of an operator, as a kernel sees it, and what kernels ask about arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import ml_dtypes
import numpy as np

Array = np.ndarray
Result = Array | tuple[Array, ...]
Implementation = Callable[..., Result]
"""Called with arrays by position, None for what is left out, and attributes by name. Raises to refuse the input."""

DTYPES = {
    "bool": np.dtype(np.bool_),
    "int8": np.dtype(np.int8),
    "int16": np.dtype(np.int16),
    "int32": np.dtype(np.int32),
    "int64": np.dtype(np.int64),
    "uint8": np.dtype(np.uint8),
    "uint16": np.dtype(np.uint16),
    "uint32": np.dtype(np.uint32),
    "uint64": np.dtype(np.uint64),
    "bfloat16": np.dtype(ml_dtypes.bfloat16),
    "float16": np.dtype(np.float16),
    "float": np.dtype(np.float32),
    "double": np.dtype(np.float64),
}
"""The dtype of each element type of ONNX."""


def is_float(x: Array) -> bool:
    """Whether the elements are floats; numpy counts bfloat16 among the types of no kind."""
    return x.dtype.kind == "f" or x.dtype == DTYPES["bfloat16"]


def is_integer(x: Array) -> bool:
    """Whether the elements are integers."""
    return x.dtype.kind in "iu"


def float_limits(x: Array) -> Any:
    """The limits of the float type of the array; those of numpy do not know bfloat16."""
    return ml_dtypes.finfo(x.dtype)  # type: ignore[no-untyped-call]


def greatest_finite(x: Array) -> Any:
    """The greatest number of the type of the array."""
    if x.dtype.kind == "b":
        return True
    return float_limits(x).max if is_float(x) else np.iinfo(x.dtype).max


def smallest_normal(x: Array) -> Any:
    """The least number of the type of the array that is above 0 and not subnormal."""
    return float_limits(x).smallest_normal


@dataclass(frozen=True)
class Call:
    """One call of an operator: its inputs, as many as it has, and the attributes that are given."""

    run: Implementation
    """The right implementation."""
    inputs: tuple[Array | None, ...]
    attributes: Mapping[str, Any]
    place: int
    """Which input has the data: the first whose elements have the type T."""
    axes: tuple[int, ...] | None
    """The axes that the input names, as it names them: negative ones too. None if it names none."""

    @property
    def data(self) -> Array:
        """The first input whose elements have the type T."""
        found = self.inputs[self.place]
        assert found is not None
        return found

    @property
    def arrays(self) -> list[Array]:
        """The inputs from the data on that are given."""
        return [x for x in self.inputs[self.place :] if x is not None]

    @property
    def positive_axes(self) -> tuple[int, ...]:
        """The axes that the input names, counted from the front."""
        rank = self.data.ndim
        return tuple(a + rank if a < 0 else a for a in self.axes or ())

    @property
    def keepdims(self) -> bool:
        """Whether the axes that are reduced stay, with the size 1."""
        return bool(self.attributes.get("keepdims", 1))

    def right(self) -> Result:
        """What the right implementation gives."""
        return self.run(*self.inputs, **self.attributes)

    def with_data(self, data: Array) -> Call:
        """The same call with other data."""
        return self.with_inputs(*(data if n == self.place else x for n, x in enumerate(self.inputs)))

    def with_inputs(self, *inputs: Array | None) -> Call:
        """The same call with other inputs."""
        return replace(self, inputs=inputs)

    def with_attributes(self, **changed: Any) -> Call:
        """The same call with some attributes changed."""
        return replace(self, attributes={**self.attributes, **changed})
