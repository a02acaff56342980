"""Reads of values: elements, items, sizes, and the meanings of names. Trusted.

Values in, values out. Terms are total: beyond a shape a read has some value of which nothing is known. So each read
asks for a side condition, that it is inside; it becomes an obligation, under whatever encloses the place.
"""

from __future__ import annotations

from sonnx_verify.errors import SpecificationError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.context import Context, Lack
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
    abstraction,
    kind_of,
    last,
    single,
)
from sonnx_verify.logic.sorts import INT
from sonnx_verify.logic.terms import ONE, ZERO, Term, add, and_, at, eq, forall, index, integer, le, lt, sub
from sonnx_verify.results.kinds import Kind
from sonnx_verify.sources import Span


class Access:
    """Reads in one context. `index_base` is the number of the first coordinate of an index, in the text."""

    def __init__(self, context: Context, index_base: int) -> None:
        self._context, self._index_base = context, index_base

    def declared(self, value: Value, name: str, span: Span) -> Value:
        """The meaning of a name. What may be left out is only read where it is given."""
        # `Bias[i]` of an optional input asks given(Bias), under the conditions around it: in `given(Bias) => Bias[i] =
        # 0` that is no more than given(Bias) => given(Bias).
        if not isinstance(value, Declared):
            return value
        if value.needs:
            self._context.require(Kind.IN_BOUNDS, value.given, f"`{name}` is given", span)
        return value.value

    def result(self, outcome: Outcome, span: Span) -> Tensor | Items:
        """The result of an operator, to be looked into: only where it is no error."""
        # `Op(X)[i]` of input on which Op fails would be an element of a tensor that nobody computes.
        self._context.require(Kind.TOTAL, outcome.defined, "the applied operator has a result", span)
        return outcome.result

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
                raise SpecificationError(
                    f"expected a shape or a tensor, found {a_kind(kind_of(value))}", node.span, "name a tensor"
                )

    def read(self, node: s.Read, owner: Value, argument: Value) -> Value:
        """`owner[argument]`.

        Shapes and indices are stored from the right, so that trailing axes have one number whatever the rank is; texts
        count axes from the left: axis k of rank r is position r - 1 - k. A position is inside from the left where it is
        inside from the right, so what is asked of k is asked of k as it is written.
        """
        span = node.span
        owner = self.plain(owner, span)
        match owner, argument:
            case Items(), Term() if argument.sort == INT:
                # `X[1 .. N]` numbers its members from 1: X[1] is the item at position 0. Twin: numbered_as_it_comes.
                position = sub(argument, integer(owner.base))
                self.inside(
                    position, owner.count, Lack.ITEM, f"the list has item {text_of(node.at)}: {text_of(node)}", span
                )
                return owner.item(position)
            case Shape(), Term() if argument.sort == INT:
                self.inside(
                    argument, owner.rank, Lack.AXIS, f"the shape has axis {text_of(node.at)}: {text_of(node)}", span
                )
                return owner.dim(sub(last(owner.rank), argument))
            case Position(), Term() if argument.sort == INT:
                self.inside(
                    argument, owner.rank, Lack.AXIS, f"the index has axis {text_of(node.at)}: {text_of(node)}", span
                )
                # In a text with `indices from 1` the coordinate 0 is called 1.
                return add(at(owner.term, sub(last(owner.rank), argument)), integer(self._index_base))
            case Tensor(), Position():
                return self._element(owner, argument, node)
            case Tensor(), Items() if argument.kind == single(INT):
                coordinates = argument
                place = index(coordinates.count, lambda q: self._coordinate(coordinates, q))
                return self._element(owner, Position(place, coordinates.count), node)
            case _:
                raise SpecificationError(
                    f"{a_kind(kind_of(owner))} cannot be indexed by {a_kind(kind_of(argument))}",
                    span,
                    "index a tensor by an index (of one axis: `X[[k]]`), and a list, a shape or an index by an integer",
                )

    def _element(self, owner: Tensor, position: Position, node: s.Read) -> Term:
        shape = owner.shape
        within = forall(
            ZERO,
            last(shape.rank),
            lambda q: and_(le(ZERO, at(position.term, q)), lt(at(position.term, q), shape.dim(q))),
        )
        # Equal ranks too: an index of a greater rank would be inside on the axes that are compared. `X[i]` with i an
        # index of Y, in a text that broadcasts, is refused where Y may have more axes, though all those of X fit.
        right, reason = and_(eq(position.rank, shape.rank), within), f"the read {text_of(node)} is in bounds"
        self._context.require(Kind.IN_BOUNDS, right, reason, node.span, (position, shape, self._index_base))
        return owner.read(position.term)

    def _coordinate(self, coordinates: Items, axis: Term) -> Term:
        item = coordinates.item(sub(last(coordinates.count), axis))
        assert isinstance(item, Term)
        return sub(item, integer(self._index_base))

    def inside(self, position: Term, count: Term, lack: Lack, reason: str, span: Span) -> None:
        """Ask that a position, counted from 0, is one of `count`. Twin: reads_below_0."""
        # Both ends: there is no counting from the end as in Python. `L[-1]` has some value, of which nothing is known.
        right = and_(le(ZERO, position), lt(position, count))
        self._context.require(Kind.IN_BOUNDS, right, reason, span, lack=lack)

    def part(self, node: s.Slice, owner: Items, low: Term, high: Term) -> Items:
        """`owner[low .. high]`. A part may be empty, also at the end: of two items, `L[2 .. 1]`."""
        # `0 <= count` refuses `L[2 .. 0]`: a list of -1 items would break what is known of each list. The part is
        # numbered from 0 again, whatever the numbers in `owner` were.
        start = sub(low, integer(owner.base))
        count = add(sub(high, low), ONE)
        self._context.require(
            Kind.IN_BOUNDS,
            and_(le(ZERO, start), le(ZERO, count), le(add(start, count), owner.count)),
            f"the slice {text_of(node)} is in bounds",
            node.span,
        )
        return Items(count, abstraction(lambda m: owner.item(add(start, m)), INT), owner.kind)
