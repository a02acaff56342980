"""Element types as numpy has them, and arrays as the reference evaluator reads them.

The two hold an element in different forms: numpy's float32 is a number, the logic's is its bits. Both ways between them
are here, and keep every element but NaN, of which the logic has one.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from sonnx_verify.logic import floats
from sonnx_verify.logic.evaluator_values import Undefined
from sonnx_verify.logic.sorts import ELEMENT_TYPES, REAL, FloatSort, IntegerSort, Sort
from sonnx_verify.results.concrete import ConcreteTensor
from sonnx_verify.results.dtypes import dtype_of

DTYPES: dict[Sort, np.dtype[Any]] = {sort: dtype_of(sort.name) for sort in ELEMENT_TYPES.values() if sort != REAL}
"""The numpy type of each element type. Real numbers have none."""
SORTS = {dtype: sort for sort, dtype in DTYPES.items()}


@cache
def bits_type(sort: FloatSort) -> np.dtype[Any]:
    """The unsigned integers as wide as a float."""
    return np.dtype(f"u{sort.width // 8}")


def constant(value: Any, sort: Sort) -> Any:
    """A value of an element type as numpy has it."""
    if isinstance(sort, FloatSort):
        # By its bits: a detour over Python's float would round twice, and lose the sign of a NaN.
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
        # An index is the function from axes to coordinates that is 0 beyond them: (3) and (3, 0) are the same one, so
        # that of a tensor of rank 2 it reads [0, 3].
        place = [*position, *[0] * (len(self.shape) - len(position))][::-1]
        # numpy would read a negative coordinate from the end.
        for coordinate, size in zip(place, self.shape, strict=True):
            if not 0 <= coordinate < size:
                raise Undefined(f"index {coordinate} on an axis of size {size}")
        return element_of(self.array[tuple(place)], self.sort)

    # By identity: the fields of the base class do not tell two arrays of one shape apart, and comparing elements would
    # read the whole array wherever an assignment is looked up.
    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)


def element_of(value: Any, sort: Sort) -> Any:
    """An element as the logic has it: an integer, a truth value, the bits of a float."""
    if isinstance(sort, FloatSort):
        return floats.canonical(sort, int(value.view(bits_type(sort))))
    if isinstance(sort, IntegerSort):
        return int(value)
    return bool(value)
