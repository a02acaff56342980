"""The voices of a proof: a solver, and how floats were read in the text that it found unsat. Trusted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

FIRST_TWO = ("z3", "cvc5")
"""The two solvers that get every query."""
STAND_INS = ("bitwuzla",)
"""Solvers that get a query only where cvc5 leaves floats open."""
ENUMERATION = "enumeration"
"""The voice of the reference evaluator, which found no values that break a claim, of all that there are."""
_ORDER = (*FIRST_TWO, *STAND_INS, ENUMERATION)


class Floats(StrEnum):
    """A way in which floats are read."""

    NONE = "none"
    """The text has no floats, or they are abstract elements, of which only the order counts."""
    BITS = "bits"
    REALS = "rounded reals"


@dataclass(frozen=True, slots=True)
class Voice:
    """A solver that said unsat, or the enumeration of all values; and how floats are read there."""

    solver: str
    floats: Floats

    def __str__(self) -> str:
        if self.floats is Floats.NONE:
            return self.solver
        return f"{self.solver} on {self.floats}"


Voices = tuple[Voice, ...]
"""The voices that show one claim, in order."""


def in_order(voices: Iterable[Voice]) -> Voices:
    """Voices in the order in which solvers are asked."""
    return tuple(sorted(voices, key=_place))


def _place(voice: Voice) -> tuple[int, str, str]:
    known = len(_ORDER)
    if voice.solver in _ORDER:
        known = _ORDER.index(voice.solver)
    return known, voice.solver, voice.floats
