"""For each kind of obligations that `check` asks, the sentence that it shows, the cure, and the words for a failure.

Not trusted: no decision reads them.
"""

from __future__ import annotations

from sonnx_verify.results.kinds import Kind

KINDS: dict[Kind, tuple[str, str]] = {
    Kind.WELL_FORMED: (
        "The text means something for every element type: names, types and arities fit.",
        "The message gives the location and what would fit there. In a draft, mark the defect with `expect`.",
    ),
    Kind.TRANSCRIPTION: (
        "The declarations of a standard's text agree with ONNX's table of signatures for that version; a profile has "
        "the types and defaults of the standard that it refines.",
        "Correct the declaration: ONNX defines types, arity, optional inputs, attributes and their defaults. Name a "
        "type that a profile leaves out in the title of a restriction `outside the model`.",
    ),
    Kind.IN_BOUNDS: (
        "Every read of the clause is in bounds, and of something that is given; no divisor is 0.",
        "Guard the read, or add a constraint above the clause that excludes the shown input.",
    ),
    Kind.TOTAL: (
        "Every fold and every choice of the clause has a value: no empty set without `default`, no size below 0.",
        "Give the empty set a value with `default`, or exclude it by a constraint above the clause.",
    ),
    Kind.DETERMINED: (
        "Valid input has one result, or one set of results.",
        "Define the result for the shown input or, in a standard, leave it open with `unspecified`.",
    ),
    Kind.COVERED: (
        "Input that fails this constraint, and none above it, raises an error.",
        "Add the error, most often `when` this constraint `fails`.",
    ),
    Kind.EXCLUSIVE: (
        "Input that satisfies every restriction and constraint raises no error.",
        "An error covers input that no constraint excludes: add the constraint, or narrow the error.",
    ),
    Kind.HOLDS: (
        "A constraint about outputs follows from shape and value.",
        "Correct the constraint or the clause that defines the output: the shown input satisfies only one of them.",
    ),
    Kind.SATISFIABLE: (
        "The clause admits some input and excludes some; of the whole text, valid input exists, and meets each branch.",
        "A clause that excludes nothing, or a branch that nothing reaches, is a mistake: correct or remove it.",
    ),
    Kind.INDEPENDENT: (
        "Some input is rejected by this restriction or constraint alone.",
        "The clause is redundant: remove it, or state what else it should exclude.",
    ),
    Kind.REFINES: (
        "Valid input of the profile is valid in the standard, and has a result there that the standard allows.",
        "The shown input distinguishes the two: narrow the profile by a restriction, or correct its value or errors.",
    ),
    Kind.NARROWING: (
        "Every restriction is declared as one: the constraints accept what the standard and the restrictions accept.",
        "The profile rejects the shown input without saying so: mark the clause as a restriction.",
    ),
    Kind.GENERAL: (
        "The restrictions from a general restriction state for this operator what that one states for every operator.",
        "Cover every input, or every attribute, as the general restriction does.",
    ),
    Kind.GAP: (
        "Some input is left open by this `unspecified` item and by no other.",
        "The item has no effect: remove it, or correct its condition.",
    ),
    Kind.EXAMPLE: (
        "The text gives the outputs of the example, or refuses it by the clause that the example names.",
        "Correct the example, or the clause that it shows to be wrong.",
    ),
    Kind.THEOREM: (
        "The law holds for everything in its scope.",
        "The shown values violate it: correct the law, or the definition that it is about.",
    ),
    Kind.AXIOM: (
        "No value that was tried breaks the cited law; what rests on it says so.",
        "The shown values violate it: compare the axiom with its source.",
    ),
}

FAILS: dict[Kind, str] = {
    Kind.WELL_FORMED: "is not well-formed",
    Kind.TRANSCRIPTION: "differs from ONNX's signatures",
    Kind.IN_BOUNDS: "an index can be out of bounds, or a divisor 0",
    Kind.TOTAL: "some input leaves it without a value",
    Kind.DETERMINED: "some valid input has several results",
    Kind.COVERED: "some input that it rejects raises no error",
    Kind.EXCLUSIVE: "some valid input raises an error",
    Kind.HOLDS: "does not follow from shape and value",
    Kind.SATISFIABLE: "no input meets it, or every input does",
    Kind.INDEPENDENT: "rejects no input that the others accept",
    Kind.REFINES: "valid input shows that it does not refine the standard",
    Kind.NARROWING: "rejects input that the standard accepts, and no restriction says so",
    Kind.GENERAL: "differs from the general restriction",
    Kind.GAP: "leaves nothing open that no other item does",
    Kind.THEOREM: "the law is false",
    Kind.AXIOM: "the cited law is false",
    Kind.EXAMPLE: "the text disagrees with the example",
    Kind.DIFF: "the two differ",
    Kind.PAGE: "the page and the formal text differ",
    Kind.CLAIM: "the claim is false",
}
"""The words for a clause that fails an obligation of each kind: they follow the tag of the clause."""
