"""Expressions to terms: lists, sets, folds and what is given by its parts, on top of expressions and calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sonnx_verify.errors import SpecificationError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.calls import Calls
from sonnx_verify.language.library import Domain, a_kind, binders_of, text_of
from sonnx_verify.language.values import (
    Items,
    Position,
    SetOf,
    Shape,
    Tensor,
    Value,
    instantiate,
    kind_of,
    last,
    listed,
)
from sonnx_verify.logic.sorts import BOOL, INDEX, INT, STRING
from sonnx_verify.logic.terms import (
    ONE,
    TRUE,
    ZERO,
    Term,
    add,
    and_,
    at,
    bind_fold,
    eq,
    forall,
    implies,
    index,
    integer,
    ite,
    le,
    lt,
    not_,
    placeholder,
    sub,
    substitute,
)


class Elaborator(Calls):
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

    def _set(self, node: s.Node, scope: Mapping[str, Value]) -> SetOf:
        *binders, where = binders_of(node.parts[1])
        if len(binders) != 1 or binders[0] is None:
            raise SpecificationError("a set has one variable", node.span, "write { e | k in low .. high where c }")
        domain = self.domain(binders[0].parts[0], scope)
        if domain.shape is not None:
            raise SpecificationError("a set ranges over integers", node.span, "range over a list or an interval")
        variable = placeholder(INT)
        inner = {**scope, binders[0].text[0]: variable}
        with self.context.ranging(domain.low, domain.high, variable):
            condition = TRUE if where is None else self.condition(where, inner)
            with self.context.assuming(condition):
                body = self.value(node.parts[0], inner)
        if not isinstance(body, Term) or body.sort in (BOOL, INDEX, STRING):
            raise SpecificationError(
                f"a set holds numbers or elements, not {a_kind(kind_of(body))}", node.parts[0].span, "write a number"
            )
        return SetOf(domain.low, domain.high, variable, condition, body)

    def _fold(self, node: s.Node, scope: Mapping[str, Value]) -> Term:
        kind, *rest = node.text
        base = self.value(node.parts[0], scope)
        if not isinstance(base, SetOf):
            raise SpecificationError(
                f"`{kind}` takes a set, and this is {a_kind(kind_of(base))}", node.parts[0].span, "write { ... | ... }"
            )
        fallback = next((p for p in node.parts if p.kind == "default"), None)
        otherwise = None if fallback is None else self._number(fallback, self.value(fallback.parts[0], scope))
        if otherwise is not None and otherwise.sort != base.body.sort:
            raise SpecificationError("the default has another type than the set", node.span, "give both one type")
        order = self._order_of(node, kind, rest[0] if rest else "", base)
        if kind != "sum":
            self._choice(node, kind, base, otherwise)
        name = {"max": "greatest", "min": "greatest", "least": "greatest"}.get(kind, kind)
        return bind_fold(name, base.low, base.high, base.variable, base.condition, base.body, order, otherwise)

    def _order_of(self, node: s.Node, kind: str, name: str, base: SetOf) -> Callable[[Term, Term], Term]:
        sort = base.body.sort
        if kind in ("greatest", "least"):
            if name not in self.library.orders:
                raise self._unknown("order", name, node.span, list(self.library.orders))
            order = self.library.orders[name]
            self.context.know_order(order, self.library)
            self.context.fold_orders[(name, sort)] = None
            if kind == "greatest":
                return lambda x, y: self.order(order, x, y)
            return lambda x, y: self.order(order, y, x)
        if kind in ("max", "min", "sum") and sort != INT:
            raise SpecificationError(
                f"`{kind}` is for integers, and this is a set of {sort}",
                node.span,
                "name an order: `greatest S by ...`",
            )
        return (lambda x, y: le(y, x)) if kind == "min" else le

    def _choice(self, node: s.Node, kind: str, base: SetOf, otherwise: Term | None) -> None:
        """Without a default the set must not be empty; the only member has to be the only one."""

        def member(m: Term) -> Term:
            return substitute(base.condition, {base.variable: m})

        if otherwise is None:
            empty = forall(base.low, base.high, lambda m: not_(member(m)))
            self.context.require("total", not_(empty), f"the set is not empty: {text_of(node)}", node.span)
        if kind == "the":

            def value(m: Term) -> Term:
                return substitute(base.body, {base.variable: m})

            one = forall(
                base.low,
                base.high,
                lambda m: forall(
                    base.low, base.high, lambda n: implies(and_(member(m), member(n)), eq(value(m), value(n)))
                ),
            )
            self.context.require("total", one, f"the set has one member only: {text_of(node)}", node.span)

    def _make(self, node: s.Node, scope: Mapping[str, Value]) -> Value:
        """A list, shape, index or tensor given by its parts."""
        kind, name = node.text
        domain = self.domain(node.parts[0], scope)
        body = node.parts[1]
        if kind == "tensor":
            if domain.shape is None:
                raise SpecificationError("a tensor is given by its indices", node.span, "range over a shape")
            return self._make_tensor(domain.shape, name, body, scope)
        if domain.shape is not None:
            raise SpecificationError(f"{a_kind(kind)} is given by its positions", node.span, "range over integers")
        count = add(sub(domain.high, domain.low), ONE)
        variable = placeholder(INT)
        if kind == "list":
            self.context.require("total", le(ZERO, count), f"no negative length: {text_of(node)}", node.span)
            with self.context.ranging(ZERO, last(count), variable):
                item = self._part(domain, name, body, scope, variable, count)
            return Items(count, lambda m: instantiate(item, variable, m), kind_of(item))
        with self.context.ranging(ZERO, last(count), variable):
            # Axis q from the right is position count - 1 - q of the range.
            size = self._number(body, self._part(domain, name, body, scope, sub(last(count), variable), count))
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

    def _part(
        self, domain: Domain, name: str, body: s.Node, scope: Mapping[str, Value], position: Term, count: Term
    ) -> Value:
        with self.context.assuming(and_(le(ZERO, position), lt(position, count))):
            return self.value(body, {**scope, name: add(domain.low, position)})

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
