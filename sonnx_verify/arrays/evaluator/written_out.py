"""Quantifiers and folds written out member by member, each with the condition that it is one."""

from __future__ import annotations

from itertools import product
from math import prod

from sonnx_verify.arrays.evaluator.binder import MOST, Binder
from sonnx_verify.arrays.evaluator.loops import FoldNode, NotStatic
from sonnx_verify.logic.sorts import IntegerSort
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
    ite,
    not_,
    times,
)

Items = list[tuple[Term, Term]]
"""The members: the condition of each, and its value."""


def written_out(binder: Binder) -> Term:
    """The quantifier or fold. Raises NotStatic where it has too many members."""
    items: Items = []
    for place, guards in _places(binder):
        inner = {**binder.env, binder.number: place}
        condition = FALSE if FALSE in guards else and_(*guards, binder.special(binder.condition, inner))
        if condition is FALSE:
            continue
        if binder.kind == "position":
            assert isinstance(place, int)
            items.append((condition, integer(place)))
            continue
        value = binder.special(binder.value, inner)
        if binder.kind == "all" and condition is TRUE and value is FALSE:
            return FALSE
        items.append((condition, value))
    if not items:
        return binder.of_nothing()
    match binder.kind:
        case "all":
            return and_(*(not_(and_(condition, not_(value))) for condition, value in items))
        case "position":
            return _position(binder, items)
        case "the":
            return _the(binder, items)
        case "greatest":
            return _greatest(binder, items)
        case _:
            return _joined(binder.kind, [ite(condition, value, binder.unit) for condition, value in items])


def _places(binder: Binder) -> list[tuple[object, list[Term]]]:
    """Everything that the variable ranges over, with what has to hold for it to be in range."""
    if binder.is_range:
        low, high, guard = binder.range()
        if high - low >= MOST:
            raise NotStatic
        return [(k, [] if guard is None else guard(integer(k))) for k in range(low, high + 1)]
    sizes = binder.sizes()
    if prod(sizes) > MOST:
        raise NotStatic
    return [(c, []) for c in product(*(range(n) for n in sizes))]


def _otherwise(binder: Binder, items: Items) -> Term | None:
    """What is given of nothing, where there may be nothing."""
    return None if any(condition is TRUE for condition, _ in items) else binder.otherwise


def _the(binder: Binder, items: Items) -> Term:
    otherwise = _otherwise(binder, items)
    made = items[-1][1] if otherwise is None else otherwise
    for condition, value in reversed(items):
        made = ite(condition, value, made)
    return made


def _greatest(binder: Binder, items: Items) -> Term:
    otherwise = _otherwise(binder, items)
    if len(items) == 1 and otherwise is None:
        return items[0][1]
    return binder.chosen(FoldNode("greatest", binder.sort, (), TRUE, TRUE, otherwise=otherwise, items=tuple(items)))


def _position(binder: Binder, items: Items) -> Term:
    """The member that has so many before it."""
    assert binder.fold is not None and binder.fold.otherwise is not None
    ordinal, before, made = binder.special(binder.fold.otherwise, binder.env), ZERO, items[-1][1]
    found = []
    for condition, name in items:
        found.append((and_(condition, binder.special.simple(eq(before, ordinal))), name))
        before = add(before, ite(condition, ONE, ZERO))
    for condition, name in reversed(found):
        made = ite(condition, name, made)
    return made


def _joined(kind: str, parts: list[Term]) -> Term:
    made = parts[0]
    if isinstance(made.sort, IntegerSort):
        for part in parts[1:]:
            made = element("mul" if kind == "product" else "add", made, part)
        return made
    return times(*parts) if kind == "product" else add(*parts)
