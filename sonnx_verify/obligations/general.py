"""general: the restrictions of a profile that come from a general one say of its operator what that says of all."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sonnx_verify.language import syntax as s
from sonnx_verify.language.context import Context
from sonnx_verify.language.families import instances
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.values import Declared, Items, Tensor, last
from sonnx_verify.logic.terms import TRUE, ZERO, Term, and_, forall, implies
from sonnx_verify.obligations.obligation import Claim, Obligation, Statement
from sonnx_verify.obligations.section import Section
from sonnx_verify.results.kinds import Kind


def obligations_of(section: Section, meaning: Meaning) -> Iterator[Obligation]:
    """One for each general restriction with a formal meaning that the profile uses, and that says something of it: in
    its first section, since what is declared is declared for all."""
    if section.file.kind != "profile" or section.name != instances(section.file)[0].name:
        return
    for name, general in section.project.library(section.unit).generals.items():
        own = [c for c in section.file.clauses if c.kind == "restriction" and c.origin == name]
        if general.what and (own or said(meaning, general) is not TRUE):
            assert section.file.span is not None
            span = own[0].span if own else section.file.span
            yield section.obligation(name, Kind.GENERAL, span, _build(section, name, general, bool(own)), general.title)


def said(meaning: Meaning, general: s.General) -> Term:
    """What the general restriction says of the operator's inputs or attributes."""
    declared = meaning.file.inputs if general.whom == "input" else meaning.file.attributes
    return and_(*(_of_one(meaning.inputs[d.name], general.what) for d in declared))


def _of_one(value: object, what: str) -> Term:
    assert isinstance(value, Declared)
    if what == "given":
        return value.given
    inner = value.value
    if isinstance(inner, Items):
        items = inner
        return forall(ZERO, last(items.count), lambda m: _fact(items.item(m), what))
    return implies(value.given, _fact(inner, what))


def _fact(value: object, what: str) -> Term:
    assert isinstance(value, Tensor)
    assert value.facts is not None
    return value.facts(what)


def _build(section: Section, name: str, general: s.General, there: bool) -> Callable[[Context], Statement]:
    def build(context: Context) -> Statement:
        meaning = section.meaning(context)
        mine = and_(*(r.known for r in meaning.restrictions if r.clause.origin == name))
        every = f"every {general.whom} is {general.what}"
        hypotheses = (*meaning.hypotheses, *meaning.arity)
        allowed = f"what the restrictions from {name} allow" if there else f"with no restriction from {name}"
        claims = (
            Claim((*hypotheses, mine), said(meaning, general), f"{allowed}: {every}"),
            Claim((*hypotheses, said(meaning, general)), mine, f"where {every}, the restrictions from {name} hold"),
        )
        return Statement(meaning.given, hypotheses, claims)

    return build
