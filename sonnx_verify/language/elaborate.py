"""Expressions to terms: lists, sets of results and what is given by its parts, and the elaborator as a whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from sonnx_verify.errors import SpecificationError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.folds import Folds
from sonnx_verify.language.library import a_kind, text_of
from sonnx_verify.language.values import (
    Domain,
    Items,
    Position,
    Results,
    SetOf,
    Shape,
    Tensor,
    Value,
    instantiate,
    kind_of,
    last,
    listed,
)
from sonnx_verify.logic import floats
from sonnx_verify.logic.sorts import BOOL, ELEMENT, INDEX, INT, REAL, STRING, FloatSort, Sort
from sonnx_verify.logic.terms import (
    FALSE,
    ONE,
    TRUE,
    ZERO,
    Term,
    add,
    and_,
    at,
    bind_count,
    bind_position,
    eq,
    index,
    integer,
    ite,
    le,
    literal,
    lt,
    not_,
    placeholder,
    scale,
    sub,
    substitute,
    to_real,
)


class Elaborator(Folds):
    """Elaborates the expressions of one file in one context."""

    def _listed(self, node: s.Node, scope: Mapping[str, Value]) -> Value:
        values = [self.value(p, scope) for p in node.parts[0].parts]
        made = listed(values)
        if made is None:
            raise SpecificationError(
                "the list has things of several types: " + ", ".join(kind_of(v) for v in values),
                node.span,
                "list things of one type",
            )
        return made

    # ------------------------------------------------------------------------------------------------ sets of results

    def _any(self, node: s.Node, scope: Mapping[str, Value]) -> Results:
        name = node.text[0]
        if name == "NaN":
            sort = self.context.element
            if self.context.family != "float":
                raise SpecificationError("only floats have a NaN", node.span, "mark the clause `for float`")
            some = self.context.operation("neg", self.constant("T", "infinity", node.span))
            if isinstance(sort, FloatSort):
                some = literal(floats.nan(sort), sort)
            # All NaNs are one here: what is shown holds up to their payload.
            return Results(sort, lambda y: self.context.operation("is_nan", y), some)
        sort = self.context.sort_of(name, node.span)
        return Results(sort, lambda y: TRUE, self._some(sort))

    def _some(self, sort: Sort) -> Term:
        if sort == ELEMENT:
            return self.context.free_operation("some", ELEMENT)
        if sort == BOOL:
            return FALSE
        return literal(Fraction(0) if sort == REAL else 0, sort)

    def _within(self, node: s.Node, scope: Mapping[str, Value]) -> Results:
        bound, centre = (self.value(p, scope) for p in node.parts)
        for part, value in zip(node.parts, (bound, centre), strict=True):
            if not (isinstance(value, Term) and value.sort == REAL):
                raise SpecificationError(
                    f"`within ... of ...` speaks of reals, and this is {a_kind(kind_of(value))}",
                    part.span,
                    "write `real(...)`",
                )
        assert isinstance(bound, Term) and isinstance(centre, Term)
        sort, family = self.context.element, self.context.family
        if family not in ("float", "real"):
            raise SpecificationError("only floats and reals are near a real", node.span, "mark the clause `for float`")

        def near(y: Term) -> Term:
            exact = y if y.sort == REAL else to_real(y) if y.sort != ELEMENT else None
            if exact is None:
                exact = self.context.free_operation("to_real", REAL, y)
            off = sub(exact, centre)
            finite = TRUE
            if family == "float":
                finite = and_(*(not_(self.context.operation(f"is_{what}", y)) for what in ("nan", "infinite")))
            return and_(finite, le(off, bound), le(scale(-1, off), bound))

        nearest = self._to_element(centre, sort, node.span)
        assert nearest is not None
        return Results(sort, near, nearest)

    # -------------------------------------------------------------------------------------------------------- makers

    def _make(self, node: s.Node, scope: Mapping[str, Value]) -> Value:
        """A list, shape, index or tensor given by its parts."""
        kind, name = node.text
        found = self.domain(node.parts[0], scope)
        where = next((p.parts[0] for p in node.parts if p.kind == "where"), None)
        body = node.parts[-1]
        if isinstance(found, SetOf):
            raise SpecificationError("a set has no order of its own", node.parts[0].span, "write a range and `where`")
        if kind == "tensor":
            if found.shape is None or where is not None:
                raise SpecificationError("a tensor is given by its indices", node.span, "range over a whole shape")
            return self._make_tensor(found.shape, name, body, scope)
        if found.shape is not None:
            raise SpecificationError(f"{a_kind(kind)} is given by its positions", node.span, "range over integers")
        count, place = self._places(node, found, where, name, scope)
        variable = placeholder(INT)
        if kind == "list":
            self.context.require("total", le(ZERO, count), f"no negative length: {text_of(node)}", node.span)
            with self.context.ranging(ZERO, last(count), variable):
                item = self._part(name, body, scope, place, variable, count)
            return Items(count, lambda m: instantiate(item, variable, m), kind_of(item))
        with self.context.ranging(ZERO, last(count), variable):
            # Axis q from the right is position count - 1 - q of the range.
            size = self._number(body, self._part(name, body, scope, place, sub(last(count), variable), count))
            if size.sort != INT:
                raise SpecificationError(f"{a_kind(kind)} holds integers", body.span, "write an integer")
            if kind == "index":
                size = sub(size, integer(self.index_base))
            else:
                reason = f"no size is negative: {text_of(node)}"
                self.context.require("total", le(ZERO, size), reason, node.span)
        self.context.require("total", le(ZERO, count), f"the rank is not negative: {text_of(node)}", node.span)

        def coordinate(q: Term) -> Term:
            return substitute(size, {variable: q})

        if kind == "shape":
            return Shape(count, coordinate)
        return Position(index(count, coordinate), count)

    def _places(
        self, node: s.Node, domain: Domain, where: s.Node | None, name: str, scope: Mapping[str, Value]
    ) -> tuple[Term, Callable[[Term], Term]]:
        """How many parts there are, and which number each of them is made for."""
        if where is None:
            return add(sub(domain.high, domain.low), ONE), lambda position: add(domain.low, position)
        variable = placeholder(INT)
        with self.context.ranging(domain.low, domain.high, variable):
            kept = self.condition(where, {**scope, name: variable})
        count = bind_count(domain.low, domain.high, variable, kept)
        return count, lambda position: bind_position(domain.low, domain.high, variable, kept, position)

    def _part(
        self,
        name: str,
        body: s.Node,
        scope: Mapping[str, Value],
        place: Callable[[Term], Term],
        position: Term,
        count: Term,
    ) -> Value:
        with self.context.assuming(and_(le(ZERO, position), lt(position, count))):
            return self.value(body, {**scope, name: place(position)})

    def _make_tensor(self, shape: Shape, name: str, body: s.Node, scope: Mapping[str, Value]) -> Tensor:
        variable = placeholder(INDEX)
        with self.context.indexing(shape.rank, shape.dim, variable):
            element = self.value(body, {**scope, name: Position(variable, shape.rank)})
        if not isinstance(element, Term) or element.sort in (INT, INDEX, STRING):
            raise SpecificationError(
                f"a tensor holds elements, not {a_kind(kind_of(element))}", body.span, "write an element"
            )
        return Tensor(shape, lambda i: substitute(element, {variable: i}), element.sort)

    def _replaced(self, node: s.Node, scope: Mapping[str, Value]) -> Position:
        position = self.value(node.parts[0], scope)
        if not isinstance(position, Position):
            raise SpecificationError(
                f"only an index has a coordinate to replace, not {a_kind(kind_of(position))}",
                node.span,
                "name an index",
            )
        axis = self.integer(node.parts[1], scope)
        value = self.integer(node.parts[2], scope)
        self._inside(axis, position.rank, f"the index has no such axis: {text_of(node)}", node.span)
        where = sub(last(position.rank), axis)
        old = position.term
        return Position(
            index(position.rank, lambda q: ite(eq(q, where), sub(value, integer(self.index_base)), at(old, q))),
            position.rank,
        )
