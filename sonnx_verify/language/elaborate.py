"""Expressions to terms: lists, sets, folds and what is given by its parts, on top of expressions and calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from sonnx_verify.errors import SpecificationError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.binding import Binding
from sonnx_verify.language.calls import Calls
from sonnx_verify.language.library import a_kind, binders_of, text_of
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
from sonnx_verify.logic.sorts import BOOL, ELEMENT, INDEX, INT, REAL, STRING, FloatSort, IntegerSort, Sort
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
    bind_fold,
    bind_fold_index,
    bind_position,
    eq,
    implies,
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
        binding = self.binding(binders[0].parts[0], scope)
        inner = {**scope, binders[0].text[0]: binding.value}
        with self.within(binding):
            condition = TRUE if where is None else self.condition(where, inner)
            with self.context.assuming(condition):
                body = self.value(node.parts[0], inner)
        if not isinstance(body, Term | Position) or (isinstance(body, Term) and body.sort == STRING):
            raise SpecificationError(
                f"a set holds numbers, elements or indices, not {a_kind(kind_of(body))}",
                node.parts[0].span,
                "write a number",
            )
        return SetOf(binding.domain, binding.variable, and_(binding.condition, condition), body)

    # --------------------------------------------------------------------------------------------------------- folds

    def _fold(self, node: s.Node, scope: Mapping[str, Value]) -> Term:
        kind, *rest = node.text
        base = self.value(node.parts[0], scope)
        if not isinstance(base, SetOf):
            raise SpecificationError(
                f"`{kind}` takes a set, and this is {a_kind(kind_of(base))}", node.parts[0].span, "write { ... | ... }"
            )
        fallback = next((p for p in node.parts if p.kind == "default"), None)
        otherwise = None if fallback is None else self._number(fallback, self.value(fallback.parts[0], scope))
        if kind in ("sum", "product", "count", "all", "any") and fallback is not None:
            raise SpecificationError(f"`{kind}` of nothing has a value already", fallback.span, "leave the default out")
        if rest and kind not in ("greatest", "least"):
            raise SpecificationError(f"`{kind}` goes by no order", node.span, f"leave out `by {rest[0]}`")
        if kind in ("all", "any"):
            return self._every(node, kind, base)
        if kind == "count":
            return self._folded(base, "count", ONE, le, None)
        body = base.body
        if not isinstance(body, Term) or body.sort in (BOOL, INDEX, STRING):
            raise SpecificationError(
                f"`{kind}` is of numbers or elements, and this is {a_kind(kind_of(base))}",
                node.parts[0].span,
                "write numbers before the `|`",
            )
        if otherwise is not None and otherwise.sort != body.sort:
            raise SpecificationError("the default has another type than the set", node.span, "give both one type")
        order = self._order_of(node, kind, rest[0] if rest else "", body.sort)
        if kind not in ("sum", "product"):
            self._choice(node, kind, base, body, otherwise)
        name = {"max": "greatest", "min": "greatest", "least": "greatest"}.get(kind, kind)
        return self._folded(base, name, body, order, otherwise)

    def _folded(
        self, base: SetOf, name: str, body: Term, order: Callable[[Term, Term], Term], otherwise: Term | None
    ) -> Term:
        shape = base.domain.shape
        if shape is None:
            low, high = base.domain.low, base.domain.high
            return bind_fold(name, low, high, base.variable, base.condition, body, order, otherwise)
        return bind_fold_index(name, shape.rank, shape.dim, base.variable, base.condition, body, order, otherwise)

    def _every(self, node: s.Node, kind: str, base: SetOf) -> Term:
        body = base.body
        if not isinstance(body, Term) or body.sort != BOOL:
            raise SpecificationError(
                f"`{kind}` is of conditions, and this is {a_kind(kind_of(base))}",
                node.parts[0].span,
                "write a condition",
            )
        binding = Binding(base.domain, base.variable, base.condition, base.variable)
        return binding.for_all(body) if kind == "all" else not_(binding.for_all(not_(body)))

    def _order_of(self, node: s.Node, kind: str, name: str, sort: Sort) -> Callable[[Term, Term], Term]:
        if kind in ("greatest", "least"):
            if not name:
                known = ", ".join(f"`{order}`" for order in self.library.orders) or "none; `use orders` has some"
                raise SpecificationError(
                    f"`{kind}` needs an order", node.span, f"write `{kind} {{ ... }} by ORDER`; known here: {known}"
                )
            if name not in self.library.orders:
                raise self._unknown("order", name, node.span, list(self.library.orders))
            order = self.library.orders[name]
            self.context.know_order(order, self.library)
            self.context.fold_orders[(name, sort)] = None
            if kind == "greatest":
                return lambda x, y: self.order(order, x, y, node.span)
            return lambda x, y: self.order(order, y, x, node.span)
        if kind in ("sum", "product"):
            self._addable(node, kind, sort)
        elif kind in ("max", "min") and sort != INT:
            raise SpecificationError(
                f"`{kind}` is for integers, and this is a set of {sort}",
                node.span,
                "name an order: `greatest S by ...`",
            )
        return (lambda x, y: le(y, x)) if kind == "min" else le

    def _addable(self, node: s.Node, kind: str, sort: Sort) -> None:
        """What is added in any order has to give the same."""
        self.may_wrap(sort, node.span)
        exact = sort in (INT, REAL) or isinstance(sort, IntegerSort)
        if not exact and not (sort == ELEMENT and self.context.family in ("int", "real")):
            raise SpecificationError(
                f"a {kind} of floats depends on its order, so it is not one value",
                node.span,
                f"write the {kind} of `real(...)`, and round it or give a set of results",
            )

    def _choice(self, node: s.Node, kind: str, base: SetOf, body: Term, otherwise: Term | None) -> None:
        """Without a default the set must not be empty; the only member has to be the only one."""

        def over(body: Callable[[Term, Term, Term], Term]) -> Term:
            """What holds of each member: the name, its condition, its value."""
            m = placeholder(base.variable.sort)
            condition, value = (substitute(t, {base.variable: m}) for t in (base.condition, base_body))
            return Binding(base.domain, m, TRUE, m).for_all(body(m, condition, value))

        base_body = body
        if otherwise is None:
            empty = over(lambda m, condition, value: not_(condition))
            self.context.require("total", not_(empty), f"the set is not empty: {text_of(node)}", node.span)
        if kind == "the":
            one = over(
                lambda m, first, x: over(lambda n, second, y: implies(and_(first, second), eq(x, y))),
            )
            self.context.require("total", one, f"the set has one member only: {text_of(node)}", node.span)

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
