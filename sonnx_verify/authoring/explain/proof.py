"""The proof of an obligation, claim by claim, as hints have it: along those of the project, or along new ones.

Both solvers are asked anew. What is told of a proof is for people: the verdict is the one of `check`.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from sonnx_verify.language.origins import Place, noted
from sonnx_verify.logic.effort import LADDER
from sonnx_verify.logic.sorts import ELEMENT, Sort
from sonnx_verify.logic.terms import FALSE, Term
from sonnx_verify.logic.verdict import VerdictName
from sonnx_verify.obligations.obligation import Claim, Statement
from sonnx_verify.obligations.orders import NotAbstract
from sonnx_verify.results.voice import Voices, in_order
from sonnx_verify.solving.check.distil import distilled
from sonnx_verify.solving.check.facts import Facts, facts_of
from sonnx_verify.solving.check.hints import Hints, of_lines
from sonnx_verify.solving.check.proof import Proof, Prover, formulas_of
from sonnx_verify.solving.check.record import Record
from sonnx_verify.solving.check.spoken import hypotheses_of
from sonnx_verify.solving.check.work import Work, parts_of
from sonnx_verify.solving.solvers import Query, Solvers

_ANY_LENGTH = 1 << 20
Outcome = TypeVar("Outcome")


@dataclass(frozen=True, slots=True)
class Followed:
    """A claim that is proved: the voices that say so, and the facts that it follows from; None where no few are found.
    `kept` where its hint is the project's."""

    claim: Claim
    voices: Voices
    facts: Facts | None
    kept: bool = False


@dataclass(slots=True)
class OnType:
    """The proof of a statement on some types. On abstract elements it is one of all types whose orders are total."""

    types: tuple[Sort, ...]
    statement: Statement
    claims: list[Followed]
    orders: tuple[str, ...] = ()
    """The orders that have to be total for it, by name."""
    places: Mapping[Term, Sequence[Place]] = field(default_factory=dict)
    """The places of the terms of the statement, as far as they were elaborated for it."""


def proof_of(record: Record, hints: Hints, solvers: Solvers) -> list[OnType]:
    """The proof of what both solvers found unsat: that an obligation holds, that no input is as it asks (violated), or
    that none meets its hypotheses (vacuous). On abstract elements, or on each type; nothing where it is not found
    again. Raises the error of a text that fails to fit."""
    prover, work = Prover(solvers, hints), Work(record.obligation)
    types = tuple(sort for sort in record.obligation.types if sort.name in record.types)
    sorts: list[tuple[Sort, ...]] = [(ELEMENT,), types]
    for tried in sorts:
        made = [_on(prover, work, sort, record.verdict.name) for sort in tried]
        found = [one for one in made if one is not None]
        if found and len(found) == len(made):
            return found
    return []


def _on(prover: Prover, work: Work, sort: Sort, verdict: VerdictName) -> OnType | None:
    """The proof on elements of a sort; None where there is none."""
    with noted() as own:
        try:
            statement, context = work.on(sort)
        except NotAbstract:
            return None
    orders = tuple(dict.fromkeys(name for name, _ in context.fold_orders))
    if sort == ELEMENT:
        # Abstract elements have one order; the greatest by another one need not exist.
        if any(of == ELEMENT and name != context.order for name, of in context.fold_orders):
            return None
        if context.order:
            orders = tuple(dict.fromkeys((context.order, *orders)))
    types = work.obligation.types if sort == ELEMENT else (sort,)
    for claims in _claims(statement, verdict):
        found = answered(_followed(prover, claims))
        if found is not None:
            return OnType(types, statement, found, orders, own.places)
    return None


def _claims(statement: Statement, verdict: VerdictName) -> Iterator[list[Claim]]:
    """The claims that a verdict may rest on: all of a list."""
    match verdict:
        case VerdictName.VIOLATED:
            # One that is impossible is enough.
            for wanted in statement.wanted:
                yield [Claim(wanted.conditions, FALSE, wanted.impossible)]
        case VerdictName.VACUOUS:
            for hypotheses in dict.fromkeys(hypotheses_of(statement)):
                yield [Claim(hypotheses, FALSE, "no input meets the hypotheses")]
        case _:
            yield parts_of(statement)


def _followed(prover: Prover, claims: Sequence[Claim]) -> Generator[list[Query], None, list[Followed] | None]:
    """The claims with what their proofs need; None where one is not proved."""
    proof = yield from prover.replay(claims)
    if not proof.complete:
        proof = yield from prover.prove(claims, LADDER)
    if not proof.complete:
        return None
    lines = yield from distilled(prover, proof, _ANY_LENGTH)
    found = of_lines(f"{key} {line}" for key, line in lines.items()).known
    return [_facts(prover, proof, n, found) for n in range(len(claims))]


def _facts(prover: Prover, proof: Proof, n: int, hints: Hints) -> Followed:
    """The facts of one claim of a proof."""
    claim, voices = proof.claims[n], in_order(proof.heard[n])
    asked = formulas_of(claim)
    hint = hints.get(asked.key)
    if hint is None:
        return Followed(claim, voices, None)
    facts = facts_of(claim, asked, hint, prover.solvers.budget)
    return Followed(claim, voices, facts, kept=prover.hints.get(asked.key) == hint)


def answered(steps: Generator[list[Query], None, Outcome]) -> Outcome:
    """The outcome of steps once each query that they hand out has its answer."""
    while True:
        try:
            queries = next(steps)
        except StopIteration as ended:
            made: Outcome = ended.value
            return made
        for query in queries:
            query.result()
