"""Sizes and conditions as text. Sizes are printed by sympy, conditions in the words of the language."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy

from sonnx_verify.arrays.partial.intervals import is_symbol
from sonnx_verify.arrays.shapes.decide import parts_of
from sonnx_verify.arrays.shapes.dims import Atom, atom_of
from sonnx_verify.arrays.shapes.given import shown_name
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.terms import ONE, Role, Symbol, Term, integer, is_literal, linear, sub, subterms


def expression(term: Term) -> Any:
    """An integer term as an expression of sympy. A symbol's name is never read as a formula."""
    if is_literal(term):
        return sympy.Integer(term.payload)
    if isinstance(term.payload, Symbol) and not term.args:
        # sympy simplifies by what it knows of a symbol: sizes are not negative, elements may be. None is "not known".
        is_size = term.payload.role is Role.SIZE or None
        return sympy.Symbol(shown_name(term.payload.name), integer=True, nonnegative=is_size)
    args = [expression(a) for a in term.args]
    kind = atom_of(term)
    if kind is Atom.EITHER:
        return sympy.Symbol(f"({' or '.join(sympy.sstr(a) for a in args)})", integer=True)
    if kind is not None:
        return sympy.Function(kind.value, integer=True)(*args)
    match term.op:
        case Op.PLUS:
            return sympy.Add(*args)
        case Op.TIMES:
            return sympy.Mul(*args)
        case Op.DIV | Op.MOD:
            # sympy's own floor and Mod round down for negative divisors, where SMT-LIB keeps the remainder positive.
            return sympy.Function(term.op.value, integer=True)(*args)
        case _:
            raise AssertionError(f"{term.op} is not part of a size")


def size_text(term: Term) -> str:
    """A size as text."""
    text = str(sympy.sstr(expression(term)))
    # Alone it needs no brackets: `1 or N`, but `(1 or N) + M`.
    if atom_of(term) is Atom.EITHER:
        return text[1:-1]
    return text


def shape_text(sizes: tuple[Term, ...]) -> str:
    """A shape as text."""
    return f"[{', '.join(size_text(s) for s in sizes)}]"


def condition_texts(condition: Term, order: Sequence[str] = ()) -> list[str]:
    """The parts of a condition that all have to hold, as texts; symbols in the order of some names."""
    # The arguments of a junction are ordered by digest, which nobody can foresee: a reader wants the inputs' order.
    parts = sorted(parts_of(condition, Op.AND), key=lambda part: _places(part, order))
    return [_text(part, order, holds=True) for part in parts]


def condition_text(condition: Term, order: Sequence[str] = ()) -> str:
    """A condition as text."""
    parts = condition_texts(condition, order)
    if len(parts) == 1:
        return parts[0]
    return " and ".join(_in_brackets(part, needed=" or " in part) for part in parts)


def _text(condition: Term, order: Sequence[str], *, holds: bool) -> str:
    """A condition, or its opposite, without a `not` before anything but a truth value."""
    match condition.op:
        case Op.LITERAL:
            return _one_of("always", "never", first=bool(condition.payload) is holds)
        case Op.NOT:
            return _text(condition.args[0], order, holds=not holds)
        case Op.AND | Op.OR:
            joint = _one_of(" and ", " or ", first=(condition.op == Op.AND) is holds)
            return joint.join(_in_brackets(_text(a, order, holds=holds), needed=_joined(a)) for a in condition.args)
        case Op.EQUAL:
            left, right = sorted(_moved(*condition.args), key=lambda side: (is_literal(side), _places(side, order)))
            return f"{size_text(left)} {_one_of('=', '!=', first=holds)} {size_text(right)}"
        case Op.AT_MOST:
            return _at_most(*_moved(*condition.args), holds=holds)
        case _:
            assert isinstance(condition.payload, Symbol)
            name = shown_name(condition.payload.name)
            return _one_of(name, f"not {name}", first=holds)


def _at_most(low: Term, high: Term, *, holds: bool) -> str:
    """`low <= high`, or its opposite, with a number on the right and without a `+ 1` on the left."""
    if is_literal(low):
        return f"{size_text(high)} {_one_of('>=', '<', first=holds)} {size_text(low)}"
    if linear(low)[1] != 1:
        return f"{size_text(low)} {_one_of('<=', '>', first=holds)} {size_text(high)}"
    # Integers: a + 1 <= b is a < b.
    below = sub(low, ONE)
    if holds:
        return f"{size_text(below)} < {size_text(high)}"
    return f"{size_text(high)} <= {size_text(below)}"


def _one_of(text: str, other: str, *, first: bool) -> str:
    return text if first else other


def _in_brackets(text: str, *, needed: bool) -> str:
    return f"({text})" if needed else text


def _moved(a: Term, b: Term) -> tuple[Term, Term]:
    """The sides of a comparison; where one is a number it is the only one: `N + 1 <= 4` is `N <= 3`."""
    if is_literal(a):
        # The other way round, so that the number stays on its side: `4 <= N + 1` is `3 <= N`.
        second, first = _moved(b, a)
        return first, second
    if not is_literal(b):
        return a, b
    constant = integer(int(linear(a)[1]))
    return sub(a, constant), sub(b, constant)


def _joined(condition: Term) -> bool:
    """The text of a condition is a junction."""
    if condition.op == Op.NOT:
        return _joined(condition.args[0])
    return condition.op in (Op.AND, Op.OR)


def _places(term: Term, order: Sequence[str]) -> list[int]:
    """The symbols that occur, by their places in an order; the others come last."""
    places = {name: place for place, name in enumerate(order)}
    names = {node.payload.name for node in subterms(term) if is_symbol(node) and isinstance(node.payload, Symbol)}
    return sorted(places.get(name, len(order)) for name in names)
