"""`explain --proof`: the few facts that a proof rests on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import click
from msgspec import Struct

from sonnx_verify.api.asking import asking
from sonnx_verify.api.hints import hints_in
from sonnx_verify.api.select import select
from sonnx_verify.authoring.explain.alone import Alone
from sonnx_verify.authoring.explain.proof import proof_of
from sonnx_verify.authoring.explain.rested import decided
from sonnx_verify.cli.explaining.obligation import OPEN
from sonnx_verify.cli.options import paint_of_output, print_json, tell_cache_problem
from sonnx_verify.language.origins import noted
from sonnx_verify.logic.verdict import VerdictName
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.outputs.console import line_of
from sonnx_verify.outputs.proof import proof_lines
from sonnx_verify.outputs.proof_words import Teller, ToldProof
from sonnx_verify.outputs.wanted import Form
from sonnx_verify.progress import shown
from sonnx_verify.results.answer_json import ObligationJson, obligation_json
from sonnx_verify.results.written import OfVersions
from sonnx_verify.solving.check.record import Record
from sonnx_verify.solving.check.run import usable_cores
from sonnx_verify.solving.check.telling import result_of

_NOT_FOUND = "its proof was not found again: see what `check` says of it"


@dataclass(frozen=True, slots=True)
class _Answer:
    """The lines about one obligation; `none` says why there is no proof to show."""

    record: Record
    proofs: list[ToldProof]
    none: str

    @property
    def decided(self) -> bool:
        """True if everything that was asked is known."""
        if self.none:
            return self.record.verdict.name not in OPEN and self.none != _NOT_FOUND
        return all(claim.facts is not None for proof in self.proofs for claim in proof.claims)


class ExplainedProofJson(Struct, frozen=True):
    """The proof of an obligation, or why there is none to show."""

    obligation: ObligationJson
    none: str | None
    proof: list[ToldProof]


class ProofsJson(OfVersions, frozen=True):
    """The whole answer."""

    proofs: list[ExplainedProofJson]


def proof(identities: Sequence[str], form: Form) -> int:
    """Print the facts that the proofs of obligations rest on. Return 3 where some are not known."""
    # The places of terms are noted while texts are elaborated, from the first one on.
    with noted() as origins, asking(tell_cache_problem) as solvers:
        selection = select(identities, at_once=True)
        if selection.errors:
            raise selection.errors[0]
        project, obligations = selection.project, _meant(selection.obligations, identities)
        now = decided(project, obligations, Alone(solvers, usable_cores(), lambda r, n: shown(r, n, "obligations")))
        hints = hints_in(project.root).known
        records = [now.joined(obligation) for obligation in obligations]
        found = [
            () if _why_none(record) else proof_of(record, hints, solvers)
            for record in shown(records, len(records), "proofs")
        ]
    teller = Teller(project, origins.places)
    answers = []
    for record, made in zip(records, found, strict=True):
        none = _why_none(record) or ("" if made else _NOT_FOUND)
        answers.append(_Answer(record, teller.proofs(made, record.obligation.span.source.name), none))
    if form is Form.JSON:
        print_json(ProofsJson([_as_json(answer) for answer in answers]))
    else:
        click.echo("\n".join(line for answer in answers for line in _as_text(answer)))
    return 0 if all(answer.decided for answer in answers) else 3


def _meant(obligations: Sequence[Obligation], identities: Sequence[str]) -> list[Obligation]:
    """The obligations that are named in full, where they are: an identity is a pattern too, and may begin others."""
    named = [obligation for obligation in obligations if obligation.id in identities]
    if len(named) >= len(identities):
        return named
    return list(obligations)


def _why_none(record: Record) -> str:
    """The reason why there is no proof to show; empty where there may be one."""
    if record.obligation.answer is not None:
        return "it is computed from the text: no solver is asked, and there is no proof to show"
    match record.verdict.name:
        case VerdictName.PROVED | VerdictName.VIOLATED | VerdictName.VACUOUS:
            return ""
        case VerdictName.HOLDS:
            return "an input shows it, which was evaluated: there is no proof to show"
        case _:
            return "it is not proved: there is no proof to show"


def _as_text(answer: _Answer) -> list[str]:
    lines = [line_of(result_of(answer.record), paint_of_output())]
    if answer.none:
        return [*lines, answer.none]
    return [*lines, *proof_lines(answer.proofs)]


def _as_json(answer: _Answer) -> ExplainedProofJson:
    return ExplainedProofJson(obligation_json(result_of(answer.record)), answer.none or None, answer.proofs)
