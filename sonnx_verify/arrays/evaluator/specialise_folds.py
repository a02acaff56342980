"""Partial evaluation of quantifiers and folds: to folds over loops, of which conditions pin some; else written out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from sonnx_verify.arrays.evaluator.binder import Binder, Guard
from sonnx_verify.arrays.evaluator.environment import Coordinates, Environment, Specialising, name_of
from sonnx_verify.arrays.evaluator.loops import FoldNode, Loop, NotStatic
from sonnx_verify.arrays.evaluator.written_out import written_out
from sonnx_verify.arrays.shapes.intervals import interval
from sonnx_verify.logic.binders import replace_nodes
from sonnx_verify.logic.sorts import BOOL, INT
from sonnx_verify.logic.terms import (
    FALSE,
    TRUE,
    ZERO,
    Term,
    add,
    and_,
    integer,
    is_literal,
    ite,
    linear,
    not_,
    scale,
    sub,
    subterms,
)

Member = Callable[[Sequence[Term]], Environment]
"""What variables mean at a member that is given by its coordinates, of which an integer has one."""


def folded(special: Specialising, term: Term, env: Environment) -> Term:
    """A quantifier or a fold. Over loops where that is possible, else written out member by member."""
    binder = Binder.of(special, term, env)
    special.depth += 1
    try:
        return _over_loops(binder)
    except NotStatic:
        pass
    finally:
        special.depth -= 1
    return written_out(binder)


def _over_loops(binder: Binder) -> Term:
    special = binder.special
    if binder.kind == "position":
        raise NotStatic
    guard: Guard | None = None
    if binder.is_range:
        low, high, guard = binder.range()
        if high < low:
            return binder.of_nothing()
        first = integer(low)
        names = [first if low == high else add(special.nodes.loop(_name(special, 0), high - low + 1).variable, first)]
    else:
        sizes = binder.sizes()
        if 0 in sizes:
            return binder.of_nothing()
        names = [
            ZERO if size == 1 else special.nodes.loop(_name(special, len(sizes) - 1 - q), size).variable
            for q, size in enumerate(sizes)
        ]

    def member(coordinates: Sequence[Term]) -> Environment:
        if not binder.is_range:
            return {**binder.env, binder.number: Coordinates(coordinates)}
        (number,) = coordinates
        return {**binder.env, binder.number: number.payload if is_literal(number) else number}

    names = _pinned(binder, names, member)
    return _fold_over(binder, names, member, [] if guard is None else guard(names[0]))


def _name(special: Specialising, axis: int) -> str:
    return f"{special.depth}.{axis}"


def _pinned(binder: Binder, names: list[Term], member: Member) -> list[Term]:
    """The coordinates, those that a condition says given by what it says."""
    while True:
        equations = (p for p in binder.limits(member(names)) if p.op == "=" and p.args[0].sort == INT)
        pins = next((pin for part in equations if (pin := _pin(binder.special, part, names))), None)
        if pins is None:
            return names
        names = replace_nodes(names, pins)


def _pin(special: Specialising, equation: Term, names: Sequence[Term]) -> dict[Term, Term]:
    """A loop of these that an equation gives, if what it gives is in the loop's range."""
    difference = sub(*equation.args)
    atoms, _ = linear(difference)
    own = {loop.variable for loop in _loops_in(special, names)}
    for atom, coefficient in atoms.items():
        if atom not in own or abs(coefficient) != 1:
            continue
        rest = sub(difference, scale(int(coefficient), atom))
        given = scale(-int(coefficient), rest)
        low, high = interval(given, special.nodes.bounds)
        within = low is not None and high is not None and low >= 0 and high < special.nodes.loops[atom].size
        if within and atom not in set(subterms(given)):
            return {atom: given}
    return {}


def _loops_in(special: Specialising, names: Sequence[Term]) -> tuple[Loop, ...]:
    """The loops of this depth that are left, in the order of the axes from the left."""
    known, prefix = special.nodes.loops, f"loop {special.depth}."
    found = [n for name in reversed(names) for n in subterms(name) if n in known and name_of(n).startswith(prefix)]
    return tuple(known[n] for n in dict.fromkeys(found))


def _fold_over(binder: Binder, names: Sequence[Term], member: Member, guards: Sequence[Term]) -> Term:
    """The fold over the loops that stand in the coordinates of a member, of which guards have to hold too."""
    special = binder.special
    inner, loops = member(names), _loops_in(special, names)
    if binder.kind == "all":
        value = special(binder.value, inner)
        if guards:
            value = not_(and_(*guards, not_(value)))
        whole = is_literal(value) or not loops
        return value if whole else special.nodes.fold(FoldNode("all", BOOL, loops, TRUE, value))
    condition = and_(*guards, special(binder.condition, inner))
    if condition is FALSE:
        return binder.of_nothing()
    if condition is TRUE and loops and binder.kind == "count":
        return integer(prod(loop.size for loop in loops))
    if condition is TRUE and loops and binder.kind == "the":
        inner, loops = member(replace_nodes(names, {loop.variable: ZERO for loop in loops})), ()
    value = special(binder.value, inner)
    if not binder.needs_member:
        if not loops:
            return ite(condition, value, binder.unit)
        return special.nodes.fold(FoldNode(binder.kind, binder.sort, loops, condition, value))
    otherwise = None if condition is TRUE else binder.otherwise
    if not loops:
        return value if otherwise is None else ite(condition, value, otherwise)
    return binder.chosen(FoldNode(binder.kind, binder.sort, loops, condition, value, otherwise=otherwise))
