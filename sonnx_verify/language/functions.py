"""The names of functions that the language has of itself. Trusted."""

from __future__ import annotations

from enum import StrEnum, unique

from sonnx_verify.logic.functions import RealFunction
from sonnx_verify.logic.operators import GROUPS, Group, Op
from sonnx_verify.logic.sorts import ELEMENT_TYPES


@unique
class Range(StrEnum):
    """A function that is only written where a variable ranges over something."""

    AXES = "axes"
    INDICES = "indices"


@unique
class Function(StrEnum):
    """A function of the language, beside those of floats, which are operators of the logic."""

    RANK = "rank"
    COUNT = "count"
    DIV = "div"
    MOD = "mod"
    GIVEN = "given"
    EXACTLY_ONE = "exactly_one"


@unique
class Conversion(StrEnum):
    """A conversion of a number; the names of element types, and T, are others."""

    INT = "int"
    REAL = "real"
    FLOOR = "floor"
    CEIL = "ceil"


# Names of the language come before those of a text (calls.py), so a definition `rank` would never be called: it is
# refused. A function that is added here takes its name from every text that has it.
RANGES: frozenset[str] = frozenset(Range)
ROUNDED: frozenset[str] = GROUPS[Group.ROUNDED] - {Op.DIVIDE}
"""Functions of floats that give a float. Division is an operator of the same group, and is written `/`."""
REAL_FUNCTIONS: frozenset[str] = frozenset(RealFunction)
"""Functions of reals; `sqrt` is one of floats as well."""
FUNCTIONS: frozenset[str] = GROUPS[Group.FLOAT] | ROUNDED | REAL_FUNCTIONS | RANGES | frozenset(Function)
CONVERSIONS: frozenset[str] = frozenset((*Conversion, "T", *ELEMENT_TYPES))
