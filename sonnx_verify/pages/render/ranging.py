"""Formulas of what ranges over something: quantifiers, sets, folds, and shapes, indices, lists and tensors by parts."""

from __future__ import annotations

from sonnx_verify.language import syntax as s
from sonnx_verify.pages.render.names import identifier, lowered, words
from sonnx_verify.pages.render.printer import Printer, Rendered

_FOLDS = {
    s.FoldKind.SUM: r"\sum",
    s.FoldKind.PRODUCT: r"\prod",
    s.FoldKind.MAX: r"\max",
    s.FoldKind.MIN: r"\min",
    s.FoldKind.ALL: r"\bigwedge",
    s.FoldKind.ANY: r"\bigvee",
}


_OVER = {"list": "positions", "tensor": "indices", "shape": "indices"}
"""The members of what a variable ranges over, by its kind."""


def quantified(printer: Printer, node: s.ForAll | s.Exists) -> Rendered:
    """`for all` and `exists`: what variables range over, then what is said of them."""
    sign = r"\forall" if isinstance(node, s.ForAll) else r"\exists"
    inner = printer.within(node.binders)
    return rf"{sign}\ {printer.show(node.binders)} : {inner.show(node.body)}", "expression"


def binders(printer: Printer, node: s.Binders) -> Rendered:
    """Variables with what they range over, then what they meet; each may range over what speaks of those before."""
    made = []
    for binder in node.binders:
        made.append(printer.show(binder))
        printer = printer.having(binder.name, printer.kinds.member(binder.domain))
    return r",\ ".join(made) + _where(printer, node), "expression"


def binder(printer: Printer, node: s.Binder) -> Rendered:
    """A variable with what it ranges over: of a list the positions, of a tensor or a shape the indices."""
    return rf"{identifier(node.name)} \in {_members(printer, node.domain)}", "comparison"


def _members(printer: Printer, domain: s.Expression | s.Range) -> str:
    """The members of what a variable ranges over. A range stands for its numbers; everything else is numbered."""
    shown = printer.show(domain)
    if isinstance(domain, s.Range):
        return shown
    kind = printer.kinds.of(domain)
    if kind is None or kind.name not in _OVER:
        return shown
    return f"{words(_OVER[kind.name])}({shown})"


def _where(printer: Printer, node: s.Binders) -> str:
    """The conditions on variables, with a blank before them; nothing where there are none."""
    if node.where is None:
        return ""
    return rf" \text{{ with }} {printer.at(node.where, 'implication')}"


def interval(printer: Printer, node: s.Range) -> Rendered:
    """Integers with both ends."""
    low, high = printer.at(node.low, "sum"), printer.at(node.high, "sum")
    return f"[{low}, {high}]", "atom"


def collection(printer: Printer, node: s.Comprehension) -> Rendered:
    """The value of an expression for each value of a variable."""
    inner = printer.within(node.binders)
    return rf"\lbrace {inner.at(node.body, 'implication')} \mid {printer.show(node.binders)} \rbrace", "atom"


def of_set(printer: Printer, node: s.CallOnSet) -> Rendered:
    """A definition on a collection, written as folds are."""
    return _under(printer, identifier(node.name), node.over), "product"


def fold(printer: Printer, node: s.Fold) -> Rendered:
    """A fold of a collection, or of a set by its name; what nothing gives stands behind it."""
    shown = _folded(printer, node)
    # The maximum of nothing has to be given; the sum of nothing is 0.
    if node.default is not None:
        shown = rf"{shown}\ \text{{(of none: }}{printer.show(node.default)}\text{{)}}"
    return shown, "product"


def _folded(printer: Printer, node: s.Fold) -> str:
    over = node.over
    sign = _FOLDS.get(node.kind, identifier(node.kind.value))
    # `max by ieee of x`: in another order than that of numbers the sign would say too much.
    if node.order:
        sign = rf"\text{{{node.kind} by }}{identifier(node.order)}"
    if not isinstance(over, s.Comprehension):
        return rf"{sign}\ {printer.at(over, 'postfix')}"
    if node.kind is s.FoldKind.COUNT:
        return rf"\text{{count}}\ {printer.show(over)}"
    if node.kind in _FOLDS and not node.order:
        body = printer.within(over.binders).at(over.body, "product")
        return f"{sign}{lowered(printer.show(over.binders))} {body}"
    return _under(printer, sign, over)


def _under(printer: Printer, sign: str, over: s.Comprehension) -> str:
    """A word with what it ranges over below."""
    body = printer.within(over.binders).at(over.body, "product")
    return rf"\underset{{{printer.show(over.binders)}}}{{{sign}}}\ {body}"


def make(printer: Printer, node: s.Make) -> Rendered:
    """A shape, index, list or tensor: its part, and what the parts are numbered by."""
    inner = printer.within(node.binders)
    over = printer.show(node.binders)
    return rf"{words(node.maker.value)}\left( {inner.show(node.body)} \right){lowered(over)}", "postfix"


def replaced(printer: Printer, node: s.Replaced) -> Rendered:
    """An index with another coordinate on one axis."""
    axis, value = printer.show(node.axis), printer.show(node.value)
    return rf"{printer.at(node.index, 'postfix')}[{axis} \mapsto {value}]", "postfix"
