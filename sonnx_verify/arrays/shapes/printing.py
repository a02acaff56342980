"""Sizes and conditions as text. Sizes are printed by sympy, conditions in the words of the language."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy

from sonnx_verify.arrays.shapes.dims import EITHER, kind
from sonnx_verify.arrays.shapes.given import SIZE, shown_name
from sonnx_verify.logic.terms import ONE, Symbol, Term, integer, is_literal, linear, sub, subterms


def expression(term: Term) -> Any:
    """An integer term as an expression of sympy. A symbol's name is never read as a formula."""
    if is_literal(term):
        return sympy.Integer(term.payload)
    if isinstance(term.payload, Symbol) and not term.args:
        # Sizes are not negative; of elements nothing is said.
        size = True if term.payload.name.startswith(SIZE) else None
        return sympy.Symbol(shown_name(term.payload.name), integer=True, nonnegative=size)
    args = [expression(a) for a in term.args]
    match term.op:
        case "+":
            return sympy.Add(*args)
        case "*":
            return sympy.Mul(*args)
        case "div" | "mod":
            return sympy.Function(term.op, integer=True)(*args)
        case _ if kind(term) == EITHER:
            return sympy.Symbol(f"({' or '.join(sympy.sstr(a) for a in args)})", integer=True)
        case _ if kind(term):
            return sympy.Function(kind(term), integer=True)(*args)
        case _:
            raise AssertionError(f"{term.op} is no part of a size")


def size_text(term: Term) -> str:
    """A size as text."""
    text = sympy.sstr(expression(term))
    return text[1:-1] if kind(term) == EITHER else str(text)


def shape_text(sizes: tuple[Term, ...]) -> str:
    """A shape as text."""
    return f"[{', '.join(size_text(s) for s in sizes)}]"


def condition_texts(condition: Term, order: Sequence[str] = ()) -> list[str]:
    """The parts of a condition that all have to hold, as texts; symbols in the order of some names."""
    parts = condition.args if condition.op == "and" else (condition,)
    return [_text(part, True, order) for part in sorted(parts, key=lambda p: _places(p, order))]


def condition_text(condition: Term, order: Sequence[str] = ()) -> str:
    """A condition as text."""
    parts = condition_texts(condition, order)
    if len(parts) == 1:
        return parts[0]
    return " and ".join(f"({part})" if " or " in part else part for part in parts)


def _text(condition: Term, holds: bool, order: Sequence[str]) -> str:
    match condition.op:
        case "literal":
            return "always" if bool(condition.payload) is holds else "never"
        case "not":
            return _text(condition.args[0], not holds, order)
        case "and" | "or":
            joint = condition.op if holds else {"and": "or", "or": "and"}[condition.op]
            inner = [(_text(a, holds, order), _joined(a)) for a in condition.args]
            return f" {joint} ".join(f"({t})" if joined else t for t, joined in inner)
        case "=":
            left, right = sorted(_moved(*condition.args), key=lambda side: (is_literal(side), _places(side, order)))
            return f"{size_text(left)} {'=' if holds else '!='} {size_text(right)}"
        case "<=":
            low, high = _moved(*condition.args)
            if is_literal(low):
                return f"{size_text(high)} {'>=' if holds else '<'} {size_text(low)}"
            if linear(low)[1] == 1:
                # Integers: a + 1 <= b is a < b.
                below = sub(low, ONE)
                return (
                    f"{size_text(below)} < {size_text(high)}" if holds else f"{size_text(high)} <= {size_text(below)}"
                )
            return f"{size_text(low)} {'<=' if holds else '>'} {size_text(high)}"
        case _:
            assert isinstance(condition.payload, Symbol)
            name = shown_name(condition.payload.name)
            return name if holds else f"not {name}"


def _moved(a: Term, b: Term) -> tuple[Term, Term]:
    """The sides of a comparison; where one is a number it is the only one."""
    if is_literal(a):
        second, first = _moved(b, a)
        return first, second
    constant = integer(int(linear(a)[1]))
    return (sub(a, constant), sub(b, constant)) if is_literal(b) else (a, b)


def _joined(condition: Term) -> bool:
    return condition.op in ("and", "or") or (condition.op == "not" and _joined(condition.args[0]))


def _places(term: Term, order: Sequence[str]) -> list[int]:
    """Which symbols occur, by their places in an order."""
    names = {n.payload.name for n in subterms(term) if isinstance(n.payload, Symbol) and not n.args}
    return sorted(order.index(n) if n in order else len(order) for n in names)
