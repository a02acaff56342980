"""Reads of values: elements, items, sizes, and the meanings of names. Trusted.

It finds out which form of reading a text means, and refuses what none can read.
"""

from __future__ import annotations

from sonnx_verify.kernel import reads
from sonnx_verify.kernel.notes import Why
from sonnx_verify.kernel.values import Declared, Items, Outcome, Position, Shape, Tensor, Value, single
from sonnx_verify.language import syntax as s
from sonnx_verify.language.complaints import expressions as complaints
from sonnx_verify.language.context import Context
from sonnx_verify.language.syntax import text_of
from sonnx_verify.logic.sorts import INT
from sonnx_verify.logic.terms import Term
from sonnx_verify.sources import Span


class Access:
    """Reads in one context. `index_base` is the number of the first coordinate of an index, in the text."""

    def __init__(self, context: Context, index_base: int) -> None:
        self._context, self.index_base = context, index_base

    def declared(self, value: Value, name: str, span: Span) -> Value:
        """The meaning of a name. What may be left out is only read where it is given."""
        if not isinstance(value, Declared):
            return value
        return reads.declared(self._context, value, Why(f"`{name}` is given", span))

    def result(self, outcome: Outcome, span: Span) -> Tensor | Items:
        """The result of an operator, to be looked into: only where it is no error."""
        return reads.result(self._context, outcome, Why("the applied operator has a result", span))

    def plain(self, value: Value, span: Span) -> Value:
        """The value; of an operator that is applied its result."""
        if isinstance(value, Outcome):
            return self.result(value, span)
        return value

    def shape(self, node: s.Expression, value: Value) -> Shape:
        """The shape that a value is or has."""
        match value:
            case Shape():
                return value
            case Tensor():
                return value.shape
            case Outcome():
                return self.shape(node, self.result(value, node.span))
            case _:
                raise complaints.without_shape(value, node.span)

    def read(self, node: s.Read, owner: Value, argument: Value) -> Value:
        """`owner[argument]`."""
        span, context = node.span, self._context
        owner = self.plain(owner, span)
        match owner, argument:
            case Items(), Term() if argument.sort == INT:
                return reads.item(context, owner, argument, self._has("list", "item", node))
            case Shape(), Term() if argument.sort == INT:
                return reads.size(context, owner, argument, self._has("shape", "axis", node))
            case Position(), Term() if argument.sort == INT:
                return reads.coordinate(context, owner, argument, self.index_base, self._has("index", "axis", node))
            case Tensor(), Position():
                return reads.element(context, owner, argument, self.index_base, self._in_bounds(node))
            case Tensor(), Items() if argument.kind == single(INT):
                position = reads.index_of(argument, self.index_base)
                return reads.element(context, owner, position, self.index_base, self._in_bounds(node))
            case _:
                raise complaints.not_an_index(owner, argument, span)

    def _has(self, owner: str, part: str, node: s.Read) -> Why:
        return Why(f"the {owner} has {part} {text_of(node.at)}: {text_of(node)}", node.span)

    def _in_bounds(self, node: s.Read) -> Why:
        return Why(f"the read {text_of(node)} is in bounds", node.span)

    def part(self, node: s.Slice, owner: Items, low: Term, high: Term) -> Items:
        """`owner[low .. high]`."""
        return reads.part(self._context, owner, low, high, Why(f"the slice {text_of(node)} is in bounds", node.span))
