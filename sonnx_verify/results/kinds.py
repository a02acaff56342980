"""The kinds of obligations: for each that `check` asks, the sentence that it shows, and the cure if that is false."""

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
    # Asked by other commands than `check`.
    DIFF = "diff"
    PAGE = "page"
    CLAIM = "claim"


KINDS: dict[Kind, tuple[str, str]] = {
    Kind.WELL_FORMED: (
        "The text means something for every element type: names, types and arities fit.",
        "The message names the place and what would fit there. In a draft, state with `expect` what is to be repaired.",
    ),
    Kind.TRANSCRIPTION: (
        "What a standard's text declares is what ONNX's table of signatures has for that version.",
        "Correct the declaration: types, arity, optional inputs, attributes and their defaults are ONNX's to say.",
    ),
    Kind.IN_BOUNDS: (
        "Every read of the clause is inside, and of something that is given; every divisor is not 0.",
        "Guard the read, or add a constraint above the clause that rules the shown input out.",
    ),
    Kind.TOTAL: (
        "Every fold and every choice of the clause has a value: no empty set without `default`, no size below 0.",
        "Say what holds of the empty set, with `default`, or rule it out with a constraint above the clause.",
    ),
    Kind.DETERMINED: (
        "Valid input has one result, or one set of results.",
        "State what comes out for the shown input, or, in a standard, say with `unspecified` that it is left open.",
    ),
    Kind.COVERED: (
        "Input that fails this constraint, and no one above it, meets an error.",
        "Add the error, most often `when` this constraint `fails`.",
    ),
    Kind.EXCLUSIVE: (
        "Input that meets every restriction and constraint meets no error.",
        "An error speaks of input that no constraint excludes: add the constraint, or narrow the error.",
    ),
    Kind.HOLDS: (
        "A constraint about outputs follows from shape and value.",
        "Correct the constraint or the clause that gives the output: the shown input meets one and not the other.",
    ),
    Kind.SATISFIABLE: (
        "The clause admits some input and excludes some; of the whole text, valid input exists, and meets each branch.",
        "A clause or a branch that says nothing, or nothing can meet, is a mistake or to be removed.",
    ),
    Kind.INDEPENDENT: (
        "Some input is rejected by this restriction or constraint alone.",
        "The clause is redundant: remove it, or say what it was to exclude beyond the others.",
    ),
    Kind.REFINES: (
        "Valid input of the profile is valid in the standard, and has a result there that the standard allows.",
        "The shown input tells the two apart: narrow the profile by a restriction, or correct its value or its errors.",
    ),
    Kind.NARROWING: (
        "Every real restriction is shown: what the standard and the restrictions accept, the constraints accept.",
        "The profile rejects the shown input without saying so: mark the clause as a restriction.",
    ),
    Kind.GENERAL: (
        "The restrictions that come from a general one say of this operator what that says of every operator.",
        "Speak of every input, or of every attribute, as the general restriction does.",
    ),
    Kind.GAP: (
        "Some input is left open by this `unspecified` item and by no other.",
        "The item says nothing: remove it, or correct its condition.",
    ),
    Kind.THEOREM: (
        "The law holds, of everything that it speaks of.",
        "The shown values break it: correct the law, or the definition that it is about.",
    ),
}
