"""Formulas of calls: functions that the field writes in a way of its own, and all others by their names."""

from __future__ import annotations

from collections.abc import Callable

from sonnx_verify.language import syntax as s
from sonnx_verify.pages.render.names import identifier, words
from sonnx_verify.pages.render.printer import Printer, Shown

_IS = {
    "is_nan": "NaN",
    "is_infinite": "infinite",
    "is_zero": "a zero",
    "is_negative": "negative",
    "is_positive": "positive",
}
"""The formulas of the predicates on floats."""


def call(printer: Printer, node: s.Node) -> Shown:
    """A function or an operator on arguments."""
    callee, arguments = node.parts[0], node.parts[1].parts
    if callee.kind != "name":
        return _by_name(printer, printer.at(callee, "postfix"), arguments), "postfix"
    name = callee.text[0]
    special = _SPECIAL.get((name, len(arguments)))
    if special is not None and name not in printer.scope.results:
        return special(printer, name, arguments)
    return _by_name(printer, identifier(name), arguments), "postfix"


def denied(printer: Printer, node: s.Node) -> Shown | None:
    """The formula of `not` before a predicate, where it has one of its own."""
    while node.kind == "group":
        node = node.parts[0]
    if node.kind == "call" and node.parts[0].kind == "name" and node.parts[0].text[0] in _IS:
        said = f"is not {_IS[node.parts[0].text[0]]}"
        return rf"{printer.at(node.parts[1].parts[0], 'sum')} {words(f' {said}')}", "comparison"
    if node.kind == "member_of":
        return rf"{printer.at(node.parts[0], 'sum')} \notin {printer.at(node.parts[1], 'sum')}", "comparison"
    return None


def call_with(printer: Printer, node: s.Node) -> Shown:
    """An operator with attributes: they stand behind its inputs."""
    callee, arguments, *settings = node.parts
    inputs = ", ".join(map(printer.show, arguments.parts))
    given = ", ".join(map(printer.show, settings))
    return f"{printer.at(callee, 'postfix')}({inputs}; {given})", "postfix"


def setting(printer: Printer, node: s.Node) -> Shown:
    """An attribute with its value."""
    return f"{identifier(node.text[0])} = {printer.show(node.parts[0])}", "comparison"


def arguments(printer: Printer, node: s.Node) -> Shown:
    """Expressions side by side."""
    return ", ".join(map(printer.show, node.parts)), "expression"


def _by_name(printer: Printer, name: str, arguments: tuple[s.Node, ...]) -> str:
    return f"{name}({', '.join(map(printer.show, arguments))})"


def _is(printer: Printer, name: str, arguments: tuple[s.Node, ...]) -> Shown:
    return rf"{printer.at(arguments[0], 'sum')} {words(f' is {_IS[name]}')}", "comparison"


def _ieee_equal(printer: Printer, name: str, arguments: tuple[s.Node, ...]) -> Shown:
    left, right = (printer.at(a, "sum") for a in arguments)
    return rf"{left} =_{{\text{{IEEE}}}} {right}", "comparison"


def _rounded_down(printer: Printer, name: str, arguments: tuple[s.Node, ...]) -> Shown:
    side = "floor" if name == "floor" else "ceil"
    return rf"\left\l{side} {printer.show(arguments[0])} \right\r{side}", "atom"


def _divided(printer: Printer, name: str, arguments: tuple[s.Node, ...]) -> Shown:
    """By a number above 0 the quotient is the one below, and the remainder the usual one; by others neither is."""
    if not (arguments[1].kind == "integer" and int(arguments[1].text[0]) > 0):
        return _by_name(printer, identifier(name), arguments), "postfix"
    if name == "div":
        above, below = map(printer.show, arguments)
        return rf"\left\lfloor \frac{{{above}}}{{{below}}} \right\rfloor", "atom"
    return rf"{printer.at(arguments[0], 'unary')} \bmod {printer.at(arguments[1], 'unary')}", "product"


def _counted(printer: Printer, name: str, arguments: tuple[s.Node, ...]) -> Shown:
    return rf"\lvert {printer.show(arguments[0])} \rvert", "atom"


def _given(printer: Printer, name: str, arguments: tuple[s.Node, ...]) -> Shown:
    return rf"{printer.at(arguments[0], 'sum')} {words(' is given')}", "comparison"


_SPECIAL: dict[tuple[str, int], Callable[[Printer, str, tuple[s.Node, ...]], Shown]] = {
    **{(name, 1): _is for name in _IS},
    ("ieee_equal", 2): _ieee_equal,
    ("floor", 1): _rounded_down,
    ("ceil", 1): _rounded_down,
    ("div", 2): _divided,
    ("mod", 2): _divided,
    ("count", 1): _counted,
    ("given", 1): _given,
}
