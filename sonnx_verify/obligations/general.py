"""general: the restrictions of a profile that come from a general one say of its operator what that says of all.
Trusted.

That every input is dense is written once for all operators, and in each profile as a restriction of its own, such as
`[R1] for all m in 0 .. L : X[m] is dense`. Both directions are claimed: the restrictions imply the general one, and say
no more than it.

"Every attribute is given" is read as ONNX can meet it: of attributes of which a node has exactly one, as its table of
signatures says, it is that one is given. A restriction that asks for two of them is refuted: no node meets it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

from sonnx_verify.kernel.values import Declared, Items, Tensor, last
from sonnx_verify.language import syntax as s
from sonnx_verify.language.context import Context
from sonnx_verify.language.families import instances
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.places import signatures
from sonnx_verify.language.signatures import Table
from sonnx_verify.logic.terms import TRUE, ZERO, Term, and_, forall, implies, not_, or_
from sonnx_verify.obligations.obligation import Claim, Obligation, Statement
from sonnx_verify.obligations.section import Section
from sonnx_verify.results.kinds import Kind

Alternatives = tuple[tuple[str, ...], ...]
"""Groups of attributes: a node has exactly one of each."""


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
        if general.what and (spans or said(meaning, general, ()) is not TRUE):
            allowed = f"the restrictions from {name} imply" if spans else f"no restriction from {name} is needed"
            build = _build(section, name, general, allowed)
            yield section.obligation(name, Kind.GENERAL, next(iter(spans), file.span), build, general.title)


def said(meaning: Meaning, general: s.General, alternatives: Alternatives) -> Term:
    """The condition that the general restriction is on the operator's inputs or attributes."""
    declared = meaning.file.inputs
    if general.whom != "input":
        declared = meaning.file.attributes
    each = {d.name: _of_one(meaning.inputs[d.name], general.what) for d in declared}
    groups = alternatives if general.what == "given" else ()
    chosen = {name for group in groups for name in group}
    alone = [fact for name, fact in each.items() if name not in chosen]
    return and_(*alone, *(or_(*(each[name] for name in group)) for group in groups))


def alternatives_of(section: Section) -> Alternatives:
    """The attributes of the profile of which a node of ONNX has exactly one: groups of two or more, by their names
    here. None where ONNX's table does not know the operator."""
    file = section.file
    operator, version, theirs = file.name, file.version, {d.name: d.name for d in file.attributes}
    if file.refines is not None:
        operator, version, theirs = file.refines.operator, file.refines.version, file.refines.renaming
    assert version is not None
    known = Table(signatures(section.project.root).read_text("utf-8")).schema(operator, version)
    if known is None:
        return ()
    groups = [tuple(d.name for d in file.attributes if theirs.get(d.name) in group) for group in known.exactly_one]
    return tuple(group for group in groups if len(group) > 1)


def _at_most_one(meaning: Meaning, group: tuple[str, ...]) -> Term:
    """ONNX's own part of it: no node has two of the group."""
    given = [_of_one(meaning.inputs[name], "given") for name in group]
    return and_(*(not_(and_(one, other)) for one, other in combinations(given, 2)))


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
    return value.facts[what]


def _build(section: Section, name: str, general: s.General, allowed: str) -> Callable[[Context], Statement]:
    def build(context: Context) -> Statement:
        meaning = section.meaning(context)
        # Also where there is none: then the operator has to have every fact by itself, or nothing to have it.
        mine = and_(*(r.known for r in meaning.restrictions if r.clause.origin == name))
        every = f"every {general.whom} is {general.what}"
        hypotheses = (*meaning.hypotheses, *meaning.arity)
        alternatives = alternatives_of(section) if general.what == "given" else ()
        if alternatives:
            hypotheses = (*hypotheses, *(_at_most_one(meaning, group) for group in alternatives))
            every = ", ".join([every, *(f"of {', '.join(group)} exactly one" for group in alternatives)])
        wanted = said(meaning, general, alternatives)
        claims = (
            Claim((*hypotheses, mine), wanted, f"{allowed}: {every}"),
            Claim((*hypotheses, wanted), mine, f"where {every}, the restrictions from {name} hold"),
        )
        return Statement(meaning.given, hypotheses, claims)

    return build
