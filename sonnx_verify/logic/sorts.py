"""The sorts of the logic.

`INT` and `REAL` are the mathematical ones. `INDEX` is a position in a tensor: a function from axes, counted from the
right, to integers, 0 beyond its rank. `ELEMENT` is an abstract totally ordered set, into which every finite total order
embeds; a law proved over it holds for every element type whose order is total. `STRING` is the sort of texts, which are
only compared for sameness.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass
from itertools import product
from typing import Any

_made: dict[tuple[object, ...], Any] = {}


@dataclass(frozen=True, slots=True, eq=False)
class Sort:
    """A sort. Equal sorts are the same object."""

    name: str

    def __new__(cls, *parts: object) -> Any:
        # Every builder compares the sorts of its arguments: by identity that costs no call. The class is part of the
        # key, since Sort("float") and FloatSort("float", 8, 24) are different sorts.
        return _made.setdefault((cls.__name__, *parts), object.__new__(cls))

    def __reduce__(self) -> tuple[type[Sort], tuple[object, ...]]:
        # In another process a sort is again the one of its parts.
        return type(self), astuple(self)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True, eq=False)
class IntegerSort(Sort):
    """Integers of a fixed width in bits. Values are Python integers within `lowest` .. `greatest`."""

    width: int
    signed: bool

    @property
    def lowest(self) -> int:
        if not self.signed:
            return 0
        return -(1 << (self.width - 1))

    @property
    def greatest(self) -> int:
        # The sign takes a bit: int8 ends at 127, uint8 at 255.
        return (1 << (self.width - int(self.signed))) - 1


@dataclass(frozen=True, slots=True, eq=False)
class FloatSort(Sort):
    """An IEEE 754 binary format, as SMT-LIB has it: `significand` counts the hidden bit.

    Values are bit patterns as Python integers, with the quiet NaN of `nan` as the only NaN.
    """

    exponent: int
    significand: int

    @property
    def width(self) -> int:
        return self.exponent + self.significand


@dataclass(frozen=True, slots=True, eq=False)
class MinifloatSort(FloatSort):
    """A format without infinities, which IEEE 754 does not have: its exponents reach one further, and of each sign the
    last pattern alone is NaN. It has conversions, signs and an order, and no arithmetic.

    `exponent` and `significand` are those of the least format of IEEE 754 that has all its values: one bit more in the
    exponent. Solvers read its values as values of that format, each rounded to one of these.
    """

    @property
    def width(self) -> int:
        return self.exponent - 1 + self.significand

    @property
    def carrier(self) -> FloatSort:
        """The format of IEEE 754."""
        return FloatSort(self.name, self.exponent, self.significand)


@dataclass(frozen=True, slots=True, eq=False)
class StateSort(Sort):
    """Functions of a number and an index to values of a sort: the state of a recursion, which texts cannot name."""

    result: Sort

    def __reduce__(self) -> tuple[type[Sort], tuple[object, ...]]:
        # `astuple` would take the sort of the values apart too.
        return type(self), (self.name, self.result)


BOOL = Sort("bool")
INT = Sort("int")
REAL = Sort("real")
INDEX = Sort("index")
ELEMENT = Sort("element")
STRING = Sort("string")

# Those of less than a byte come last: what holds of each type is tried on the others first.
INTEGERS = tuple(
    IntegerSort(f"{prefix}{width}", width, prefix == "int")
    for prefix, width in (*product(("int", "uint"), (8, 16, 32, 64)), *product(("int", "uint"), (4, 2)))
)
# The second number is SMT-LIB's significand: one more than the fraction bits that are stored. bfloat16 stores 7.
FLOATS = (
    FloatSort("bfloat16", 8, 8),
    FloatSort("float16", 5, 11),
    FloatSort("float", 8, 24),
    FloatSort("double", 11, 53),
    FloatSort("float8e5m2", 5, 3),
)
MINIFLOATS = (MinifloatSort("float8e4m3fn", 5, 4),)


def state_of(result: Sort) -> StateSort:
    """The sort of states whose values are of a sort."""
    made: StateSort = StateSort(f"state of {result.name}", result)
    return made


# ONNX's names of the element types.
ELEMENT_TYPES: dict[str, Sort] = {sort.name: sort for sort in (*INTEGERS, *FLOATS, *MINIFLOATS, BOOL, REAL)}
