"""Folds and recursions, written out member by member."""

from __future__ import annotations

from sonnx_verify.arrays.shapes.folding import chosen
from sonnx_verify.arrays.shapes.given import nothing
from sonnx_verify.arrays.shapes.opened import Open, Unfolding
from sonnx_verify.logic.folds import Fold
from sonnx_verify.logic.sorts import INT
from sonnx_verify.logic.terms import (
    FALSE,
    ONE,
    TRUE,
    ZERO,
    Term,
    add,
    and_,
    integer,
    or_,
    substitute,
    times,
)


def folded(unfold: Unfolding, term: Term) -> Term:
    """A fold, or a recursion, written out. Raises Open."""
    if term.op == "recursion":
        return _recursion(unfold, term)
    fold = Fold.of(term)
    members = _members(unfold, fold)
    match fold.kind.name:
        case "count":
            return _sum([chosen(member, ONE, ZERO) for _, member in members])
        case "sum" | "product" if term.sort == INT:
            unit = ZERO if fold.kind.name == "sum" else ONE
            parts = [chosen(member, unfold(fold.value_at(name)), unit) for name, member in members]
            return _sum(parts) if fold.kind.name == "sum" else _product(parts)
        case "position":
            return _position(unfold, fold, members)
        case "the" | "greatest":
            return _chosen(unfold, fold, members)
        case _:
            raise Open("a fold of elements")


def _members(unfold: Unfolding, fold: Fold) -> list[tuple[Term, Term]]:
    """Every name of the domain that may be a member, with the condition that it is one."""
    names: list[tuple[Term, Term]]
    if fold.low is not None and fold.high is not None:
        names = [(integer(k), inside) for k, inside in unfold.range_of(fold.low, fold.high)]
    else:
        assert fold.rank is not None and fold.axis is not None and fold.sizes is not None
        names = [(i, TRUE) for i in unfold.indices(fold.rank, fold.axis, fold.sizes)]
    made = [
        (name, inside if inside is FALSE else and_(inside, unfold.condition(fold.chosen(name))))
        for name, inside in names
    ]
    return [(name, member) for name, member in made if member is not FALSE]


def _sum(parts: list[Term]) -> Term:
    return add(*parts) if parts else ZERO


def _product(parts: list[Term]) -> Term:
    return times(*parts) if parts else ONE


def _position(unfold: Unfolding, fold: Fold, members: list[tuple[Term, Term]]) -> Term:
    """The member that has so many before it. That there is one is not asked here: the last is taken for granted."""
    assert fold.otherwise is not None
    ordinal = unfold(fold.otherwise)
    if not members:
        return nothing(f"position {fold.term.digest}", INT)
    before, found = ZERO, []
    for name, member in members:
        found.append((and_(member, unfold.compared("=", before, ordinal)), name))
        before = add(before, chosen(member, ONE, ZERO))
    return _first(found)


def _first(found: list[tuple[Term, Term]]) -> Term:
    """The value of the first condition that holds; the last one's where none does."""
    made = found[-1][1]
    for condition, value in reversed(found[:-1]):
        made = chosen(condition, value, made)
    return made


def _chosen(unfold: Unfolding, fold: Fold, members: list[tuple[Term, Term]]) -> Term:
    values = [(member, unfold(fold.value_at(name))) for name, member in members]
    otherwise = None if fold.otherwise is None else unfold(fold.otherwise)
    if not values:
        return nothing(f"empty {fold.term.digest}", fold.term.sort) if otherwise is None else otherwise
    if fold.kind.name == "the":
        return _first(values if otherwise is None else [*values, (TRUE, otherwise)])
    some, best = values[0]
    for member, value in values[1:]:
        order = unfold.condition(substitute(fold.order, {fold.x: best, fold.y: value}))
        best = chosen(member, chosen(some, chosen(order, value, best), value), best)
        some = or_(some, member)
    return best if otherwise is None or some is TRUE else chosen(some, best, otherwise)


def _recursion(unfold: Unfolding, term: Term) -> Term:
    variable, below, start, number, body = term.args
    assert isinstance(start.payload, int)
    wanted = unfold(number)
    values = unfold.values_of(wanted)
    made: Term | None = None
    answer: Term | None = None
    for k in range(start.payload, values[-1] + 1):
        under = nothing(f"below the start of {term.digest}", below.sort) if made is None else made
        made = unfold(substitute(body, {variable: integer(k), below: under}))
        here = made if answer is None else chosen(unfold.compared("=", wanted, integer(k)), made, answer)
        answer = here if k in values else answer
    return nothing(f"recursion {term.digest}", term.sort) if answer is None else answer
