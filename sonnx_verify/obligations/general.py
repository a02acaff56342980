"""general: the restrictions of a profile that come from a general one say of its operator what that says of all.
Trusted.

That every input is dense is written once for all operators, and in each profile as a restriction of its own, such as
`[R1] for all m in 0 .. L : X[m] is dense`. Both directions are claimed: the restrictions imply the general one, and say
no more than it.
"""

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
    file = section.file
    if file.kind is not s.FileKind.PROFILE or section.name != instances(file)[0].name:
        return
    assert file.span is not None
    for name, general in section.project.library(section.unit).generals.items():
        spans = [c.span for c in file.clauses if c.kind is s.ClauseKind.RESTRICTION and c.origin == name]
        # An operator without attributes need not say that every attribute is given.
        if general.what and (spans or said(meaning, general) is not TRUE):
            allowed = f"the restrictions from {name} imply" if spans else f"no restriction from {name} is needed"
            build = _build(section, name, general, allowed)
            yield section.obligation(name, Kind.GENERAL, next(iter(spans), file.span), build, general.title)


def said(meaning: Meaning, general: s.General) -> Term:
    """The condition that the general restriction is on the operator's inputs or attributes."""
    declared = meaning.file.inputs
    if general.whom != "input":
        declared = meaning.file.attributes
    return and_(*(_of_one(meaning.inputs[d.name], general.what) for d in declared))


def _of_one(value: object, what: str) -> Term:
    assert isinstance(value, Declared)
    if what == "given":
        return value.given
    inner = value.value
    if isinstance(inner, Items):
        items = inner
        return forall(ZERO, last(items.count), lambda m: _fact(items.item(m), what))
    # A thing that is left out has no facts: an input that nobody gives is not sparse.
    return implies(value.given, _fact(inner, what))


def _fact(value: object, what: str) -> Term:
    assert isinstance(value, Tensor)
    assert value.facts is not None
    return value.facts(what)


def _build(section: Section, name: str, general: s.General, allowed: str) -> Callable[[Context], Statement]:
    def build(context: Context) -> Statement:
        meaning = section.meaning(context)
        # Also where there is none: then the operator has to have every fact by itself, or nothing to have it.
        mine = and_(*(r.known for r in meaning.restrictions if r.clause.origin == name))
        every = f"every {general.whom} is {general.what}"
        hypotheses = (*meaning.hypotheses, *meaning.arity)
        claims = (
            Claim((*hypotheses, mine), said(meaning, general), f"{allowed}: {every}"),
            Claim((*hypotheses, said(meaning, general)), mine, f"where {every}, the restrictions from {name} hold"),
        )
        return Statement(meaning.given, hypotheses, claims)

    return build
