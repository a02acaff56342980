"""Element types as numpy has them, and arrays as the reference evaluator reads them."""

from __future__ import annotations

from functools import cache
from typing import Any

import ml_dtypes
import numpy as np

from sonnx_verify.logic import floats
from sonnx_verify.logic.evaluator_values import Undefined
from sonnx_verify.logic.sorts import BOOL, FLOATS, INTEGERS, FloatSort, IntegerSort, Sort
from sonnx_verify.results.concrete import ConcreteTensor

_NAMES = {"float": "float32", "double": "float64"}
DTYPES: dict[Sort, np.dtype[Any]] = {
    **{sort: np.dtype(sort.name) for sort in INTEGERS},
    **{sort: np.dtype(_NAMES.get(sort.name, sort.name)) for sort in FLOATS if sort.name != "bfloat16"},
    **{sort: np.dtype(ml_dtypes.bfloat16) for sort in FLOATS if sort.name == "bfloat16"},
    BOOL: np.dtype(bool),
}
"""The numpy type of each element type. Real numbers have none."""
SORTS = {dtype: sort for sort, dtype in DTYPES.items()}


@cache
def bits_type(sort: FloatSort) -> np.dtype[Any]:
    """The unsigned integers as wide as a float."""
    return np.dtype(f"u{sort.width // 8}")


def constant(value: Any, sort: Sort) -> Any:
    """A value of an element type as numpy has it."""
    if isinstance(sort, FloatSort):
        return bits_type(sort).type(value).view(DTYPES[sort])
    return DTYPES[sort].type(value)


class ArrayTensor(ConcreteTensor):
    """An array as the reference evaluator reads it: element by element, when it is asked."""

    __slots__ = ("array",)
    array: Any

    @classmethod
    def of(cls, array: Any) -> ArrayTensor:
        """The array, whose type is one of those that numpy has for element types."""
        made = cls(SORTS[array.dtype], tuple(array.shape), ())
        object.__setattr__(made, "array", array)
        return made

    def read(self, position: tuple[int, ...]) -> object:
        """The element at an index given from the right without trailing zeros. Raises Undefined outside."""
        if len(position) > len(self.shape):
            raise Undefined("an index of more axes than the tensor has")
        place = [*position, *[0] * (len(self.shape) - len(position))][::-1]
        for coordinate, size in zip(place, self.shape, strict=True):
            if not 0 <= coordinate < size:
                raise Undefined(f"index {coordinate} on an axis of size {size}")
        return element_of(self.array[tuple(place)], self.sort)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)


def element_of(value: Any, sort: Sort) -> Any:
    """An element as the logic has it: an integer, a truth value, the bits of a float."""
    if isinstance(sort, FloatSort):
        return floats.canonical(sort, int(value.view(bits_type(sort))))
    return int(value) if isinstance(sort, IntegerSort) else bool(value)
