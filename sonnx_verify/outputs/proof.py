"""The facts that a proof rests on, as text; JSON has the same records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sonnx_verify.outputs.proof_words import Instance, ToldClaim, ToldFact, ToldProof
from sonnx_verify.outputs.wording import cut, said
from sonnx_verify.results.text import counted_text, framed
from sonnx_verify.solving.check.facts import Role

_MOST = 3
"""The number of places of one fact in a text."""


def proof_lines(proofs: Sequence[ToldProof]) -> Iterator[str]:
    """The lines of a text."""
    claims = [claim for proof in proofs for claim in proof.claims]
    fresh = sum(not claim.hint for claim in claims if claim.facts is not None)
    if fresh:
        yield f"no hint fits {fresh} of {counted_text(len(claims), 'claim')}: their facts were found anew"
    for proof in proofs:
        if len(proofs) > 1 or proof.orders:
            said = (framed("for ", ", ".join(proof.types)), _total(proof.orders))
            yield f"{', '.join(part for part in said if part)}:"
        for claim in proof.claims:
            yield from _claim_lines(claim)


def _total(orders: tuple[str, ...]) -> str:
    if not orders:
        return ""
    return f"where {' and '.join(orders)} {'is' if len(orders) == 1 else 'are'} total"


def _claim_lines(claim: ToldClaim) -> Iterator[str]:
    yield f"claim: {claim.what}"
    by = f"proved by {' and '.join(map(str, claim.voices))}"
    if claim.by_form:
        yield f"  {by}: it is true as its terms are built, and needs no fact"
        return
    if claim.facts is None:
        yield f"  {by}; which facts it needs was not found"
        return
    instances = sum(len(fact.instances) for fact in claim.facts)
    yield f"  {by}, from {len(claim.facts)} of {counted_text(claim.parts, 'fact')}{_with(instances)}"
    for fact in claim.facts:
        yield from _fact_lines(fact)
    for rule in claim.rules:
        yield f"  rule {cut(rule)}"
    for name, meaning in claim.names.items():
        yield f"  {name}: {cut(meaning)}"


def _with(instances: int) -> str:
    return f" with {counted_text(instances, 'instance')}" if instances else ""


def _fact_lines(fact: ToldFact) -> Iterator[str]:
    head = "  "
    if fact.denies:
        condition = "if the claim failed: " if fact.role is Role.DENIED else ""
        yield f"  {condition}{cut(fact.formula)}"
        head = "    that is, not "
    for n, source in enumerate(fact.sources[:_MOST]):
        yield f"{head}{said(source)}"
        if not source.whole and n == 0:
            yield f"    of that: {cut(fact.formula)}"
        head = "    the same: "
    if len(fact.sources) > _MOST:
        yield f"    the same: {counted_text(len(fact.sources) - _MOST, 'other place')}"
    yield from _instance_lines(fact)


def _instance_lines(fact: ToldFact) -> Iterator[str]:
    """The instances, those of one place together."""
    own = {source.place for source in fact.sources}
    groups: dict[object, list[Instance]] = {}
    for instance in fact.instances:
        place: object = instance.binder
        if instance.source is not None:
            place = instance.source.place
        groups.setdefault(place, []).append(instance)
    for place, listed in groups.items():
        source = listed[0].source
        indent = "    "
        if source is not None and place not in own:
            yield f"    in {said(source)}"
            indent = "      "
        elif source is None and listed[0].binder != fact.formula:
            yield f"    in {cut(listed[0].binder)}"
            indent = "      "
        yield f"{indent}with {', '.join(f'{one.variable} = {cut(one.term)}' for one in listed)}"
