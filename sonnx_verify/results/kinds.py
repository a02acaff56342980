"""The kinds of obligations. sentences.py says what each shows."""

from __future__ import annotations

from enum import StrEnum


class Kind(StrEnum):
    """The kind of an obligation: the last part of its identity."""

    WELL_FORMED = "well-formed"
    TRANSCRIPTION = "transcription"
    IN_BOUNDS = "in-bounds"
    TOTAL = "total"
    DETERMINED = "determined"
    COVERED = "covered"
    EXCLUSIVE = "exclusive"
    HOLDS = "holds"
    SATISFIABLE = "satisfiable"
    INDEPENDENT = "independent"
    REFINES = "refines"
    NARROWING = "narrowing"
    GENERAL = "general"
    GAP = "gap"
    THEOREM = "theorem"
    AXIOM = "axiom"
    EXAMPLE = "example"
    # Asked by other commands than `check`.
    DIFF = "diff"
    PAGE = "page"
    CLAIM = "claim"
