"""The gaps of standards: what they leave open, each with an input that shows it.

A gap is shown, not claimed: an input that the standard accepts, and two different results that it allows for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated

from msgspec import Struct

from sonnx_verify.api.evaluation import SetJson
from sonnx_verify.errors import UsageError, UserError
from sonnx_verify.language.context import Context
from sonnx_verify.language.files import Unit
from sonnx_verify.language.meaning import LeftOpen
from sonnx_verify.language.project import Project
from sonnx_verify.language.syntax import Reach
from sonnx_verify.logic.sorts import ELEMENT
from sonnx_verify.obligations.gaps import gap_tag
from sonnx_verify.results.answer_json import ExampleJson, example_json
from sonnx_verify.results.concrete import ConcreteTensor
from sonnx_verify.results.kinds import Kind
from sonnx_verify.results.values import ValueJson, tensor_json
from sonnx_verify.results.written import OfVersions, said
from sonnx_verify.solving.check.collect import of_unit
from sonnx_verify.solving.check.needed import Recall, needed_in, nothing_recalled
from sonnx_verify.solving.check.record import Record
from sonnx_verify.solving.check.run import run
from sonnx_verify.solving.check.telling import example_of
from sonnx_verify.solving.inputs.decided_by import DecidedBy, Decision, decision, profile_of
from sonnx_verify.solving.inputs.open_results import Result, open_results
from sonnx_verify.solving.solvers import Solvers


@dataclass(frozen=True, slots=True)
class Gap:
    """An item that a standard leaves open: its record, two results, and how the profile decides it."""

    record: Record
    item: LeftOpen
    results: tuple[Result, Result]
    decision: Decision | None


@dataclass(frozen=True, slots=True)
class Unshown:
    """An item that is declared to be open and that no input shows: the identity of its gap, and the reason."""

    id: str
    reason: str


def gaps_of(project: Project, unit: Unit, solvers: Solvers) -> tuple[list[Gap], list[Unshown]]:
    """The gaps of a standard operator, in the order of its text, and those that no input shows."""
    return gaps_in(project, unit, records_of(project, unit, solvers))


def gaps_in(project: Project, unit: Unit, records: Iterable[Record]) -> tuple[list[Gap], list[Unshown]]:
    """The gaps of records, and those that no input shows: what is not known of one must not hide the others."""
    found: list[Gap] = []
    unshown: list[Unshown] = []
    for record in records:
        try:
            found.append(_gap(project, unit, record))
        except UserError as problem:
            unshown.append(Unshown(record.id, problem.message))
    return found, unshown


def records_of(
    project: Project, unit: Unit, solvers: Solvers, jobs: int = 1, recall: Recall = nothing_recalled
) -> list[Record]:
    """The record of each thing that a standard operator says is left open, in the order of its text."""
    wanted = [o for o in of_unit(project, unit) if o.kind is Kind.GAP]
    return list(run(wanted, solvers, needed_in(project, wanted, recall), jobs))


def _gap(project: Project, unit: Unit, record: Record) -> Gap:
    """The gap of a record. Raises UserError where no input shows it."""
    if record.error is not None:
        raise record.error
    obligation = record.obligation
    # The symbol T stands for all element types in an obligation that holds for each of them alike.
    sort = next(iter(obligation.types), ELEMENT)
    meaning = project.meaning(unit, Context(obligation.family, sort, variables=obligation.variables))
    item = next(x for x in meaning.left_open if gap_tag(meaning.file, x.rule) == obligation.tag)
    # The text says that something is left open, and no solver found an input for which it is: no gap is shown then.
    if record.witness is None:
        raise UsageError(f"{record.verdict.name}: {record.verdict.reason}", cure="run `check` on it")
    assignment = record.witness.found.assignment
    profile = profile_of(project, unit)
    decided = None  # a standard may well have a gap that no profile has come to yet
    if profile is not None:
        decided = decision(project, profile, meaning, assignment, sort)
    return Gap(record, item, open_results(unit, meaning, item, assignment), decided)


class DecisionJson(Struct, frozen=True):
    """The decision of a profile on the input of a gap."""

    operator: str
    kind: DecidedBy
    tag: str | None
    sentence: str | None
    outputs: dict[str, ValueJson]
    sets: Annotated[dict[str, list[SetJson]], said("The sets of results that have more than one member.")]


class GapJson(Struct, frozen=True):
    """A gap in JSON: null in `results` is an error."""

    id: str
    tag: str
    section: str | None
    reach: Reach
    sentence: str | None
    origin: str | None
    witness: ExampleJson | None
    results: list[dict[str, ValueJson] | None]
    decided_by: DecisionJson | None


class OperatorGapsJson(Struct, frozen=True):
    """The gaps of a standard operator."""

    operator: str
    gaps: list[GapJson]
    not_shown: list[Unshown]


class GapsJson(OfVersions, frozen=True):
    """The whole answer."""

    operators: list[OperatorGapsJson]


def gap_json(gap: Gap) -> GapJson:
    """The record of a gap."""
    obligation, rule, made = gap.record.obligation, gap.item.rule, gap.decision
    decided = None
    if made is not None:
        outputs = _outputs(dict(made.outputs))
        sets = {name: [SetJson.made(one) for one in found] for name, found in made.sets.items()}
        decided = DecisionJson(made.operator, made.kind, made.tag or None, made.title or None, outputs, sets)
    return GapJson(
        obligation.id,
        obligation.tag,
        obligation.section or None,
        gap.item.reach,
        rule.title or None,
        rule.origin or None,
        example_json(example_of(gap.record.witness)),
        [None if result is None else _outputs(result) for result in gap.results],
        decided,
    )


def _outputs(result: Mapping[str, ConcreteTensor]) -> dict[str, ValueJson]:
    return {name: tensor_json(tensor) for name, tensor in result.items()}
