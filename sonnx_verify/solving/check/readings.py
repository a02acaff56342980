"""The readings of ground assertions: how much of products, and of rounding, solvers are told.

Trusted: for each model of the assertions there has to be one of every reading, so that unsat of any of them is unsat of
the assertions; `logic/opaque.py`, `logic/algebraic.py` and `logic/rounded_reals.py` say why. Which one is asked first
decides about time alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, unique

from sonnx_verify.logic.algebraic import algebraic
from sonnx_verify.logic.opaque import opaque
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.rounded_reals import as_rounded_reals, rounds
from sonnx_verify.logic.smtlib import has_floats
from sonnx_verify.logic.sorts import FloatSort
from sonnx_verify.logic.terms import Term, subterms
from sonnx_verify.results.voice import Floats


@unique
class Reading(Enum):
    """A way to read assertions. Hints are written with the values."""

    FREE = ""
    """Products of unknowns, and operations of floats that solvers are slow with, as free functions; where there are
    none, the assertions as they stand."""
    ROUNDED = "~"
    """Floats as exact reals that are rounded."""
    WHOLE = "*"
    """The assertions as they stand, floats as bits."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A script, and how floats are read in it."""

    text: str
    floats: Floats

    @property
    def sha256(self) -> str:
        """The hexadecimal SHA-256 of the text."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @classmethod
    def of(cls, text: str, reading: Reading) -> Asked:
        """The script of assertions in a reading."""
        if has_floats(text):
            return cls(text, Floats.BITS)
        return cls(text, Floats.REALS if reading is Reading.ROUNDED else Floats.NONE)


def read(assertions: list[Term], reading: Reading) -> list[Term]:
    """The assertions in a reading."""
    match reading:
        case Reading.FREE:
            return opaque(assertions) or algebraic(assertions)
        case Reading.ROUNDED:
            return as_rounded_reals(assertions)
        case Reading.WHOLE:
            return algebraic(assertions)


_MANY = 60
"""The number of roundings above which the reals are not asked: each is compared with each other one, and of 60 there
are 1,770 pairs, of which each has three facts."""


def readings(assertions: Sequence[Term]) -> list[Reading]:
    """The readings that are worth asking, one after the other.

    The weaker one comes first: with products as free functions a query is linear, and both solvers decide linear
    arithmetic; few claims need that n * (m + 1) is n * m + n. Then laws of rounding, which are soon decided where the
    bits of floats take a minute. Where floats are only made of reals, and compared, their bits cost nothing, and what
    the reals say comes last.
    """
    nodes = list(subterms(*assertions))
    operations = sum(1 for node in nodes if rounds(node))
    conversions = sum(1 for node in nodes if node.op is Op.ROUNDED and isinstance(node.sort, FloatSort))
    is_read = any(node.op is Op.TO_REAL and isinstance(node.args[0].sort, FloatSort) for node in nodes)
    is_free = opaque(list(assertions)) is not None
    bits = [Reading.FREE]
    if is_free:
        bits.append(Reading.WHOLE)
    if operations + conversions > _MANY:
        return bits
    if operations and is_free:
        return [Reading.FREE, Reading.ROUNDED, Reading.WHOLE]
    if operations:
        # As they stand the assertions come last, even where nothing is free in them.
        return [Reading.ROUNDED, Reading.WHOLE]
    if conversions or is_read:
        # Of a float that is only read the reals know its range.
        return [*bits, Reading.ROUNDED]
    return bits
