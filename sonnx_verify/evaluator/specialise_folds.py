"""Partial evaluation of quantifiers and folds: to folds over loops, whose conditions pin coordinates where they can."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod

from sonnx_verify.evaluator.loops import FoldNode, Loop, NotStatic
from sonnx_verify.evaluator.specialise import Coordinates, Environment, Specialiser
from sonnx_verify.logic.binders import replace_nodes
from sonnx_verify.logic.evaluator_values import Undefined
from sonnx_verify.logic.folds import Fold
from sonnx_verify.logic.nodes import number_of
from sonnx_verify.logic.sorts import BOOL, INT, REAL, IntegerSort, Sort
from sonnx_verify.logic.terms import (
    FALSE,
    ONE,
    TRUE,
    ZERO,
    Term,
    add,
    and_,
    element,
    eq,
    integer,
    is_literal,
    ite,
    le,
    linear,
    literal,
    not_,
    scale,
    sub,
    subterms,
    times,
)
from sonnx_verify.shapes.intervals import interval

_MOST = 4096
"""So many members are written out one by one at most."""


@dataclass(slots=True)
class _Binder:
    """A quantifier or a fold: its bound variable, what picks its members, what it takes of each."""

    kind: str
    sort: Sort
    variable: Term
    condition: Term
    value: Term
    fold: Fold | None

    @classmethod
    def of(cls, term: Term) -> _Binder:
        if term.op in ("forall", "forall_index"):
            return cls("all", BOOL, term.args[0], TRUE, term.args[-1], None)
        fold = Fold.of(term)
        return cls(fold.kind.name, term.sort, fold.variable, fold.condition, fold.value, fold)

    def limits(self, special: Specialiser, env: Environment) -> list[Term]:
        """What has to hold of a member for it to count, as conjuncts; of a quantifier, for it to be of interest."""
        if self.kind != "all":
            return _conjuncts(special(self.condition, env))
        return _conjuncts(not_(special(self.value, env)))


def folded(special: Specialiser, term: Term, env: Environment) -> Term:
    """A quantifier or a fold. Over loops where that is possible, else written out member by member."""
    binder = _Binder.of(term)
    special.depth += 1
    try:
        made = _over_loops(special, binder, term, env)
    except NotStatic:
        made = None
    finally:
        special.depth -= 1
    return made if made is not None else _written_out(special, binder, term, env)


def _over_loops(special: Specialiser, binder: _Binder, term: Term, env: Environment) -> Term | None:
    if binder.kind == "position":
        return None
    number = number_of(binder.variable)
    if term.op in ("fold", "forall"):
        low, high, guard = _range(special, term.args[1], term.args[2], env)
        if high < low:
            return _of_nothing(special, binder, env)
        loop = special.nodes.loop(f"{special.depth}.0", high - low + 1)
        variable = integer(low) if low == high else add(loop.variable, integer(low))
        guards = [] if guard is None else guard(variable)

        def member(loops: Sequence[Term]) -> Environment:
            return {**env, number: low if low == high else loops[0]}

        names: list[Term] = [variable]
    else:
        sizes = _sizes(special, term, env)
        if 0 in sizes:
            return _of_nothing(special, binder, env)
        names = [
            ZERO if n == 1 else special.nodes.loop(f"{special.depth}.{len(sizes) - 1 - q}", n).variable
            for q, n in enumerate(sizes)
        ]
        guards = []

        def member(loops: Sequence[Term]) -> Environment:
            return {**env, number: Coordinates(loops)}

    names = _pinned(special, binder, names, member)
    inner = member(names)
    loops = _loops_in(special, names)
    if binder.kind == "all":
        condition, value = and_(*guards), special(binder.value, inner)
        if guards:
            value, condition = not_(and_(condition, not_(value))), TRUE
        return _quantified(special, loops, value)
    condition = and_(*guards, special(binder.condition, inner))
    return _fold_over(special, binder, env, loops, condition, inner, member, names)


def _range(
    special: Specialiser, low: Term, high: Term, env: Environment
) -> tuple[int, int, Callable[[Term], list[Term]] | None]:
    """The numbers that may be in a range, and what says that one is, where that is not known yet."""
    first, last = special(low, env), special(high, env)
    if is_literal(first) and is_literal(last):
        assert isinstance(first.payload, int) and isinstance(last.payload, int)
        return first.payload, last.payload, None
    least, most = interval(first, special.nodes.bounds)[0], interval(last, special.nodes.bounds)[1]
    if least is None or most is None or most - least > _MOST:
        raise special.unknown(add(first, last))
    return least, most, lambda k: [special.simple(le(first, k)), special.simple(le(k, last))]


def _sizes(special: Specialiser, term: Term, env: Environment) -> list[int]:
    """The sizes, from the right, of the shape that an index runs over."""
    _, rank, axis, sizes = term.args[:4]
    return [special.number(sizes, {**env, number_of(axis): q}) for q in range(special.number(rank, env))]


def _conjuncts(term: Term) -> list[Term]:
    if term.op == "and":
        return [part for arg in term.args for part in _conjuncts(arg)]
    if term.op == "not" and term.args[0].op == "or":
        return [part for arg in term.args[0].args for part in _conjuncts(not_(arg))]
    return [term]


def _pinned(
    special: Specialiser, binder: _Binder, names: list[Term], member: Callable[[Sequence[Term]], Environment]
) -> list[Term]:
    """The coordinates, those that a condition says given by what it says."""
    while True:
        pins: dict[Term, Term] = {}
        for part in binder.limits(special, member(names)):
            if part.op == "=" and part.args[0].sort == INT and not pins:
                pins |= _pin(special, part, names)
        if not pins:
            return names
        names = replace_nodes(names, pins)


def _pin(special: Specialiser, equation: Term, names: Sequence[Term]) -> dict[Term, Term]:
    """A loop of these that an equation gives, if what it gives is in the loop's range."""
    difference = sub(*equation.args)
    atoms, _ = linear(difference)
    own = {node for name in names for node in subterms(name) if node in special.nodes.loops}
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


def _loops_in(special: Specialiser, names: Sequence[Term]) -> tuple[Loop, ...]:
    """The loops of this depth that are left, in the order of the axes from the left."""
    prefix = f"loop {special.depth}."
    found = {
        node: special.nodes.loops[node]
        for name in reversed(names)
        for node in subterms(name)
        if node in special.nodes.loops and node.payload.name.startswith(prefix)  # type: ignore[union-attr]
    }
    return tuple(found.values())


# ------------------------------------------------------------------------------------------------------------- results


def unit_of(kind: str, sort: Sort) -> Term:
    """What a fold that needs no member gives of nothing."""
    if sort == BOOL:
        return TRUE
    value = 1 if kind == "product" else 0
    return literal(Fraction(value) if sort == REAL else value, sort)


def _of_nothing(special: Specialiser, binder: _Binder, env: Environment) -> Term:
    if binder.kind not in ("greatest", "the"):
        return unit_of(binder.kind, binder.sort)
    assert binder.fold is not None
    if binder.fold.otherwise is None:
        raise Undefined(f"`{binder.kind}` of an empty set")
    return special(binder.fold.otherwise, env)


def _quantified(special: Specialiser, loops: tuple[Loop, ...], value: Term) -> Term:
    if is_literal(value) or not loops:
        return value
    return special.nodes.fold(FoldNode("all", BOOL, loops, TRUE, value))


def _fold_over(
    special: Specialiser,
    binder: _Binder,
    env: Environment,
    loops: tuple[Loop, ...],
    condition: Term,
    inner: Environment,
    member: Callable[[Sequence[Term]], Environment],
    names: Sequence[Term],
) -> Term:
    if condition is FALSE:
        return _of_nothing(special, binder, env)
    fold = binder.fold
    assert fold is not None
    value = special(binder.value, inner)
    count = prod(loop.size for loop in loops)
    if condition is TRUE and loops and binder.kind == "count":
        return integer(count)
    if condition is TRUE and loops and binder.kind == "the":
        return special(binder.value, member(replace_nodes(names, {loop.variable: ZERO for loop in loops})))
    if binder.kind not in ("greatest", "the"):
        if not loops:
            return ite(condition, value, unit_of(binder.kind, binder.sort))
        return special.nodes.fold(FoldNode(binder.kind, binder.sort, loops, condition, value))
    otherwise = None
    if condition is not TRUE and fold.otherwise is not None:
        otherwise = special(fold.otherwise, env)
    if not loops:
        return value if otherwise is None else ite(condition, value, otherwise)
    return _chosen(special, binder, env, FoldNode(binder.kind, binder.sort, loops, condition, value, otherwise=otherwise))


def _chosen(special: Specialiser, binder: _Binder, env: Environment, node: FoldNode) -> Term:
    """A fold of kind greatest or the, with its order on two symbols."""
    fold = binder.fold
    assert fold is not None
    x, y = special.nodes.pair(binder.sort)
    order = special(fold.order, {**env, number_of(fold.x): x, number_of(fold.y): y}) if node.kind == "greatest" else TRUE
    return special.nodes.fold(
        FoldNode(node.kind, node.sort, node.loops, node.condition, node.value, x, y, order, node.otherwise, node.items)
    )


# --------------------------------------------------------------------------------------------------------- written out


def _written_out(special: Specialiser, binder: _Binder, term: Term, env: Environment) -> Term:
    """Member by member, each with the condition that it is one."""
    number = number_of(binder.variable)
    if term.op in ("fold", "forall"):
        low, high, guard = _range(special, term.args[1], term.args[2], env)
        if high - low >= _MOST:
            raise NotStatic
        places: list[tuple[object, list[Term]]] = [
            (k, [] if guard is None else guard(integer(k))) for k in range(low, high + 1)
        ]
    else:
        sizes = _sizes(special, term, env)
        if prod(sizes) > _MOST:
            raise NotStatic
        places = [(c, []) for c in product(*(range(n) for n in sizes))]
    items = []
    for place, guards in places:
        inner = {**env, number: place}
        condition = and_(*guards, special(binder.condition, inner)) if FALSE not in guards else FALSE
        if condition is not FALSE:
            value = TRUE if binder.kind == "position" else special(binder.value, inner)
            if binder.kind == "all" and condition is TRUE and value is FALSE:
                return FALSE
            items.append((condition, integer(place) if binder.kind == "position" else value))  # type: ignore[arg-type]
    return _of_items(special, binder, env, items)


def _of_items(special: Specialiser, binder: _Binder, env: Environment, items: list[tuple[Term, Term]]) -> Term:
    if not items:
        return _of_nothing(special, binder, env)
    if binder.kind == "all":
        return and_(*(not_(and_(condition, not_(value))) for condition, value in items))
    if binder.kind == "position":
        return _position(special, binder, env, items)
    if binder.kind not in ("greatest", "the"):
        unit = unit_of(binder.kind, binder.sort)
        return _joined(binder.kind, [ite(condition, value, unit) for condition, value in items])
    assert binder.fold is not None
    some = any(condition is TRUE for condition, _ in items)
    otherwise = None if some or binder.fold.otherwise is None else special(binder.fold.otherwise, env)
    if binder.kind == "the":
        made = items[-1][1] if otherwise is None else otherwise
        for condition, value in reversed(items):
            made = ite(condition, value, made)
        return made
    if len(items) == 1 and otherwise is None:
        return items[0][1]
    node = FoldNode(binder.kind, binder.sort, (), TRUE, TRUE, otherwise=otherwise, items=tuple(items))
    return _chosen(special, binder, env, node)


def _position(special: Specialiser, binder: _Binder, env: Environment, items: list[tuple[Term, Term]]) -> Term:
    """The member that has so many before it."""
    assert binder.fold is not None and binder.fold.otherwise is not None
    ordinal, before, made = special(binder.fold.otherwise, env), ZERO, items[-1][1]
    found = []
    for condition, name in items:
        found.append((and_(condition, special.simple(eq(before, ordinal))), name))
        before = add(before, ite(condition, ONE, ZERO))
    for condition, name in reversed(found):
        made = ite(condition, name, made)
    return made


def _joined(kind: str, parts: list[Term]) -> Term:
    sort = parts[0].sort
    if isinstance(sort, IntegerSort):
        made = parts[0]
        for part in parts[1:]:
            made = element("add" if kind == "sum" else "mul", made, part)
        return made
    return times(*parts) if kind == "product" else add(*parts)

