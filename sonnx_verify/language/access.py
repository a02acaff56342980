"""What is read from values: elements, items, sizes, and what names stand for. Trusted.

Values in, values out. Terms are total: beyond a shape a read has some value of which nothing is known. So each read
asks for a side condition, that it is inside; it becomes an obligation, under whatever encloses the place.
"""

from __future__ import annotations

from sonnx_verify.errors import Span, SpecificationError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.context import Context
from sonnx_verify.language.syntax import text_of
from sonnx_verify.language.values import (
    Declared,
    Items,
    Outcome,
    Position,
    Shape,
    Tensor,
    Value,
    a_kind,
    kind_of,
    last,
)
from sonnx_verify.logic.sorts import INT
from sonnx_verify.logic.terms import ONE, ZERO, Term, add, and_, at, eq, forall, index, integer, le, lt, sub
from sonnx_verify.results.kinds import Kind


class Access:
    """Reads in one context. `index_base` is the number of the first coordinate of an index, in the text."""

    def __init__(self, context: Context, index_base: int) -> None:
        self._context, self._index_base = context, index_base

    def declared(self, value: Value, name: str, span: Span) -> Value:
        """What a name stands for. What may be left out is only read where it is given."""
        if not isinstance(value, Declared):
            return value
        if value.needs:
            self._context.require(Kind.IN_BOUNDS, value.given, f"`{name}` is given", span)
        return value.value

    def result(self, outcome: Outcome, span: Span) -> Tensor:
        """What an operator gives, to be looked into: only where it is no error."""
        self._context.require(Kind.TOTAL, outcome.defined, "the operator has a result", span)
        return outcome.result

    def shape(self, node: s.Expression, value: Value) -> Shape:
        """The shape that a value is or has."""
        match value:
            case Shape():
                return value
            case Tensor():
                return value.shape
            case Outcome():
                return self.result(value, node.span).shape
            case _:
                raise SpecificationError(
                    f"this is {a_kind(kind_of(value))}, and a shape or a tensor is needed", node.span, "name a tensor"
                )

    def read(self, node: s.Read, owner: Value, argument: Value) -> Value:
        """`owner[argument]`.

        Shapes and indices are stored from the right, so that trailing axes have one number whatever the rank is; texts
        count axes from the left: axis k of rank r is position r - 1 - k.
        """
        span = node.span
        if isinstance(owner, Outcome):
            owner = self.result(owner, span)
        match owner, argument:
            case Items(), Term() if argument.sort == INT:
                position = sub(argument, integer(owner.base))
                self.inside(position, owner.count, f"the list has no item at this position: {text_of(node)}", span)
                return owner.item(position)
            case Shape(), Term() if argument.sort == INT:
                self.inside(argument, owner.rank, f"the shape has no such axis: {text_of(node)}", span)
                return owner.dim(sub(last(owner.rank), argument))
            case Position(), Term() if argument.sort == INT:
                self.inside(argument, owner.rank, f"the index has no such axis: {text_of(node)}", span)
                return add(at(owner.term, sub(last(owner.rank), argument)), integer(self._index_base))
            case Tensor(), Position():
                return self._element(owner, argument, node)
            case Tensor(), Items() if argument.kind == "int":
                coordinates = argument
                place = index(coordinates.count, lambda q: self._coordinate(coordinates, q))
                return self._element(owner, Position(place, coordinates.count), node)
            case _:
                raise SpecificationError(
                    f"{a_kind(kind_of(owner))} cannot be read at {a_kind(kind_of(argument))}",
                    span,
                    "read tensors at an index, of one axis `X[[k]]`; lists, shapes and indices at an integer",
                )

    def _element(self, owner: Tensor, position: Position, node: s.Read) -> Term:
        shape = owner.shape
        within = forall(
            ZERO,
            last(shape.rank),
            lambda q: and_(le(ZERO, at(position.term, q)), lt(at(position.term, q), shape.dim(q))),
        )
        # Equal ranks too: an index of a greater rank would be inside on the axes that are compared.
        right, reason = and_(eq(position.rank, shape.rank), within), f"the read {text_of(node)}"
        self._context.require(Kind.IN_BOUNDS, right, reason, node.span, (position, shape, self._index_base))
        return owner.read(position.term)

    def _coordinate(self, coordinates: Items, axis: Term) -> Term:
        item = coordinates.item(sub(last(coordinates.count), axis))
        assert isinstance(item, Term)
        return sub(item, integer(self._index_base))

    def inside(self, position: Term, count: Term, reason: str, span: Span) -> None:
        """Ask that a position, counted from 0, is one of so many. Twin: reads_below_0."""
        self._context.require(Kind.IN_BOUNDS, and_(le(ZERO, position), lt(position, count)), reason, span)

    def part(self, node: s.Slice, owner: Items, low: Term, high: Term) -> Items:
        """`owner[low .. high]`. A part may be empty, also at the end: of two items, `L[2 .. 1]`."""
        start = sub(low, integer(owner.base))
        count = add(sub(high, low), ONE)
        self._context.require(
            Kind.IN_BOUNDS,
            and_(le(ZERO, start), le(ZERO, count), le(add(start, count), owner.count)),
            f"the list has no such part: {text_of(node)}",
            node.span,
        )
        return Items(count, lambda m: owner.item(add(start, m)), owner.kind)
