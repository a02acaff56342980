"""When two texts of one operator say the same of one input, clause by clause."""

from __future__ import annotations

from sonnx_verify.equivalence.sameness import same
from sonnx_verify.language.enclosure import Place
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.meaning import Statement as Clause
from sonnx_verify.language.values import Position
from sonnx_verify.logic.terms import Term, and_, eq, forall_index
from sonnx_verify.obligations.obligation import Claim
from sonnx_verify.obligations.side_conditions import before


def claims_of_operator(a: Meaning, b: Meaning) -> list[Claim] | None:
    """That what the declarations say, each restriction, constraint and error, each shape and value is the same, and
    that nothing more is needed for them to mean anything. A constraint counts where those above it hold, a shape and a
    value of valid input. None where it is not known how to say that."""
    if a.left_open or b.left_open or a.output_clauses or b.output_clauses or a.members or b.members:
        return None
    if a.shapes.keys() != b.shapes.keys() or a.values.keys() != b.values.keys():
        return None
    known = tuple(a.hypotheses)
    claims = [Claim((), eq(and_(*a.hypotheses), and_(*b.hypotheses)), "the types")]
    claims.append(Claim(known, eq(and_(*a.arity), and_(*b.arity)), "the declarations"))
    known = (*known, *a.arity)
    for kind in ("restrictions", "constraints"):
        for one, other in zip(getattr(a, kind), getattr(b, kind), strict=True):
            claims.append(Claim(known, _same_clause(one, other), one.tag))
            known = (*known, one.known)
    whatever = (*a.hypotheses, *a.arity)
    claims += [Claim(whatever, _same_clause(x, y), x.tag) for x, y in zip(a.errors, b.errors, strict=True)]
    for name, shape in a.shapes.items():
        goal = same(shape, b.shapes[name])
        assert goal is not None
        claims.append(Claim(known, goal, f"{name}.shape"))
    for name in a.values:
        if name not in a.shapes:
            return None
        shape = a.shapes[name]

        def at(i: Term, name: str = name) -> Term:
            position = Position(i, a.shapes[name].rank)
            return eq(a.values[name](position), b.values[name](position))

        claims.append(Claim(known, forall_index(shape.rank, shape.dim, at), f"{name}.value"))
    return claims + _needed(a, b)


def _same_clause(a: Clause, b: Clause) -> Term:
    return eq(a.known, b.known)


def _needed(a: Meaning, b: Meaning) -> list[Claim]:
    """What the second text needs follows, place by place, from what may be relied on there and what the first needs."""
    first: dict[Place, list[Term]] = {}
    for side in a.context.sides:
        first.setdefault(side.place, []).append(side.formula)
    made = []
    for side in b.context.sides:
        above = first.get(side.place, [])
        if side.formula not in above:
            made.append(Claim((*before(a, side.place), *above), side.formula, side.place.tag))
    return made
