"""What solvers say. A module of its own, so that the process that holds a solver loads nothing else of the logic."""

from __future__ import annotations

from enum import StrEnum


class Status(StrEnum):
    """What a solver says of a query."""

    UNSAT = "unsat"
    SAT = "sat"
    UNKNOWN = "unknown"
