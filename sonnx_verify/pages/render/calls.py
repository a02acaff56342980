"""Formulas of calls: functions that the field writes in a way of its own, and all others by their names."""

from __future__ import annotations

from collections.abc import Callable

from sonnx_verify.language import syntax as s
from sonnx_verify.pages.render.names import identifier, words
from sonnx_verify.pages.render.printer import Printer, Rendered

_IS = {
    "is_nan": "NaN",
    "is_infinite": "infinite",
    "is_zero": "a zero",
    "is_negative": "negative",
    "is_positive": "positive",
}
"""The formulas of the predicates on floats."""


def call(printer: Printer, node: s.Call) -> Rendered:
    """A function or an operator on arguments; the attributes of an operator stand behind its inputs."""
    arguments = node.arguments
    if node.settings:
        inputs = ", ".join(map(printer.show, arguments))
        given = ", ".join(map(printer.show, node.settings))
        return f"{printer.at(node.head, 'postfix')}({inputs}; {given})", "postfix"
    if not isinstance(node.head, s.Name):
        return _by_name(printer, printer.at(node.head, "postfix"), arguments), "postfix"
    # A definition of the text may have the name of a function of the language: then that is called.
    special = _SPECIAL.get((node.name, len(arguments)))
    if special is not None and node.name not in printer.kinds.results:
        return special(printer, node.name, arguments)
    return _by_name(printer, identifier(node.name), arguments), "postfix"


def denied(printer: Printer, node: s.Expression) -> Rendered | None:
    """The formula of `not` before a predicate, where it has one of its own."""
    match s.bare(node):
        case s.Call(name=name, arguments=(argument, *_), settings=()) if name in _IS:
            return rf"{printer.at(argument, 'sum')} {words(f' is not {_IS[name]}')}", "comparison"
        case s.MemberOf(member=member, owner=owner):
            return rf"{printer.at(member, 'sum')} \notin {printer.at(owner, 'sum')}", "comparison"
        case _:
            return None


def setting(printer: Printer, node: s.Setting) -> Rendered:
    """An attribute with its value."""
    return f"{identifier(node.name)} = {printer.show(node.value)}", "comparison"


def _by_name(printer: Printer, name: str, arguments: tuple[s.Expression, ...]) -> str:
    return f"{name}({', '.join(map(printer.show, arguments))})"


def _is(printer: Printer, name: str, arguments: tuple[s.Expression, ...]) -> Rendered:
    return rf"{printer.at(arguments[0], 'sum')} {words(f' is {_IS[name]}')}", "comparison"


def _ieee_equal(printer: Printer, name: str, arguments: tuple[s.Expression, ...]) -> Rendered:
    left, right = (printer.at(a, "sum") for a in arguments)
    return rf"{left} =_{{\text{{IEEE}}}} {right}", "comparison"


def _rounded_down(printer: Printer, name: str, arguments: tuple[s.Expression, ...]) -> Rendered:
    # TeX calls the brackets of `floor` lfloor and rfloor, and those of `ceil` likewise.
    return rf"\left\l{name} {printer.show(arguments[0])} \right\r{name}", "atom"


def _divided(printer: Printer, name: str, arguments: tuple[s.Expression, ...]) -> Rendered:
    """By a number above 0 the quotient is the one below, and the remainder the usual one; by others neither is."""
    divisor = arguments[1]
    # By a name, which may be negative, the call stays a call: its definition says what comes of it.
    if not (isinstance(divisor, s.Integer) and int(divisor.digits) > 0):
        return _by_name(printer, identifier(name), arguments), "postfix"
    if name == "div":
        above, below = map(printer.show, arguments)
        return rf"\left\lfloor \frac{{{above}}}{{{below}}} \right\rfloor", "atom"
    return rf"{printer.at(arguments[0], 'unary')} \bmod {printer.at(arguments[1], 'unary')}", "product"


def _counted(printer: Printer, name: str, arguments: tuple[s.Expression, ...]) -> Rendered:
    return rf"\lvert {printer.show(arguments[0])} \rvert", "atom"


def _given(printer: Printer, name: str, arguments: tuple[s.Expression, ...]) -> Rendered:
    return rf"{printer.at(arguments[0], 'sum')} {words(' is given')}", "comparison"


_SPECIAL: dict[tuple[str, int], Callable[[Printer, str, tuple[s.Expression, ...]], Rendered]] = {
    **{(name, 1): _is for name in _IS},
    ("ieee_equal", 2): _ieee_equal,
    ("floor", 1): _rounded_down,
    ("ceil", 1): _rounded_down,
    ("div", 2): _divided,
    ("mod", 2): _divided,
    ("count", 1): _counted,
    ("given", 1): _given,
}
