"""The answers of `diff` as records: their types make the JSON and its schemas."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from msgspec import Struct

from sonnx_verify.logic.verdict import VerdictName
from sonnx_verify.results.answer_json import ExampleJson, example_json
from sonnx_verify.results.difference import (
    Answer,
    Aspect,
    Difference,
    Question,
    Row,
    axioms_of,
    change,
    changed_rows,
    line_since,
    types_alone,
)
from sonnx_verify.results.text import framed
from sonnx_verify.results.written import OfVersions, said


class RowJson(Struct, frozen=True):
    """The answer to one question in one section."""

    section: str | None
    what: Annotated[str, said("Accepted by base alone, accepted by other alone, results, or declarations.")]
    differs: Annotated[bool | None, said("False if it is proved that there is no difference; null if not known.")]
    verdict: VerdictName | None
    scope: str | None
    reason: str | None
    axioms: Annotated[list[str], said("The identities of the cited laws that a proof rests on.")]
    witness: Annotated[ExampleJson | None, said("The smallest input that shows the difference.")]


class DifferenceJson(OfVersions, frozen=True):
    """Two specifications of one operator, compared on the inputs of the base."""

    base: str
    other: str
    types_alone: Annotated[dict[str, list[str]], said("The types that only one of them has, by operator.")]
    moved: Annotated[list[str], said("The inputs of the base that are attributes of the other.")]
    alone: Annotated[list[str], said("What only the base has.")]
    differences: list[RowJson]


class ChangeJson(Struct, frozen=True):
    """One thing in which an operator differs from what it was."""

    section: str | None
    what: str
    said: str
    known: bool
    witness: ExampleJson | None


class ChangedOperatorJson(Struct, frozen=True):
    """An operator whose text, or a text that it uses, changed."""

    operator: str
    same: Annotated[bool, said("Whether it is proved that it means the same.")]
    edited: Annotated[list[str], said("The shared definitions that changed, with their places.")]
    axioms: Annotated[list[str], said("The identities of the cited laws that its proofs rest on.")]
    changes: list[ChangeJson]


class SinceJson(Struct, frozen=True):
    """The operators of a project, compared with a commit."""

    ref: str
    operators: list[ChangedOperatorJson]


def difference_json(found: Difference) -> DifferenceJson:
    """The record of the comparison of two texts."""
    rows = [_row(row) for row in found.rows if row.what.aspect is not Aspect.TYPES]
    return DifferenceJson(found.base, found.other, types_alone(found), list(found.moved), list(found.alone), rows)


def since_json(ref: str, found: Iterable[tuple[str, Difference]]) -> SinceJson:
    """The record of the comparison with a commit."""
    return SinceJson(ref, [_operator(name, one) for name, one in found])


def _what(question: Question) -> str:
    if question.aspect is Aspect.DECLARATIONS:
        return "declarations"
    return "results" if question.side is None else f"accepted by {question.side} alone"


def _row(row: Row) -> RowJson:
    return RowJson(
        row.section or None,
        _what(row.what),
        {Answer.SAME: False, Answer.DIFFERENT: True, Answer.UNKNOWN: None}[row.answer],
        row.verdict,
        row.scope or None,
        row.reason or None,
        list(row.axioms),
        example_json(row.example),
    )


def _operator(name: str, found: Difference) -> ChangedOperatorJson:
    changes = [
        ChangeJson(
            row.section or None,
            change(found, row)[0],
            f"{framed('', row.section, ': ')}{line_since(found, row)}",
            row.answer is not Answer.UNKNOWN,
            example_json(row.example),
        )
        for row in changed_rows(found)
    ]
    return ChangedOperatorJson(name, found.answer is Answer.SAME, list(found.edited), axioms_of(found), changes)
