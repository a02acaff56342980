"""in-bounds and total: what each clause needs to mean anything, on what stands before it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sonnx_verify.errors import Span
from sonnx_verify.language import syntax as s
from sonnx_verify.language.context import Context
from sonnx_verify.language.enclosure import Place
from sonnx_verify.language.meaning import Meaning, place_of
from sonnx_verify.language.values import Tensor
from sonnx_verify.language.variables import VariableRole, typed, value_of
from sonnx_verify.logic import operators as ops
from sonnx_verify.logic.terms import Term, not_, subterms
from sonnx_verify.logic.verdict import static
from sonnx_verify.obligations.obligation import Claim, Obligation, Statement
from sonnx_verify.obligations.section import Section
from sonnx_verify.results.kinds import Kind


def obligations_of(section: Section, meaning: Meaning) -> Iterator[Obligation]:
    """in-bounds and total: what each clause needs to mean anything."""
    groups: dict[tuple[Place, Kind], None] = {}
    for side in meaning.context.sides:
        groups[(side.place, side.kind)] = None
    for place, kind in groups:
        yield section.obligation(place.tag, kind, _span(section, place), _sides_builder(section, place, kind))
    yield from _undetermined(section, meaning)


def _sides_builder(section: Section, place: Place, kind: Kind) -> Callable[[Context], Statement]:
    def build(context: Context) -> Statement:
        meaning = section.meaning(context)
        hypotheses = before(meaning, place)
        claims = tuple(
            Claim(
                hypotheses,
                side.formula,
                f"{side.reason} ({side.span})",
                failing=None if side.read is None else side.read.failing,
            )
            for side in context.sides
            if (side.place, side.kind) == (place, kind)
        )
        used = {n.payload for c in claims for t in (*c.hypotheses, c.goal) for n in subterms(t) if n.op == ops.APPLY}
        spoken = (v for v in meaning.variables if v.role is not VariableRole.OUTPUT or v.symbol("rank") in used)
        return Statement(tuple(spoken), hypotheses, claims)

    return build


def before(meaning: Meaning, place: Place) -> tuple[Term, ...]:
    """What may be relied on at a place: for a clause those before it, for an error the restrictions, else validity."""
    if place.above is not None:
        # A declaration relies on the types and on the declarations above it.
        return (*meaning.hypotheses, *meaning.arity[: place.above])
    tag = place.tag
    known = [*meaning.hypotheses, *meaning.arity]
    statements = [*meaning.restrictions, *meaning.constraints]
    let = next((x for x in meaning.file.lets if x.name == tag), None)
    below = [] if let is None else [c for c in meaning.file.clauses if c.place > let.place]
    if let is not None and (below or let.name in _lets_of_errors(meaning.file)):
        # Clauses below may use it: it has to make sense under those above alone. A restriction comes before all
        # constraints, those above it too; and an error is asked for where constraints fail.
        above = [x for x in statements if x.clause.place < let.place]
        if any(c.kind is s.ClauseKind.RESTRICTION for c in below) or let.name in _lets_of_errors(meaning.file):
            above = [x for x in above if x.clause.kind is s.ClauseKind.RESTRICTION]
        return (*known, *(x.known for x in above))
    about_outputs = tag in {c.tag for c in meaning.output_clauses}
    if about_outputs:
        return (*known, *(typed(v, bounded=False) for v in meaning.outputs), meaning.valid)
    if any(e.tag == tag for e in meaning.errors):
        return (*known, *(r.known for r in meaning.restrictions))
    for statement in statements:
        if statement.tag == tag:
            return tuple(known)
        known.append(statement.known)
    if tag == "outcome":
        # Of valid input it is asked first, also where an error applies.
        return tuple(known)
    free = {v.name: value for v in meaning.outputs if isinstance(value := value_of(v), Tensor)}
    if not meaning.shapes:
        known += [typed(v, bounded=False) for v in meaning.outputs]
        known += [meaning.output_condition(c, free) for c in meaning.output_clauses if c.body is not None]
    return (*known, not_(meaning.unspecified_outcome), not_(meaning.erring))


def _lets_of_errors(file: s.File) -> set[str]:
    """The names given by `let` that errors speak of, also through others."""
    bodies = {let.name: let.body for let in file.lets}
    found: set[str] = set()
    todo = [c.body for c in file.clauses if c.kind is s.ClauseKind.ERROR and c.body is not None]
    while todo:
        for name in s.free_names(todo.pop()):
            if name.name in bodies and name.name not in found:
                found.add(name.name)
                todo.append(bodies[name.name])
    return found


def _span(section: Section, place: Place) -> Span:
    file = section.file
    for clause in file.clauses:
        if Place(clause.tag) == place:
            return clause.span
    for let in file.lets:
        if Place(let.name) == place:
            return let.span
    for rule in file.rules:
        if Place(place_of(file, rule)) == place:
            return rule.span
    assert file.span is not None
    return file.span


def _undetermined(section: Section, meaning: Meaning) -> Iterator[Obligation]:
    """An output that no clause gives a shape or a value."""
    for output in section.file.outputs:
        missing = [
            what for what, given in (("shape", meaning.shapes), ("value", meaning.values)) if output.name not in given
        ]
        if missing:
            obligation = section.obligation(output.name, Kind.TOTAL, output.span, None)
            obligation.answer = static(False, f"no clause gives the {' and '.join(missing)} of `{output.name}`")
            yield obligation
