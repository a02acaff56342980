"""The values of the reference evaluator, the meanings of symbols, and code; and the limits of its loops. Trusted.

Values are those of logic/sorts.py; an index is the tuple of its coordinates from the right without trailing zeros, so
that equal indices are equal tuples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

from sonnx_verify.logic.sorts import BOOL, IntegerSort
from sonnx_verify.logic.terms import Symbol, Term

Value = Any
Interpretation = Mapping[Symbol, Any]
"""The meaning of each free symbol: a value, or a function of values. A function raises Undefined outside its domain."""

Environment = dict[int, Value]
Code = Callable[[Environment, Interpretation], Value]
"""Gives a term's value from those of its bound variables, by their numbers, and an interpretation."""
Compile = Callable[[Term], Code]


MEMORY = Symbol("values met", (), BOOL)
"""The memory of evaluation in an interpretation."""


class Undefined(Exception):
    """The term has no value here: a read outside a tensor, the only member of a set that has none or several."""


class TooMany(Undefined):
    """A range, or a shape, of more members than are looked at one by one."""


# What has more members is undefined here, and so unknown: never true for being too large to look at.
_MOST = 1 << 16


def range_of(first: int, last: int) -> range:
    """The integers from first to last. Raises TooMany."""
    if last - first >= _MOST:
        raise TooMany(f"it ranges over more than {_MOST} numbers")
    return range(first, last + 1)


def wrap(sort: IntegerSort, value: int) -> int:
    """The value of the sort that is equal to `value` modulo 2 to the width."""
    return (value - sort.lowest) % (1 << sort.width) + sort.lowest


def indices_of(sizes: list[int]) -> Iterator[tuple[int, ...]]:
    """Every index of a shape given by its sizes from the right, in row-major order."""
    # No index, however large the other sizes are.
    if 0 in sizes:
        return
    if prod(sizes) > _MOST:
        raise TooMany(f"it has more than {_MOST} elements, or ranges over as many indices")
    for position in product(*(range(size) for size in reversed(sizes))):
        yield stripped(list(reversed(position)))


def on_each_axis(rank: Code, each: Code, number: int) -> Code:
    """The values of a function of axes on each axis of a rank, from the right: a list."""

    def run(env: Environment, facts: Interpretation) -> Value:
        found = []
        for k in range_of(0, rank(env, facts) - 1):
            env[number] = k
            found.append(each(env, facts))
        return found

    return run


def stripped(coordinates: Sequence[int]) -> tuple[int, ...]:
    """The index of these coordinates from the right, as evaluation holds it."""
    # [3, 0] from the right and [3] are one index: both are 3 on axis 0, and 0 on every other axis.
    end = len(coordinates)
    while end and coordinates[end - 1] == 0:
        end -= 1
    return tuple(coordinates[:end])


def coordinate(position: Sequence[int], axis: int) -> int:
    """The coordinate of an index on an axis, 0 on an axis that it has not."""
    # An axis below 0 is none: Python would count it from the end.
    if 0 <= axis < len(position):
        return position[axis]
    return 0
