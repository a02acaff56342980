"""Formulas of what ranges over something: quantifiers, sets, folds, and shapes, indices, lists and tensors by parts."""

from __future__ import annotations

from sonnx_verify.language import syntax as s
from sonnx_verify.pages.render.names import identifier, lowered, words
from sonnx_verify.pages.render.printer import Printer, Shown

_FOLDS = {"sum": r"\sum", "product": r"\prod", "max": r"\max", "min": r"\min", "all": r"\bigwedge", "any": r"\bigvee"}


def quantified(printer: Printer, node: s.Node) -> Shown:
    """`for all` and `exists`: what variables range over, then what is said of them."""
    sign = r"\forall" if node.kind == "for_all" else r"\exists"
    inner = printer.within(node.parts[0])
    return rf"{sign}\ {printer.show(node.parts[0])} : {inner.show(node.parts[1])}", "expression"


def binders(printer: Printer, node: s.Node) -> Shown:
    """Variables with what they range over, then what they meet; each may range over what speaks of those before."""
    made = []
    for part in node.parts:
        if part.kind == "binder":
            made.append(printer.show(part))
            printer = printer.having(part.text[0], printer.scope.member(part.parts[0]))
    condition = next((p for p in node.parts if p.kind == "where"), None)
    text = r",\ ".join(made)
    return (text if condition is None else rf"{text} {printer.show(condition)}"), "expression"


def binder(printer: Printer, node: s.Node) -> Shown:
    """A variable with what it ranges over: of a list the positions, of a tensor or a shape the indices."""
    domain = node.parts[0]
    kind = printer.scope.kind(domain)
    shown = printer.show(domain)
    if kind.startswith("list of ") or kind in ("ints", "floats"):
        shown = rf"\text{{positions}}({shown})"
    elif kind.startswith("tensor") or kind == "shape":
        shown = rf"\text{{indices}}({shown})"
    return rf"{identifier(node.text[0])} \in {shown}", "comparison"


def where(printer: Printer, node: s.Node) -> Shown:
    """The conditions on variables."""
    return rf"\text{{ with }} {printer.at(node.parts[0], 'implication')}", "expression"


def interval(printer: Printer, node: s.Node) -> Shown:
    """Integers with both ends."""
    low, high = (printer.at(p, "sum") for p in node.parts)
    return f"[{low}, {high}]", "atom"


def collection(printer: Printer, node: s.Node) -> Shown:
    """The value of an expression for each value of a variable."""
    inner = printer.within(node.parts[1])
    return rf"\lbrace {inner.at(node.parts[0], 'implication')} \mid {printer.show(node.parts[1])} \rbrace", "atom"


def of_set(printer: Printer, node: s.Node) -> Shown:
    """A definition on a collection, written as folds are."""
    return _folded(printer, identifier(node.text[0]), node.parts[0]), "product"


def fold(printer: Printer, node: s.Node) -> Shown:
    """A fold of a collection, or of a set by its name; what nothing gives stands behind it."""
    what, *order = node.text
    over = node.parts[0]
    default = next((p.parts[0] for p in node.parts if p.kind == "default"), None)
    sign = _FOLDS.get(what, identifier(what))
    if order:
        sign = rf"\text{{{what} by }}{identifier(order[0])}"
    if over.kind == "set" and what == "count":
        shown, rule = rf"\text{{count}}\ {printer.show(over)}", "product"
    elif over.kind == "set":
        shown, rule = _folded(printer, sign, over), "product"
    else:
        shown, rule = rf"{sign}\ {printer.at(over, 'postfix')}", "product"
    if default is not None:
        shown = rf"{shown}\ \text{{(of none: }}{printer.show(default)}\text{{)}}"
    return shown, rule


def _folded(printer: Printer, sign: str, over: s.Node) -> str:
    body = printer.within(over.parts[1]).at(over.parts[0], "product")
    below = printer.show(over.parts[1])
    if sign in _FOLDS.values():
        return f"{sign}{lowered(below)} {body}"
    return rf"\underset{{{below}}}{{{sign}}}\ {body}"


def make(printer: Printer, node: s.Node) -> Shown:
    """A shape, index, list or tensor: its part, and what the parts are numbered by."""
    maker, name = node.text
    domain, *condition, part = node.parts
    inner = printer.having(name, printer.scope.member(domain))
    over = binder(printer, s.Node("binder", node.span, (domain,), (name,)))[0]
    if condition:
        over += f" {inner.show(condition[0])}"
    return rf"{words(maker)}\left( {inner.show(part)} \right){lowered(over)}", "postfix"


def replaced(printer: Printer, node: s.Node) -> Shown:
    """An index with another coordinate on one axis."""
    index, axis, coordinate = node.parts
    return rf"{printer.at(index, 'postfix')}[{printer.show(axis)} \mapsto {printer.show(coordinate)}]", "postfix"


def default(printer: Printer, node: s.Node) -> Shown:
    """The value for an empty set."""
    return printer.show(node.parts[0]), "expression"
