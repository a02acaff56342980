"""The answer of `eval` as a record: its types make its JSON and eval.schema.json."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Struct, UnsetType

from sonnx_verify.api.evaluated import Evaluated
from sonnx_verify.language.context import Context
from sonnx_verify.language.files import Unit
from sonnx_verify.language.syntax import ClauseKind, Reach
from sonnx_verify.logic.sorts import ELEMENT
from sonnx_verify.results.values import ValueJson, tensor_json
from sonnx_verify.results.written import OfVersions, said
from sonnx_verify.solving.inputs.reached import Reached

Index = tuple[int, ...]


class ClauseJson(Struct, frozen=True):
    """A clause on the input."""

    tag: str
    kind: ClauseKind
    sentence: str
    holds: Annotated[bool, said("Whether it holds, or, of an error, applies.")]
    why: Annotated[list[str], said("The reasons, one line each.")]


class OpenJson(Struct, frozen=True):
    """An item that leaves the outcome or the shape open."""

    tag: str | None
    reach: Reach
    sentence: str | None


class OpenElementsJson(Struct, frozen=True):
    """An item that leaves some elements of an output open."""

    tag: str | None
    sentence: str | None
    at: list[Index]


class SetJson(Struct, frozen=True):
    """The set of results at an index: within a bound, within some steps, or all elements of the type."""

    index: Index
    says_nothing: Annotated[bool, said("Whether every element conforms, or numbers of both signs do.")]
    within: Annotated[str | UnsetType, said("The bound, an exact fraction.")] = UNSET
    of: Annotated[str | UnsetType, said("The exact value.")] = UNSET
    steps: Annotated[int | UnsetType, said("The floats between an element and the nearest one.")] = UNSET

    @classmethod
    def made(cls, one: Reached) -> SetJson:
        """The record of a set."""
        bounds = () if one.bound is None else (str(one.bound), str(one.centre))
        within, of = bounds or (UNSET, UNSET)
        return cls(one.index, one.says_nothing, within, of, UNSET if one.steps is None else one.steps)


class EvaluationJson(OfVersions, frozen=True):
    """The whole answer."""

    operator: str
    types: Annotated[dict[str, str], said("The type of each type variable.")]
    clauses: list[ClauseJson]
    undeclared: Annotated[dict[str, list[str]], said("What is not as it is declared, with the reasons.")]
    left_open: list[OpenJson]
    outputs: dict[str, ValueJson]
    sets: Annotated[dict[str, list[SetJson]], said("The sets of results that have more than one member.")]
    unspecified: Annotated[dict[str, list[Index]], said("The indices whose element is left open.")]
    open_elements: Annotated[
        dict[str, list[OpenElementsJson]], said("The items that leave elements open, each with their indices.")
    ]
    undetermined: Annotated[str | None, said("Why the result is not determined; null if it is.")]


def types_json(context: Context) -> dict[str, str]:
    """The types of a section by their variables; T is left out where the text has no such type."""
    types = {variable: sort.name for variable, sort in context.variables.items()}
    if context.element == ELEMENT:
        return types
    return {"T": context.element.name, **types}


def evaluation_json(unit: Unit, made: Evaluated) -> EvaluationJson:
    """The record of an evaluation."""
    outcome = made.outcome
    return EvaluationJson(
        unit.operator,
        types_json(made.context),
        [ClauseJson(s.tag, s.clause.kind, s.clause.title, holds, reasons) for s, holds, reasons in outcome.clauses],
        outcome.undeclared,
        [OpenJson(rule.tag or None, rule.what.reach, rule.title or None) for rule in outcome.left_open],
        {name: tensor_json(tensor) for name, tensor in outcome.outputs.items()},
        {name: [SetJson.made(one) for one in sets] for name, sets in made.reached.items()},
        outcome.unspecified,
        {
            name: [OpenElementsJson(rule.tag or None, rule.title or None, places) for rule, places in items]
            for name, items in outcome.open_items.items()
        },
        outcome.undetermined or None,
    )
