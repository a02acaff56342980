"""The answers of solvers, in a module of their own: the process that holds a solver loads nothing else of the logic."""

from __future__ import annotations

from enum import StrEnum


class Status(StrEnum):
    """The answer of a solver to a query."""

    UNSAT = "unsat"
    SAT = "sat"
    UNKNOWN = "unknown"
