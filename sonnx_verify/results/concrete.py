"""Concrete values: tensors, lists and numbers that inputs, attributes and outputs have. Trusted.

Integers of machine types are Python integers, floats are bit patterns (logic/sorts.py), so that a value is the same on
every machine, and NaN is equal to itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from math import prod

from sonnx_verify.logic.evaluator_values import Undefined
from sonnx_verify.logic.sorts import Sort


@dataclass(frozen=True, slots=True)
class ConcreteTensor:
    """A tensor as a person writes it: sizes from the left, elements in row-major order, and the facts it lacks."""

    sort: Sort
    shape: tuple[int, ...]
    elements: tuple[object, ...]
    lacks: frozenset[str] = frozenset()

    def read(self, position: tuple[int, ...]) -> object:
        """The element at an index given from the right without trailing zeros. Raises Undefined outside."""
        if len(position) > len(self.shape):
            raise Undefined("an index of more axes than the tensor has")
        # Elements are in row-major order: the last axis is the nearest, so the strides grow from the right.
        offset, stride = 0, 1
        for place, size in enumerate(reversed(self.shape)):
            coordinate = position[place] if place < len(position) else 0
            if not 0 <= coordinate < size:
                raise Undefined(f"index {coordinate} on an axis of size {size}")
            offset += coordinate * stride
            stride *= size
        return self.elements[offset]


class _LeftOut(Enum):
    # A member of an enumeration stays the same one when it goes from one process to another.
    LEFT_OUT = "not given"

    def __repr__(self) -> str:
        return self.value


LEFT_OUT = _LeftOut.LEFT_OUT
"""In place of the value of an optional thing, or of one with a default, that is not given."""

Concrete = ConcreteTensor | tuple[int, ...] | int | object
Assignment = Mapping[str, Concrete]
"""A value for each declared name; a list of values for a family."""


def tensors_in(assignment: Assignment) -> Iterator[ConcreteTensor]:
    """The tensors of an assignment, members of families one by one."""
    for value in assignment.values():
        yield from (item for item in members_of(value) if isinstance(item, ConcreteTensor))


def members_of(value: Concrete) -> tuple[Concrete, ...]:
    """The members of a family, or the one value itself."""
    if isinstance(value, tuple):
        return value
    return (value,)


def size_of(shape: tuple[int, ...], axis: int) -> int:
    """The size on an axis counted from the right. Raises Undefined for an axis that the shape has not."""
    if not 0 <= axis < len(shape):
        raise Undefined(f"axis {axis} from the right of a shape of rank {len(shape)}")
    return shape[len(shape) - 1 - axis]


def numel(shape: Iterable[int]) -> int:
    """The number of elements of a tensor of the shape: 1 of the shape (), 0 where a size is 0."""
    return prod(shape)
